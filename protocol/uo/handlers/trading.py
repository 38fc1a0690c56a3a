"""Trades: what comes of the window's boxes and fields, and of things that are dragged into it and out of it.
Drags arrive by the packets of all drags (`things`), which ask here first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo.handlers.table import TABLE, Kinds
from protocol.uo.packets.things import LiftRefusal, LiftRefused, Removed
from protocol.uo.packets.trading import TradeDeed, TradeRequest, TradeShut
from protocol.uo.trading import (
    FIRST_OFFER,
    OWN_HEAP,
    PLATINUM,
    boxes,
    is_box,
    is_offer,
    ledger,
    offered,
    state,
)
from protocol.wishes import Wish
from world import hands, trade
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.uo.session import UoSession
    from world.item import Item
    from world.mobile import Mobile

DEEDS: Final[Kinds[TradeRequest]] = Kinds("0x6F", Wish.UNKNOWN)
"""Kinds of 0x6F."""


@TABLE.while_playing(TradeRequest)
def trade_request(session: UoSession, mobile: Mobile, packet: TradeRequest) -> None:
    """Something in the window of a trade. Raises Cannot(NO_TRADE) for one that is over, which closes, unless
    its player has closed it."""
    if packet.kind != TradeDeed.CLOSE and packet.box != _own_box(mobile):
        session.send(TradeShut(TradeDeed.CLOSE, packet.box))
        raise Cannot(Refusal.NO_TRADE)
    DEEDS.handle(session, mobile, packet.kind, packet)


@DEEDS.on(TradeDeed.CLOSE, "TradeClose")
def _close(session: UoSession, mobile: Mobile, packet: TradeRequest) -> None:
    """End the trade. The client says so as well when it was told that it is over."""
    if packet.box == _own_box(mobile):
        trade.close(mobile)


@DEEDS.on(TradeDeed.AGREE, "TradeAgree")
def _agree(session: UoSession, mobile: Mobile, packet: TradeRequest) -> None:
    """Agree to what it was shown, or agree no more. The client has ticked the box already: what raises Cannot
    here puts that right."""
    try:
        if any(packet.rest[:4]):
            trade.agree(mobile, session.trade.changes)
        else:
            trade.disagree(mobile)
    except Cannot:
        going = mobile.trade
        if going is not None:
            other = going.against(mobile)
            session.send(state(other.mobile.serial, going.side(mobile).copy(), other.copy()))
        raise


@DEEDS.on(TradeDeed.GOLD, "TradeGold")
def _gold(session: UoSession, mobile: Mobile, packet: TradeRequest) -> None:
    """Offer so much gold as a number. After what raises Cannot here the client is told anew how much there
    is."""
    gold, platinum = (int.from_bytes(packet.rest[at : at + 4], "big") for at in (0, 4))
    try:
        trade.set_gold(mobile, gold + platinum * PLATINUM)
    except Cannot:
        if mobile.trade is not None and session.dialect.trade_gold:
            session.send(ledger(mobile, mobile.trade.against(mobile).mobile))
        raise


def _own_box(mobile: Mobile) -> int | None:
    """Serial of its own container in the window, if it trades."""
    return boxes(mobile.trade.against(mobile).mobile.serial)[0] if mobile.trade is not None else None


# Drags


def lifted(session: UoSession, mobile: Mobile, serial: int, amount: int) -> None:
    """Offer something no more, or by so many less: it was lifted out of the window. The client's hand is
    empty again, since the thing lies in the pack. Raises Cannot: NO_TRADE if nothing of that serial is
    there, NOT_YOURS for what the other offers, AMOUNT; and as `trade.offer`."""
    hands.bounce(mobile, let_go=True)
    session.send(LiftRefused(LiftRefusal.UNSPECIFIC))
    found = offered(mobile, serial)
    if amount < 1:
        raise Cannot(Refusal.AMOUNT)
    if found is not None:
        one, own = found
        if not own:
            raise Cannot(Refusal.NOT_YOURS)
        item = session.world.items[one.serial]
        if amount < one.amount:
            trade.offer(mobile, item, one.amount - amount)
        else:
            trade.withdraw(mobile, item)
        return
    gold = mobile.trade.side(mobile).gold if mobile.trade is not None else 0
    if gold and serial == FIRST_OFFER + OWN_HEAP:
        trade.set_gold(mobile, max(0, gold - amount))
        return
    session.send(Removed(serial))
    raise Cannot(Refusal.NO_TRADE)


def is_in_window(serial: int) -> bool:
    """Whether a serial is one of a trade's containers, or of what lies in them."""
    return is_offer(serial) or is_box(serial)


def dropped(mobile: Mobile, held: Item, target: int) -> None:
    """Offer what is in the hand: it was dropped into the own container, or onto something there. Raises
    Cannot: NO_TRADE; NOT_YOURS for the other's container; and as `trade.offer`."""
    going = mobile.trade
    if going is None:
        raise Cannot(Refusal.NO_TRADE)
    own, theirs = boxes(going.against(mobile).mobile.serial)
    found = offered(mobile, target)
    if target == theirs or (found is not None and not found[1]):
        raise Cannot(Refusal.NOT_YOURS)
    if target != own and found is None and not is_offer(target):
        raise Cannot(Refusal.NO_TRADE)
    trade.offer(mobile, held)


def given(mobile: Mobile, other: Mobile, held: Item) -> None:
    """Begin to trade with another player by what was dropped on it, or offer that if they trade already.
    Raises Cannot, as `trade.ask` and `trade.offer`."""
    going = mobile.trade
    if going is not None and going.against(mobile).mobile is other:
        trade.offer(mobile, held)
    else:
        trade.ask(mobile, other, held)
