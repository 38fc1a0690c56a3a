"""The eight headings of the world, clockwise from north; y grows to the south, as on every client's map."""

from __future__ import annotations

from typing import Final, Protocol

NORTH: Final = 0
NORTH_EAST: Final = 1
EAST: Final = 2
SOUTH_EAST: Final = 3
SOUTH: Final = 4
SOUTH_WEST: Final = 5
WEST: Final = 6
NORTH_WEST: Final = 7

OFFSETS: Final = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""Tile offset (dx, dy) of one step, by heading."""

_BY_OFFSET: Final = {offset: heading for heading, offset in enumerate(OFFSETS)}


def towards(dx: int, dy: int) -> int | None:
    """The heading that best points along (dx, dy) in tiles; None for (0, 0)."""
    if dx == dy == 0:
        return None
    # A component shorter than half of the other is dropped, so that the octants are of nearly equal width.
    if abs(dx) * 2 < abs(dy):
        dx = 0
    elif abs(dy) * 2 < abs(dx):
        dy = 0
    return _BY_OFFSET[(dx > 0) - (dx < 0), (dy > 0) - (dy < 0)]


class Placed(Protocol):
    """Anything that stands on a tile."""

    @property
    def x(self) -> int: ...
    @property
    def y(self) -> int: ...


def apart(one: Placed, other: Placed) -> int:
    """Number of steps from the one to the other, if nothing is in the way: the larger of both differences."""
    return max(abs(one.x - other.x), abs(one.y - other.y))


def steps_between(one: tuple[int, int], other: tuple[int, int]) -> int:
    """The same for two tiles."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
