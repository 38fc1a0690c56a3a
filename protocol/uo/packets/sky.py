"""The sky: how dark it is, and the weather."""

import enum
from typing import Annotated

from protocol.uo.packets.base import ServerPacket, packet
from protocol.wire.fields import S8, U8, U32


@packet(0x4F, length=2)
class GlobalLight(ServerPacket):
    """The darkness everywhere, 0 bright to 0x1F (0x4F, GlobalLightLevel)."""

    level: U8


@packet(0x4E, length=6)
class PersonalLight(ServerPacket):
    """The distance that one mobile sees in the dark (0x4E, PersonalLightLevel)."""

    serial: U32
    level: S8


class WeatherType(enum.IntEnum):
    """Kinds of 0x65."""

    RAIN = 0
    STORM = 1
    SNOW = 2
    NONE = 0xFF


@packet(0x65, length=4)
class WeatherShown(ServerPacket):
    """The weather (0x65, WeatherChange); a client lets it end after 6 minutes."""

    kind: Annotated[U8, "see WeatherType"]
    count: Annotated[U8, "of drops or flakes in the window, up to 70"]
    temperature: U8
