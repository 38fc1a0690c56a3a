"""A process with `roles = ["edge"]`: sockets and codecs, and no world. Whoever connects plays in a world that
is in another process.

It shares the world's database as a login server does (`server.boot.login_server`), for its status and to find
the worlds there. Its clients are connections like all others, over sessions that know no game: what a frame
means is not its business.
"""

from __future__ import annotations

import logging
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, Unpack, cast

import attrs
import trio

from protocol.address import Address
from protocol.endings import Ending
from protocol.family import Transport
from server.boot.fronts import open_front
from server.boot.login_server import LoginServer
from server.edge.clients import EdgeGateway, EdgeLoop, EdgeSession
from server.edge.farmap import FarMap
from server.edge.intake import EdgeIntake
from server.edge.orphans import Orphans
from server.edge.twin import Again, Drawn
from server.edge.words import Changed, Gone, Moved, Open, Vouch
from server.edge.worlds import WorldLine
from server.net.outbox import shed_by_class
from server.people.account_store import info_of
from server.people.limiter import ConnectionLimiter
from server.store.database import Database

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping, Sequence

    from protocol.family import Codec, Door, Family
    from protocol.services import Services
    from protocol.session import Session
    from protocol.wire.args import CodecArgs
    from server.boot.options import Options
    from server.edge.words import Value
    from server.net.connection import Connection
    from server.net.gateway import Gateway
    from server.net.intake import Intake
    from server.net.listening import Listening, ServiceListening
    from server.settings.config import Settings
    from server.store.runner import Runner
    from server.web.front import Front
    from world.content import Content


log = logging.getLogger("edge")

LOOK_SECONDS: Final = 1.0
"""From one look for the worlds of the database to the next."""

HASTE_SECONDS: Final = 0.05
"""The same while clients wait for a world that is gone."""

