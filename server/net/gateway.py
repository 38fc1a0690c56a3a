"""Listening: which game answers on which address, and who is let in.

One accept loop per door. A connection is counted and limited before anything else of it is looked at; a burst
is accepted at once, as many as wait. Running out of file descriptors costs newcomers a moment, nobody else
anything.

Whoever is let in becomes a session and a connection here, and is taken apart here, whatever ended it:
both are entered and removed in one function, so that no list can keep somebody who has gone. Addresses
are limited before a session is made, since that is what a crowd of strangers costs. What waits too long
is found by one sweep a second over all; a timer for each client would be moved by each of its packets.
"""

from __future__ import annotations

import errno
import itertools
import logging
import socket
from collections import Counter
from typing import TYPE_CHECKING, cast

import attrs
import trio

from protocol.endings import Ending
from protocol.family import Transport as Kind
from protocol.session import NO_LINK, Phase
from protocol.wire.args import CodecArgs, Role
from server.clock import stood_still
from server.net.datagram_connection import DatagramConnection
from server.net.datagrams import DatagramSocket, SocketWire
from server.net.deadlines import Deadlines
from server.net.intake import Intake
from server.net.listening import number_of
from server.net.stream_connection import StreamConnection
from server.net.transport import SocketTransport

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.family import Codec, Door, Family
    from protocol.services import Services
    from protocol.session import Session
    from server.net.connection import Connection
    from server.net.connection_settings import ConnectionSettings
    from server.net.datagrams import Peer, Wire
    from server.net.listening import Listening
    from server.net.tracing import Tracing
    from server.net.transport import DatagramTransport, Transport
    from server.people.characters import CharacterService
    from server.people.limiter import Admission, ConnectionLimiter
    from server.turn.loop import Loop
    from world.world import World

log = logging.getLogger("net")

ACCEPTS_PER_WAKE = 64

PEER_QUEUE = 256
"""Datagrams of one peer that may wait, if the table does not say."""


