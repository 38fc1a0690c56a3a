"""The first packets about the world: who and where the player is, its map and its hour."""

from typing import Annotated, ClassVar

from protocol.uo.packets.base import (
    ServerPacket,
    element,
    packet,
    zeros,
)
from protocol.wire.declare import Struct
from protocol.wire.fields import (
    S16,
    U8,
    U16,
    U32,
    Constant,
    Listed,
)


@packet(0x1B, length=37)
class LoginConfirm(ServerPacket):
    """The player's own mobile, and where it is (0x1B, LoginConfirm): the first packet about the world."""

    serial: U32
    zero1: ClassVar = zeros(4)
    body: U16
    x: U16
    y: U16
    z: S16
    heading: U8
    pattern: ClassVar = Constant(b"\x00\xff\xff\xff\xff\x00\x00\x00\x00")
    width: Annotated[U16, "of the map, in tiles"]
    height: U16
    zero2: ClassVar = zeros(6)


@packet(0x55, length=1)
class LoginComplete(ServerPacket):
    """The client leaves its login screen now (0x55, LoginComplete)."""


@packet(0xBF08)
class MapChange(ServerPacket):
    """The one of its maps that the client shows (0xBF.08, MapChange)."""

    map: U8


@element
class MapPatch(Struct):
    """The number of blocks of one map that the client takes from its difference files."""

    statics: U32
    land: U32


@packet(0xBF18)
class MapPatches(ServerPacket):
    """Difference files in use, for each map (0xBF.18, MapPatches)."""

    patches: Annotated[tuple[MapPatch, ...], Listed(MapPatch, count=4)]


@packet(0xBC, length=3)
class Season(ServerPacket):
    """Spring 0 to desolation 4 (0xBC, SeasonChange)."""

    season: U8
    sound: U8


@packet(0x5B, length=4)
class Clock(ServerPacket):
    """The time of day (0x5B, CurrentTime)."""

    hour: U8
    minute: U8
    second: U8
