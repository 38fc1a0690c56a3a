"""Crowds: of more mobiles in sight than a client is to be shown, those that are near.

Where everybody sees everybody, all that happens costs by the square of the crowd, and clients are shown more
figures than they can draw. So a session is shown `World.crowd` others at most, and a quarter more of those
that have to be seen at once: who speaks to it, asks it something, trades with it or strikes it, and who is of
its player's party or guild. Where more viewports than that reach one place, what a mobile does there is told
to those who know it and to nobody else is looked for (`world.audience.in_sight`). Who could know it looks
around by itself, once in `SECONDS`: takes in whoever is near while there is room, and lets go of the far for
the near.

Near is what stands in a nearer ring of sectors: to sort thousands at each step would cost more than all the
rest. What was not chosen: to show everybody and move the far ones seldom. A client would then believe in
places where nobody stands, and two thousand would have to be told of four million entries.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Final

import attrs

from server.turn.budget import viewers_of
from world.audience import Relation, relation
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

MOST_IDLE: Final = 3
"""Rounds that a session leaves out at most, which stands still, is shown as many as it may be, and found
nobody to change for another: twice as many each time."""

SLOWEST: Final = 0.25
"""Part of that rate at which they do at least."""

PAUSE: Final = 0.1
"""Seconds between two turns in which some of them do."""

SWAPPED: Final = 4
"""Others at most who make room for nearer ones at a time: who stands between two crowds would flicker."""

MOST_CHANGES: Final = 4_000
"""Others whom all who look around in one turn are shown, or are shown no more; then the rest waits. To tell
one client of one of them takes some 3 us, so that it fills no turn."""

WINDOW: Final = 0.5
"""Seconds after which it is asked how busy turns kept the world."""
BUSY: Final = 0.75
"""Part of that time above which clients are shown fewer others, if inputs wait. The rest of a core reads."""
CALM: Final = 0.45
"""Part of it below which they are shown more: what is shown costs by the number, so that a fifth more does
not make it busy again..."""
CALM_WINDOWS: Final = 8
"""...after so many of these, so that nobody flickers."""
FEWER: Final = 0.6
"""Factor by which the limit becomes smaller after one such stretch of time..."""
MORE_AGAIN: Final = 1.2
"""...and greater after so many calm ones."""
FEWEST: Final = 0.2
"""Part of the limit that is left to everybody, however busy the world is."""

TOGETHER: Final = 320
"""Clients that may stand together until each of them is shown fewer others than the limit: at 250 they are
told of 80,000 steps if each takes one, half a second's work of one slow core (docs/performance.md)."""
FEW_MORE: Final = 0.85
"""Factor by which that has to change the limit before it does."""

EVERYBODY: Final = 1 << 30
"""More others than there are."""

APART: Final = 2
"""Rings of sectors that somebody stands farther off who makes room for somebody near."""

COMPANIONS: Final = 20
"""Others of its player's party and guild that a session in a crowd is shown before all others..."""
ROLL: Final = 200
"""...of so many members, so that nobody looks for a thousand each second."""

COMPANY: Final = (Relation.PARTY, Relation.GUILD)
"""Those who stay when others have to make room."""

MORE: Final = 1.25
"""Times its room, a session is shown others that have to be seen at once."""


