"""Draws a small picture of every kind of tile, and writes them as the tileset that the Tiled maps use.

The pictures are for people only: for the Tiled editor and for preview.py. No server and no client reads
them. Run it again after adding a kind to tiles.toml; new kinds go to the end of that file, since a map
names tiles by their number.

    python data/realms/kinds.py        writes kinds.tsj and kinds.png beside this file
"""

from __future__ import annotations

import json
import math
import struct
import tomllib
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

HERE = Path(__file__).parent
SIZE = 64
"""Pictures are 64 x 64 points; the tile is the 64 x 32 diamond at the bottom."""
COLUMNS = 16

Colour = tuple[int, int, int]
Kinds = Mapping[str, Mapping[str, object]]

# By the longest beginning of the key that is listed here.
COLOURS: dict[str, Colour] = {
    "grass": (104, 150, 66),
    "grass_light": (110, 157, 70),
    "grass_tufted": (98, 145, 62),
    "grass_blades": (101, 150, 60),
    "grass_worn": (118, 150, 72),
    "grass_bare": (122, 148, 76),
    "dirt": (160, 128, 84),
    "field": (122, 88, 52),
    "cobble": (150, 148, 144),
    "flagstone": (176, 170, 158),
    "boards": (158, 112, 66),
    "sand": (222, 204, 148),
    "bridge": (140, 96, 54),
    "water": (62, 110, 172),
    "basin": (80, 138, 196),
    "oak": (58, 108, 40),
    "walnut": (72, 122, 44),
    "tree": (48, 98, 46),
    "cedar": (34, 84, 50),
    "willow": (104, 136, 60),
    "dead_tree": (110, 92, 74),
    "bush": (64, 116, 48),
    "hedge": (52, 104, 44),
    "fern": (84, 140, 58),
    "campions": (236, 210, 220),
    "foxgloves": (200, 96, 168),
    "poppies": (224, 72, 52),
    "pebbles": (150, 150, 146),
    "stones": (134, 134, 132),
    "lamp_post": (60, 60, 64),
    "sign": (150, 108, 58),
    "gravestone": (168, 170, 172),
    "fountain": (192, 194, 198),
    "chair": (148, 94, 48),
    "table": (132, 82, 40),
    "barrel": (124, 82, 46),
    "crate": (166, 128, 78),
    "bookcase": (108, 66, 36),
    "bed": (206, 200, 214),
    "candle": (236, 216, 140),
    "ankh": (220, 196, 96),
    "vault": (128, 132, 140),
    "counter": (120, 76, 40),
    "plaster": (214, 200, 172),
    "wood": (170, 126, 78),
    "stone": (150, 150, 152),
    "fence": (146, 108, 64),
    "railing": (62, 62, 70),
    "cottage": (138, 96, 60),
    "cave": (92, 86, 80),
    "rock": (48, 44, 42),
}
LOW = {"counter": 12, "fence": 12, "railing": 14}
TREES = ("oak", "walnut", "tree", "cedar", "willow", "dead_tree")


def _begins(key: str, table: Mapping[str, object]) -> str | None:
    fitting = [word for word in table if key == word or key.startswith(word + "_")]
    return max(fitting, key=len, default=None)


