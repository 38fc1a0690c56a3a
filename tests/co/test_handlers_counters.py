"""Counters: a merchant's window, the client's own, the warehouse and the silver in it (facts/co-play.md,
sections 6 and 10; facts/co.md: 1009, 1010, 1102, 2032)."""

from __future__ import annotations

import attrs
import pytest

from protocol.co.counters import MORE, NEVER_MIND, NOTHING, WAREHOUSE_SIZE
from protocol.co.dialogs import BOX
from protocol.co.packets import (
    NO_ANSWER,
    Action,
    ItemAction,
    ItemActionType,
    Package,
    PackageAction,
    PackageList,
)
from protocol.co.versions import CoVersion
from protocol.wishes import Wish
from tests.kit.co_bytes import VERSIONS, u32
from tests.kit.co_counters import BREAD, START_GOLD, Market
from world import granting, hands, holding, life, safes, shops, visits
from world.offers import Offers, Shop, Ware
from world.reach import Refusal

OLD = CoVersion.V5017

OTHER_LIST, CLOSED = "I have something to sell.", Wish.UNASKED.value


# A merchant's window


@VERSIONS
async def test_a_merchant_is_a_window_whose_lines_end_with_their_prices(version: CoVersion) -> None:
    market = await Market.of(version)
    options = list((await market.opens_shop()).values())
    assert market.text() == "Greta: What can I do for you, Alric? You have 100 gold coins."
    assert options[:2] == ["bread loaf (20 left): 4 gold coins", "dagger: 30 gold coins"]
    assert options[5:] == [MORE, OTHER_LIST, NOTHING], "no more than a window shows at once"
    assert market.player.screen.faults == []


@VERSIONS
async def test_one_buys_as_many_as_one_types(version: CoVersion) -> None:
    market = await Market.of(version)
    await market.opens_shop()
    await market.presses("bread")
    assert market.text() == "Greta: How many, up to 20? 1 bread loaf for 4 gold coins."
    await market.answers(BOX, "3")
    assert hands.carried(market.mobile) == {"gold": START_GOLD - 12, "bread": 3}
    assert market.promised() == ["You buy 3 bread loaves for 12 gold coins."]
    assert market.first() == "bread loaf (17 left): 4 gold coins", "the list, as it is now"
    assert BREAD in [owned.kind for owned in market.player.screen.owned.values()]


async def test_one_goes_from_page_to_page_and_buys_there() -> None:
    market = await Market.of(OLD)
    await market.opens_shop()
    await market.presses(MORE)
    assert [label for label in market.options().values() if "potion" in label]
    await market.presses("apple")
    await market.presses("Just one.")
    assert hands.carried(market.mobile)["apple"] == 1
    assert [label for label in market.options().values() if "potion" in label], "on the same page"
    await market.presses(MORE)
    assert [label for label in market.options().values() if "bread" in label], "which was the last"
    await market.presses(NOTHING)
    assert market.mobile.visit is None
    assert market.options() == {}


async def test_one_sells_all_of_a_stack_or_one_or_none() -> None:
    market = await Market.of(OLD)
    market.given("bread", 5)
    market.given("dagger")
    market.given("torch")
    await market.opens_shop()
    await market.presses(OTHER_LIST)
    assert list(market.options().values()) == [
        "5 bread loaves, for each: 2 gold coins",
        "dagger: 15 gold coins",
        "Show me your wares.",
        NOTHING,
    ]
    await market.presses("5 bread")
    await market.presses(NEVER_MIND)
    await market.presses("5 bread")
    await market.presses("Just one.")
    assert market.gold() == START_GOLD + 2
    await market.presses("dagger")
    assert market.gold() == START_GOLD + 17
    await market.presses("4 bread")
    await market.presses("All.")
    assert hands.carried(market.mobile) == {"gold": START_GOLD + 25, "torch": 1}
    assert market.text().startswith("Greta: You have nothing that I buy.")
    assert market.player.screen.faults == []


@pytest.mark.parametrize("typed", ["0", "-1", "21", "4294967297", "9" * 300, "three", ""])
async def test_what_is_no_amount_is_asked_again(typed: str) -> None:
    market = await Market.of(OLD)
    await market.opens_shop()
    await market.presses("bread")
    await market.answers(BOX, typed[:255])
    assert market.player.lines() == ["A number from 1 to 20, please."]
    assert market.gold() == START_GOLD
    await market.answers(BOX, "1")
    assert market.gold() == START_GOLD - 4


