"""Lineage II: trade in the window of its client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from protocol.l2 import packets as l2
from protocol.l2.packets import (
    ActionFailed,
    AddTradeItem,
    AnswerTradeRequest,
    NpcHtmlMessage,
    Rest,
    SendTradeDone,
    SendTradeRequest,
    TradeDone,
    TradeOtherAdd,
    TradeOwnAdd,
    TradePressOtherOk,
    TradePressOwnOk,
    TradeRequest,
    TradeStart,
    TradeUpdate,
)
from protocol.l2.view import L2View
from tests.kit.dealings import Offer, Table
from tests.kit.l2_actor import L2Actor
from tests.kit.l2_desk import Desk, Player
from tests.kit.l2_recorded import FROM_CLIENT, FROM_SERVER, VERSION
from tests.kit.town import Town
from world import dialogs, granting, hands, invites, life, trade
from world.reach import Refusal

if TYPE_CHECKING:
    from trio.testing import MockClock

    from world.item import Item


def kind(player: Player, key: str) -> int:
    """The client's kind of item."""
    return L2View.of(player.session).looks.items[key].item


def thing(player: Player, key: str) -> Item:
    return next(hands.carried_items(player.mobile, key))


def has(player: Player) -> dict[str, int]:
    return hands.carried(player.mobile)


def rows(message: TradeStart | TradeOwnAdd | TradeOtherAdd) -> list[tuple[int, int, int]]:
    return [(row.object_id, row.item_id, row.count) for row in message.items]


def trades(player: Player) -> list[str]:
    """What came to its window, in order."""
    return [name for name in player.kinds() if "Trade" in name]


async def two(**things: int) -> tuple[Player, Player]:
    """Alric, who has 100 gold and these things, and Berta with ten loaves, side by side."""
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (21, 20))
    for player, kinds in ((alric, {"gold": 100, **things}), (berta, {"gold": 10, "bread": 10})):
        for item in list(hands.carried_items(player.mobile)):
            hands.consume(item, item.amount)
        for key, amount in kinds.items():
            granting.make(player.mobile, key, amount)
    await desk.wait(0.1)
    alric.got.clear()
    berta.got.clear()
    return alric, berta


async def trading(**things: int) -> tuple[Player, Player]:
    """The same, with both windows open and what came with them taken."""
    alric, berta = await two(**things)
    await alric.says(TradeRequest(berta.mobile.serial))
    await berta.says(AnswerTradeRequest(1))
    await alric.desk.wait(0.1)
    assert alric.mobile.trade is berta.mobile.trade is not None
    alric.got.clear()
    berta.got.clear()
    return alric, berta


async def offers(player: Player, key: str, amount: int) -> None:
    await player.says(AddTradeItem(1, thing(player, key).serial, amount))
    await player.desk.wait(0.1)


# As recorded


def test_lists_lie_as_they_were_recorded() -> None:
    """tests/golden/l2/server_packets_c6.json, a dagger of 746's; facts/l2.md, section 8 (Trade)."""
    row = l2.StackEntry(type1=4, object_id=0x1000A4ED, item_id=5588, count=1, type2=5)
    assert VERSION.decode_server(FROM_SERVER["TradeStart"][0]) == TradeStart(0x1000A4EE, (row,))
    assert VERSION.decode_server(FROM_SERVER["TradeOwnAdd"][0]) == TradeOwnAdd((row,))
    assert VERSION.decode_server(FROM_SERVER["TradeOtherAdd"][0]) == TradeOtherAdd((row,))
    rest = l2.RestEntry(Rest.NOTHING, row)
    assert VERSION.decode_server(FROM_SERVER["TradeUpdate"][0]) == TradeUpdate((rest,))
    assert VERSION.decode_server(FROM_SERVER["TradeDone"][0]) == SendTradeDone(1)
    some = VERSION.encode(TradeUpdate((l2.RestEntry(Rest.SOME, l2.StackEntry(4, 7, 57, 90, 4)),)))
    lies = "74 0100 0300 0400 07000000 39000000 5a000000 0400 0000 00000000 0000 0000 0000"
    assert some == bytes.fromhex(lies)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("TradeRequest", TradeRequest(0x1000A4EE)),
        ("AnswerTradeRequest", AnswerTradeRequest(1)),
        ("AddTradeItem", AddTradeItem(1, 0x1000A4ED, 1)),
        ("TradeDone ok", TradeDone(1)),
    ],
)
def test_requests_are_read_as_they_were_recorded(name: str, message: l2.Message) -> None:
    row = next(row for row in FROM_CLIENT if row["name"] == name)
    assert VERSION.decode_client(bytes.fromhex(row["plain"])) == message


