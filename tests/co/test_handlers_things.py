"""Conquer Online: picking up, dropping, putting on, taking off, silver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.co.packets import (
    ActionType,
    Attribute,
    ItemAction,
    ItemActionType,
    ItemInfo,
    MapItem,
    MapItemAction,
    PickUp,
    UserAttrib,
    pack_xy,
)
from protocol.co.packets import Player as Figure
from protocol.co.versions import CoVersion
from protocol.wishes import Wish
from tests.kit.co_desk import START, WALL, Desk, Player, place_of, small_content
from world import hands, holding
from world.item import Item, Layer
from world.reach import Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile

DROP, USE, EQUIP, UNEQUIP, DROP_MONEY, PING = (
    *(ItemActionType.DROP, ItemActionType.USE, ItemActionType.EQUIP),
    *(ItemActionType.UNEQUIP, ItemActionType.DROP_MONEY, ItemActionType.PING),
)


def of(player: Player, key: str) -> Item:
    """The first of a kind it carries."""
    return next(hands.carried_items(player.mobile, key))


def lying(desk: Desk) -> list[Item]:
    return [thing for thing in desk.world.items.values() if thing.realm is not None]


def lay(desk: Desk, key: str, x: int, y: int) -> Item:
    item = holding.make(desk.world, key, stored=False)
    desk.world.enter(item, desk.world.realms["plain"], x, y)
    return item


def tile(x: int, y: int) -> int:
    return pack_xy(*place_of(x, y))


async def picks(player: Player, number: int, *, action: int = MapItemAction.PICK) -> None:
    if player.desk.version < CoVersion.V5065:
        await player.says(PickUp(number & 0xFFFF_FFFF, 0, 0, 0, action, 0))
    else:
        await player.says(PickUp(number & 0xFFFF_FFFF, 0, 0, 0, 0, action))


def silver(player: Player) -> int:
    """What its client was told it has now."""
    return [
        entry.value
        for told in player.took(UserAttrib)
        for entry in told.attributes
        if entry.attribute == Attribute.SILVER
    ][-1]


@pytest.mark.parametrize("version", list(CoVersion))
async def test_picking_up(version: CoVersion) -> None:
    desk = Desk(version=version)
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 20))
    dagger = lay(desk, "dagger", 21, 20)
    desk.turn()
    shown = alric.only(MapItem)
    assert (shown.id, shown.action, (shown.x, shown.y)) == (dagger.serial, 1, place_of(21, 20))
    berta.got.clear()
    await picks(alric, dagger.serial)
    assert dagger.root is alric.mobile
    for player in (alric, berta):
        gone = player.only(MapItem)
        assert (gone.id, gone.action) == (dagger.serial, MapItemAction.DELETE)
    told = alric.only(ItemInfo)
    assert (told.id, told.position) == (dagger.serial, 0)
    assert berta.took(ItemInfo) == []
    assert alric.lines() == ["You pick up dagger."]
    assert alric.screen.faults == berta.screen.faults == []


async def test_things_that_are_not_there() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (21, 20))
    far = lay(desk, "dagger", 27, 20)
    unseen = lay(desk, "dagger", 50, 50)
    desk.turn()
    hers = of(berta, "dagger")
    pack = berta.mobile.backpack
    assert pack is not None
    for number in (far.serial, unseen.serial, hers.serial, pack.serial, berta.number, alric.number, 0, -1):
        await picks(alric, number)
    assert hers.root is berta.mobile
    assert {far, unseen} == set(lying(desk))
    assert alric.line.ending is None


async def test_what_one_was_not_shown_yet_is_not_picked_up() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    dagger = lay(desk, "dagger", 21, 20)
    await picks(alric, dagger.serial)
    assert lying(desk) == [dagger]
    await picks(alric, dagger.serial)
    assert dagger.root is alric.mobile


@pytest.mark.parametrize("action", [0, 1, 2, 4, 10, 0xFFFF])
async def test_whoever_says_that_a_thing_is_gone_changes_nothing(action: int) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    dagger = lay(desk, "dagger", 21, 20)
    desk.turn()
    alric.got.clear()
    await picks(alric, dagger.serial, action=action)
    assert lying(desk) == [dagger]
    assert alric.lines() == [Wish.UNKNOWN.value]


async def test_dropping() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 20))
    dagger = of(alric, "dagger")
    alric.got.clear()
    await alric.handles(DROP, dagger.serial, tile(20, 21))
    assert (dagger.realm, dagger.x, dagger.y) == (alric.mobile.realm, 20, 21)
    for player in (alric, berta):
        assert player.only(MapItem).id == dagger.serial
    (gone,) = alric.took(ItemAction)
    assert (gone.id, gone.action) == (dagger.serial, DROP)
    assert dagger.serial not in alric.screen.owned
    assert alric.screen.faults == []


@pytest.mark.parametrize("to", [WALL, (40, 20), (50, 50)])
async def test_nothing_is_thrown_far_or_into_walls(to: tuple[int, int]) -> None:
    desk = Desk()
    alric = await desk.enter("alric", (20, 19))
    dagger = of(alric, "dagger")
    await alric.handles(DROP, dagger.serial, tile(*to))
    assert dagger.root is alric.mobile
    assert len(alric.lines()) == 1


@pytest.mark.parametrize("data", [0, 0xFFFF_FFFF, pack_xy(399, 520), pack_xy(420, 499), 0x8000_0000])
async def test_nothing_is_dropped_outside_of_the_realm(data: int) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    dagger = of(alric, "dagger")
    await alric.handles(DROP, dagger.serial, data)
    await alric.handles(DROP_MONEY, 10, data)
    assert dagger.root is alric.mobile
    assert lying(desk) == []
    assert len(alric.lines()) == 2


async def test_putting_on_and_taking_off() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 20))
    dagger = of(alric, "dagger")
    kind = alric.figures.looks.items["dagger"]
    alric.got.clear()
    await alric.handles(USE, dagger.serial, kind.position)
    assert dagger in alric.mobile.worn.values()
    told = alric.only(ItemAction)
    assert (told.id, told.data, told.action) == (dagger.serial, kind.position, EQUIP)
    assert alric.took(Figure) == [], "its own figure its client dresses by itself"
    assert berta.only(Figure).right_hand == kind.item
    await alric.handles(USE, dagger.serial, kind.position)
    assert alric.lines() == ["You wear dagger already."]
    await alric.handles(UNEQUIP, dagger.serial, kind.position)
    assert dagger.parent is alric.mobile.backpack
    told = alric.only(ItemAction)
    assert (told.id, told.data, told.action) == (dagger.serial, kind.position, UNEQUIP)
    assert berta.only(Figure).right_hand == 0
    assert alric.screen.faults == berta.screen.faults == []


async def test_what_is_worn_there_makes_room() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    fancy = alric.gives("fancy_shirt")
    shirt = alric.mobile.worn[Layer.SHIRT]
    await alric.handles(USE, fancy.serial)
    assert alric.mobile.worn[Layer.SHIRT] is fancy
    assert shirt.parent is alric.mobile.backpack
    assert alric.screen.faults == []


async def test_what_cannot_be_put_on_leaves_everything_where_it_was() -> None:
    alric = await Desk().enter("alric")
    worn = dict(alric.mobile.worn)
    other = alric.gives("fancy_shirt")
    other.amount = 2  # nobody wears two at once
    await alric.handles(USE, other.serial)
    assert alric.mobile.worn == worn
    assert other.parent is alric.mobile.backpack
    assert len(alric.lines()) == 1


async def test_a_bag_is_looked_into_and_bread_is_not_wasted() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    bag = alric.gives("bag")
    await alric.handles(USE, bag.serial)
    assert alric.lines() == ["It is empty."]
    apple = holding.make(desk.world, "apple", stored=False)
    holding.put(bag, apple)
    desk.world.register(apple)
    await alric.handles(USE, bag.serial)
    assert alric.lines() == ["It holds apple."]
    before = hands.carried(alric.mobile)
    await alric.handles(USE, of(alric, "bread").serial)
    assert "do not need" in alric.lines()[0]
    assert hands.carried(alric.mobile) == before


async def test_taking_off_what_is_not_worn() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.handles(UNEQUIP, of(alric, "dagger").serial, 4)
    assert "not there any more" in alric.lines()[0]
    pack = alric.mobile.backpack
    assert pack is not None
    await alric.handles(UNEQUIP, pack.serial)
    assert alric.mobile.backpack is pack


def _owned(mobile: Mobile) -> list[Item]:
    return [*mobile.worn.values(), *hands.carried_items(mobile)]


async def test_nobody_lays_hands_on_what_others_have_or_on_what_is_no_item() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (21, 20))
    pack = alric.mobile.backpack
    assert pack is not None
    ground = lay(desk, "dagger", 21, 21)
    desk.turn()
    before = {item.serial: item.parent for item in _owned(berta.mobile)}
    numbers = (*before, ground.serial, pack.serial, berta.number, alric.number, berta.mobile.serial, 0, -1)
    for number in numbers:
        for kind in (DROP, USE, EQUIP, UNEQUIP):
            await alric.handles(kind, number, tile(20, 20))
    assert {item.serial: item.parent for item in _owned(berta.mobile)} == before
    assert lying(desk) == [ground]
    assert alric.mobile.backpack is pack
    assert alric.line.ending is None


async def test_the_dead_hold_on_to_what_they_have() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    ground = lay(desk, "dagger", 21, 21)
    desk.turn()
    alric.mobile.dead = True
    mine = {item.serial: item.parent for item in _owned(alric.mobile)}
    for serial in mine:
        for kind in (DROP, USE, UNEQUIP):
            await alric.handles(kind, serial, tile(20, 20))
    await alric.handles(DROP_MONEY, 10, tile(20, 20))
    await picks(alric, ground.serial)
    assert {item.serial: item.parent for item in _owned(alric.mobile)} == mine
    assert lying(desk) == [ground]


# Silver


async def test_silver_is_dropped_and_picked_up() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.handles(DROP_MONEY, 30, tile(*START))
    assert [(item.template.key, item.amount) for item in lying(desk)] == [("gold", 30)]
    assert silver(alric) == 70
    (coins,) = lying(desk)
    await picks(alric, coins.serial)
    assert silver(alric) == 100
    assert lying(desk) == []


@pytest.mark.parametrize("amount", [0, 101, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1_000_000_001])
async def test_no_more_silver_is_dropped_than_there_is(amount: int) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.handles(DROP_MONEY, amount, tile(*START))
    assert hands.carried(alric.mobile)["gold"] == 100
    assert lying(desk) == []
    assert len(alric.lines()) == 1


async def test_silver_is_conserved_however_it_is_dropped() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    for amount in (1, 99, 100, 50, 0xFFFF_FFFF, 25, 25, 1):
        await alric.handles(DROP_MONEY, amount, tile(*START))
        assert hands.carried(alric.mobile).get("gold", 0) + sum(item.amount for item in lying(desk)) == 100


async def test_coins_have_no_place_in_the_bag() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    gold = of(alric, "gold")
    assert gold.serial not in alric.screen.owned
    alric.gives("gold", 500)
    desk.turn()
    assert alric.took(ItemInfo) == []
    assert silver(alric) == 600


# The ping, and what there is not yet


async def test_the_ping_comes_back_as_it_was() -> None:
    for version in CoVersion:
        desk = Desk(version=version)
        desk.makes("alric")
        alric = await desk.at_the_door("alric")
        ping = ItemAction(0xDEAD_BEEF, 5, PING, 0x1234_5678, 9)
        await alric.says(ping)  # a client that loads pings, too
        assert alric.only(ItemAction) == ping
        await alric.loads()
        alric.raw.clear()
        await alric.sends(bytes.fromhex("1800f103 01000000 00000000 1b000000 44332211 00000000"))
        assert alric.raw[0].hex() == "1800f10301000000000000001b0000004433221100000000"


async def test_a_short_ping_is_one_all_the_same() -> None:
    alric = await Desk().enter("alric")
    await alric.sends(bytes.fromhex("1000f103 01000000 00000000 1b000000"))
    assert alric.only(ItemAction).action == PING


@pytest.mark.parametrize("kind", [kind for kind in ItemActionType if kind != PING])
async def test_what_there_is_not_yet_does_nothing_and_ends_nobody(kind: ItemActionType) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    before = {item.serial: item.parent for item in _owned(alric.mobile)}
    for number, data in ((0, 0), (0xFFFF_FFFF, 0xFFFF_FFFF), (1, 1)):
        await alric.says(ItemAction(number, data, kind, 0, 0xFFFF_FFFF))
    assert alric.line.ending is None
    assert {item.serial: item.parent for item in _owned(alric.mobile)} == before


@pytest.mark.parametrize("number", [0, 7, 30, 0xFFFF_FFFF])
async def test_actions_that_nobody_knows(number: int) -> None:
    alric = await Desk().enter("alric")
    await alric.says(ItemAction(1, 2, number, 3))
    assert alric.lines() == [Wish.UNKNOWN.value]
    assert alric.line.ending is None


async def test_a_click_to_mine_breaks_ore_out_of_the_rock_near() -> None:
    """1010 action 99 (facts/co.md): nothing but that it mines."""
    content = small_content()
    mining, fishing = content.harvests["mining"], content.harvests["fishing"]
    harvests = {
        "fishing": attrs.evolve(fishing, tiles=("grass",)),
        "mining": attrs.evolve(mining, tiles=("wall",), reach=4),
    }
    desk = Desk(attrs.evolve(content, harvests=harvests))
    alric = await desk.enter("Alric")
    pack = alric.mobile.backpack
    assert pack is not None
    holding.put(pack, holding.make(desk.world, "fishing_rod"))
    await alric.acts(ActionType.MINE)
    assert alric.lines() == ["For that you need: pickaxe."], "it does not fish instead"
    holding.put(pack, holding.make(desk.world, "pickaxe"))
    desk.world.register(pack)
    await alric.acts(ActionType.MINE)
    assert alric.lines() == ["You begin to mine."]
    desk.world.warp(alric.mobile, desk.world.realms["plain"], START[0], START[1] + 20)
    alric.mobile.labour = None
    await desk.settle()
    alric.lines()
    await alric.acts(ActionType.MINE)
    assert alric.lines() == [Refusal.NOTHING_THERE.value]
