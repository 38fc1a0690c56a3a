"""Small worlds for tests of rules: one open realm with a few walls, no data files."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from protocol.services import CharacterInfo
from world.content import Chart, Content, ItemTemplate, MobileTemplate, Resident, Scenery, TileKind, Warp
from world.directory import Known
from world.events import Said
from world.item import Layer
from world.mobile import Mobile
from world.offers import Offers, Shop, Ware
from world.serials import Serials
from world.space import Sight
from world.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

GRASS = TileKind("grass", "grass", "ground")
WALL = TileKind("wall", "wall", "wall_south", walkable=False, height=20)


BAKER = MobileTemplate(
    "baker",
    "Greta",
    "the baker",
    roles=("merchant",),
    offers=Offers(
        Shop(
            (Ware("bread", 4, stock=20, restock=60.0), Ware("dagger", 30), Ware("sack", 5)),
            {"bread": 2, "dagger": 15, "sack": 2, "apple": 2},
        )
    ),
)


def plain_content(
    *,
    width: int = 60,
    height: int = 60,
    walls: frozenset[tuple[int, int]] = frozenset(),
    residents: tuple[Resident, ...] = (),
    warps: dict[tuple[int, int], Warp] | None = None,
) -> Content:
    """One realm "plain" of grass with walls, and a second one, "cave", to warp to."""
    blocked = bytes(1 if (x, y) in walls else 0 for y in range(height) for x in range(width))
    plain = Chart(
        "plain",
        "The Plain",
        width,
        height,
        [GRASS] * (width * height),
        [Scenery(WALL, x, y) for x, y in sorted(walls)],
        blocked,
        [(10, 10)],
        warps=warps or {},
        residents=residents,
    )
    cave = Chart("cave", "The Cave", 20, 20, [GRASS] * 400, (), bytes(400), [(5, 5)])
    items = {
        "backpack": ItemTemplate("backpack", "backpack", Layer.BACKPACK, 3, container=True),
        "shirt": ItemTemplate("shirt", "shirt", Layer.SHIRT),
        "pants": ItemTemplate("pants", "pants", Layer.PANTS),
        "skirt": ItemTemplate("skirt", "skirt", Layer.OUTER_LEGS),
        "shoes": ItemTemplate("shoes", "shoes", Layer.SHOES),
        "gold": ItemTemplate("gold", "gold coin", stackable=True, plural="gold coins"),
        "dagger": ItemTemplate("dagger", "dagger", Layer.ONE_HANDED),
        "candle": ItemTemplate("candle", "candle", Layer.TWO_HANDED),
        "bread": ItemTemplate("bread", "loaf of bread", stackable=True),
        "apple": ItemTemplate("apple", "apple", stackable=True, plural="apples"),
        "sack": ItemTemplate("sack", "sack", container=True),
        "bank_box": ItemTemplate("bank_box", "bank box", container=True, movable=False),
    }
    mobiles = {
        "player": MobileTemplate(
            "player",
            "player",
            worn=(("shirt", 0), ("pants", 0), ("shoes", 0)),
            worn_female=(("shirt", 0), ("skirt", 0), ("shoes", 0)),
            carried=(("gold", 100), ("dagger", 1), ("candle", 1), ("bread", 2)),
        ),
        "healer": MobileTemplate("healer", "Anna", "the healer", female=True, notoriety=7, roles=("healer",)),
        "banker": MobileTemplate("banker", "Osric", "the banker", notoriety=7, roles=("banker",)),
        "baker": BAKER,
        "sheep": MobileTemplate("sheep", "a sheep", hits=12, notoriety=3, creature=True),
        "crier": MobileTemplate("crier", "Otto", "the crier", notoriety=7, roles=("crier",)),
    }
    return Content(
        {"grass": GRASS, "wall": WALL}, mobiles, items, {"plain": plain, "cave": cave}, {}, "plain"
    )


def plain_world(content: Content | None = None, *, seed: int = 1) -> World:
    """A world over `plain_content`."""
    return World(content or plain_content(), Serials(), chance=random.Random(seed))


def goes_on(world: World, seconds: float) -> None:
    """Let time pass, in turns of a tenth of a second."""
    for _ in range(round(seconds * 10)):
        world.begin(world.now + 0.1)
        world.run_timers()


def person(
    world: World, name: str = "Alric", x: int = 10, y: int = 10, *, realm: str = "plain", stored: bool = False
) -> Mobile:
    """A character that stands there."""
    mobile = Mobile(
        world.serials.mobile(),
        world,
        name,
        template=world.content.mobiles["player"],
        account=1,
        stored=stored,
        online=True,
    )
    world.enter(mobile, world.realms[realm], x, y)
    return mobile


def player(world: World, name: str = "Alric", x: int = 10, y: int = 10) -> Mobile:
    """A character that stands there, and whose client sees the plain around it."""
    mobile = person(world, name, x, y)
    world.open_viewport(mobile, mobile.serial, Sight(18))
    return mobile


def rename(mobile: Mobile, name: str) -> None:
    """Let a character be called otherwise, by whoever looks for it too; no rule does that."""
    mobile.name = name
    mobile.world.directory.forget(mobile.serial)
    mobile.world.directory.note(Known(mobile.serial, name, mobile.short_name, mobile.account))


def lines_of(mobile: Mobile) -> list[str]:
    """The lines that a player read and nobody has taken yet."""
    events = mobile.world.events
    return [event.text for event in events if isinstance(event, Said) and mobile.viewport in event.viewers]


NUMBERS = ("hits", "hits_max", "mana", "mana_max", "stam", "stam_max", "level", "experience")


def change_a_number(mobile: Mobile, dice: random.Random) -> None:
    """Change something about a mobile that is no matter of looks."""
    setattr(mobile, dice.choice(NUMBERS), dice.randrange(100))


def a_line(
    world: World,
    numbers: Mapping[str, object] | None = None,
    *,
    worn: Mapping[int, str] | None = None,
    realm: str = "plain",
    deleted_in: float | None = None,
) -> CharacterInfo:
    """A line of a character list: Anna, but for what is said of her."""
    anna = Mobile(7, world, "Anna", template=world.content.mobiles["player"], realm=world.realms[realm])
    for name, value in (numbers or {}).items():
        setattr(anna, name, value)
    return CharacterInfo(anna, worn or {}, 0, deleted_in)