class Room:
    """Part of the limit of sight that there is now: less the more clients stand in crowds, and less again
    while turns take all the time that there is. To show each one fewer others is the one way to less work
    that costs nobody an answer. It is done before they move, as far as it can be known then: to take away
    what was shown costs as much as to tell of a step, and all at once."""

    def __init__(self) -> None:
        self.share = 1.0
        self.most = 1.0
        """The part that is shown while turns have time, by how many there are to be told."""
        self._since = 0.0
        self._busy = 0.0
        self._turns = self._short = self._calm = 0

    def of(self, crowd: int) -> int:
        """Others whom a client is shown, of a configured limit; any number if that is 0."""
        return max(1, int(crowd * min(self.share, self.most))) if crowd else 0

    def expect(self, together: float) -> None:
        """Expect that so many stand together: clients, each counted by the part of the limit that it sees."""
        most = max(FEWEST, min(1.0, TOGETHER / max(1.0, together)))
        # A client more or less is no reason for everybody to look around.
        if most < self.most * FEW_MORE or most * FEW_MORE > self.most or most == 1.0:
            self.most = most

    def note(self, now: float, seconds: float, *, left: bool, crowded: bool) -> None:
        """Note that a turn took so long, whether it left inputs to the next, and whether somebody is shown
        fewer others than there are."""
        self._busy += seconds
        self._turns += 1
        self._short += left
        passed = now - self._since
        if passed < WINDOW:
            return
        busy, short = self._busy / passed, 2 * self._short > self._turns
        self._calm = self._calm + 1 if busy < CALM and not short else 0
        if busy > BUSY and short and crowded:
            self.share = max(FEWEST, min(self.share, self.most) * FEWER)
        elif self._calm >= CALM_WINDOWS:
            self.share, self._calm = min(1.0, self.share * MORE_AGAIN), 0
        self._since, self._busy, self._turns, self._short = now, 0.0, 0, 0


class Crowds:
    """Knows who has to look around again, and when."""

    def __init__(self) -> None:
        self.room = Room()
        self.full: set[int] = set()
        """Sessions that were not shown somebody for want of room."""
        self.idle: dict[int, tuple[int, int]] = {}
        """Rounds that a session still leaves out, and how many it left out, of those that found nobody."""
        self._last = 0.0
        self._order: list[int] = []
        """Sessions that still have their turn in this round, the last one first."""
        self._share = 0.0
        self._waits = False

    def due(self) -> float | None:
        """World time at which some are to look around again; None if nobody is in a crowd."""
        return self._last + PAUSE if self._waits or self.full else None

    def looking(
        self, world: World, sessions: Mapping[int, Session], crowd: int, share: float = 1.0
    ) -> Iterator[Session]:
        """Sessions that look around again in this turn: as many of all as of a round's time has passed. While
        there is too much to do, only a `share` of what may wait is to be done, and rounds take longer.
        `crowd`: the limit that is configured."""
        now, last = world.now, self._last
        if not sessions or (not self.full and len(sessions) <= world.crowd):
            self.full.clear()
            self._waits = False
            self.room.expect(0)
            return
        if now - last < PAUSE:
            return
        self._last = now
        # A turn that took long is no reason for the next one to take longer.
        passed = min(now - last, 2 * PAUSE)
        self._share = min(1.0, self._share + max(SLOWEST, share) * passed / SECONDS)
        count = int(self._share * len(sessions))
        self._share -= count / len(sessions)
        if not self._order:
            self._order = sorted(sessions, reverse=True)
            told = sum(viewers_of(session, crowd) for session in sessions.values()) if crowd else 0
            self.room.expect(told / max(1, crowd))
            self.full &= sessions.keys()
            self.idle = {key: rounds for key, rounds in self.idle.items() if key in sessions}
            self._waits = False
        for number in [self._order.pop() for _ in range(min(count, len(self._order)))]:
            session = sessions.get(number)
            if session is None or session.viewport is None or session.loading or session.blind:
                self.full.discard(number)
            elif number in self.full or _is_in_crowd(session.viewport, world.crowd):
                self._waits = True
                if session.known.company != world.crowd or self._is_rested(number):
                    yield session
        self._waits |= bool(self._order)

    def postpone(self, sessions: Sequence[Session]) -> None:
        """Let those look around in a later turn who were to do so in this one."""
        self._order += [session.id for session in reversed(sessions)]
        self._waits = True

    def _is_rested(self, number: int) -> bool:
        left, _ = self.idle.get(number, (0, 0))
        if left:
            self.idle[number] = left - 1, self.idle[number][1]
        return not left

    def found(self, session: Session, choice: Choice) -> None:
        """Note what a session found that looked around."""
        if choice.coming or choice.going:
            self.idle.pop(session.id, None)
        else:
            rounds = min(MOST_IDLE, 2 * self.idle.get(session.id, (0, 0))[1] or 1)
            self.idle[session.id] = rounds, rounds
        if choice.more:
            self.full.add(session.id)
        else:
            self.full.discard(session.id)


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
    company, close = session.known.company, companions(session, viewport)
    excess = company + len(close) - crowd
    room = max(0, -excess)
    unknown = (
        (one for one in _unknown(session, viewport) if one not in close)
        if close
        else _unknown(session, viewport)
    )
    near = [*islice(unknown, room)]
    coming = [*close, *near]
    # On one spot nobody is far from anybody: that is found out before anything is compared.
    far = [*islice(_far(session, viewport), max(2 * SWAPPED, excess))]
    if not far and excess <= 0:
        return Choice(coming, (), more=len(near) == room and next(unknown, None) is not None)
    nearer = [*islice(unknown, SWAPPED)]
    if not nearer and excess <= 0:
        return Choice(coming, (), more=False)
    going = _leaving(session, viewport, far, nearer, excess)
    left = crowd - (company + len(coming) - len(going))
    return Choice([*coming, *nearer[: max(0, left)]], going, more=True)


