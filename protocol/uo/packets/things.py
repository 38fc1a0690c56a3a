"""Items: clicks on them, lifting and putting down, how they lie on the ground and in containers, tooltips.

An item is a serial, a picture and a hue, wherever it is; what else there is depends on where it is, so that
ground, container and (`people`) body have packets of their own, and a change of place is told by the packet
of the new place. Versions differ most here: a class for each layout, chosen by `protocol.uo.figures`. One
that no declaration can say (spare bits tell which fields follow) has `read` and `write` of its own. Clicks,
tooltips and `Removed` are about mobiles just as well.
"""

from typing import Annotated, ClassVar

from protocol.endings import WireError
from protocol.uo.packets.base import (
    ClientPacket,
    CountedUtf16,
    ServerPacket,
    Unicode,
    UntilZero,
    element,
    packet,
    zeros,
)
from protocol.wire.declare import Struct
from protocol.wire.fields import (
    S8,
    U8,
    U16,
    U32,
    FixedText,
    Listed,
    Numbers,
    Tail,
)

# --- client ---


@packet(0x06, length=5)
class DoubleClick(ClientPacket):
    """Use something, or (bit 31 set) open somebody's paperdoll (0x06, UseReq)."""

    serial: U32


@packet(0x09, length=5)
class SingleClick(ClientPacket):
    """Asks what this is (0x09, LookReq)."""

    serial: U32


@packet(0x07, length=7)
class Lift(ClientPacket):
    """Take an item, or part of a stack, into the hand (0x07, LiftReq)."""

    serial: U32
    amount: U16


@packet(0x08, length=15)
class Drop(ClientPacket):
    """Put the item in the hand somewhere (0x08, DropReq; from 6.0.1.7 on)."""

    serial: U32
    x: U16
    y: U16
    z: S8
    grid: U8
    target: Annotated[U32, "container, mobile, or 0xFFFFFFFF: the ground"]


OLD_DROP = 0x080E
"""Number of the 14 byte form of 0x08."""


@packet(OLD_DROP, length=14)
class DropOld(ClientPacket):
    """Put the item in the hand somewhere (0x08, DropReq; until 6.0.1.7)."""

    serial: U32
    x: U16
    y: U16
    z: S8
    target: Annotated[U32, "container, mobile, or 0xFFFFFFFF: the ground"]


@packet(0x13, length=10)
class Equip(ClientPacket):
    """Put the item in the hand on somebody (0x13, EquipReq)."""

    serial: U32
    layer: Annotated[U8, "the client's opinion"]
    mobile: U32


@packet(0xEC)
class EquipMacro(ClientPacket):
    """Put on several things at once (0xEC, EquipMacro)."""

    rest: Annotated[Tail, "u8 count, u32 serials"]


@packet(0xED)
class UnequipMacro(ClientPacket):
    """Take off what one wears in several places (0xED, UnequipMacro)."""

    rest: Annotated[Tail, "u8 count, u16 layers"]


@packet(0xD6, trailing=True)
class PropertiesRequest(ClientPacket):
    """Asks for the tooltips of several things (0xD6, BatchQueryProperties)."""

    serials: Annotated[tuple[int, ...], Numbers(4, limit=512)]


@packet(0xBF10)
class PropertiesRequestOld(ClientPacket):
    """Asks for one thing's tooltip (0xBF.10, QueryProperties)."""

    serial: U32


@packet(0xB6, length=9)
class ObjectHelpRequest(ClientPacket):
    """Asks for words about a thing (0xB6, ObjectHelpRequest)."""

    serial: U32
    kind: U8
    language: Annotated[str, FixedText(size=3)]


# --- server: items on the ground ---


@packet(0x1D, length=5)
class Removed(ServerPacket):
    """A mobile or an item is gone (0x1D, RemoveEntity)."""

    serial: U32


