"""The clock by which the server lives: it stands still while the server does.

The problem: a server can be stopped for seconds, by a signal, a suspended container, a virtual machine whose
host or disk is busy, or a turn that takes far too long. What its clients said meanwhile lies unread at the
sockets. Whatever is judged by time would be judged before that is read: EverQuest II players whose
acknowledgements are there would be given up, pings counted as unanswered, silent clients ended, a disk called
dead.

The idea: time in which nothing here could run has not passed. Trio asks one clock for all it does, so that
is done in one place for all transports, limits and timers at once: no deadline has to be shifted, a timer
that fell due runs once, and what is sent again waits as it waited before. That somebody stood still is seen
by Trio's own questions: before it sleeps it says until when, and when it asks again long after that, or
after a task ran for so long, the rest was a stop.

What was not done: to shift the deadlines of each connection, codec and timer when a stop is noticed. Each
of them would have to know of stops, and whichever was forgotten would end somebody.

Whoever keeps times for people, or walks by what clients did meanwhile, adds `stood_still`. A stop shorter
than `STILL_SECONDS` counts like any other time.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

STILL_SECONDS: Final = 1.0
"""Seconds by which the clock is asked later than it should have been before that is a stop. A turn over its
budget is no stop; the shortest limit by which anybody is judged is five times as long."""

BEGINNING: Final = 100_000.0
"""What is added to the system's clock, which may have begun a moment ago: a time of 0 lies far in the
past, as with Trio's own clock."""


class SteadyClock(trio.abc.Clock):
    """A clock for `trio.run` that passes over the server's stops."""

    def __init__(self, source: Callable[[], float] = perf_counter, beginning: float = BEGINNING) -> None:
        """`source` is seconds of a monotonic clock that always goes on."""
        self.stopped = 0.0
        """Seconds that the server has stood still so far."""
        self._source = source
        self._offset = beginning
        """What has to be added to the source: less with each stop."""
        self._expected = float("inf")
        """When it should be asked at the latest, by the source."""

    def start_clock(self) -> None:
        """See trio.abc.Clock."""

    def current_time(self) -> float:
        """See trio.abc.Clock."""
        reading = self._source()
        late = reading - self._expected
        self._expected = reading
        if late > STILL_SECONDS:
            self.stopped += late
            self._offset -= late
        return reading + self._offset

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """See trio.abc.Clock. Trio asks this when it is about to sleep until then, if nothing comes."""
        left = deadline - self.current_time()
        if left > 0:
            self._expected += left
        return left


def stood_still() -> float:
    """Seconds that the server has stood still since it began; 0 in a run with another clock."""
    clock = trio.lowlevel.current_clock()
    return clock.stopped if isinstance(clock, SteadyClock) else 0.0