# To ask


async def test_who_is_asked_sees_the_clients_own_box_and_both_get_windows() -> None:
    alric, berta = await two(dagger=1)
    await alric.says(TradeRequest(berta.mobile.serial))
    assert berta.only(SendTradeRequest) == SendTradeRequest(alric.mobile.serial)
    assert berta.took(NpcHtmlMessage) == [], "one question is enough"
    assert len(alric.took(ActionFailed)) == 1
    assert alric.told() == ["You ask Berta to trade."]
    await berta.says(AnswerTradeRequest(1))
    opened = alric.only(TradeStart)
    assert opened.partner_id == berta.mobile.serial
    assert rows(opened) == [
        (thing(alric, "gold").serial, 57, 100),
        (thing(alric, "dagger").serial, kind(alric, "dagger"), 1),
    ]
    assert berta.only(TradeStart).partner_id == alric.mobile.serial
    assert alric.told() == ["You trade with Berta: offer, retract, agree, or endtrade."]


async def test_a_no_is_told_and_opens_nothing() -> None:
    alric, berta = await two()
    await alric.says(TradeRequest(berta.mobile.serial))
    await berta.says(AnswerTradeRequest(0))
    assert alric.took(TradeStart) == berta.took(TradeStart) == []
    assert alric.told()[-1] == "Berta does not want to."
    berta.got.clear()
    await berta.says(AnswerTradeRequest(1))
    assert berta.told() == [Refusal.NOT_ASKED.value], "that was a second answer"


async def test_an_answer_that_comes_too_late_counts_no_more() -> None:
    alric, berta = await two()
    await alric.says(TradeRequest(berta.mobile.serial))
    await alric.desk.wait(invites.ANSWER_SECONDS + 1)
    berta.got.clear()
    await berta.says(AnswerTradeRequest(1))
    assert berta.told() == [Refusal.NOT_ASKED.value]
    assert alric.mobile.trade is None


async def test_a_question_that_was_answered_in_words_opens_the_window_too() -> None:
    alric, berta = await two()
    await alric.says(TradeRequest(berta.mobile.serial))
    trade.accept(berta.mobile)
    await alric.desk.wait(0.1)
    assert len(berta.took(TradeStart)) == 1


async def test_who_cannot_be_asked() -> None:
    alric, berta = await two()
    baker = alric.desk.resident("banker", 22, 20)
    far = await alric.desk.enter("carla", (50, 50))
    for serial, why in (
        (alric.mobile.serial, Refusal.ONESELF),
        (baker.serial, Refusal.NO_PLAYER),
        (far.mobile.serial, Refusal.FAR),
        (thing(alric, "gold").serial, Refusal.GONE),
        (-1, Refusal.GONE),
    ):
        alric.got.clear()
        await alric.says(TradeRequest(serial))
        assert alric.told() == [why.value]
        assert len(alric.took(ActionFailed)) == 1
        await alric.desk.wait(1.5)
    assert far.mobile.dialogs == berta.mobile.dialogs == {}


# To offer


async def test_what_is_offered_stands_in_both_windows() -> None:
    alric, berta = await trading(dagger=1)
    gold, dagger = thing(alric, "gold"), thing(alric, "dagger")
    await offers(alric, "gold", 30)
    assert rows(alric.only(TradeOwnAdd)) == [(gold.serial, 57, 30)]
    (rest,) = alric.only(TradeUpdate).items
    assert (rest.rest, rest.item.object_id, rest.item.count) == (Rest.SOME, gold.serial, 70)
    assert rows(berta.only(TradeOtherAdd)) == [(alric.mobile.serial, 57, 30)]
    await offers(alric, "dagger", 1)
    assert rows(alric.only(TradeOwnAdd)) == [(dagger.serial, kind(alric, "dagger"), 1)]
    (rest,) = alric.only(TradeUpdate).items
    assert (rest.rest, rest.item.object_id) == (Rest.NOTHING, dagger.serial)
    assert rows(berta.only(TradeOtherAdd)) == [(dagger.serial, kind(berta, "dagger"), 1)]
    assert "Alric offers dagger and 30 gold" in berta.told()[-1]
    assert alric.took(SendTradeDone) == berta.took(SendTradeDone) == []