@packet(0xF3, length=26)
class GroundItem(ServerPacket):
    """An item lies there (0xF3, WorldItemHS; from 7.0.9.0 on)."""

    one: Annotated[U16, "1"]
    kind: Annotated[U8, "0 item, 2 multi"]
    serial: U32
    item: U16
    facing: U8
    amount: U16
    amount_again: U16
    x: U16
    y: U16
    z: S8
    light: U8
    hue: U16
    flags: Annotated[U8, "0x20: may be lifted whatever it weighs"]
    zero: ClassVar = zeros(2)


@packet(0xF3, length=24)
class GroundItemSA(ServerPacket):
    """An item lies there (0xF3, WorldItemSA; from 7.0.0.0 until 7.0.9.0)."""

    one: Annotated[U16, "1"]
    kind: Annotated[U8, "0 item, 2 multi"]
    serial: U32
    item: U16
    facing: U8
    amount: U16
    amount_again: U16
    x: U16
    y: U16
    z: S8
    light: U8
    hue: U16
    flags: Annotated[U8, "0x20: may be lifted whatever it weighs"]


@packet(0x1A, least=14)
class GroundItemOld(ServerPacket):
    """An item lies there (0x1A, WorldItem; until 7.0.0.0). Spare bits say which of its parts are there.

    On the wire: serial u32 (bit 31: amount follows), item u16, [amount u16], x u16 (bit 15: light follows),
    y u16 (bit 15: hue follows, bit 14: flags follow), [light u8], z s8, [hue u16], [flags u8].
    """

    serial: U32
    item: U16
    amount: Annotated[U16, "0: not sent"]
    x: U16
    y: U16
    z: S8
    light: Annotated[U8, "0: not sent"]
    hue: Annotated[U16, "0: not sent"]
    flags: Annotated[U8, "0: not sent"]

    @classmethod
    def read(cls, data: bytes, at: int) -> "tuple[GroundItemOld, int]":
        """The packet's fields from offset `at` on."""

        def number(size: int, *, signed: bool = False) -> int:
            nonlocal at
            if at + size > len(data):
                raise WireError("an item is cut short")
            value = int.from_bytes(data[at : at + size], "big", signed=signed)
            at += size
            return value

        serial, item = number(4), number(2)
        amount = number(2) if serial & 0x80000000 else 0
        x, y = number(2), number(2)
        light = number(1) if x & 0x8000 else 0
        z = number(1, signed=True)
        hue = number(2) if y & 0x8000 else 0
        flags = number(1) if y & 0x4000 else 0
        return cls(serial & 0x7FFFFFFF, item, amount, x & 0x7FFF, y & 0x3FFF, z, light, hue, flags), at

    def write(self, out: bytearray) -> None:
        """Append the fields."""
        out += (self.serial | (0x80000000 if self.amount else 0)).to_bytes(4, "big")
        out += self.item.to_bytes(2, "big")
        if self.amount:
            out += self.amount.to_bytes(2, "big")
        out += (self.x | (0x8000 if self.light else 0)).to_bytes(2, "big")
        out += (self.y | (0x8000 if self.hue else 0) | (0x4000 if self.flags else 0)).to_bytes(2, "big")
        if self.light:
            out.append(self.light)
        out += self.z.to_bytes(1, "big", signed=True)
        if self.hue:
            out += self.hue.to_bytes(2, "big")
        if self.flags:
            out.append(self.flags)


MOVABLE = 0x20
"""Flag of items on the ground: the client lets the player lift it whatever its own data say."""


# --- server: containers ---


@packet(0x24, length=9)
class ContainerOpened(ServerPacket):
    """Opens a container's window (0x24, ContainerDisplayHS; from 7.0.9.0 on)."""

    serial: U32
    gump: U16
    pattern: Annotated[U16, "0x7D"]


@packet(0x24, length=7)
class ContainerOpenedOld(ServerPacket):
    """Opens a container's window (0x24, ContainerDisplay; until 7.0.9.0)."""

    serial: U32
    gump: U16


