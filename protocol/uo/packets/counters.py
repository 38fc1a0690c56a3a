"""Shops: what is offered for sale, what a player has to sell, and what it chose of either.

Neither list has a number of its own. What a merchant sells are items in a container that it seems to wear
(`people`, `things`); the prices come in the order of these. The bank is a container, and has no packets here.
"""

from typing import Annotated

from protocol.uo.packets.base import ClientPacket, CountedLatin, ServerPacket, element, packet
from protocol.wire.declare import Struct
from protocol.wire.fields import U8, U16, U32, Listed

# --- client ---

BUYS: int = 2
"""Flag of 0x3B: what follows is bought. Any other: the window was closed."""


@element
class Wanted(Struct):
    """So many of one ware."""

    layer: Annotated[U8, "0x1A"]
    serial: U32
    amount: U16


@packet(0x3B)
class BuyOrder(ClientPacket):
    """Buy that, or close the window (0x3B, VendorBuyReply)."""

    vendor: U32
    flag: Annotated[U8, "2: buy what follows"]
    wanted: Annotated[tuple[Wanted, ...], Listed(Wanted)]


@element
class Offered(Struct):
    """So many of an own item."""

    serial: U32
    amount: U16


@packet(0x9F, trailing=True)
class SellOrder(ClientPacket):
    """Sell that (0x9F, VendorSellReply)."""

    vendor: U32
    offered: Annotated[tuple[Offered, ...], Listed(Offered, count=2)]


# --- server ---


@element
class Price(Struct):
    """Price and name of one ware."""

    price: U32
    name: Annotated[str, CountedLatin(1, ends=True)]


@packet(0x74)
class PriceList(ServerPacket):
    """Prices of what is in a merchant's container, in the order of x (0x74, VendorBuyList)."""

    container: U32
    prices: Annotated[tuple[Price, ...], Listed(Price, count=1)]


@element
class Saleable(Struct):
    """Something that a merchant would buy of the player."""

    serial: U32
    item: U16
    hue: U16
    amount: U16
    price: U16
    name: Annotated[str, CountedLatin(2)]


@packet(0x9E)
class SellList(ServerPacket):
    """Things of the player's that a merchant buys (0x9E, VendorSellList). Clients ignore an empty list."""

    vendor: U32
    things: Annotated[tuple[Saleable, ...], Listed(Saleable, count=2)]


@packet(0x3B)
class ShopShut(ServerPacket):
    """The window of a shop closes (0x3B, EndVendorBuy)."""

    vendor: U32
    flag: Annotated[U8, "0"]
