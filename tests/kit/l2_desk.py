"""Lineage II's handlers and view over a small world, without tasks and without the wire: messages in, turn,
messages out.

    desk = Desk()
    alric = await desk.enter("alric")
    await alric.goes(25, 20)
    alric.took(MoveToLocation)

Accounts and characters are kept in dicts (`tests.kit.desk`); layouts, looks, tickets and the fan-out are the
real ones.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

import attrs

from protocol import l2
from protocol.endings import Ending, Refused, WireError
from protocol.family import Table, Where
from protocol.l2 import rsa
from protocol.l2.bridge import Identity, LoginHall
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
    LoginOk,
    MoveBackwardToLocation,
    PlayFail,
    PlayOk,
    ProtocolVersion,
    RequestAuthLogin,
    RequestServerList,
    RequestServerLogin,
    Say2,
    ServerList,
)
from protocol.l2.session import GAME_DOOR, LOGIN_DOOR, L2Session, SessionKeys
from protocol.services import NewCharacter
from protocol.session import NO_LINK, Phase
from protocol.wire.body import Body
from server.bridge import MOST_PLAYERS, HallSide, PostSide, in_one_process
from server.config import Limits
from server.content import load
from server.limiter import LoginLimiter
from tests.kit.desk import PASSWORD, Line, Office, OfficeServices
from world import holding
from world.content import Chart, Content, TileKind, Warp

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from protocol.family import Codec
    from protocol.l2.packets import LoginMessage, Message
    from protocol.services import Services
    from world.mobile import Mobile

M = TypeVar("M")

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
GAMEGUARD = bytes(47)
"""What follows the password: GameGuard's answer, which nobody can check, and padding."""
SETTINGS: Mapping[str, object] = {
    "packet_encryption": True,
    "protocols": (740, 741, 742, 743, 744, 745, 746),
    "show_licence": True,
    "delete_days": 7,
}
"""What the listener says, unless a test says otherwise."""


EPOCH: Final = 1_700_000_000.0
"""What time it is outside when a desk opens, in seconds UTC."""

_LOGIN_ANSWERS: Final = {
    cls.opcode: cls for cls in (Init, LoginFail, AccountKicked, LoginOk, ServerList, PlayFail, PlayOk, GGAuth)
}


@cache
def _shipped() -> Content:
    return load(Path(__file__).parents[2] / "data")


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
    return attrs.evolve(_shipped(), charts=charts, start_realm="plain")


def place_of(x: float, y: float) -> tuple[int, int, int]:
    """The client's coordinates of a spot of the plain, in tiles; whole numbers are the middle of a tile."""
    return round(CORNER[0] + (x + 0.5) * TILE), round(CORNER[1] + (y + 0.5) * TILE), CORNER[2]


class Wire:
    """Stands in for both codecs."""

    peer_closed = False

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


class L2OfficeServices(OfficeServices):
    """With both sides of the bridge."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.login_side = desk.login_side
        self.game_side = desk.game_side
        self._desk = desk

    def start(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job after the turn, whoever is connected."""
        self._desk.jobs.append(job)


class Desk(Office[L2Session]):
    """The server's side: Services, accounts, characters and the turn in one."""

    def __init__(self, content: Content | None = None, **settings: object) -> None:
        """`settings` are keys of the listener."""
        content = content or small_content()
        super().__init__(content, l2.family(content), START)
        self.ports = {LOGIN_DOOR: 2106, GAME_DOOR: 7777, None: 2106}
        self.settings = {**SETTINGS, **settings}
        self.players: list[Player] = []
        self.jobs: list[Callable[[], Awaitable[None]]] = []
        """What handlers gave to `Services.start`, whoever is connected; runs after the next packet's turn."""
        limiter = LoginLimiter(Limits)
        self.game_side = PostSide(
            self,
            self,
            limits=Limits,
            limiter=limiter,
            clock=lambda: self.now,
            wall=lambda: EPOCH + self.now,
            closed=lambda: self.closed,
        )
        self.hall = LoginHall({1: "between two chairs"})
        self.login_side = HallSide(
            self.hall,
            clock=lambda: self.now,
            wall=lambda: EPOCH + self.now,
            entropy=self.dice.randbytes,
            address=lambda session, _: self.relay_address(session, GAME_DOOR),
            refresh=self.game_side.refresh,
            answer=self.game_side.answer,
        )
        me = Identity(1, "between two chairs", 0, most_players=MOST_PLAYERS)
        in_one_process(self.hall, self.game_side.post, me, lambda: self.now)

    @property
    def on_the_way(self) -> int:
        """Logins that may go on to the game's door."""
        return self.hall.waiting(self.now)

    def connect(self, door: str = LOGIN_DOOR) -> Player:
        """A client that has said nothing yet, and to which nothing was said."""
        number = len(self.players) + 1
        session = L2Session(
            number=number,
            family=self.family,
            door=door,
            peer="127.0.0.1",
            local=f"127.0.0.1:{self.ports[door]}",
            codec=cast("Codec", Wire(self.settings, self.dice.randbytes(16))),
            services=cast("Services", L2OfficeServices(self)),
        )
        player = Player(self, session)
        session.link = player.line
        self.sessions[number] = session
        self.players.append(player)
        return player

    async def run_jobs(self) -> None:
        """What runs beside the clients."""
        while self.jobs:
            await self.jobs.pop(0)()

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
        self.passwords.setdefault(name, PASSWORD)
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
        if name not in self.owned:
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
        if name not in self.owned:
            mobile = self.make_character(name, NewCharacter(name, female, 3, 1104, 1003))
            self.world.enter(mobile, self.world.realms["plain"], *at)
        player = await self.selected(name)
        await player.says(EnterWorld())
        await self.wait(0.1)
        player.got.clear()
        return player