@element
class Contained(Struct):
    """An item in a container (from 6.0.1.7 on)."""

    serial: U32
    item: U16
    zero: ClassVar = zeros(1)
    amount: U16
    x: U16
    y: U16
    grid: U8
    container: U32
    hue: U16


@element
class ContainedOld(Struct):
    """An item in a container (until 6.0.1.7)."""

    serial: U32
    item: U16
    zero: ClassVar = zeros(1)
    amount: U16
    x: U16
    y: U16
    container: U32
    hue: U16


@packet(0x3C)
class ContainerContent(ServerPacket):
    """All that lies in a container (0x3C, ContainerContent; from 6.0.1.7 on)."""

    items: Annotated[tuple[Contained, ...], Listed(Contained, count=2)]


@packet(0x3C)
class ContainerContentOld(ServerPacket):
    """All that lies in a container (0x3C, ContainerContent; until 6.0.1.7)."""

    items: Annotated[tuple[ContainedOld, ...], Listed(ContainedOld, count=2)]


@packet(0x25, length=21)
class ContainedItem(ServerPacket):
    """An item lies in a container (0x25, ContainerContentUpdate; from 6.0.1.7 on)."""

    serial: U32
    item: U16
    zero: ClassVar = zeros(1)
    amount: U16
    x: U16
    y: U16
    grid: U8
    container: U32
    hue: U16


@packet(0x25, length=20)
class ContainedItemOld(ServerPacket):
    """An item lies in a container (0x25, ContainerContentUpdate; until 6.0.1.7)."""

    serial: U32
    item: U16
    zero: ClassVar = zeros(1)
    amount: U16
    x: U16
    y: U16
    container: U32
    hue: U16


@packet(0x27, length=2)
class LiftRefused(ServerPacket):
    """The item stays where it is (0x27, LiftRej); see `LiftRefusal`."""

    reason: U8


class LiftRefusal:
    """Reasons of 0x27 (ServUO: Server/Network/Packets.cs, LRReason)."""

    CANNOT_LIFT = 0
    OUT_OF_RANGE = 1
    OUT_OF_SIGHT = 2
    BELONGS_TO_ANOTHER = 3
    ARE_HOLDING = 4
    UNSPECIFIC = 5


@packet(0x28, length=5)
class DropRefused(ServerPacket):
    """The item in the hand cannot be put there (0x28, DropRej)."""

    serial: U32


@packet(0x23, length=26, droppable=True)
class DragEffect(ServerPacket):
    """An item flies from one place to another: somebody else lifted it (0x23, DragEffect)."""

    item: U16
    zero: ClassVar = zeros(1)
    hue: U16
    amount: U16
    source: Annotated[U32, "mobile, or 0: from x, y, z"]
    source_x: U16
    source_y: U16
    source_z: S8
    target: Annotated[U32, "mobile, or 0: to x, y, z"]
    target_x: U16
    target_y: U16
    target_z: S8


# --- server: words about them ---


@packet(0xB7)
class ObjectHelp(ServerPacket):
    """Words about a thing (0xB7, ObjectHelpResponse)."""

    serial: U32
    text: Unicode


@packet(0xDC, length=9)
class PropertiesRevision(ServerPacket):
    """The revision of its tooltip that a thing has (0xDC, OPLInfo): the client asks if it has another."""

    serial: U32
    revision: U32


@element
class Property(Struct):
    """One line of a tooltip: a text of the client's own by number, and what goes into it, separated by
    tabs."""

    cliloc: U32
    arguments: Annotated[str, CountedUtf16()]


@packet(0xD6, trailing=True)
class Properties(ServerPacket):
    """A thing's tooltip (0xD6, ObjectPropertyList)."""

    one: Annotated[U16, "1"]
    serial: U32
    zero: ClassVar = zeros(2)
    revision: Annotated[U32, "as in 0xDC"]
    lines: Annotated[tuple[Property, ...], UntilZero(Property), "the first is the title"]
