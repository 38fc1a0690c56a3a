"""Trade between players, its end: what is altered, who went away, who has no room."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.kit.hands import everything, of, refused
from tests.kit.traders import has, lines, over, put, shown, trading
from tests.kit.worlds import goes_on
from world import barter, dealing, hands, holding, life, residents, safes, trade
from world.bargain import TradeSide
from world.containers import MOST_IN_STACK
from world.content import Resident
from world.events import TradeChanged
from world.reach import Cannot, Refusal
from world.trade_events import Off

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile
    from world.world import World


# Things that change behind the other's back


def test_what_leaves_the_pack_leaves_the_offer_at_once() -> None:
    world, anna, bert = trading()
    sack = put(anna, "sack")
    apple = put(anna, "apple", 3, sack)
    trade.offer(anna, sack)
    trade.agree(bert)
    hands.lift(anna, apple, 1)
    assert shown(world, bert) == (TradeSide(), TradeSide())
    hands.bounce(anna)
    trade.offer(anna, apple)
    hands.lift(anna, sack)
    assert shown(world, bert) == (TradeSide(), TradeSide())


@pytest.mark.parametrize("how", ["eaten", "filled", "poorer", "named"])
def test_what_is_altered_leaves_the_offer_before_anybody_agrees(how: str) -> None:
    world, anna, bert = trading()
    bread, sack = of(anna, "bread"), put(anna, "sack")
    trade.offer(anna, sack)
    trade.offer(anna, bread)
    trade.set_gold(anna, 100)
    trade.agree(anna)
    match how:
        case "eaten":
            hands.consume(bread, 1)
        case "filled":
            put(anna, "apple", 1, sack)
        case "poorer":
            hands.consume(of(anna, "gold"), 1)
        case _:
            sack.name = "a purse"
    refused(Refusal.ALTERED, lambda: trade.agree(bert))
    assert lines(world, anna)[-1] == Refusal.ALTERED.value
    assert not shown(world, bert)[1].agreed
    side = shown(world, bert)[1]
    assert len(side.things) + bool(side.gold) == 2
    assert has(bert) == {"gold": 100, "dagger": 1, "candle": 1, "bread": 2}


def test_a_look_notices_what_is_altered_and_who_went_away() -> None:
    world, anna, bert = trading()
    trade.offer(anna, of(anna, "bread"))
    hands.consume(of(anna, "bread"), 1)
    goes_on(world, 2 * dealing.LOOK)
    assert shown(world, bert) == (TradeSide(), TradeSide())
    world.realms["plain"].space.move(bert, 40, 10)
    goes_on(world, 2 * dealing.LOOK)
    assert anna.trade is bert.trade is None
    assert over(world, bert)[-1][:2] == (False, Off.FAR)
    assert not anna.timers


def test_a_client_may_say_what_it_has_shown() -> None:
    world, anna, bert = trading()
    trade.set_gold(anna, 5)
    seen = [one.changes for one in world.events if isinstance(one, TradeChanged)][-1]
    trade.set_gold(anna, 4)
    refused(Refusal.ALTERED, lambda: trade.agree(bert, seen))
    trade.agree(bert, seen + 1)
    assert shown(world, bert)[0].agreed


# The end


def test_nothing_is_agreed_on_where_nothing_is_offered() -> None:
    _, anna, bert = trading()
    refused(Refusal.NO_OFFER, lambda: trade.agree(anna))
    assert bert.trade is not None


@pytest.mark.parametrize(
    ("why", "mine", "theirs"),
    [
        (Off.CLOSED, "You end the trade.", "Anna ends the trade."),
        (Off.DIED, "You are dead: the trade is off.", "Anna is dead: the trade is off."),
        (Off.WARPED, "You are elsewhere: the trade is off.", "Anna is elsewhere: the trade is off."),
        (Off.LEFT, "You are gone: the trade is off.", "Anna is gone: the trade is off."),
        (Off.FOUGHT, "You are in a fight: the trade is off.", "Anna is in a fight: the trade is off."),
    ],
)
def test_whatever_ends_it_nothing_has_moved(why: Off, mine: str, theirs: str) -> None:
    world, anna, bert = trading()
    trade.offer(anna, of(anna, "dagger"))
    trade.set_gold(bert, 50)
    trade.agree(bert)
    before, viewport = has(bert), anna.viewport
    carried = has(anna)
    ends: dict[Off, Callable[[], object]] = {
        Off.CLOSED: lambda: trade.close(anna),
        Off.DIED: lambda: life.kill(anna),
        Off.WARPED: lambda: world.warp(anna, world.realms["plain"], 11, 11),
        Off.LEFT: lambda: world.close_viewport(anna),
        Off.FOUGHT: lambda: life.hurt(anna, 0),
    }
    ends[why]()
    assert over(world, anna) == [(False, why, True)]
    assert over(world, bert) == [(False, why, False)]
    assert lines(world, bert)[-1] == theirs
    if anna.viewport is viewport:
        assert mine in lines(world, anna)
    assert has(bert) == before
    assert why is Off.DIED or has(anna) == carried
    assert world.promises == []
    refused(Refusal.NO_TRADE, lambda: trade.agree(bert))


def test_who_leaves_the_world_trades_no_more() -> None:
    world, anna, bert = trading()
    trade.offer(anna, of(anna, "dagger"))
    world.leave(anna)
    assert bert.trade is None
    assert over(world, bert) == [(False, Off.LEFT, False)]
    goes_on(world, 1)


def test_a_blow_ends_it_for_who_strikes_and_who_is_struck() -> None:
    for striker in (0, 1):
        world, anna, bert = trading()
        carl = residents.place(world, world.realms["plain"], Resident("sheep", 11, 10))
        if striker:
            life.hurt(carl, 1, anna)
        else:
            life.hurt(anna, 1, carl)
        assert bert.trade is None


def test_a_deed_of_those_who_went_apart_ends_it() -> None:
    world, anna, bert = trading()
    world.realms["plain"].space.move(bert, 40, 10)
    with pytest.raises(Cannot) as caught:
        trade.set_gold(anna, 5)
    assert caught.value.told
    assert lines(world, anna) == ["You are too far from each other: the trade is off."]
    assert lines(world, bert) == ["Anna is too far away: the trade is off."]


# Room


def full(mobile: Mobile, many: int) -> None:
    while sum(1 for _ in hands.carried_items(mobile)) < many:
        put(mobile, "candle")


def cannot_complete(world: World, anna: Mobile, bert: Mobile, why: Refusal, words: str, to_bert: str) -> None:
    before = everything(world)
    trade.agree(anna)
    refused(why, lambda: trade.agree(bert), to_bert)
    assert everything(world) == before
    assert lines(world, anna)[-1] == words
    assert [side.agreed for side in shown(world, anna)] == [False, False]
    assert anna.trade is bert.trade is not None


def test_who_has_no_room_is_told_and_nothing_moves() -> None:
    world, anna, bert = trading()
    full(bert, 125)
    trade.offer(anna, of(anna, "dagger"))
    cannot_complete(
        world,
        anna,
        bert,
        Refusal.FULL,
        "Bert has no room for all of that.",
        "You have no room for all of that.",
    )
    # What leaves makes room, and what goes onto a stack needs none.
    trade.offer(bert, of(bert, "candle"))
    trade.offer(anna, of(anna, "bread"))
    trade.agree(bert)
    trade.agree(anna)
    assert sum(1 for _ in hands.carried_items(bert)) == 125
    assert has(bert)["bread"] == 4


def test_two_full_packs_are_exchanged() -> None:
    world, anna, bert = trading()
    for one in (anna, bert):
        full(one, 125)
    for one, key in ((anna, "dagger"), (bert, "candle")):
        trade.offer(one, of(one, key))
    trade.agree(bert)
    trade.agree(anna)
    assert has(bert)["dagger"] == 2
    assert [sum(1 for _ in hands.carried_items(one)) for one in (anna, bert)] == [125, 125]
    assert world.promises


def test_what_is_too_heavy_is_refused_for_who_would_carry_it() -> None:
    world, anna, bert = trading()
    bert.strength = anna.strength = 1
    coins = put(anna, "gold", 60_000)
    trade.offer(anna, coins)
    cannot_complete(world, anna, bert, Refusal.HEAVY, "Bert cannot carry all of that.", trade.TOO_HEAVY)
    # Who is laden already may take what is no heavier than what goes.
    trade.withdraw(anna, coins)
    trade.set_gold(anna, 50)
    trade.offer(bert, of(bert, "gold"), 50)
    trade.agree(anna)
    trade.agree(bert)
    assert holding.gold(anna) == 60_100


def test_no_more_gold_than_every_client_can_show(monkeypatch: pytest.MonkeyPatch) -> None:
    world, anna, bert = trading()
    monkeypatch.setattr(barter, "MOST_GOLD", 150)
    trade.set_gold(anna, 51)
    cannot_complete(
        world,
        anna,
        bert,
        Refusal.FULL,
        "Bert has no room for all of that.",
        "You have no room for all of that.",
    )
    trade.set_gold(bert, 1)
    trade.agree(anna)
    trade.agree(bert)
    assert holding.gold(bert) == 150
    assert safes.MOST_GOLD == 1_000_000_000


def test_stacks_grow_no_larger_than_a_stack() -> None:
    world, anna, bert = trading()
    anna.strength = bert.strength = 10_000
    of(bert, "gold").amount = MOST_IN_STACK - 10
    put(anna, "gold", 30)
    trade.set_gold(anna, 130)
    trade.agree(anna)
    trade.agree(bert)
    assert Counter(item.amount for item in hands.carried_items(bert, "gold")) == {
        MOST_IN_STACK - 10: 1,
        130: 1,
    }
    assert not list(hands.carried_items(anna, "gold"))
    assert world.promises[0][1] == "You give Bert 130 gold coins and receive nothing."
