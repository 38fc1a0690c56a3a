"""The atlas: where the world's tiles lie on the client's own maps.

A realm is a rectangle of one of the client's maps, tile for tile; `x`, `y` and `z` of its `Atlas` are added
to a tile's to get the client's coordinates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.tables import LookError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from world.content import Chart
    from world.realm import Realm
    from world.thing import Thing

MAP_SIZES: Final = ((7168, 4096), (7168, 4096), (2304, 1600), (2560, 2048), (1448, 1448), (1280, 4096))
"""Tiles of each of the client's maps."""

NEEDED: Final = frozenset({"map", "x", "y"})
"""Keys that the atlas has to have of a realm; `z` may be left out."""


class Atlas:
    """The place of a realm: on which map, and the client's coordinates of its tile (0, 0)."""

    __slots__ = ("map", "x", "y", "z")

    def __init__(self, chart: Chart) -> None:
        where = chart.place("uo")
        self.map, self.x, self.y, self.z = where["map"], where["x"], where["y"], where.get("z", 0)


class Places:
    """The atlas of all realms, by their names."""

    def __init__(self, realms: Mapping[str, Atlas]) -> None:
        self.realms = realms

    def atlas(self, realm: Realm) -> Atlas:
        """The place of that realm."""
        return self.realms[realm.name]

    def of(self, thing: Thing) -> tuple[int, int, int]:
        """A thing's x, y, z for the client; (0, 0, 0) if it is nowhere."""
        if thing.realm is None:
            return 0, 0, 0
        at = self.realms[thing.realm.name]
        return at.x + thing.x, at.y + thing.y, at.z + thing.z


def read_places(charts: Iterable[Chart]) -> Places:
    """The atlas of these charts. Raises LookError with all that have no whole place in it."""
    charts = list(charts)
    nowhere = [chart.name for chart in charts if not chart.place("uo").keys() >= NEEDED]
    if nowhere:
        raise LookError([f"realms/{name}.toml: atlas.uo: needs map, x and y" for name in nowhere])
    return Places({chart.name: Atlas(chart) for chart in charts})
