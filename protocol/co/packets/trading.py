"""Trades between players: one packet for all deeds, told apart by `action`. What the other offers comes as
ItemInfo of the mode TRADE."""

import enum
from typing import Annotated

from protocol.co.packets.base import U32, Message, message


class TradeAction(enum.IntEnum):
    """Deeds in a trade."""

    APPLY = 1
    QUIT = 2
    OPEN = 3
    SUCCESS = 4
    FAIL = 5
    ADD_ITEM = 6
    ADD_MONEY = 7
    PARTNERS_MONEY = 8
    OWN_MONEY = 9
    ACCEPT = 10
    ITEM_REFUSED = 11
    PARTNERS_POINTS = 12
    ADD_POINTS = 13
    OWN_POINTS = 14
    SUSPICIOUS = 16


@message(1056)
class Trade(Message):
    """Something about a trade. MsgTrade."""

    data: Annotated[U32, "who, the item, or how much"]
    action: Annotated[U32, "TradeAction"]