MOST_BORN: Final = 1024
"""Codecs that have no session yet, and of which is known what they drew."""


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
        self.orphans = Orphans(self)
        self._born: dict[int, tuple[Again, Sequence[bytes]]] = {}
        """By the address of a codec that has no session yet."""
        doors = {name: self._family(family) for name, family in families.items()}
        super().__init__(settings, content, doors, database, runner, loop_kind=EdgeLoop, **options)
        self.clients.intakes = {}
        self.map = FarMap(
            lambda: self.lines,
            lambda: self.content.charts,
            stalled_seconds=self.current.stalled_seconds,
        )
        self.live, self.turnout, self.relay = self.map, self.map, None
        self._fronts: list[Front] = []
        self.tickets.revoked.append(self._changed)

    def _family(self, family: Family) -> Family:
        doors = {name: self._door(name, door, family) for name, door in family.doors.items()}
        return attrs.evolve(family, doors=doors)

    def _door(self, name: str, door: Door, family: Family) -> Door:
        def codec(args: CodecArgs) -> Codec:
            again = Again(args.entropy)
            drawn = Drawn(again)
            made = door.codec(attrs.evolve(args, entropy=drawn))
            if len(self._born) >= MOST_BORN:  # of those who proved themselves and were not let in
                del self._born[next(iter(self._born))]
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
            if self.reached.is_set():
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
        await self.clients.intakes[session.id].opened()

    def _line_of(self, peer: str) -> WorldLine | None:
        """The world for clients of that address: the same at all edges, and for all doors of a game, as long
        as the same worlds are there (rendezvous hashing)."""
        reached = [line for line in self.lines if line.open and line.realms]
        return max(reached, key=lambda line: _weight(peer, str(line.address)), default=None)

    # For the page (server.web.host.Host)

    @property
    def worlds(self) -> Sequence[WorldLine]:
        """Those that it reaches, or tries to."""
        return self.lines

    @property
    def closed(self) -> str:
        """Why nobody may log in now; empty if they may."""
        return super().closed or ("" if any(line.open for line in self.lines) else "no world is reached")

    async def vouch(self, session: Session, key: bytes) -> None:
        """Have the world where that client is going to play take its ticket, unless its account was banned or
        has got another password meanwhile: that may have been anywhere."""
        account, line = session.account, self._line_of(session.peer)
        if account is None or line is None:
            return
        try:
            row = await self.storage.read(lambda database: database.account_by_id(account.id))
        except Exception as error:
            log.warning("a browser has to log in again, since nobody says whether it may: %s", error)
            return
        if row is None or (row.banned_until is not None and row.banned_until > self._wall()):
            return
        now = info_of(row)
        if now.mark == account.mark:
            game, peer = session.family.name, session.peer
            line.say(Vouch(game, peer, key, now.id, now.name, now.access, now.mark))

    def _changed(self, account_id: int) -> None:
        for line in self.lines:
            line.say(Changed(account_id))

    @property
    def clients(self) -> EdgeLoop:
        """Everybody who is connected."""
        return cast("EdgeLoop", self.loop)

    @property
    def ports(self) -> Mapping[tuple[str, str], int]:
        """The port of each door, by table and door."""
        return self.gateway.ports

    def reaches(self) -> None:
        """A world is reached: whoever waits for one may go on."""
        self.reached.set()
        self.orphans.reached()

    def world_of(self, number: int) -> WorldLine | None:
        """The line to the world of that id, if it is reached."""
        return next((line for line in self.lines if line.open and line.world == number), None)

    def lost(self, line: WorldLine) -> None:
        """A world is gone: who played there waits for another, but for those whom one takes in just now."""
        self.map.lost(line)
        for one in list(self.loop.sessions.values()):
            session = cast("EdgeSession", one)
            if session.moving is line:
                session.moving = None
                if session.line is not None:
                    session.line.say(Moved(session.id, "The way is closed now."))
                    continue
            elif session.line is line:
                session.line = None
                if session.moving is not None:
                    continue
            else:
                continue
            if not self.orphans.lost(session):
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
            detail = cast("Connection", session.link).detail
            session.line.say(Gone(session.id, ending, detail))
            session.line = None
        self.orphans.over(session)

    def _ended(self, session: Session) -> None:
        self.clients.intakes.pop(session.id, None)

    def attend(self, nursery: trio.Nursery) -> None:
        """Start in a nursery all that an edge does by itself, whatever its doors and lines are."""
        nursery.start_soon(self.gateway.deadlines.run)
        nursery.start_soon(self.map.run)
        nursery.start_soon(self.orphans.run)
        nursery.start_soon(self.clients.send_later)

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
            self.attend(lines)
            for line in self.lines:
                lines.start_soon(line.keep)
            if not self.lines:
                lines.start_soon(self._look_for_worlds, lines)
            code = await super().run(listening, services=services, task_status=task_status)
            lines.cancel_scope.cancel()
        return code

    async def _look_for_worlds(self, nursery: trio.Nursery) -> None:
        """Reach all worlds that live and say where, whenever one comes; for ever."""
        while True:
            try:
                rows = await self.storage.read(Database.worlds)
            except Exception as error:
                log.warning("it is not known where worlds are: %s", error)
                rows = []
            wanted = {row.address for row in rows if row.alive and row.address}
            for line in [line for line in self.lines if not (line.open or str(line.address) in wanted)]:
                line.forget()
                self.lines.remove(line)
            for address in sorted(wanted - {str(line.address) for line in self.lines}):
                self.lines.append(line := WorldLine(self, Address.parse(address)))
                nursery.start_soon(line.keep)
            # A world that comes back is wanted soon while anybody waits for it, from the first moment on.
            with trio.move_on_after(LOOK_SECONDS):
                await self.orphans.any()
                await trio.sleep(HASTE_SECONDS)

    async def _open(self, door: Listening, clients: trio.Nursery, doors: trio.Nursery) -> None:
        if door.door.transport is Transport.MESSAGE:
            self._fronts.append(await open_front(self, door, clients, doors, wall=self._wall))
        else:
            await super()._open(door, clients, doors)

    async def _close(self) -> None:
        for front in self._fronts:
            await front.close()

    def statistics(self) -> Sequence[str]:
        """Lines for `causeway status`: the worlds, and how many clients there are."""
        worlds = [
            f"the world at {line.address} " + (f"is {line.name}" if line.open else "is not reached")
            for line in self.lines
        ]
        waiting = [f"{len(self.orphans)} clients wait for their world"] if len(self.orphans) else []
        shed = self.gateway.shed
        lost = [f"clients that were too slow lost {shed_by_class(shed)}"] if shed else []
        return [f"{len(self.gateway.connections)} clients", *worlds, *waiting, *lost]


def _weight(peer: str, world: str) -> bytes:
    return blake2b(f"{peer} {world}".encode(), digest_size=8).digest()
