"""EverQuest II's handlers and view over a small world, without tasks and without the wire: messages in, turn,
messages out.

    desk = Desk()
    alric = await desk.enter("alric")
    await alric.says(alric.moves_to(21.5, 20.5))
    alric.took(TeleportNoReload)

Everything but the codec is real (`tests.kit.desk`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, cast

import attrs

from protocol import eq2
from protocol.eq2.handlers.table import number_of
from protocol.eq2.packets import (
    CharactersRequest,
    EntityResourcesLoaded,
    LoginByNum,
    LoginRequest,
    Message,
    Movement,
    MovementState,
    PlayCharacter,
    PlayReply,
    RemoteCmd,
    UiLoaded,
    WorldListRequest,
    ZoneResourcesDone,
)
from protocol.eq2.packing import pack, xor
from protocol.eq2.session import Eq2Session
from protocol.services import NewCharacter
from tests.kit import desk as base
from tests.kit.desk import PASSWORD
from tests.kit.in_memory import shipped_content
from world.content import Chart, Content, TileKind, Warp

if TYPE_CHECKING:
    from protocol.dispatch import Table
    from protocol.eq2.versions import Eq2Version
    from protocol.eq2.view import Eq2View
    from protocol.family import Codec
    from world.item import Item

SIDE = 60
START = (20, 20)
WALL = (20, 18)
SEAT = (23, 20)
"""A chair that faces west; one sits down from (22, 20)."""
DOOR = (20, 22)
WARP = (30, 20)
"""Leads to (5, 5) of the same realm."""
CAVE_MOUTH = (32, 20)
"""Leads to the cave, which is another zone."""
VOID_MOUTH = (34, 20)
"""Leads to where this game has no zone."""
CORNER = (1000.0, -5.0, 2000.0)
"""Of the plain, in the client's zone."""
PORTS = {"login": 9100, "world": 9001}
VERSION = 546


@cache
def small_content() -> Content:
    """The realm "plain" with a wall, a chair, a door and three warps; "cave" in another zone; "void" in none.
    Items, people and looks are the shipped ones."""
    grass = TileKind("grass", "grass", "ground")
    blocked = bytearray(SIDE * SIDE)
    for x, y in (WALL, SEAT):
        blocked[y * SIDE + x] = 1

    def chart(name: str, zone: str) -> Chart:
        main = name == "plain"
        x, y, z = CORNER
        row: dict[str, float | str] = {"zone": zone, "description": f"The {name.title()}"}
        row |= {"x": x, "y": y, "z": z}
        return Chart(
            name,
            f"The {name.title()}",
            SIDE,
            SIDE,
            [grass] * (SIDE * SIDE),
            (),
            bytes(blocked) if main else bytes(SIDE * SIDE),
            [START],
            seats={SEAT: 6} if main else {},
            doors=frozenset({DOOR}) if main else frozenset(),
            warps={
                WARP: Warp("plain", 5, 5),
                CAVE_MOUTH: Warp("cave", 5, 5),
                VOID_MOUTH: Warp("void", 5, 5),
            }
            if main
            else {},
            atlas={"eq2": row} if zone else {},
        )

    charts = {
        "plain": chart("plain", "antonica"),
        "cave": chart("cave", "cave_zone"),
        "void": chart("void", ""),
    }
    return attrs.evolve(shipped_content(), charts=charts, start_realm="plain")


class Wire:
    """Stands in for the codec."""

    peer_closed = False
    pending = False

    def __init__(self, version: Eq2Version) -> None:
        self.version = version
        self.spoken = -1
        """Index of the version of which the frames are, since a handler said so."""

    def speak(self, index: int) -> None:
        """Of which version the frames are."""
        self.spoken = index


@cache
def town_content() -> Content:
    """The shipped realms; the corner of the town is where that of the plain is."""
    content = shipped_content()
    row = small_content().charts["plain"].atlas
    town = attrs.evolve(content.charts["confluence"], atlas=row)
    return attrs.evolve(content, charts={**content.charts, "confluence": town})


