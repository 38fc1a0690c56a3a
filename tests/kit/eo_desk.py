"""Endless Online's handlers and view over a small world, without tasks: bytes in, turn, bytes out.

    desk = Desk()
    alric = await desk.enter("alric")
    await alric.sends(alric.client.walk(Direction.Down))

The clients are eolib's (tests.kit.eo_client); everything else is real (`tests.kit.desk`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, cast

from protocol import eo
from protocol.endings import WireError
from protocol.eo.codec import EoCodec
from protocol.eo.packets.base import THREE_MAX
from protocol.eo.session import EoSession
from protocol.services import NewCharacter
from protocol.wire.args import CodecArgs, Role
from server.net.outbox import bodies_of
from tests.kit import desk as base
from tests.kit.desk import PASSWORD
from tests.kit.eo_client import EoClient
from world.content import (
    Chart,
    Content,
    Creature,
    ItemTemplate,
    Loot,
    MobileTemplate,
    Resident,
    Scenery,
    TileKind,
    Weapon,
)
from world.item import Layer
from world.mobile import Mobile
from world.offers import Offers, Shop, Ware
from world.rules.combat import Manner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eolib import Packet

    from protocol.dispatch import Table
    from protocol.eo.view import EoView
    from protocol.session import Phase

SIDE = 60
START = (20, 20)
SEAT = (23, 20)
"""A chair that faces west; one sits down from (22, 20)."""
DOOR = (20, 22)
WALL = (20, 18)
HEALER, CRIER = (24, 24), (16, 20)
VAULT = (30, 40)
"""A vault; one reaches it from (30, 41)."""

WORN = (("shirt", 0), ("shoes", 0))
"""By everybody who is made."""

_GRASS = TileKind("grass", "grass", "ground", look={"eo": {"ground": 1}})

_VAULT = TileKind(
    "vault", "vault", "object", walkable=False, look={"eo": {"object": 281, "spec": "BankVault"}}
)

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
    "corpse": (0, {"id": 13, "graphic": 28}),
    "bow": (Layer.TWO_HANDED, {"id": 14, "graphic": 9, "type": "Weapon", "doll": 42, "female_doll": 42}),
    "arrow": (0, {"id": 15, "graphic": 9, "type": "Shield", "doll": 14, "female_doll": 14}),
    "bank_box": (0, {"id": 16, "graphic": 25}),
    "crown": (Layer.HELM, {"id": 17, "graphic": 9, "type": "Hat", "doll": 6}),
}

DAGGER = Weapon("daggers", 3, 6, 1800, Manner.PIERCE)
BOW = Weapon("bows", 5, 10, 2800, Manner.SHOOT, reach=10, nearest=2, ammunition="arrow")
WEAPONS = {"dagger": DAGGER, "bow": BOW}
WOLF = Creature(
    level=1, hits=30, armour=0, skill=10.0, least=2, most=4, loot=(Loot("gold", 7, 7), Loot("hat"))
)
SHOP = Shop(
    (
        Ware("bread", 4, stock=20, restock=60.0),
        Ware("dagger", 30),
        Ware("arrow", 1),
        Ware("crown", THREE_MAX + 1),
    ),
    {"bread": 2, "dagger": 15, "ring": 9},
)


@cache
def small_content() -> Content:
    """The realm "plain" with a wall, a chair, a door, a healer and a crier; "cave" next to it; "void" without
    EO map."""
    blocked = bytearray(SIDE * SIDE)
    for x, y in (WALL, SEAT, VAULT):
        blocked[y * SIDE + x] = 1

    def chart(name: str, number: int | None, *, residents: Sequence[Resident] = ()) -> Chart:
        main = name == "plain"
        return Chart(
            name,
            f"The {name.title()}",
            SIDE,
            SIDE,
            [_GRASS] * (SIDE * SIDE),
            (Scenery(_VAULT, *VAULT),) if main else (),
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
            key,
            key,
            layer,
            stackable=not layer and key != "corpse",
            container=key in {"backpack", "corpse", "bank_box"},
            movable=key not in {"corpse", "bank_box"},
            weapon=WEAPONS.get(key),
            look={"eo": look},
        )
        for key, (layer, look) in _ITEMS.items()
    }
    people = {
        "hair_hue": {"eo": tuple(range(1102, 1112)), "spread": tuple(range(10))},
        "skin_hue": {"eo": tuple(range(1002, 1009)), "spread": (0, 1, 2)},
    }
    return Content({"grass": _GRASS, "vault": _VAULT}, _mobiles(), items, charts, people, "plain")


def _mobiles() -> dict[str, MobileTemplate]:
    return {
        "player": MobileTemplate(
            "player",
            "player",
            worn=WORN,
            worn_female=WORN,
            carried=(("gold", 100),),
            look={"eo": {}},
        ),
        "healer": MobileTemplate(
            "healer", "Ysolde", roles=("healer",), look={"eo": {"id": 1, "graphic": 86, "type": "Quest"}}
        ),
        "crier": MobileTemplate(
            "crier", "Otto", roles=("crier",), look={"eo": {"id": 2, "graphic": 24, "type": "Friendly"}}
        ),
        "banker": MobileTemplate(
            "banker", "Osric", roles=("banker",), look={"eo": {"id": 4, "graphic": 20, "type": "Bank"}}
        ),
        "baker": MobileTemplate(
            "baker",
            "Greta",
            roles=("merchant",),
            offers=Offers(SHOP),
            look={"eo": {"id": 5, "graphic": 20, "type": "Shop"}},
        ),
        "stranger": MobileTemplate("stranger", "Vagrant", look={"eo": {}}),
        "wolf": MobileTemplate(
            "wolf",
            "a wolf",
            creature=True,
            fights=WOLF,
            hits=WOLF.hits,
            look={"eo": {"id": 3, "graphic": 57, "type": "Aggressive"}},
        ),
        "bandit": MobileTemplate(
            "bandit", "a bandit", creature=True, fights=WOLF, hits=WOLF.hits, look={"eo": {}}
        ),
    }


class Desk(base.Desk):
    """The server's side. Whoever comes may make an account."""

    def __init__(self, content: Content | None = None) -> None:
        super().__init__(content or small_content(), eo.family, "[listen.eo]", START)
        self.change("accounts", auto_create=True)
        self.view = cast("EoView", self.family.view)
        self.table = cast("Table[EoSession]", self.family.doors["game"].table)
        self.players: list[Player] = []

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
            services=self.app,
        )
        player = Player(self, session)
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
        self.account(name)
        player = await self.greeted()
        await player.sends(player.client.login(name, PASSWORD))
        return player

    async def enter(self, name: str, at: tuple[int, int] = START, *, female: bool = False) -> Player:
        """A client whose character stands in the world."""
        if not self.owned(name):
            self.make_character(name, NewCharacter(name, female, 3, 1104, 1003), at)
        player = await self.logged_in(name)
        await player.sends(player.client.select(player.client.menu[0].id))
        await player.sends(player.client.download_all())
        await player.sends(player.client.enter())
        return player

    async def settle(self) -> None:
        """A turn; then the clients' own answers, in turns of their own."""
        await super().settle()
        for player in self.players:
            if data := player.client.answers():
                await player.sends(data)


