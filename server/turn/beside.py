"""Long work in a thread beside the world's, which is to notice nothing of it.

The interpreter is shared equally by all threads that want it: while another one reads for a second, turns
take twice as long. So whoever works here looks at every call of a function whether the world's thread is
idle, and stands still until it is. The world's thread then waits for one call in C at most.

Not chosen: a smaller switch interval alone, with which each of the two has its half as before, only in more
pieces; and another process, which leaves the parent to unpickle about as long as it would have read.
"""

from __future__ import annotations

import sys
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

PATIENCE: Final = 0.02
"""Seconds for which work stands still until it takes a slice between two turns although the world's thread is
busy: one that always is must not stop it for ever."""

SLICE: Final = 0.005
"""Seconds of such a slice: the world's thread loses a fifth of its time at most. A turn that begins
ends it."""

LONGEST: Final = 1.0
"""Seconds after which work takes a slice of a turn, too: for so long there was no moment between two."""

SWITCH: Final = 0.001
"""Seconds after which the thread that works lets the world's thread on, which has something to do again; 5 ms
otherwise."""


class Beside(Protocol):
    """Does long work."""

    async def run(self, call: Callable[[], T]) -> T:
        """The result of a call, behind which no login waits. Whatever it raises is raised."""


class Idleness(trio.abc.Instrument):
    """Knows whether Trio's thread waits for something to happen, for threads beside it."""

    def __init__(self) -> None:
        self.idle = threading.Event()

    def before_io_wait(self, timeout: float) -> None:
        """Trio asks for what has happened, and waits if nothing is to be run."""
        if timeout > 0:
            self.idle.set()

    def after_io_wait(self, timeout: float) -> None:
        """Something has happened, or it is time for something."""
        self.idle.clear()

    def give_way(self, call: Callable[[], T], at_rest: threading.Event) -> T:
        """The result of a call in this thread, which stands still while Trio's is busy, and all the more
        during a turn, when the world is not `at_rest`."""
        idle, clock, free_until, insists = self.idle, time.perf_counter, 0.0, False

        def look(*_: object) -> None:
            nonlocal free_until, insists
            if idle.is_set() or (clock() < free_until and (insists or at_rest.is_set())):
                return
            begun, insists = clock(), False
            while not idle.wait(PATIENCE):
                insists = clock() - begun > LONGEST
                # Who waits for its end hears of it some time after it, and it may be the next one's time.
                if insists or (at_rest.wait(PATIENCE) and at_rest.is_set()):
                    free_until = clock() + SLICE
                    break

        before = sys.getprofile()
        sys.setprofile(look)
        try:
            return call()
        finally:
            sys.setprofile(before)


class WorkThread:
    """A thread for one piece of work at a time, which gives way to Trio's. It is none of those in which
    passwords are checked."""

    def __init__(self, at_rest: threading.Event | None = None) -> None:
        """`at_rest`: set while the world takes no turn; if it is left out, that is always."""
        self._limiter = trio.CapacityLimiter(1)
        self._at_rest = at_rest or threading.Event()
        if at_rest is None:
            self._at_rest.set()

    async def run(self, call: Callable[[], T]) -> T:
        """See Beside. Whoever is cancelled does not wait for the end of the work: it must change nothing."""
        async with self._limiter:
            idleness, interval = Idleness(), sys.getswitchinterval()
            trio.lowlevel.add_instrument(idleness)
            sys.setswitchinterval(SWITCH)
            try:
                work = partial(idleness.give_way, call, self._at_rest)
                return await trio.to_thread.run_sync(work, abandon_on_cancel=True)
            finally:
                sys.setswitchinterval(interval)
                trio.lowlevel.remove_instrument(idleness)
                idleness.idle.set()
