"""The middle of the server in memory: loop, fan-out and connections, without accounts and store; for toy
games."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import attrs
import trio

from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from server.net.datagram_connection import DatagramConnection
from server.net.deadlines import Deadlines
from server.net.stream_connection import StreamConnection
from server.settings.config import Limits, Network
from server.turn.loop import Loop
from tests.kit.datagrams import ClientEnd, ServerEnd
from tests.kit.pipe import End, pipe
from tests.kit.toys import Hello, toy_codec, toy_decode
from tests.kit.worlds import plain_world

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.endings import Ending
    from protocol.family import Family
    from protocol.session import Session
    from protocol.wire.declare import Packet
    from server.net.connection import Connection
    from world.world import World

T = TypeVar("T")


@attrs.define
class ConnectionSettings:
    """What a connection reads of the configuration."""

    network: Network = attrs.field(factory=Network)
    limits: Limits = attrs.field(factory=Limits)


class Reach:
    """What the toys' handlers need of a server: its loop."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self.hello_takes = 0.0

    @property
    def world(self) -> World:
        return self._loop.world

    async def in_world(self, session: Session | None, call: Callable[[World], T]) -> T:
        return await self._loop.in_world(session, call)


class ToyClient:
    """A client of a toy game over one end of a pipe; collects what it decodes."""

    def __init__(self, end: End | ClientEnd, family: Family) -> None:
        self.end = end
        self.codec = toy_codec(family)
        self.got: list[Packet] = []
        self.ended = False

    async def run(self) -> None:
        """Receive for ever."""
        while True:
            with trio.move_on_at(self.codec.deadline() or trio.current_time() + 0.05):
                await self.end.wait_readable()
            came = self._received()
            if came is not None:
                if not came:
                    self.ended = True
                    return
                self.codec.receive(came, trio.current_time())
            deadline = self.codec.deadline()
            if deadline is not None and trio.current_time() >= deadline:
                self.codec.expire(trio.current_time())
            while (frame := self.codec.next_frame()) is not None:
                self.got.append(toy_decode(frame))
            self.flush()

    def _received(self) -> bytes | None:
        """What has come; empty at the end of a stream, None if nothing has."""
        if isinstance(self.end, ClientEnd):
            return self.end.receive_nowait()
        buffer = bytearray(65536)
        size = self.end.recv_nowait_into(buffer)
        return None if size is None else bytes(buffer[:size])

    def say(self, *packets: Packet) -> None:
        """Send packets now, in one chunk."""
        for packet in packets:
            self.codec.send(Body(packet.encode()))
        self.flush()

    def flush(self) -> None:
        frames = self.codec.outgoing(trio.current_time())
        if isinstance(self.end, End):
            self.end.send_nowait(b"".join(frames))
        else:
            for frame in frames:
                self.end.send(frame)

    def of(self, kind: type[T]) -> list[T]:
        """What came of one kind."""
        return [packet for packet in self.got if isinstance(packet, kind)]


class Stage:
    """A running loop with toy clients."""

    def __init__(self, nursery: trio.Nursery, world: World | None = None, *, run: bool = True) -> None:
        self.settings = ConnectionSettings()
        self.world = world or plain_world()
        self.offers: list[float] = []
        self.loop = Loop(
            self.world,
            network=lambda: self.settings.network,
            joins_per_tick=lambda: 5,
            offer=lambda _, now: self.offers.append(now),
            offer_due=lambda _: None,
            stopwatch=lambda: 0.0,
        )
        self.services = Reach(self.loop)
        self.nursery = nursery
        self.deadlines = Deadlines()
        self.connections: list[Connection] = []
        if run:
            nursery.start_soon(self.loop.run)
            nursery.start_soon(self.deadlines.run)

    def connect(self, family: Family, transport: End | ServerEnd) -> Connection:
        """Serve one client over the server's end of a pipe."""
        door = family.doors["game"]
        number = len(self.connections) + 1
        session = door.session(
            number=number,
            family=family,
            door="game",
            peer=transport.peer,
            local=transport.local,
            codec=door.codec(CodecArgs(Role.SERVER, lambda n: bytes(n))),
            services=self.services,  # type: ignore[arg-type]
        )

        def departed(_: Ending) -> None:
            self.loop.depart(lambda world: self._gone(world, session))

        now = trio.current_time()
        connection: Connection
        if isinstance(transport, ServerEnd):
            connection = DatagramConnection(
                session,
                transport,
                door,
                loop=self.loop,
                settings=self.settings,
                departed=departed,
                now=now,
                deadlines=self.deadlines,
            )
        else:
            connection = StreamConnection(
                session, transport, door, loop=self.loop, settings=self.settings, departed=departed, now=now
            )
        self.connections.append(connection)
        self.loop.sessions[number] = session
        self.nursery.start_soon(connection.run)
        return connection

    def _gone(self, world: World, session: Session) -> None:
        self.loop.sessions.pop(session.id, None)
        if session.mobile is not None:
            world.leave(session.mobile)

    def client(self, family: Family, name: str = "", *, window: int = 1 << 20) -> ToyClient:
        """A stream client, greeted if it has a name."""
        ours, theirs = pipe(window=window)
        self.connect(family, theirs)
        client = ToyClient(ours, family)
        self.nursery.start_soon(client.run)
        if name:
            client.say(Hello(name.encode()))
        return client


async def settle(seconds: float = 1.0) -> None:
    """Let virtual time pass."""
    await trio.sleep(seconds)
