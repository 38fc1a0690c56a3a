"""Conquer Online's handlers and view over a small world, without tasks and without the wire: packets in, a
turn, packets out.

    desk = Desk()
    alric = await desk.enter("alric")
    await alric.says(Walk(alric.number, 6))
    alric.took(Walk)

Everything but the codecs is real (`tests.kit.desk`).
"""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING, cast

import attrs

from protocol import co
from protocol.co import rc5
from protocol.co.exchange import ExchangeReply, Keys, Offer
from protocol.co.packets import (
    SERVER_MESSAGES,
    Account,
    Action,
    ActionType,
    Body,
    Channel,
    Connect,
    ConnectEx,
    ConnectReject,
    ItemAction,
    Message,
    NpcEvent,
    Profession,
    Register,
    Talk,
    UserAttrib,
    UserInfo,
    pack_xy,
)
from protocol.co.packets import Npc as Click
from protocol.co.session import ACCOUNT_DOOR, GAME_DOOR, CoSession
from protocol.co.versions import CoVersion
from protocol.co.view import CoView
from protocol.services import NewCharacter
from tests.kit import desk as base
from tests.kit.co_screen import Screen
from tests.kit.desk import PASSWORD
from tests.kit.in_memory import shipped_content
from world.content import Chart, Content, Scenery, TileKind, Warp
from world.item import Item
from world.mobile import Mobile, Posture

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.co.figures import Figures
    from protocol.endings import Ending
    from protocol.family import Codec

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
PORTS = {ACCOUNT_DOOR: 9958, GAME_DOOR: 5816}
BUILD = 123
FIRST_PLAYER = 1_000_000


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
    return attrs.evolve(shipped_content(), charts=charts, start_realm="plain")


def place_of(x: int, y: int) -> tuple[int, int]:
    """A tile of the plain on the client's map."""
    return CORNER[0] + x, CORNER[1] + y


class Wire:
    """Stands in for both codecs."""

    peer_closed = False
    pending = False

    def __init__(self, version: CoVersion, settings: Mapping[str, object]) -> None:
        self.version = version
        self.settings = settings
        self.agreed = version < CoVersion.V5065
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


class Desk(base.Desk):
    """The server's side."""

    def __init__(self, content: Content | None = None, *, version: CoVersion = CoVersion.V5017) -> None:
        super().__init__(content or small_content(), co.family, "[listen.co]", START)
        self.app.gateway.ports.update({("co", door): port for door, port in PORTS.items()})
        self.version = version
        self.players: list[Player] = []

    def connect(self, door: str = ACCOUNT_DOOR, *, peer: str = "127.0.0.1") -> Player:
        """A client that has said nothing yet, and to which nothing was said."""
        number = len(self.players) + 1
        session = CoSession(
            number=number,
            family=self.family,
            door=door,
            peer=peer,
            local=f"127.0.0.1:{PORTS[door]}",
            codec=cast("Codec", Wire(self.version, {"patch": int(self.version)})),
            services=self.app,
        )
        player = Player(self, session)
        self.players.append(player)
        return player

    async def token(self, name: str, *, peer: str = "127.0.0.1") -> ConnectEx:
        """What the account server gives out for an account."""
        self.account(name)
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
        if not self.owned(name):
            self.make_character(name, NewCharacter(name, female, 3, 1104, 1003), at)
        player = await self.at_the_door(name)
        await player.loads()
        await self.wait(0.3)
        player.got.clear()
        return player


class Player(base.Listener[CoSession, Message]):
    """One client and its session."""

    desk: Desk

    def __init__(self, desk: Desk, session: CoSession) -> None:
        super().__init__(desk, session)
        self.raw: list[bytes] = []
        """All that it was sent, as it came."""
        self.screen = Screen(lambda: desk.now, int(desk.version))

    @property
    def number(self) -> int:
        """Its character's."""
        selected = self.session.selected
        assert selected is not None
        return FIRST_PLAYER + selected.serial

    @property
    def figures(self) -> Figures:
        """What the server makes packets of things with."""
        return CoView.of(self.session).figures

    @property
    def wire(self) -> Wire:
        """What stands in for its codec."""
        return cast("Wire", self.session.codec)

    # Out

    async def says(self, *messages: Message) -> None:
        """Handle what it sends, each in its own turn."""
        for message in messages:
            await self.sends(message.encode(self.desk.version))

    async def acts(self, kind: ActionType, **fields: int) -> None:
        """Action of its own character."""
        await self.says(Action.of(kind, self.number, **fields))

    async def jumps(self, x: int, y: int, *, claims: tuple[int, int] | None = None) -> None:
        """To a tile of the plain. `claims`: where it says that it stands."""
        at = place_of(*(claims or self.tile))
        await self.acts(ActionType.JUMP, data=pack_xy(*place_of(x, y)), x=at[0], y=at[1])

    async def clicks(self, thing: Mobile) -> None:
        """On somebody it sees."""
        await self.says(Click(self.figures.ids.of(thing), 0, NpcEvent.ACTIVATE))

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

    def hears(self, raw: bytes) -> None:
        """One packet came."""
        self.raw.append(raw)
        self.screen.show(raw)
        self.got.append(read(raw, self.desk.version))

    def ended(self) -> Ending | None:
        """How its connection ended, if it did."""
        return self.line.ending

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