class Picture:
    """A square of coloured points, some of them transparent."""

    def __init__(self) -> None:
        self.points: dict[tuple[int, int], Colour] = {}

    def dot(self, x: int, y: int, colour: Colour) -> None:
        """One point, if it lies in the picture."""
        if 0 <= x < SIZE and 0 <= y < SIZE:
            self.points[x, y] = colour

    def disc(self, x: int, y: int, radius: int, colour: Colour) -> None:
        """A ball, lit from the upper left."""
        for dy in range(-radius, radius + 1):
            for dx in range(-radius, radius + 1):
                if dx * dx + dy * dy <= radius * radius:
                    light = 1.12 - 0.32 * (dx + dy + 2 * radius) / (4 * radius)
                    self.dot(x + dx, y + dy, shade(colour, light))

    def box(self, left: int, top: int, right: int, bottom: int, colour: Colour) -> None:
        """A filled rectangle."""
        for y in range(top, bottom):
            for x in range(left, right):
                self.dot(x, y, colour)

    def diamond(self, colour: Colour, edges: str = "", edge: Colour = (0, 0, 0)) -> None:
        """The ground of the tile; `edges` (letters of n, e, s, w) are drawn in another colour."""
        for y in range(32):
            reach = 2 * min(y + 1, 32 - y)
            for x in range(32 - reach, 32 + reach):
                # How far the point is from the middle towards each side, in units of half a tile.
                east, south = (x - 31.5) / 32 + (y - 15.5) / 16, (y - 15.5) / 16 - (x - 31.5) / 32
                near = (
                    ("n" in edges and south < -0.45)
                    or ("s" in edges and south > 0.45)
                    or ("e" in edges and east > 0.45)
                    or ("w" in edges and east < -0.45)
                )
                self.dot(x, 32 + y, edge if near else colour)

    def block(self, colour: Colour, height: int) -> None:
        """A solid block that fills most of the tile."""
        for x in range(14, 50):
            sink = 9 - abs(x - 32) // 2
            for y in range(48 + sink - height, 48 + sink):
                self.dot(x, y, shade(colour, 0.75 if x < 32 else 0.9))
            for y in range(48 - sink - height, 48 + sink - height):
                self.dot(x, y, colour)

    def wall(self, colour: Colour, height: int, *, south: bool, window: bool = False) -> None:
        """A slab on the south (lower left) or east (lower right) edge of the tile."""
        for step in range(32):
            x = step if south else 32 + step
            foot = 48 + step // 2 if south else 63 - step // 2
            for y in range(foot - height, foot + 1):
                hole = window and 10 <= step <= 20 and height // 4 < foot - y < height * 3 // 4
                tone = 0.55 if hole else (1.1 if foot - y >= height - 2 else (0.82 if south else 0.94))
                self.dot(x, y, shade(colour, tone))


def shade(colour: Colour, light: float) -> Colour:
    """The colour made lighter (above 1) or darker."""
    red, green, blue = (min(255, int(part * light)) for part in colour)
    return red, green, blue


def picture(key: str, layer: str) -> Picture:
    """What stands for one kind of tile."""
    drawn = Picture()
    colour = COLOURS[_begins(key, COLOURS) or "stone"]
    if layer == "ground":
        _ground(drawn, key, colour)
    elif layer in ("wall_south", "wall_east"):
        _wall(drawn, key, layer, colour)
    elif _begins(key, dict.fromkeys(TREES)):
        _tree(drawn, key, colour)
    else:
        _thing(drawn, key, colour)
    return drawn