async def test_who_is_poor_buys_nothing_and_has_the_list_again() -> None:
    market = await Market.of(OLD)
    await market.opens_shop()
    await market.presses("dagger")
    await market.answers(BOX, "4")
    assert market.player.lines() == [Refusal.POOR.value]
    assert hands.carried(market.mobile) == {"gold": START_GOLD}
    assert list(market.options().values())[1] == "dagger: 30 gold coins"


async def test_what_another_bought_meanwhile_is_not_there() -> None:
    market = await Market.of(OLD)
    berta = await market.desk.enter("berta", (22, 21))
    granting.make(berta.mobile, "gold", 80)
    await market.opens_shop()
    await market.presses("bread")
    shops.buy(berta.mobile, market.baker, [shops.Order("bread", 19)])
    await market.answers(BOX, "2")
    assert market.player.lines() == [Refusal.SOLD_OUT.value]
    assert market.first() == "bread loaf (1 left): 4 gold coins"
    await market.presses("bread")
    assert hands.carried(market.mobile)["bread"] == 1, "of one nobody asks how many"
    assert "bread" not in market.first()


async def test_a_price_that_has_changed_is_shown_before_anything_is_paid() -> None:
    market = await Market.of(OLD)
    await market.opens_shop()
    await market.presses("dagger")
    market.baker.template = attrs.evolve(market.baker.template, offers=Offers(Shop((Ware("dagger", 31),))))
    await market.presses("Just one.")
    assert market.player.lines() == [Refusal.PRICE.value]
    assert market.gold() == START_GOLD
    assert market.first() == "dagger: 31 gold coins"
    await market.presses("dagger")
    await market.presses("Just one.")
    assert market.gold() == START_GOLD - 31


async def test_the_far_and_the_dead_are_refused() -> None:
    market = await Market.of(OLD)
    plain = market.desk.world.realms["plain"]
    await market.opens_shop()
    await market.presses("dagger")
    market.desk.world.warp(market.baker, plain, 20, 37)
    await market.presses("Just one.")
    assert market.player.lines() == [Refusal.FAR.value]
    assert market.options() == {}
    market.desk.world.warp(market.baker, plain, 21, 20)
    await market.desk.wait(1.0)
    await market.opens_shop()
    life.kill(market.mobile)
    market.desk.turn()
    market.player.got.clear()
    await market.presses("dagger")
    assert market.player.lines() == [Refusal.DEAD.value]
    assert "dagger" not in hands.carried(market.mobile)


@pytest.mark.parametrize("option", [0, 9, 100, BOX])
async def test_an_answer_that_was_never_offered_is_none(option: int) -> None:
    market = await Market.of(OLD)
    await market.opens_shop()
    await market.answers(option, "1")
    assert market.player.lines() == [CLOSED]
    assert market.gold() == START_GOLD


async def test_an_answer_counts_once_and_a_closed_window_has_none() -> None:
    market = await Market.of(OLD)
    await market.opens_shop()
    await market.presses("dagger")
    one = next(number for number, text in market.options().items() if text == "Just one.")
    await market.answers(one)
    await market.answers(NO_ANSWER)
    assert market.mobile.visit is None
    await market.answers(one)
    assert market.player.lines()[-1] == CLOSED
    assert hands.carried(market.mobile) == {"gold": START_GOLD - 30, "dagger": 1}


async def test_another_question_takes_the_windows_place() -> None:
    market = await Market.of(OLD)
    await market.opens_shop()
    crier = market.desk.resident("crier", 19, 20)
    market.desk.turn()
    await market.player.clicks(crier)
    await market.answers(1)
    assert market.gold() == START_GOLD
    assert market.player.session.menu is None


# The client's own window of a shop


@VERSIONS
async def test_a_window_of_the_clients_own_buys_and_sells_at_our_prices(version: CoVersion) -> None:
    market = await Market.of(version)
    await market.acts(ItemActionType.BUY, market.number(market.baker), BREAD, 3)
    await market.acts(ItemActionType.BUY, market.number(market.baker), BREAD)
    assert hands.carried(market.mobile) == {"gold": START_GOLD - 16, "bread": 4}
    assert market.options() == {}, "no window that nobody asked for"
    (bread,) = hands.carried_items(market.mobile, "bread")
    market.player.got.clear()
    await market.acts(ItemActionType.SELL, market.number(market.baker), bread.serial)
    assert hands.carried(market.mobile) == {"gold": START_GOLD - 8}
    assert [(told.id, told.action) for told in market.player.took(ItemAction)] == [(bread.serial, 3)]


