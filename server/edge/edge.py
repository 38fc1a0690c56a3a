"""A process with `roles = ["edge"]`: sockets and codecs, and no world. Whoever connects plays in a world that
is in another process.

It shares the world's database as a login server does (`server.boot.login_server`), for its status and for
nothing else yet. Its clients are connections like all others, over sessions that know no game: what a frame
means is not its business.
"""

from __future__ import annotations

import logging
import time
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, Unpack, cast

import attrs
import trio

from protocol.endings import Ending
from protocol.services import AccountInfo
from protocol.session import Session
from server.boot.login_server import Lobby, LoginServer
from server.edge.intake import EdgeIntake
from server.edge.line import Line, LineLost, reason
from server.edge.twin import Again, Drawn
from server.edge.words import (
    FROM_WORLD,
    Control,
    Done,
    End,
    Frame,
    Gone,
    Heard,
    Hello,
    Learnt,
    Open,
    Sent,
    Stale,
    State,
    Taken,
)
from server.net.gateway import Gateway
from server.net.outbox import shed_by_class
from server.people.limiter import ConnectionLimiter

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping, Sequence

    from protocol.address import Address
    from protocol.family import Codec, Door, Family
    from protocol.services import Services
    from protocol.wire.args import CodecArgs
    from protocol.wire.body import Body
    from server.boot.parts import Options
    from server.edge.words import Value, Word, WorldWord
    from server.net.intake import Intake
    from server.net.listening import Listening, ServiceListening
    from server.settings.config import Settings
    from server.store.database import Database
    from server.store.runner import Runner
    from world.content import Content
    from world.world import World

log = logging.getLogger("edge")

AGAIN_SECONDS: Final = 0.5
"""Between two tries to reach a world."""

GATHERED, MOST_GATHERED = 0.1, 0.003
"""Part of the time between two turns, and seconds, for which what clients say is gathered: a world that has a
turn each 20 ms is not to be woken each millisecond."""


class EdgeSession(Session):
    """A client at an edge: its codec, its queue, and how far the world says it is."""

    __slots__ = ("again", "born", "learnt", "line", "told_heard")

    again: Again
    """What its codec draws from."""
    born: Sequence[bytes]
    """What that drew when it was made."""
    learnt: object
    """What the world was last told of the codec."""
    line: WorldLine | None
    told_heard: float

    def begin(self) -> None:
        """See Session."""
        self.line = None
        self.learnt = None
        self.told_heard = 0.0


class EdgeLoop(Lobby):
    """In place of the world's loop: there are no turns, and what connections tell it goes to a world."""

    intakes: dict[int, EdgeIntake]
    """Of all sessions."""

    def refresh(self, session: Session) -> None:
        """See Loop: the world has to tell it all anew."""
        line = cast("EdgeSession", session).line
        if line is not None:
            line.say(Stale(session.id))

    def hand(self, session: Session, frame: bytes) -> None:
        """A frame for the world. What its codec knows goes first."""
        session = cast("EdgeSession", session)
        line = session.line
        if line is None:
            return
        learnt = session.codec.learnt()
        if learnt != session.learnt:
            session.learnt = learnt
            line.say(Learnt(session.id, cast("list[Value]", learnt)))
        line.say(Frame(session.id, frame))
        session.told_heard = session.last_heard


