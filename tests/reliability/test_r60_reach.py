"""R-60: nobody acts on what is out of reach, out of sight, somebody else's or gone.

Every handler that names an item, against every way it may be none of the client's business. And a look at the
handlers' source: whoever looks up an item by a client's number asks `world.reach` or goes through
`world.hands`.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from protocol.uo.packets.things import (
    DoubleClick,
    Drop,
    DropOld,
    Equip,
    Lift,
    PropertiesRequest,
    PropertiesRequestOld,
    SingleClick,
)
from tests.kit.uo_stage import ITEM_IDS, Scene, uo_content
from world import hands, holding
from world.content import Content, ItemTemplate
from world.item import Item, Layer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from protocol.uo.packets.base import ClientPacket
    from protocol.uo.session import UoSession
    from world.mobile import Mobile
    from world.world import World

HANDLERS: Final = Path(__file__).parents[2] / "protocol"

ANSWERS: Final = {0x1C, 0xC1, 0xD6, 0x24, 0x3C, 0x25}
"""Packets that tell about an item or what is in it: label, tooltip, window, content."""


class Case:
    """Anna, who tries; Bert beside her; and a bag with bread in it, somewhere."""

    def __init__(self, version: tuple[int, int, int, int]) -> None:
        self.scene = Scene(content())
        self.anna = self.scene.person("Anna", 10, 10)
        self.bert = self.scene.person("Bert", 11, 10)
        self.world: World = self.scene.world
        self.bag, self.bread = (holding.make(self.world, key, stored=False) for key in ("bag", "bread"))
        holding.put(self.bag, self.bread)
        self.world.register(self.bag)
        self.version = version

    def lies(self, x: int, y: int) -> None:
        """The bag lies on a tile."""
        assert self.anna.realm is not None
        self.world.enter(self.bag, self.anna.realm, x, y)

    def packed(self, mobile: Mobile) -> None:
        """The bag is in somebody's pack."""
        pack = mobile.backpack
        assert pack is not None
        holding.put(pack, self.bag)

    def session(self) -> UoSession:
        """Anna's client, which has been shown what is in sight."""
        return self.scene.session(self.anna, self.version)

    def holders(self) -> dict[int, tuple[object, ...]]:
        """Where everything is, but for what Anna holds."""
        return {
            serial: (item.parent, item.layer, item.realm, item.x, item.y, item.amount)
            for serial, item in self.world.items.items()
            if item is not self.anna.held
        }


WALL: Final = (10, 11)


def content() -> Content:
    """With a bag, and a wall south of Anna."""
    made = uo_content(walls=frozenset({WALL}))
    bag = ItemTemplate("bag", "bag", Layer.SHIRT, container=True, look={"uo": {"item": ITEM_IDS["backpack"]}})
    return type(made)(
        made.tiles, made.mobiles, {**made.items, "bag": bag}, made.charts, made.people, made.start_realm
    )


# Ways in which the bag, or the bread in it, is none of her business; each returns what she names.


def too_far(case: Case) -> Item:
    """Three tiles away, in plain sight."""
    case.lies(13, 10)
    return case.bag


def behind_a_wall(case: Case) -> Item:
    """Two tiles away with a wall between."""
    case.lies(10, 12)
    return case.bag


def out_of_sight(case: Case) -> Item:
    """Beyond what she sees."""
    case.lies(50, 50)
    return case.bag


def in_anothers_pack(case: Case) -> Item:
    """Bert's, in his pack."""
    case.packed(case.bert)
    return case.bag


def inside_anothers_bag(case: Case) -> Item:
    """In a bag in Bert's pack."""
    case.packed(case.bert)
    return case.bread


def worn_by_another(case: Case) -> Item:
    """On Bert's body."""
    hands.lift(case.bert, case.bert.worn[Layer.SHIRT])
    assert case.bert.backpack is not None
    hands.stow(case.bert, case.bert.backpack)
    holding.wear(case.bert, case.bag)
    return case.bag


def in_anothers_hand(case: Case) -> Item:
    """Bert has just lifted it."""
    case.packed(case.bert)
    return hands.lift(case.bert, case.bag)


def deleted(case: Case) -> Item:
    """It was there a moment ago, as far as her client knows."""
    case.lies(10, 9)
    case.session()
    case.world.delete(case.bag)
    return case.bag


