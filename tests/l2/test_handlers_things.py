"""Lineage II: wearing, dropping, destroying."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.l2.packets import (
    ActionFailed,
    BodyPart,
    DropItem,
    InventoryUpdate,
    ItemList,
    NpcHtmlMessage,
    RequestDestroyItem,
    RequestDropItem,
    RequestItemList,
    RequestUnEquipItem,
    SpawnItem,
    SystemMessage,
    UseItem,
)
from protocol.l2.view import L2View
from tests.kit.creatures import PLAIN
from tests.kit.l2_desk import WALL, Desk, Player, place_of
from world import hands, holding, life
from world.content import Loot
from world.item import Item, Layer

if TYPE_CHECKING:
    from world.mobile import Mobile


def of(player: Player, key: str) -> Item:
    """The first of a kind it carries."""
    return next(hands.carried_items(player.mobile, key))


def holder(item: Item) -> object:
    """Who or what has it."""
    return item.parent


def amounts(player: Player) -> dict[str, int]:
    return hands.carried(player.mobile)


async def test_the_inventory_is_told_on_request() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.says(RequestItemList())
    listed = alric.only(ItemList)
    assert listed.show_window == 1
    mobile = alric.mobile
    pack = mobile.backpack
    mine = {item.serial for item in (*mobile.worn.values(), *hands.carried_items(mobile)) if item is not pack}
    assert {entry.object_id for entry in listed.items} == mine
    equipped = {entry.object_id for entry in listed.items if entry.equipped}
    assert equipped
    assert equipped <= {item.serial for item in mobile.worn.values()}


async def test_use_puts_on_and_takes_off() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    dagger = of(alric, "dagger")
    await alric.says(UseItem(dagger.serial, 0))
    assert holder(dagger) is alric.mobile
    assert alric.only(ActionFailed)
    assert alric.took(InventoryUpdate)
    await alric.says(UseItem(dagger.serial, 0))
    assert holder(dagger) is alric.mobile.backpack


async def test_what_is_worn_there_makes_room() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    alric.gives("fancy_shirt")
    shirt, fancy = alric.mobile.worn[Layer.SHIRT], of(alric, "fancy_shirt")
    await alric.says(UseItem(fancy.serial, 0))
    assert alric.mobile.worn[Layer.SHIRT] is fancy
    assert shirt.parent is alric.mobile.backpack


async def test_what_cannot_be_put_on_leaves_everything_where_it_was() -> None:
    alric = await Desk().enter("alric")
    worn = dict(alric.mobile.worn)
    alric.gives("fancy_shirt")
    other = of(alric, "fancy_shirt")
    other.amount = 2  # nobody wears two at once
    await alric.says(UseItem(other.serial))
    assert alric.mobile.worn == worn
    assert holder(other) is alric.mobile.backpack
    assert alric.took(ActionFailed)


async def test_a_short_request_is_one_all_the_same() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    dagger = of(alric, "dagger")
    await alric.sends(alric.session.dialect.encode(UseItem(dagger.serial, 0))[:5])
    assert dagger.parent is alric.mobile


async def test_a_bag_is_looked_into_and_bread_is_of_no_use() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    alric.gives("bag")
    await alric.says(UseItem(of(alric, "bag").serial, 0))
    assert "empty" in alric.only(NpcHtmlMessage).html
    before = amounts(alric)
    await alric.says(UseItem(of(alric, "bread").serial, 0))
    assert len(alric.took(ActionFailed)) == 2
    assert amounts(alric) == before


async def test_taking_off_by_the_part_of_the_body() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    view = L2View.of(alric.session)
    shoes = alric.mobile.worn[Layer.SHOES]
    assert view.figures.body_part(shoes) == BodyPart.FEET
    await alric.says(RequestUnEquipItem(BodyPart.FEET))
    assert shoes.parent is alric.mobile.backpack
    alric.got.clear()
    for part in (BodyPart.FEET, 0, -1 & ~0xFFFF):
        await alric.says(RequestUnEquipItem(part))
        assert "not there any more" in str(alric.got)
        alric.got.clear()
    assert alric.mobile.backpack in alric.mobile.worn.values()


@pytest.mark.parametrize(("to", "lands"), [((21, 20), (21, 20)), ((26, 20), (22, 20)), ((20, 14), (20, 18))])
async def test_a_thing_falls_where_hands_reach(to: tuple[int, int], lands: tuple[int, int]) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    dagger = of(alric, "dagger")
    await alric.says(RequestDropItem(dagger.serial, 1, *place_of(*to)))
    if lands == WALL:
        assert dagger.parent is alric.mobile.backpack
    else:
        assert (dagger.realm, dagger.x, dagger.y) == (alric.mobile.realm, *lands)
    assert alric.took(ActionFailed)


async def test_nothing_is_thrown_across_the_realm() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    dagger = of(alric, "dagger")
    for x, y in (place_of(27, 20)[:2], place_of(50, 50)[:2], (0x7FFFFFFF, -0x80000000)):
        await alric.says(RequestDropItem(dagger.serial, 1, x, y, 0))
    assert dagger.parent is alric.mobile.backpack
    notices = [message.message_id for message in alric.took(SystemMessage)]
    assert notices == [151] * 3, "its client's own words for that: what it drops is no target"


async def test_a_part_of_a_stack_is_dropped() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    gold = of(alric, "gold")
    had = gold.amount
    await alric.says(RequestDropItem(gold.serial, 30, *place_of(20, 21)))
    lying = [thing for thing in desk.world.items.values() if thing.realm is not None]
    assert [item.amount for item in lying] == [30]
    assert amounts(alric)["gold"] == had - 30


async def test_others_see_who_drops_it_and_who_comes_later_sees_it_lie() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    gold = of(alric, "gold")
    await alric.says(RequestDropItem(gold.serial, 30, *place_of(20, 21)))
    (item,) = (thing for thing in desk.world.items.values() if thing.realm is not None)
    fallen = DropItem(alric.mobile.serial, item.serial, 57, *place_of(20, 21), 1, 30)
    for player in (alric, berta):
        assert player.took(DropItem) == [fallen]
        assert player.took(SpawnItem) == []
    await desk.enter("carla", (58, 58))
    carla = desk.players[-1]
    desk.world.warp(carla.mobile, desk.world.realms["plain"], 24, 24)
    await desk.wait(0.2)
    await carla.appears()
    await desk.wait(0.2)
    assert carla.took(DropItem) == []
    assert [one.object_id for one in carla.took(SpawnItem)] == [item.serial]


async def test_what_a_creature_leaves_falls_from_it() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    wolf = desk.resident("wolf", 21, 20)
    kind = attrs.evolve(PLAIN, loot=(Loot("gold", 5, 5),))
    wolf.template = attrs.evolve(wolf.template, fights=kind)
    await desk.wait(0.1)
    alric.got.clear()
    desk.world.timers.after(0.0, life.kill, wolf, alric.mobile)  # as in a fight: in a turn
    await desk.wait(0.1)
    (fallen,) = alric.took(DropItem)
    assert (fallen.dropper_id, fallen.item_id, fallen.count) == (wolf.serial, 57, 5)


@pytest.mark.parametrize("count", [0, -1, 0x7FFFFFFF, -0x80000000])
async def test_no_more_is_dropped_or_destroyed_than_there_is(count: int) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    before = amounts(alric)
    for key in ("gold", "dagger"):
        serial = of(alric, key).serial
        await alric.says(RequestDropItem(serial, count, *place_of(20, 20)), RequestDestroyItem(serial, count))
        await desk.wait(1)
    assert amounts(alric) == before
    assert not [thing for thing in desk.world.items.values() if thing.realm is not None]


async def test_what_is_destroyed_is_gone() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    gold, shirt = of(alric, "gold"), alric.mobile.worn[Layer.SHIRT]
    had = gold.amount
    await alric.says(RequestDestroyItem(gold.serial, 1))
    await desk.wait(1)
    await alric.says(RequestDestroyItem(shirt.serial, 1))
    assert of(alric, "gold") is gold
    assert gold.amount == had - 1
    assert Layer.SHIRT not in alric.mobile.worn
    assert shirt.serial not in desk.world.items
    assert alric.took(InventoryUpdate)
    assert len(alric.took(ActionFailed)) == 2


def _others(mobile: Mobile) -> list[Item]:
    return [*mobile.worn.values(), *hands.carried_items(mobile)]


async def test_nobody_lays_hands_on_what_others_have_or_on_what_is_no_item() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (21, 20))
    pack = alric.mobile.backpack
    assert pack is not None
    before = {item.serial: item.parent for item in _others(berta.mobile)}
    lying = holding.make(desk.world, "dagger", stored=False)
    desk.world.enter(lying, desk.world.realms["plain"], 21, 21)
    serials = [*before, lying.serial, pack.serial, alric.mobile.serial, 0, -1]
    for serial in serials:
        await alric.says(
            UseItem(serial, 0), RequestDropItem(serial, 1, *place_of(20, 20)), RequestDestroyItem(serial, 1)
        )
        await desk.wait(3)
    assert {item.serial: item.parent for item in _others(berta.mobile)} == before
    assert (lying.realm, lying.x, lying.y) == (alric.mobile.realm, 21, 21)
    assert alric.mobile.backpack is pack
    assert len(alric.took(ActionFailed)) == 3 * len(serials)


async def test_the_dead_hold_on_to_what_they_have() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    alric.mobile.dead = True
    dagger = of(alric, "dagger")
    await alric.says(
        UseItem(dagger.serial, 0),
        RequestDropItem(dagger.serial, 1, *place_of(20, 20)),
        RequestDestroyItem(dagger.serial, 1),
    )
    assert dagger.parent is alric.mobile.backpack