async def test_more_of_the_same_opens_the_windows_anew() -> None:
    """Nobody knows what the original does with a second row of a number that it has."""
    alric, berta = await trading()
    await offers(alric, "gold", 30)
    alric.got.clear()
    berta.got.clear()
    await offers(alric, "gold", 5)
    assert trades(alric) == ["SendTradeDone", "TradeStart", "TradeOwnAdd", "TradeUpdate"]
    assert alric.only(SendTradeDone).done == 0
    assert [row[2] for row in rows(alric.only(TradeOwnAdd))] == [35]
    assert [row[2] for row in rows(berta.only(TradeOtherAdd))] == [35]


async def test_what_is_taken_back_in_words_leaves_the_windows() -> None:
    alric, berta = await trading(dagger=1)
    await offers(alric, "dagger", 1)
    await offers(alric, "gold", 5)
    berta.got.clear()
    trade.withdraw_kind(alric.mobile, "dagger")
    await alric.desk.wait(0.1)
    assert [name for name in berta.kinds() if "Trade" in name] == [
        "SendTradeDone",
        "TradeStart",
        "TradeOtherAdd",
    ]
    assert [row[1:] for row in rows(berta.only(TradeOtherAdd))] == [(57, 5)]


@pytest.mark.parametrize(
    ("key", "amount", "why"),
    [
        ("gold", 0, Refusal.AMOUNT),
        ("gold", -5, Refusal.AMOUNT),
        ("gold", 101, Refusal.POOR),
        ("gold", 0x7FFF_FFFF, Refusal.POOR),
        ("bread", -1, Refusal.AMOUNT),
        ("bread", 4, Refusal.AMOUNT),
    ],
)
async def test_amounts_that_there_are_not(key: str, amount: int, why: Refusal) -> None:
    alric, berta = await trading(bread=3)
    await offers(alric, key, amount)
    assert alric.told() == [why.value]
    assert not alric.took(TradeOwnAdd)
    assert not berta.took(TradeOtherAdd)
    assert alric.mobile.trade is not None


async def test_things_that_are_not_ones_own() -> None:
    alric, berta = await trading()
    for serial in (thing(berta, "bread").serial, alric.mobile.serial, 0, -1):
        alric.got.clear()
        await alric.says(AddTradeItem(1, serial, 1))
        assert alric.told() == [Refusal.NOT_YOURS.value]
        await alric.desk.wait(1.1)


async def test_nothing_is_offered_agreed_or_closed_without_a_trade() -> None:
    alric, _ = await two()
    for message in (AddTradeItem(1, thing(alric, "gold").serial, 5), TradeDone(1)):
        alric.got.clear()
        await alric.says(message)
        assert alric.told() == [Refusal.NO_TRADE.value]
        await alric.desk.wait(1.1)
    alric.got.clear()
    await alric.says(TradeDone(0))
    assert alric.kinds() == ["ActionFailed"], "its window had closed already"


# To agree


async def test_when_both_agree_all_changes_hands() -> None:
    alric, berta = await trading()
    await offers(alric, "gold", 30)
    await offers(berta, "bread", 4)
    alric.got.clear()
    berta.got.clear()
    await alric.says(TradeDone(1))
    assert len(alric.took(TradePressOwnOk)) == len(berta.took(TradePressOtherOk)) == 1
    await berta.says(TradeDone(1))
    assert alric.only(SendTradeDone).done == berta.only(SendTradeDone).done == 1
    assert has(alric) == {"gold": 70, "bread": 4}
    assert has(berta) == {"gold": 40, "bread": 6}
    assert alric.session.trading is berta.session.trading is None
    owned = {
        (entry.item_id, entry.count) for entry in (alric.session.owns or {}).values() if not entry.equipped
    }
    assert {(57, 70), (kind(alric, "bread"), 4)} <= owned


async def test_a_change_after_an_ok_opens_the_windows_anew_without_it() -> None:
    alric, berta = await trading()
    await offers(alric, "gold", 30)
    await berta.says(TradeDone(1))
    berta.got.clear()
    await offers(alric, "gold", 1)
    assert [name for name in berta.kinds() if "Trade" in name] == [
        "SendTradeDone",
        "TradeStart",
        "TradeOtherAdd",
    ]
    shown = berta.session.trading
    assert shown is not None
    assert not shown.own.agreed


