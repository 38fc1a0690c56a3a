"""Lineage II: chests as a page and the lists of the client's warehouse (facts/l2-play.md, 6 and 10; the
layouts of the lists: tests/l2/test_handlers_counters.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.l2.packets import (
    Action,
    KeptEntry,
    NpcHtmlMessage,
    SendWareHouseDepositList,
    SendWareHouseWithDrawList,
    SystemMessageId,
    WarehouseDepositList,
    WarehouseWithdrawList,
)
from protocol.wishes import Wish
from tests.kit.l2_counters import links_of
from tests.kit.l2_desk import START, Desk, Player, small_content
from tests.l2.test_handlers_counters import follows, has, orders, texts
from world import chests, fixtures, granting, hands, holding
from world.containers import MOST_IN_CONTAINER
from world.content import Chest, Fixture, Loot
from world.reach import Refusal

if TYPE_CHECKING:
    from protocol.l2.packets import Message
    from world.item import Item

PLACE = START[0] + 1, START[1]
ALL, OUT, IN = "Take all of it.", "Take something.", "Put something in."


@attrs.frozen
class Before:
    """A player before a chest, with 40 gold; the links of the chest's page."""

    player: Player
    chest: Item
    links: dict[str, str]

    def inside(self, key: str) -> Item:
        """A stack in it."""
        return next(item for item in self.chest.contents.values() if item.template.key == key)

    def own(self, key: str) -> Item:
        return next(hands.carried_items(self.player.mobile, key))

    async def orders(self, message: Message) -> list[str]:
        """Give an order; what its player reads upon it."""
        await orders(self.player, message)
        return self.player.told()


async def before(*, lock: str = "") -> Before:
    small = small_content()
    kind = attrs.evolve(
        small.items["iron_chest"], chest=Chest((Loot("gold", 20, 20), Loot("bread", 5, 5)), lock=lock)
    )
    chart = attrs.evolve(small.charts["plain"], fixtures=(Fixture("iron_chest", *PLACE),))
    desk = Desk(
        attrs.evolve(
            small,
            items={**small.items, "iron_chest": kind},
            charts={**small.charts, "plain": chart},
        )
    )
    fixtures.settle(desk.world)
    alric = await desk.enter("alric")
    for item in list(hands.carried_items(alric.mobile)):
        hands.consume(item, item.amount)
    granting.make(alric.mobile, "gold", 40)
    await desk.wait(0.5)
    chest = chests.at(alric.mobile, *PLACE)
    alric.got.clear()
    await alric.says(Action(chest.serial, 0, 0, 0, 1))
    await desk.wait(0.1)
    pages = alric.took(NpcHtmlMessage)
    return Before(alric, chest, links_of(pages[0]) if pages else {})


async def test_what_is_in_it_is_listed_and_so_much_as_is_wished_taken() -> None:
    scene = await before()
    await follows(scene.player, scene.links[OUT])
    listed = scene.player.only(WarehouseWithdrawList)
    assert listed.money == 40
    assert [(row.object_id, row.count) for row in listed.items] == [
        (item.serial, item.amount) for item in scene.chest.contents.values()
    ]
    order = SendWareHouseWithDrawList(
        (KeptEntry(scene.inside("gold").serial, 7), KeptEntry(scene.inside("bread").serial, 5))
    )
    told = await scene.orders(order)
    assert has(scene.player) == {"gold": 47, "bread": 5}
    assert [item.amount for item in scene.chest.contents.values()] == [13]
    assert told[0].startswith("You take 7 gold coins and ")


async def test_what_one_has_is_listed_and_put_in() -> None:
    scene = await before()
    await follows(scene.player, scene.links[IN])
    listed = scene.player.only(WarehouseDepositList)
    gold = scene.own("gold")
    assert [(row.object_id, row.count) for row in listed.items] == [(gold.serial, 40)]
    told = await scene.orders(SendWareHouseDepositList((KeptEntry(gold.serial, 30),)))
    assert (has(scene.player), scene.inside("gold").amount) == ({"gold": 10}, 50)
    assert told == ["You put 30 gold coins into iron chest."]


async def test_all_of_it_is_taken_by_one_link_and_then_it_is_empty() -> None:
    scene = await before()
    await follows(scene.player, scene.links[ALL])
    assert has(scene.player) == {"gold": 60, "bread": 5}
    scene.player.got.clear()
    await scene.player.says(Action(scene.chest.serial, 0, 0, 0, 1))
    await scene.player.desk.wait(0.1)
    page = scene.player.only(NpcHtmlMessage)
    assert "It is empty." in page.html
    assert links_of(page).keys() == {IN}


@pytest.mark.parametrize("what", ["another's", "none", "too many", "far", "gone"])
async def test_what_cannot_be_had_is_refused(what: str) -> None:
    scene = await before()
    await follows(scene.player, scene.links[OUT])
    gold, world = scene.inside("gold"), scene.player.desk.world
    entry, why = KeptEntry(gold.serial, 1), Refusal.GONE
    if what == "another's":
        hands.put_into(gold, scene.player.mobile.backpack or scene.chest)
    elif what == "none":
        entry, why = KeptEntry(gold.serial, 0), Refusal.AMOUNT
    elif what == "too many":
        entry, why = KeptEntry(gold.serial, 21), Refusal.AMOUNT
    elif what == "far":
        hands.put_down(scene.chest, world.realms["plain"], START[0] + 8, START[1])
        why = Refusal.FAR
    else:
        world.delete(scene.chest)
    had = has(scene.player)
    told = await scene.orders(SendWareHouseWithDrawList((entry,)))
    assert has(scene.player) == had
    assert told == [why.value]


async def test_a_full_chest_says_so_and_not_that_the_pack_is_full() -> None:
    scene = await before()
    while len(scene.chest.contents) < MOST_IN_CONTAINER:
        holding.put(scene.chest, holding.make(scene.player.desk.world, "dagger"))
    scene.player.desk.world.register(scene.chest)
    granting.make(scene.player.mobile, "dagger", 1)
    await follows(scene.player, scene.links[IN])
    await orders(scene.player, SendWareHouseDepositList((KeptEntry(scene.own("dagger").serial, 1),)))
    assert texts(scene.player) == [SystemMessageId.WAREHOUSE_FULL]


async def test_a_locked_one_has_no_page_and_a_list_of_nothing_no_window() -> None:
    scene = await before(lock="iron_key")
    assert scene.links == {}
    assert scene.player.told() == [Refusal.LOCKED.value]
    open_one = await before()
    hands.consume(open_one.own("gold"), 40)
    await follows(open_one.player, open_one.links[IN])
    assert open_one.player.took(WarehouseDepositList) == []
    assert open_one.player.told() == [chests.NOTHING_TO_PUT]


async def test_an_order_without_a_list_is_nobodys() -> None:
    scene = await before()
    told = await scene.orders(SendWareHouseWithDrawList((KeptEntry(scene.inside("gold").serial, 1),)))
    assert told == [Wish.UNASKED.value]
    assert has(scene.player) == {"gold": 40}
