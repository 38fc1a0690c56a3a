"""A client's end of a datagram transport where a harness expects a line: it sends and receives bundles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from server.bots.bundle import bundle, unbundle

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.kit.players import Datagrams


class DatagramLine:
    """Implements `tests.kit.players.Line`; `sent` is called after anything was sent."""

    def __init__(self, end: Datagrams, sent: Callable[[], None]) -> None:
        self.end = end
        self.closed = False
        self._sent = sent
        self._reads = trio.Event()
        self._reads.set()

    async def send_all(self, data: bytes) -> None:
        """Each datagram of the bundle; there is always room."""
        for datagram in unbundle(data):
            self.send(datagram)
        self._sent()

    def send(self, datagram: bytes) -> None:
        """One datagram, now."""
        if not self.closed:
            self.end.send(datagram)

    async def receive_some(self) -> bytes:
        """The next datagram, as a bundle of one."""
        await self._reads.wait()
        return bundle([await self.end.receive()])

    def hold(self) -> None:
        """Read nothing more, but what is waited for already, until `go_on`."""
        self._reads = trio.Event()

    def go_on(self) -> None:
        """Read again."""
        self._reads.set()

    def close(self) -> None:
        """Vanish."""
        self.closed = True
        self.end.close()
