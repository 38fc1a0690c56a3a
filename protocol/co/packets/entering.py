"""Arriving in the world: the own character, its map, the weather and the date."""

import enum
from typing import Annotated, ClassVar, Final

from protocol.co.packets.base import S32, U8, U16, U32, U64, Before, Gap, Message, Since, Strings, from_server
from protocol.co.versions import CoVersion

NOBODY: Final = "None"
"""The name of the spouse of who has none."""


@from_server(1006)
class UserInfo(Message):
    """The own character, after ANSWER_OK. MsgUserInfo."""

    id: U32
    look: Annotated[U32, "body + face * 10000"]
    hair: Annotated[U16, "colour (3..8) * 100 + style"]
    silver: U32
    conquer_points: U32
    experience: U64
    _unused: ClassVar[Gap] = Gap(bytes(16), Before(CoVersion.V5065))
    _unused_5065: ClassVar[Gap] = Gap(bytes(20), Since(CoVersion.V5065))
    strength: U16
    agility: U16
    vitality: U16
    spirit: U16
    free_points: U16
    life: U16
    mana: U16
    pk_points: U16
    level: U8
    profession: Annotated[U8, "Profession"]
    previous_profession: U8 = 0
    rebirths: U8 = 0
    shows_name: Annotated[U8, "1"] = 1
    names: Annotated[Strings, "its own, its spouse's"] = ("", NOBODY)


NO_TINT: Final = 0xFFFFFFFF
"""ARGB of daylight, in an Action MAP_COLOUR."""


class MapFlag(enum.IntFlag):
    """Rules of a map."""

    NONE = 0
    PK_FIELD = 0x1
    NO_CHANGE = 0x2
    NO_RECORD = 0x4
    """To log in again is to be elsewhere."""
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
    """Kinds of weather."""

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
    """The map that the hero is on. MsgMapInfo."""

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
    """The day and the time. Since 5031. MsgData."""

    _unused: ClassVar[Gap] = Gap(bytes(4))
    year: Annotated[S32, "since 1900"]
    month: Annotated[S32, "0..11"]
    day_of_year: S32
    day: Annotated[S32, "1..31"]
    hour: S32
    minute: S32
    second: S32
