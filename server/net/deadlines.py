"""Wakes the codecs of datagrams at the moments they ask for: retransmission, keep-alive, giving up.

One task for all peers. A task of its own for each, or a cancel scope around each of its reads, would cost
more than what it is for; and since nearly every packet moves a peer's deadline on, to follow every change
would, too. So a peer is noted once, for the earliest moment it ever asked for, and asked again when that has
come.

After the server stood still, what came meanwhile lies unread in the sockets, perhaps behind what a thousand
others sent. So all sockets are drained before anybody is given up: who is judged is judged by all that had
come.
"""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING, Final, Protocol

import trio

from server.clock import stood_still

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.family import Codec

GRAIN: Final = 0.01
"""Seconds between two rounds: a deadline is met late by no more than this."""

NEVER: Final = float("inf")


class Sleeper(Protocol):
    """Somebody with a codec that wants to be woken."""

    noted_for: float
    """The moment for which it is noted; `Deadlines` writes it. `NEVER` before it was noted."""

    @property
    def codec(self) -> Codec | None:
        """None when it ended."""

    def expired(self, now: float) -> None:
        """The codec's deadline has come."""


class Deadlines:
    """The task, and how to be noted."""

    def __init__(self, drain: Callable[[], None] = lambda: None) -> None:
        """`drain` has all sleepers take what lies in their sockets."""
        self._drain = drain
        self._heap: list[tuple[float, int, Sleeper]] = []
        self._numbers = itertools.count()
        self._earlier = trio.Event()

    def note(self, sleeper: Sleeper) -> None:
        """Look after this one's deadline, if it is earlier than the one for which it is noted."""
        codec = sleeper.codec
        at = codec.deadline() if codec is not None else None
        if at is None or at >= sleeper.noted_for:
            return
        sleeper.noted_for = at
        heapq.heappush(self._heap, (at, next(self._numbers), sleeper))
        if self._heap[0][2] is sleeper:
            self._earlier.set()

    async def run(self) -> None:
        """For ever."""
        stopped = stood_still()
        while True:
            self._earlier = trio.Event()
            with trio.move_on_at(self._heap[0][0] if self._heap else NEVER):
                await self._earlier.wait()
            now = trio.current_time()
            before, stopped = stopped, stood_still()
            if stopped > before:
                self._drain()
            if self._heap and self._heap[0][0] <= now:
                self._wake(now)
                await trio.sleep(GRAIN)

    def _wake(self, now: float) -> None:
        while self._heap and self._heap[0][0] <= now:
            at, _, sleeper = heapq.heappop(self._heap)
            if at != sleeper.noted_for:
                continue  # noted again since, for an earlier moment
            sleeper.noted_for = NEVER
            codec = sleeper.codec
            if codec is None:
                continue
            wanted = codec.deadline()
            if wanted is not None and wanted <= now:
                sleeper.expired(now)
                wanted = codec.deadline()
                if wanted is not None and wanted <= now:
                    wanted = now + GRAIN  # it asks for a moment that has passed: not at once again
            if wanted is not None and sleeper.noted_for == NEVER:
                sleeper.noted_for = wanted
                heapq.heappush(self._heap, (wanted, next(self._numbers), sleeper))
