"""A connection without a network: two ends, a settable window, no clock of its own.

Trio's memory streams never make a short write. This one takes exactly as much as its window allows, so that
short writes, full buffers and clients that stop reading are ordinary tests under virtual time.
"""

from __future__ import annotations

import trio

WINDOW = 1 << 20


class Direction:
    """Bytes on their way from one end to the other."""

    def __init__(self, window: int) -> None:
        self.buffer = bytearray()
        self.window = window
        self.closed = False
        self._changed = trio.Event()

    def changed(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def wait(self) -> None:
        await self._changed.wait()


class End:
    """One end. The server's is a `server.net.transport.Transport`; the client's has the two async calls
    below."""

    def __init__(self, incoming: Direction, outgoing: Direction, peer: str, local: str) -> None:
        self._in = incoming
        self._out = outgoing
        self.peer = peer
        self.local = local
        self.closed = False

    def recv_nowait_into(self, buffer: bytearray) -> int | None:
        if not self._in.buffer:
            return 0 if self._in.closed else None
        size = min(len(buffer), len(self._in.buffer))
        buffer[:size] = self._in.buffer[:size]
        del self._in.buffer[:size]
        self._in.changed()
        return size

    def send_nowait(self, data: bytes | memoryview) -> int:
        if self._out.closed or self.closed:
            raise BrokenPipeError("the other end is closed")
        room = max(0, self._out.window - len(self._out.buffer))
        taken = bytes(data[:room])
        self._out.buffer += taken
        if taken:
            self._out.changed()
        return len(taken)

    async def wait_readable(self) -> None:
        await trio.lowlevel.checkpoint()
        while not self._in.buffer and not self._in.closed:
            if self.closed:
                raise trio.ClosedResourceError
            await self._in.wait()

    async def wait_writable(self) -> None:
        await trio.lowlevel.checkpoint()
        while len(self._out.buffer) >= self._out.window and not self._out.closed:
            if self.closed:
                raise trio.ClosedResourceError
            await self._out.wait()

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self._out.closed = True
            self._in.closed = True
            self._in.changed()
            self._out.changed()

    # The client's side

    async def send_all(self, data: bytes) -> None:
        """Send, waiting for room."""
        while data:
            sent = self.send_nowait(data)
            data = data[sent:]
            if data:
                await self.wait_writable()

    async def receive_some(self) -> bytes:
        """What has arrived; b"" at the end."""
        await self.wait_readable()
        data = bytes(self._in.buffer)
        if data:
            self._in.buffer.clear()
            self._in.changed()
        return data

    @property
    def waiting(self) -> int:
        """Bytes that have arrived here and were not received yet."""
        return len(self._in.buffer)

    @property
    def window(self) -> int:
        """How many bytes the other end may have under way to this one."""
        return self._in.window

    @window.setter
    def window(self, size: int) -> None:
        self._in.window = size
        self._in.changed()


def pipe(*, peer: str = "127.0.0.1", local: str = "127.0.0.1:2593", window: int = WINDOW) -> tuple[End, End]:
    """(client's end, server's end)."""
    up, down = Direction(WINDOW), Direction(window)
    return End(down, up, local, peer), End(up, down, peer, local)
