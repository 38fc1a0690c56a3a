"""Conquer Online's handlers and view over a small world, without tasks and without the wire: packets in, a
turn, packets out.

    desk = Desk()
    alric = await desk.enter("alric")
    await alric.says(Walk(alric.number, 6))
    alric.took(Walk)

Accounts and characters are kept in dicts (`tests.kit.desk`); layouts, looks, tickets and the fan-out are the
real ones.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import attrs

from protocol import co
from protocol.co import rc5
from protocol.co.exchange import Keys, Offer
from protocol.co.packets import (
    SERVER_MESSAGES,
    Account,
    Action,
    ActionType,
    Connect,
    ConnectEx,
    ConnectReject,
    ItemAction,
    NpcEvent,
    Talk,
    pack_xy,
)
from protocol.co.packets import Npc as Click
from protocol.co.patches import Patch
from protocol.co.session import ACCOUNT_DOOR, GAME_DOOR, CoSession
from protocol.endings import Ending, Refused, WireError
from protocol.family import Table, Where
from protocol.services import NewCharacter
from protocol.session import NO_LINK, Phase
from server.content import load
from tests.kit.co_screen import Screen
from tests.kit.desk import PASSWORD, Line, Office, OfficeServices
from world import holding
from world.content import Chart, Content, Scenery, TileKind, Warp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.co.exchange import ExchangeReply
    from protocol.co.packets import Message
    from protocol.family import Codec
    from protocol.services import Services
    from world.item import Item
    from world.mobile import Mobile

M = TypeVar("M")
T = TypeVar("T")

SIDE = 60
START = (20, 20)
WALL = (20, 18)
"""Opaque."""
SEAT = (23, 20)
"""A chair that faces west; one sits down from (22, 20)."""
DOOR = (20, 22)
WARP = (30, 20)
"""Leads to (5, 5) of the same realm."""
CAVE_MOUTH = (32, 20)
"""Leads to the cave, which is on another of the client's maps."""
VOID_MOUTH = (34, 20)
"""Leads to where this game has no place."""
HILL = (24, 16)
"""Higher than anybody jumps."""
LEDGE = (16, 16)
"""As high as one just jumps."""
CORNER = (400, 500)
"""Of the plain, on the client's map."""
DOCUMENT, MAP = 1010, 1002
CAVE_DOCUMENT = 1020
BUILD = 123
FIRST_PLAYER = 1_000_000


@cache
def _shipped() -> Content:
    return load(Path(__file__).parents[2] / "data")


@cache
def small_content() -> Content:
    """The realm "plain" with a wall, a chair, a door, heights and three warps; "cave" elsewhere; "void"
    nowhere. Items, people and looks are the shipped ones."""
    grass = TileKind("grass", "grass", "ground")
    wall = TileKind("wall", "wall", "wall_south", walkable=False, height=20)
    blocked = bytearray(SIDE * SIDE)
    for x, y in (WALL, SEAT):
        blocked[y * SIDE + x] = 1
    heights = [0] * (SIDE * SIDE)
    heights[HILL[1] * SIDE + HILL[0]], heights[LEDGE[1] * SIDE + LEDGE[0]] = 211, 210

    def chart(name: str, atlas: dict[str, int] | None) -> Chart:
        main = name == "plain"
        return Chart(
            name,
            f"The {name.title()}",
            SIDE,
            SIDE,
            [grass] * (SIDE * SIDE),
            (Scenery(wall, *WALL),) if main else (),
            bytes(blocked) if main else bytes(SIDE * SIDE),
            [START],
            seats={SEAT: 6} if main else {},
            doors=frozenset({DOOR}) if main else frozenset(),
            heights=tuple(heights) if main else (),
            warps={
                WARP: Warp("plain", 5, 5),
                CAVE_MOUTH: Warp("cave", 5, 5),
                VOID_MOUTH: Warp("void", 5, 5),
            }
            if main
            else {},
            atlas={} if atlas is None else {"co": atlas},
        )

    charts = {
        "plain": chart("plain", {"map": MAP, "document": DOCUMENT, "x": CORNER[0], "y": CORNER[1]}),
        "cave": chart("cave", {"map": CAVE_DOCUMENT, "document": CAVE_DOCUMENT, "x": 0, "y": 0}),
        "void": chart("void", None),
    }
    return attrs.evolve(_shipped(), charts=charts, start_realm="plain")


