"""Secure trade: a window with two containers, one for each side (0x6F).

The containers are items that a client has to know before its window opens, and what is offered lies in them
like anything in a container (`things`). Each client has its own container first.
"""

from typing import Annotated

from protocol.uo.packets.base import ClientPacket, Name, ServerPacket, packet
from protocol.wire.fields import U8, U32, Flag, Tail

# --- client ---


@packet(0x6F)
class TradeRequest(ClientPacket):
    """Something in the window of a trade (0x6F, SecureTrade). Behind `TradeDeed.AGREE` a u32 says whether the
    box is ticked; behind `TradeDeed.GOLD` follow gold and platinum, a u32 each."""

    kind: Annotated[U8, "see TradeDeed"]
    box: Annotated[U32, "its own container"]
    rest: Tail


class TradeDeed:
    """Kinds of 0x6F: ServUO, Server/Network/PacketHandlers.cs, SecureTrade."""

    OPEN = 0
    CLOSE = 1
    AGREE = 2
    GOLD = 3
    LEDGER = 4


# --- server ---


@packet(0x6F)
class TradeWindow(ServerPacket):
    """The window of a trade opens (0x6F kind 0, DisplaySecureTrade)."""

    kind: Annotated[U8, "0"]
    partner: U32
    own: Annotated[U32, "container of its player"]
    theirs: Annotated[U32, "container of the partner"]
    named: Flag
    name: Name


@packet(0x6F)
class TradeShut(ServerPacket):
    """The window of a trade closes (0x6F kind 1, CloseSecureTrade)."""

    kind: Annotated[U8, "1"]
    own: U32


@packet(0x6F)
class TradeState(ServerPacket):
    """Two numbers of a trade (0x6F kinds 2 to 4, UpdateSecureTrade): who agrees; gold and platinum that the
    partner offers; and those that its player has."""

    kind: Annotated[U8, "2 own, theirs; 3 gold, platinum of the partner; 4 of its player"]
    own: U32
    first: U32
    second: U32
