"""Items on the ground, in bags and on bodies, and what is done with them.

ItemAction is one packet for all deeds, told apart by `action`, as Action is for those of a body: what its
other fields are depends on the deed, and the client's ping is one of them. ItemInfo tells of one item, so a
bag is as many packets; how many pieces a pile has stands where others have their durability. On the ground a
thing is a MapItem, and a client asks for it by a PickUp, whose fields stand elsewhere in each version.
"""

import enum
from typing import Annotated, ClassVar, Final

from protocol.co.packets.base import (
    U8,
    U16,
    U32,
    Before,
    Gap,
    Message,
    Since,
    element,
    from_client,
    from_server,
    message,
)
from protocol.co.versions import CoVersion
from protocol.wire.declare import Struct
from protocol.wire.fields import Listed, Numbers

BAG_SIZE: Final = 40
"""Items that the client's bag has room for."""

MOST_SILVER: Final = 1_000_000_000
"""The most that the client shows."""

DEFAULT_COLOUR: Final = 3


class ItemInfoMode(enum.IntEnum):
    """Kinds of ItemInfo."""

    ADD = 1
    TRADE = 2
    UPDATE = 3
    OTHER_PLAYER = 4
    """Worn by somebody else; id is who."""
    AUCTION = 5


class ItemPosition(enum.IntEnum):
    """Positions of an item."""

    BAG = 0
    HELMET = 1
    NECKLACE = 2
    ARMOUR = 3
    RIGHT_HAND = 4
    LEFT_HAND = 5
    RING = 6
    GOURD = 7
    BOOTS = 8
    GARMENT = 9
    STORAGE = 201


class ItemActionType(enum.IntEnum):
    """Kinds of ItemAction."""

    BUY = 1
    """id: the shop; data: item type."""
    SELL = 2
    """id: the shop; data: the item."""
    DROP = 3
    """data: packed coordinates. From servers: it is not in the bag any more."""
    USE = 4
    """data: ItemPosition; 0 to use it, others to wear it."""
    EQUIP = 5
    """From servers: it is worn. data: ItemPosition."""
    UNEQUIP = 6
    COMBINE = 8
    QUERY_MONEY = 9
    """Asks what is in the warehouse."""
    DEPOSIT = 10
    WITHDRAW = 11
    DROP_MONEY = 12
    """id: amount; data: packed coordinates."""
    REPAIR = 14
    REPAIR_ALL = 15
    DURABILITY = 17
    LOSE_EQUIPMENT = 18
    DRAGON_BALL_UPGRADE = 19
    METEOR_UPGRADE = 20
    BOOTH_QUERY = 21
    BOOTH_ADD = 22
    BOOTH_REMOVE = 23
    BOOTH_BUY = 24
    FIREWORKS = 26
    PING = 27
    """Sent back as it is."""
    ENCHANT = 28
    BOOTH_ADD_POINTS = 29


class ItemInfoExMode(enum.IntEnum):
    """Places where somebody else's item is seen."""

    BOOTH = 1
    EQUIPMENT = 2
    BOOTH_POINTS = 3
    OTHER = 4


class PackageAction(enum.IntEnum):
    """Deeds at a warehouse."""

    LIST = 0
    CHECK_IN = 1
    CHECK_OUT = 2


class PackageKind(enum.IntEnum):
    """Kinds of warehouse."""

    STORAGE = 10
    TRUNK = 20


@from_server(1008)
class ItemInfo(Message):
    """An item that somebody has. MsgItemInfo."""

    id: U32
    item_type: U32
    durability: Annotated[U16, "or amount"]
    durability_limit: U16
    mode: Annotated[U8, "ItemInfoMode"] = ItemInfoMode.ADD
    ident: U8 = 0
    position: Annotated[U8, "ItemPosition"] = ItemPosition.BAG
    _unused_19: ClassVar[Gap] = Gap(bytes(1))
    socket_progress: U32 = 0
    gem1: Annotated[U8, "0 no socket, 255 an empty one, else kind * 10 + quality"] = 0
    gem2: U8 = 0
    magic1: U8 = 0
    magic2: U8 = 0
    plus: U8 = 0
    bless: U8 = 0
    enchant: U8 = 0
    _unused_31: ClassVar[Gap] = Gap(bytes(1))
    restrain: U32 = 0
    suspicious: Annotated[U16, Since(CoVersion.V5065)] = 0
    locked: Annotated[U16, Since(CoVersion.V5065)] = 0
    colour: Annotated[U32, Since(CoVersion.V5065)] = DEFAULT_COLOUR