def held_by_the_dead(case: Case) -> Item:
    """At her feet, but she is dead."""
    case.lies(10, 10)
    case.anna.dead = True
    return case.bag


VIOLATIONS: Final[tuple[Callable[[Case], Item], ...]] = (
    too_far,
    behind_a_wall,
    out_of_sight,
    in_anothers_pack,
    inside_anothers_bag,
    worn_by_another,
    in_anothers_hand,
    deleted,
    held_by_the_dead,
)

VISIBLE: Final = {too_far, behind_a_wall, worn_by_another, held_by_the_dead}
"""One may ask what it is."""

TOUCHING: Final[dict[str, Callable[[Item, Item], ClientPacket]]] = {
    "lift": lambda named, own: Lift(named.serial, 1),
    "double click": lambda named, own: DoubleClick(named.serial),
    "drop into": lambda named, own: Drop(own.serial, 0xFFFF, 0xFFFF, 0, 0, named.serial),
    "drop at a place in": lambda named, own: Drop(own.serial, 50, 70, 0, 0, named.serial),
    "drop into, old": lambda named, own: DropOld(own.serial, 0xFFFF, 0xFFFF, 0, named.serial),
    "drop it": lambda named, own: Drop(named.serial, 0xFFFF, 0xFFFF, 0, 0, own.serial),
    "equip": lambda named, own: Equip(named.serial, 5, 1),
}

ASKING: Final[dict[str, Callable[[Item], ClientPacket]]] = {
    "single click": lambda named: SingleClick(named.serial),
    "tooltips": lambda named: PropertiesRequest((named.serial,)),
    "tooltip": lambda named: PropertiesRequestOld(named.serial),
}

VERSIONS: Final = ((7, 0, 102, 3), (5, 0, 9, 1))


@pytest.mark.parametrize("version", VERSIONS, ids=["new", "old"])
@pytest.mark.parametrize("violation", VIOLATIONS, ids=lambda violation: violation.__name__)
@pytest.mark.parametrize("handler", TOUCHING)
def test_r60_nothing_is_done_to_it(
    handler: str, violation: Callable[[Case], Item], version: tuple[int, int, int, int]
) -> None:
    case = Case(version)
    own = next(item for item in case.anna.backpack.contents.values() if item.template.key == "dagger")  # type: ignore[union-attr]
    named = violation(case)
    session = case.session()
    before = case.holders()
    if handler.startswith("drop") and handler != "drop it" and not case.anna.dead:
        hands.lift(case.anna, own)
    frames = case.scene.send(session, TOUCHING[handler](named, own))
    assert case.anna.held is None
    after = case.holders()
    assert after.keys() == before.keys()
    assert {serial: place for serial, place in after.items() if place != before[serial]} == {}
    told = [frame for frame in frames if frame[0] in ANSWERS]
    assert [frame for frame in told if case.bread.serial.to_bytes(4, "big") in frame] == []
    assert [frame for frame in told if frame[0] in (0x24, 0x3C)] == []
    if handler == "lift":
        assert frames[0][0] == 0x27


@pytest.mark.parametrize("violation", VIOLATIONS, ids=lambda violation: violation.__name__)
@pytest.mark.parametrize("handler", ASKING)
def test_r60_only_what_is_in_sight_is_told(handler: str, violation: Callable[[Case], Item]) -> None:
    case = Case(VERSIONS[0])
    named = violation(case)
    session = case.session()
    frames = case.scene.send(session, ASKING[handler](named))
    assert bool(frames) is (violation in VISIBLE)


@pytest.mark.parametrize("handler", TOUCHING)
def test_r60_what_is_within_reach_can_be_used(handler: str) -> None:
    """The matrix would pass if nothing ever worked."""
    case = Case(VERSIONS[0])
    case.lies(11, 9)
    case.anna.worn.pop(Layer.SHIRT)
    own = next(item for item in case.anna.backpack.contents.values() if item.template.key == "dagger")  # type: ignore[union-attr]
    session = case.session()
    if handler == "equip":
        hands.lift(case.anna, case.bag)
    elif handler == "drop it":
        case.scene.send(session, Lift(case.bag.serial, 1))
        assert case.anna.backpack is not None
        own = case.anna.backpack
    elif handler.startswith("drop"):
        hands.lift(case.anna, own)
    frames = case.scene.send(session, TOUCHING[handler](case.bag, own))
    match handler:
        case "lift":
            assert case.anna.held is case.bag
        case "double click":
            assert [frame[0] for frame in frames][:2] == [0x24, 0x3C]
        case "equip":
            assert case.anna.worn[Layer.SHIRT] is case.bag
        case "drop it":
            assert case.bag.parent is case.anna.backpack
        case _:
            assert own.parent is case.bag


