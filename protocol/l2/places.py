"""The atlas: where the world's tiles lie on the client's own map, and which way is north there.

Lineage II has one map for everything. It measures in whole units: x grows to the east, y to the south and z
upwards; a heading counts from east over south, 65536 to the full circle. A realm is a square cut out of that
map; the atlas in data/realms says which. A tile is `scale` units long and wide, and whoever stands on one
stands in its middle.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Final

import attrs

from protocol.tables import read
from world.heading import EAST, SOUTH
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from world.content import Chart
    from world.realm import Realm
    from world.thing import Thing

UNITS_PER_TILE: Final = 24
UNITS_PER_Z: Final = 3
"""Height of one of the world's z steps, where a tile has 24 units: a person is 16 of them high, and 46 to 48
units in this game."""

LEFT, TOP, RIGHT, BOTTOM = -131_072, -262_144, 229_375, 262_143
"""The client's map: tiles 16_10 to 26_25 of 32768 units (L2JMobius/L2Jmobius_Interlude: World.java)."""
LOWEST, HIGHEST = -16_384, 16_383
"""Heights that the client's terrain can have (the same file)."""

CIRCLE: Final = 65_536
_HEADINGS: Final = 8
_OCTANT: Final = CIRCLE // _HEADINGS


def to_angle(heading: int) -> int:
    """The client's heading for one of the world's eight: 0 to 65535."""
    return (heading - EAST) % _HEADINGS * _OCTANT


def to_heading(angle: int) -> int:
    """The world's heading that is nearest to one of the client's, which may be any number."""
    return (round(angle % CIRCLE / _OCTANT) + EAST) % _HEADINGS


@attrs.frozen
class Place:
    """A spot on the client's map, in its units; `heading` as on the wire."""

    x: int
    y: int
    z: int
    heading: int = 0


@attrs.frozen
class Atlas:
    """The place of a realm: the corner of tile (0, 0), the height of its ground, and the length of a tile."""

    x: int
    y: int
    z: int
    scale: int = UNITS_PER_TILE

    def place(self, x: int, y: int, z: int, heading: int) -> Place:
        """The middle of a tile, for somebody who looks that way."""
        return Place(*self.spot(x, y, z), to_angle(heading))

    def spot(self, x: int, y: int, z: int) -> tuple[int, int, int]:
        """The middle of a tile."""
        scale = self.scale
        half = scale // 2
        return (
            self.x + x * scale + half,
            self.y + y * scale + half,
            self.z + z * UNITS_PER_Z * scale // UNITS_PER_TILE,
        )

    def tile(self, x: float, y: float) -> tuple[int, int]:
        """The tile of a spot; it may lie outside of the realm."""
        return floor((x - self.x) / self.scale), floor((y - self.y) / self.scale)


@attrs.frozen
class _AtlasRow:
    x: int
    y: int
    z: int
    scale: int = UNITS_PER_TILE
    landmarks: bool = True
    """Whether they are shown there (`protocol.landmarks`)."""


class Places:
    """The atlas of all realms that this game can show, by name. `middles` are the places to look at of those
    where nothing more is known of somebody."""

    def __init__(self, atlas: dict[str, Atlas], middles: dict[str, Place] | None = None) -> None:
        self._atlas = atlas
        self._middles = middles or {}

    def atlas(self, realm: Realm | None) -> Atlas | None:
        """The place of a realm; None if this game has no place for it."""
        return self._atlas.get(realm.name) if realm is not None else None

    def named(self, realm: str) -> Atlas:
        """The place of a realm by its name. Raises KeyError if this game has no place for it."""
        return self._atlas[realm]

    def has(self, realm: str) -> bool:
        """Whether this game has a place for a realm."""
        return realm in self._atlas

    def middle(self, realm: str) -> Place | None:
        """The middle of a realm by its name; None if this game has no place for it."""
        return self._middles.get(realm)

    def of(self, thing: Thing) -> Place | None:
        """The spot where a thing is to be drawn; None if this game has no place for it."""
        heading = thing.heading if isinstance(thing, Mobile) else SOUTH
        return self.at(thing.realm, thing.x, thing.y, thing.z, heading)

    def at(self, realm: Realm | None, x: int, y: int, z: int = 0, heading: int = SOUTH) -> Place | None:
        """The middle of a tile of a realm; None if this game has no place for it."""
        atlas = self.atlas(realm)
        return atlas.place(x, y, z, heading) if atlas is not None else None


def read_places(charts: Iterable[Chart], problems: list[str]) -> Places:
    """The l2 rows of the atlas; every mistake in them is added to `problems`."""
    atlas: dict[str, Atlas] = {}
    middles: dict[str, Place] = {}
    for chart in charts:
        row = chart.atlas.get("l2")
        if row is None:
            continue
        where = f"realms/{chart.name}.toml: atlas.l2"
        place = read(_AtlasRow, row, where, problems)
        if place is None:
            continue
        if place.scale < 1:
            problems.append(f"{where}: scale: must be 1 or more, is {place.scale}")
            continue
        limits = (
            ("x", place.x, LEFT, RIGHT + 1 - chart.width * place.scale),
            ("y", place.y, TOP, BOTTOM + 1 - chart.height * place.scale),
            ("z", place.z, LOWEST, HIGHEST),
        )
        for field, value, low, high in limits:
            if not low <= value <= high:
                problems.append(f"{where}: {field}: must be {low} to {high}, is {value}")
        found = atlas[chart.name] = Atlas(place.x, place.y, place.z, place.scale)
        middles[chart.name] = found.place(chart.width // 2, chart.height // 2, 0, SOUTH)
    return Places(atlas, middles)
