"""Lists of friends and of those whom one ignores as dialogs, for players whose game has no window for them.

    look at a list  ->  put somebody on it   ->  by name   ->  `world.friends`, `world.ignoring`
                    ->  take somebody off it ->  which one

A refusal is told, and the list shown again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from world import friends, ignoring
from world.dialogs import Button, Choice, Line, Option, Reply, ask
from world.reach import Cannot
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from world.dialog import Input
    from world.mobile import Mobile

ACQUAINTANCES: Final = "AcquaintancesDialog"
"""The name of all these questions."""

ADD, REMOVE = 1, 2

LONGEST_NAME: Final = 32

CLOSE: Final = Button(0, "Close.")


@attrs.frozen
class _List:
    """One of both lists: its title, words for an empty one and what its buttons say and do."""

    title: str
    empty: str
    add: str
    remove: str
    entries: Callable[[Mobile], Mapping[int, str]]
    put: Callable[[Mobile, str], object]
    take: Callable[[Mobile, str], object]
    marks: bool
    """Whether it tells who of them is here."""


_FRIENDS: Final = _List(
    "Friends",
    "You have no friends on your list.",
    "Add a friend.",
    "Take one off the list.",
    friends.friends_of,
    friends.befriend,
    friends.unfriend,
    marks=True,
)

_IGNORED: Final = _List(
    "Ignored",
    "You hear of everybody.",
    "Hear nothing of somebody any more.",
    "Hear of somebody again.",
    ignoring.ignored_by,
    ignoring.ignore,
    ignoring.heed,
    marks=False,
)


def show_friends(actor: Mobile) -> None:
    """Show somebody's friends, and who of them is here; let it add and remove some."""
    _show(actor, _FRIENDS)


def show_ignored(actor: Mobile) -> None:
    """Show of whom somebody wants to hear nothing; let it add and remove some."""
    _show(actor, _IGNORED)


def _show(actor: Mobile, kind: _List) -> None:
    names = kind.entries(actor)
    lines = [_line(actor, kind, serial, name) for serial, name in names.items()]
    buttons = [Button(ADD, kind.add)]
    if names:
        buttons.append(Button(REMOVE, kind.remove))

    def answered(mobile: Mobile, reply: Reply) -> None:
        if reply.button == ADD:
            line = Line("name", "Whom?", LONGEST_NAME)
            _form(mobile, kind, kind.add, line, lambda given: kind.put(mobile, given.line("name")))
        elif reply.button == REMOVE:
            _ask_whom(mobile, kind)

    ask(
        actor,
        ACQUAINTANCES,
        title=kind.title,
        text="; ".join(lines) if lines else kind.empty,
        buttons=(*buttons, CLOSE),
        answered=answered,
        anywhere=True,
    )


def _line(actor: Mobile, kind: _List, serial: int, name: str) -> str:
    return f"{name} (here)" if kind.marks and friends.is_here(actor.world, serial) else name


def _ask_whom(actor: Mobile, kind: _List) -> None:
    names = sorted(kind.entries(actor).values())
    if not names:
        _show(actor, kind)
        return
    options = [Option(at, name) for at, name in enumerate(names, 1)]

    def take(given: Reply) -> object:
        return kind.take(actor, names[given.chosen("name")[0] - 1])

    _form(actor, kind, kind.remove, Choice("name", "Whom?", options), take)


def _form(actor: Mobile, kind: _List, text: str, wanted: Input, deed: Callable[[Reply], object]) -> None:
    """Ask for a name and do something with it; the list is shown again."""

    def answered(mobile: Mobile, reply: Reply) -> None:
        if reply.button:
            try:
                deed(reply)
            except Cannot as cannot:
                notice(mobile, str(cannot))
        _show(mobile, kind)

    ask(
        actor,
        ACQUAINTANCES,
        title=kind.title,
        text=text,
        buttons=(Button(1, "So be it."), Button(0, "Back.")),
        answered=answered,
        anywhere=True,
        inputs=(wanted,),
    )
