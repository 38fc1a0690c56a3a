"""Shops: what merchants sell and buy, for the same prices through every game. (PLAY, sections 4 and 8)

A merchant's template names its wares; how many of each are left is counted when somebody asks, so that a shop
costs nothing while nobody is in it. A player `browse`s, and buys or sells at the prices that it was then
shown: if one has changed since, nothing happens and the list is shown anew. Buying and selling are all or
nothing.

A player whose game has no window for it (`Mobile.windows`) is asked by dialogs: `world.counters`.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

import attrs

from world import audience, granting, hands, holding
from world.containers import MOST_IN_STACK
from world.events import ShopOpened, Traded
from world.item import Item
from world.mobile import Visit
from world.offers import Catalogue, Priced, Shop
from world.parts import Merchant, Shelf, Showcase
from world.promises import promise
from world.reach import Cannot, Refusal, check_talk
from world.wording import GOLD, amount_of, listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.mobile import Mobile
    from world.offers import Ware

SHOP: Final = "shop"
MOST: Final = MOST_IN_STACK
"""Pieces of one thing that change hands at a time."""


@attrs.frozen
class Order:
    """So many of an item template; `price`: the gold for one that its player was shown, if its client
    says."""

    item: str
    amount: int
    price: int | None = None


@attrs.frozen
class Sale:
    """An own item, or so many of a stack."""

    item: Item
    amount: int
    price: int | None = None


def catalogue(merchant: Mobile) -> Catalogue:
    """Everything that a merchant sells and buys now: the same one as before, while nothing of it has
    changed."""
    shop, world = shop_of(merchant), merchant.world
    if merchant.merchant is None:
        merchant.merchant = Merchant()
    kept = merchant.merchant.showcase
    if kept is None or kept.shop is not shop or kept.content is not world.content or kept.until <= world.now:
        lists = Catalogue(
            tuple(Priced(ware.item, ware.price, _left(merchant, ware)) for ware in shop.sells),
            tuple(Priced(item, price) for item, price in shop.buys.items()),
        )
        kept = Showcase(lists, shop, world.content, _until(merchant, shop))
        merchant.merchant.showcase = kept
    return kept.catalogue


def shop_of(merchant: Mobile) -> Shop:
    """The shop of a merchant. Raises Cannot(NO_SHOP)."""
    shop = merchant.template.offers.shop
    if shop is None:
        raise Cannot(Refusal.NO_SHOP)
    return shop


def browse(actor: Mobile, merchant: Mobile) -> None:
    """Come to a merchant's counter and be shown what it sells and buys. Raises Cannot: DEAD, NO_SHOP, GONE,
    FAR or UNSEEN."""
    _check_at(actor, merchant)
    _show(actor, merchant)


def buy(actor: Mobile, merchant: Mobile, orders: Sequence[Order]) -> None:
    """Buy all of that, or nothing. Raises Cannot: as `browse`; AMOUNT, NOT_SOLD, SOLD_OUT, PRICE, POOR, HEAVY
    or FULL."""
    shop = _check_at(actor, merchant)
    wares = {ware.item: ware for ware in shop.sells}
    bought: dict[str, int] = {}
    for order in orders:
        if order.item not in wares:
            raise Cannot(Refusal.NOT_SOLD)
        _check_amount(order.amount)
        bought[order.item] = bought.get(order.item, 0) + order.amount
        _check_price(actor, merchant, order.item, 0, wares[order.item].price, order.price)
    if not bought:
        raise Cannot(Refusal.AMOUNT)
    cost = 0
    for item, amount in bought.items():
        left = _left(merchant, wares[item])
        if left is not None and amount > left:
            raise Cannot(Refusal.SOLD_OUT)
        cost += amount * wares[item].price
    if holding.gold(actor) < cost:
        raise Cannot(Refusal.POOR)
    granting.exchange(actor, {GOLD: cost}, bought)
    for item, amount in bought.items():
        _take_off_shelf(merchant, wares[item], amount)
    _tell(actor, merchant, bought, {}, cost)


def sell(actor: Mobile, merchant: Mobile, sales: Sequence[Sale]) -> None:
    """Sell all of that out of one's pack, or nothing. Raises Cannot: as `browse`; AMOUNT, NOT_YOURS, FIXED,
    OPEN_BAG, NOT_BOUGHT, PRICE or FULL."""
    shop = _check_at(actor, merchant)
    amounts: dict[int, int] = {}
    for sale in sales:
        _check_sale(actor, merchant, shop, sale)
        amounts[sale.item.serial] = amounts.get(sale.item.serial, 0) + sale.amount
        if amounts[sale.item.serial] > sale.item.amount:
            raise Cannot(Refusal.AMOUNT)
    if not amounts:
        raise Cannot(Refusal.AMOUNT)
    items = {sale.item.serial: sale.item for sale in sales}
    sold: dict[str, int] = {}
    for serial, amount in amounts.items():
        key = items[serial].template.key
        sold[key] = sold.get(key, 0) + amount
    paid = sum(amount * shop.buys[key] for key, amount in sold.items())
    granting.check_exchange(actor, sold, {GOLD: paid})
    for serial, amount in amounts.items():
        hands.consume(items[serial], amount)
    granting.make(actor, GOLD, paid)
    wares = {ware.item: ware for ware in shop.sells}
    for key, amount in sold.items():
        if key in wares:
            _take_off_shelf(merchant, wares[key], -amount)
    _tell(actor, merchant, {}, sold, -paid)


def sell_kind(actor: Mobile, merchant: Mobile, orders: Sequence[Order]) -> None:
    """Sell so many of each kind, gathered from all stacks in the pack, for games that know kinds and not
    things. Raises Cannot, as `sell`."""
    sales: list[Sale] = []
    for order in orders:
        _check_amount(order.amount)
        left = order.amount
        for item in hands.carried_items(actor, order.item):
            part = min(left, item.amount)
            if part and not item.contents:
                sales.append(Sale(item, part, order.price))
                left -= part
        if left:
            raise Cannot(Refusal.AMOUNT)
    sell(actor, merchant, sales)


def saleable(actor: Mobile, catalogue: Catalogue) -> list[tuple[Item, int]]:
    """Things that somebody carries and a merchant buys, with the price of one."""
    prices = {row.item: row.price for row in catalogue.buys}
    return [
        (item, prices[item.template.key])
        for item in hands.carried_items(actor)
        if item.template.key in prices and item.template.movable and not item.contents
    ]


def _check_at(actor: Mobile, merchant: Mobile) -> Shop:
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    shop = shop_of(merchant)
    check_talk(actor, merchant)
    return shop


def _check_amount(amount: int) -> None:
    if not 1 <= amount <= MOST:
        raise Cannot(Refusal.AMOUNT)


def _check_price(
    actor: Mobile, merchant: Mobile, item: str, which: int, price: int, said: int | None
) -> None:
    """What its player was shown, and what its client says of that, is still the price; if not it is shown
    anew."""
    visit = actor.visit
    shown = price
    if visit is not None and visit.host is merchant and visit.service == SHOP:
        known = visit.prices.get(item, (None, None))[which]
        shown = price if known is None else known
    if shown != price or (said is not None and said != price):
        _show(actor, merchant)
        raise Cannot(Refusal.PRICE)


def _check_sale(actor: Mobile, merchant: Mobile, shop: Shop, sale: Sale) -> None:
    item = sale.item
    if actor.world.items.get(item.serial) is not item or item.root is not actor:
        raise Cannot(Refusal.NOT_YOURS)
    if not isinstance(item.parent, Item) or not item.template.movable:
        raise Cannot(Refusal.FIXED)
    if item.contents:
        raise Cannot(Refusal.OPEN_BAG)
    key = item.template.key
    if key not in shop.buys:
        raise Cannot(Refusal.NOT_BOUGHT)
    _check_amount(sale.amount)
    _check_price(actor, merchant, key, 1, shop.buys[key], sale.price)


def _show(actor: Mobile, merchant: Mobile) -> None:
    lists = catalogue(merchant)
    actor.visit = Visit(merchant, SHOP, lists.prices)
    if SHOP in actor.windows:
        actor.world.events.append(ShopOpened(actor, merchant, lists, audience.one(actor)))


def _tell(
    actor: Mobile, merchant: Mobile, bought: Mapping[str, int], sold: Mapping[str, int], paid: int
) -> None:
    """Say to all who stand at the counter what is left, and to the customer what it did, once that is
    kept."""
    world = actor.world
    world.events.append(Traded(actor, merchant, bought, sold, paid, audience.one(actor)))
    gold = amount_of(world, GOLD, abs(paid))
    things = listed([amount_of(world, item, amount) for item, amount in (bought or sold).items()])
    promise(actor, f"You buy {things} for {gold}." if bought else f"You sell {things} for {gold}.")


def _left(merchant: Mobile, ware: Ware) -> int | None:
    """How many of a ware are there now."""
    if ware.stock is None:
        return None
    shelf = merchant.merchant.stock.get(ware.item) if merchant.merchant is not None else None
    if shelf is None:
        return ware.stock
    return min(ware.stock, shelf.left + int((merchant.world.now - shelf.since) / ware.restock))


def _until(merchant: Mobile, shop: Shop) -> float:
    """World time at which more of some ware is there than now."""
    touched = merchant.merchant.stock if merchant.merchant is not None else {}
    comes = [
        shelf.since + (left - shelf.left + 1) * ware.restock
        for ware in shop.sells
        if (shelf := touched.get(ware.item)) is not None
        and (left := _left(merchant, ware)) is not None
        and left < (ware.stock or 0)
    ]
    return min(comes, default=inf)


def _take_off_shelf(merchant: Mobile, ware: Ware, amount: int) -> None:
    """So many fewer are left, or more if `amount` is below 0. What came back meanwhile in part is not
    lost."""
    left = _left(merchant, ware)
    if left is None or ware.stock is None:
        return
    if merchant.merchant is None:
        merchant.merchant = Merchant()
    merchant.merchant.showcase = None
    now, shelf = merchant.world.now, merchant.merchant.stock.get(ware.item)
    since = now
    if shelf is not None and left < ware.stock:
        since = shelf.since + (left - shelf.left) * ware.restock
    merchant.merchant.stock[ware.item] = Shelf(min(ware.stock, left - amount), since)
