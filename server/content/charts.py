"""Reads one realm: its table, and the map that somebody drew in the Tiled editor.

The map is read by pytiled-parser and not by hand: Tiled has several layer encodings, two kinds of tileset
files and flags in its tile numbers, and whoever draws may use what the editor offers. A tile stands for the
kind that the tileset names as its class; the object layer `places` holds spawns, residents, warps and
signs, and what covers more than a tile is in layers of its own (`server.content.areas`).

The reader goes on after a mistake, with what it could read, and collects them all: whoever draws a map of
thousands of tiles mends them at once and not one at each start. Tiles become one number each here, so
that the world never sees a name of a tile; what lies on the map becomes plain places, and who checks what
they refer to is `server.content.loading`, which has read the rest.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
from pytiled_parser.layer import ObjectLayer, TileLayer

from protocol.charts import read_atlas
from protocol.games import GAMES
from protocol.reading import UnreadableError
from protocol.tables import nearest, read
from server.content.areas import AREAS, AreaReader, SpawnerTable
from server.content.tiled import read_map
from world import heading
from world.content import (
    Chart,
    Fixture,
    ItemTemplate,
    MobileTemplate,
    Resident,
    Scenery,
    Sign,
    TileKind,
    Warp,
)
from world.fixtures import is_fixture

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from pytiled_parser.tiled_map import TiledMap
    from pytiled_parser.tiled_object import TiledObject

HEADINGS: Final = {
    name: number
    for name, number in vars(heading).items()
    if name.isupper() and isinstance(number, int) and not name.startswith("_")
}
MAP_LAYERS: Final = {
    "ground": "ground",
    "objects": "object",
    "walls_south": "wall_south",
    "walls_east": "wall_east",
    "roof": "roof",
}
"""The tile layers of a map, and the layer of the kinds that may stand there."""

LAYERS: Final = (*MAP_LAYERS, "places", *AREAS)
"""All that a map may have."""

FLIPPED: Final = 0xF0000000
"""Tiled's flags for a turned tile (Tiled: docs/reference/global-tile-ids.rst). Nothing here can be turned."""

ROOF_Z: Final = 20
"""A roof lies on a full wall."""


@attrs.frozen
class _RealmRow:
    title: str
    atlas: dict[str, dict[str, object]]
    fights: bool = True
    thing: tuple[Fixture, ...] = ()
    spawner: tuple[SpawnerTable, ...] = ()


@attrs.frozen
class _SpawnPlace:
    pass


@attrs.frozen
class _ResidentPlace:
    template: str
    heading: str = "south"
    wander: int = 0
    respawn: int = 60


@attrs.frozen
class _WarpPlace:
    realm: str
    to_x: int
    to_y: int
    door: bool = False


@attrs.frozen
class _SignPlace:
    title: str
    text: str


@attrs.frozen
class _ThingPlace:
    template: str


_PLACES: Final = {
    "spawn": _SpawnPlace,
    "resident": _ResidentPlace,
    "warp": _WarpPlace,
    "sign": _SignPlace,
    "thing": _ThingPlace,
}


