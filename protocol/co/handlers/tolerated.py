"""What a client may send for features the world does not have yet: teams, trade, guilds, fights, to rise from
the dead by oneself.

The client shows none of it before it is answered, so its player is told that there is nothing.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from protocol.co.handlers.actions import action
from protocol.co.handlers.table import GAME, playing
from protocol.co.packets import (
    Action,
    ActionType,
    Allot,
    Friend,
    Guild,
    MessageBoard,
    NameMessage,
    Package,
    Team,
    Tick,
    Trade,
)
from protocol.family import Interval
from protocol.session import AUTHENTICATED, Phase
from world.speech import notice

if TYPE_CHECKING:
    from protocol.co.packets import Message
    from protocol.co.session import CoSession
    from world.mobile import Mobile

log = logging.getLogger("net.co")

NOT_YET: Final = {
    Team: "There are no teams here yet.",
    Trade: "Nobody trades here yet.",
    Guild: "There are no guilds here yet.",
    Friend: "There are no lists of friends here yet.",
    Package: "There are no storehouses here yet.",
}

ASK_A_HEALER: Final = "Only a healer can bring you back to life."


def refuse(session: CoSession, packet: Message) -> None:
    """Say that there is no such thing."""
    mobile = playing(session)
    if mobile is not None:
        notice(mobile, NOT_YET[type(packet)])


for _packet in NOT_YET:
    GAME.on(_packet, during=Phase.IN_WORLD, every=Interval(1.0, burst=3, coalesced=True))(refuse)


@action(ActionType.REVIVE, every=Interval(1.0, coalesced=True))
def stay_dead(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """REVIVE: the button that the client shows the dead."""
    if mobile.dead:
        notice(mobile, ASK_A_HEALER)


def ignore(session: CoSession, packet: Message) -> None:
    """Nothing waits for an answer."""
    log.debug("%r: %s is not supported", session, type(packet).__name__)


for _packet in (Allot, MessageBoard, NameMessage, Tick):
    GAME.on(_packet, during=AUTHENTICATED)(ignore)
