"""A Valkey of the kit's, in memory and in virtual time: lines on which worlds hear one another, and which a
test cuts and mends."""

from __future__ import annotations

import math
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio

from server.cluster.bus import Cut

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence


class Exchange:
    """What all lines of it lead to."""

    def __init__(self) -> None:
        self.reachable = True
        self.silent = False
        """Whether it stands still: nothing is answered, and nothing breaks."""
        self.said: list[tuple[str, bytes]] = []
        """All that was published."""
        self.keys: dict[str, tuple[bytes, float]] = {}
        self.lines: set[_Line] = set()
        self._cut = trio.Event()

    def cut(self) -> None:
        """All lines break, and there are no new ones."""
        self.reachable = False
        self._cut.set()

    def mend(self) -> None:
        """It is there again, and knows nothing."""
        self.keys.clear()
        self.reachable, self._cut = True, trio.Event()

    def publish(self, channel: str, data: bytes) -> None:
        """Say something to all who hear a channel."""
        self.said.append((channel, data))
        for line in self.lines:
            if channel in line.channels:
                line.inbox.send_nowait(data)

    @asynccontextmanager
    async def open(self, channels: Sequence[str]) -> AsyncIterator[_Line]:
        """See `server.cluster.bus.Line`."""
        await trio.lowlevel.checkpoint()
        if not self.reachable:
            raise Cut("nobody is there")
        line = _Line(self, channels)
        self.lines.add(line)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_breaks, self._cut)
                yield line
                nursery.cancel_scope.cancel()
        finally:
            self.lines.discard(line)


async def _breaks(cut: trio.Event) -> None:
    await cut.wait()
    raise Cut("the line broke")


class _Line:
    """One end; see `server.cluster.bus.Connection`."""

    def __init__(self, exchange: Exchange, channels: Sequence[str]) -> None:
        self.channels = frozenset(channels)
        self.inbox, self._outlet = trio.open_memory_channel[bytes](math.inf)
        self._exchange = exchange

    async def _answered(self) -> None:
        if self._exchange.silent:
            await trio.sleep_forever()
        await trio.lowlevel.checkpoint()

    async def publish(self, channel: str, data: bytes) -> None:
        """See Connection."""
        await self._answered()
        self._exchange.publish(channel, data)

    async def put(self, key: str, data: bytes, seconds: int) -> None:
        """See Connection."""
        await self._answered()
        self._exchange.keys[key] = data, trio.current_time() + seconds

    async def get(self, key: str) -> bytes | None:
        """See Connection."""
        await self._answered()
        data, until = self._exchange.keys.get(key, (None, 0.0))
        return data if until > trio.current_time() else None

    async def heard(self) -> bytes:
        """See Connection."""
        return await self._outlet.receive()