def _ground(drawn: Picture, key: str, colour: Colour) -> None:
    grass = COLOURS["grass"]
    tail = key.rpartition("_")[2]
    if key.startswith("dirt_") and "inner" not in key:
        drawn.diamond(colour, tail, grass)
    elif key.startswith("water_") and "inner" not in key:
        drawn.diamond(colour, tail, (116, 106, 70))
    else:
        drawn.diamond(colour)
    if key in ("cobble", "flagstone", "boards", "bridge_x", "field"):
        for step in range(-24, 28, 8):
            for along in range(-15, 16):
                x, y = (32 + step + along, 48 + (along - step) // 2)
                if (x, y) in drawn.points:
                    drawn.dot(x, y, shade(colour, 0.86))


def _wall(drawn: Picture, key: str, layer: str, colour: Colour) -> None:
    height = LOW.get(_begins(key, LOW) or "", 32)
    if key == "cottage_door":
        drawn.wall((92, 58, 34), 28, south=True)
    elif key.endswith("_post"):
        drawn.box(30, 30, 34, 64, shade(colour, 0.9))
    else:
        window = key.endswith("_window")
        corner = key.endswith(("_corner", "counter_end"))
        if layer == "wall_south":
            drawn.wall(colour, height, south=True, window=window)
        if layer == "wall_east" or corner:
            drawn.wall(colour, height, south=False, window=window)


def _tree(drawn: Picture, key: str, colour: Colour) -> None:
    trunk = (92, 68, 44)
    drawn.box(29, 34, 35, 52, trunk)
    if key == "dead_tree":
        drawn.box(31, 8, 33, 40, colour)
        for dx, dy in ((-10, -14), (10, -18), (-6, -26), (7, -28)):
            for step in range(12):
                drawn.dot(32 + dx * step // 12, 40 + dy * step // 12, colour)
                drawn.dot(33 + dx * step // 12, 40 + dy * step // 12, colour)
    elif key == "cedar":
        for y in range(2, 42):
            for x in range(-y // 3, y // 3 + 1):
                drawn.dot(32 + x, y, shade(colour, 1.15 - 0.3 * (x + y / 3) / (y * 0.67 + 1)))
    else:
        drawn.disc(24, 26, 12, colour)
        drawn.disc(40, 25, 12, colour)
        drawn.disc(32, 17, 14, shade(colour, 1.08))


def _thing(drawn: Picture, key: str, colour: Colour) -> None:
    if key in ("bush", "hedge"):
        drawn.disc(32, 44, 11, colour)
    elif key in ("fern", "campions", "foxgloves", "poppies", "pebbles", "stones"):
        for x, y in ((24, 46), (36, 42), (40, 52), (30, 54), (33, 47)):
            drawn.disc(x, y, 2, colour)
    elif key == "lamp_post":
        drawn.box(31, 14, 34, 52, colour)
        drawn.disc(32, 12, 6, (252, 232, 140))
    elif key.startswith("sign_"):
        drawn.box(31, 22, 34, 52, shade(colour, 0.7))
        drawn.box(22, 20, 44, 34, colour)
    elif key == "gravestone":
        drawn.box(25, 32, 39, 50, colour)
        drawn.disc(32, 32, 7, colour)
    elif key.startswith("fountain_"):
        inner = key[-2] in "12" and key[-1] in "12"
        drawn.block(colour, 22 if inner else 8)
    elif key == "candle" or key.startswith("ankh"):
        drawn.box(30, 22, 35, 52, colour)
        drawn.disc(32, 20, 5, colour)
    elif key != "cottage_inside":
        drawn.block(colour, {"chair": 10, "bookcase": 26, "barrel": 18}.get(_begins(key, COLOURS) or "", 12))


def png(width: int, height: int, rows: Iterator[bytes]) -> bytes:
    """A PNG file from rows of red, green, blue, alpha bytes (W3C PNG specification, colour type 6)."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    lines = b"".join(b"\0" + row for row in rows)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(lines, 9))
        + chunk(b"IEND", b"")
    )


def read_kinds() -> Kinds:
    """The table of tile kinds, in the order of the file."""
    return tomllib.loads((HERE.parent / "tiles.toml").read_text(encoding="utf-8"))


def write_tileset(kinds: Kinds) -> None:
    """Writes kinds.png and kinds.tsj."""
    count = math.ceil(len(kinds) / COLUMNS)
    canvas = [bytearray(COLUMNS * SIZE * 4) for _ in range(count * SIZE)]
    for number, (key, kind) in enumerate(kinds.items()):
        row, column = divmod(number, COLUMNS)
        for (x, y), colour in picture(key, str(kind["layer"])).points.items():
            at = (column * SIZE + x) * 4
            canvas[row * SIZE + y][at : at + 4] = bytes((*colour, 255))
    (HERE / "kinds.png").write_bytes(png(COLUMNS * SIZE, count * SIZE, map(bytes, canvas)))
    tileset = {
        "type": "tileset",
        "version": "1.10",
        "tiledversion": "1.10.2",
        "name": "kinds",
        "image": "kinds.png",
        "imagewidth": COLUMNS * SIZE,
        "imageheight": count * SIZE,
        "tilewidth": SIZE,
        "tileheight": SIZE,
        "tilecount": count * COLUMNS,
        "columns": COLUMNS,
        "margin": 0,
        "spacing": 0,
        "grid": {"orientation": "isometric", "width": 64, "height": 32},
        "tiles": [{"id": number, "type": key} for number, key in enumerate(kinds)],
    }
    (HERE / "kinds.tsj").write_text(json.dumps(tileset, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_tileset(read_kinds())
