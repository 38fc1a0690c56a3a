"""Trades with other players. What may be done is decided by `world.trade`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.dispatch import Interval
from protocol.web.handlers.looking import find
from protocol.web.handlers.table import TABLE
from protocol.web.handlers.things import own
from protocol.web.packets.trading import Agree, AskTrade, EndTrade, OfferGold, OfferThing, Retract
from world import trade
from world.mobile import Mobile
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.web.session import WebSession


@TABLE.while_playing(AskTrade, every=Interval(0.2, burst=3))
def ask(session: WebSession, mobile: Mobile, message: AskTrade) -> None:
    """trade: ask somebody. Raises Cannot(UNSEEN) for somebody out of sight, and as `trade.ask`."""
    other = find(session, mobile, message.id)
    if not isinstance(other, Mobile):
        raise Cannot(Refusal.UNSEEN)
    trade.ask(mobile, other)


@TABLE.while_playing(OfferThing, every=Interval(0.1, burst=5))
def offer(session: WebSession, mobile: Mobile, message: OfferThing) -> None:
    """offer: a thing, or so many of it. Raises Cannot(GONE) for what one does not have, and as
    `trade.offer`."""
    trade.offer(mobile, own(session, mobile, message.id), message.amount or None)


@TABLE.while_playing(OfferGold, every=Interval(0.1, burst=5))
def offer_gold(session: WebSession, mobile: Mobile, message: OfferGold) -> None:
    """offer_gold: so much of it. Raises Cannot as `trade.set_gold`."""
    trade.set_gold(mobile, message.amount)


@TABLE.while_playing(Retract, every=Interval(0.1, burst=5))
def retract(session: WebSession, mobile: Mobile, message: Retract) -> None:
    """retract: offer it no more. Raises Cannot(GONE) for what one does not have, and as `trade.withdraw`."""
    trade.withdraw(mobile, own(session, mobile, message.id))


@TABLE.while_playing(Agree, every=Interval(0.1, burst=3))
def agree(session: WebSession, mobile: Mobile, message: Agree) -> None:
    """agree: to the offers that its page shows, or not any more. Raises Cannot as `trade.agree` and
    `disagree`."""
    if message.agreed:
        trade.agree(mobile, message.changes)
    else:
        trade.disagree(mobile)


@TABLE.while_playing(EndTrade)
def end(session: WebSession, mobile: Mobile, message: EndTrade) -> None:
    """end_trade: nothing changes hands. Whose trade has just ended is not told that there is none."""
    if mobile.trade is not None:
        trade.close(mobile)
