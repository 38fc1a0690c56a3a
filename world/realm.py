"""Realms: each is one chart of the world with everybody and everything that is on it now."""

from __future__ import annotations

import enum
from collections import Counter
from typing import TYPE_CHECKING

import attrs

from world.space import Space

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.content import Chart, Resident, Spawner
    from world.mobile import Viewport
    from world.thing import Thing
    from world.timers import Timer


class Weather(enum.Enum):
    """Kinds of weather; the values are what staff types."""

    CLEAR = "clear"
    RAIN = "rain"
    SNOW = "snow"
    STORM = "storm"


@attrs.define(eq=False)
class Realm:
    """One living map, in tiles."""

    chart: Chart = attrs.field(repr=lambda chart: chart.name)
    space: Space[Thing, Viewport] = attrs.field(init=False, repr=False)
    open_doors: dict[tuple[int, int], float] = attrs.field(factory=dict, repr=False)
    """Until when each door stands open, in world time."""
    gathered: dict[tuple[int, int], tuple[int, float]] = attrs.field(factory=dict, repr=False)
    """How much was gathered at a tile lately, and the world time from which all of it is there again."""
    weather: Weather = Weather.CLEAR
    """Not stored; `world.weather` changes it."""
    renewal: Timer | None = attrs.field(default=None, repr=False)
    """Shows weather that lasts again, to clients that let it end by themselves."""
    vacant: Counter[Resident | Spawner] = attrs.field(factory=Counter, repr=False)
    """Places of residents and creatures who died and will be followed by others."""

    def __attrs_post_init__(self) -> None:
        self.space = Space(self.chart.width, self.chart.height)

    def redraw(self, chart: Chart) -> None:
        """Lie from now on as another chart of the same size says. Who stands where is the caller's matter."""
        self.chart = chart
        self.open_doors = {door: until for door, until in self.open_doors.items() if door in chart.doors}

    @property
    def name(self) -> str:
        """Its key in data/ and in the database."""
        return self.chart.name

    def inside(self, x: int, y: int) -> bool:
        """Whether the tile lies on the map."""
        return 0 <= x < self.chart.width and 0 <= y < self.chart.height

    def walkable(self, x: int, y: int) -> bool:
        """Whether a mobile can stand there. Living mobiles do not block."""
        chart = self.chart
        return 0 <= x < chart.width and 0 <= y < chart.height and not chart.blocked[y * chart.width + x]

    def opaque(self, x: int, y: int) -> bool:
        """Whether a wall or the like stands on a tile of the map."""
        return bool(self.chart.opaque[y * self.chart.width + x])

    def height(self, x: int, y: int) -> int:
        """Height of the ground of a tile of the map in the units of the chart; 0 where it is flat."""
        heights = self.chart.heights
        return heights[y * self.chart.width + x] if heights else 0

    def is_open(self, x: int, y: int, now: float) -> bool:
        """Whether the door at a tile stands open."""
        return self.open_doors.get((x, y), now) > now

    def free_near(self, x: int, y: int, radius: int = 3) -> Iterator[tuple[int, int]]:
        """Walkable tiles around (x, y), the nearest first, in a fixed order."""
        for distance in range(radius + 1):
            for dy in range(-distance, distance + 1):
                for dx in range(-distance, distance + 1):
                    if max(abs(dx), abs(dy)) == distance and self.walkable(x + dx, y + dy):
                        yield x + dx, y + dy
