"""Endless Online's handlers and view over a small world, without tasks: bytes in, turn, bytes out.

    desk = Desk()
    alric = await desk.enter("alric")
    await alric.sends(alric.client.walk(Direction.Down))

The clients are eolib's (tests.kit.eo_client); accounts and characters are kept in two dicts; the fan-out is
the server's own.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeVar, cast

import attrs

from protocol.endings import Ending, Refused, WireError
from protocol.eo import family
from protocol.eo.codec import EoCodec
from protocol.eo.session import EoSession
from protocol.family import Table, Where
from protocol.services import AccountInfo, CharacterInfo, Denial, Denied, NewCharacter
from protocol.session import Phase
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from server.fanout import Fanout
from tests.kit.eo_client import EoClient
from world import holding
from world.content import Chart, Content, ItemTemplate, MobileTemplate, Resident, TileKind
from world.item import Layer
from world.mobile import Mobile
from world.serials import Serials
from world.world import World

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from protocol.eo.view import EoView
    from protocol.services import Services
    from protocol.session import Session

T = TypeVar("T")

SIDE = 60
START = (20, 20)
SEAT = (23, 20)
"""A chair that faces west; one sits down from (22, 20)."""
DOOR = (20, 22)
WALL = (20, 18)
HEALER, CRIER = (24, 24), (16, 20)
PASSWORD = "secret1"

_GRASS = TileKind("grass", "grass", "ground", look={"eo": {"ground": 1}})

_ITEMS: dict[str, tuple[int, dict[str, object]]] = {
    "gold": (0, {"id": 1, "graphic": 35, "type": "Currency"}),
    "backpack": (Layer.BACKPACK, {"id": 2, "graphic": 25}),
    "shirt": (
        Layer.SHIRT,
        {"id": 3, "female_id": 4, "graphic": 9, "type": "Armor", "doll": 16, "female_doll": 14},
    ),
    "robe": (Layer.OUTER_TORSO, {"id": 5, "graphic": 9, "type": "Armor", "doll": 30}),
    "shoes": (Layer.SHOES, {"id": 6, "graphic": 9, "type": "Boots", "doll": 4, "female_doll": 4}),
    "dagger": (Layer.ONE_HANDED, {"id": 7, "graphic": 9, "type": "Weapon", "doll": 5}),
    "hat": (Layer.HELM, {"id": 8, "graphic": 9, "type": "Hat", "doll": 6}),
    "shield": (Layer.TWO_HANDED, {"id": 9, "graphic": 9, "type": "Shield", "doll": 7}),
    "death_robe": (Layer.OUTER_TORSO, {"id": 10, "graphic": 9, "type": "Armor", "doll": 50}),
    "bread": (0, {"id": 11, "graphic": 32}),
    "ring": (Layer.RING, {"id": 12, "graphic": 9, "type": "Ring"}),
}


def small_content() -> Content:
    """The realm "plain" with a wall, a chair, a door, a healer and a crier; "cave" next to it; "void" without
    EO map."""
    blocked = bytearray(SIDE * SIDE)
    for x, y in (WALL, SEAT):
        blocked[y * SIDE + x] = 1

    def chart(name: str, number: int | None, *, residents: Sequence[Resident] = ()) -> Chart:
        main = name == "plain"
        return Chart(
            name,
            f"The {name.title()}",
            SIDE,
            SIDE,
            [_GRASS] * (SIDE * SIDE),
            (),
            bytes(blocked) if main else bytes(SIDE * SIDE),
            [START],
            seats={SEAT: 6} if main else {},
            doors=frozenset({DOOR}) if main else frozenset(),
            residents=residents,
            atlas={"eo": {"map": number}} if number is not None else {},
        )

    charts = {
        "plain": chart("plain", 5),
        "cave": chart("cave", 6),
        "void": chart("void", None),
    }
    items = {
        key: ItemTemplate(
            key, key, layer, stackable=not layer, container=key == "backpack", look={"eo": look}
        )
        for key, (layer, look) in _ITEMS.items()
    }
    mobiles = {
        "player": MobileTemplate("player", "player", look={"eo": {}}),
        "healer": MobileTemplate("healer", "Ysolde", look={"eo": {"id": 1, "graphic": 86, "type": "Quest"}}),
        "crier": MobileTemplate("crier", "Otto", look={"eo": {"id": 2, "graphic": 24, "type": "Friendly"}}),
        "stranger": MobileTemplate("stranger", "Vagrant", look={"eo": {}}),
    }
    people = {
        "hair_hue": {"eo": tuple(range(1102, 1112)), "spread": tuple(range(10))},
        "skin_hue": {"eo": tuple(range(1002, 1009)), "spread": (0, 1, 2)},
    }
    return Content({"grass": _GRASS}, mobiles, items, charts, people, "plain")


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
        self.family = family(self.content)
        self.view = cast("EoView", self.family.view)
        self.table = cast("Table[EoSession]", self.family.doors["game"].table)
        self.dice = random.Random(2)
        self.sessions: dict[int, EoSession] = {}
        self.players: list[Player] = []
        self.passwords: dict[str, str] = {}
        self.belongings: dict[str, list[Mobile]] = {}
        """Characters by account."""
        self.deny: Denial | None = None
        """Why the next request about accounts or characters is refused."""
        self.waits = 0.0
        """Seconds for which nobody may log in."""
        self.orders: list[str] = []

    # Services

    async def login(self, session: Session, name: str, password: str) -> AccountInfo:
        self._refuse()
        if self.passwords.get(name) != password:
            raise Denied(Denial.BAD_CREDENTIALS)
        return AccountInfo(sorted(self.passwords).index(name) + 1, name)

    async def may_register(self, session: Session, name: str) -> None:
        self._refuse()
        if name in self.passwords:
            raise Denied(Denial.EXISTS)

    async def register(self, session: Session, name: str, password: str) -> AccountInfo:
        await self.may_register(session, name)
        self.passwords[name] = password
        return await self.login(session, name, password)

    async def change_password(self, session: Session, name: str, old: str, new: str) -> None:
        await self.login(session, name, old)
        self.passwords[name] = new

    def kept_out(self, session: Session) -> float:
        return self.waits

    def claim(self, session: Session, account: AccountInfo) -> None:
        return

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
            )
            for mobile in self.belongings.get(account.name, ())
        ]

    async def create(self, session: Session, wish: NewCharacter) -> None:
        self._refuse()
        assert session.account is not None
        self.make_character(session.account.name, wish)

    async def delete(self, session: Session, serial: int) -> None:
        assert session.account is not None
        mine = self.belongings[session.account.name]
        mine[:] = [mobile for mobile in mine if mobile.serial != serial]

    async def enter_world(self, session: Session, serial: int, welcome: Callable[[Mobile], None]) -> None:
        self._refuse()
        assert session.account is not None
        mobile = next(m for m in self.belongings[session.account.name] if m.serial == serial)
        session.phase = Phase.ENTERING
        self.attach(cast("EoSession", session), mobile, welcome)

    async def in_world(self, session: Session | None, call: Callable[[World], T]) -> T:
        return call(self.world)

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
        for key in ("shirt", "shoes"):
            holding.wear(mobile, holding.make(self.world, key, stored=False))
        pack = holding.make(self.world, "backpack", stored=False)
        holding.wear(mobile, pack)
        holding.put(pack, holding.make(self.world, "gold", amount=100, stored=False))
        self.belongings.setdefault(account, []).append(mobile)
        return mobile

    def attach(self, session: EoSession, mobile: Mobile, welcome: Callable[[Mobile], None]) -> None:
        """As the server does: the session plays this mobile from now on."""
        if mobile.realm is None:
            self.world.enter(mobile, self.world.realms["plain"], *START)
        elif mobile.eyes is not None:
            before = self.sessions[mobile.eyes.key]
            self.world.close_eyes(mobile)
            before.mobile = before.eyes = None
            before.known.clear()
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

    def connect(self) -> Player:
        """A client that has said nothing yet."""
        number = len(self.players) + 1
        session = EoSession(
            number=number,
            family=self.family,
            door="game",
            peer="127.0.0.1",
            local="127.0.0.1:8078",
            codec=EoCodec(CodecArgs(Role.SERVER, self.dice.randbytes)),
            services=cast("Services", _Services(self)),
        )
        session.link = line = Line()
        player = Player(self, session, EoClient(), line)
        self.sessions[number] = session
        self.players.append(player)
        return player

    async def greeted(self) -> Player:
        """A client that may log in."""
        player = self.connect()
        await player.sends(player.client.init())
        await player.sends(player.client.accept())
        return player

    async def logged_in(self, name: str) -> Player:
        """A client in the character menu."""
        self.passwords.setdefault(name, PASSWORD)
        player = await self.greeted()
        await player.sends(player.client.login(name, PASSWORD))
        return player

    async def enter(self, name: str, at: tuple[int, int] = START, *, female: bool = False) -> Player:
        """A client whose character stands in the world."""
        if name not in self.belongings:
            mobile = self.make_character(name, NewCharacter(name, female, 3, 1104, 1003))
            self.world.enter(mobile, self.world.realms["plain"], *at)
        player = await self.logged_in(name)
        await player.sends(player.client.select(player.client.menu[0].id))
        await player.sends(player.client.download_all())
        await player.sends(player.client.enter())
        return player

    # The turn

    async def turn(self, woken: Sequence[EoSession] = (), *, begun: bool = False) -> None:
        """Timers, changes, flush; then the clients' own answers, in a turn of their own."""
        if not begun:
            self.world.begin(self.now)
        self.world.run_timers()
        blind = [s for s in woken if s.blind and s.eyes is not None and not s.loading]
        Fanout(cast("dict[int, Session]", self.sessions), self.world.take_changes()).run(blind)
        for player in self.players:
            player.flush()
        for player in self.players:
            if data := player.client.answers():
                await player.sends(data)

    async def wait(self, seconds: float) -> None:
        """Time passes."""
        self.now += seconds
        await self.turn()


