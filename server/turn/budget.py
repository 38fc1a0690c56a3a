"""A turn's budget: how much of what came in it takes.

The theory. What one does is told to all who see it, so in a crowd the work of a turn grows with the square of
the crowd. A turn that always took everything would feed on itself: the longer it takes, the more has come in
when it ends, and the next one takes longer still. (2,000 on one square made turns of 7 to 18 seconds.) So a
turn has an allowance. It is counted in *work*, inputs times viewers, because that is known while inputs are
taken and seconds only when everything is told and sent. What a unit of work costs nobody knows beforehand: it
depends on the machine, on the games, on how many of the viewers are shown it. So the allowance is not
calculated but found, as TCP finds its window: a turn that took too long makes it smaller at once, towards
what would have fitted; short turns let it grow again.

What does not fit waits where it is, in its client's inbox, and is taken in fair order (`server.turn.line`).

To leave out what is cheap to repeat (steps, say) was not done: nothing that a player did is lost. Nor was a
share of time for each client: a stopwatch would decide what happens in which turn, also in virtual time.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.session import Session

FULL: Final = 50_000.0
"""Work that a turn may take in before it is known what that costs here. To tell one viewer of one step takes
2 to 4 us on one slow core (docs/performance.md), so it is 0.1 to 0.2 s; 2,000 who are out of one another's
sight need a tenth of it for all their inputs."""

LEAST: Final = 1_000.0
"""The allowance is never smaller: that much takes 2 to 4 ms, so that to take less in would not make a turn
short, and everybody would wait for what has other reasons."""

MOST: Final = 100 * FULL
"""Nor greater, however short the turns are that used all of it."""

AIM: Final = 0.7
"""Part of the time that is aimed at after a turn that took too long, so that not every other one does."""

SHRINK: Final = 4.0
"""The allowance becomes no smaller than by this factor at once: one turn in which the machine stood still
says little about the next."""

SHORT: Final = 0.5
"""Part of the time below which a turn was short..."""

GROWTH: Final = 1.5
"""...and the allowance grows by this factor: the next turn then takes three quarters of the time at most."""

FITS, GROWTH_THEN = 0.75, 1.1
"""Part of the time below which a turn fits well, and the factor by which the allowance grows then: what a
turn takes besides its inputs may be more than half of the time, and then no turn would ever be short."""

EASE: Final = 0.9
"""Factor by which an allowance above `FULL` that was not used up becomes smaller: another time the same work
may cost more."""

ALL_WAIT: Final = 0.8
"""Part of all clients above which nearly everybody waits: a crowd of all..."""

THIN: Final = 64.0
"""...or, of an input on average, the work up to which nobody is a crowd to the others..."""

STRETCHED: Final = 3.0
"""...and then turns may take up to so many times their time, because what is sent to each costs by the turn:
short ones would take in less than comes, and everybody would wait longer for the sake of nobody."""

LIGHT, LIGHT_TURNS = 1 / 64, 4
"""But not while those whose inputs cost little beside what the others wait with (`server.turn.line.LIGHTER`)
are more than this part, over about so many turns: they wait for a turn's length and for nothing else, and to
them the others are a crowd, few as they may be."""

STRETCHES, SHRINKS = 1.5, 0.95
"""Factors from one turn to the next."""

FOR_INPUTS: Final = 0.5
"""Part of the time after which no further input is taken, whatever is left of the allowance: there are some
that cost much and that nobody sees."""

MOST_SHARE: Final = 0.5
"""Part of what may wait that is done in a turn at most while there is too much to do."""


def viewers_of(session: Session, crowd: int | None = None) -> int:
    """About how many clients see what this one does: those whose sight reaches the sector where it is, but in
    a crowd no more than are shown of it, or than `crowd` in place of that."""
    mobile = session.mobile
    if mobile is None or mobile.realm is None:
        return 0
    viewers = len(mobile.realm.space.at(mobile.x, mobile.y).viewports)
    crowd = mobile.world.crowd if crowd is None else crowd
    return min(viewers, crowd) if crowd else viewers


def cost_of(session: Session) -> int:
    """The work that an input of this client may cause: its own, and one for each viewer."""
    return 1 + viewers_of(session)


@attrs.define
class Budget:
    """Allowance of the next turn, adjusted by what the last ones took. With a stopwatch that stands still
    the allowance never shrinks."""

    allowance: float = FULL
    light: float = 0.0
    """Part of those who sent whose inputs cost little beside those of the others, of late."""
    stretch: float = 1.0
    """Times the set time that a turn may take now."""
    overloaded: bool = False
    """Whether the last turn took too long, or turns are held below what they would take in."""

    @property
    def share(self) -> float:
        """Part, 0 to 1, of what may wait that the next turn is to do."""
        return min(MOST_SHARE, self.allowance / FULL) if self.overloaded else 1.0

    def note(
        self,
        seconds: float,
        limit: float,
        work: int,
        *,
        waiting: float,
        costing: float = math.inf,
        lighter: float = 0.0,
    ) -> None:
        """Note what a turn took.

        Args:
            seconds: for inputs, views and sending together.
            limit: the seconds that these should not exceed.
            work: what it took in.
            waiting: the part of all clients of which it left something for the next turn.
            costing: the work of one input on average, of those that it took and those that it left.
            lighter: the part of those who sent whose inputs cost little beside what the others wait with.
        """
        allowance, left = self.allowance, waiting > 0
        strained = left or seconds > limit * self.stretch
        self.light += (lighter - self.light) / LIGHT_TURNS
        if self.light > LIGHT:
            self.stretch = max(1.0, self.stretch / STRETCHES)
        elif waiting > ALL_WAIT or (strained and costing <= THIN):
            self.stretch = min(STRETCHED, self.stretch * STRETCHES)
        else:
            self.stretch = max(1.0, self.stretch * SHRINKS)
        limit *= self.stretch
        if seconds > limit:
            fitting = work * AIM * limit / seconds
            allowance = max(LEAST, allowance / SHRINK, min(allowance, fitting))
        elif left and seconds <= FITS * limit:
            allowance = min(MOST, allowance * (GROWTH if seconds <= SHORT * limit else GROWTH_THEN))
        elif seconds <= SHORT * limit:
            allowance = min(FULL, allowance * GROWTH) if allowance < FULL else max(FULL, allowance * EASE)
        self.allowance = allowance
        self.overloaded = seconds > limit or allowance < FULL or (left and seconds > SHORT * limit)


def fits(sessions: Iterable[Session], allowance: float, clients: int) -> bool:
    """Whether all that these sent may be taken in at once. `clients`: how many there are in all."""
    if sum(len(session.inbox) for session in sessions) * (1 + clients) <= allowance:
        return True  # nobody has more viewers than there are clients: it is rarely looked at closer
    return sum(len(session.inbox) * cost_of(session) for session in sessions) <= allowance