class EdgeGateway(Gateway):
    """The doors of an edge."""

    gone: Callable[[EdgeSession, Ending], None]
    """Told of each client that is."""

    def _departs(self, world: World, session: Session, ending: Ending) -> None:
        super()._departs(world, session, ending)
        self.gone(cast("EdgeSession", session), ending)

    async def sweep(self) -> None:
        """As of any server; and tell the worlds who is silent but there."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(super().sweep)
            while True:
                await trio.sleep(1)
                for connection in list(self.connections.values()):
                    session = cast("EdgeSession", connection.session)
                    if session.line is not None and session.last_heard - session.told_heard > 1:
                        session.told_heard = session.last_heard
                        session.line.say(Heard(session.id))


class WorldLine:
    """The stream to one world, while there is one."""

    def __init__(self, edge: Edge, address: Address) -> None:
        self.address = address
        self.name = ""
        self._edge = edge
        self._line: Line[WorldWord] | None = None

    @property
    def open(self) -> bool:
        """Whether the world is reached."""
        return self._line is not None

    def say(self, word: Word) -> None:
        """Say something to the world, if it is there."""
        if self._line is not None:
            self._line.say(word)

    async def keep(self) -> None:
        """Reach the world, again and again."""
        told = False
        while True:
            try:
                stream = await trio.open_tcp_stream(self.address.host, self.address.port)
            except OSError as error:
                if not told:
                    log.warning("the world at %s is not reached: %s", self.address, error)
                told = True
                await trio.sleep(AGAIN_SECONDS)
                continue
            stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
            told = False
            await self.serve(stream)
            await trio.sleep(AGAIN_SECONDS)

    async def serve(self, stream: trio.abc.Stream) -> None:
        """Serve the stream until it is lost."""
        line = Line(stream, FROM_WORLD)
        edge = self._edge
        try:
            ports = [(table, door, port) for (table, door), port in edge.gateway.ports.items()]
            hello = await line.greet(edge.secret, edge.server_name, ports)
            self.name, self._line = hello.name, line
            log.info("the world %s at %s is reached", self.name, self.address)
            edge.reached.set()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(line.run)
                await self._hear(line)
        except* LineLost as group:
            log.error("the world at %s is lost: %s", self.address, reason(group))
        finally:
            self._line = None
            edge.lost(self)
            await line.close()

    async def _hear(self, line: Line[WorldWord]) -> None:
        now, clock = trio.current_time(), time.perf_counter
        while True:
            for bodies, words in await line.heard():
                now, before = trio.current_time(), now
                line.gather = min(GATHERED * (now - before), MOST_GATHERED)
                began = clock()
                self._take(bodies, words)
                line.say(Done(int(1e6 * (clock() - began))))

    def _take(self, bodies: Sequence[Body], words: Sequence[WorldWord]) -> None:
        """What the world says; then each of whom it spoke is sent what it is to be. Raises LineLost."""
        sessions: dict[int, Session] = self._edge.loop.sessions
        touched: dict[int, Session] = {}
        for word in words:
            if isinstance(word, Hello):
                raise LineLost("it says hello twice")
            session = sessions.get(word.client)
            if session is None:
                continue
            if isinstance(word, Sent):
                try:
                    session.outbox += [bodies[place] for place in word.places]
                except IndexError:
                    raise LineLost("it sends what it did not say") from None
                touched[word.client] = session
            else:
                self._about(cast("EdgeSession", session), word)
        for session in touched.values():
            session.link.flush()

    def _about(self, session: EdgeSession, word: Control | Taken | State | End) -> None:
        match word:
            case Taken():
                self._edge.took(session, word.frames)
            case State():
                session.phase, session.hang_up_means = word.phase, word.means
                session.account = AccountInfo(0, word.account) if word.account else None
            case Control():
                self._steer(session, word)
            case End():
                session.line = None  # it knows
                session.link.end(word.ending, word.detail)

    def _steer(self, session: EdgeSession, word: Control) -> None:
        codec = session.codec
        if word.method not in codec.controls:
            raise LineLost(f"{session.family.name} has no {word.method}")
        session.link.flush(force=True)
        session.again.like(word.drawn)
        try:
            getattr(codec, word.method)(*word.arguments)
        except (TypeError, ValueError) as error:
            raise LineLost(f"{word.method} of {session.family.name}: {error}") from error
        session.again.like(())
        session.learnt = codec.learnt()
        session.link.flush()


class Edge(LoginServer):
    """All parts of an edge."""

    def __init__(
        self,
        settings: Settings,
        content: Content,
        families: Mapping[str, Family],
        database: Database,
        runner: Runner,
        **options: Unpack[Options],
    ) -> None:
        """`database` is a guest's."""
        self.secret = settings.edge.secret
        self.lines = [WorldLine(self, address) for address in settings.edge.worlds]
        self.reached = trio.Event()
        """For whoever waits for a world: the next one that is reached."""
        self._born: dict[int, tuple[Again, Sequence[bytes]]] = {}
        """By the address of a codec that has no session yet."""
        doors = {name: self._family(family) for name, family in families.items()}
        super().__init__(settings, content, doors, database, runner, loop_kind=EdgeLoop, **options)
        self._loop.intakes = {}

    def _family(self, family: Family) -> Family:
        doors = {name: self._door(name, door, family) for name, door in family.doors.items()}
        return attrs.evolve(family, doors=doors)

    def _door(self, name: str, door: Door, family: Family) -> Door:
        def codec(args: CodecArgs) -> Codec:
            again = Again(args.entropy)
            drawn = Drawn(again)
            made = door.codec(attrs.evolve(args, entropy=drawn))
            self._born[id(made)] = again, drawn.taken()
            drawn.stop()
            return made

        return attrs.evolve(
            door,
            codec=codec,
            session=cast("type[Session]", self._session),
            opened=self._opened,
        )

    def _session(
        self,
        *,
        number: int,
        family: Family,
        door: str,
        peer: str,
        local: str,
        codec: Codec,
        services: Services,
    ) -> EdgeSession:
        session = EdgeSession(
            number=number, family=family, door=door, peer=peer, local=local, codec=codec, services=services
        )
        session.again, session.born = self._born.pop(id(session.codec), (Again(self.entropy), ()))
        return session

    async def _opened(self, session: Session) -> None:
        """A client has come: a world is to know it, and the client is heard when that listens."""
        session = cast("EdgeSession", session)
        while (line := self._line_of(session.peer)) is None:
            self.reached = trio.Event()
            await self.reached.wait()
        session.line = line
        session.learnt = session.codec.learnt()
        line.say(
            Open(
                session.id,
                session.family.name,
                session.door,
                session.listener,
                session.peer,
                session.local,
                session.forwarded,
                list(session.born),
                cast("list[Value]", session.learnt),
            )
        )
        await self._loop.intakes[session.id].opened()

    def _line_of(self, peer: str) -> WorldLine | None:
        """The world for clients of that address: the same at all edges, and for all doors of a game, as long
        as the same worlds are there (rendezvous hashing)."""
        reached = [line for line in self.lines if line.open]
        return max(reached, key=lambda line: _weight(peer, str(line.address)), default=None)

    @property
    def _loop(self) -> EdgeLoop:
        return cast("EdgeLoop", self.loop)

    def took(self, session: Session, frames: int) -> None:
        """A world has taken so many of a client's frames."""
        if (intake := self._loop.intakes.get(session.id)) is not None:
            intake.took(frames)

    def lost(self, line: WorldLine) -> None:
        """A world is gone, and with it whoever played there."""
        for session in list(self.loop.sessions.values()):
            if cast("EdgeSession", session).line is line:
                cast("EdgeSession", session).line = None
                session.link.end(Ending.SHUTDOWN, "its world is gone")

    def _make_gateway(self) -> Gateway:
        gateway = EdgeGateway(
            self.loop,
            self,
            self.characters,
            ConnectionLimiter(self.current.limits),
            self,
            ended=self._ended,
            entropy=self._entropy,
            tracing=self.tracing,
            intake=cast("type[Intake]", EdgeIntake),
        )
        gateway.gone = self._gone
        return gateway

    def _gone(self, session: EdgeSession, ending: Ending) -> None:
        if session.line is not None:
            session.line.say(Gone(session.id, ending, "at the edge"))
            session.line = None

    def _ended(self, session: Session) -> None:
        self._loop.intakes.pop(session.id, None)

    async def run(
        self,
        listening: Sequence[Listening] = (),
        *,
        services: Sequence[ServiceListening] = (),
        edges: socket.socket | None = None,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> int:
        """Serve until `stop`; the exit code."""
        for door in listening:
            self.gateway.ports[door.name, door.door_name] = door.port
        async with trio.open_nursery() as lines:
            lines.start_soon(self.gateway.deadlines.run)
            for line in self.lines:
                lines.start_soon(line.keep)
            code = await super().run(listening, services=services, task_status=task_status)
            lines.cancel_scope.cancel()
        return code

    def statistics(self) -> Sequence[str]:
        """Lines for `causeway status`: the worlds, and how many clients there are."""
        worlds = [
            f"the world at {line.address} " + (f"is {line.name}" if line.open else "is not reached")
            for line in self.lines
        ]
        shed = self.gateway.shed
        lost = [f"clients that were too slow lost {shed_by_class(shed)}"] if shed else []
        return [f"{len(self.gateway.connections)} clients", *worlds, *lost]


def _weight(peer: str, world: str) -> bytes:
    return blake2b(f"{peer} {world}".encode(), digest_size=8).digest()
