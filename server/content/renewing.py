"""New content for a running server: read beside it, and taken over between two things that it does, or not at
all.

`read` runs in a thread and may take a second. It does all that a start does: every mistake is found, every
game is made of what was read. What is right comes back as one call for the world task, which has nothing left
to compile. (To read in the world task would be half as long, and stop everybody for that second.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from protocol.games import GAMES, make_families
from protocol.session import Phase
from server.content.families import numbers_of
from server.content.loading import ContentError, load
from world.renewal import obstacles, prepare, renew

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from protocol.family import Adopt, Family, Numbers
    from protocol.session import Session
    from world.content import Content
    from world.renewal import Difference
    from world.world import World


@attrs.frozen(eq=False)
class Renewed:
    """Content that was read and is right. It replaces the content that it was compared with."""

    difference: Difference
    adopts: Mapping[str, Adopt]
    """By game."""
    numbers: Mapping[str, Numbers] = attrs.field(factory=dict)
    """By game: numbers by which clients know kinds. To be written down before `adopt`."""

    @property
    def content(self) -> Content:
        """All that data/ says, and what is kept of what it said before."""
        return self.difference.content

    def adopt(self, world: World, sessions: Iterable[Session]) -> Sequence[str]:
        """Take it over, in the world task; lines that say what came of it."""
        playing: dict[str, list[Session]] = {game: [] for game in self.adopts}
        for session in sessions:
            if session.phase is Phase.IN_WORLD and session.mobile is not None and session.family is not None:
                playing[session.family.name].append(session)
        # First the games' tables: what the world does next is drawn with them.
        for game, adopt in self.adopts.items():
            adopt(playing[game])
        done = renew(world, self.difference)
        found = self.difference
        parts = [
            f"{done.came} came",
            f"{done.left} left",
            f"{done.moved} moved",
            f"{done.anew} do something else",
            f"{len(found.items)} kinds of items differ",
            f"realms laid out anew: {', '.join(sorted(found.charts)) or 'none'}",
        ]
        return ["the content was read again", "; ".join(parts)]


def read(
    data_dir: Path, old: Content, families: Mapping[str, Family], numbers: Mapping[str, Numbers]
) -> Renewed:
    """Read data/ anew and compare it with what is in use; kinds keep their `numbers`. Raises ContentError
    with everything that is wrong, and with all that a running server cannot take over. Changes nothing."""
    new = load(data_dir)
    problems = list(obstacles(old, new))
    if problems:
        raise ContentError(problems)
    difference = prepare(old, attrs.evolve(new, numbers=numbers))
    fresh, problems = make_families(difference.content, {name: GAMES[name] for name in families})
    if problems:
        raise ContentError(problems)
    adopts: dict[str, Adopt] = {}
    for name, family in families.items():
        if family.renew is not None:
            adopts[name] = family.renew(fresh[name].view)
    return Renewed(difference, adopts, {**numbers, **numbers_of(fresh)})
