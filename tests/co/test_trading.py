"""Trades between players: the client's window, what it sends and what it is shown (facts/co-play.md, section
7; facts/co.md, section 12: 1056, and 1008 with action 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pytest

from protocol.co.packets import (
    ItemAction,
    ItemInfo,
    TaskDialog,
    Trade,
    TradeAction,
    UserAttrib,
)
from protocol.co.session import Bargain
from protocol.co.trading import OfferRefused, TradeClosed
from protocol.co.trading import TradeWindow as Opens
from protocol.co.versions import CoVersion
from protocol.wishes import Wish
from tests.kit.co_bytes import VERSIONS, told, u32
from tests.kit.co_company import FAIL, SUCCESS, TradeWindow
from tests.kit.co_desk import Desk, Player, small_content, two
from world import granting, hands, holding, life, trade
from world.containers import MOST_IN_CONTAINER
from world.reach import Refusal

if TYPE_CHECKING:
    from world.item import Item

BREAD = 710003
"""The client's item type (data/looks/items.toml)."""

Pair: TypeAlias = tuple[Player, Player]


def trades(data: int, action: int) -> str:
    """MsgTrade, 12 bytes: data at 4, action at 8."""
    return f"0c002004{u32(data)}{u32(action)}"


def given(player: Player, key: str, amount: int = 1) -> Item:
    """Something new in its pack."""
    pack = player.mobile.backpack
    assert pack is not None
    item = holding.make(player.desk.world, key, amount=amount, stored=True)
    player.desk.world.register(item)
    holding.put(pack, item)
    return item


async def pair(version: CoVersion = CoVersion.V5017) -> Pair:
    """Alric and Berta, two tiles apart, with a hundred gold each and nothing else; what came is forgotten."""
    people = await two(Desk(small_content(), version=version))
    for player in people:
        for item in list(hands.carried_items(player.mobile)):
            hands.consume(item, item.amount)
        granting.make(player.mobile, "gold", 100)
    await people[0].desk.wait(1.0)
    for player in people:
        told(player)
    return people


async def does(player: Player, action: int, data: int = 0) -> None:
    """MsgTrade, after a moment."""
    await player.desk.wait(0.2)
    await player.says(Trade(data, action))


async def trading(version: CoVersion = CoVersion.V5017) -> Pair:
    """Both trade already; what came is forgotten."""
    alric, berta = await pair(version)
    await does(alric, TradeAction.APPLY, berta.number)
    await does(berta, TradeAction.APPLY, alric.number)
    for player in (alric, berta):
        told(player)
    return alric, berta


def window(player: Player) -> TradeWindow:
    """What it shows, without a fault."""
    assert player.screen.faults == []
    shown = player.screen.trading.window
    assert shown is not None
    return shown


# Asking


@VERSIONS
async def test_one_asks_and_the_other_says_the_same(version: CoVersion) -> None:
    alric, berta = await pair(version)
    await does(alric, TradeAction.APPLY, berta.number)
    assert alric.lines() == ["You ask Berta to trade."]
    assert told(berta, Trade, TaskDialog) == [trades(alric.number, 1)], "with the asker's number"
    assert alric.mobile.trade is None
    await does(berta, TradeAction.APPLY, alric.number)
    assert "You trade with Berta: offer, retract, agree, or endtrade." in alric.lines()
    assert told(alric, Trade) == [trades(berta.number, 3)], "each with the partner's number"
    assert told(berta, Trade) == [trades(alric.number, 3)]
    assert window(alric).partner == berta.number
    assert alric.mobile.trade is berta.mobile.trade is not None


async def test_whoever_is_asked_by_somebody_out_of_its_sight_has_a_window_of_words() -> None:
    alric, berta = await pair()
    trade.ask(alric.mobile, berta.mobile)
    alric.mobile.hidden = True
    alric.desk.turn()
    assert told(berta, Trade) == []
    assert berta.screen.window is not None
    assert "Alric would like to trade" in berta.screen.window.text