class ChartReader:
    """Reads the realm at `path` (a table; the Tiled map has the same name) below the data directory `root`.

    What refers to a key of `unread` was wrong elsewhere and is not reported again.
    """

    def __init__(
        self,
        root: Path,
        path: Path,
        problems: list[str],
        unread: Set[str],
        tiles: Mapping[str, TileKind],
        mobiles: Mapping[str, MobileTemplate],
        items: Mapping[str, ItemTemplate],
    ) -> None:
        self.name = path.stem
        self.map_path = path.with_suffix(".tmj")
        self.table_name = path.relative_to(root).as_posix()
        self.map_name = self.map_path.relative_to(root).as_posix()
        self.problems = problems
        self.unread = unread
        self.tiles = tiles
        self.mobiles = mobiles
        self.items = items
        self.width = 0
        self.height = 0

    def chart(self, table: Mapping[str, object] | None) -> Chart | None:
        """The realm whose table this is; None if its map cannot be read. Mistakes go to `problems`."""
        row = read(_RealmRow, table, self.table_name, self.problems) if table is not None else None
        atlas = read_atlas(row.atlas, self.table_name, self.problems, GAMES) if row is not None else {}
        drawn = self._parse()
        try:
            return self._drawn(drawn, row, atlas) if drawn is not None else None
        except Exception as error:
            self._not_a_map(error)
            return None

    def _drawn(
        self, drawn: TiledMap, row: _RealmRow | None, atlas: Mapping[str, Mapping[str, float | str]]
    ) -> Chart | None:
        """The realm that is drawn on a map."""
        self.width, self.height = int(drawn.map_size.width), int(drawn.map_size.height)
        grids = {name: self._grid(drawn, name) for name in MAP_LAYERS}
        self.problems.extend(
            f"{self.map_name}: no layer {layer.name!r} is known{nearest(layer.name, [*LAYERS])}"
            for layer in drawn.layers
            if layer.name not in LAYERS
        )
        ground = [kind for kind in grids.pop("ground") if kind is not None]
        if len(ground) != self.width * self.height:
            return None
        scenery = [
            Scenery(kind, index % self.width, index // self.width, ROOF_Z if kind.layer == "roof" else 0)
            for grid in grids.values()
            for index, kind in enumerate(grid)
            if kind is not None
        ]
        chart = self._assemble(ground, scenery, self._places(drawn))
        areas = AreaReader(drawn, self.map_name, self.problems, self.unread, self.mobiles)
        return attrs.evolve(
            chart,
            title=row.title if row is not None else self.name,
            fights=row.fights if row is not None else True,
            atlas=atlas,
            fixtures=(*chart.fixtures, *self._things(row, chart)),
            regions=areas.regions(),
            spawners=(
                *areas.spawners(chart.blocked),
                *areas.written(row.spawner if row is not None else (), self.table_name, chart.blocked),
            ),
        )

    def _things(self, row: _RealmRow | None, chart: Chart) -> list[Fixture]:
        """Those of the table."""
        found: list[Fixture] = []
        for thing in row.thing if row is not None else ():
            where = f"{self.table_name}: thing at {thing.x}, {thing.y}"
            if not chart.stands(thing.x, thing.y):
                self.problems.append(f"{where}: nobody can stand there")
            elif self._is_fixture(thing.template, where):
                found.append(thing)
        return found

    def _is_fixture(self, key: str, where: str) -> bool:
        """Whether things of that kind may stand in a realm."""
        kind = self.items.get(key)
        if kind is None:
            if key not in self.unread:
                self.problems.append(f"{where}: template: no {key!r}{nearest(key, list(self.items))}")
        elif kind.movable:
            self.problems.append(f"{where}: template: {key!r} can be carried away: movable must be false")
        elif not is_fixture(kind):
            self.problems.append(f"{where}: template: {key!r} is neither a board nor a chest")
        else:
            return True
        return False

    def _assemble(
        self,
        ground: Sequence[TileKind],
        scenery: Sequence[Scenery],
        places: Sequence[tuple[int, int, object]],
    ) -> Chart:
        """All of the chart that has a place of one tile."""
        blocked = bytearray(not kind.walkable for kind in ground)
        for piece in scenery:
            blocked[piece.y * self.width + piece.x] |= not piece.kind.walkable
        spawns: list[tuple[int, int]] = []
        residents: list[Resident] = []
        signs: list[Sign] = []
        fixtures: list[Fixture] = []
        warps: dict[tuple[int, int], Warp] = {}
        for x, y, place in places:
            match place:
                case _SpawnPlace():
                    spawns.append((x, y))
                case _ResidentPlace():
                    facing = HEADINGS.get(place.heading.upper(), heading.SOUTH)
                    residents.append(Resident(place.template, x, y, facing, place.wander, place.respawn))
                case _WarpPlace():
                    warps[x, y] = Warp(place.realm, place.to_x, place.to_y, place.door)
                case _SignPlace():
                    signs.append(Sign(x, y, place.title, place.text))
                case _ThingPlace():
                    fixtures.append(Fixture(place.template, x, y))
            if not isinstance(place, _SignPlace) and blocked[y * self.width + x]:
                what = next(name for name, cls in _PLACES.items() if isinstance(place, cls))
                self.problems.append(f"{self.map_name}: places: {what} at {x}, {y}: nobody can stand there")
        doors = {(piece.x, piece.y) for piece in scenery if piece.kind.door}
        return Chart(
            name=self.name,
            title=self.name,
            width=self.width,
            height=self.height,
            ground=tuple(ground),
            scenery=tuple(scenery),
            blocked=bytes(blocked),
            spawns=tuple(spawns),
            warps=warps,
            seats={(piece.x, piece.y): piece.kind.seat for piece in scenery if piece.kind.seat is not None},
            doors=frozenset(doors | {cell for cell, warp in warps.items() if warp.door}),
            signs=tuple(signs),
            residents=tuple(residents),
            fixtures=tuple(fixtures),
        )

    def _parse(self) -> TiledMap | None:
        try:
            return read_map(self.map_path)
        except UnreadableError as error:
            self.problems.append(f"{self.map_name}: {error}")
        except OSError as error:
            self.problems.append(f"{self.map_name}: {error.strerror}: {Path(error.filename).name}")
        except Exception as error:
            self._not_a_map(error)
        return None

    def _not_a_map(self, error: Exception) -> None:
        """pytiled-parser trusts its input: a damaged file ends in whatever the missing part causes."""
        self.problems.append(f"{self.map_name}: not a Tiled map: {type(error).__name__}: {error}")

    def _grid(self, drawn: TiledMap, name: str) -> list[TileKind | None]:
        """The kinds of one tile layer, row by row; all None if there is no such layer."""
        where = f"{self.map_name}: layer {name}"
        empty: list[TileKind | None] = [None] * (self.width * self.height)
        layer = next((layer for layer in drawn.layers if layer.name == name), None)
        if layer is None:
            return empty
        rows = layer.data if isinstance(layer, TileLayer) else None
        if rows is None or [len(row) for row in rows] != [self.width] * self.height:
            self.problems.append(f"{where}: must be a tile layer of {self.width} x {self.height}")
            return empty
        numbers = sorted({number for row in rows for number in row})
        if name == "ground" and 0 in numbers:
            empty_tiles = sum(row.count(0) for row in rows)
            self.problems.append(f"{where}: {empty_tiles} tiles are empty")
        kinds = {number: self._kind(drawn, number, name, where) for number in numbers}
        return [kinds[number] for row in rows for number in row]

    def _kind(self, drawn: TiledMap, number: int, name: str, where: str) -> TileKind | None:
        """What a tile number of the map stands for: the class that the tileset gives to the tile."""
        if number == 0:
            return None
        if number & FLIPPED:
            self.problems.append(f"{where}: tile {number & ~FLIPPED} is turned")
            return None
        first = max((first for first in drawn.tilesets if first <= number), default=0)
        tile = (drawn.tilesets[first].tiles or {}).get(number - first) if first else None
        key = (tile.class_ if tile else None) or ""
        kind = self.tiles.get(key)
        if key in self.unread:
            return None
        if kind is None:
            self.problems.append(f"{where}: tile {number}: no kind {key!r}{nearest(key, list(self.tiles))}")
        elif kind.layer != MAP_LAYERS[name]:
            self.problems.append(f"{where}: {key!r} belongs on a layer of kind {kind.layer}")
        else:
            return kind
        return None

    def _places(self, drawn: TiledMap) -> list[tuple[int, int, object]]:
        layer = next((layer for layer in drawn.layers if layer.name == "places"), None)
        if not isinstance(layer, ObjectLayer):
            self.problems.append(f"{self.map_name}: there must be an object layer 'places'")
            return []
        # On an isometric map Tiled measures objects in tile heights along both axes.
        unit_y = drawn.tile_size.height
        unit_x = unit_y if drawn.orientation == "isometric" else drawn.tile_size.width
        found: list[tuple[int, int, object]] = []
        for thing in layer.tiled_objects:
            x, y = int(thing.coordinates.x // unit_x), int(thing.coordinates.y // unit_y)
            place = self._place(thing, f"{self.map_name}: places: object {thing.id}")
            if not (0 <= x < self.width and 0 <= y < self.height):
                self.problems.append(
                    f"{self.map_name}: places: object {thing.id}: {x}, {y} is not on the map"
                )
            elif place is not None:
                found.append((x, y, place))
        return found

    def _place(self, thing: TiledObject, where: str) -> object:
        cls = _PLACES.get(thing.class_ or "")
        if cls is None:
            word = thing.class_ or ""
            self.problems.append(f"{where}: no class {word!r}{nearest(word, list(_PLACES))}")
            return None
        place: object = read(cls, thing.properties or {}, where, self.problems)
        if isinstance(place, _ThingPlace) and not self._is_fixture(place.template, where):
            return None
        if isinstance(place, _ResidentPlace):
            if place.template not in self.mobiles and place.template not in self.unread:
                word = place.template
                self.problems.append(f"{where}: template: no {word!r}{nearest(word, list(self.mobiles))}")
            if place.respawn < 1:
                self.problems.append(f"{where}: respawn: must be 1 second at least, is {place.respawn}")
            if place.heading.upper() not in HEADINGS:
                known = [name.lower() for name in HEADINGS]
                self.problems.append(f"{where}: heading: no {place.heading!r}{nearest(place.heading, known)}")
        return place