class Desk(base.Desk):
    """The server's side."""

    def __init__(self, content: Content | None = None, start: tuple[int, int] = START) -> None:
        super().__init__(content or small_content(), eq2.family, "[listen.eq2]", start)
        self.view = cast("Eq2View", self.family.view)
        self.versions = self.view.versions
        self.table = cast("Table[Eq2Session]", self.family.doors["world"].table)
        self.app.gateway.ports.update({("eq2", door): port for door, port in PORTS.items()})
        self.players: list[Player] = []

    def connect(self, door: str = "login") -> Player:
        """A client that has said nothing yet."""
        number = len(self.players) + 1
        session = Eq2Session(
            number=number,
            family=self.family,
            door=door,
            peer="127.0.0.1",
            local=f"127.0.0.1:{PORTS[door]}",
            codec=cast("Codec", Wire(self.versions.newest)),
            services=self.app,
        )
        player = Player(self, session)
        self.players.append(player)
        return player

    async def logged_in(self, name: str) -> Player:
        """A client at the login door that has shown its password and is shown worlds and characters."""
        self.account(name)
        player = self.connect()
        await player.says(LoginRequest(user=name, password=PASSWORD, version=VERSION))
        await player.says(WorldListRequest(), CharactersRequest())
        return player

    async def sent_on(self, name: str) -> tuple[Player, PlayReply]:
        """A client that has chosen its first character, and what it was told."""
        if not self.owned(name):
            self.make_character(name, NewCharacter(name, False, 3, 1104, 1003))
        player = await self.logged_in(name)
        await player.says(PlayCharacter(id=self.owned(name)[0].serial, server_id=1, name=name))
        return player, player.took(PlayReply)[-1]

    async def zoning(self, name: str, at: tuple[int, int] = START) -> Player:
        """A client that has come to the world's door and is told to load its zone."""
        if not self.owned(name):
            self.make_character(name, NewCharacter(name, False, 3, 1104, 1003), at)
        _, reply = await self.sent_on(name)
        assert reply.account_id is not None
        assert reply.access_code is not None
        player = self.connect("world")
        await player.says(LoginByNum(reply.account_id, reply.access_code, VERSION))
        return player

    async def enter(self, name: str, at: tuple[int, int] = START) -> Player:
        """A client whose character stands in the world, the loading screen gone."""
        player = await self.zoning(name, at)
        for message in (ZoneResourcesDone(), EntityResourcesLoaded(), UiLoaded()):
            await player.says(message)
        await self.wait(0.1)
        player.got.clear()
        return player


class Player(base.Listener[Eq2Session, Message]):
    """One client and its session."""

    desk: Desk

    def __init__(self, desk: Desk, session: Eq2Session) -> None:
        super().__init__(desk, session)
        self.state = MovementState()
        """How its character moves, as it said last."""

    async def says(self, *messages: Message) -> None:
        """Handle what it sends, each in its own turn."""
        for message in messages:
            await self.sends(bytes((self.session.version.index,)) + self.session.version.encode(message))

    def hears(self, raw: bytes) -> None:
        """What the server sent: one message or several."""
        self.got += self.session.version.decode_server(raw)

    def moves_to(self, x: float, y: float, /, **changes: float) -> Movement:
        """The message that its character is at a spot, in tiles of its realm; other fields of the state by
        name."""
        before = self.desk.versions.newest.pack_struct(self.state)
        self.state = attrs.evolve(self.state, x=CORNER[0] + x, y=CORNER[1], z=CORNER[2] + y)
        for name, value in changes.items():
            setattr(self.state, name, value)
        return Movement(packed=pack(xor(self.desk.versions.newest.pack_struct(self.state), before)))

    async def goes(self, x: float, y: float, /, **changes: float) -> None:
        """Say that its character is there."""
        await self.says(self.moves_to(x, y, **changes))

    def row_of(self, item: Item) -> int:
        """The record by which its client knows a thing."""
        stowed = self.session.stowed
        return next(row for row in range(len(stowed.sent)) if stowed.at(row) == item.serial)

    async def types(self, line: str) -> None:
        """Type a slash command."""
        word, _, arguments = line.partition(" ")
        await self.says(RemoteCmd(index=number_of(word), arguments=arguments))
