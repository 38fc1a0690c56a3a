"""Going: the client's steps and what everybody is told about them."""

from typing import Annotated, ClassVar

from protocol.uo.packets.base import ClientPacket, ServerPacket, packet, zeros
from protocol.wire.fields import S8, U8, U16, U32, Blob


@packet(0x02, length=7)
class WalkRequest(ClientPacket):
    """The client asks to step, or to turn if it faces another way (0x02, MovementReq)."""

    direction: Annotated[U8, "heading 0..7, 0x80: running"]
    sequence: Annotated[U8, "0 only at the start, then 1..255 and again from 1"]
    key: Annotated[U32, "fast walk stack, not used"]


@packet(0x22, length=3)
class ResyncRequest(ClientPacket):
    """The client has lost track of where it stands (0x22, Resynchronize)."""

    unknown: Annotated[bytes, Blob(2)]


@packet(0x22, length=3)
class WalkAccepted(ServerPacket):
    """The step of that number was taken (0x22, MovementAck)."""

    sequence: U8
    notoriety: Annotated[U8, "colours the own health bar"]


@packet(0x21, length=8)
class WalkRejected(ServerPacket):
    """The step of that number was not taken; where the client really stands (0x21, MovementRej)."""

    sequence: U8
    x: U16
    y: U16
    direction: U8
    z: S8


@packet(0x20, length=19)
class PlayerPlaced(ServerPacket):
    """The player's looks and place (0x20, MobileUpdate): the client's steps start from 0 again."""

    serial: U32
    body: U16
    zero1: ClassVar = zeros(1)
    hue: U16
    flags: U8
    x: U16
    y: U16
    zero2: ClassVar = zeros(2)
    direction: U8
    z: S8


@packet(0x77, length=17)
class MobileMoved(ServerPacket):
    """The place and the looks of somebody, without clothes (0x77, MobileMoving)."""

    serial: U32
    body: U16
    x: U16
    y: U16
    z: S8
    direction: Annotated[U8, "heading 0..7, 0x80: running"]
    hue: U16
    flags: Annotated[U8, "see MobileFlags"]
    notoriety: U8


@packet(0xC8, length=2)
class ViewRangeRequest(ClientPacket):
    """The number of tiles that the client wants to see (0xC8, UpdateRange)."""

    tiles: U8


@packet(0xC8, length=2)
class ViewRange(ServerPacket):
    """The number of tiles that the client sees (0xC8, ChangeUpdateRange)."""

    tiles: U8


class MobileFlags:
    """Flag bits of 0x20, 0x77 and 0x78; they mean the same in all versions, but for POISONED, which means
    flying from 7.0.0.0 on."""

    FEMALE = 0x02
    POISONED = 0x04
    WAR = 0x40
    HIDDEN = 0x80


RUNNING = 0x80
"""Bit of a direction."""
