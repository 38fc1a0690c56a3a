"""Counters of merchants and of keepers of warehouses: what is bought, sold, put in and taken out.

A merchant's wares have a number, which comes back with the order; nothing else has. Layouts are those of
two public servers of this chronicle (tests/golden/l2/windows_java.json; BuyList recorded there as well).
"""

from typing import Annotated, ClassVar, Final

from protocol.l2.packets.base import D, H, One, counted, element, from_client, from_server, zeros
from protocol.l2.packets.things import StackEntry
from protocol.l2.versions import Message
from protocol.wire.declare import Struct
from protocol.wire.fields import Constant

AUGMENTATION_BYTES: Final = 8
"""Two numbers at the end of each item of a warehouse's lists. Both public servers that serve original clients
have them, one table of recorded traffic has not: then this is 0."""

PRIVATE_WAREHOUSE: Final = 1
"""The kind of warehouse that is one's own."""


# --- client ---


@element
class BuyEntry(Struct):
    """So many of a kind."""

    item_id: D
    count: D


@from_client
class RequestBuyItem(Message):
    """Buy all of that."""

    list_id: Annotated[D, "of BuyList"]
    items: Annotated[tuple[BuyEntry, ...], counted(BuyEntry)]


@element
class SellEntry(Struct):
    """So many of a stack."""

    object_id: D
    item_id: D
    count: D


@from_client
class RequestSellItem(Message):
    """Sell all of that."""

    list_id: Annotated[D, "0, or what `lease` of the SellList was"]
    items: Annotated[tuple[SellEntry, ...], counted(SellEntry)]


@element
class KeptEntry(Struct):
    """So many of a stack that go into the warehouse or come out of it."""

    object_id: D
    count: D


@from_client
class SendWareHouseDepositList(Message):
    """Put all of that into the warehouse."""

    items: Annotated[tuple[KeptEntry, ...], counted(KeptEntry)]


@from_client
class SendWareHouseWithDrawList(Message):
    """Take all of that out of the warehouse."""

    items: Annotated[tuple[KeptEntry, ...], counted(KeptEntry)]


# --- server ---


@element
class WareEntry(Struct):
    """A kind of item that is sold."""

    type1: Annotated[H, "ItemClass"]
    _object_id: ClassVar[Constant] = zeros(4)
    item_id: D
    stock: Annotated[D, "0: as many as one wants"]
    type2: Annotated[H, "ItemKind"]
    _unused: ClassVar[Constant] = zeros(2)
    body_part: Annotated[D, "BodyPart"]
    _state: ClassVar[Constant] = zeros(6)
    price: D


@from_server
class BuyList(Message):
    """A merchant's wares; RequestBuyItem answers."""

    money: D
    list_id: D
    wares: Annotated[tuple[WareEntry, ...], counted(WareEntry, 2)]


@element
class SaleEntry(Struct):
    """A thing of one's own that the merchant buys."""

    item: Annotated[StackEntry, One(StackEntry)]
    price: D


@from_server
class SellList(Message):
    """Things that one has and a merchant buys; RequestSellItem answers."""

    money: D
    lease: Annotated[D, "of a shop that is leased; all public servers say 0"]
    items: Annotated[tuple[SaleEntry, ...], counted(SaleEntry, 2)]


@element
class StoredEntry(Struct):
    """A thing that can be put in or taken out."""

    type1: Annotated[H, "ItemClass"]
    object_id: D
    item_id: D
    count: D
    type2: Annotated[H, "ItemKind"]
    custom1: H = 0
    body_part: Annotated[D, "BodyPart"] = 0
    enchant: H = 0
    custom2: H = 0
    _unused: ClassVar[Constant] = zeros(2)
    object_id_again: D = 0
    _augmentation: ClassVar[Constant] = zeros(AUGMENTATION_BYTES)


@from_server
class WarehouseDepositList(Message):
    """Things that one can put into the warehouse; SendWareHouseDepositList answers."""

    kind: Annotated[H, "1: one's own"]
    money: D
    items: Annotated[tuple[StoredEntry, ...], counted(StoredEntry, 2)]


@from_server
class WarehouseWithdrawList(Message):
    """Things that one can take out of the warehouse; SendWareHouseWithDrawList answers."""

    kind: Annotated[H, "1: one's own"]
    money: D
    items: Annotated[tuple[StoredEntry, ...], counted(StoredEntry, 2)]
