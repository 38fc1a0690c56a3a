"""Whoever else sends datagrams to EverQuest II's doors: spoofers, eavesdroppers, clients that keep no rule.

    tap = Tap(town.network("eq2", "login"))      # sees all that comes and goes from now on
    rogue = Rogue(town.network("eq2", "login"), ("192.0.2.66", 40_000))
    await rogue.shakes_hands(town.nursery)       # a session like anybody's
    rogue.frame(b"\\0\\x0d\\0\\1...")            # and a frame that no client would send

A spoofer needs no class: `network.put(datagram, address)` is a datagram from wherever it says.
"""

from __future__ import annotations

import random
import socket
from typing import TYPE_CHECKING, Final

import trio

from protocol.endings import WireError
from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.combining import split
from protocol.eq2.stream.frames import (
    Checksum,
    Op,
    SessionDisconnect,
    SessionRequest,
    SessionResponse,
    StatRequest,
)
from protocol.wire.args import Role
from server.net.listening import Listening
from tests.kit.datagrams import Network
from tests.kit.eq2_line import DatagramLine
from tests.kit.town import PORTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.eq2.stream.receiving import Receiver
    from protocol.family import Address
    from server.net.connection import Connection
    from tests.kit.datagrams import ClientEnd
    from tests.kit.eq2_player import Eq2Player
    from tests.kit.town import Town

REQUEST: Final = SessionRequest(3, 0x11223344, 512)
"""Of a session, as anybody may send it."""

HANDSHAKE_SECONDS: Final = 1.0
"""Virtual time in which every handshake is done."""


def strangers(count: int, seed: int = 1) -> list[Address]:
    """So many different addresses somewhere in the world."""
    dice = random.Random(seed)
    found: dict[Address, None] = {}
    while len(found) < count:
        host = ".".join(str(dice.randint(1, 254)) for _ in range(4))
        if not host.startswith("127."):
            found[host, dice.randint(1024, 65_535)] = None
    return list(found)


def own_door(town: Town, door: str, **settings: object) -> Network:
    """One more socket that leads to a door of the town, with settings of its own."""
    network = Network(f"127.0.0.1:{PORTS['eq2', door]}", seed=99)
    family = town.families_there["eq2"]
    with socket.socket() as unused:
        listening = Listening("eq2_own", family, door, unused, settings)
    town.nursery.start_soon(town.doors.receive, network, family, door, town.nursery, listening)
    return network


def connection_at(town: Town, address: Address, door: str = "login", listener: str = "eq2") -> Connection:
    """The connection of whoever has a session at that address."""
    codec = town.doors.sockets[listener, door].peers[address].codec
    return next(c for c in town.doors.connections.values() if c.session.codec is codec)


def first_words(seed: int) -> bytes:
    """The datagram that proves that a session's answer was read, when it had this seed."""
    return Checksum(seed).sealed(StatRequest(1).encode())


class Tap:
    """Everything that comes and goes before a door: time, datagram, and the address it says."""

    def __init__(self, network: Network) -> None:
        self.came: list[tuple[float, bytes, Address]] = []
        self.went: list[tuple[float, bytes, Address]] = []
        put, send = network.put, network.send

        def tapped_put(data: bytes, address: Address) -> None:
            self.came.append((trio.current_time(), data, address))
            put(data, address)

        def tapped_send(data: bytes, address: Address) -> int:
            self.went.append((trio.current_time(), data, address))
            return send(data, address)

        network.put = tapped_put  # type: ignore[method-assign] # of this one
        network.send = tapped_send  # type: ignore[method-assign] # of this one

    def came_from(self, address: Address) -> list[bytes]:
        """The datagrams of one address, in their order."""
        return [data for _, data, source in self.came if source == address]

    def went_to(self, address: Address) -> list[bytes]:
        """What one address was sent, in its order."""
        return [data for _, data, target in self.went if target == address]

    @property
    def bytes_in(self) -> int:
        """Of everybody's datagrams."""
        return sum(len(data) for _, data, _ in self.came)

    @property
    def bytes_out(self) -> int:
        """Of everybody's datagrams."""
        return sum(len(data) for _, data, _ in self.went)


def frames_in(datagram: bytes, checksum: Checksum) -> Iterator[bytes]:
    """The frames of a datagram of that session; none if it is of another, or none of a session."""
    opened = checksum.opened(datagram)
    if opened is None:
        return
    if opened.startswith(bytes((0, Op.COMBINED))):
        yield from split(opened)[0]
    else:
        yield opened


