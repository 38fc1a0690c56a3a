"""Trading with another player: `protocol.eo.trading` shows it, `world.trade` has the rules.

The client waits for the answer to each wish before it changes anything, but for its window, which it closes
as it says so. What is offered it names by kind, and says how many there are of that from now on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    TradeAcceptClientPacket,
    TradeAddClientPacket,
    TradeAgreeClientPacket,
    TradeCloseClientPacket,
    TradeRemoveClientPacket,
    TradeRequestClientPacket,
)

from protocol.eo.handlers.looking import known_player
from protocol.eo.handlers.table import TABLE
from protocol.eo.view import EoView
from world import trade
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.eo.session import EoSession
    from world.mobile import Mobile

NOTHING_SHOWN: Final = -1
"""In place of the offers that its client has shown."""


def in_sight(session: EoSession, number: int) -> Mobile:
    """The character of that number, if this client may know of it. Raises Cannot(UNSEEN)."""
    other = known_player(session, number)
    if other is None:
        raise Cannot(Refusal.UNSEEN)
    return other


def asker(session: EoSession, number: int) -> Mobile:
    """Character that an answer names, in sight or not. Raises Cannot(NOT_ASKED) for nobody."""
    other = EoView.of(session).figures.ids.players.thing(number)
    if other is None:
        raise Cannot(Refusal.NOT_ASKED)
    return other


@TABLE.while_playing(TradeRequestClientPacket)
def ask(session: EoSession, mobile: Mobile, packet: TradeRequestClientPacket) -> None:
    """Trade_Request: asks somebody in sight. Raises Cannot, as `trade.ask`; UNSEEN."""
    trade.ask(mobile, in_sight(session, packet.player_id))


@TABLE.while_playing(TradeAcceptClientPacket)
def accept(session: EoSession, mobile: Mobile, packet: TradeAcceptClientPacket) -> None:
    """Trade_Accept: yes to whom it names. Raises Cannot(NOT_ASKED)."""
    trade.accept(mobile, asker(session, packet.player_id))


@TABLE.while_playing(TradeAddClientPacket)
def offer(session: EoSession, mobile: Mobile, packet: TradeAddClientPacket) -> None:
    """Trade_Add: so many of a kind. Raises Cannot, as `trade.offer_kind`; GONE for what it cannot have."""
    item_id, amount = packet.add_item.id, packet.add_item.amount
    trade.offer_kind(mobile, EoView.of(session).figures.kind(mobile, item_id), amount)


@TABLE.while_playing(TradeRemoveClientPacket)
def withdraw(session: EoSession, mobile: Mobile, packet: TradeRemoveClientPacket) -> None:
    """Trade_Remove: nothing of a kind any more. Raises Cannot, as `trade.withdraw_kind`; GONE for what it
    cannot have."""
    trade.withdraw_kind(mobile, EoView.of(session).figures.kind(mobile, packet.item_id))


@TABLE.while_playing(TradeAgreeClientPacket)
def agree(session: EoSession, mobile: Mobile, packet: TradeAgreeClientPacket) -> None:
    """Trade_Agree: agrees to what it was shown last, or agrees no more. Raises Cannot, as `trade.agree`."""
    if packet.agree:
        trade.agree(mobile, NOTHING_SHOWN if session.trade is None else session.trade.changes)
    else:
        trade.disagree(mobile)


@TABLE.while_playing(TradeCloseClientPacket)
def close(session: EoSession, mobile: Mobile, packet: TradeCloseClientPacket) -> None:
    """Trade_Close: its window is closed. If that was over already, this crossed the news."""
    session.trade = None
    if mobile.trade is not None:
        trade.close(mobile)