_BY_TYPE = {message.type: message for message in SERVER_MESSAGES if message is not ConnectReject}


def read(packet: bytes, version: CoVersion) -> Message:
    """A packet of the server's."""
    kind = int.from_bytes(packet[2:4], "little")
    cls = ConnectReject if (kind, len(packet)) == (1055, 12) else _BY_TYPE[kind]
    return cls.decode(packet, version)


def kicked_back(player: Player) -> tuple[int, int, int]:
    """The document and the place to which it was put back, once; that counts no more."""
    (told,) = player.actions(ActionType.TELEPORT)
    assert told.id == player.number
    return told.data, told.x, told.y


async def ready(desk: Desk, at: tuple[int, int] = START) -> Player:
    """Somebody whose next step or jump is due."""
    player = await desk.enter("alric", at)
    await desk.wait(1.0)
    return player


async def two(desk: Desk) -> tuple[Player, Player]:
    """Alric at 20, 20; Berta two tiles to the east. Both know each other."""
    players = await desk.enter("alric"), await desk.enter("berta", (22, 20))
    for player in players:
        player.got.clear()
    return players


def values(player: Player, number: int) -> dict[int, int]:
    """What was told of somebody's numbers; it counts no more."""
    told = [one for one in player.took(UserAttrib) if one.id == number]
    return {entry.attribute: entry.value for one in told for entry in one.attributes}


def answers(player: Player, channel: Channel = Channel.LOGIN) -> list[str]:
    """What was said on a channel; it counts no more."""
    told = player.took(Talk)
    assert {talk.channel for talk in told} <= {channel}
    return [talk.words for talk in told]


async def logs_in(desk: Desk, name: str) -> tuple[Player, str]:
    """A client at the game's door, and the name of the character it was given, or what it was told."""
    player = await desk.at_the_door(name)
    (words,) = answers(player)
    infos = player.took(UserInfo)
    return player, infos[0].names[0] if infos else words


def view_of(desk: Desk) -> CoView:
    """The view of its server."""
    return cast("CoView", desk.family.view)


def agree(desk: Desk) -> None:
    """Every client shows what its eyes see, each as it is and where it is; and nothing came that the original
    would have choked on."""
    view = view_of(desk)
    ids = view.figures.ids
    for player in desk.players:
        session, screen = player.session, player.screen
        if session.mobile is None or session.viewport is None or session.loading:
            continue
        realm, me = session.mobile.realm, screen.me
        assert realm is not None
        assert me is not None
        assert screen.faults == []
        place = view.places.of(session.mobile)
        assert place is not None
        assert (me.x, me.y) == (place.x, place.y)
        assert screen.document == place.document
        seen = realm.space.seen_by(session.viewport)
        assert session.known.keys() == seen.keys()
        shown = {*screen.people, *screen.npcs, *screen.ground}
        assert shown == {ids.of(thing) for thing in seen.values()}, session.mobile.name
        for thing in seen.values():
            place = view.places.of(thing)
            assert place is not None
            if isinstance(thing, Item):
                assert (screen.ground[thing.serial].x, screen.ground[thing.serial].y) == (place.x, place.y)
            elif isinstance(thing, Mobile):
                number = ids.of(thing)
                who = screen.people.get(number) or screen.npcs[number]
                assert (who.x, who.y) == (place.x, place.y), (session.mobile.name, thing.name)
                assert who.name == thing.name[:15]
                if not who.npc:
                    assert who.ghost is thing.dead
                    assert (who.pose == 100) is (thing.posture == Posture.STANDING)
        owned = {item.id: item.position for item in view.figures.inventory(session.mobile)}
        assert {number: item.position for number, item in screen.owned.items()} == owned


def form(name: str, *, body: int = Body.SLIM_MAN, profession: int = Profession.TROJAN) -> Register:
    """The filled-in form for a new character."""
    return Register("alric", name, "******", body, profession, 1)
