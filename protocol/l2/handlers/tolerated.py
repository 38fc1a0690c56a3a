"""What a client may send for features the world does not have yet: trade, parties, skills.

The client shows none of it before it is answered. Its player reads that there is no such thing, and
ActionFailed lets them do something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.l2.handlers.arriving import acting
from protocol.l2.handlers.refusing import UnmetAction
from protocol.l2.handlers.table import on
from protocol.l2.packets import (
    ActionFailed,
    AddTradeItem,
    AnswerTradeRequest,
    GameGuardReply,
    RequestJoinParty,
    RequestMagicSkillUse,
    RequestRestartPoint,
    Revive,
    TradeDone,
    TradeRequest,
)
from protocol.refusals import refused_in_words
from protocol.session import AUTHENTICATED, Phase
from protocol.wishes import Idle, Wish
from world import life

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.l2.packets import Message
    from protocol.l2.session import L2Session

WISHES: Final[Mapping[type[Message], Wish]] = {
    AddTradeItem: Wish.TRADE,
    AnswerTradeRequest: Wish.TRADE,
    RequestJoinParty: Wish.PARTY,
    RequestMagicSkillUse: Wish.CASTING,
    TradeDone: Wish.TRADE,
    TradeRequest: Wish.TRADE,
}


for _packet, _wish in WISHES.items():
    on(_packet, during=Phase.IN_WORLD)(UnmetAction(_wish))


@on(RequestRestartPoint, during=Phase.IN_WORLD)
def to_village(session: L2Session, packet: RequestRestartPoint) -> None:
    """RequestRestartPoint: the button that the client shows the dead. It leads to the healer's house,
    whatever place it names; what the client takes for its revival lets its ghost walk there."""
    mobile = acting(session)
    if mobile is None:
        return
    with refused_in_words(mobile):
        life.to_healer(mobile)
    if mobile.dead:
        session.send(Revive(mobile.serial))
    session.send(ActionFailed())


on(GameGuardReply, during=AUTHENTICATED)(Idle("nobody asked"))