async def test_a_partner_whom_its_client_does_not_see_trades_in_words() -> None:
    alric, berta = await trading()
    session, opens = alric.session, Opens(alric.figures, Bargain(berta.number), opens=True)
    session.known.clear()
    assert opens.bind(session).hex() == trades(berta.number, FAIL), "what was open is closed"
    assert opens.bind(session) == b""
    await does(alric, TradeAction.QUIT)
    assert told(alric, Trade) == []
    assert alric.screen.notices[-1] == "You end the trade."


async def test_to_close_a_question_declines_it() -> None:
    alric, berta = await pair()
    await does(alric, TradeAction.APPLY, berta.number)
    await does(berta, TradeAction.QUIT, alric.number)
    assert "Berta does not want to." in alric.lines()
    assert trade.question(berta.mobile) is None


async def test_an_answer_to_a_question_that_has_lapsed_is_a_question() -> None:
    alric, berta = await pair()
    await does(alric, TradeAction.APPLY, berta.number)
    await alric.desk.wait(31)
    told(alric), told(berta)
    await does(berta, TradeAction.APPLY, alric.number)
    assert told(alric, Trade) == [trades(berta.number, 1)]


async def test_who_cannot_be_asked() -> None:
    alric, berta = await pair()
    crier = alric.desk.resident("crier", 22, 20)
    await alric.desk.wait(0.3)
    for number, why in (
        (alric.number, Refusal.ONESELF),
        (alric.figures.ids.of(crier), Refusal.NO_PLAYER),
        (0, Refusal.UNSEEN),
        (0xFFFFFFFF, Refusal.UNSEEN),
    ):
        alric.got.clear()
        await alric.desk.wait(1.1)
        await does(alric, TradeAction.APPLY, number)
        assert alric.lines() == [why.value]
    assert told(berta, Trade) == []


# Offering


@VERSIONS
async def test_a_thing_is_shown_to_the_other_as_an_item_of_its_trade(version: CoVersion) -> None:
    alric, berta = await trading(version)
    bread = given(alric, "bread", 5)
    alric.desk.turn()
    told(alric)
    await does(alric, TradeAction.ADD_ITEM, bread.serial)
    assert told(alric, Trade) == [trades(bread.serial, 6)]
    (item,) = told(berta, ItemInfo)
    # 1008: id 4, type 8, durability or amount 12, limit 14, action 2 at 16, position 18
    assert item[8:40] == f"{u32(bread.serial)}{u32(BREAD)}0500050002000000"
    assert window(berta).theirs == {bread.serial: (BREAD, 5)}
    assert window(alric).own == [bread.serial]


async def test_what_is_not_ones_own_goes_back_to_the_bag() -> None:
    alric, berta = await trading()
    bread = given(berta, "bread")
    alric.desk.turn()
    told(alric)
    await does(alric, TradeAction.ADD_ITEM, bread.serial)
    assert told(alric, Trade) == [trades(bread.serial, 11)]
    assert window(berta).theirs == {}


async def test_silver_is_told_to_both_as_a_sum() -> None:
    alric, berta = await trading()
    for amount in (30, 20, 0, 100):
        await does(alric, TradeAction.ADD_MONEY, amount)
        assert told(alric, Trade) == [trades(amount, 9)]
        assert told(berta, Trade) == [trades(amount, 8)]


@pytest.mark.parametrize("amount", [101, 1_000_000_001, 0x80000000, 0xFFFFFFFF])
async def test_more_silver_than_there_is_is_refused_and_the_window_told_what_counts(amount: int) -> None:
    alric, berta = await trading()
    await does(alric, TradeAction.ADD_MONEY, 7)
    told(alric), told(berta)
    await does(alric, TradeAction.ADD_MONEY, amount)
    assert alric.lines() == [Refusal.POOR.value]
    assert told(alric, Trade) == [trades(7, 9)]
    assert told(berta, Trade) == []


async def test_what_is_offered_is_told_in_words_as_well() -> None:
    alric, berta = await trading()
    bread = given(alric, "bread", 5)
    alric.desk.turn()
    alric.got.clear()
    await does(alric, TradeAction.ADD_ITEM, bread.serial)
    assert berta.lines() == ["You offer nothing; Alric offers 5 bread loaves."]
    assert alric.lines() == ["You offer 5 bread loaves; Berta offers nothing."]