class Gateway:
    """Accepts clients, runs their connections, ends those that wait too long."""

    def __init__(
        self,
        loop: Loop,
        services: Services,
        characters: CharacterService,
        limiter: ConnectionLimiter,
        settings: ConnectionSettings,
        *,
        ended: Callable[[Session], None],
        entropy: Callable[[int], bytes],
        tracing: Tracing | None = None,
        intake: type[Intake] = Intake,
    ) -> None:
        self.connections: dict[int, Connection] = {}
        self.deadlines = Deadlines(self._drain)
        self.sockets: dict[tuple[str, str], DatagramSocket] = {}
        """Of the doors of datagrams, by listener and door."""
        self.ports: dict[tuple[str, str], int] = {}
        """Of all doors, by listener and door."""
        self._ports_elsewhere: dict[int, Mapping[tuple[str, str], int]] = {}
        """Those of the edge where a client is, by the number of its session."""
        self._shed: Counter[str] = Counter()
        """What clients that have left lost because they were too slow."""
        self._one_less = trio.Event()
        self._closing = False
        self._stopped = 0.0
        """Seconds that the server has stood still, as far as it was heeded."""
        self._numbers = itertools.count(1)
        self._loop = loop
        self._services = services
        self._characters = characters
        self._limiter = limiter
        self._settings = settings
        self._ended = ended
        self._entropy = entropy
        self._tracing = tracing
        self._intake = intake

    async def accept(self, listening: Listening, clients: trio.Nursery) -> None:
        """Accept clients of one door for ever."""
        self.ports[listening.name, listening.door_name] = listening.port
        if listening.door.transport is Kind.DATAGRAM:
            await self.receive(
                SocketWire(listening.socket),
                listening.family,
                listening.door_name,
                clients,
                listening,
            )
            return
        sock = listening.socket
        while True:
            await trio.lowlevel.wait_readable(sock)
            for _ in range(ACCEPTS_PER_WAKE):
                try:
                    accepted, _ = sock.accept()
                except BlockingIOError:
                    break
                except OSError as error:
                    if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                        log.error(
                            "cannot accept: %s; is the limit of open files high enough?", error.strerror
                        )
                        await trio.sleep(0.1)
                    break
                transport = self._admit(accepted)
                if transport is not None:
                    clients.start_soon(
                        self.serve, listening.family, listening.door_name, transport, listening
                    )

    async def receive(
        self,
        wire: Wire,
        family: Family,
        door_name: str,
        clients: trio.Nursery,
        listening: Listening | None = None,
    ) -> None:
        """Receive the datagrams of one door for ever. Raises ValueError if its game has no doorman for the
        door."""
        door = family.doors[door_name]
        settings = listening.settings if listening is not None else {}
        if door.doorman is None:
            raise ValueError(f"{family.name} has no doorman for its {door_name} door")

        def begin(peer: Peer, codec: Codec) -> bool:
            if not self._closing:
                clients.start_soon(self.serve, family, door_name, peer, listening, codec)
            return not self._closing

        sock = DatagramSocket(
            wire,
            door.doorman(CodecArgs(Role.SERVER, self._entropy, settings)),
            queue=number_of(settings, "peer_queue", PEER_QUEUE),
            begin=begin,
        )
        self.sockets[listening.name if listening is not None else family.name, door_name] = sock
        await sock.run()

    def _admit(self, accepted: socket.socket) -> SocketTransport | None:
        try:
            accepted.setblocking(False)
            if self._settings.network.nodelay:
                accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if hasattr(socket, "TCP_USER_TIMEOUT"):
                accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 30_000)
            return SocketTransport(accepted)
        except OSError:
            accepted.close()
            return None

    async def serve(
        self,
        family: Family,
        door_name: str,
        transport: Transport | DatagramTransport,
        listening: Listening | None = None,
        codec: Codec | None = None,
        *,
        forwarded: bool = False,
    ) -> None:
        """One client, from admission to its ending. `codec` is the one that a doorman made for it;
        `forwarded` says that it speaks through a proxy, so that its address is exempt from nothing."""
        if self._closing:
            transport.close()
            return
        now = trio.current_time()
        door = family.doors[door_name]
        table = listening.name if listening is not None else family.name
        strangers = forwarded or (listening is not None and listening.behind_proxy)
        number = self._admitted(family, transport, now, strangers, self.sockets.get((table, door_name)))
        if number is None:
            return
        if codec is None:
            codec = door.codec(
                CodecArgs(Role.SERVER, self._entropy, listening.settings if listening is not None else {})
            )
        session = self._session(number, family, door_name, door, transport, codec)
        session.listener = table
        session.forwarded = forwarded
        await self.run(self._connection(session, transport, door, now))

    async def serve_remote(
        self,
        family: Family,
        door_name: str,
        transport: Transport,
        codec: Codec,
        *,
        table: str,
        forwarded: bool,
        ports: Mapping[tuple[str, str], int],
        begun: Callable[[Session], None],
        kind: type[StreamConnection],
    ) -> tuple[Ending, str]:
        """One client whose socket another process has (`server.edge`), from admission to its ending; how and
        why it ended. `ports` are those of the doors there, `begun` gets its session, and `kind` is what it is
        served by. Whatever its door is, here it is a stream of frames."""
        now = trio.current_time()
        number = (
            None if self._closing else self._admitted(family, transport, now, forwarded, None, paced=True)
        )
        if number is None:
            return Ending.REFUSED, "not let in"
        door = attrs.evolve(family.doors[door_name], transport=Kind.STREAM)
        session = self._session(number, family, door_name, door, transport, codec)
        session.listener = table
        session.forwarded = forwarded
        self._ports_elsewhere[number] = ports
        begun(session)
        connection = self._connection(session, transport, door, now, kind)
        connection.heard = True  # the edge has heard it
        await self.run(connection)
        return connection.ending or Ending.SHUTDOWN, connection.detail

    def adopt(
        self,
        session: Session,
        transport: Transport,
        *,
        ports: Mapping[tuple[str, str], int],
        kind: type[StreamConnection],
    ) -> Connection:
        """A connection, to be `run`, for a session that began elsewhere and whose socket another process
        has."""
        door = attrs.evolve(session.family.doors[session.door], transport=Kind.STREAM, opened=None)
        self._ports_elsewhere[session.id] = ports
        connection = self._connection(session, transport, door, trio.current_time(), kind)
        connection.heard = True
        self.connections[session.id] = connection
        return connection

    def _admitted(
        self,
        family: Family,
        transport: Transport | DatagramTransport,
        now: float,
        strangers: bool,
        datagrams: DatagramSocket | None,
        *,
        paced: bool = False,
    ) -> int | None:
        """The number of a new client; None if it was refused, and closed."""
        number = next(self._numbers)
        self._heed_stops(now)
        admission = self._limiter.admit(number, transport.peer, now, exempt=not strangers, paced=paced)
        if admission.refusal:
            self._refuse(family, transport, admission, datagrams)
            return None
        if admission.drop in self.connections:
            self.connections[admission.drop].end(Ending.TIMED_OUT, "too many wait to log in")
        return number

    def _session(
        self,
        number: int,
        family: Family,
        door_name: str,
        door: Door,
        transport: Transport | DatagramTransport,
        codec: Codec,
    ) -> Session:
        return door.session(
            number=number,
            family=family,
            door=door_name,
            peer=transport.peer,
            local=transport.local,
            codec=codec,
            services=self._services,
        )

    async def run(self, connection: Connection) -> None:
        """Serve a connection until it ends, and take it apart."""
        session, number = connection.session, connection.session.id
        self.connections[number] = connection
        self._loop.sessions[number] = session
        try:
            await connection.run()
        except Exception:
            # Whatever is wrong with one connection is no business of the others.
            log.exception("the connection of %r failed", session)
        finally:
            del self.connections[number]
            self._ports_elsewhere.pop(number, None)
            self._shed += _of_game(connection)
            self._loop.counts.left(connection)
            self._one_less.set()
            self._limiter.closed(number)
            self._ended(session)
            _take_apart(session)

    def _refuse(
        self,
        family: Family,
        transport: Transport | DatagramTransport,
        admission: Admission,
        datagrams: DatagramSocket | None,
    ) -> None:
        """Close what is not let in, and count it."""
        logging.getLogger(f"net.{family.name}").info("%s refused: %s", transport.peer, admission.refusal)
        self._loop.counts.refused[family.name, admission.limit] += 1
        if datagrams is not None:
            datagrams.counters.refused += 1
        transport.close()

    def _connection(
        self,
        session: Session,
        transport: Transport | DatagramTransport,
        door: Door,
        now: float,
        kind: type[StreamConnection] = StreamConnection,
    ) -> Connection:
        def departed(ending: Ending) -> None:
            self._loop.depart(lambda world: self._departs(world, session, ending))

        if door.transport is Kind.DATAGRAM:
            return DatagramConnection(
                session,
                cast("DatagramTransport", transport),
                door,
                loop=self._loop,
                settings=self._settings,
                departed=departed,
                now=now,
                deadlines=self.deadlines,
                tracing=self._tracing,
                intake=self._intake,
            )
        connection = kind(
            session,
            cast("Transport", transport),
            door,
            loop=self._loop,
            settings=self._settings,
            departed=departed,
            now=now,
            tracing=self._tracing,
            intake=self._intake,
        )
        connection.heard = door.transport is Kind.MESSAGE  # a browser has asked for its WebSocket
        return connection

    def _departs(self, world: World, session: Session, ending: Ending) -> None:
        """End of the turn in which a client ended, or of the next: it is no part of the world any more."""
        self._loop.sessions.pop(session.id, None)
        session.known.clear()
        self._characters.left(world, session, ending)

    def ports_of(self, session: Session) -> Mapping[tuple[str, str], int]:
        """The ports of all doors by which this client could come, by listener and door."""
        return self._ports_elsewhere.get(session.id, self.ports)

    @property
    def shed(self) -> Counter[str]:
        """Messages that clients lost because they were too slow, since the server began, by game and what it
        calls them."""
        lossy = (connection for connection in self.connections.values() if connection.shed)
        return sum(map(_of_game, lossy), self._shed)

    def close(self) -> None:
        """Let nobody in any more."""
        self._closing = True

    def _heed_stops(self, now: float) -> None:
        """If the server stood still, say so once, and hold it against nobody who comes now."""
        seconds = stood_still() - self._stopped
        if seconds > 0:
            self._stopped += seconds
            self._limiter.stood_still(seconds, now)
            log.warning("the server stood still for %.1f s: that time is held against nobody", seconds)

    def _drain(self) -> None:
        """All datagrams that have come are taken."""
        for sock in self.sockets.values():
            sock.drain()

    def next_number(self) -> int:
        """A number for a session that begins otherwise than at a door: it comes from another world."""
        return next(self._numbers)

    async def emptied(self) -> None:
        """Until no client is connected any more."""
        while self.connections:
            self._one_less = trio.Event()
            await self._one_less.wait()

    async def sweep(self) -> None:
        """Once a second: end connections that have waited too long. After the server stood still a second
        later, when what came meanwhile has been read."""
        self._stopped = stopped = stood_still()
        while True:
            await trio.sleep(1)
            now = trio.current_time()
            self._heed_stops(now)
            before, stopped = stopped, stood_still()
            if stopped > before:
                continue
            for number, connection in list(self.connections.items()):
                connection.check(now)
                if connection.session.phase >= Phase.MENU:
                    self._limiter.authenticated(number)


def _of_game(connection: Connection) -> Counter[str]:
    game = connection.session.family.name
    return Counter({f"{game} {name}": number for name, number in connection.shed.items()})


def _take_apart(session: Session) -> None:
    """Session and connection know each other; undone by hand, they need no garbage collection."""
    session.link = NO_LINK
    session.inbox.clear()
    session.outbox.clear()
    session.postponed.clear()
