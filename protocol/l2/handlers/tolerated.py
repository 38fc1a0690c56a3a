"""What a client may send for features the world does not have yet: trade, parties, skills.

The client shows none of it before it is answered. ActionFailed lets its player do something else; the skill
was not cast, the trade did not begin.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from protocol.l2.handlers.arriving import acting
from protocol.l2.handlers.table import on
from protocol.l2.packets import (
    ActionFailed,
    AddTradeItem,
    AnswerTradeRequest,
    GameGuardReply,
    RequestJoinParty,
    RequestMagicSkillUse,
    RequestRestartPoint,
    TradeDone,
    TradeRequest,
)
from protocol.session import AUTHENTICATED, Phase

if TYPE_CHECKING:
    from protocol.l2.packets import Message
    from protocol.l2.session import L2Session

log = logging.getLogger("net.l2")


def refuse(session: L2Session, packet: Message) -> None:
    """Note it, and let the player go on."""
    log.debug("%r: %s is not supported", session, type(packet).__name__)
    if acting(session) is not None:
        session.send(ActionFailed())


for _packet in (
    AddTradeItem,
    AnswerTradeRequest,
    RequestJoinParty,
    RequestMagicSkillUse,
    RequestRestartPoint,
    TradeDone,
    TradeRequest,
):
    on(_packet, during=Phase.IN_WORLD)(refuse)


@on(GameGuardReply, during=AUTHENTICATED)
def ignore_game_guard(session: L2Session, packet: GameGuardReply) -> None:
    """GameGuardReply: nobody asked."""