def place_of(x: int, y: int) -> tuple[int, int]:
    """A tile of the plain on the client's map."""
    return CORNER[0] + x, CORNER[1] + y


class Wire:
    """Stands in for both codecs."""

    peer_closed = False

    def __init__(self, patch: Patch, settings: Mapping[str, object]) -> None:
        self.patch = patch
        self.settings = settings
        self.agreed = patch < Patch.P5065
        """Whether it has its keys."""
        self.begun = 0
        """How often it was told to speak first."""

    def begin(self) -> None:
        self.begun += 1

    def keys_of(self, reply: ExchangeReply) -> Keys:
        return Offer.draw(random.Random(1).randbytes).keys(reply)

    def adopt(self, keys: Keys) -> None:
        assert not self.agreed
        self.agreed = True


class CoOfficeServices(OfficeServices):
    """With a thread that is none."""

    async def aside(self, call: Callable[[], T]) -> T:
        return call()


class Desk(Office[CoSession]):
    """The server's side: Services, accounts, characters and the turn in one."""

    def __init__(self, content: Content | None = None, *, patch: Patch = Patch.P5017) -> None:
        content = content or small_content()
        super().__init__(content, co.family(content), START)
        self.ports = {ACCOUNT_DOOR: 9958, GAME_DOOR: 5816}
        self.patch = patch
        self.players: list[Player] = []

    def connect(self, door: str = ACCOUNT_DOOR, *, peer: str = "127.0.0.1") -> Player:
        """A client that has said nothing yet, and to which nothing was said."""
        number = len(self.players) + 1
        session = CoSession(
            number=number,
            family=self.family,
            door=door,
            peer=peer,
            local=f"127.0.0.1:{self.ports[door]}",
            codec=cast("Codec", Wire(self.patch, {"patch": int(self.patch)})),
            services=cast("Services", CoOfficeServices(self)),
        )
        player = Player(self, session)
        session.link = player.line
        self.sessions[number] = session
        self.players.append(player)
        return player

    async def token(self, name: str, *, peer: str = "127.0.0.1") -> ConnectEx:
        """What the account server gives out for an account."""
        self.passwords.setdefault(name, PASSWORD)
        player = self.connect(peer=peer)
        await player.says(Account(name, rc5.encipher_password(PASSWORD), "Causeway"))
        answer = player.only(ConnectEx)
        player.hang_up()
        return answer

    async def at_the_door(self, name: str) -> Player:
        """A client that has shown its token at the game's door; what that says is untaken."""
        token = await self.token(name)
        player = self.connect(GAME_DOOR)
        await player.says(Connect(token.token_low, token.token_high, BUILD))
        return player

    async def enter(self, name: str, at: tuple[int, int] = START, *, female: bool = False) -> Player:
        """A client whose character stands in the world and that has loaded; what it was sent on the way is
        forgotten."""
        if name not in self.owned:
            self.makes(name, at, female=female)
        player = await self.at_the_door(name)
        await player.loads()
        await self.wait(0.3)
        player.got.clear()
        return player

    def makes(
        self, account: str, at: tuple[int, int] = START, *, name: str = "", female: bool = False
    ) -> Mobile:
        """A character of an account; it stands there already."""
        mobile = self.make_character(account, NewCharacter(name or account, female, 3, 1104, 1003))
        self.world.enter(mobile, self.world.realms["plain"], *at)
        return mobile


