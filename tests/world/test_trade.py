"""Trade between players: all that both agreed on, in one step, or nothing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tests.kit.hands import everything, of, pack, refused
from tests.kit.traders import has, lines, over, put, shown, traders, trading
from tests.kit.worlds import goes_on
from world import dealing, hands, holding, invites, residents, trade
from world.bargain import TradeSide
from world.content import Resident
from world.events import Asked, Closed, TradeOpened
from world.reach import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile


# Asking


def test_one_asks_the_other_accepts_and_both_are_shown_a_window() -> None:
    world, (anna, bert) = traders()
    trade.ask(anna, bert)
    assert lines(world, anna) == ["You ask Bert to trade."]
    assert [one.dialog.name for one in world.events if isinstance(one, Asked)] == [trade.TRADE]
    assert [anna.trade, bert.trade] == [None, None]
    trade.accept(bert, anna)
    opened = [(one.thing, one.other) for one in world.events if isinstance(one, TradeOpened)]
    assert opened == [(anna, bert), (bert, anna)]
    assert anna.trade is bert.trade is not None
    assert not bert.dialogs


def test_who_asks_who_has_asked_accepts() -> None:
    world, (anna, bert) = traders()
    bread, dagger = of(anna, "bread"), of(bert, "dagger")
    trade.ask(anna, bert, bread)
    trade.ask(bert, anna, dagger)
    own, theirs = shown(world, anna)
    assert [one.serial for one in own.things] == [bread.serial]
    assert [one.serial for one in theirs.things] == [dagger.serial]
    assert not bert.dialogs


def test_who_takes_no_gifts_is_not_asked_but_may_ask() -> None:
    _, (anna, bert) = traders()
    anna.takes_gifts = False
    refused(Refusal.UNWANTED, lambda: trade.ask(bert, anna))
    trade.ask(anna, bert)
    trade.ask(bert, anna)
    assert anna.trade is not None


def test_a_game_that_opens_the_window_at_once_is_not_asked() -> None:
    world, (anna, bert) = traders()
    bert.windows = frozenset({trade.UNASKED})
    trade.ask(anna, bert, of(anna, "bread"), 1)
    assert anna.trade is not None
    assert not any(isinstance(one, Asked) for one in world.events)
    assert [(one.template.key, one.amount) for one in shown(world, bert)[1].things] == [("bread", 1)]


def test_windows_are_opened_no_oftener_than_others_are_asked() -> None:
    world, (anna, bert) = traders()
    bert.windows = frozenset({trade.UNASKED})
    for _ in range(invites.LIMIT.lines):
        trade.ask(anna, bert)
        trade.close(bert)
    refused(Refusal.ASKING, lambda: trade.ask(anna, bert))
    assert bert.trade is None
    goes_on(world, invites.LIMIT.seconds + 1)
    trade.ask(anna, bert)
    assert bert.trade is not None


def test_a_thing_in_the_hand_goes_into_the_pack_and_is_offered() -> None:
    world, (anna, bert) = traders()
    bert.windows = frozenset({trade.UNASKED})
    gold = hands.lift(anna, of(anna, "gold"), 40)
    trade.ask(anna, bert, gold)
    assert anna.hand is None
    assert gold.parent is pack(anna)
    assert [(one.serial, one.amount) for one in shown(world, bert)[1].things] == [(gold.serial, 40)]
    bread = hands.lift(anna, of(anna, "bread"))
    trade.offer(anna, bread)
    assert anna.hand is None
    assert len(shown(world, bert)[1].things) == 2


def test_a_refusal_and_silence_are_told() -> None:
    world, (anna, bert) = traders()
    trade.ask(anna, bert)
    refused(Refusal.ASKED, lambda: trade.ask(anna, bert))
    trade.refuse(bert)
    assert lines(world, anna)[-1] == "Bert does not want to."
    trade.ask(anna, bert)
    goes_on(world, invites.ANSWER_SECONDS + 5)
    assert lines(world, anna)[-1] == "Bert does not answer."
    assert any(isinstance(one, Closed) for one in world.events)
    for deed in (trade.accept, trade.refuse):
        refused(Refusal.NOT_ASKED, partial(deed, bert))


def test_a_third_party_is_busy() -> None:
    world, (anna, bert, carl) = traders(10, 12, 14)
    trade.ask(anna, bert)
    refused(Refusal.ENGAGED, lambda: trade.ask(carl, bert))
    refused(Refusal.NOT_ASKED, lambda: trade.accept(bert, carl))
    trade.accept(bert)
    refused(Refusal.OCCUPIED, lambda: trade.ask(carl, bert))
    refused(Refusal.TRADING, lambda: trade.ask(bert, carl))
    for deed in (
        lambda: trade.agree(carl),
        lambda: trade.close(carl),
        lambda: trade.set_gold(carl, 1),
        lambda: trade.offer(carl, of(carl, "bread")),
        lambda: trade.withdraw(carl, of(carl, "bread")),
    ):
        refused(Refusal.NO_TRADE, deed)
    refused(Refusal.NOT_YOURS, lambda: trade.offer(anna, of(carl, "bread")))
    assert anna.trade is not None
    assert world.promises == []


def test_who_may_not_trade() -> None:
    world, (anna, bert) = traders()
    sheep = residents.place(world, world.realms["plain"], Resident("sheep", 11, 10))
    refused(Refusal.ONESELF, lambda: trade.ask(anna, anna))
    refused(Refusal.NO_PLAYER, lambda: trade.ask(anna, sheep))
    changes: list[tuple[Mobile, str, object, Refusal]] = [
        (anna, "dead", True, Refusal.DEAD),
        (bert, "dead", True, Refusal.NO_TRADER),
        (bert, "online", False, Refusal.NOBODY),
        (bert, "hidden", True, Refusal.UNSEEN),
        (anna, "hidden", True, Refusal.UNSEEN),
        (bert, "takes_gifts", False, Refusal.UNWANTED),
        (anna, "fighting_until", 1e9, Refusal.FIGHTING),
        (bert, "fighting_until", 1e9, Refusal.FIGHTING),
    ]
    for mobile, attribute, value, why in changes:
        before = getattr(mobile, attribute)
        setattr(mobile, attribute, value)
        refused(why, lambda: trade.ask(anna, bert))
        setattr(mobile, attribute, before)
    world.warp(bert, world.realms["plain"], 21, 10)
    refused(Refusal.FAR, lambda: trade.ask(anna, bert))
    world.warp(bert, world.realms["cave"], 5, 5)
    refused(Refusal.FAR, lambda: trade.ask(anna, bert))
    assert not bert.dialogs
    assert anna.trade is None


def test_yes_counts_only_while_both_may_trade() -> None:
    world, (anna, bert) = traders()
    trade.ask(anna, bert)
    world.warp(anna, world.realms["plain"], 40, 40)
    trade.accept(bert)
    assert anna.trade is None
    assert lines(world, bert)[-1] == Refusal.FAR.value
    assert lines(world, anna)[-1] == "Bert would trade with you, but that cannot be now."


# Offering


def test_what_is_offered_stays_until_both_agree_and_then_all_of_it_goes() -> None:
    world, anna, bert = trading()
    before = everything(world)
    trade.offer(anna, of(anna, "bread"), 1)
    trade.offer(anna, of(anna, "dagger"))
    trade.set_gold(anna, 30)
    trade.offer(bert, of(bert, "candle"))
    trade.agree(anna)
    assert everything(world) == before
    assert [(own.agreed, theirs.agreed) for own, theirs in (shown(world, anna), shown(world, bert))] == [
        (True, False),
        (False, True),
    ]
    dagger, candle = of(anna, "dagger"), of(bert, "candle")
    trade.agree(bert)
    assert dagger.parent is pack(bert)
    assert candle.parent is pack(anna)
    assert has(anna) == {"gold": 70, "candle": 2, "bread": 1}
    assert has(bert) == {"gold": 130, "dagger": 2, "bread": 3}
    assert anna.trade is bert.trade is None
    assert over(world, anna) == over(world, bert) == [(True, None, False)]
    assert world.promises == [
        (anna, "You give Bert loaf of bread, dagger and 30 gold coins and receive candle."),
        (bert, "You give Anna candle and receive loaf of bread, dagger and 30 gold coins."),
    ]


def test_the_windows_close_before_anything_moves() -> None:
    world, anna, bert = trading()
    trade.offer(anna, of(anna, "dagger"))
    trade.agree(anna)
    world.take_changes()
    trade.agree(bert)
    kinds = [type(one).__name__ for one in world.take_changes().events]
    assert kinds == ["TradeEnded", "TradeEnded", "Taken"]


def test_any_change_makes_both_agree_no_more() -> None:
    world, anna, bert = trading()
    bread, dagger = of(anna, "bread"), of(bert, "dagger")
    changes: list[Callable[[], object]] = [
        lambda: trade.offer(anna, bread, 1),
        lambda: trade.offer(anna, bread, 2),
        lambda: trade.set_gold(bert, 5),
        lambda: trade.offer(bert, dagger),
        lambda: trade.withdraw(bert, dagger),
        lambda: trade.set_gold(bert, 0),
        lambda: trade.offer_kind(anna, "candle", 1),
        lambda: trade.withdraw_kind(anna, "candle"),
        lambda: hands.drop(anna, of(anna, "bread"), 1, anna.x, anna.y),
    ]
    trade.offer(anna, bread, 1)
    for change in changes:
        if change is not changes[0]:
            trade.agree(anna)
        change()
        assert anna.trade is not None
        assert not anna.trade.side(anna).agreed
    assert anna.trade is not None
    assert anna.trade.first.copy() == TradeSide()
    trade.set_gold(anna, 1)
    trade.agree(anna)
    trade.agree(anna)
    trade.disagree(anna)
    assert shown(world, bert)[1] == TradeSide((), 1, False)
    trade.agree(bert)
    assert anna.trade is not None


def test_what_may_not_be_offered() -> None:
    world, anna, bert = trading()
    sack = put(anna, "sack")
    inner = put(anna, "apple", 3, sack)
    bolted = put(anna, "bank_box")
    assert inner in trade.offerable(anna)
    assert bolted not in trade.offerable(anna)
    free = hands.drop(bert, of(bert, "candle"), 1, bert.x, bert.y)
    for item, amount, why in (
        (of(bert, "bread"), 1, Refusal.NOT_YOURS),
        (free, 1, Refusal.NOT_YOURS),
        (pack(anna), 1, Refusal.FIXED),
        (anna.worn[5], 1, Refusal.FIXED),
        (bolted, 1, Refusal.FIXED),
        (of(anna, "bread"), 0, Refusal.AMOUNT),
        (of(anna, "bread"), -1, Refusal.AMOUNT),
        (of(anna, "bread"), 3, Refusal.AMOUNT),
    ):
        refused(why, partial(trade.offer, anna, item, amount))
    trade.offer(anna, sack)
    refused(Refusal.OFFERED, lambda: trade.offer(anna, inner))
    trade.withdraw(anna, sack)
    refused(Refusal.NOT_OFFERED, lambda: trade.withdraw(anna, sack))
    trade.offer(anna, inner)
    refused(Refusal.OFFERED, lambda: trade.offer(anna, sack))
    for amount, why in ((-1, Refusal.AMOUNT), (101, Refusal.POOR), (2**32, Refusal.POOR)):
        refused(why, partial(trade.set_gold, anna, amount))
    for _ in range(trade.MOST_OFFERED - 1):
        trade.offer(anna, put(anna, "candle"))
    refused(Refusal.MANY_OFFERS, lambda: trade.offer(anna, of(anna, "dagger")))
    refused(Refusal.MANY_OFFERS, lambda: trade.offer_kind(anna, "dagger", 1))
    world.delete(inner)
    refused(Refusal.NOT_YOURS, lambda: trade.offer(anna, inner))


def test_gold_is_offered_once_as_coins_or_as_a_number() -> None:
    world, anna, bert = trading()
    gold = of(anna, "gold")
    trade.set_gold(anna, 60)
    refused(Refusal.POOR, lambda: trade.offer(anna, gold, 41))
    trade.offer(anna, gold, 40)
    refused(Refusal.POOR, lambda: trade.set_gold(anna, 61))
    sack = put(anna, "sack")
    put(anna, "gold", 7, sack)
    trade.offer(anna, sack)
    refused(Refusal.POOR, lambda: trade.set_gold(anna, 61))
    assert anna.trade is not None
    assert dealing.coins_among(anna.trade.side(anna)) == 47
    offer = shown(world, bert)[1]
    assert (offer.coins, [one.serial for one in offer.wares]) == (100, [sack.serial])
    trade.agree(anna)
    trade.agree(bert)
    assert holding.gold(anna) == 0
    assert holding.gold(bert) == 207
    assert world.promises[0][1] == (
        "You give Bert 40 gold coins, sack with 7 gold coins and 60 gold coins and receive nothing."
    )


def test_kinds_are_gathered_of_all_stacks_and_bags() -> None:
    world, anna, bert = trading()
    sack = put(anna, "sack")
    put(anna, "bread", 5, sack)
    trade.offer_kind(anna, "bread", 7)
    assert sorted(one.amount for one in shown(world, bert)[1].things) == [2, 5]
    trade.offer_kind(anna, "bread", 2)
    assert [one.amount for one in shown(world, bert)[1].things] == [2]
    trade.offer_kind(anna, "bread", 3, more=True)
    assert [one.amount for one in shown(world, bert)[1].things] == [5]
    refused(Refusal.AMOUNT, lambda: trade.offer_kind(anna, "bread", 8))
    refused(Refusal.AMOUNT, lambda: trade.offer_kind(anna, "bread", 0))
    trade.offer_kind(anna, "gold", 10)
    trade.offer_kind(anna, "gold", 5, more=True)
    assert shown(world, bert)[1].gold == 15
    trade.withdraw_kind(anna, "gold")
    refused(Refusal.NOT_OFFERED, lambda: trade.withdraw_kind(anna, "gold"))
    put(anna, "sack")
    # A bag in which something is offered is none of those that could be.
    refused(Refusal.AMOUNT, lambda: trade.offer_kind(anna, "sack", 2))
    trade.withdraw_kind(anna, "bread")
    refused(Refusal.OPEN_BAG, lambda: trade.offer_kind(anna, "sack", 2))
    trade.offer_kind(anna, "bread", 5)
    trade.offer(anna, of(anna, "bread"), 1)
    trade.offer(anna, of(anna, "bread"), 1, more=True)
    trade.agree(bert)
    trade.agree(anna)
    assert has(bert)["bread"] == 2 + 7