async def test_what_its_client_was_not_told_of_the_line_alone_tells() -> None:
    alric, _ = await trading()
    for _ in range(40):
        given(alric, "dagger")
    bread = given(alric, "bread")
    alric.desk.turn()
    beyond = next(item for item in (bread, *hands.carried_items(alric.mobile)) if _unknown(alric, item))
    told(alric)
    trade.offer(alric.mobile, beyond)
    alric.desk.turn()
    assert [line for line in alric.lines() if line.startswith("You offer ")]
    assert window(alric).own == []


def _unknown(player: Player, item: Item) -> bool:
    return item.template.key != "gold" and item.serial not in (player.session.owns or {})


async def test_what_is_offered_no_more_opens_the_window_anew() -> None:
    """No message takes a thing out of it."""
    alric, berta = await trading()
    bread, dagger = given(alric, "bread"), given(alric, "dagger")
    alric.desk.turn()
    for item in (bread, dagger):
        await does(alric, TradeAction.ADD_ITEM, item.serial)
    await does(berta, TradeAction.ADD_MONEY, 9)
    told(alric), told(berta)
    trade.withdraw(alric.mobile, bread)
    alric.desk.turn()
    assert told(alric, Trade) == [
        *(trades(berta.number, 5), trades(berta.number, 3)),
        *(trades(dagger.serial, 6), trades(9, 8)),
    ]
    assert list(window(berta).theirs) == [dagger.serial]
    assert (window(berta).silver, window(alric).their_silver) == (9, 9)


async def test_another_amount_of_a_stack_opens_the_window_anew() -> None:
    alric, berta = await trading()
    bread = given(alric, "bread", 5)
    alric.desk.turn()
    await does(alric, TradeAction.ADD_ITEM, bread.serial)
    trade.offer(alric.mobile, bread, 2)
    alric.desk.turn()
    assert window(berta).theirs == {bread.serial: (BREAD, 2)}


# Agreeing, and the end


@VERSIONS
async def test_both_agree_and_all_of_it_changes_hands(version: CoVersion) -> None:
    alric, berta = await trading(version)
    bread = given(alric, "bread", 5)
    alric.desk.turn()
    await does(alric, TradeAction.ADD_ITEM, bread.serial)
    await does(berta, TradeAction.ADD_MONEY, 20)
    told(alric), told(berta)
    await does(alric, TradeAction.ACCEPT)
    assert told(berta, Trade) == [trades(alric.number, 10)]
    assert window(berta).agreed
    told(alric)
    await does(berta, TradeAction.ACCEPT)
    assert alric.raw[0].hex() == trades(berta.number, 4), "the window closes, then things go"
    gone = told(alric, ItemAction, UserAttrib)
    assert f"1800f103{u32(bread.serial)}{u32(0)}{u32(3)}" in [packet[:32] for packet in gone]
    assert [packet for packet in gone if u32(4) + u32(120) in packet], "silver, 1017 type 4"
    assert told(berta, Trade) == [trades(alric.number, 4)]
    assert berta.screen.owned[bread.serial].kind == BREAD
    assert alric.screen.trading.endings == berta.screen.trading.endings == [SUCCESS]
    assert hands.carried(alric.mobile) == {"gold": 120}
    assert hands.carried(berta.mobile) == {"gold": 80, "bread": 5}


async def test_whatever_changes_lets_the_client_agree_again() -> None:
    alric, berta = await trading()
    await does(alric, TradeAction.ADD_MONEY, 5)
    await does(alric, TradeAction.ACCEPT)
    told(alric), told(berta)
    await does(berta, TradeAction.ADD_MONEY, 6)
    assert told(alric, Trade) == [
        *(trades(berta.number, 5), trades(berta.number, 3), trades(5, 9), trades(6, 8))
    ]
    assert not window(berta).agreed
    await does(alric, TradeAction.ACCEPT)
    await does(berta, TradeAction.ACCEPT)
    assert holding.gold(alric.mobile) == 101


