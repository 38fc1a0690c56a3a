"""Lineage II: what is bought, sold, put into the bank and taken out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.l2.handlers.counters import NOTHING_TO_KEEP
from protocol.l2.packets import (
    ActionFailed,
    BuyEntry,
    BuyList,
    InventoryUpdate,
    KeptEntry,
    NpcHtmlMessage,
    RequestBuyItem,
    RequestBypassToServer,
    RequestSellItem,
    SellEntry,
    SellList,
    SendWareHouseDepositList,
    SendWareHouseWithDrawList,
    StatusUpdate,
    SystemMessage,
    SystemMessageId,
    WarehouseDepositList,
    WarehouseWithdrawList,
)
from protocol.l2.view import L2View
from protocol.wishes import Wish
from tests.kit.l2_counters import SHOP, links_of, market_content
from tests.kit.l2_desk import Desk, Player
from world import counters, granting, hands, holding, safes, shops, vaults, visits
from world.offers import Offers, Shop, Ware
from world.reach import Refusal

if TYPE_CHECKING:
    from protocol.l2.packets import Message
    from world.content import Content
    from world.mobile import Mobile

BUY, SELL = "Show me your wares.", "I have something to sell."
PUT_IN, TAKE_OUT = "Put something in.", "Take something out."
LEAVE = "Nothing, thank you."


def kind(player: Player, key: str) -> int:
    """The client's kind of item."""
    return L2View.of(player.session).looks.items[key].item


def has(player: Player) -> dict[str, int]:
    return hands.carried(player.mobile)


def promised(player: Player) -> list[str]:
    """What it is to read when it is on disk."""
    return [line for mobile, line in player.desk.world.promises if mobile is player.mobile]


async def at_market(gold: int = 100, content: Content | None = None) -> tuple[Player, Mobile, dict[str, str]]:
    """Somebody with so much gold before the baker's page, and its links."""
    desk = Desk(content or market_content())
    baker = desk.resident("baker", 24, 20)
    alric = await desk.enter("alric")
    for item in list(hands.carried_items(alric.mobile)):
        hands.consume(item, item.amount)
    if gold:
        granting.make(alric.mobile, "gold", gold)
    counters.at_shop(alric.mobile, baker)
    await desk.wait(0.1)
    page = alric.only(NpcHtmlMessage)
    assert page.object_id == baker.serial
    alric.got.clear()
    return alric, baker, links_of(page)


async def at_bank(gold: int = 100) -> tuple[Player, Mobile, dict[str, str]]:
    """The same before the banker's."""
    alric, baker, _ = await at_market(gold)
    desk = alric.desk
    desk.world.leave(baker)
    banker = desk.resident("banker", 22, 20)
    counters.at_bank(alric.mobile, banker)
    await desk.wait(0.1)
    links = links_of(alric.only(NpcHtmlMessage))
    alric.got.clear()
    return alric, banker, links


async def follows(player: Player, bypass: str) -> None:
    await player.desk.wait(0.6)
    player.got.clear()
    await player.says(RequestBypassToServer(bypass))
    await player.desk.wait(0.1)


async def orders(player: Player, message: Message) -> None:
    await player.desk.wait(1.1)
    player.got.clear()
    await player.says(message)
    await player.desk.wait(0.1)


def texts(player: Player) -> list[int]:
    return [message.message_id for message in player.took(SystemMessage)]


async def test_wares_are_listed_bought_and_told_once() -> None:
    alric, _, links = await at_market()
    await follows(alric, links[BUY])
    listed = alric.only(BuyList)
    assert listed.money == 100
    rows = [(row.item_id, row.stock, row.price) for row in listed.wares]
    assert rows == [
        (kind(alric, "bread"), 20, 4),
        (kind(alric, "dagger"), 0, 30),
        (kind(alric, "torch"), 0, 8),
    ]
    chosen = (BuyEntry(kind(alric, "bread"), 3), BuyEntry(kind(alric, "dagger"), 2))
    await orders(alric, RequestBuyItem(listed.list_id, chosen))
    assert has(alric) == {"gold": 28, "bread": 3, "dagger": 2}
    assert len(alric.took(InventoryUpdate)) == 1
    assert len(alric.took(StatusUpdate)) == 1
    assert len(alric.took(ActionFailed)) == 1
    assert alric.took(BuyList) == []
    assert alric.took(NpcHtmlMessage) == []
    assert alric.told() == [], "the line comes when it is on disk"
    assert [line[:10] for line in promised(alric)] == ["You buy 3 "]


