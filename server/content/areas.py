"""Reads the areas of a Tiled map: the object layers `regions` and `spawners`, of rectangles in whole tiles.

A region's object has the class `region`, its name, and what holds there (`fights`, `guarded`); a spawner's
has the class `spawner` and says which creatures live there. Their kinds are one text ("wolf 3, bear"), the
number behind each its weight, because Tiled's properties are plain values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import attrs
from pytiled_parser.layer import ObjectLayer
from pytiled_parser.tiled_object import Rectangle

from protocol.tables import nearest, read
from world.content import Region, Spawner

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

    from pytiled_parser.tiled_map import TiledMap
    from pytiled_parser.tiled_object import TiledObject

    from world.content import MobileTemplate

R = TypeVar("R")

AREAS: Final = ("regions", "spawners")
"""The layers; a map may do without."""

MOST: Final = 1000
"""Creatures of one spawner."""


@attrs.frozen
class _RegionRow:
    fights: bool = False
    guarded: bool = False


@attrs.frozen
class _SpawnerRow:
    kinds: str
    count: int
    least_seconds: float = 30.0
    most_seconds: float = 90.0


@attrs.frozen
class SpawnerTable(_SpawnerRow):
    """A spawner that is written in the realm's table, in tiles."""

    x: int = attrs.field(kw_only=True)
    y: int = attrs.field(kw_only=True)
    width: int = attrs.field(kw_only=True)
    height: int = attrs.field(kw_only=True)


@attrs.frozen
class _Box:
    x: int
    y: int
    width: int
    height: int


class AreaReader:
    """Reads the areas of one map, whose name begins each line of `problems`. References to a key of `unread`
    were wrong elsewhere and are not reported again."""

    def __init__(
        self,
        drawn: TiledMap,
        name: str,
        problems: list[str],
        unread: Set[str],
        mobiles: Mapping[str, MobileTemplate],
    ) -> None:
        self._drawn = drawn
        self._name = name
        self._problems = problems
        self._unread = unread
        self._mobiles = mobiles

    def regions(self) -> tuple[Region, ...]:
        """The regions, in the order in which they are drawn: of several that cover a tile the first
        counts."""
        found = []
        for thing, where, box, row in self._rows("regions", "region", _RegionRow):
            if not thing.name:
                self._problems.append(f"{where}: has no name")
            found.append(Region(thing.name, box.x, box.y, box.width, box.height, row.fights, row.guarded))
        return tuple(found)

    def spawners(self, blocked: bytes) -> tuple[Spawner, ...]:
        """The spawners. `blocked`: one byte per cell of the map, as in a chart."""
        rows = self._rows("spawners", "spawner", _SpawnerRow)
        return tuple(self._spawner(where, box, row, blocked) for _, where, box, row in rows)

    def written(self, tables: Sequence[SpawnerTable], name: str, blocked: bytes) -> Iterator[Spawner]:
        """The spawners of a realm's table, whose name that is."""
        for number, row in enumerate(tables, 1):
            where = f"{name}: spawner {number}"
            if self._lies(row, where):
                yield self._spawner(where, _Box(row.x, row.y, row.width, row.height), row, blocked)

    def _spawner(self, where: str, box: _Box, row: _SpawnerRow, blocked: bytes) -> Spawner:
        kinds = tuple(self._kinds(row.kinds, where))
        if not 1 <= row.count <= MOST:
            self._problems.append(f"{where}: count: must be 1 to {MOST}, is {row.count}")
        if not 1 <= row.least_seconds <= row.most_seconds:
            least, most = row.least_seconds, row.most_seconds
            self._problems.append(
                f"{where}: least_seconds and most_seconds: must be 1 or more, is {least:g} to {most:g}"
            )
        if not self._has_room(box, blocked):
            self._problems.append(f"{where}: nobody can stand anywhere in it")
        return Spawner(
            *(box.x, box.y, box.width, box.height), kinds, row.count, row.least_seconds, row.most_seconds
        )

    def _kinds(self, text: str, where: str) -> Iterator[tuple[str, int]]:
        for part in text.split(","):
            key, _, weight = part.strip().partition(" ")
            template = self._mobiles.get(key)
            if template is None and key not in self._unread:
                self._problems.append(f"{where}: kinds: no {key!r}{nearest(key, list(self._mobiles))}")
            elif template is not None and template.fights is None:
                self._problems.append(f"{where}: kinds: {key!r} does not fight (mobiles.toml)")
            if weight and not (weight.isascii() and weight.isdigit() and int(weight)):
                self._problems.append(f"{where}: kinds: weight of {key!r}: must be 1 or more, is {weight!r}")
            elif template is not None:
                yield key, int(weight or 1)

    def _has_room(self, box: _Box, blocked: bytes) -> bool:
        width = int(self._drawn.map_size.width)
        rows = range(box.y, box.y + box.height)
        return any(0 in blocked[y * width + box.x : y * width + box.x + box.width] for y in rows)

    def _rows(self, layer: str, word: str, cls: type[R]) -> Iterator[tuple[TiledObject, str, _Box, R]]:
        """Each object of a layer that is right, with the begin of lines about it, its tiles and its row."""
        found = next((one for one in self._drawn.layers if one.name == layer), None)
        if found is None:
            return
        if not isinstance(found, ObjectLayer):
            self._problems.append(f"{self._name}: {layer}: must be an object layer")
            return
        for thing in found.tiled_objects:
            where = f"{self._name}: {layer}: object {thing.id}"
            if thing.class_ != word:
                self._problems.append(f"{where}: no class {thing.class_ or ''!r}, here all are {word!r}")
                continue
            row = read(cls, thing.properties or {}, where, self._problems)
            box = self._box(thing, where)
            if row is not None and box is not None:
                yield thing, where, box, row

    def _box(self, thing: TiledObject, where: str) -> _Box | None:
        """The tiles that an object covers; None, and a problem, if it is no rectangle on the map."""
        if not isinstance(thing, Rectangle):
            self._problems.append(f"{where}: must be a rectangle")
            return None
        # On an isometric map Tiled measures objects in tile heights along both axes.
        unit_y = self._drawn.tile_size.height
        unit_x = unit_y if self._drawn.orientation == "isometric" else self._drawn.tile_size.width
        x, y = round(thing.coordinates.x / unit_x), round(thing.coordinates.y / unit_y)
        box = _Box(x, y, round(thing.size.width / unit_x), round(thing.size.height / unit_y))
        return box if self._lies(box, where) else None

    def _lies(self, box: _Box | SpawnerTable, where: str) -> bool:
        """Whether an area lies on the map."""
        across, down = int(self._drawn.map_size.width), int(self._drawn.map_size.height)
        fits = box.x >= 0 and box.y >= 0 and box.x + box.width <= across and box.y + box.height <= down
        if fits and box.width >= 1 and box.height >= 1:
            return True
        self._problems.append(
            f"{where}: {box.width} x {box.height} tiles at {box.x}, {box.y} do not lie on a map of "
            f"{across} x {down}"
        )
        return False
