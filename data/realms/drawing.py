"""A realm while it is drawn (`draw.py`, `undercroft.py`): one kind for each layer and tile, the places and
the areas; and the file it becomes.
"""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kinds import Kinds

HERE = Path(__file__).parent
SIDE = 120
"""Tiles on each side of Confluence."""

LAYERS = ("ground", "objects", "walls_south", "walls_east")
SIDES = {"n": (0, -1), "e": (1, 0), "s": (0, 1), "w": (-1, 0)}
CORNERS = {"ne": (1, -1), "nw": (-1, -1), "sw": (-1, 1), "se": (1, 1)}

Cell = tuple[int, int]
Rows = dict[Cell, str]
Area = tuple[int, int, int, int]
"""Left, top, width and height."""


def box(left: int, top: int, right: int, bottom: int) -> Iterator[Cell]:
    """All tiles of a rectangle, both ends included."""
    return ((x, y) for y in range(top, bottom + 1) for x in range(left, right + 1))


class Drawing:
    """The realm while it is drawn: one kind per layer and tile, the places and the areas."""

    def __init__(self, kinds: Kinds, seed: int, side: int = SIDE, ground: str = "grass") -> None:
        self.kinds = kinds
        self.side = side
        self.dice = random.Random(seed)
        self.ground: Rows = dict.fromkeys(box(0, 0, side - 1, side - 1), ground)
        self.objects: Rows = {}
        self.south: Rows = {}
        self.east: Rows = {}
        self.kept: set[Cell] = set()
        """Tiles on which nothing may grow."""
        self.places: list[tuple[str, Cell, dict[str, str | int | bool]]] = []
        self.areas: list[tuple[str, str, Area, dict[str, str | int | bool | float]]] = []

    def lay(self, kind: str, cells: Iterable[Cell]) -> None:
        """Ground of one kind."""
        for cell in cells:
            if cell in self.ground:
                self.ground[cell] = kind

    def keep(self, cells: Iterable[Cell]) -> None:
        """Nothing will grow here."""
        self.kept.update(cells)

    def path(self, kind: str, points: list[Cell], width: int = 3) -> None:
        """A way through the points, on grass only: it never covers a better road or the water."""
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            steps = max(abs(x1 - x0), abs(y1 - y0), 1)
            for step in range(steps + 1):
                x, y = x0 + (x1 - x0) * step // steps, y0 + (y1 - y0) * step // steps
                for cell in box(x - (width - 1) // 2, y - (width - 1) // 2, x + width // 2, y + width // 2):
                    if self.ground.get(cell) in ("grass", "dirt"):
                        self.ground[cell] = kind
                    self.kept.add(cell)

    def place(self, what: str, cell: Cell, **properties: str | int | bool) -> None:
        """An object of the `places` layer."""
        self.places.append((what, cell, properties))
        self.kept.add(cell)

    def region(self, name: str, area: Area, **properties: bool) -> None:
        """An object of the `regions` layer."""
        self.areas.append(("region", name, area, dict(properties)))

    def spawner(
        self, name: str, area: Area, kinds: str, count: int, seconds: tuple[float, float] = (30.0, 90.0)
    ) -> None:
        """An object of the `spawners` layer."""
        least, most = seconds
        rows = {"kinds": kinds, "count": count, "least_seconds": least, "most_seconds": most}
        self.areas.append(("spawner", name, area, dict(rows)))

    def frame(self, area: tuple[int, int, int, int], south: str, east: str, corner: str, post: str) -> None:
        """Four walls. The west and north rows lie outside of the room, the others are its last tiles."""
        left, top, right, bottom = area
        for x in range(left + 1, right + 1):
            self.south[x, top] = south
        for x in range(left + 1, right):
            self.south[x, bottom] = south
        for y in range(top + 1, bottom + 1):
            self.east[left, y] = east
        for y in range(top + 1, bottom):
            self.east[right, y] = east
        self.south[right, bottom] = corner
        if post:
            self.south[left, top] = post
        self.keep(box(left - 1, top - 1, right + 2, bottom + 2))

    def house(self, kind: str, area: tuple[int, int, int, int], door: Cell, floor: str = "boards") -> None:
        """A house without a roof; `door` lies in its south or east wall. Windows between."""
        left, top, right, bottom = area
        self.frame(area, f"{kind}_south", f"{kind}_east", f"{kind}_corner", f"{kind}_post")
        self.lay(floor, box(left + 1, top + 1, right, bottom))
        for x in range(left + 3, right - 1, 3):
            for y in (top, bottom):
                self.south[x, y] = f"{kind}_south_window"
        for y in range(top + 3, bottom - 1, 3):
            for x in (left, right):
                self.east[x, y] = f"{kind}_east_window"
        x, y = door
        if y == bottom:
            del self.south[door]
            self.south[x - 1, y] = f"{kind}_south_jamb"
            self.south[x + 1, y] = f"{kind}_south" if x + 1 < right else f"{kind}_corner"
        else:
            del self.east[door]
            self.east[x, y - 1] = f"{kind}_east_jamb"
            self.east[x, y + 1] = f"{kind}_east"

    def fence(self, kind: str, area: tuple[int, int, int, int], gate: Iterable[Cell]) -> None:
        """A fence around an area, with a gap of one or more tiles."""
        left, top, right, bottom = area
        self.frame(area, f"{kind}_south", f"{kind}_east", f"{kind}_south_last", "")
        # The south-east tile carries the ends of both rows.
        self.east[right, bottom] = f"{kind}_east_last"
        for y in (top, bottom):
            self.south[left + 1, y] = f"{kind}_south_first"
            self.south[right, y] = f"{kind}_south_last"
        for x in (left, right):
            self.east[x, top + 1] = f"{kind}_east_first"
            self.east[x, bottom] = f"{kind}_east_last"
        gaps = sorted(gate)
        for cell in gaps:
            self.south.pop(cell, None)
            self.east.pop(cell, None)
        (x0, y0), (x1, y1) = gaps[0], gaps[-1]
        if y0 == y1:
            self.south[x0 - 1, y0] = f"{kind}_south_last"
            self.south[x1 + 1, y0] = f"{kind}_south_first"
        else:
            self.east[x0, y0 - 1] = f"{kind}_east_last"
            self.east[x0, y1 + 1] = f"{kind}_east_first"

    def blocked(self, cell: Cell) -> bool:
        """Whether nobody can stand on the tile as drawn so far."""
        rows = (self.ground, self.objects, self.south, self.east)
        return any(not self.kinds[row[cell]].get("walkable", True) for row in rows if cell in row)

    def reached(self, start: Cell, warps: dict[Cell, Cell]) -> set[Cell]:
        """Every tile that somebody who starts there can walk to in four directions."""
        found, edge = {start}, [start]
        while edge:
            x, y = edge.pop()
            for dx, dy in SIDES.values():
                cell = x + dx, y + dy
                if cell in self.ground and cell not in found and not self.blocked(cell):
                    found.add(cell)
                    edge.append(warps.get(cell, cell))
        return found


def write_map(drawing: Drawing, name: str) -> None:
    """Writes the map of that name beside this file."""
    layers = [*tile_layers(drawing), places_layer(drawing), *area_layers(drawing)]
    document = {
        "type": "map",
        "version": "1.10",
        "tiledversion": "1.10.2",
        "orientation": "isometric",
        "renderorder": "right-down",
        "infinite": False,
        "width": drawing.side,
        "height": drawing.side,
        "tilewidth": 64,
        "tileheight": 32,
        "nextlayerid": len(layers) + 1,
        "nextobjectid": len(drawing.places) + len(drawing.areas) + 1,
        "compressionlevel": -1,
        "tilesets": [{"firstgid": 1, "source": "kinds.tsj"}],
        "layers": layers,
    }
    text = json.dumps(document, separators=(",", ":"))
    (HERE / f"{name}.tmj").write_text(text.replace('{"id":', '\n{"id":') + "\n", encoding="utf-8")


def tile_layers(drawing: Drawing) -> Iterator[dict[str, object]]:
    """The layers of tiles as Tiled keeps them."""
    number = {key: index + 1 for index, key in enumerate(drawing.kinds)}
    rows = dict(zip(LAYERS, (drawing.ground, drawing.objects, drawing.south, drawing.east), strict=True))
    last = drawing.side - 1
    for index, (name, row) in enumerate(rows.items(), 1):
        yield {
            "id": index,
            "name": name,
            "type": "tilelayer",
            "x": 0,
            "y": 0,
            "width": drawing.side,
            "height": drawing.side,
            "opacity": 1,
            "visible": True,
            "data": [number[row[x, y]] if (x, y) in row else 0 for x, y in box(0, 0, last, last)],
        }


def places_layer(drawing: Drawing) -> dict[str, object]:
    """The layer of points, behind those of tiles."""
    types = {str: "string", int: "int", bool: "bool"}
    return {
        "id": len(LAYERS) + 1,
        "name": "places",
        "type": "objectgroup",
        "draworder": "topdown",
        "x": 0,
        "y": 0,
        "opacity": 1,
        "visible": True,
        "objects": [
            {
                "id": index,
                "name": str(properties.get("template", properties.get("title", ""))),
                "type": what,
                "point": True,
                # The middle of the tile. On an isometric map Tiled measures both axes in tile heights.
                "x": x * 32 + 16,
                "y": y * 32 + 16,
                "width": 0,
                "height": 0,
                "rotation": 0,
                "visible": True,
                "properties": [
                    {"name": name, "type": types[type(value)], "value": value}
                    for name, value in properties.items()
                ],
            }
            for index, (what, (x, y), properties) in enumerate(drawing.places, 1)
        ],
    }


def area_layers(drawing: Drawing) -> Iterator[dict[str, object]]:
    """The layers of rectangles, `regions` and `spawners`, behind that of places."""
    types = {str: "string", int: "int", bool: "bool", float: "float"}
    number = len(drawing.places)
    for index, what in enumerate(("region", "spawner"), len(LAYERS) + 2):
        objects = []
        for kind, name, (left, top, width, height), properties in drawing.areas:
            if kind == what:
                number += 1
                objects.append(
                    {
                        "id": number,
                        "name": name,
                        "type": what,
                        # On an isometric map Tiled measures both axes in tile heights.
                        "x": left * 32,
                        "y": top * 32,
                        "width": width * 32,
                        "height": height * 32,
                        "rotation": 0,
                        "visible": True,
                        "properties": [
                            {"name": key, "type": types[type(value)], "value": value}
                            for key, value in properties.items()
                        ],
                    }
                )
        yield {
            "id": index,
            "name": f"{what}s",
            "type": "objectgroup",
            "draworder": "topdown",
            "x": 0,
            "y": 0,
            "opacity": 1,
            "visible": True,
            "objects": objects,
        }
