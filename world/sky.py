"""Events of the sky: the time of day was set, the weather of a realm is another."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

import attrs

from world.realm import Weather
from world.thing import Event

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.mobile import Viewport
    from world.realm import Realm
    from world.thing import Thing


class Occasion(enum.Enum):
    """Why players are shown the weather."""

    BEGINS = "it is another than a moment ago"
    FOUND = "they came to where it is so"
    GOES_ON = "it is as it was; for clients that let it end by themselves"


BEGINNINGS: Final[Mapping[Weather, str]] = {
    Weather.CLEAR: "The sky clears.",
    Weather.RAIN: "It begins to rain.",
    Weather.SNOW: "It begins to snow.",
    Weather.STORM: "A storm breaks.",
}
STATES: Final[Mapping[Weather, str]] = {
    Weather.CLEAR: "The sky is clear.",
    Weather.RAIN: "It is raining.",
    Weather.SNOW: "It is snowing.",
    Weather.STORM: "A storm is raging.",
}


@attrs.define
class WeatherChanged(Event):
    """The weather of a realm, to those who are there."""

    realm: Realm
    kind: Weather
    viewers: Sequence[Viewport]
    occasion: Occasion = Occasion.BEGINS
    thing: Thing | None = None

    @property
    def anywhere(self) -> bool:
        """True: it has no place, and who loads is shown it afterwards."""
        return True

    def words(self, *, own: bool) -> str | None:
        """Line that says what begins, or how it is; None while it only goes on."""
        match self.occasion:
            case Occasion.BEGINS:
                return BEGINNINGS[self.kind]
            case Occasion.FOUND:
                return STATES[self.kind]
            case Occasion.GOES_ON:
                return None


@attrs.define
class TimeSet(Event):
    """Staff set the time of day: to one in `hour`, which `line` tells in words."""

    hour: int
    line: str
    viewers: Sequence[Viewport]
    thing: Thing | None = None

    @property
    def anywhere(self) -> bool:
        """True: it is the same everywhere."""
        return True

    def words(self, *, own: bool) -> str | None:
        """The line."""
        return self.line
