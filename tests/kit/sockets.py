"""Real ports of a running server, for the players and actors that otherwise play in memory."""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING

import trio

from server.bots.websocket import Refused, WebSocketClient

if TYPE_CHECKING:
    from collections.abc import Mapping

CONNECT_SECONDS = 5.0
"""A listening socket of the same machine answers at once."""

LARGEST = 2048
"""Bytes of a datagram at most."""


class SocketLine:
    """A client's end of a TCP connection; implements `tests.kit.players.Line`."""

    def __init__(self, host: str, port: int) -> None:
        plain = socket.create_connection((host, port), CONNECT_SECONDS)
        plain.setblocking(False)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream = trio.SocketStream(trio.socket.from_stdlib_socket(plain))
        self._sending = trio.Lock()
        self.closed = False

    async def send_all(self, data: bytes) -> None:
        """Send, waiting for room; what several tasks send leaves in the order in which they asked."""
        async with self._sending:
            await self._stream.send_all(data)

    async def receive_some(self) -> bytes:
        """What has arrived; b"" at the end."""
        return bytes(await self._stream.receive_some(65536))

    def close(self) -> None:
        """Hang up."""
        if not self.closed:
            self.closed = True
            self._stream.socket.close()


class WebSocketLine(SocketLine):
    """A program's end of a WebSocket, over TCP, to which it says lines. Whoever receives also opens it, and
    what is sent waits for that."""

    def __init__(self, host: str, port: int, path: str) -> None:
        super().__init__(host, port)
        self._page = WebSocketClient(path)
        self._asked = False
        self._answered = trio.Event()
        """Whether it is open, or never will be."""

    async def send_all(self, data: bytes) -> None:
        """A text message."""
        await self._answered.wait()
        if not self._page.accepted or self._page.closed:
            raise trio.BrokenResourceError("there is no WebSocket")
        await super().send_all(self._page.text(data))

    async def receive_some(self) -> bytes:
        """What has arrived; b"" at the end."""
        try:
            if not self._asked:
                self._asked = True
                await super().send_all(self._page.opening())
            while not self._page.closed and (data := await super().receive_some()):
                text = self._page.receive(data)
                if self._page.accepted:
                    self._answered.set()
                if pongs := self._page.pongs():
                    await super().send_all(pongs)
                if text:
                    return text
        except Refused as refused:
            self._answered.set()
            raise trio.BrokenResourceError(str(refused)) from refused
        self._answered.set()
        return b""


WEBSOCKETS: Mapping[tuple[str, str], str] = {("web", "http"): "/play"}
"""Doors at which lines are said over a WebSocket, and its path there."""


class UdpEnd:
    """A client's socket for datagrams; implements `tests.kit.players.Datagrams`."""

    def __init__(self, host: str, port: int) -> None:
        plain = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
        plain.setblocking(False)
        plain.connect((host, port))
        self._socket = trio.socket.from_stdlib_socket(plain)
        self._plain = plain
        self.closed = False

    def send(self, datagram: bytes) -> None:
        """Send one, if there is room. Of one that is closed nothing goes anywhere."""
        if self.closed:
            return
        with contextlib.suppress(BlockingIOError, ConnectionRefusedError):
            self._plain.send(datagram)

    async def receive(self) -> bytes:
        """The next one. Where nobody listens (any more), the system says so: as good as silence."""
        while True:
            try:
                return await self._socket.recv(LARGEST)
            except ConnectionRefusedError:
                if self.closed:
                    raise trio.ClosedResourceError from None

    def close(self) -> None:
        """Send and receive no more."""
        if not self.closed:
            self.closed = True
            self._socket.close()


class Ports:
    """A running server's doors: (host, port) by game and door. Implements `tests.kit.players.Host`."""

    def __init__(self, nursery: trio.Nursery, addresses: Mapping[tuple[str, str], tuple[str, int]]) -> None:
        self.nursery = nursery
        self.addresses = dict(addresses)
        self._lines: list[SocketLine | UdpEnd] = []
        self._over = False

    def connect(self, game: str, door: str = "game", *, peer: str = "127.0.0.1") -> SocketLine:
        """A new connection; whose `peer` it is the system decides."""
        where, path = self.addresses[game, door], WEBSOCKETS.get((game, door))
        line = SocketLine(*where) if path is None else WebSocketLine(*where, path)
        self._made(line)
        return line

    def datagrams(self, game: str, door: str, *, peer: str = "127.0.0.1") -> UdpEnd:
        """A new socket; whose `peer` it is the system decides."""
        end = UdpEnd(*self.addresses[game, door])
        self._made(end)
        return end

    def _made(self, line: SocketLine | UdpEnd) -> None:
        self._lines.append(line)
        if self._over:
            line.close()

    def hang_up(self, *, again: bool = False) -> None:
        """Close every connection that was made, and every one that a client makes that has not noticed yet
        that it is over; unless they are to connect `again`."""
        self._over = not again
        for line in self._lines:
            line.close()
        self._lines.clear()
