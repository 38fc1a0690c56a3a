"""Dialogs of residents, as a designer writes them: passages of text with answers.

An answer may have conditions, without which it is not offered, and effects. What kinds of these there are
says `world.clauses`, and `world.conversations` leads the talk; here they are only what has something to
check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

START: Final = "start"
"""Passage with which every dialog begins."""


@attrs.frozen
class Known:
    """Everything that a clause may name. `walkable` says whether one can stand on a tile of a realm;
    `unknown` is a line about a word of a field that is none of some others, or nothing; `roles` are those of
    who speaks; `quests` are the keys of steps, by that of their quest."""

    items: Collection[str]
    realms: Collection[str]
    games: Collection[str]
    skills: Collection[str]
    walkable: Callable[[str, int, int], bool]
    unknown: Callable[[str, str, Collection[str]], Sequence[str]]
    roles: Collection[str] = ()
    fixed: Collection[str] = ()
    """Items that nobody can carry away."""
    quests: Mapping[str, Collection[str]] = attrs.field(factory=dict)


class Clause(Protocol):
    """A condition or an effect."""

    def wrong(self, known: Known) -> Iterable[str]:
        """A line for each mistake in it."""
        ...


@attrs.frozen
class Answer:
    """Something a player may answer; `to` names the passage that follows, empty where the talk ends."""

    text: str
    to: str = ""
    needs: Sequence[Clause] = ()
    does: Sequence[Clause] = ()

    @property
    def closes(self) -> bool:
        """Whether it does nothing but end the talk."""
        return not self.to and not self.does


@attrs.frozen
class Passage:
    """Words of the speaker, and the answers to them. In texts `{name}` is the player, `{me}` who speaks."""

    text: str
    answers: Sequence[Answer]


@attrs.frozen
class Talk:
    """A dialog: its passages by name, of which `START` is the first."""

    passages: Mapping[str, Passage]
    leads: Collection[tuple[str, str]] = frozenset()
    """Quests that its answers begin (with an empty step), and steps of quests that they finish: both are left
    to it."""


def filled(text: str, name: str, me: str) -> str:
    """A text with the names in it."""
    return text.format(name=name, me=me)