async def test_of_two_that_look_alike_one_is_bought_by_its_link() -> None:
    alric, _, links = await at_market()
    (label,) = links.keys() - {BUY, SELL, LEAVE}
    assert "12 gold coins" in label
    await follows(alric, links[label])
    assert has(alric) == {"gold": 88, "lantern": 1}


async def test_things_are_sold_at_the_price_that_is_shown() -> None:
    alric, _, links = await at_market()
    granting.make(alric.mobile, "bread", 5)
    granting.make(alric.mobile, "bandage", 1)
    await follows(alric, links[SELL])
    listed = alric.only(SellList)
    (row,) = listed.items
    assert (row.item.item_id, row.item.count, row.price) == (kind(alric, "bread"), 5, 2)
    await orders(alric, RequestSellItem(listed.lease, (SellEntry(row.item.object_id, row.item.item_id, 4),)))
    assert has(alric) == {"gold": 108, "bread": 1, "bandage": 1}
    assert alric.took(InventoryUpdate)


async def test_who_has_nothing_to_sell_is_told_so_and_asked_again() -> None:
    alric, _, links = await at_market()
    await follows(alric, links[SELL])
    assert texts(alric) == [SystemMessageId.NO_ITEMS_TO_SELL]
    assert BUY in links_of(alric.only(NpcHtmlMessage))
    assert alric.took(SellList) == []


async def test_of_wares_that_look_alike_all_have_a_link_on_some_page() -> None:
    """A page of more than 8192 characters would lose its end."""
    content = market_content()
    alike = [attrs.evolve(content.items["torch"], key=f"torch_{n}", name=f"torch {n}") for n in range(199)]
    shop = Shop((Ware("torch", 8), *(Ware(one.key, 8) for one in alike)))
    baker = attrs.evolve(content.mobiles["baker"], offers=Offers(shop))
    content = attrs.evolve(
        content,
        items={**content.items, **{one.key: one for one in alike}},
        mobiles={**content.mobiles, "baker": baker},
    )
    alric, _, links = await at_market(content=content)
    found: set[str] = set()
    while not (wares := {link for link in links.values() if "_Ware " in link}) <= found:
        found |= wares
        assert list(links)[-1] == LEAVE
        await follows(alric, links["What else is there?"])
        links = links_of(alric.only(NpcHtmlMessage))
    assert len(found) == len(alike), "and now the first ones came again"
    await follows(alric, max(wares))
    assert has(alric) == {"gold": 92, max(wares).split()[1]: 1}


@pytest.mark.parametrize(
    ("key", "count", "told"),
    [
        ("dagger", 4, SystemMessageId.NOT_ENOUGH_ADENA),
        ("bread", 21, SystemMessageId.TEXT),
        ("apple", 1, SystemMessageId.TEXT),
        ("bread", 0, SystemMessageId.QUANTITY_EXCEEDED),
        ("bread", -1, SystemMessageId.QUANTITY_EXCEEDED),
        ("dagger", 0x7FFFFFFF, SystemMessageId.QUANTITY_EXCEEDED),
    ],
)
async def test_what_is_not_to_be_had_leaves_everything_as_it_was(key: str, count: int, told: int) -> None:
    alric, baker, links = await at_market()
    await follows(alric, links[BUY])
    number = alric.only(BuyList).list_id
    before = shops.catalogue(baker)
    good = BuyEntry(kind(alric, "bread"), 1)
    await orders(alric, RequestBuyItem(number, (good, BuyEntry(kind(alric, key), count))))
    assert texts(alric) == [told]
    assert len(alric.took(ActionFailed)) == 1
    assert has(alric) == {"gold": 100}
    assert shops.catalogue(baker) == before


async def test_a_full_pack_and_a_heavy_one_have_texts_of_the_clients_own() -> None:
    alric, _, links = await at_market(700)
    for _ in range(50):
        granting.make(alric.mobile, "dagger", 1)
    await follows(alric, links[BUY])
    number = alric.only(BuyList).list_id
    await orders(alric, RequestBuyItem(number, (BuyEntry(kind(alric, "torch"), 75),)))
    assert texts(alric) == [SystemMessageId.INVENTORY_FULL]
    await orders(alric, RequestBuyItem(number, (BuyEntry(kind(alric, "bread"), 20),)))
    assert texts(alric) == [SystemMessageId.WEIGHT_LIMIT_EXCEEDED]
    assert has(alric) == {"gold": 700, "dagger": 50}


