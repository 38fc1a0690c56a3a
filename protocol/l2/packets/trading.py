"""Trade of two players: the question, the window with three lists, and what each of both agrees to.

The window has one's own things, what one has put on the table, and what the other has. Nothing can be taken
back from it: it closes with the answer of one of both. Layouts are those of recorded traffic
(tests/golden/l2/server_packets_c6.json), where eldarkg/lineage2wireshark (746.ini) has the same.
"""

import enum
from typing import Annotated

from protocol.l2.packets.base import D, H, One, counted, element, from_client, from_server
from protocol.l2.packets.things import StackEntry
from protocol.l2.versions import Message
from protocol.wire.declare import Struct


class Rest(enum.IntEnum):
    """Kinds of change that a TradeUpdate tells of one's own list."""

    NOTHING = 2
    """All of it is on the table; the count says nothing."""
    SOME = 3
    """So many are left."""


# --- client ---


@from_client
class TradeRequest(Message):
    """Trade with me."""

    object_id: D


@from_client
class AddTradeItem(Message):
    """Put an item on the table."""

    trade_id: D
    object_id: D
    count: D


@from_client
class TradeDone(Message):
    """Accept the trade (1) or leave it (0)."""

    answer: D


@from_client
class AnswerTradeRequest(Message):
    """Whether to trade."""

    answer: D


# --- server ---


@from_server
class SendTradeRequest(Message):
    """Somebody wants to trade; AnswerTradeRequest answers."""

    sender_id: D


@from_server
class TradeStart(Message):
    """The window opens, with all that one can put on the table."""

    partner_id: D
    items: Annotated[tuple[StackEntry, ...], counted(StackEntry, 2)]


@from_server
class TradeOwnAdd(Message):
    """Things that one has put on the table."""

    items: Annotated[tuple[StackEntry, ...], counted(StackEntry, 2)]


@from_server
class TradeOtherAdd(Message):
    """Things that the other has put there."""

    items: Annotated[tuple[StackEntry, ...], counted(StackEntry, 2)]


@element
class RestEntry(Struct):
    """One thing in one's own list, of which something is on the table."""

    rest: Annotated[H, "Rest"]
    item: Annotated[StackEntry, One(StackEntry)]


@from_server
class TradeUpdate(Message):
    """One's own list has less, for that is on the table."""

    items: Annotated[tuple[RestEntry, ...], counted(RestEntry, 2)]


@from_server
class TradePressOwnOk(Message):
    """One agrees: nothing more can be put on the table."""


@from_server
class TradePressOtherOk(Message):
    """The other agrees."""


@from_server
class SendTradeDone(Message):
    """The window closes."""

    done: Annotated[D, "1: all has changed hands; 0: nothing has"]
