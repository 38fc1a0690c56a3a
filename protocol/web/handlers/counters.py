"""Buying and selling, the vault, and leaving a counter. What may be done is decided by `world.shops` and
`world.vaults`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.dispatch import Interval
from protocol.web.handlers.looking import find
from protocol.web.handlers.table import TABLE
from protocol.web.handlers.things import own
from protocol.web.packets.counters import Buy, Depart, Deposit, Sell, Withdraw
from world import safes, shops, vaults, visits
from world.mobile import Mobile
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.web.session import WebSession


@TABLE.while_playing(Buy, every=Interval(0.2, burst=3))
def buy(session: WebSession, mobile: Mobile, message: Buy) -> None:
    """buy: all of it or nothing. Raises Cannot(UNSEEN) for a merchant out of sight, and as `shops.buy`."""
    orders = [shops.Order(one.item, one.amount, one.price) for one in message.orders]
    shops.buy(mobile, _host(session, mobile, message.host), orders)


@TABLE.while_playing(Sell, every=Interval(0.2, burst=3))
def sell(session: WebSession, mobile: Mobile, message: Sell) -> None:
    """sell: all of it or nothing. Raises Cannot(GONE) for what one does not have, and as `buy` and
    `shops.sell`."""
    sales = [shops.Sale(own(session, mobile, one.id), one.amount, one.price) for one in message.sales]
    shops.sell(mobile, _host(session, mobile, message.host), sales)


@TABLE.while_playing(Deposit, every=Interval(0.2, burst=3))
def deposit(session: WebSession, mobile: Mobile, message: Deposit) -> None:
    """deposit: gold, or a thing of the pack. Raises Cannot as `sell`, `vaults.deposit` and `deposit_gold`."""
    banker = _host(session, mobile, message.host)
    if message.id:
        vaults.deposit(mobile, banker, own(session, mobile, message.id), message.amount)
    else:
        vaults.deposit_gold(mobile, banker, message.amount)


@TABLE.while_playing(Withdraw, every=Interval(0.2, burst=3))
def withdraw(session: WebSession, mobile: Mobile, message: Withdraw) -> None:
    """withdraw: gold, or a thing out of the vault. Raises Cannot(GONE) for what does not lie there, and as
    `vaults.withdraw` and `withdraw_gold`."""
    banker = _host(session, mobile, message.host)
    if message.id:
        vaults.withdraw(mobile, banker, safes.kept(mobile, message.id), message.amount)
    else:
        vaults.withdraw_gold(mobile, banker, message.amount)


@TABLE.while_playing(Depart)
def depart(session: WebSession, mobile: Mobile, message: Depart) -> None:
    """depart: the window is closed."""
    visits.leave(mobile)


def _host(session: WebSession, mobile: Mobile, serial: int) -> Mobile:
    """Whoever serves. Raises Cannot(UNSEEN) for somebody out of sight."""
    host = find(session, mobile, serial)
    if not isinstance(host, Mobile):
        raise Cannot(Refusal.UNSEEN)
    return host
