"""Runs SQL: in threads of its own in the server, in the calling task under a test's virtual time.

Under Trio's autojump clock virtual time runs while a thread is busy, so those tests take the inline runner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Runner(Protocol):
    """Runs synchronous calls on the database for async callers."""

    async def write(self, call: Callable[[], T]) -> T:
        """Run a call that uses the writing connection; one at a time."""
        ...

    async def read(self, call: Callable[[], T]) -> T:
        """Run a call that only reads; a few at a time."""
        ...


class ThreadRunner:
    """One thread at a time writes, up to `readers` read. With `shared` all share the writer's turn.

    A call that began always ends: cancelling its caller does not leave half a transaction behind.
    """

    def __init__(self, readers: int = 4, *, shared: bool = False) -> None:
        self._writing = trio.CapacityLimiter(1)
        self._reading = self._writing if shared else trio.CapacityLimiter(readers)

    async def write(self, call: Callable[[], T]) -> T:
        """Run it in the writer's thread."""
        return await trio.to_thread.run_sync(call, limiter=self._writing)

    async def read(self, call: Callable[[], T]) -> T:
        """Run it in a reader's thread."""
        return await trio.to_thread.run_sync(call, limiter=self._reading)


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
