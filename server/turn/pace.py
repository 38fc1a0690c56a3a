"""The pace of turns.

An idle world takes its turn at once. A busy one gathers: from the beginning of one turn to that of the next
lie three times as long as turns take, so that a third of the time is theirs, but `network.gather_ms` at least
and 50 ms at most. So a burst becomes one turn, and a loaded server settles at twenty turns a second.

How long turns take is that of late and not that of the last one alone. Timers of many come at once, and a
turn that takes twice as long would be followed by a rest twice as long, in which twice as much comes in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.family import Transport
from protocol.session import NEVER_DONE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.session import Session

LONGEST: Final = 0.05
"""Seconds: the slowest pace."""

EACH: Final = 25e-6
"""Seconds from turn to turn for each client at least. Part of a turn is done for each of them, whatever it
does, and turns that come evenly answer about as soon as those that come as fast as they can, for less
(docs/performance.md, of 500 of Endless Online)."""

DATAGRAMS: Final = 3.5
"""Clients that one of a game of datagrams counts for: what it is told is a datagram of its own, with a number
and a checksum, which comes back as an acknowledgement; and its own steps it is answered by the wire
(docs/performance.md, of 200 of EverQuest II beside an edge)."""

PARTS: Final = 3
"""Of so many parts of the time a turn takes one."""

WEIGHT: Final = 0.1
"""Of the last turn, in what turns take of late. With more of it their distance swings between 15 and 50 ms,
and most inputs come in the long ones (docs/performance.md)."""


class Pace:
    """The pace of one world's turns. All times are seconds of the loop's clock."""

    def __init__(self, gather_ms: Callable[[], float]) -> None:
        self._gather_ms = gather_ms
        self.elsewhere = 0.0
        """Seconds for which other processes sent what the last turn said."""
        self._began = NEVER_DONE
        self._promised = NEVER_DONE
        """When the next turn is to begin, if others were told so."""
        self._before = self._of_late = 0.0
        """Seconds that turns took, without the last one and with it."""
        self._counted, self._clients = 0, 0.0
        """Sessions there were when they were weighed, and what they count for: they are weighed anew when
        there is another number of them, which is as exact as a pace has to be."""

    def begin(self, now: float) -> None:
        """A turn begins."""
        self._began, self._before = now, self._of_late

    def next_start(self, took: float, sessions: Mapping[int, Session]) -> float:
        """The time at which the next turn may begin; not before what was promised. `took`: seconds of the
        last turn."""
        self._of_late = self._before + WEIGHT * (took + self.elsewhere - self._before)
        if len(sessions) != self._counted:
            self._counted, self._clients = len(sessions), sum(map(_weight, sessions.values()))
        pace = max(PARTS * self._of_late, self._gather_ms() / 1000, EACH * self._clients)
        return max(self._began + min(pace, LONGEST), self._promised)

    def promise(self, took: float, sessions: Mapping[int, Session]) -> float:
        """The same, which holds from now on."""
        self._promised = self.next_start(took, sessions)
        return self._promised


def _weight(session: Session) -> float:
    door = session.family.doors.get(session.door)
    return DATAGRAMS if door is not None and door.transport is Transport.DATAGRAM else 1.0
