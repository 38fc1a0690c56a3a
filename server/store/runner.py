"""Runs SQL: in threads of its own in the server, in the calling task under a test's virtual time.

Under Trio's autojump clock virtual time runs while a thread is busy, so those tests take the inline runner.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

import trio

from server.store.errors import DatabaseGivenUp

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Runner(Protocol):
    """Runs synchronous calls on the database for async callers."""

    async def write(self, call: Callable[[], T]) -> T:
        """Run a call that uses the writing connection; one at a time. Raises DatabaseGivenUp."""
        ...

    async def read(self, call: Callable[[], T]) -> T:
        """Run a call that only reads; a few at a time. Raises DatabaseGivenUp."""
        ...

    def give_up(self, *, writes: bool) -> None:
        """Wait for no read any more, and with `writes` for no write: whoever waits for one, or asks for one
        later, is told so."""
        ...


class _Threads:
    """Runs so many calls at a time, each in a thread."""

    def __init__(self, most: int) -> None:
        self._turns = trio.CapacityLimiter(most)
        self._threads = trio.CapacityLimiter(math.inf)
        self._awaited: set[trio.CancelScope] = set()
        self._given_up = False

    @property
    def busy(self) -> bool:
        """Whether a thread is at it."""
        return self._threads.borrowed_tokens > 0

    async def run(self, call: Callable[[], T]) -> T:
        """Run it; a call that began is waited for, cancelled or not, until all are given up."""
        async with self._turns:
            if not self._given_up:
                with trio.CancelScope(shield=True) as awaited:
                    self._awaited.add(awaited)
                    try:
                        # Trio's threads are daemons: one that nobody waits for does not keep the process.
                        return await trio.to_thread.run_sync(
                            call, limiter=self._threads, abandon_on_cancel=True
                        )
                    finally:
                        self._awaited.discard(awaited)
            await trio.lowlevel.checkpoint_if_cancelled()
            raise DatabaseGivenUp("the database is given up")

    def give_up(self) -> None:
        """Wait for none any more."""
        self._given_up = True
        for awaited in self._awaited:
            awaited.cancel()


class ThreadRunner:
    """One thread at a time writes, up to `readers` read. With `shared` all share the writer's turn.

    A call that began always ends: cancelling its caller does not leave half a transaction behind. But a
    database server that says nothing may keep a thread for ever, which nothing can end: whoever waits for it
    can be let go (`give_up`) when the process is about to end.
    """

    def __init__(self, readers: int = 4, *, shared: bool = False) -> None:
        self._writing = _Threads(1)
        self._reading = self._writing if shared else _Threads(readers)

    @property
    def busy(self) -> bool:
        """Whether a thread is in the midst of a call, be it that nobody waits for it any more."""
        return self._writing.busy or self._reading.busy

    async def write(self, call: Callable[[], T]) -> T:
        """Run it in the writer's thread."""
        return await self._writing.run(call)

    async def read(self, call: Callable[[], T]) -> T:
        """Run it in a reader's thread."""
        return await self._reading.run(call)

    def give_up(self, *, writes: bool) -> None:
        """See Runner."""
        if self._reading is not self._writing:
            self._reading.give_up()
        if writes:
            self._writing.give_up()


class InlineRunner:
    """Runs every call at once in the calling task."""

    async def write(self, call: Callable[[], T]) -> T:
        """Run it here and now."""
        await trio.lowlevel.checkpoint()
        return call()

    async def read(self, call: Callable[[], T]) -> T:
        """Run it here and now."""
        await trio.lowlevel.checkpoint()
        return call()

    def give_up(self, *, writes: bool) -> None:
        """Nobody ever waits."""