@from_server(1108)
class ItemInfoEx(Message):
    """An item that somebody else wears or sells. MsgItemInfoEx."""

    id: U32
    owner: U32
    price: U32
    item_type: U32
    durability: U16
    durability_limit: U16
    mode: Annotated[U8, "ItemInfoExMode"]
    ident: U8 = 0
    position: Annotated[U8, "ItemPosition"] = ItemPosition.BAG
    _unused_27: ClassVar[Gap] = Gap(bytes(1))
    socket_progress: U32 = 0
    gem1: U8 = 0
    gem2: U8 = 0
    magic1: U8 = 0
    magic2: U8 = 0
    plus: U8 = 0
    bless: U8 = 0
    enchant: U8 = 0
    _unused_39: ClassVar[Gap] = Gap(bytes(1))
    restrain: U32 = 0
    suspicious: Annotated[U16, Since(CoVersion.V5065)] = 0
    locked: Annotated[U16, Since(CoVersion.V5065)] = 0
    colour: Annotated[U32, Since(CoVersion.V5065)] = DEFAULT_COLOUR


@message(1009)
class ItemAction(Message):
    """Something is done with an item, or the client's ping. MsgItem."""

    id: Annotated[U32, "the item, or what the action says"]
    data: U32
    action: Annotated[U32, "ItemActionType"]
    timestamp: U32 = 0
    amount: U32 = 0


@from_client(1027)
class GemEmbed(Message):
    """A gem into an item, or out of it. MsgGemEmbed."""

    hero: U32
    item: U32
    gem: U32
    socket: U16
    action: Annotated[U16, "0 in, 1 out"]


@from_client(1102)
class Package(Message):
    """Something is wanted of a warehouse. MsgPackage."""

    npc: U32
    action: Annotated[U8, "PackageAction"]
    kind: Annotated[U8, "PackageKind"]
    first: Annotated[U16, "in 14 bytes the item begins here (conquer-online/wiki)"] = 0
    second: Annotated[U16, "in 16 bytes it does here (COPS v6, Redux)"] = 0
    third: U16 = 0

    @property
    def item(self) -> int:
        """The item that is meant. Numbers of items do not fit 16 bits: of 16 bytes the last two are never
        0."""
        return self.second | self.third << 16 if self.third else self.first | self.second << 16


@element
class StoredItem(Struct):
    """An item in a warehouse, before 5065."""

    id: U32
    item_type: U32
    ident: U8 = 0
    gem1: U8 = 0
    gem2: U8 = 0
    magic1: U8 = 0
    magic2: U8 = 0
    plus: U8 = 0
    bless: U16 = 0
    enchant: U16 = 0
    restrain: U16 = 0


@element
class ColouredItem(Struct):
    """An item in a warehouse, since 5065."""

    id: U32
    item_type: U32
    ident: U8 = 0
    gem1: U8 = 0
    gem2: U8 = 0
    magic1: U8 = 0
    magic2: U8 = 0
    plus: U8 = 0
    bless: U8 = 0
    _unused_15: ClassVar[Gap] = Gap(bytes(1))
    enchant: U8 = 0
    _unused_17: ClassVar[Gap] = Gap(bytes(6))
    colour: U8 = DEFAULT_COLOUR


@from_server(1102)
class PackageList(Message):
    """Everything in a warehouse. MsgPackage. The elements are those of COPS v6 (4330), as no server of 5017
    has any, and those of Redux."""

    npc: U32
    action: Annotated[U8, "PackageAction"] = PackageAction.LIST
    kind: Annotated[U8, "PackageKind"] = PackageKind.STORAGE
    _unused: ClassVar[Gap] = Gap(bytes(2))
    items: Annotated[tuple[StoredItem, ...], Listed(StoredItem, 4, little=True), Before(CoVersion.V5065)] = ()
    coloured: Annotated[
        tuple[ColouredItem, ...], Listed(ColouredItem, 4, little=True), Since(CoVersion.V5065)
    ] = ()


@from_client(2036)
class DataArray(Message):
    """Items to be made into one. MsgDataArray."""

    action: U8
    items: Annotated[tuple[int, ...], Numbers(4, count=1, gap=2, limit=255, little=True)] = ()


class MapItemAction(enum.IntEnum):
    """Deeds and events about a thing on the ground."""

    CREATE = 1
    DELETE = 2
    PICK = 3
    """Asked by clients; from servers, somebody bends down for it."""
    PICK_WITH_EFFECT = 4
    CAST_TRAP = 10
    SYNCHRONISE_TRAP = 11
    DROP_TRAP = 12


@from_server(1101)
class MapItem(Message):
    """Something lies on the ground, is picked up there, or is gone. MsgMapItem."""

    id: U32
    item_type: U32
    x: U16
    y: U16
    colour: Annotated[U16, Since(CoVersion.V5065)] = 0
    action: Annotated[U16, "MapItemAction"] = MapItemAction.CREATE
    _unused: ClassVar[Gap] = Gap(bytes(2), Before(CoVersion.V5065))


@from_client(1101)
class PickUp(Message):
    """Something on the ground is wanted. MsgMapItem."""

    id: U32
    item_type: U32
    x: U16
    y: U16
    first: Annotated[U16, "before 5065 the action, then a colour"]
    second: Annotated[U16, "since 5065 the action"]

    def action(self, version: CoVersion) -> int:
        """The deed that is wanted: a MapItemAction, if it is one."""
        return self.first if version < CoVersion.V5065 else self.second
