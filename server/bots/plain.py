"""An open plain in place of the shipped realm: room for a given number of characters, nothing in the way."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import attrs

from server.bots.bot import LEG
from world.content import Chart

if TYPE_CHECKING:
    from world.content import Content

EDGE: Final = 4
"""Tiles at the north and west where nobody begins: newcomers are put within 3 of their spawn place."""

GROUND: Final = "grass"


def plain(content: Content, width: int, height: int, spots: int) -> Content:
    """The content with one realm of that size. `spots` spawn places are spread evenly over it, far enough
    from the south and the east for a bot's round; 1 is the middle."""
    shipped = content.charts[content.start_realm]
    chart = Chart(
        name="plain",
        title="The Plain",
        width=width,
        height=height,
        ground=[content.tiles[GROUND]] * (width * height),
        scenery=(),
        blocked=bytes(width * height),
        spawns=spread(width, height, spots),
        atlas=shipped.atlas,
    )
    return attrs.evolve(content, charts={"plain": chart}, start_realm="plain")


def spread(width: int, height: int, spots: int) -> list[tuple[int, int]]:
    """So many places in rows and columns, at least. Raises ValueError if the plain is too small."""
    wide, high = width - 2 * EDGE - LEG, height - 2 * EDGE - LEG
    if wide < 1 or high < 1:
        raise ValueError(f"a plain of {width} x {height} has no room")
    if spots == 1:
        return [(width // 2, height // 2)]
    columns = max(1, round(math.sqrt(spots * wide / high)))
    rows = -(-spots // columns)
    return [
        (EDGE + (2 * column + 1) * wide // (2 * columns), EDGE + (2 * row + 1) * high // (2 * rows))
        for row in range(rows)
        for column in range(columns)
    ]


def side_for(count: int, tiles: float) -> int:
    """The side of a square with so many tiles for each of `count` bots, in the part where they are."""
    return round(math.sqrt(count * tiles)) + 2 * EDGE
