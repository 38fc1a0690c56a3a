"""Trades between players: all that the client's window sends (`protocol.co.trading`).

Who accepts says the same as who asks. So does one who answers a question that has lapsed: then that is a
question of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.co.handlers.looking import seen
from protocol.co.handlers.table import TABLE
from protocol.co.handlers.things import own
from protocol.co.packets import Trade, TradeAction
from protocol.co.trading import OfferRefused, TradeWindow
from protocol.co.view import CoView
from protocol.dispatch import Interval
from protocol.wishes import Wish, tell
from world import trade
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.co.session import CoSession
    from world.mobile import Mobile


@TABLE.while_playing(Trade, every=Interval(0.1, burst=10))
def act(session: CoSession, mobile: Mobile, packet: Trade) -> None:
    """Trade: a question or the answer to one, what one offers, that one agrees, or the end. Raises Cannot, as
    the deed does."""
    deed = DEEDS.get(packet.action)
    if deed is not None:
        deed(session, mobile, packet.data)
        return
    tell(session, Wish.POINTS if packet.action == TradeAction.ADD_POINTS else Wish.UNKNOWN)


def _ask(session: CoSession, mobile: Mobile, data: int) -> None:
    """APPLY: ask somebody, or accept."""
    other = seen(session, mobile, data)
    if other is None:
        raise Cannot(Refusal.UNSEEN)
    trade.ask(mobile, other)


def _quit(session: CoSession, mobile: Mobile, data: int) -> None:
    """QUIT: end it, or decline. A window that was closed from here may still be closed there."""
    if mobile.trade is not None:
        trade.close(mobile)
        return
    asker = CoView.of(session).figures.ids.mobile(data)
    if asker is not None and trade.question(mobile, asker) is not None:
        trade.refuse(mobile, asker)


def _offer(session: CoSession, mobile: Mobile, data: int) -> None:
    """ADD_ITEM: all of a thing in the bag. The client has it in its window already."""
    try:
        trade.offer(mobile, own(session, mobile, data))
    except Cannot:
        session.queue(OfferRefused(data))
        raise


def _offer_silver(session: CoSession, mobile: Mobile, data: int) -> None:
    """ADD_MONEY: so many coins in all."""
    try:
        trade.set_gold(mobile, data)
    except Cannot:
        session.queue(OfferRefused(None))
        raise


def _agree(session: CoSession, mobile: Mobile, data: int) -> None:
    """ACCEPT: agree to what the window shows, in which one cannot agree twice. It is opened anew if that is
    refused: here, if nothing else changes by that."""
    shown = session.bargain
    if shown is not None:
        session.bargain = attrs.evolve(shown, pressed=True)
    try:
        trade.agree(mobile, None if shown is None else shown.changes)
    except Cannot as cannot:
        if cannot.why is Refusal.NO_OFFER:
            session.queue(TradeWindow(CoView.of(session).figures, None, opens=True))
        raise


DEEDS: Final[Mapping[int, Callable[[CoSession, Mobile, int], None]]] = {
    TradeAction.APPLY: _ask,
    TradeAction.QUIT: _quit,
    TradeAction.ADD_ITEM: _offer,
    TradeAction.ADD_MONEY: _offer_silver,
    TradeAction.ACCEPT: _agree,
}