async def test_what_a_forged_request_names_is_refused() -> None:
    market = await Market.of(OLD)
    baker, banker = market.number(market.baker), market.number(market.banker)
    torch = market.given("torch")
    far = market.desk.resident("baker", 50, 50)
    for kind, npc, data, amount, why in (
        (ItemActionType.BUY, baker, 0xFFFF_FFFF, 1, Refusal.NOT_SOLD),
        (ItemActionType.BUY, baker, BREAD, 0xFFFF_FFFF, Refusal.AMOUNT),
        (ItemActionType.BUY, baker, BREAD, 21, Refusal.SOLD_OUT),
        (ItemActionType.BUY, banker, BREAD, 1, Refusal.NO_SHOP),
        (ItemActionType.BUY, market.number(far), BREAD, 1, Refusal.UNSEEN),
        (ItemActionType.SELL, baker, torch.serial, 0, Refusal.NOT_BOUGHT),
        (ItemActionType.SELL, baker, 12, 0, Refusal.GONE),
        (ItemActionType.SELL, 0, torch.serial, 0, Refusal.UNSEEN),
    ):
        await market.desk.wait(1.0)
        await market.acts(kind, npc, data, amount)
        assert market.player.lines() == [why.value], (kind, npc, data)
    assert hands.carried(market.mobile) == {"gold": START_GOLD, "torch": 1}


# The bank


