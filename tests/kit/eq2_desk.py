"""EverQuest II's handlers and view over a small world, without tasks and without the wire: messages in, turn,
messages out.

    desk = Desk()
    alric = await desk.enter("alric")
    await alric.says(alric.moves_to(21.5, 20.5))
    alric.took(TeleportNoReload)

Accounts and characters are kept in two dicts; layouts, looks, tickets and the fan-out are the real ones.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import attrs

from protocol.endings import Ending, Refused, WireError
from protocol.eq2.builds import Builds
from protocol.eq2.figures import Figures, Rendering
from protocol.eq2.handlers import commands, make_table
from protocol.eq2.looks import compile_looks
from protocol.eq2.packets import (
    CharactersRequest,
    EntityResourcesLoaded,
    LoginByNum,
    LoginRequest,
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
from protocol.eq2.places import read_places
from protocol.eq2.session import Eq2Session
from protocol.eq2.view import Eq2View
from protocol.family import Family, Where
from protocol.services import AccountInfo, CharacterInfo, Denial, Denied, NewCharacter
from protocol.session import NO_LINK, Phase
from protocol.wire.body import Body
from server.config import Limits
from server.content import load
from server.fanout import Fanout
from server.limiter import LoginLimiter
from server.tickets import TicketService
from world import holding, newcomers
from world.content import Chart, Content, TileKind, Warp
from world.mobile import Mobile
from world.serials import Serials
from world.world import World

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from protocol.eq2.packets import Message
    from protocol.family import Codec
    from protocol.services import Services
    from protocol.session import Session

M = TypeVar("M", bound="Message")
T = TypeVar("T")

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
PASSWORD = "secret1"
VERSION = 546


@cache
def _shipped() -> Content:
    return load(Path(__file__).parents[2] / "data")


@cache
def _builds() -> Builds:
    return Builds.from_content(_shipped())


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
    return attrs.evolve(_shipped(), charts=charts, start_realm="plain")


class Wire:
    """Stands in for the codec."""

    build: object = None
    peer_closed = False


class Line:
    """A session's connection: remembers how it ended."""

    busy = False

    def __init__(self) -> None:
        self.ending: Ending | None = None
        self.detail = ""

    def flush(self, *, force: bool = False) -> None:
        raise AssertionError("this game's handlers change no keys in mid-flight")

    def end(self, ending: Ending, detail: str) -> None:
        if self.ending is None:
            self.ending, self.detail = ending, detail

    def later(self, job: Callable[[], Awaitable[None]]) -> None:
        raise AssertionError("nothing in the world needs the store")

    def drained(self) -> None:
        return


