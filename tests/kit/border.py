"""Two worlds with a border between them, in one process: each a whole server in memory with half of the
realms, and connections that stay while the session behind them moves.

What a cluster does over a stream, `Borderland` does by a call: a player that one world froze is written down
as plain values, read again, and thawed by the other. The codec stays with its connection, as it stays at an
edge.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Final, cast

import trio

from protocol.carrying import divide, frames_waiting, put_back
from server.content.families import build_families
from server.net.datagram_connection import DatagramConnection
from server.net.intake import Intake
from server.net.outbox import Outbox
from server.net.stream_connection import StreamConnection
from server.people.crossing import Border, Carried, Unwelcome, host_of, thaw
from tests.kit.in_memory import Private, shipped_content
from tests.kit.town import Town
from world.newcomers import kept_items

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.endings import Ending
    from protocol.family import Codec, Door
    from protocol.session import Link, Session
    from server.boot.app import App
    from server.net.connection import Connection
    from world.content import Content
    from world.mobile import Mobile

REALMS: Final = ("confluence", "undercroft")
"""Of the two worlds."""

WAYS: Final = {"confluence": (24, 13), "undercroft": (13, 55)}
"""The tile in each that leads to the other."""

HERE: Final = (24, 15)
"""Two steps south of the way down, in the first."""

APART: Final = 5
"""Blocks of serials that the second world begins behind."""


class Half(Private):
    """The database of a world with one realm."""

    def __init__(self, realm: str) -> None:
        super().__init__("sqlite://")
        self._realm = realm

    @property
    def only_realms(self) -> frozenset[str] | None:
        """Its one realm."""
        return frozenset({self._realm})


class _Moving:
    """The part that both kinds of connections have in common: their session may be another one's."""

    __slots__ = ()

    async def takes(self: Connection, frame: bytes) -> None:  # type: ignore[misc] # of whoever derives from it
        """A frame for the session there is. One that waited while it moved follows it."""
        self.frames_in += 1
        session = self.session
        await self._intake.take(frame)
        if self.session is not session:
            _follow(session, self.session)


def _follow(before: Session, after: Session) -> None:
    """What came for a session that is gone is for the one that goes on."""
    put_back(after, frames_waiting(before))


class MovingStream(_Moving, StreamConnection):
    """See `StreamConnection`."""

    __slots__ = ()

    async def _read(self) -> None:
        transport = self._transport
        buffer = bytearray(1 << 16)
        while True:
            await transport.wait_readable()
            size = transport.recv_nowait_into(buffer)
            if size is None:
                continue
            if size == 0:
                self._lost("closed by the client")
                return
            codec = self.session.codec
            self.bytes_in += size
            codec.receive(memoryview(buffer)[:size], trio.current_time())
            if codec.pending:
                self.flush()
            self.session.last_heard = trio.current_time()
            while (frame := codec.next_frame()) is not None:
                await self.takes(frame)
            if self.session.outbox or codec.pending:
                self.flush()
            if codec.peer_closed:
                self._lost("closed by the client")
                return


class MovingDatagrams(_Moving, DatagramConnection):
    """See `DatagramConnection`."""

    __slots__ = ()

    async def _take_all(self) -> None:
        frame, self._frame = self._frame, None
        while frame is not None or (frame := self.session.codec.next_frame()) is not None:
            await self.takes(frame)
            frame = None