class Player(base.Player[EoSession]):
    """One client and its session."""

    desk: Desk

    def __init__(self, desk: Desk, session: EoSession) -> None:
        super().__init__(desk, session)
        self.client = EoClient()

    @property
    def phase(self) -> Phase:
        """How far it has come."""
        return self.session.phase

    async def sends(self, data: bytes) -> None:
        """Handle what it sent: as many packets as there are, all in one turn."""
        codec = self.session.codec
        codec.receive(data, self.desk.now)
        try:
            while (frame := codec.next_frame()) is not None:
                await self.line.takes(frame)
        except WireError as error:
            self.line.end(error.ending, str(error))
        await self.desk.settle()

    def flush(self) -> None:
        """What the server queued, to the client."""
        session = self.session
        queued, session.outbox = session.outbox, []
        session.codec.send_many(bodies_of(queued, session))
        self.client.feed(b"".join(session.codec.outgoing(self.desk.now)))

    def believes(self) -> None:
        """Fail unless the client's picture is the world, as far as it sees."""
        figures, client = self.desk.view.figures, self.client
        assert self.session.viewport is not None
        assert self.mobile.realm is not None
        seen = self.mobile.realm.space.seen_by(self.session.viewport)
        mobiles = [thing for thing in seen.values() if isinstance(thing, Mobile)]
        npcs = {figures.npc_index(m): (m.x, m.y) for m in mobiles if figures.is_npc(m)}
        people = {figures.player_id(m): (m.x, m.y) for m in [*mobiles, self.mobile] if not figures.is_npc(m)}
        drawn_npcs = {number: (drawn.x, drawn.y) for number, drawn in client.npcs.items()}
        drawn_people = {number: (drawn.x, drawn.y) for number, drawn in client.characters.items()}
        assert drawn_npcs == npcs, f"{drawn_npcs} are drawn, {npcs} are there"
        assert drawn_people == people, f"{drawn_people} are drawn, {people} are there"
        assert len(client.items) == len(seen) - len(mobiles)


def fresh(player: Player, kind: type[Packet]) -> list[Packet]:
    """What came of a kind since the last look, and forget all that came."""
    found = [packet for packet in player.client.received if isinstance(packet, kind)]
    player.client.received.clear()
    return found