class Desk:
    """The server's side: Services, accounts, characters and the turn in one."""

    server_name = "Causeway"
    character_limit = 3

    def __init__(self) -> None:
        self.content = small_content()
        self.now = 0.0
        self.world = World(self.content, Serials(), chance=random.Random(1))
        self.builds = _builds()
        problems: list[str] = []
        places = read_places(self.content.charts.values(), problems)
        assert not problems
        self.view = Eq2View(self.builds, Figures(compile_looks(self.content), places, Rendering()))
        self.table = make_table(self.builds)
        self.family = Family("eq2", {}, self.view, lambda session, why: None)
        self.dice = random.Random(2)
        self.tickets = TicketService(
            limits=Limits, limiter=LoginLimiter(Limits), clock=lambda: self.now, entropy=self.dice.randbytes
        )
        self.sessions: dict[int, Eq2Session] = {}
        self.players: list[Player] = []
        self.passwords: dict[str, str] = {}
        self.owned: dict[str, list[Mobile]] = {}
        """Characters by account."""
        self.deny: Denial | None = None
        """Why the next request about accounts or characters is refused."""
        self.closed = ""
        self.orders: list[str] = []
        self.claimed: list[int] = []
        """Sessions that claimed an account, in their order."""

    # Services

    async def login(self, session: Session, name: str, password: str) -> AccountInfo:
        self._refuse()
        if self.passwords.get(name) != password:
            raise Denied(Denial.BAD_CREDENTIALS)
        return AccountInfo(sorted(self.passwords).index(name) + 1, name)

    def claim(self, session: Session, account: AccountInfo) -> None:
        session.account, session.claimed = account, True
        self.claimed.append(session.id)

    async def all(self, account: AccountInfo) -> list[CharacterInfo]:
        return [
            CharacterInfo(
                mobile.serial,
                mobile.name,
                mobile.level,
                mobile.female,
                mobile.hair,
                mobile.hair_hue,
                mobile.skin_hue,
                account.access,
                {layer: item.template.key for layer, item in mobile.worn.items()},
                realm=mobile.realm.name if mobile.realm is not None else self.content.start_realm,
                created_at=1_700_000_000.5,
            )
            for mobile in self.owned.get(account.name, ())
        ]

    async def create(self, session: Session, wish: NewCharacter) -> CharacterInfo:
        self._refuse()
        assert session.account is not None
        if newcomers.proper_name(wish.name) is None:
            raise Denied(Denial.BAD_NAME)
        if any(mobile.name.lower() == wish.name.lower() for mine in self.owned.values() for mobile in mine):
            raise Denied(Denial.EXISTS)
        if len(self.owned.get(session.account.name, ())) >= self.character_limit:
            raise Denied(Denial.FULL)
        self.make_character(session.account.name, wish)
        return (await self.all(session.account))[-1]

    async def delete(self, session: Session, serial: int) -> None:
        self._refuse()
        assert session.account is not None
        mine = self.owned[session.account.name]
        mine[:] = [mobile for mobile in mine if mobile.serial != serial]

    async def enter_world(self, session: Session, serial: int, welcome: Callable[[Mobile], None]) -> None:
        self._refuse()
        assert session.account is not None
        mine = self.owned.get(session.account.name, ())
        mobile = next((mobile for mobile in mine if mobile.serial == serial), None)
        if mobile is None:
            raise Denied(Denial.NO_CHARACTER)
        session.phase = Phase.ENTERING
        self.attach(cast("Eq2Session", session), mobile, welcome)

    async def in_world(self, session: Session | None, call: Callable[[World], T]) -> T:
        return call(self.world)

    def relay_address(self, session: Session, door: str | None = None) -> tuple[str, int]:
        return "127.0.0.1", {"world": 9001, None: 9100}[door]

    def command(self, session: Session, line: str) -> None:
        self.orders.append(line)

    def online(self) -> list[Mobile]:
        return list(self.world.online())

    def _refuse(self) -> None:
        if self.deny is not None:
            raise Denied(self.deny)

    # Setting the scene

    def make_character(self, account: str, wish: NewCharacter) -> Mobile:
        """A character that is not in the world."""
        mobile = Mobile(
            self.world.serials.mobile(),
            self.world,
            wish.name.capitalize(),
            template=self.content.mobiles["player"],
            account=1,
            female=wish.female,
            hair=wish.hair,
            hair_hue=wish.hair_hue,
            skin_hue=wish.skin_hue,
        )
        newcomers.outfit(mobile, stored=False)
        self.owned.setdefault(account, []).append(mobile)
        return mobile

    def attach(self, session: Eq2Session, mobile: Mobile, welcome: Callable[[Mobile], None]) -> None:
        """As the server does: the session plays this mobile from now on."""
        if mobile.realm is None:
            self.world.enter(mobile, self.world.realms["plain"], *START)
        elif mobile.eyes is not None:
            before = self.sessions[mobile.eyes.key]
            self.world.close_eyes(mobile)
            before.mobile = before.eyes = None
            before.known.clear()
            before.end(Ending.REPLACED, "")
        mobile.online = mobile.hears_global = True
        session.mobile = mobile
        session.blind = True
        session.known.clear()
        mobile.gait.walk_ms, mobile.gait.run_ms = self.view.gait_ms
        session.eyes = self.world.open_eyes(mobile, session.id, self.view.sight(session))
        welcome(mobile)

    def resident(self, template: str, x: int, y: int) -> Mobile:
        """Somebody who lives here."""
        kind = self.content.mobiles[template]
        mobile = Mobile(self.world.serials.mobile(), self.world, kind.name, template=kind)
        self.world.enter(mobile, self.world.realms["plain"], x, y)
        return mobile

    def connect(self, door: str = "login") -> Player:
        """A client that has said nothing yet."""
        number = len(self.players) + 1
        session = Eq2Session(
            number=number,
            family=self.family,
            door=door,
            peer="127.0.0.1",
            local="127.0.0.1:9100",
            codec=cast("Codec", Wire()),
            services=cast("Services", _Services(self)),
        )
        session.link = line = Line()
        player = Player(self, session, line)
        self.sessions[number] = session
        self.players.append(player)
        return player

    async def logged_in(self, name: str) -> Player:
        """A client at the login door that has shown its password and is shown worlds and characters."""
        self.passwords.setdefault(name, PASSWORD)
        player = self.connect()
        await player.says(LoginRequest(user=name, password=PASSWORD, version=VERSION))
        await player.says(WorldListRequest(), CharactersRequest())
        return player

    async def sent_on(self, name: str) -> tuple[Player, PlayReply]:
        """A client that has chosen its first character, and what it was told."""
        if name not in self.owned:
            self.make_character(name, NewCharacter(name, False, 3, 1104, 1003))
        player = await self.logged_in(name)
        await player.says(PlayCharacter(id=self.owned[name][0].serial, server_id=1, name=name))
        return player, player.took(PlayReply)[-1]

    async def zoning(self, name: str, at: tuple[int, int] = START) -> Player:
        """A client that has come to the world's door and is told to load its zone."""
        if name not in self.owned:
            mobile = self.make_character(name, NewCharacter(name, False, 3, 1104, 1003))
            self.world.enter(mobile, self.world.realms["plain"], *at)
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

    # The turn

    def turn(self, woken: Sequence[Eq2Session] = (), *, begun: bool = False) -> None:
        """Timers, changes, flush."""
        if not begun:
            self.world.begin(self.now)
        self.world.run_timers()
        blind = [s for s in woken if s.blind and s.eyes is not None and not s.loading]
        Fanout(cast("dict[int, Session]", self.sessions), self.world.take_changes()).run(blind)
        for player in self.players:
            player.flush()

    async def wait(self, seconds: float) -> None:
        """Time passes, in turns of 10 ms, or of 50 ms if it is long."""
        turn = 0.01 if seconds < 3 else 0.05
        for _ in range(round(seconds / turn)):
            self.now += turn
            self.turn()