async def test_one_agrees_only_to_what_was_shown() -> None:
    alric, berta = await trading()
    await does(alric, TradeAction.ADD_MONEY, 5)
    await does(alric, TradeAction.ACCEPT)
    await berta.desk.wait(0.2)
    trade.set_gold(alric.mobile, 2)
    berta.got.clear()
    await berta.says(Trade(0, TradeAction.ACCEPT))  # before its client is told
    assert Refusal.ALTERED.value in berta.lines()
    assert holding.gold(berta.mobile) == 100


async def test_to_agree_to_nothing_opens_the_window_anew() -> None:
    alric, berta = await trading()
    await does(alric, TradeAction.ACCEPT)
    assert alric.lines() == [Refusal.NO_OFFER.value]
    assert told(alric, Trade) == [trades(berta.number, 5), trades(berta.number, 3)]
    await does(berta, TradeAction.ADD_MONEY, 1)
    await does(alric, TradeAction.ACCEPT)
    assert window(berta).agreed


async def test_one_who_has_no_room_is_told_and_both_may_agree_again() -> None:
    alric, berta = await trading()
    for _ in range(MOST_IN_CONTAINER - 1):  # and gold
        given(berta, "torch")
    bread = given(alric, "bread")
    alric.desk.turn()
    await does(alric, TradeAction.ADD_ITEM, bread.serial)
    await does(alric, TradeAction.ACCEPT)
    told(alric), told(berta)
    await does(berta, TradeAction.ACCEPT)
    assert berta.mobile.trade is not None
    assert [line for line in alric.lines() if "Berta" in line]
    assert told(alric, Trade)[:2] == [trades(berta.number, 5), trades(berta.number, 3)]
    assert not window(berta).agreed


async def test_a_window_that_is_closed_ends_it_for_both_and_a_second_time_nothing() -> None:
    alric, berta = await trading()
    await does(alric, TradeAction.QUIT)
    assert told(alric, Trade) == [trades(berta.number, 5)]
    assert "Alric ends the trade." in berta.lines()
    assert told(berta, Trade) == [trades(alric.number, 5)]
    await does(berta, TradeAction.QUIT, alric.number)
    assert told(berta) == []
    assert berta.got == []
    assert berta.screen.trading.endings == [FAIL]


@pytest.mark.parametrize("ware", [None, 101])
async def test_an_offer_is_not_refused_in_a_window_that_is_closed(ware: int | None) -> None:
    """What closes it may be on its way to a client that is behind, which still offers something there."""
    alric, berta = await trading()
    alric.session.queue(TradeClosed(TradeAction.FAIL), OfferRefused(ware))
    alric.desk.turn()
    assert told(alric, Trade) == [trades(berta.number, 5)]
    assert alric.screen.faults == []


async def test_a_death_closes_the_window() -> None:
    alric, berta = await trading()
    life.kill(berta.mobile)
    alric.desk.turn()
    assert alric.screen.trading.window is berta.screen.trading.window is None
    assert alric.screen.faults == berta.screen.faults == []


async def test_a_partner_who_hangs_up_closes_the_window() -> None:
    alric, berta = await trading()
    berta.hang_up()
    await alric.desk.wait(0.5)
    assert told(alric, Trade) == [trades(berta.number, 5)]


@pytest.mark.parametrize(
    "action", [TradeAction.ADD_ITEM, TradeAction.ADD_MONEY, TradeAction.ACCEPT], ids=lambda one: one.name
)
async def test_without_a_trade_nothing_is_offered(action: TradeAction) -> None:
    alric, _ = await pair()
    bread = given(alric, "bread")
    alric.desk.turn()
    alric.got.clear()
    await does(alric, action, bread.serial)
    assert Refusal.NO_TRADE.value in alric.lines()


async def test_points_and_nonsense_are_refused_in_words() -> None:
    alric, berta = await trading()
    alric.got.clear()
    await does(alric, TradeAction.ADD_POINTS, 5)
    assert alric.lines() == [Wish.POINTS.value]
    await does(alric, TradeAction.SUCCESS, berta.number)
    assert alric.lines() == [Wish.UNKNOWN.value]
    assert told(berta) == []
    assert alric.mobile.trade is not None
