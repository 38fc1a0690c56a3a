"""Lineage II's handlers and view over a small world, without tasks and without the wire: messages in, turn,
messages out.

    desk = Desk()
    alric = await desk.enter("alric")
    await alric.goes(25, 20)
    alric.took(MoveToLocation)

Everything but the codecs is real (`tests.kit.desk`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias, cast

import attrs

from protocol import l2
from protocol.l2 import rsa
from protocol.l2.packets import (
    AccountKicked,
    Appearing,
    AuthGameGuard,
    AuthLogin,
    CharacterSelect,
    EnterWorld,
    GGAuth,
    Init,
    LoginFail,
    LoginMessage,
    LoginOk,
    Message,
    MoveBackwardToLocation,
    PlayFail,
    PlayOk,
    ProtocolVersion,
    RequestAuthLogin,
    RequestServerList,
    RequestServerLogin,
    Say2,
    ServerList,
    SystemMessage,
)
from protocol.l2.session import GAME_DOOR, LOGIN_DOOR, L2LoginSession, L2Session, SessionKeys
from protocol.services import NewCharacter
from tests.kit import desk as base
from tests.kit.desk import PASSWORD
from tests.kit.in_memory import shipped_content
from tests.kit.l2_bridge import bridge_of
from tests.kit.l2_shown import OWN_TEXTS
from world.content import Chart, Content, TileKind, Warp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.family import Codec
    from protocol.l2.bridge import LoginServer
    from protocol.l2.bridge.game_side import GameSide

Heard: TypeAlias = Message | LoginMessage

SIDE = 60
START = (20, 20)
WALL = (20, 18)
SEAT = (23, 20)
"""A chair that faces west; one sits down from (22, 20)."""
DOOR = (20, 22)
WARP = (30, 20)
"""Leads to (5, 5) of the same realm."""
CAVE_MOUTH = (32, 20)
"""Leads to the cave, which is elsewhere in the client's world."""
VOID_MOUTH = (34, 20)
"""Leads to where this game has no place."""
CORNER = (-84_000, 243_000, -3_700)
"""Of the plain, in the client's units."""
TILE = 24
"""Units of a tile."""
PROTOCOL = 746
PORTS = {LOGIN_DOOR: 2106, GAME_DOOR: 7777}
GAMEGUARD = bytes(47)
"""What follows the password: GameGuard's answer, which nobody can check, and padding."""
SETTINGS: Mapping[str, object] = {
    "packet_encryption": True,
    "protocols": (740, 741, 742, 743, 744, 745, 746),
    "show_licence": True,
    "delete_days": 7,
}
"""What the listener says, unless a test says otherwise."""


_LOGIN_ANSWERS: Final = {
    cls.opcode: cls for cls in (Init, LoginFail, AccountKicked, LoginOk, ServerList, PlayFail, PlayOk, GGAuth)
}


@cache
def small_content() -> Content:
    """The realm "plain" with a wall, a chair, a door and three warps; "cave" elsewhere; "void" nowhere.
    Items, people and looks are the shipped ones."""
    grass = TileKind("grass", "grass", "ground")
    blocked = bytearray(SIDE * SIDE)
    for x, y in (WALL, SEAT):
        blocked[y * SIDE + x] = 1

    def chart(name: str, corner: tuple[int, int, int] | None) -> Chart:
        main = name == "plain"
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
            atlas={} if corner is None else {"l2": dict(zip("xyz", corner, strict=True))},
        )

    charts = {
        "plain": chart("plain", CORNER),
        "cave": chart("cave", (45_000, 41_000, -3_440)),
        "void": chart("void", None),
    }
    return attrs.evolve(shipped_content(), charts=charts, start_realm="plain")


def place_of(x: float, y: float) -> tuple[int, int, int]:
    """The client's coordinates of a spot of the plain, in tiles; whole numbers are the middle of a tile."""
    return round(CORNER[0] + (x + 0.5) * TILE), round(CORNER[1] + (y + 0.5) * TILE), CORNER[2]


class Wire:
    """Stands in for both codecs."""

    peer_closed = False
    pending = False

    def __init__(self, settings: Mapping[str, object], session_key: bytes) -> None:
        self.settings = settings
        self.session_key = session_key
        """What the login codec would encipher with."""
        self.key = b""
        """What the game codec was told to encipher with; empty: nothing."""
        self.plain_until = -1
        """How many messages had left when it was told."""
        self.sent = 0

    def encipher(self, key: bytes) -> None:
        """As the game codec: from now on everything is enciphered."""
        self.key, self.plain_until = key, self.sent


