"""Counters: links of a merchant's or banker's page, and what is ordered from the lists behind them
(`protocol.l2.counters`).

An order counts only from the list that was shown last (wares by their number), and while its player still
stands at that counter. What may be done, and for how much, is decided by `world.shops` and `world.vaults`.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from protocol.l2.counters import (
    BUY,
    DEPOSIT,
    LEAVE,
    SELL,
    WARE,
    WITHDRAW,
    depositable,
    saleable,
    wares_of,
    withdrawable,
)
from protocol.l2.handlers import chests
from protocol.l2.handlers.ordering import chosen, own_item
from protocol.l2.handlers.table import ROWS, TRANSACTION
from protocol.l2.packets import (
    RequestBuyItem,
    RequestSellItem,
    SendWareHouseDepositList,
    SendWareHouseWithDrawList,
    SystemMessage,
    SystemMessageId,
)
from protocol.l2.session import Side
from protocol.l2.view import L2View
from protocol.refusals import tell_refusal
from protocol.wishes import Wish, tell
from world import safes, shops, vaults, visits
from world.reach import Cannot, Refusal
from world.speech import notice
from world.wording import GOLD

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.mobile import Mobile

NOTHING_TO_KEEP: Final = "You carry nothing that a bank keeps."

_LINK: Final = re.compile(r"npc_(\d{1,10})_([A-Za-z]+)(?: (.+))?")
_SIDES: Final = {BUY: Side.BUY, SELL: Side.SELL, DEPOSIT: Side.DEPOSIT, WITHDRAW: Side.WITHDRAW}
_SERVICES: Final = {
    Side.BUY: shops.SHOP,
    Side.SELL: shops.SHOP,
    Side.DEPOSIT: safes.VAULT,
    Side.WITHDRAW: safes.VAULT,
}


# Links


def follow(session: L2Session, mobile: Mobile, bypass: str) -> bool:
    """Do what a link of a counter's page is for, which was offered; False if it is a link of something else.
    Raises Cannot, as `shops.browse`, `shops.buy` and `vaults.visit` do."""
    found = _LINK.fullmatch(bypass)
    if found is None:
        return False
    serial, deed, more = found.groups()
    host = mobile.world.mobiles.get(int(serial))
    if host is None:
        raise Cannot(Refusal.GONE)
    if deed == LEAVE:
        visits.leave(mobile)
    elif deed == WARE:
        shops.buy(mobile, host, [shops.Order(more, 1)])
    else:
        _open(session, mobile, host, _SIDES[deed])
    return True


def _open(session: L2Session, mobile: Mobile, host: Mobile, side: Side) -> None:
    """Show a list; where there would be nothing in it, say so and show the page again."""
    come = shops.browse if _SERVICES[side] == shops.SHOP else vaults.visit
    come(mobile, host)
    if side is Side.BUY and not wares_of(L2View.of(session).looks, shops.catalogue(host)).listed:
        tell_refusal(mobile, Cannot(Refusal.SOLD_OUT))
    elif side is Side.SELL and not saleable(mobile, shops.catalogue(host)):
        session.send(SystemMessage(SystemMessageId.NO_ITEMS_TO_SELL))
    elif side is Side.DEPOSIT and not depositable(mobile):
        notice(mobile, NOTHING_TO_KEEP)
    elif side is Side.WITHDRAW and not withdrawable(mobile):
        session.send(SystemMessage(SystemMessageId.NO_ITEM_IN_WAREHOUSE))
    else:
        session.opens = side, mobile.world.now


# Orders


@ROWS.while_acting(RequestBuyItem, every=TRANSACTION.interval())
def buy(session: L2Session, mobile: Mobile, packet: RequestBuyItem) -> None:
    """RequestBuyItem: all that was chosen from a BuyList. If a price has changed, the list comes anew.
    Raises Cannot, as `shops.buy` does."""
    host = _host(session, mobile, Side.BUY, packet.list_id)
    if host is None or session.listing is None:
        tell(session, Wish.UNASKED)
        return
    wares = session.listing.wares
    if any(entry.item_id not in wares for entry in packet.items):
        raise Cannot(Refusal.NOT_SOLD)
    session.opens = Side.BUY, mobile.world.now
    orders = [shops.Order(wares[entry.item_id], entry.count) for entry in packet.items]
    try:
        shops.buy(mobile, host, orders)
    except Cannot as cannot:
        if cannot.why is not Refusal.AMOUNT:
            raise
        session.send(SystemMessage(SystemMessageId.QUANTITY_EXCEEDED))  # it need not have any of that


@ROWS.while_acting(RequestSellItem, every=TRANSACTION.interval())
def sell(session: L2Session, mobile: Mobile, packet: RequestSellItem) -> None:
    """RequestSellItem: all that was chosen from a SellList. If a price has changed, the list comes anew."""
    host = _host(session, mobile, Side.SELL)
    if host is None:
        tell(session, Wish.UNASKED)
        return
    sales = [shops.Sale(own_item(mobile, entry.object_id), entry.count) for entry in packet.items]
    session.opens = Side.SELL, mobile.world.now
    shops.sell(mobile, host, sales)


@ROWS.while_acting(SendWareHouseDepositList, every=TRANSACTION.interval())
def deposit(session: L2Session, mobile: Mobile, packet: SendWareHouseDepositList) -> None:
    """SendWareHouseDepositList: things and gold that were chosen go into the vault, or the chest, one after
    the other; what is refused ends it."""
    if chests.put_in(session, mobile, packet.items):
        return
    host = _host(session, mobile, Side.DEPOSIT)
    if host is None:
        tell(session, Wish.UNASKED)
        return
    things = chosen(packet.items, lambda serial: own_item(mobile, serial))
    # All stacks of gold count as one: which of them the world takes from is its own affair.
    gold = sum(count for item, count in things if item.template.key == GOLD)
    try:
        if gold:
            vaults.deposit_gold(mobile, host, gold)
        for item, count in things:
            if item.template.key != GOLD:
                vaults.deposit(mobile, host, item, count)
    except Cannot as cannot:
        if cannot.why is not Refusal.FULL:
            raise
        session.send(SystemMessage(SystemMessageId.WAREHOUSE_FULL))  # and not the pack


@ROWS.while_acting(SendWareHouseWithDrawList, every=TRANSACTION.interval())
def withdraw(session: L2Session, mobile: Mobile, packet: SendWareHouseWithDrawList) -> None:
    """SendWareHouseWithDrawList: things and gold that were chosen come out of the vault, or the chest, one
    after the other; what is refused ends it."""
    if chests.take_out(session, mobile, packet.items):
        return
    host = _host(session, mobile, Side.WITHDRAW)
    if host is None:
        tell(session, Wish.UNASKED)
        return

    for item, count in chosen(packet.items, partial(safes.kept, mobile)):
        vaults.withdraw(mobile, host, item, count)


def _host(session: L2Session, mobile: Mobile, side: Side, number: int = 0) -> Mobile | None:
    """Whose list an order is from; None if the client was not shown that list last. Raises Cannot(FAR) if
    its player stands at that counter no more."""
    listing, visit = session.listing, mobile.visit
    if listing is None or listing.side is not side or listing.number != number:
        return None
    if visit is None or not visit.at(listing.host, _SERVICES[side]):
        raise Cannot(Refusal.FAR)
    return visit.host