@attrs.define(eq=False)
class Player:
    """One client and its session."""

    desk: Desk
    session: EoSession
    client: EoClient
    line: Line

    @property
    def phase(self) -> Phase:
        """How far it has come."""
        return self.session.phase

    @property
    def mobile(self) -> Mobile:
        """Its character."""
        assert self.session.mobile is not None
        return self.session.mobile

    async def sends(self, data: bytes) -> None:
        """Handle what it sent, then take a turn."""
        session = self.session
        self.desk.world.begin(self.desk.now)
        session.codec.receive(data, self.desk.now)
        try:
            while (frame := session.codec.next_frame()) is not None:
                await self._handle(frame)
        except WireError as error:
            self.line.end(Ending.BAD_PACKET, str(error))
        except Refused as refusal:
            session.send(*refusal.farewell)  # type: ignore[arg-type] # packets of this game
            self.line.end(refusal.ending, str(refusal))
        await self.desk.turn([session], begun=True)

    async def _handle(self, frame: bytes) -> None:
        session, table = self.session, self.desk.table
        entry = table.entry(table.opcode_of_frame(frame))
        assert entry is not None
        packet = entry.decode(frame)
        if session.phase not in entry.phases:
            self.line.end(Ending.WRONG_PHASE, entry.name)
            return
        answer = entry.handler(session, packet)
        assert (answer is not None) is (entry.where is Where.HERE)
        if answer is not None:
            await answer

    def flush(self) -> None:
        """What the server queued, to the client."""
        session = self.session
        for message in session.outbox:
            session.codec.send(message if isinstance(message, Body) else Body(message.bind(session)))
        session.outbox.clear()
        self.client.feed(b"".join(session.codec.outgoing(self.desk.now)))

    def believes(self) -> None:
        """Fail unless the client's picture is the world, as far as it sees."""
        figures, client = self.desk.view.figures, self.client
        assert self.session.eyes is not None
        assert self.mobile.realm is not None
        seen = self.mobile.realm.space.seen_by(self.session.eyes)
        mobiles = [thing for thing in seen.values() if isinstance(thing, Mobile)]
        npcs = {figures.npc_index(m): (m.x, m.y) for m in mobiles if figures.is_npc(m)}
        people = {figures.player_id(m): (m.x, m.y) for m in [*mobiles, self.mobile] if not figures.is_npc(m)}
        drawn_npcs = {number: (drawn.x, drawn.y) for number, drawn in client.npcs.items()}
        drawn_people = {number: (drawn.x, drawn.y) for number, drawn in client.characters.items()}
        assert drawn_npcs == npcs, f"{drawn_npcs} are drawn, {npcs} are there"
        assert drawn_people == people, f"{drawn_people} are drawn, {people} are there"
        assert len(client.items) == len(seen) - len(mobiles)


class _Services:
    """The desk by the names of `protocol.services.Services`: two of its methods are called `enter`."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.accounts = desk
        self.characters = _Characters(desk)
        self.world = desk.world
        self.content = desk.content
        self.server_name = desk.server_name
        self.character_limit = desk.character_limit
        self.in_world = desk.in_world
        self.command = desk.command
        self.online = desk.online


class _Characters:
    def __init__(self, desk: Desk) -> None:
        self.all = desk.all
        self.create = desk.create
        self.delete = desk.delete
        self.enter = desk.enter_world