async def test_an_order_counts_only_with_the_number_of_the_last_list() -> None:
    alric, baker, links = await at_market()
    order = (BuyEntry(kind(alric, "bread"), 1),)
    await orders(alric, RequestBuyItem(1, order))
    assert alric.told() == [Wish.UNASKED.value], "only the page was shown"
    await follows(alric, links[BUY])
    first = alric.only(BuyList).list_id
    counters.at_shop(alric.mobile, baker)
    await alric.desk.wait(0.1)
    await follows(alric, links_of(alric.only(NpcHtmlMessage))[BUY])
    second = alric.only(BuyList).list_id
    assert second != first
    for message in (RequestBuyItem(first, order), RequestSellItem(second, ()), SendWareHouseDepositList(())):
        await orders(alric, message)
        assert alric.told() == [Wish.UNASKED.value]
    assert has(alric) == {"gold": 100}
    await orders(alric, RequestBuyItem(second, order))
    assert has(alric) == {"gold": 96, "bread": 1}


async def test_a_new_price_is_shown_before_it_is_paid() -> None:
    alric, baker, links = await at_market()
    await follows(alric, links[BUY])
    number = alric.only(BuyList).list_id
    dearer = Shop((Ware("bread", 5),), SHOP.buys)
    baker.template = attrs.evolve(baker.template, offers=Offers(dearer))
    order = (BuyEntry(kind(alric, "bread"), 1),)
    await orders(alric, RequestBuyItem(number, order))
    assert alric.told() == [Refusal.PRICE.value]
    anew = alric.only(BuyList)
    assert [row.price for row in anew.wares] == [5]
    assert has(alric) == {"gold": 100}
    await orders(alric, RequestBuyItem(anew.list_id, order))
    assert has(alric) == {"gold": 95, "bread": 1}


async def test_too_far_away_dead_or_gone_nothing_is_bought() -> None:
    alric, baker, links = await at_market()
    await follows(alric, links[BUY])
    order = RequestBuyItem(alric.only(BuyList).list_id, (BuyEntry(kind(alric, "bread"), 1),))
    alric.desk.world.warp(baker, alric.desk.world.realms["plain"], 35, 20)
    await orders(alric, order)
    assert alric.told() == [Refusal.FAR.value]
    alric.desk.world.warp(baker, alric.desk.world.realms["plain"], 24, 20)
    alric.mobile.dead = True
    await orders(alric, order)
    assert alric.told() == [Refusal.DEAD.value]
    alric.mobile.dead = False
    visits.leave(alric.mobile)
    await orders(alric, order)
    assert alric.told() == [Refusal.FAR.value]
    assert has(alric) == {"gold": 100}


async def test_nobody_sells_what_others_have_or_what_it_wears() -> None:
    alric, _, links = await at_market()
    granting.make(alric.mobile, "bread", 1)
    await follows(alric, links[SELL])
    assert alric.only(SellList).lease == 0
    berta = await alric.desk.enter("berta", (21, 20))
    granting.make(berta.mobile, "bread", 1)
    hers = next(hands.carried_items(berta.mobile, "bread"))
    shirt = next(iter(alric.mobile.worn.values()))
    before = has(alric), has(berta)
    for serial in (hers.serial, shirt.serial, berta.mobile.serial, 0, -1):
        await orders(alric, RequestSellItem(0, (SellEntry(serial, 57, 1),)))
        assert len(alric.took(SystemMessage)) == 1
        assert alric.took(ActionFailed)
    assert (has(alric), has(berta)) == before


async def test_leaving_the_counter_ends_the_visit() -> None:
    alric, _, links = await at_market()
    await follows(alric, links[LEAVE])
    assert alric.mobile.visit is None
    assert alric.kinds() == ["ActionFailed"]


# The warehouse


async def test_gold_and_things_go_in_and_come_out() -> None:
    alric, banker, links = await at_bank()
    granting.make(alric.mobile, "bread", 5)
    await follows(alric, links[PUT_IN])
    listed = alric.only(WarehouseDepositList)
    by_kind = {row.item_id: row for row in listed.items}
    gold, bread = by_kind[57], by_kind[kind(alric, "bread")]
    assert (listed.kind, listed.money, gold.count, bread.count) == (1, 100, 100, 5)
    chosen = (KeptEntry(gold.object_id, 60), KeptEntry(bread.object_id, 2))
    await orders(alric, SendWareHouseDepositList(chosen))
    assert has(alric) == {"gold": 40, "bread": 3}
    assert safes.gold(alric.mobile) == 60
    assert alric.took(InventoryUpdate)
    assert [line[:10] for line in promised(alric)] == ["You put 60", "You put 2 "]
    counters.at_bank(alric.mobile, banker)
    await alric.desk.wait(0.1)
    page = alric.only(NpcHtmlMessage)
    assert "I keep 60 gold coins and 1 other thing for you." in page.html
    await follows(alric, links_of(page)[TAKE_OUT])
    inside = alric.only(WarehouseWithdrawList).items
    stack = safes.gold_stack(alric.mobile)
    assert stack is not None
    assert (inside[0].object_id, inside[0].item_id, inside[0].count) == (stack.serial, 57, 60)
    await orders(
        alric, SendWareHouseWithDrawList(tuple(KeptEntry(row.object_id, row.count) for row in inside))
    )
    assert has(alric) == {"gold": 100, "bread": 5}
    assert safes.gold(alric.mobile) == 0
    assert not safes.things(alric.mobile)


