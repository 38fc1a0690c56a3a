"""Real ports of a running server, for the players and actors that otherwise play in memory."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Mapping

CONNECT_SECONDS = 5.0
"""A listening socket of the same machine answers at once."""


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


class Ports:
    """A running server's doors: (host, port) by game and door. Implements `tests.kit.players.Host`."""

    def __init__(self, nursery: trio.Nursery, addresses: Mapping[tuple[str, str], tuple[str, int]]) -> None:
        self.nursery = nursery
        self.addresses = dict(addresses)
        self._lines: list[SocketLine] = []

    def connect(self, game: str, door: str = "game", *, peer: str = "127.0.0.1") -> SocketLine:
        """A new connection; whose `peer` it is the system decides."""
        line = SocketLine(*self.addresses[game, door])
        self._lines.append(line)
        return line

    def hang_up(self) -> None:
        """Close every connection that was made."""
        for line in self._lines:
            line.close()
        self._lines.clear()