def reasons(datagrams: list[bytes], seed: int) -> list[int]:
    """The reasons of all disconnects among the datagrams of a session."""
    checksum = Checksum(seed)
    found = []
    for datagram in datagrams:
        for frame in frames_in(datagram, checksum):
            disconnect = SessionDisconnect.decode(frame) if frame[:2] == b"\0\5" else None
            if disconnect is not None:
                found.append(disconnect.reason)
    return found


class Rogue:
    """A client without a game: its stream is anybody's, and then it says what no client says."""

    def __init__(
        self, network: Network, address: Address, stream: EqStream | None = None, *, seed: int = 66
    ) -> None:
        self.network = network
        self.address = address
        self.stream = stream or EqStream(Role.CLIENT, random.Random(seed).randbytes, StreamSettings())
        self.heard: list[bytes] = []
        """Every datagram it was sent."""
        self.scope = trio.CancelScope()
        """Of its own doing. Cancelled, it acknowledges and repeats nothing any more."""
        self._end: ClientEnd = network.client(address)

    @classmethod
    def instead_of(cls, player: Eq2Player) -> Rogue:
        """Whoever takes the place of a player at the player's own machine: address, keys and all."""
        line = player.end
        assert isinstance(line, DatagramLine)
        address: Address = line.end.address  # type: ignore[attr-defined] # in a town it has one
        network = player.town.network(player.game, player.door)  # type: ignore[attr-defined] # of a town
        player.vanishes()
        return cls(network, address, player.client.stream)

    async def shakes_hands(self, nursery: trio.Nursery) -> None:
        """Begin a session, exchange keys, and behave from now on."""
        self.stream.connect(trio.current_time())
        nursery.start_soon(self.behaves)
        await trio.sleep(HANDSHAKE_SECONDS)
        assert self.stream.keyed

    async def proves_itself(self) -> None:
        """Begin a session and read the answer, and then leave the server's question for a key unanswered."""
        now = trio.current_time()
        self.stream.connect(now)
        self.pushes()
        await trio.sleep(HANDSHAKE_SECONDS / 10)
        for datagram in self.receives():
            self.stream.receive(datagram, now)
        self.pushes()
        await trio.sleep(HANDSHAKE_SECONDS / 10)

    async def behaves(self) -> None:
        """Acknowledge, repeat and keep alive like any client, until the session ends."""
        with self.scope:
            while not self.stream.closed:
                now = trio.current_time()
                try:
                    while (datagram := self._end.receive_nowait()) is not None:
                        self.heard.append(datagram)
                        self.stream.receive(datagram, now)
                    while self.stream.next_message() is not None:
                        pass
                    deadline = self.stream.deadline()
                    if deadline is not None and deadline <= now:
                        self.stream.expire(now)
                except WireError:
                    return
                self.pushes()
                deadline = self.stream.deadline()
                with trio.move_on_at(trio.current_time() + 60 if deadline is None else deadline + 0.001):
                    await self._end.wait_readable()

    def stops(self) -> None:
        """Acknowledge, repeat and keep alive nothing from now on."""
        self.scope.cancel()

    def receives(self) -> list[bytes]:
        """What has come since it stopped; it only looks."""
        came = []
        while (datagram := self._end.receive_nowait()) is not None:
            came.append(datagram)
        self.heard += came
        return came

    def sends(self, datagram: bytes) -> None:
        """A datagram as it is."""
        self._end.send(datagram)

    def frame(self, frame: bytes) -> None:
        """A frame that is as valid as the session's checksum can make it."""
        self.sends(Checksum(self.stream.seed).sealed(frame))

    def payload(self, payload: bytes) -> None:
        """A reliable payload, neither encrypted nor escaped: numbered, cut in fragments, repeated."""
        self.stream._sender.push(payload)
        self.pushes()

    def says(self, *messages: bytes) -> None:
        """Messages (type id and body), encrypted as they ought to be."""
        self.stream.send_many(messages)
        self.pushes()

    def pushes(self) -> None:
        """Send what its stream has to send."""
        for datagram in self.stream.outgoing(trio.current_time()):
            self.sends(datagram)

    @property
    def next_number(self) -> int:
        """Of its next reliable frame."""
        return self.stream._sender._next_sequence & 0xFFFF

    @property
    def reasons(self) -> list[int]:
        """Why it was told that its session ended."""
        self.receives()
        return reasons(self.heard, self.stream.seed)


def receiver_of(connection: Connection) -> Receiver:
    """What the server keeps of payloads that are not whole."""
    stream: EqStream = connection.session.codec.stream  # type: ignore[attr-defined] # of a door of EQ2
    return stream._receiver


def answered_seed(datagram: bytes) -> int:
    """The seed in the answer to a request."""
    response = SessionResponse.decode(datagram)
    assert response is not None
    return response.seed