class Borderland:
    """Two worlds, `towns` by their realm. What comes over the border is noted in `carried`."""

    def __init__(
        self, nursery: trio.Nursery, *, content: Content | None = None, divided: bool = True
    ) -> None:
        """`divided`: each world hands out its own share of the numbers that clients have."""
        self.content = content or shipped_content()
        self.towns: dict[str, Town] = {}
        self.carried: list[Carried] = []
        self.refuses = ""
        """Why the other world takes nobody, if a test says so."""
        self.gate: trio.Event | None = None
        """What a crossing waits for, if a test says so."""
        names = ("uo", "eo", "eq2", "co", "l2", "web")
        for number, realm in enumerate(REALMS):
            database = Half(realm)
            for _ in range(APART * number):
                database.reserve_serials()
            town = Town(
                nursery,
                content=self.content,
                seed=1 + number,
                database=database,
                families=build_families(self.content, names),
            )
            self.towns[realm] = town
            for family in town.families.values() if divided else ():
                divide(family, number, len(REALMS))
            town.app.gateway._connection = self._connect(town.app)  # type: ignore[assignment, method-assign] # of this one
            host = host_of(town.app)
            town.app.world.cross = Border(
                host,
                town.app.storage,
                hand_over=self._hand_over,
                give_back=self._give_back,
                start=town.app.start,
            ).cross

    async def open(self) -> None:
        """Start both."""
        for town in self.towns.values():
            await town.open()

    def where(self, name: str) -> Town:
        """The world that has a character."""
        (town,) = [town for town in self.towns.values() if town.here(name)]
        return town

    def mobile(self, name: str) -> Mobile:
        """A character, wherever it is."""
        return self.where(name).mobile(name)

    def session(self, name: str) -> Session:
        """The session that plays a character."""
        town = self.where(name)
        mobile = town.mobile(name)
        return next(one for one in town.app.sessions() if one.mobile is mobile)

    async def puts(self, name: str, x: int, y: int) -> None:
        """Put a character elsewhere in its realm."""
        mobile = self.mobile(name)
        assert mobile.realm is not None
        here = mobile.realm
        await self.where(name).app.loop.in_world(None, lambda world: world.warp(mobile, here, x, y))

    def _connect(self, app: App) -> Callable[[Session, object, Door, float], Connection]:
        def connection(session: Session, transport: object, door: Door, now: float) -> Connection:
            kind = {StreamConnection: MovingStream, DatagramConnection: MovingDatagrams}
            made = type(app.gateway)._connection(app.gateway, session, transport, door, now)  # type: ignore[arg-type] # as it came
            made.__class__ = kind[type(made)]  # type: ignore[assignment] # alike in memory
            return made

        return connection

    async def _hand_over(self, carried: Carried, link: Link, codec: Codec) -> str:
        if self.gate is not None:
            await self.gate.wait()
        if self.refuses:
            return self.refuses
        self.carried.append(carried)
        values = carried.plain()
        plain(values)
        carried = Carried.of_plain(deepcopy(values))
        town = self.towns[carried.to.realm]
        _seed(town, carried)
        try:
            await self._move(town.app, carried, link, codec)
        except Unwelcome as no:
            return str(no)
        return ""

    async def _give_back(self, carried: Carried, link: Link, codec: Codec) -> None:
        await self._move(self.towns[carried.to.realm].app, carried, link, codec)

    async def _move(self, app: App, carried: Carried, link: Link, codec: Codec) -> None:
        connection = cast("Connection", link)
        before = connection.session

        def attach(session: Session) -> None:
            _attach(connection, session, app)

        number = app.gateway.next_number()

        def go_on(_: object) -> None:
            after = thaw(host_of(app), carried, number=number, codec=codec, attach=attach)
            _follow(before, after)
            mobile = after.mobile
            assert mobile is not None
            for thing in (mobile, *kept_items(mobile)):  # in a cluster there is only one database
                thing.touch()
            if connection.ending is not None:  # its client hung up on the way
                connection._departed(connection.ending)

        await app.loop.in_world(None, go_on)


def _attach(connection: Connection, session: Session, app: App) -> None:
    """Let a connection be that of another session."""

    def departed(ending: Ending) -> None:
        app.loop.depart(lambda world: app.gateway._departs(world, session, ending))
        app.accounts.release(session)

    door = session.family.doors[session.door]
    connection.session, session.link = session, connection
    connection._outbox = Outbox(session, None)
    connection._intake = Intake(session, door, loop=app.loop, settings=app, tracing=None)
    connection._loop, connection._departed, connection._settings = app.loop, departed, app
    session.last_heard = trio.current_time()


def _seed(town: Town, carried: Carried) -> None:
    """Account and character in the database of the world where it comes: in a cluster there is only one."""
    database = town.database
    (number, *_) = cast("list[int]", cast("Mapping[str, object]", carried.session["common"])["account"])
    for other in range(1, number + 1):  # they are numbered as they come
        if database.account_by_id(other) is None:
            database.create_account(f"over{other}", "", 0.0)
    if database.owner(carried.serial) is None:
        database.create_character(carried.character._replace(realm=carried.to.realm), [], 7)


def plain(value: object) -> None:
    """Fail if no message can carry it."""

    def look(held: object, where: str) -> None:
        if type(held) is dict:
            for key, inner in held.items():
                assert type(key) is str, f"{where} has a key {key!r}"
                look(inner, f"{where}.{key}")
        elif type(held) in (list, tuple):
            for number, inner in enumerate(cast("list[object]", held)):
                look(inner, f"{where}[{number}]")
        else:
            assert held is None or type(held) in (bool, int, float, str, bytes), f"{where} is {held!r}"

    look(value, "it")