class Player:
    """One client and its session."""

    def __init__(self, desk: Desk, session: L2Session) -> None:
        self.desk = desk
        self.session = session
        self.line = Line(self.flush)
        self.got: list[Message | LoginMessage] = []
        """What it was sent and nobody took yet."""
        self.init: Init
        """What the login door said first."""

    @property
    def mobile(self) -> Mobile:
        """Its character."""
        assert self.session.mobile is not None
        return self.session.mobile

    @property
    def tile(self) -> tuple[int, int]:
        """Where the world has its character."""
        return self.mobile.x, self.mobile.y

    @property
    def wire(self) -> Wire:
        """What stands in for its codec."""
        return cast("Wire", self.session.codec)

    @property
    def table(self) -> Table[L2Session]:
        """What it may send."""
        return cast("Table[L2Session]", self.desk.family.doors[self.session.door].table)

    # Out

    async def says(self, *messages: Message | LoginMessage) -> None:
        """Handle what it sends, each in its own turn."""
        for message in messages:
            if self.session.door == LOGIN_DOOR:
                await self.sends(cast("LoginMessage", message).encode())
            else:
                await self.sends(self.session.profile.encode(cast("Message", message)))

    async def sends(self, *frames: bytes) -> None:
        """The same with frames: opcode and body. What the table does not know is skipped."""
        for frame in frames:
            self.desk.world.begin(self.desk.now)
            await self._handle(frame)
            while self.line.jobs:
                await self.line.jobs.pop(0)()
            self.desk.turn([self.session], begun=True)
            await self.desk.run_jobs()

    async def _handle(self, frame: bytes) -> None:
        session = self.session
        entry = self.table.entry(self.table.opcode_of_frame(frame))
        if entry is None:
            assert self.table.tolerant, f"no handler for {frame[:3].hex()}"
            return
        try:
            packet = entry.decode(frame)
            if session.phase in entry.phases:
                answer = entry.handler(session, packet)
                assert (answer is not None) is (entry.where is Where.HERE)
                if answer is not None:
                    await answer
            elif session.phase < Phase.MENU:
                self.line.end(Ending.WRONG_PHASE, entry.name)
            else:
                session.ignored += 1
        except WireError as error:
            self.line.end(Ending.BAD_PACKET, str(error))
        except Refused as refusal:
            session.send(*refusal.farewell)  # type: ignore[arg-type] # messages of this game
            self.line.end(refusal.ending, str(refusal))

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

    def flush(self) -> None:
        """What the server queued, to the client."""
        session = self.session
        queued, session.outbox = session.outbox, []
        for message in queued:
            raw = message.raw if isinstance(message, Body) else message.bind(session)
            if raw:
                self.wire.sent += 1
                self._hear(raw)

    def _hear(self, raw: bytes) -> None:
        message: Message | LoginMessage
        if self.session.door == LOGIN_DOOR:
            message = _LOGIN_ANSWERS[raw[0]].decode(raw)
        else:
            message = self.session.profile.decode_server(raw)
        if isinstance(message, Init):
            self.init = message
        self.got.append(message)

    def hang_up(self) -> None:
        """Its connection is gone, and nobody holds it any more."""
        self.desk.detach(self.session)
        self.session.link = NO_LINK

    def took(self, kind: type[M]) -> list[M]:
        """What came of a kind; it counts no more."""
        found: list[M] = [message for message in self.got if isinstance(message, kind)]
        self.got = [message for message in self.got if not isinstance(message, kind)]
        return found

    def only(self, kind: type[M]) -> M:
        """The one that came of a kind; it counts no more."""
        (found,) = self.took(kind)
        return found

    def kinds(self) -> list[str]:
        """What it was sent, by name, in order."""
        return [type(message).__name__ for message in self.got]

    def gives(self, key: str, amount: int = 1) -> None:
        """Put something into its pack."""
        pack = self.mobile.backpack
        assert pack is not None
        item = holding.make(self.desk.world, key, amount=amount, stored=False)
        holding.put(pack, item)
        self.desk.world.register(item)
