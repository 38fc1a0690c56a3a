"""The sky over a client: the light of the hour, the weather, and thunder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo.packets.misc import Sound
from protocol.uo.packets.sky import GlobalLight, WeatherShown, WeatherType
from world.daytime import DAWN_HOURS, DUSK_HOURS, Daylight, daylight, daytime
from world.events import Occasion
from world.realm import Weather

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.uo.packets.base import ServerPacket
    from protocol.uo.places import Places
    from protocol.uo.session import UoSession
    from world.events import WeatherChanged
    from world.thing import Surroundings

BRIGHT: Final = 0
DARKEST: Final = 12
"""The light of a night, of those from 0 to 31 (ServUO, Scripts/Misc/LightCycle.cs: NightLevel)."""

CLEAR_SKY: Final = WeatherShown(WeatherType.NONE, 0, 0)
SHOWN: Final[Mapping[Weather, WeatherShown]] = {
    Weather.CLEAR: CLEAR_SKY,
    Weather.RAIN: WeatherShown(WeatherType.RAIN, 40, 16),
    Weather.SNOW: WeatherShown(WeatherType.SNOW, 40, 0),
    Weather.STORM: WeatherShown(WeatherType.STORM, 70, 16),
}
"""How many drops, of up to 70, and how warm: a judgement."""

THUNDER: Final = 0x28
"""The sound of thunder."""


def light(world: Surroundings) -> GlobalLight:
    """The light of this hour; it comes and goes over the hours of dawn and dusk."""
    hour = daytime(world).hour
    match daylight(hour):
        case Daylight.DAY:
            return GlobalLight(BRIGHT)
        case Daylight.DAWN:
            return GlobalLight(_part(DAWN_HOURS[-1] + 1 - hour, len(DAWN_HOURS)))
        case Daylight.DUSK:
            return GlobalLight(_part(hour + 1 - DUSK_HOURS[0], len(DUSK_HOURS)))
        case Daylight.NIGHT:
            return GlobalLight(DARKEST)


def weather(event: WeatherChanged) -> Sequence[ServerPacket]:
    """Tell the weather. A client makes new drops only for another kind than it has, so that one is ended
    first; of the one that goes on, this begins its 6 minutes anew (ClassicUO)."""
    shown = SHOWN[event.kind]
    if event.occasion is Occasion.GOES_ON or shown is CLEAR_SKY:
        return (shown,)
    return CLEAR_SKY, shown


class Thunder:
    """Thunder over a client: bound, because it hears only what is near."""

    __slots__ = ("_places",)
    droppable = True

    def __init__(self, places: Places) -> None:
        self._places = places

    def bind(self, session: UoSession) -> bytes:
        """The packet; nothing for somebody who is nowhere."""
        mobile = session.mobile
        if mobile is None or mobile.realm is None:
            return b""
        x, y, z = self._places.of(mobile)
        return Sound(1, THUNDER, 0, x, y, z).encode()


def _part(hours: int, of: int) -> int:
    return DARKEST * hours // (of + 1)
