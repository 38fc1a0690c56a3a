"""Mobiles: how they appear, what they wear, what they are called, how they move for a moment."""

from typing import Annotated, ClassVar

from protocol.endings import WireError
from protocol.uo.packets.base import (
    Ascii,
    ClientPacket,
    Name,
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
    Flag,
    Tail,
)

# --- client ---


@packet(0x98)
class NameRequest(ClientPacket):
    """Asks for its name (0x98, AllNames)."""

    serial: U32


@packet(0xB8)
class ProfileRequest(ClientPacket):
    """Asks for, or (mode 1) changes, the text somebody wrote about himself (0xB8, ProfileReq)."""

    mode: U8
    serial: U32
    rest: Tail


@packet(0xBF0E)
class AnimateRequest(ClientPacket):
    """A movement of the body, by its number (0xBF 0x0E, Animate; of the 3D client)."""

    action: U32


# --- server ---


@element
class Worn(Struct):
    """An item as its wearer's appearance lists it (from 7.0.33.1 on)."""

    serial: U32
    item: U16
    layer: U8
    hue: U16


@packet(0x78)
class MobileIncoming(ServerPacket):
    """Somebody came into sight, with all it wears (0x78, MobileIncoming; from 7.0.33.1 on)."""

    serial: U32
    body: U16
    x: U16
    y: U16
    z: S8
    direction: U8
    hue: U16
    flags: U8
    notoriety: U8
    worn: Annotated[tuple[Worn, ...], UntilZero(Worn), "at most one item per layer"]


@element
class WornOld(Struct):
    """An item as its wearer's appearance lists it (until 7.0.33.1): the hue is only sent if there is one."""

    serial: U32
    item: U16
    layer: U8
    hue: U16

    @classmethod
    def read(cls, data: bytes, at: int) -> "tuple[WornOld, int]":
        """One element at offset `at`, and the offset behind it. Raises WireError if it is cut short."""
        if at + 7 > len(data):
            raise WireError("an item is cut short")
        serial = int.from_bytes(data[at : at + 4], "big")
        item = int.from_bytes(data[at + 4 : at + 6], "big")
        layer = data[at + 6]
        if not item & 0x8000:
            return cls(serial, item, layer, 0), at + 7
        if at + 9 > len(data):
            raise WireError("an item is cut short")
        return cls(serial, item & 0x7FFF, layer, int.from_bytes(data[at + 7 : at + 9], "big")), at + 9

    def write(self, out: bytearray) -> None:
        """Append this element."""
        out += self.serial.to_bytes(4, "big")
        out += (self.item | 0x8000 if self.hue else self.item).to_bytes(2, "big")
        out.append(self.layer)
        if self.hue:
            out += self.hue.to_bytes(2, "big")


@packet(0x78)
class MobileIncomingOld(ServerPacket):
    """Somebody came into sight, with all it wears (0x78, MobileIncoming; until 7.0.33.1)."""

    serial: U32
    body: U16
    x: U16
    y: U16
    z: S8
    direction: U8
    hue: U16
    flags: U8
    notoriety: U8
    worn: Annotated[tuple[WornOld, ...], UntilZero(WornOld), "at most one item per layer"]


@packet(0x2E, length=15)
class WornItem(ServerPacket):
    """Somebody wears this now (0x2E, EquipUpdate)."""

    serial: U32
    item: U16
    zero: ClassVar = zeros(1)
    layer: U8
    mobile: U32
    hue: U16


@packet(0x88, length=66)
class Paperdoll(ServerPacket):
    """Opens the picture of what somebody wears (0x88, DisplayPaperdoll)."""

    serial: U32
    title: Annotated[str, FixedText(size=60)]
    flags: Annotated[U8, "1: war, 2: may be undressed"]


@packet(0x98)
class NameAnswer(ServerPacket):
    """A mobile's name (0x98, MobileName)."""

    serial: U32
    name: Name


@packet(0xB8)
class Profile(ServerPacket):
    """The text somebody wrote about himself (0xB8, DisplayProfile)."""

    serial: U32
    title: Ascii
    footer: Unicode
    text: Unicode


@packet(0x6E, length=14, droppable=True)
class Animation(ServerPacket):
    """A body moves for a moment (0x6E, MobileAnimation; until 7.0.0.0)."""

    serial: U32
    action: U16
    frames: U16
    repeat: U16
    backward: Flag
    again: Flag
    delay: U8


@packet(0xE2, length=10, droppable=True)
class NewAnimation(ServerPacket):
    """A body moves for a moment (0xE2, NewMobileAnimation; from 7.0.0.0 on)."""

    serial: U32
    kind: Annotated[U16, "7: emote"]
    action: Annotated[U16, "of that kind: 0 bow, 1 salute"]
    delay: U8
