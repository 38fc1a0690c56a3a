"""Paints a realm from above, with the pictures that its tiles have in the Tiled editor.

Clients that walk on a ground of their own get it as the picture of an exported map.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Final

from protocol.co.puzzle import CELL_HEIGHT, CELL_WIDTH, PIECE, cell_point, picture_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from world.content import Chart

SIZE: Final = 64
"""A tile's picture is 64 x 64 points, its diamond the lower half of that (data/realms/kinds.py)."""

LARGEST: Final = 256
"""Tiles along a side of what is painted at once: 260 MiB of points."""

MOST_BYTES: Final = 64 << 20
"""Of the unpacked pictures of the tiles."""

OPAQUE: Final = 128

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_CHUNK: Final = struct.Struct(">I4s")
_HEAD: Final = struct.Struct(">IIBBBBB")

Place = tuple[int, int, str]
"""A tile, and what kind of thing is there."""

Stamp = list[tuple[int, int, bytes]]
"""The visible points of a tile's picture: x, y, and as many points of two bytes as there are in a row."""


class PaintingError(Exception):
    """The pictures of the tiles cannot be read; the message says why."""


def paint(chart: Chart, folder: Path) -> Iterator[list[bytes]]:
    """The realm's picture, row by row of pieces from the upper left; of each piece the points, 16 bits each,
    and no bytes where nothing is. `folder` is data/realms. Roofs are left out: one walks below them.

    Raises PaintingError and OSError.
    """
    if max(chart.width, chart.height) > LARGEST:
        raise PaintingError(f"{chart.width} x {chart.height} tiles, {LARGEST} x {LARGEST} is the most")
    stamps = _stamps(folder)
    columns, rows = picture_size(chart.width, chart.height)
    canvas = [bytearray(2 * columns) for _ in range(rows)]
    _lay(canvas, chart, stamps, _ground(chart))
    _lay(canvas, chart, stamps, sorted(_scenery(chart), key=lambda place: place[0] + place[1]))
    for top in range(0, rows, PIECE):
        lines = canvas[top : top + PIECE]
        found = []
        for left in range(0, 2 * columns, 2 * PIECE):
            points = b"".join(line[left : left + 2 * PIECE] for line in lines)
            found.append(points if any(points) else b"")
        yield found


def _ground(chart: Chart) -> Iterator[Place]:
    for at, kind in enumerate(chart.ground):
        yield at % chart.width, at // chart.width, kind.key


def _scenery(chart: Chart) -> Iterator[Place]:
    for piece in chart.scenery:
        if piece.kind.layer != "roof":
            yield piece.x, piece.y, piece.kind.key


def _lay(
    canvas: list[bytearray],
    chart: Chart,
    stamps: Mapping[str, Stamp],
    places: Iterable[Place],
) -> None:
    for x, y, key in places:
        across, down = cell_point(x, y, chart.width, chart.height)
        left, top = across - CELL_WIDTH // 2, down + CELL_HEIGHT // 2 - SIZE
        for dx, dy, points in stamps.get(key, ()):
            if 0 <= top + dy < len(canvas):
                at = 2 * (left + dx)
                canvas[top + dy][at : at + len(points)] = points


def _stamps(folder: Path) -> dict[str, Stamp]:
    """By kind of tile."""
    try:
        tileset = json.loads((folder / "kinds.tsj").read_text(encoding="utf-8"))
        across = int(tileset["columns"])
        numbers = {str(tile["type"]): int(tile["id"]) for tile in tileset["tiles"]}
        rows = _rows((folder / "kinds.png").read_bytes())
        return {
            key: list(_stamp(rows, number % across * SIZE, number // across * SIZE))
            for key, number in numbers.items()
        }
    except (ValueError, KeyError, TypeError, IndexError, struct.error, zlib.error) as error:
        raise PaintingError(f"{folder}: kinds.tsj, kinds.png: {type(error).__name__}: {error}") from error


def _stamp(rows: Sequence[bytes], left: int, top: int) -> Iterator[tuple[int, int, bytes]]:
    for dy in range(SIZE):
        row = rows[top + dy][4 * left : 4 * (left + SIZE)]
        start, points = 0, bytearray()
        for dx in range(SIZE):
            red, green, blue, alpha = row[4 * dx : 4 * dx + 4]
            if alpha >= OPAQUE:
                points += struct.pack("<H", red >> 3 << 11 | green >> 2 << 5 | blue >> 3)
            if points and (alpha < OPAQUE or dx == SIZE - 1):
                yield start, dy, bytes(points)
                points.clear()
            if not points:
                start = dx + 1


def _rows(data: bytes) -> list[bytes]:
    """The rows of a picture as kinds.py writes it: red, green, blue, alpha, and nothing filtered (W3C PNG
    specification). Raises ValueError for any other."""
    if not data.startswith(_SIGNATURE):
        raise ValueError("not a PNG file")
    at, packed = len(_SIGNATURE), b""
    width = height = 0
    while at < len(data):
        length, name = _CHUNK.unpack_from(data, at)
        body = data[at + _CHUNK.size : at + _CHUNK.size + length]
        at += _CHUNK.size + length + 4
        if name == b"IHDR":
            width, height, *kind = _HEAD.unpack(body)
            if kind != [8, 6, 0, 0, 0]:
                raise ValueError("not the kind of PNG that kinds.py writes")
        elif name == b"IDAT":
            packed += body
    size = height * (4 * width + 1)
    if size > MOST_BYTES:
        raise ValueError(f"{width} x {height} points are too many")
    points = zlib.decompressobj().decompress(packed, size + 1)
    if len(points) != size or any(points[:: 4 * width + 1]):
        raise ValueError("not as kinds.py writes it")
    return [points[row + 1 : row + 4 * width + 1] for row in range(0, size, 4 * width + 1)]
