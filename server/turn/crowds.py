"""Crowds: of more mobiles in sight than a client is to be shown, those that are near.

Where everybody sees everybody, all that happens costs by the square of the crowd, and clients are shown more
figures than they can draw. So a session is shown `World.crowd` others at most, and a quarter more of those
that have to be seen at once: who speaks to it or strikes it. Where more viewports than that
reach one place, what a mobile does there is told to those who know it and to nobody else is looked for
(`world.audience.in_sight`). Who could know it looks around by itself, once in `SECONDS`: takes in whoever is
near while there is room, and lets go of the far for the near.

Near is what stands in a nearer ring of sectors: to sort thousands at each step would cost more than all the
rest. What was not chosen: to show everybody and move the far ones seldom. A client would then believe in
places where nobody stands, and two thousand would have to be told of four million entries.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import attrs

from world.knowledge import mobiles_near
from world.mobile import Mobile
from world.space import SECTOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from protocol.session import Session
    from world.mobile import Viewport
    from world.world import World

SECONDS: Final = 1.0
"""After which each session in a crowd looks around again."""

SLOWEST: Final = 0.25
"""Part of that rate at which they do at least."""

PAUSE: Final = 0.1
"""Seconds between two turns in which some of them do."""

SWAPPED: Final = 16
"""Others at most who make room for nearer ones at a time: who stands between two crowds would flicker."""

EVERYBODY: Final = 1 << 30
"""More others than there are."""

APART: Final = 2
"""Rings of sectors that somebody stands farther off who makes room for somebody near."""

MORE: Final = 1.25
"""Times its room, a session is shown others that have to be seen at once."""


class Crowds:
    """Knows who has to look around again, and when."""

    def __init__(self) -> None:
        self.full: set[int] = set()
        """Sessions that were not shown somebody for want of room."""
        self._last = 0.0
        self._order: list[int] = []
        """Sessions that still have their turn in this round, the last one first."""
        self._share = 0.0
        self._waits = False

    def due(self) -> float | None:
        """World time at which some are to look around again; None if nobody is in a crowd."""
        return self._last + PAUSE if self._waits or self.full else None

    def looking(self, world: World, sessions: Mapping[int, Session], share: float = 1.0) -> Iterator[Session]:
        """Sessions that look around again in this turn: as many of all as of a round's time has passed. While
        there is too much to do, only a `share` of what may wait is to be done, and rounds take longer."""
        now, last = world.now, self._last
        if not sessions or (not self.full and len(sessions) <= world.crowd):
            self.full.clear()
            self._waits = False
            return
        if now - last < PAUSE:
            return
        self._last = now
        self._share = min(1.0, self._share + max(SLOWEST, share) * (now - last) / SECONDS)
        count = int(self._share * len(sessions))
        self._share -= count / len(sessions)
        if not self._order:
            self._order = sorted(sessions, reverse=True)
            self.full &= sessions.keys()
            self._waits = False
        for number in [self._order.pop() for _ in range(min(count, len(self._order)))]:
            session = sessions.get(number)
            if session is None or session.viewport is None or session.loading or session.blind:
                self.full.discard(number)
            elif number in self.full or _is_in_crowd(session.viewport, world.crowd):
                self._waits = True
                yield session
        self._waits |= bool(self._order)


def _is_in_crowd(viewport: Viewport, crowd: int) -> bool:
    realm = viewport.mobile.realm
    return realm is not None and crowd > 0 and realm.space.touches_crowd(viewport, crowd)


@attrs.frozen
class Choice:
    """Mobiles that a session in a crowd is shown from now on, and those that it is shown no more. `more`:
    whether it lacks room for others."""

    coming: Sequence[Mobile]
    going: Sequence[Mobile]
    more: bool


def choose(session: Session, viewport: Viewport, crowd: int) -> Choice:
    """Take in who is near and is not known, while there is room, and for the far ones beyond that."""
    company = session.known.company
    excess, room = company - crowd, max(0, crowd - company)
    unknown = _unknown(session, viewport)
    coming = [*islice(unknown, room)]
    # On one spot nobody is far from anybody: that is found out before anything is compared.
    far = _far(session, viewport)
    if not far and excess <= 0:
        return Choice(coming, (), more=len(coming) == room and next(unknown, None) is not None)
    nearer = [*islice(unknown, SWAPPED)]
    if not nearer and excess <= 0:
        return Choice(coming, (), more=False)
    going = _leaving(session, viewport, far, nearer, excess)
    left = crowd - (company + len(coming) - len(going))
    return Choice([*coming, *nearer[: max(0, left)]], going, more=True)


def _far(session: Session, viewport: Viewport) -> list[Mobile]:
    """Mobiles that a session was shown and that stand `APART` rings of sectors away, or farther."""
    known, realm = session.known, viewport.mobile.realm
    if realm is None:
        return []
    return [
        thing
        for ring in islice(realm.space.rings(viewport), APART, None)
        for sector in ring
        for serial, thing in sector.things.items()
        if serial in known and isinstance(thing, Mobile)
    ]


def _leaving(
    session: Session, viewport: Viewport, far: Sequence[Mobile], nearer: Sequence[Mobile], excess: int
) -> Sequence[Mobile]:
    """Mobiles that make room: those of `far` that stand `APART` rings and more beyond `nearer`, and others if
    there are too many. Whoever fights its player stays."""
    own = viewport.mobile
    column, row = own.x // SECTOR, own.y // SECTOR

    def ring_of(one: Mobile) -> int:
        return max(abs(one.x // SECTOR - column), abs(one.y // SECTOR - row))

    beyond = min((ring_of(one) for one in nearer), default=99) + APART
    making = (one for one in far if ring_of(one) >= beyond and not _fight(own, one))
    leaving = {one.serial: one for one in islice(making, max(len(nearer), excess))}
    if len(leaving) < excess:
        others = (
            one
            for one in session.known.values()
            if isinstance(one, Mobile) and one.serial not in leaving and not _fight(own, one)
        )
        leaving |= {one.serial: one for one in islice(others, excess - len(leaving))}
    return [*leaving.values()]


def _fight(one: Mobile, other: Mobile) -> bool:
    return _strikes(one, other) or _strikes(other, one)


def _strikes(one: Mobile, other: Mobile) -> bool:
    return one.target == other.serial or (one.fighter is not None and one.fighter.enemy == other.serial)


def _unknown(session: Session, viewport: Viewport) -> Iterator[Mobile]:
    """Mobiles in sight that it does not know, the near before the far."""
    known = session.known
    return (one for one in mobiles_near(viewport) if one.serial not in known and viewport.sees(one))