async def test_where_there_is_nothing_to_choose_from_it_is_said_and_asked_again() -> None:
    alric, _, links = await at_bank(0)
    await follows(alric, links[TAKE_OUT])
    assert texts(alric) == [SystemMessageId.NO_ITEM_IN_WAREHOUSE]
    await follows(alric, links_of(alric.only(NpcHtmlMessage))[PUT_IN])
    assert alric.told() == [NOTHING_TO_KEEP]
    assert alric.took(NpcHtmlMessage)


async def test_all_stacks_of_gold_go_in_at_once() -> None:
    alric, _, links = await at_bank(60_500)
    await follows(alric, links[PUT_IN])
    rows = alric.only(WarehouseDepositList).items
    assert sorted(row.count for row in rows) == [500, 60_000]
    await orders(alric, SendWareHouseDepositList(tuple(KeptEntry(r.object_id, r.count) for r in rows)))
    assert has(alric) == {}
    assert safes.gold(alric.mobile) == 60_500


async def test_a_bag_takes_along_what_is_in_it() -> None:
    alric, _, links = await at_bank()
    alric.gives("bag")
    bag = next(hands.carried_items(alric.mobile, "bag"))
    apple = holding.make(alric.desk.world, "apple")
    alric.desk.world.register(apple)
    holding.put(bag, apple)
    await follows(alric, links[PUT_IN])
    rows = alric.only(WarehouseDepositList).items
    assert {bag.serial, apple.serial} <= {row.object_id for row in rows}
    chosen = (KeptEntry(apple.serial, 1), KeptEntry(bag.serial, 1))
    await orders(alric, SendWareHouseDepositList(chosen))
    assert apple.parent is bag
    assert bag.parent is alric.mobile.vault
    assert len(promised(alric)) == 1, "and no refusal"
    assert alric.told() == []


@pytest.mark.parametrize("count", [0, -1, 101, 0x7FFFFFFF])
async def test_no_more_goes_in_or_out_than_there_is(count: int) -> None:
    alric, banker, links = await at_bank()
    vaults.deposit_gold(alric.mobile, banker, 50)
    await follows(alric, links[PUT_IN])
    (row,) = alric.only(WarehouseDepositList).items
    await orders(alric, SendWareHouseDepositList((KeptEntry(row.object_id, count),)))
    assert len(alric.took(SystemMessage)) == 1
    counters.at_bank(alric.mobile, banker)
    await alric.desk.wait(0.1)
    await follows(alric, links[TAKE_OUT])
    (row,) = alric.only(WarehouseWithdrawList).items
    await orders(alric, SendWareHouseWithDrawList((KeptEntry(row.object_id, count),)))
    assert len(alric.took(SystemMessage)) == 1
    assert has(alric) == {"gold": 50}
    assert safes.gold(alric.mobile) == 50


async def test_a_full_warehouse_has_a_text_of_its_own() -> None:
    alric, banker, links = await at_bank()
    vaults.deposit_gold(alric.mobile, banker, 1)
    vault = alric.mobile.vault
    assert vault is not None
    granting.fill(vault, "dagger", 124)
    alric.gives("apple")
    await follows(alric, links[PUT_IN])
    apple = next(hands.carried_items(alric.mobile, "apple"))
    await orders(alric, SendWareHouseDepositList((KeptEntry(apple.serial, 1),)))
    assert texts(alric) == [SystemMessageId.WAREHOUSE_FULL]
    assert apple.root is alric.mobile


async def test_nobody_reaches_into_the_vault_of_another() -> None:
    alric, banker, links = await at_bank()
    berta = await alric.desk.enter("berta", (21, 20))
    vaults.deposit_gold(berta.mobile, banker, 10)
    hers = safes.gold_stack(berta.mobile)
    assert hers is not None
    vaults.deposit_gold(alric.mobile, banker, 10)
    await follows(alric, links[TAKE_OUT])
    await orders(alric, SendWareHouseWithDrawList((KeptEntry(hers.serial, 10),)))
    assert alric.told() == [Refusal.GONE.value]
    assert safes.gold(berta.mobile) == 10