class Player:
    """One client and its session."""

    def __init__(self, desk: Desk, session: CoSession) -> None:
        self.desk = desk
        self.session = session
        self.line = Line(self.flush)
        self.got: list[Message] = []
        """What it was sent and nobody took yet."""
        self.raw: list[bytes] = []
        """All that it was sent, as it came."""
        self.screen = Screen(lambda: desk.now, int(desk.patch))

    @property
    def mobile(self) -> Mobile:
        """Its character."""
        assert self.session.mobile is not None
        return self.session.mobile

    @property
    def number(self) -> int:
        """Its character's."""
        selected = self.session.selected
        assert selected is not None
        return FIRST_PLAYER + selected.serial

    @property
    def tile(self) -> tuple[int, int]:
        """Where the world has its character."""
        return self.mobile.x, self.mobile.y

    @property
    def wire(self) -> Wire:
        """What stands in for its codec."""
        return cast("Wire", self.session.codec)

    @property
    def table(self) -> Table[CoSession]:
        """What it may send."""
        return cast("Table[CoSession]", self.desk.family.doors[self.session.door].table)

    # Out

    async def says(self, *messages: Message) -> None:
        """Handle what it sends, each in its own turn."""
        for message in messages:
            await self.sends(message.encode(self.desk.patch))

    async def sends(self, *frames: bytes) -> None:
        """The same with whole packets. What the table does not know is skipped."""
        for frame in frames:
            self.desk.world.begin(self.desk.now)
            await self._handle(frame)
            while self.line.jobs:
                try:
                    await self.line.jobs.pop(0)()
                except Refused as refusal:
                    self._refused(refusal)
            self.desk.turn([self.session], begun=True)

    async def sends_at_once(self, *frames: bytes) -> None:
        """The same, all in one turn."""
        self.desk.world.begin(self.desk.now)
        for frame in frames:
            await self._handle(frame)
        self.desk.turn([self.session], begun=True)

    async def _handle(self, frame: bytes) -> None:
        session = self.session
        entry = self.table.entry(self.table.opcode_of_frame(frame))
        if entry is None:
            assert self.table.tolerant
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
            self._refused(refusal)

    def _refused(self, refusal: Refused) -> None:
        self.session.send(*refusal.farewell)  # type: ignore[arg-type] # messages of this game
        self.line.end(refusal.ending, str(refusal))

    async def acts(self, kind: ActionType, **fields: int) -> None:
        """Action of its own character."""
        await self.says(Action.of(kind, self.number, **fields))

    async def jumps(self, x: int, y: int, *, claims: tuple[int, int] | None = None) -> None:
        """To a tile of the plain. `claims`: where it says that it stands."""
        at = place_of(*(claims or self.tile))
        await self.acts(ActionType.JUMP, data=pack_xy(*place_of(x, y)), x=at[0], y=at[1])

    async def clicks(self, thing: Mobile) -> None:
        """On somebody it sees."""
        await self.says(Click(self.session.view.figures.ids.of(thing), 0, NpcEvent.ACTIVATE))

    async def talks(self, words: str, channel: int, hearer: str = "") -> None:
        """Talk."""
        await self.says(Talk(0xFFFFFF, channel, 0, 1230, 0, 0, ("whoever", hearer, "", words)))

    async def handles(self, kind: int, number: int, data: int = 0) -> None:
        """ItemAction."""
        await self.says(ItemAction(number & 0xFFFF_FFFF, data, kind, 7))

    async def loads(self) -> None:
        """From ANSWER_OK to a client that plays."""
        for kind in (
            *(ActionType.ENTER_MAP, ActionType.SURROUNDINGS, ActionType.ITEMS, ActionType.FRIENDS),
            *(ActionType.WEAPON_SKILLS, ActionType.MAGIC, ActionType.GUILD, ActionType.LOGIN_COMPLETE),
        ):
            await self.acts(kind)

    # In

    def flush(self) -> None:
        """What the server queued, to the client."""
        session = self.session
        queued, session.outbox = session.outbox, []
        for raw in session.finished(queued):
            self.raw.append(raw)
            self.screen.show(raw)
            self.got.append(read(raw, self.desk.patch))

    def ended(self) -> Ending | None:
        """How its connection ended, if it did."""
        return self.line.ending

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

    def actions(self, kind: ActionType) -> list[Action]:
        """The Actions of a kind that came; they count no more."""
        found = [told for told in self.got if isinstance(told, Action) and told.action == kind]
        self.got = [told for told in self.got if told not in found]
        return found

    def lines(self) -> list[str]:
        """The words of all that was said; they count no more."""
        return [talk.words for talk in self.took(Talk)]

    def kinds(self) -> list[str]:
        """What it was sent, by name and action, in order."""
        return [
            f"{type(told).__name__} {ActionType(told.action).name}"
            if isinstance(told, Action)
            else type(told).__name__
            for told in self.got
        ]

    def gives(self, key: str, amount: int = 1) -> Item:
        """Put something into its pack."""
        pack = self.mobile.backpack
        assert pack is not None
        item = holding.make(self.desk.world, key, amount=amount, stored=False)
        holding.put(pack, item)
        self.desk.world.register(item)
        return item


_BY_TYPE = {message.type: message for message in SERVER_MESSAGES if message is not ConnectReject}


def read(packet: bytes, patch: Patch) -> Message:
    """A packet of the server's."""
    kind = int.from_bytes(packet[2:4], "little")
    cls = ConnectReject if (kind, len(packet)) == (1055, 12) else _BY_TYPE[kind]
    return cls.decode(packet, patch)