async def test_what_was_changed_before_it_was_shown_is_not_agreed_to() -> None:
    """Both in one turn: the window that its player looked at was another."""
    alric, berta = await trading()
    await offers(alric, "gold", 30)
    trade.set_gold(alric.mobile, 3)
    berta.got.clear()
    await berta.says(TradeDone(1))
    assert Refusal.ALTERED.value in berta.told()
    assert berta.mobile.trade is not None
    assert not berta.mobile.trade.side(berta.mobile).agreed


@pytest.mark.parametrize("how", ["closed", "dead", "gone", "elsewhere"])
async def test_whatever_ends_it_closes_both_windows_with_nothing_changed(how: str) -> None:
    alric, berta = await trading()
    await offers(alric, "gold", 30)
    berta.got.clear()
    if how == "closed":
        await alric.says(TradeDone(0))
    elif how == "dead":
        life.kill(alric.mobile)
    elif how == "gone":
        await alric.says(l2.RequestRestart())
    else:
        alric.desk.world.warp(alric.mobile, alric.desk.world.realms["plain"], 5, 5)
    await alric.desk.wait(0.1)
    assert berta.only(SendTradeDone).done == 0
    assert berta.told(), "its player reads why"
    assert has(berta) == {"gold": 10, "bread": 10}
    assert berta.mobile.trade is None


async def test_somebody_else_opens_a_window_of_its_own_afterwards() -> None:
    """What the window of an earlier trade showed counts for nothing."""
    alric, berta = await trading()
    await offers(alric, "gold", 30)
    await alric.says(TradeDone(0))
    await alric.desk.wait(1)
    await berta.says(TradeRequest(alric.mobile.serial))
    await alric.says(AnswerTradeRequest(1))
    alric.got.clear()
    await offers(alric, "gold", 30)
    assert [row[2] for row in rows(alric.only(TradeOwnAdd))] == [30]
    assert alric.took(SendTradeDone) == []


async def test_the_generic_answer_is_the_same_answer() -> None:
    alric, berta = await two()
    await alric.says(TradeRequest(berta.mobile.serial))
    question = trade.question(berta.mobile)
    assert question is not None
    dialogs.answer(berta.mobile, question.serial, question.type_id, invites.YES)
    await alric.desk.wait(0.1)
    assert len(alric.took(TradeStart)) == 1


# Two clients


async def test_two_clients_trade_in_their_windows(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    town = Town(nursery, games=("l2",))
    await town.open()
    anna, bert = L2Actor(town), L2Actor(town)
    for actor, name in ((anna, "Anna"), (bert, "Bert")):
        await actor.enters(name.lower(), name)
        granting.make(town.mobile(name), "bread", 5)
    await trio.sleep(1)
    before = [hands.carried(town.mobile(name)) for name in ("Anna", "Bert")]
    await anna.asks_to_trade("Bert")
    await trio.sleep(1)
    await bert.accepts_trade()
    await trio.sleep(1)
    assert anna.trade_shown() == bert.trade_shown() == Table()
    await anna.offers_gold(3)
    await bert.offers("bread", 2)
    await trio.sleep(1)
    table = Table(Offer({}, 3), Offer({"bread": 2}))
    assert (anna.trade_shown(), bert.trade_shown()) == (table, table.turned)
    for actor in (anna, bert):
        await actor.agrees()
        await trio.sleep(1)
    assert anna.trade_shown() is bert.trade_shown() is None
    after = [hands.carried(town.mobile(name)) for name in ("Anna", "Bert")]
    moved = [
        {key: now[key] - then[key] for key in ("gold", "bread")}
        for then, now in zip(before, after, strict=True)
    ]
    assert moved == [{"gold": -3, "bread": 2}, {"gold": 3, "bread": -2}]
    await bert.asks_to_trade("Anna")
    await trio.sleep(1)
    await anna.accepts_trade()
    await trio.sleep(1)
    await anna.ends_trade()
    await trio.sleep(1)
    for actor in (anna, bert):
        assert actor.client.screen.trades == [True, False]
        assert actor.client.screen.faults == []
