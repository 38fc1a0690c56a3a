"""Renders a Tiled map of this folder to a picture, so that one can look at a realm without any editor or
client.

    python data/realms/preview.py confluence.tmj preview.png [points per tile, default 32]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kinds import HERE, SIZE, picture, png, read_kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

Sprite = list[tuple[int, int, bytes]]


def sprites(step: int) -> Iterator[tuple[str, Sprite]]:
    """Each kind's picture, made smaller by taking every `step`-th point."""
    for key, kind in read_kinds().items():
        points = picture(key, str(kind["layer"])).points
        yield (
            key,
            [
                (x // step, y // step, bytes((*colour, 255)))
                for (x, y), colour in points.items()
                if x % step == step // 2 and y % step == step // 2
            ],
        )


def render(source: Path, target: Path, width: int) -> None:
    """Draws the map from back to front, as the clients do; one tile is `width` x `width` / 2 points."""
    step = SIZE // width
    drawn = dict(sprites(step))
    names = ["", *read_kinds()]
    document = json.loads(source.read_text(encoding="utf-8"))
    wide, high = document["width"], document["height"]
    layers = [layer["data"] for layer in document["layers"] if layer["type"] == "tilelayer"]
    columns, lines = (wide + high) * width // 2, (wide + high) * width // 4 + width
    canvas = [bytearray(columns * 4) for _ in range(lines)]

    def stamp(layer: list[int], x: int, y: int) -> None:
        left, top = (x - y + high - 1) * width // 2, (x + y) * width // 4
        for dx, dy, colour in drawn[names[layer[y * wide + x]]]:
            at = (left + dx) * 4
            canvas[top + dy][at : at + 4] = colour

    tiles = sorted(((x, y) for y in range(high) for x in range(wide)), key=sum)
    drawn[""] = []
    for x, y in tiles:
        stamp(layers[0], x, y)
    for x, y in tiles:
        for layer in layers[1:]:
            stamp(layer, x, y)
    target.write_bytes(png(columns, lines, map(bytes, canvas)))


if __name__ == "__main__":
    scale = int(sys.argv[3]) if len(sys.argv) > 3 else 32
    if len(sys.argv) < 3 or SIZE % scale:
        sys.exit("usage: preview.py MAP.tmj PICTURE.png [8|16|32|64]")
    render(HERE / sys.argv[1], Path(sys.argv[2]), scale)
