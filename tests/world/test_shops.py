"""Shops: prices, stock and refusals, the same for whoever asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import goes_on, plain_content, plain_world
from tests.world.test_corpses import packed
from world import counters, dialogs, hands, holding, life, residents, shops
from world.content import Resident
from world.events import Asked, CounterClosed, Said, ShopOpened, Traded
from world.offers import Offers, Priced, Shop, Ware
from world.reach import Cannot, Refusal
from world.shops import Order, Sale
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.item import Item
    from world.mobile import Mobile
    from world.world import World


def market(gold: int = 100, *, away: int = 1) -> tuple[World, Mobile, Mobile]:
    """A world, its baker, and a customer with that much gold."""
    world = plain_world(plain_content(residents=(Resident("baker", 11, 10),)))
    residents.settle(world)
    (baker,) = world.mobiles.values()
    customer = packed(world, "Alric", 11 - away, 10, gold)
    world.open_viewport(customer, 1, Sight(18))
    customer.windows = frozenset({"shop"})
    world.take_changes()
    return world, baker, customer


def put(world: World, mobile: Mobile, key: str, amount: int = 1) -> Item:
    item = holding.make(world, key, amount=amount)
    world.register(item)
    assert mobile.backpack is not None
    holding.put(mobile.backpack, item)
    return item


def refused(why: Refusal, customer: Mobile, baker: Mobile, orders: Sequence[Order]) -> None:
    """That much is not bought, and nothing at all changes by it."""
    before = hands.carried(customer), shops.catalogue(baker)
    with pytest.raises(Cannot) as caught:
        shops.buy(customer, baker, orders)
    assert caught.value.why is why
    assert (hands.carried(customer), shops.catalogue(baker)) == before
    assert not customer.world.promises


def test_what_is_bought_is_paid_carried_off_and_told_when_it_is_kept() -> None:
    world, baker, customer = market()
    shops.browse(customer, baker)
    (shown,) = [one for one in world.take_changes().events if isinstance(one, ShopOpened)]
    assert shown.catalogue.sells[0] == Priced("bread", 4, 20)
    shops.buy(customer, baker, [Order("bread", 3), Order("dagger", 2)])
    assert hands.carried(customer) == {"gold": 28, "bread": 3, "dagger": 2}
    assert shops.catalogue(baker).sells[0].left == 17
    (traded,) = [one for one in world.take_changes().events if isinstance(one, Traded)]
    assert (traded.bought, traded.paid) == ({"bread": 3, "dagger": 2}, 72)
    assert world.promises == [(customer, "You buy 3 loaf of bread and 2 dagger for 72 gold coins.")]


def test_stock_comes_back_piece_by_piece_and_none_is_lost_in_between() -> None:
    world, baker, customer = market()
    shops.buy(customer, baker, [Order("bread", 5)])
    goes_on(world, 90)
    assert shops.catalogue(baker).sells[0].left == 16
    shops.buy(customer, baker, [Order("bread", 1)])
    goes_on(world, 31)  # half a minute of the ninety seconds was kept
    assert shops.catalogue(baker).sells[0].left == 16
    goes_on(world, 600)
    assert shops.catalogue(baker).sells[0].left == 20


@pytest.mark.parametrize(
    ("order", "why"),
    [
        (Order("bread", 0), Refusal.AMOUNT),
        (Order("bread", -1), Refusal.AMOUNT),
        (Order("dagger", 2**31), Refusal.AMOUNT),
        (Order("bread", 21), Refusal.SOLD_OUT),
        (Order("dagger", 4), Refusal.POOR),
        (Order("apple", 1), Refusal.NOT_SOLD),
        (Order("bread", 1, price=3), Refusal.PRICE),
    ],
)
def test_one_wrong_order_refuses_all(order: Order, why: Refusal) -> None:
    _, baker, customer = market()
    refused(why, customer, baker, [Order("bread", 1), order])


def test_far_dead_and_without_a_shop() -> None:
    world, baker, customer = market(away=1)
    stranger = packed(world, "Berta", 30, 10, 50)
    refused(Refusal.FAR, stranger, baker, [Order("bread", 1)])
    with pytest.raises(Cannot) as caught:
        shops.browse(customer, stranger)
    assert caught.value.why is Refusal.NO_SHOP
    life.kill(customer)
    with pytest.raises(Cannot) as caught:
        shops.browse(customer, baker)
    assert caught.value.why is Refusal.DEAD


def test_full_packs_and_what_is_too_heavy() -> None:
    world, baker, customer = market(100)
    for _ in range(123):
        put(world, customer, "dagger")
    refused(Refusal.FULL, customer, baker, [Order("sack", 1), Order("bread", 1)])
    weak = packed(world, "Berta", 10, 11, 100)
    weak.strength = 0
    bag = attrs.evolve(world.content.items["sack"], weight=1000)
    assert isinstance(world.content.items, dict)
    world.content.items["sack"] = bag
    refused(Refusal.HEAVY, weak, baker, [Order("sack", 1)])


def test_a_price_that_has_changed_since_it_was_shown_is_shown_anew() -> None:
    world, baker, customer = market()
    shops.browse(customer, baker)
    world.take_changes()
    baker.template = attrs.evolve(baker.template, offers=Offers(Shop((Ware("bread", 5),), {"bread": 2})))
    refused(Refusal.PRICE, customer, baker, [Order("bread", 1)])
    (shown,) = [one for one in world.take_changes().events if isinstance(one, ShopOpened)]
    assert shown.catalogue.sells == (Priced("bread", 5, None),)
    shops.buy(customer, baker, [Order("bread", 1)])
    assert holding.gold(customer) == 95


def test_a_merchant_buys_and_has_more_to_sell() -> None:
    world, baker, customer = market(0)
    apples, bread = put(world, customer, "apple", 7), put(world, customer, "bread", 2)
    shops.sell(customer, baker, [Sale(apples, 3), Sale(bread, 2)])
    assert hands.carried(customer) == {"apple": 4, "gold": 10}
    assert shops.catalogue(baker).sells[0].left == 20
    assert world.promises[0][1] == "You sell 3 apples and 2 loaf of bread for 10 gold coins."
    shops.sell_kind(customer, baker, [Order("apple", 4)])
    assert hands.carried(customer) == {"gold": 18}


def test_what_is_not_sold_stays() -> None:
    world, baker, customer = market(0)
    apples, candle, bag = (put(world, customer, key) for key in ("apple", "candle", "sack"))
    holding.put(bag, holding.make(world, "apple"))
    other = packed(world, "Berta", 10, 11)
    theirs = put(world, other, "apple")
    before = hands.carried(customer)
    for sales, why in (
        ([Sale(apples, 1), Sale(candle, 1)], Refusal.NOT_BOUGHT),
        ([Sale(apples, 1), Sale(apples, 1)], Refusal.AMOUNT),
        ([Sale(apples, 0)], Refusal.AMOUNT),
        ([Sale(bag, 1)], Refusal.OPEN_BAG),
        ([Sale(theirs, 1)], Refusal.NOT_YOURS),
        ([], Refusal.AMOUNT),
        ([Sale(apples, 1, price=3)], Refusal.PRICE),
    ):
        with pytest.raises(Cannot) as caught:
            shops.sell(customer, baker, sales)
        assert caught.value.why is why
        assert hands.carried(customer) == before


def test_who_dies_or_is_put_elsewhere_stands_at_no_counter() -> None:
    world, baker, customer = market()
    for end in (lambda: world.warp(customer, world.realms["plain"], 40, 40), lambda: life.kill(customer)):
        world.warp(customer, world.realms["plain"], 10, 10)
        shops.browse(customer, baker)
        world.take_changes()
        end()
        assert customer.visit is None
        closed = [one for one in world.take_changes().events if isinstance(one, CounterClosed)]
        assert [(one.thing, one.host, one.service) for one in closed] == [(customer, baker, "shop")]


def test_whose_game_has_no_window_is_asked() -> None:
    world, baker, customer = market(20)
    customer.windows = frozenset()

    def asked() -> dialogs.Dialog:
        (dialog,) = [one.dialog for one in world.take_changes().events if isinstance(one, Asked)]
        return dialog

    residents.talk_to(customer, baker)
    first = asked()
    dialogs.answer(customer, first.serial, first.type_id, counters.BUY)
    wares = asked()
    dialogs.answer(customer, wares.serial, wares.type_id, 1, {"which": (1,), "amount": 2})
    assert hands.carried(customer) == {"gold": 12, "bread": 2}
    again = asked()
    dialogs.answer(customer, again.serial, again.type_id, counters.SELL)
    own = asked()
    dialogs.answer(customer, own.serial, own.type_id, 1, {"which": (1,), "amount": 2})
    assert hands.carried(customer) == {"gold": 16}
    again = asked()
    dialogs.answer(customer, again.serial, again.type_id, counters.BUY)
    wares = asked()
    dialogs.answer(customer, wares.serial, wares.type_id, 1, {"which": (2,), "amount": 1})
    told = [one.text for one in world.take_changes().events if isinstance(one, Said)]
    assert told == [Refusal.POOR.value]


def test_all_who_come_are_shown_the_same_lists_until_something_of_them_changes() -> None:
    world, baker, customer = market()
    lists = shops.catalogue(baker)
    assert shops.catalogue(baker) is lists
    shops.buy(customer, baker, [Order("bread", 1)])
    fewer = shops.catalogue(baker)
    assert fewer is not lists
    assert shops.catalogue(baker) is fewer
    goes_on(world, 59)
    assert shops.catalogue(baker) is fewer
    goes_on(world, 2)
    assert shops.catalogue(baker) == lists, "one more has come back"
    again = shops.catalogue(baker)
    world.content = attrs.evolve(world.content)
    assert shops.catalogue(baker) is not again, "kinds may have other names now"
    now = shops.catalogue(baker)
    baker.template = attrs.evolve(baker.template, offers=Offers(Shop((Ware("bread", 5),))))
    assert [row.price for row in shops.catalogue(baker).sells] == [5]
    assert shops.catalogue(baker) is not now