class Desk(base.Desk):
    """The server's side."""

    def __init__(self, content: Content | None = None, **settings: object) -> None:
        """`settings` are keys of the listener."""
        super().__init__(content or small_content(), l2.family, "[listen.l2]", START)
        self.app.gateway.ports.update({("l2", door): port for door, port in PORTS.items()})
        self.settings = {**SETTINGS, **settings}
        self.players: list[Player] = []

    @property
    def login_server(self) -> LoginServer:
        """Who is on the way from the login server to which game server."""
        return bridge_of(self.app).login_side.login_server

    @property
    def game_side(self) -> GameSide:
        """The bridge, as the game's door sees it."""
        return bridge_of(self.app).game_side

    @property
    def on_the_way(self) -> int:
        """Logins that may go on to the game's door."""
        return self.login_server.waiting(self.now)

    def connect(self, door: str = LOGIN_DOOR) -> Player:
        """A client that has said nothing yet, and to which nothing was said."""
        number = len(self.players) + 1
        # Either class of session, which only tests of the login door tell apart (`Player.at_login`).
        session = self.family.doors[door].session(
            number=number,
            family=self.family,
            door=door,
            peer="127.0.0.1",
            local=f"127.0.0.1:{PORTS[door]}",
            codec=cast("Codec", Wire(self.settings, self.dice.randbytes(16))),
            services=self.app,
        )
        player = Player(self, cast("L2Session", session))
        self.players.append(player)
        return player

    # The login door

    async def greeted(self) -> Player:
        """A client at the login door that has got Init; it is `init` of the player."""
        player = self.connect()
        opened = self.family.doors[LOGIN_DOOR].opened
        assert opened is not None
        await opened(player.session)
        player.flush()
        return player

    async def authorised(self) -> Player:
        """One that has shown its GameGuard and may log in."""
        player = await self.greeted()
        await player.says(AuthGameGuard(player.init.session_id))
        return player

    async def logged_in(self, name: str) -> Player:
        """One that has shown its password, with LoginOk (or ServerList, without a licence) untaken."""
        self.account(name)
        player = await self.authorised()
        await player.shows_password(name, PASSWORD)
        return player

    async def sent_on(self, name: str) -> tuple[Player, SessionKeys]:
        """One that has chosen the server and is to go there, and what it has to show there."""
        player = await self.logged_in(name)
        login1 = login2 = 0
        for ok in player.took(LoginOk):
            login1, login2 = ok.login_key1, ok.login_key2
            await player.says(RequestServerList(login1, login2))
        await player.says(RequestServerLogin(login1, login2, 1))
        (play,) = player.took(PlayOk)
        return player, SessionKeys(play.play_key1, play.play_key2, login1, login2)

    # The game door

    async def greeted_game(self) -> Player:
        """A client at the game door that has got KeyPacket."""
        player = self.connect(GAME_DOOR)
        await player.says(ProtocolVersion(PROTOCOL))
        return player

    async def in_menu(self, name: str, *, characters: int = 1) -> Player:
        """A client that looks at its characters; so many are made if it has none. CharSelectInfo is not
        taken yet."""
        if not self.owned(name):
            for number in range(characters):
                letters = "abc"[number] if number else ""
                self.make_character(name, NewCharacter(name + letters, False, 3, 1104, 1003))
        door, keys = await self.sent_on(name)
        door.hang_up()
        player = await self.greeted_game()
        await player.says(AuthLogin(name, keys.play2, keys.play1, keys.login1, keys.login2, 1))
        return player

    async def selected(self, name: str, slot: int = 0) -> Player:
        """A client that chose a character and loads; CharSelected is untaken."""
        player = await self.in_menu(name)
        await player.says(CharacterSelect(slot))
        return player

    async def enter(self, name: str, at: tuple[int, int] = START, *, female: bool = False) -> Player:
        """A client whose character stands in the world; what it was sent on the way is forgotten."""
        if not self.owned(name):
            self.make_character(name, NewCharacter(name, female, 3, 1104, 1003), at)
        player = await self.selected(name)
        await player.says(EnterWorld())
        await self.wait(0.1)
        player.got.clear()
        return player


class Player(base.Listener[L2Session, Heard]):
    """One client and its session."""

    desk: Desk

    def __init__(self, desk: Desk, session: L2Session) -> None:
        super().__init__(desk, session)
        self.init: Init
        """What the login door said first."""

    @property
    def at_login(self) -> L2LoginSession:
        """Its session, of a client at the login door."""
        return cast("L2LoginSession", self.session)

    @property
    def wire(self) -> Wire:
        """What stands in for its codec."""
        return cast("Wire", self.session.codec)

    # Out

    async def says(self, *messages: Heard) -> None:
        """Handle what it sends, each in its own turn."""
        for message in messages:
            if self.session.door == LOGIN_DOOR:
                await self.sends(cast("LoginMessage", message).encode())
            else:
                await self.sends(self.session.dialect.encode(cast("Message", message)))

    async def shows_password(self, name: str, password: str, *, at: int = 0x6C) -> None:
        """RequestAuthLogin; `at` is where this client puts the password."""
        block = bytearray(128)
        block[0x5B] = 0x24
        block[0x5E : 0x5E + len(name)] = name.encode("latin-1")
        block[at : at + len(password)] = password.encode("latin-1")
        await self.says(RequestAuthLogin(rsa.encrypt(self.init.modulus, bytes(block)), GAMEGUARD))

    async def goes(self, x: float, y: float) -> None:
        """Click on a spot of the plain, in tiles."""
        await self.says(self.moves_to(x, y))

    def moves_to(self, x: float, y: float) -> MoveBackwardToLocation:
        """That click. The origin is nonsense: nobody may trust it."""
        return MoveBackwardToLocation(*place_of(x, y), 1, 2, 3, 1)

    async def says_text(self, text: str, kind: int = 0, target: str = "") -> None:
        """Say2."""
        await self.says(Say2(text, kind, target))

    async def appears(self) -> None:
        """It has loaded where it was teleported to."""
        await self.says(Appearing())

    # In

    def told(self) -> list[str]:
        """Lines of the server's, and what the client's own texts come to that refuse something; they count
        no more. Other texts of the client's own come as the first word in them, if there is one."""
        lines = []
        for message in self.took(SystemMessage):
            if message.message_id in OWN_TEXTS:
                lines.append(OWN_TEXTS[message.message_id].value)
            elif message.parameters:
                lines.append(str(message.parameters[0].value))
        return lines

    def hears(self, raw: bytes) -> None:
        """One message came."""
        self.wire.sent += 1
        message: Heard
        if self.session.door == LOGIN_DOOR:
            message = _LOGIN_ANSWERS[raw[0]].decode(raw)
        else:
            message = self.session.dialect.decode_server(raw)
        if isinstance(message, Init):
            self.init = message
        self.got.append(message)