@attrs.define(eq=False)
class Player:
    """One client and its session."""

    desk: Desk
    session: Eq2Session
    line: Line
    got: list[Message] = attrs.field(factory=list)
    """What it was sent and nobody took yet."""
    state: MovementState = attrs.field(factory=MovementState)
    """How its character moves, as it said last."""

    @property
    def mobile(self) -> Mobile:
        """Its character."""
        assert self.session.mobile is not None
        return self.session.mobile

    @property
    def tile(self) -> tuple[int, int]:
        """Where the world has its character."""
        return self.mobile.x, self.mobile.y

    async def says(self, *messages: Message) -> None:
        """Handle what it sends, each in its own turn."""
        for message in messages:
            await self._says(message)

    async def _says(self, message: Message) -> None:
        session, table = self.session, self.desk.table
        self.desk.world.begin(self.desk.now)
        frame = bytes((session.build.index,)) + session.build.encode(message)
        entry = table.entry(table.opcode_of_frame(frame))
        assert entry is not None
        packet = entry.decode(frame)
        try:
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
        self.desk.turn([session], begun=True)

    def flush(self) -> None:
        """What the server queued, to the client."""
        session = self.session
        queued, session.outbox = session.outbox, []
        for message in queued:
            raw = message.raw if isinstance(message, Body) else message.bind(session)
            if raw:
                self.got += session.build.decode_server(raw)

    def hang_up(self) -> None:
        """Its connection is gone, and nobody holds it any more."""
        self.session.link = NO_LINK

    def took(self, kind: type[M]) -> list[M]:
        """What came of a kind; it counts no more."""
        found: list[M] = [message for message in self.got if isinstance(message, kind)]
        self.got = [message for message in self.got if not isinstance(message, kind)]
        return found

    def kinds(self) -> list[str]:
        """What it was sent, by name, in order."""
        return [type(message).__name__ for message in self.got]

    def moves_to(self, x: float, y: float, /, **changes: float) -> Movement:
        """The message that its character is at a spot, in tiles of its realm; other fields of the state by
        name."""
        before = self.desk.builds.newest.pack_struct(self.state)
        self.state = attrs.evolve(self.state, x=CORNER[0] + x, y=CORNER[1], z=CORNER[2] + y)
        for name, value in changes.items():
            setattr(self.state, name, value)
        return Movement(packed=pack(xor(self.desk.builds.newest.pack_struct(self.state), before)))

    async def goes(self, x: float, y: float, /, **changes: float) -> None:
        """Say that its character is there."""
        await self.says(self.moves_to(x, y, **changes))

    async def types(self, line: str) -> None:
        """Type a slash command."""
        word, _, arguments = line.partition(" ")
        await self.says(RemoteCmd(index=commands.number_of(word), arguments=arguments))

    def gives(self, key: str, amount: int = 1) -> None:
        """Put something into its pack."""
        pack_ = self.mobile.backpack
        assert pack_ is not None
        item = holding.make(self.desk.world, key, amount=amount, stored=False)
        holding.put(pack_, item)
        self.desk.world.register(item)


class _Services:
    """The desk by the names of `protocol.services.Services`: two of its methods are called `enter`."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.accounts = desk
        self.characters = _Characters(desk)
        self.tickets = desk.tickets
        self.world = desk.world
        self.content = desk.content
        self.server_name = desk.server_name
        self.character_limit = desk.character_limit
        self.in_world = desk.in_world
        self.relay_address = desk.relay_address
        self.command = desk.command
        self.online = desk.online

    @property
    def closed(self) -> str:
        return self._desk.closed


class _Characters:
    def __init__(self, desk: Desk) -> None:
        self.all = desk.all
        self.create = desk.create
        self.delete = desk.delete
        self.enter = desk.enter_world