# The source


ASKED: Final = {"can_see", "can_reach", "can_reach_tile", "can_take", "can_use"}


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """All functions of all games' handlers."""
    for path in sorted(HANDLERS.glob("*/handlers/*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path.parent.parent.name}/{path.stem}.{node.name}", node


def looks_up(node: ast.AST) -> bool:
    """Whether it finds things by a number of the client's: in the world's registers (`world.items`), or among
    the numbers a game gave (`ids.items`, `ids.item(...)`)."""
    return any(
        isinstance(part, ast.Attribute)
        and isinstance(part.value, ast.Name | ast.Attribute)
        and (part.value.id if isinstance(part.value, ast.Name) else part.value.attr, part.attr) in REGISTERS
        for part in ast.walk(node)
    )


REGISTERS: Final = {
    *((holder, register) for holder in ("world", "ids") for register in ("items", "mobiles")),
    *(("ids", "item"), ("ids", "mobile")),
}


def asks(node: ast.AST) -> bool:
    """Whether it asks `world.reach`, or hands what it found to `world.hands`."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            called = part.func
            if isinstance(called, ast.Name) and called.id in ASKED:
                return True
            if isinstance(called, ast.Attribute) and (
                called.attr in ASKED or (isinstance(called.value, ast.Name) and called.value.id == "hands")
            ):
                return True
    return False


def test_r60_whoever_looks_up_a_thing_asks_whether_it_may() -> None:
    found = [name for name, node in functions() if looks_up(node) and not asks(node)]
    assert [name for name in found if name not in HARMLESS] == []


def test_r60_the_source_check_finds_handlers() -> None:
    assert {name for name, node in functions() if looks_up(node)} >= {
        "uo/looking.find",
        "uo/things._liftable",
        "eo/things.pick_up",
        "co/things.pick_up",
    }


HARMLESS: Final = {
    "uo/things.equip_macro": "asks itself whether it is one's own; `world.hands` asks the rest",
    "co/counters._trade": "asks itself whether it is one's own; `world.shops` asks the rest",
    "co/things.own": "asks itself whether it is one's own; what follows goes through `world.hands`",
    "eo/things._tell_dropped": "numbers what the world has just put down",
    "eq2/inventory.held": "asks itself whether it is one's own or in one's vault; the rest asks the world",
    "l2/characters.send_characters": "whether one's own character is in the world, by a number of the store",
    "l2/characters._place": "where a character of one's own stands, by a number of the store",
    "l2/counters.follow": "`world.shops` and `world.vaults` ask whether it is near",
    "l2/friends._is_online": "whether a friend is there, by the number kept in one's own list",
    "l2/shortcuts._has": "whether it is one's own",
    "l2/ordering.own_item": "asks itself whether it is one's own; what follows goes through `world.hands`",
    "l2/boards.follow": "`world.boards` asks whether it may be read from there",
    "l2/chests._chest": "`looting.look_into` asks, before anything is taken or put",
    "l2/chests.take_out": "asks itself whether it is in the chest into which it has just looked",
    "l2/chests.inside": "as `take_out`, of which it is a part",
    "co/friends._ask": "by its number only who has asked; anybody else has to be in sight",
    "co/friends._asker": "`world.invites` knows whether that one has asked",
    "co/friends.tell_more": "whoever is on one's list, wherever that one is",
    "co/parties._accept": "`world.invites` knows whether that one has asked",
    "co/trading._quit": "declines only what that one has asked",
    "eq2/trading.remove": "what stands in the client's own window; `world.trade` asks whether it is offered",
    "l2/pledges._player": "`world.guilds` and `world.guild_ties` ask somebody in the world, wherever it is",
    "l2/pledges.tell_member": "the title of a member of one's own guild",
    "l2/trading.ask": "`world.trade` asks whether they see each other and are near",
    "l2/trading.offer": "asks itself whether it is one's own; `world.trade` asks the rest",
    "uo/parties._asker": "`world.invites` knows whether that one has asked",
}
"""Functions that need not ask, and why."""
