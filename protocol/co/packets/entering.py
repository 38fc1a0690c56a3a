"""Maps, weather and the date."""

import enum
from typing import Annotated, ClassVar, Final

from protocol.co.packets.base import S32, U32, Gap, Message, from_server

NO_TINT: Final = 0xFFFFFFFF
"""ARGB of daylight, in an Action MAP_COLOUR."""


class MapFlag(enum.IntFlag):
    """What holds on a map."""

    NONE = 0
    PK_FIELD = 0x1
    NO_CHANGE = 0x2
    NO_RECORD = 0x4
    """Who logs in again is elsewhere."""
    NO_PK = 0x8
    BOOTHS = 0x10
    NO_TEAM = 0x20
    NO_TELEPORT = 0x40
    GUILD = 0x80
    PRISON = 0x100
    NO_FLIGHT = 0x200
    HOUSE = 0x400
    MINE = 0x800
    FREE_FOR_ALL = 0x1000
    BLESSED_REVIVAL = 0x2000
    NEWBIE_PROTECTION = 0x4000


class WeatherKind(enum.IntEnum):
    """What comes down."""

    FINE = 1
    RAIN = 2
    SNOW = 3
    WINDY_RAIN = 4
    LEAVES = 5
    FLOWERS = 7
    FLYING = 8
    DANDELIONS = 9
    FIREFLIES = 10
    CLOUDS = 11


@from_server(1110)
class MapInfo(Message):
    """Where the hero is. MsgMapInfo."""

    map: U32
    document: Annotated[U32, "number of the map's file"]
    flags: Annotated[U32, "MapFlag"] = MapFlag.NONE


@from_server(1016)
class Weather(Message):
    """The weather. MsgWeather."""

    kind: Annotated[U32, "WeatherKind"]
    intensity: Annotated[U32, "1..1024"]
    direction: Annotated[S32, "-60..60"] = 0
    colour: Annotated[U32, "ARGB"] = 0


@from_server(1033)
class Date(Message):
    """What day and time it is. Since 5031. MsgData."""

    _unused: ClassVar[Gap] = Gap(bytes(4))
    year: Annotated[S32, "since 1900"]
    month: Annotated[S32, "0..11"]
    day_of_year: S32
    day: Annotated[S32, "1..31"]
    hour: S32
    minute: S32
    second: S32
