"""Trade with another player, in the window of the client's own (`protocol.l2.trading`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.handlers.table import PLAYER_ACTION, ROWS, TRANSACTION
from protocol.l2.packets import AddTradeItem, AnswerTradeRequest, TradeDone, TradeRequest
from world import dialogs, invites, trade
from world.reach import Cannot, Refusal
from world.wording import GOLD

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.mobile import Mobile


@ROWS.while_acting(TradeRequest, every=TRANSACTION.interval())
def ask(session: L2Session, mobile: Mobile, packet: TradeRequest) -> None:
    """TradeRequest: ask somebody to trade. Raises Cannot, as `trade.ask` does, and GONE."""
    other = mobile.world.mobiles.get(packet.object_id)
    if other is None:
        raise Cannot(Refusal.GONE)
    trade.ask(mobile, other)


@ROWS.while_acting(AnswerTradeRequest, every=PLAYER_ACTION.interval())
def answer(session: L2Session, mobile: Mobile, packet: AnswerTradeRequest) -> None:
    """AnswerTradeRequest: yes (1) or no to who asks. Raises Cannot(NOT_ASKED) if nobody does any more."""
    question = trade.question(mobile)
    if question is None:
        raise Cannot(Refusal.NOT_ASKED)
    button = invites.YES if packet.answer == 1 else 0
    dialogs.answer(mobile, question.serial, question.type_id, button)  # its box is closed


@ROWS.while_acting(AddTradeItem, every=PLAYER_ACTION.interval())
def offer(session: L2Session, mobile: Mobile, packet: AddTradeItem) -> None:
    """AddTradeItem: offer so many of a thing, more than before. Raises Cannot, as `trade.offer` does, and
    AMOUNT for less than one."""
    item = mobile.world.items.get(packet.object_id)
    if packet.count < 1:
        raise Cannot(Refusal.AMOUNT)
    if item is None or item.root is not mobile:
        raise Cannot(Refusal.NOT_YOURS)
    if item.template.key == GOLD:
        trade.offer_kind(mobile, GOLD, packet.count, more=True)
    else:
        trade.offer(mobile, item, packet.count, more=True)


@ROWS.while_acting(TradeDone, every=PLAYER_ACTION.interval())
def finish(session: L2Session, mobile: Mobile, packet: TradeDone) -> None:
    """TradeDone: agree to what the window shows (1), or close it (0). Raises Cannot, as `trade.agree` does.
    A window that closes after the end says nothing."""
    if packet.answer == 1:
        trade.agree(mobile, session.trading.changes if session.trading is not None else None)
    elif mobile.trade is not None:
        trade.close(mobile)