@VERSIONS
async def test_the_window_of_the_warehouse_byte_by_byte(version: CoVersion) -> None:
    market = await Market.of(version)
    await market.player.clicks(market.banker)
    npc, hero = u32(market.number(market.banker)), u32(market.player.number)
    place = "a4010802"  # (420, 520): the plain's corner, and (20, 20) on it
    assert market.sent(Action, PackageList, ItemAction) == [
        "1800f203" + "00000000" + hero + "04000000" + place + "0000" + "7e00",
        "10004e04" + npc + "000a" + "0000" + "00000000",
        "1800f103" + npc + "00000000" + "09000000" + "00000000" + "00000000",
    ]
    bread = market.given("bread", 3)
    market.sent()
    await market.stores(PackageAction.CHECK_IN, bread.serial)
    old = u32(bread.serial) + u32(BREAD) + "000000000000" + "0000" + "0000" + "0000"
    new = u32(bread.serial) + u32(BREAD) + "000000000000" + "0000" + "00" + "000000000000" + "03"
    element = old if version < CoVersion.V5065 else new
    size = (16 + len(element) // 2).to_bytes(2, "little").hex()
    told = market.sent(PackageList, ItemAction)
    assert size + "4e04" + npc + "000a" + "0000" + "01000000" + element in told
    assert "1800f103" + u32(bread.serial) + "00000000" + "03000000" + "00000000" * 2 in told, "not in the bag"


@VERSIONS
async def test_things_and_silver_go_in_and_come_out(version: CoVersion) -> None:
    market = await Market.of(version)
    bread, npc = market.given("bread", 3), market.number(market.banker)
    await market.player.clicks(market.banker)
    await market.stores(PackageAction.CHECK_IN, bread.serial)
    await market.acts(ItemActionType.DEPOSIT, npc, 60)
    screen = market.player.screen
    assert (screen.warehouse, screen.stored_silver) == ({bread.serial: BREAD}, 60)
    assert (market.gold(), safes.gold(market.mobile)) == (40, 60)
    assert bread.serial not in screen.owned
    await market.acts(ItemActionType.WITHDRAW, npc, 10)
    await market.stores(PackageAction.CHECK_OUT, bread.serial)
    await market.acts(ItemActionType.QUERY_MONEY, npc)
    await market.stores(PackageAction.LIST)
    assert (screen.warehouse, screen.stored_silver) == ({}, 50)
    assert hands.carried(market.mobile) == {"gold": 50, "bread": 3}
    lines = market.promised()
    assert "You put 3 bread loaves into the bank; 0 gold coins lie there." in lines
    assert "You take 10 gold coins out of the bank; 50 gold coins lie there." in lines
    assert screen.faults == []


async def test_what_the_bank_refuses_changes_nothing_and_is_shown_as_it_is() -> None:
    market = await Market.of(OLD)
    torch, npc = market.given("torch"), market.number(market.banker)
    berta = await market.desk.enter("berta", (22, 21))
    hers = holding.make(market.desk.world, "dagger", stored=False)
    market.desk.world.register(hers)
    holding.put(safes.box(berta.mobile), hers)
    await market.player.clicks(market.banker)
    for act, number, why in (
        (PackageAction.CHECK_OUT, hers.serial, Refusal.GONE),
        (PackageAction.CHECK_IN, hers.serial, Refusal.GONE),
        (PackageAction.CHECK_OUT, torch.serial, Refusal.GONE),
        (PackageAction.CHECK_OUT, 0, Refusal.GONE),
    ):
        await market.desk.wait(1.0)
        market.player.got.clear()
        await market.stores(act, number)
        assert market.player.lines() == [why.value], (act, number)
        assert len(market.player.took(PackageList)) == 1
    for kind, amount, why in (
        (ItemActionType.DEPOSIT, 0, Refusal.AMOUNT),
        (ItemActionType.DEPOSIT, START_GOLD + 1, Refusal.POOR),
        (ItemActionType.DEPOSIT, 0xFFFF_FFFF, Refusal.POOR),
        (ItemActionType.WITHDRAW, 0, Refusal.AMOUNT),
        (ItemActionType.WITHDRAW, 1, Refusal.POOR),
    ):
        await market.desk.wait(1.0)
        await market.acts(kind, npc, amount)
        assert market.player.lines() == [why.value], (kind, amount)
    assert hers.root is berta.mobile.vault
    assert hands.carried(market.mobile) == {"gold": START_GOLD, "torch": 1}
    assert safes.things(market.mobile) == []


async def test_a_full_pack_and_a_full_vault_take_nothing_more() -> None:
    market = await Market.of(OLD)
    await market.player.clicks(market.banker)
    dagger = market.given("dagger")
    await market.stores(PackageAction.CHECK_IN, dagger.serial)
    assert safes.things(market.mobile) == [dagger]
    pack = market.mobile.backpack
    assert pack is not None
    for _ in range(125 - len(pack.contents)):
        market.given("candle")
    market.player.got.clear()
    await market.stores(PackageAction.CHECK_OUT, dagger.serial)
    assert market.player.lines()[-1] in (Refusal.FULL.value, Refusal.HEAVY.value)
    assert safes.things(market.mobile) == [dagger]


async def test_the_window_shows_no_more_than_it_has_room_for_and_says_so() -> None:
    market = await Market.of(OLD)
    box = safes.box(market.mobile)
    for _ in range(WAREHOUSE_SIZE + 2):
        candle = holding.make(market.desk.world, "dagger", stored=True)
        market.desk.world.register(candle)
        holding.put(box, candle)
    await market.player.clicks(market.banker)
    await market.stores(PackageAction.LIST)
    assert len(market.player.screen.warehouse or ()) == WAREHOUSE_SIZE
    assert any("take some out" in line for line in market.player.lines())


async def test_one_has_to_stand_before_a_banker() -> None:
    market = await Market.of(OLD)
    npc = market.number(market.banker)
    await market.stores(PackageAction.LIST, npc=0)
    assert market.player.lines() == [visits.CLOSED]
    await market.stores(PackageAction.LIST)
    assert market.player.screen.warehouse == {}, "whom one names opens it"
    await market.acts(ItemActionType.DEPOSIT, 0, 5)
    assert safes.gold(market.mobile) == 5, "the window does not say whose it is"
    plain = market.desk.world.realms["plain"]
    market.desk.world.warp(market.banker, plain, 20, 36)
    market.desk.turn()
    market.player.got.clear()
    await market.acts(ItemActionType.WITHDRAW, npc, 5)
    assert market.player.lines() == [Refusal.FAR.value]
    life.kill(market.mobile)
    await market.desk.wait(1.0)
    market.player.got.clear()
    await market.acts(ItemActionType.WITHDRAW, npc, 5)
    assert market.player.lines() == [Refusal.DEAD.value]
    assert safes.gold(market.mobile) == 5


@pytest.mark.parametrize(("action", "kind"), [(3, 10), (255, 10), (0, 20), (1, 0)])
async def test_what_is_no_warehouse_is_answered_in_words(action: int, kind: int) -> None:
    market = await Market.of(OLD)
    frame = bytes.fromhex("1000 4e04") + bytes(4) + bytes((action, kind)) + bytes(6)
    await market.player.sends(frame)
    assert len(market.player.lines()) == 1


def test_a_request_names_its_item_in_both_forms() -> None:
    long = bytes.fromhex("10004e04" + "08000000" + "020a" + "0000" + "01000040")
    short = bytes.fromhex("0e004e04" + "08000000" + "020a" + "01000040")
    assert [Package.decode(frame).item for frame in (long, short)] == [0x4000_0001] * 2
