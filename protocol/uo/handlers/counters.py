"""Buying and selling. What was shown, and which serials wares have, is `protocol.uo.counters`' matter; what
may be done, `world.shops`'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.uo.counters import wares
from protocol.uo.handlers.looking import find, seen
from protocol.uo.handlers.table import TABLE
from protocol.uo.packets.counters import BUYS, BuyOrder, SellOrder, ShopShut
from world import shops, visits
from world.item import Item
from world.mobile import Mobile
from world.reach import Cannot, Refusal
from world.shops import Order, Sale

if TYPE_CHECKING:
    from protocol.uo.session import UoSession


@TABLE.while_playing(BuyOrder)
def buy(session: UoSession, mobile: Mobile, packet: BuyOrder) -> None:
    """Buy, or leave. Raises Cannot: as `shops.buy`; PRICE for what is not on the list as it is now, which is
    shown anew."""
    if packet.flag != BUYS or not packet.wanted:
        _leave(session, mobile, packet.vendor)
        return
    merchant = _merchant(session, packet.vendor)
    for_sale = wares(merchant, shops.catalogue(merchant))
    orders: list[Order] = []
    for wanted in packet.wanted:
        row = for_sale.get(wanted.serial)
        if row is None:
            _show_anew(session, mobile, merchant, selling=False)
            raise Cannot(Refusal.PRICE)
        orders.append(Order(row.item, wanted.amount, row.price))
    session.selling = False
    shops.buy(mobile, merchant, orders)


@TABLE.while_playing(SellOrder)
def sell(session: UoSession, mobile: Mobile, packet: SellOrder) -> None:
    """Sell, or leave. Raises Cannot: as `shops.sell`; PRICE to who was not shown this merchant's list last,
    and is now."""
    if not packet.offered:
        _leave(session, mobile, packet.vendor)
        return
    merchant = _merchant(session, packet.vendor)
    if not _visits(mobile, packet.vendor):
        _show_anew(session, mobile, merchant, selling=True)
        raise Cannot(Refusal.PRICE)
    sales: list[Sale] = []
    for offered in packet.offered:
        item = find(session, offered.serial)
        if not isinstance(item, Item):
            raise Cannot(Refusal.NOT_YOURS)
        sales.append(Sale(item, offered.amount))
    session.selling = True
    shops.sell(mobile, merchant, sales)


def _merchant(session: UoSession, serial: int) -> Mobile:
    merchant = seen(session, serial)
    if not isinstance(merchant, Mobile):
        raise Cannot(Refusal.NO_SHOP)
    return merchant


def _visits(mobile: Mobile, merchant: int) -> bool:
    return mobile.visit is not None and mobile.visit.at(merchant, shops.SHOP)


def _show_anew(session: UoSession, mobile: Mobile, merchant: Mobile, *, selling: bool) -> None:
    session.selling = selling
    shops.browse(mobile, merchant)


def _leave(session: UoSession, mobile: Mobile, merchant: int) -> None:
    """Its player closed the window, or let go of it with nothing chosen."""
    if _visits(mobile, merchant):
        visits.leave(mobile)
    session.send(ShopShut(merchant, 0))
