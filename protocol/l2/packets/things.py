"""Items: on the ground, in bags and on bodies; and what clients do with things and people they click.

An item on the ground is a thing of its own (SpawnItem, DropItem, GetItem). One that somebody has is an entry:
ItemList sends all of them, InventoryUpdate those that came, changed or went. A click (Action) says only what
was clicked; what comes of it the server decides.
"""

import enum
from typing import Annotated, ClassVar

from protocol.l2.packets.base import (
    C8,
    D,
    H,
    One,
    counted,
    element,
    from_client,
    from_server,
    number,
    zeros,
)
from protocol.l2.versions import Message
from protocol.wire.declare import Struct
from protocol.wire.fields import Constant


class ItemClass(enum.IntEnum):
    """The values of `type1` of an item."""

    WEAPON_OR_JEWEL = 0
    ARMOUR = 1
    OTHER = 4


class ItemKind(enum.IntEnum):
    """The values of `type2` of an item."""

    WEAPON = 0
    ARMOUR = 1
    JEWEL = 2
    QUEST = 3
    ADENA = 4
    OTHER = 5


class BodyPart(enum.IntFlag):
    """The places where an item is worn."""

    NONE = 0
    RIGHT_EAR = 0x0002
    LEFT_EAR = 0x0004
    EARS = 0x0006
    NECK = 0x0008
    RIGHT_FINGER = 0x0010
    LEFT_FINGER = 0x0020
    FINGERS = 0x0030
    HEAD = 0x0040
    RIGHT_HAND = 0x0080
    LEFT_HAND = 0x0100
    GLOVES = 0x0200
    CHEST = 0x0400
    LEGS = 0x0800
    FEET = 0x1000
    BACK = 0x2000
    BOTH_HANDS = 0x4000
    FULL_BODY = 0x8000


class Change(enum.IntEnum):
    """The kinds of change that an InventoryUpdate tells of an item."""

    ADDED = 1
    MODIFIED = 2
    REMOVED = 3


# --- client ---


@from_client
class Action(Message):
    """A click: the first one takes a target, the second one deals with it."""

    object_id: D
    origin_x: D
    origin_y: D
    origin_z: D
    shift: Annotated[C8, "1: without walking there"]


@from_client
class AttackRequest(Message):
    """A click that attacks."""

    object_id: D
    origin_x: D
    origin_y: D
    origin_z: D
    shift: C8


@from_client
class RequestTargetCancel(Message):
    """No target any more; 0: first stop casting."""

    unselect: H


@from_client
class RequestItemList(Message):
    """Show me what I have."""


@from_client
class RequestUnEquipItem(Message):
    """Take off what is worn there."""

    body_part: Annotated[D, "BodyPart"]


@from_client
class RequestDropItem(Message):
    """Put an item, or part of a stack, on the ground."""

    object_id: D
    count: D
    x: D
    y: D
    z: D


@from_client
class UseItem(Message):
    """Use an item, wear it or take it off."""

    object_id: D
    ctrl: D = 0


@from_client
class RequestDestroyItem(Message):
    """Destroy an item, or part of a stack."""

    object_id: D
    count: D


# --- server ---


@from_server
class SpawnItem(Message):
    """An item lies there."""

    object_id: D
    item_id: D
    x: D
    y: D
    z: D
    stackable: Annotated[D, "0 or 1"]
    count: D
    _unused: ClassVar[Constant] = zeros(4)


@from_server
class DropItem(Message):
    """Somebody drops an item."""

    dropper_id: D
    object_id: D
    item_id: D
    x: D
    y: D
    z: D
    stackable: Annotated[D, "0 or 1"]
    count: D
    _one: ClassVar[Constant] = number(1)


@from_server
class GetItem(Message):
    """Somebody takes an item; DeleteObject follows."""

    player_id: D
    object_id: D
    x: D
    y: D
    z: D


@element
class ItemEntry(Struct):
    """An item that somebody has."""

    type1: Annotated[H, "ItemClass"]
    object_id: D
    item_id: D
    count: D
    type2: Annotated[H, "ItemKind"]
    custom1: H = 0
    equipped: H = 0
    body_part: Annotated[D, "BodyPart"] = 0
    enchant: H = 0
    custom2: H = 0
    augmentation_id: D = 0
    shadow_life: Annotated[D, "-1: for ever"] = -1


@element
class StackEntry(Struct):
    """A stack in a list of what can change hands: what is traded, and what a merchant buys."""

    type1: Annotated[H, "ItemClass"]
    object_id: D
    item_id: D
    count: D
    type2: Annotated[H, "ItemKind"]
    custom1: H = 0
    body_part: Annotated[D, "BodyPart"] = 0
    enchant: H = 0
    _unused: ClassVar[Constant] = zeros(4)


@from_server
class ItemList(Message):
    """All that the character has."""

    show_window: Annotated[H, "1: opens the window"]
    items: Annotated[tuple[ItemEntry, ...], counted(ItemEntry, 2)]


@element
class ItemChange(Struct):
    """One item of an InventoryUpdate."""

    change: Annotated[H, "Change"]
    item: Annotated[ItemEntry, One(ItemEntry)]


@from_server
class InventoryUpdate(Message):
    """Items came, changed or went."""

    changes: Annotated[tuple[ItemChange, ...], counted(ItemChange, 2)]


@from_server
class ExStorageMaxCount(Message):
    """The room there is."""

    inventory: D = 80
    warehouse: D = 100
    freight: D = 150
    private_sell: D = 3
    private_buy: D = 4
    dwarven_recipes: D = 50
    common_recipes: D = 50
