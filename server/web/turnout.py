"""The numbers that the page tells of a world, or of several together: how many are where.

It looks at every mobile, so it is counted at most once a second, however many ask. Staff that hides appears
nowhere, not even in a sum; names are those that the public map may show, which is decided in the world that
has them (`server.people.privacy`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import msgspec
import trio

from world import presence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from world.mobile import Mobile
    from world.world import World

COUNT_SECONDS: Final = 1.0
MOST_NAMES: Final = 500


class Population(NamedTuple):
    """Numbers of one realm."""

    characters: int
    """Played or lingering."""
    residents: int
    """Everybody else who moves."""


class Turnout(msgspec.Struct, array_like=True, frozen=True):
    """The numbers of a world, or of several."""

    online: dict[str, int] = {}
    """Characters that are played, by game; a game without any may be left out."""
    players: list[str] = []
    """Names, as far as anybody may know them and at most `MOST_NAMES`."""
    realms: dict[str, Population] = {}
    """All that there are there."""
    turns: float = 0.0
    """A second, lately."""
    open: bool = True
    """Whether anybody may log in."""


class Counting(Protocol):
    """Tells how many are where."""

    def latest(self) -> Turnout:
        """The numbers, at most a second old."""


class Counted:
    """Counts one world."""

    def __init__(
        self,
        world: World,
        is_public: Callable[[Mobile], bool],
        *,
        turns: Callable[[float], float],
        closed: Callable[[], str],
    ) -> None:
        """`turns` tells how many the world takes in a second at a time, `closed` why nobody may log in."""
        self._world = world
        self._is_public = is_public
        self._turns = turns
        self._closed = closed
        self._counted = Turnout()
        self._next = -float("inf")

    def latest(self) -> Turnout:
        """See Counting."""
        now = trio.current_time()
        if now >= self._next:
            self._next = now + COUNT_SECONDS
            self._counted = self._count(now)
        return self._counted

    def _count(self, now: float) -> Turnout:
        world = self._world
        people = [mobile for mobile in world.mobiles.values() if mobile.account]
        residents = Counter(mobile.realm for mobile in world.mobiles.values() if not mobile.account)
        seen = [mobile for mobile in people if not presence.sneaks(mobile)]
        characters = Counter(mobile.realm for mobile in seen)
        playing = [mobile for mobile in seen if mobile.online]
        names = sorted((mobile.name for mobile in playing if self._is_public(mobile)), key=str.casefold)
        return Turnout(
            dict(Counter(mobile.game for mobile in playing)),
            names[:MOST_NAMES],
            {name: Population(characters[realm], residents[realm]) for name, realm in world.realms.items()},
            self._turns(now),
            not self._closed(),
        )


def together(turnouts: Iterable[Turnout]) -> Turnout:
    """Those of several worlds as one. `turns` are those of the slowest."""
    found = list(turnouts)
    online: Counter[str] = Counter()
    for turnout in found:
        online.update(turnout.online)
    return Turnout(
        dict(online),
        sorted((name for turnout in found for name in turnout.players), key=str.casefold)[:MOST_NAMES],
        {name: there for turnout in found for name, there in turnout.realms.items()},
        min((turnout.turns for turnout in found), default=0.0),
        any(turnout.open for turnout in found),
    )