def companions(session: Session, viewport: Viewport) -> Sequence[Mobile]:
    """Those of its player's party and guild that a session could see and was not shown, the party first."""
    own, known = viewport.mobile, session.known
    party = () if own.party is None else own.party.members
    guild = () if own.guild is None else own.guild.members
    mobiles = own.world.mobiles
    found = (mobiles.get(serial) for serial in islice(chain(party, guild), ROLL) if serial not in known)
    return list(
        dict.fromkeys(islice((one for one in found if one is not None and viewport.sees(one)), COMPANIONS))
    )


def trades(own: Mobile, other: Mobile) -> bool:
    """Whether two trade with each other: a client needs to know whose window it shows."""
    return own.trade is not None and own.trade is other.trade


def _far(session: Session, viewport: Viewport) -> Iterator[Mobile]:
    """Mobiles that a session was shown and that stand `APART` rings of sectors away or farther, those of the
    farthest first."""
    known, realm = session.known, viewport.mobile.realm
    if realm is None:
        return
    for ring in reversed(realm.space.rings(viewport)[APART:]):
        for sector in ring:
            for serial, thing in sector.things.items():
                if serial in known and isinstance(thing, Mobile):
                    yield thing


def _leaving(
    session: Session, viewport: Viewport, far: Sequence[Mobile], nearer: Sequence[Mobile], excess: int
) -> Sequence[Mobile]:
    """Mobiles that make room: those of `far` that stand `APART` rings and more beyond `nearer`, and others if
    there are too many. Whoever fights its player stays, and with whom it trades."""
    own = viewport.mobile
    column, row = own.x // SECTOR, own.y // SECTOR

    def ring_of(one: Mobile) -> int:
        return max(abs(one.x // SECTOR - column), abs(one.y // SECTOR - row))

    beyond = min((ring_of(one) for one in nearer), default=99) + APART
    serial, enemy = own.serial, None if own.fighter is None else own.fighter.enemy

    def may_go(one: Mobile) -> bool:
        return (
            one.target != serial
            and (one.fighter is None or one.fighter.enemy != serial)
            and one.serial not in (own.target, enemy)
            and not trades(own, one)
            and relation(own, one) not in COMPANY
        )

    making = (one for one in far if ring_of(one) >= beyond and may_go(one))
    leaving = {one.serial: one for one in islice(making, max(len(nearer), excess))}
    if len(leaving) < excess:
        known = session.known.values()
        others = (one for one in known if isinstance(one, Mobile) and one.serial not in leaving)
        staying = filter(may_go, others)
        leaving |= {one.serial: one for one in islice(staying, excess - len(leaving))}
    return [*leaving.values()]


def _unknown(session: Session, viewport: Viewport) -> Iterator[Mobile]:
    """Mobiles in sight that it does not know, the near before the far."""
    known = session.known
    return (one for one in mobiles_near(viewport) if one.serial not in known and viewport.sees(one))
