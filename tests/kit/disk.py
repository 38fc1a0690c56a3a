"""A disk that misbehaves on request, for virtual time."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import trio

from server.store.errors import DatabaseGivenUp
from server.store.runner import InlineRunner

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Disk(InlineRunner):
    """An inline runner whose writes and reads take `seconds` and `reading_seconds` each, and fail with
    `trouble` and `reading_trouble` while there is any. What `hangs` ("read", "write") does not end, not even
    if whoever asks is cancelled: like a thread that waits for a database server."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.reading_seconds = 0.0
        self.trouble: Exception | None = None
        self.reading_trouble: Exception | None = None
        self.hangs: set[str] = set()
        self._given_up = {"read": trio.Event(), "write": trio.Event()}

    @property
    def broken(self) -> bool:
        """Whether every write fails."""
        return self.trouble is not None

    @broken.setter
    def broken(self, broken: bool) -> None:
        self.trouble = OSError("the disk says no") if broken else None

    async def write(self, call: Callable[[], T]) -> T:
        """See server.store.runner.Runner."""
        await self._hang("write")
        if self.seconds:
            await trio.sleep(self.seconds)
        if self.trouble is not None:
            raise self.trouble
        return await super().write(call)

    async def read(self, call: Callable[[], T]) -> T:
        """See server.store.runner.Runner."""
        await self._hang("read")
        if self.reading_seconds:
            await trio.sleep(self.reading_seconds)
        if self.reading_trouble is not None:
            raise self.reading_trouble
        return await super().read(call)

    def give_up(self, *, writes: bool) -> None:
        """See server.store.runner.Runner."""
        self._given_up["read"].set()
        if writes:
            self._given_up["write"].set()

    async def _hang(self, what: str) -> None:
        given_up = self._given_up[what]
        if what in self.hangs:
            with trio.CancelScope(shield=True):
                await given_up.wait()
        if given_up.is_set():
            await trio.lowlevel.checkpoint()
            raise DatabaseGivenUp("the database is given up")
