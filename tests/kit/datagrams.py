"""A network without sockets for games of datagrams: it loses, doubles, delays and mixes up by a seed.

    network = Network("127.0.0.1:9100", faults=Faults(loss=0.1), seed=7)    # the server's wire
    end = network.client(("192.0.2.7", 40_000))                             # somebody's socket
    end.send(b"...")
    answer = await end.receive()

`datagram_pipe` is the same for one client and a connection without a door.
"""

from __future__ import annotations

import random
from collections import deque
from typing import TYPE_CHECKING

import attrs
import trio

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.family import Address
    from server.net.transport import Glance


@attrs.frozen
class Faults:
    """What happens to datagrams, each way: parts of 1, and seconds."""

    loss: float = 0.0
    doubled: float = 0.0
    delay: float = 0.0
    jitter: float = 0.0
    """Up to so much is added to each delay, so that datagrams overtake one another."""


class Way:
    """One direction."""

    def __init__(self, faults: Faults, seed: int, deliver: Callable[[bytes], None]) -> None:
        self.faults = faults
        self.carried = self.lost = 0
        self._chance = random.Random(seed)
        self._deliver = deliver

    def send(self, data: bytes) -> None:
        """Carry a datagram, or not."""
        faults, chance = self.faults, self._chance
        for _ in range(2 if chance.random() < faults.doubled else 1):
            if chance.random() < faults.loss:
                self.lost += 1
                continue
            self.carried += 1
            delay = faults.delay + faults.jitter * chance.random()
            if delay > 0:
                trio.lowlevel.spawn_system_task(self._later, data, delay)
            else:
                self._deliver(data)

    async def _later(self, data: bytes, delay: float) -> None:
        await trio.sleep(delay)
        self._deliver(data)


class Box:
    """Datagrams that have arrived."""

    def __init__(self) -> None:
        self.waiting: deque[bytes] = deque()
        self.closed = False
        self._arrived = trio.Event()

    def put(self, data: bytes) -> None:
        if not self.closed:
            self.waiting.append(data)
            self._arrived.set()

    def close(self) -> None:
        self.closed = True
        self.waiting.clear()
        self._arrived.set()

    async def wait(self) -> None:
        """Until there is one. Raises ClosedResourceError."""
        if self.waiting:
            await trio.lowlevel.checkpoint()
        while not self.waiting:
            if self.closed:
                raise trio.ClosedResourceError
            self._arrived = trio.Event()
            await self._arrived.wait()


class ClientEnd:
    """A client's socket."""

    def __init__(self, address: Address, up: Way, closing: Callable[[], None]) -> None:
        self.address = address
        self.way = up
        self._box = Box()
        self._closing = closing

    @property
    def peer(self) -> str:
        """The server's place is nobody's business here; the client's own host."""
        return self.address[0]

    def deliver(self, data: bytes) -> None:
        """A datagram from the server."""
        self._box.put(data)

    def send(self, data: bytes) -> None:
        """A datagram to the server."""
        if self._box.closed:
            raise trio.ClosedResourceError
        self.way.send(bytes(data))

    def receive_nowait(self) -> bytes | None:
        """What has arrived; None if nothing has."""
        return self._box.waiting.popleft() if self._box.waiting else None

    async def receive(self) -> bytes:
        """The next datagram. Raises ClosedResourceError after `close`."""
        await self._box.wait()
        return self._box.waiting.popleft()

    async def wait_readable(self) -> None:
        """Until something has arrived."""
        await self._box.wait()

    @property
    def closed(self) -> bool:
        """Whether it was closed here: a server never closes it."""
        return self._box.closed

    def close(self) -> None:
        """The client is gone; nobody is told."""
        if not self._box.closed:
            self._box.close()
            self._closing()


class Network:
    """All clients of one door. Implements `server.net.datagrams.Wire`."""

    def __init__(self, local: str = "127.0.0.1:9100", *, faults: Faults | None = None, seed: int = 1) -> None:
        self.faults = faults or Faults()
        self._local = local
        self._chance = random.Random(seed)
        self._clients: dict[Address, tuple[ClientEnd, Way]] = {}
        self._arrived: deque[tuple[bytes, Address]] = deque()
        self._event = trio.Event()
        self.to_nobody: list[tuple[bytes, Address]] = []
        """What the server sent to addresses where nobody is."""

    def client(self, address: Address, *, faults: Faults | None = None) -> ClientEnd:
        """A client's socket at an address."""
        wrong = faults or self.faults
        up = Way(wrong, self._chance.getrandbits(32), lambda data: self.put(data, address))
        end = ClientEnd(address, up, lambda: self._clients.pop(address, None) and None)
        self._clients[address] = end, Way(wrong, self._chance.getrandbits(32), end.deliver)
        return end

    def put(self, data: bytes, address: Address) -> None:
        """A datagram arrives that says it is from there, whoever sent it."""
        self._arrived.append((data, address))
        self._event.set()

    async def wait_readable(self) -> None:
        """See Wire."""
        await trio.lowlevel.checkpoint()
        while not self._arrived:
            self._event = trio.Event()
            await self._event.wait()

    def receive(self) -> tuple[bytes, Address] | None:
        """See Wire."""
        return self._arrived.popleft() if self._arrived else None

    def send(self, data: bytes, address: Address) -> int:
        """See Wire."""
        there = self._clients.get(address)
        if there is None:
            self.to_nobody.append((data, address))
        else:
            there[1].send(data)
        return len(data)

    def local(self, address: Address) -> str:
        """See Wire."""
        return self._local


class ServerEnd:
    """The server's end of `datagram_pipe`. Implements `server.net.transport.DatagramTransport`."""

    def __init__(self, peer: str, local: str) -> None:
        self.peer = peer
        self.local = local
        self.replaced = False
        self.glance: Glance | None = None
        self.box = Box()
        self.way: Way | None = None

    def receive_nowait(self) -> bytes | None:
        """See DatagramTransport."""
        return self.box.waiting.popleft() if self.box.waiting else None

    def send_nowait(self, data: bytes) -> int:
        """See DatagramTransport."""
        if self.way is not None and not self.box.closed:
            self.way.send(data)
        return len(data)

    async def wait_readable(self) -> None:
        """See DatagramTransport."""
        await self.box.wait()

    def close(self) -> None:
        """See DatagramTransport."""
        self.box.close()


def datagram_pipe(
    *, faults: Faults | None = None, seed: int = 1, peer: str = "127.0.0.1", local: str = "127.0.0.1:9000"
) -> tuple[ClientEnd, ServerEnd]:
    """(client's end, server's end)."""
    wrong, chance = faults or Faults(), random.Random(seed)
    server = ServerEnd(peer, local)
    client = ClientEnd((peer, 40_000), Way(wrong, chance.getrandbits(32), server.box.put), lambda: None)
    server.way = Way(wrong, chance.getrandbits(32), client.deliver)
    return client, server
