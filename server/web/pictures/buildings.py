"""Draws walls, fences and houses: on the south or the east edge of their tile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from server.web.pictures.brush import shade

if TYPE_CHECKING:
    from collections.abc import Mapping

    from server.web.pictures.brush import Brush, Colour, Drawing


_THICK: Final = 5.0
"""Pixels of a wall, across."""
SOUTH_EDGE: Final = (0.0, 16 - _THICK, 16.0, 16.0)
EAST_EDGE: Final = (16 - _THICK, 0.0, 16.0, 16.0)


def _slab(brush: Brush, left: float, top: float, right: float, bottom: float) -> None:
    """A piece of wall: dark around, light on top, with its face in the shade to the south and east."""
    brush.cast_box(left + 1, top + 2, right + 3.2, bottom + 3.2)
    brush.box(left, top, right, bottom, brush.tone(0.42))
    if right - left > bottom - top:
        brush.box(left, top + 0.8, right, bottom - 1.5, brush.tone(1.04))
        brush.box(left, top + 0.8, right, top + 1.5, brush.tone(1.22))
    else:
        brush.box(left + 0.8, top, right - 1.2, bottom, brush.tone(1.04))
        brush.box(left + 0.8, top, left + 1.5, bottom, brush.tone(1.22))


def _wall_south(brush: Brush) -> None:
    """A run of wall along the south edge."""
    _slab(brush, *SOUTH_EDGE)


def _wall_east(brush: Brush) -> None:
    """And along the east edge."""
    _slab(brush, *EAST_EDGE)


def _wall_corner(brush: Brush) -> None:
    """Along both: the south-east corner of a house."""
    _slab(brush, *EAST_EDGE)
    _slab(brush, *SOUTH_EDGE)
    inner = 16 - _THICK + 0.8
    brush.box(inner, inner - 1.5, 14.8, 14.5, brush.tone(1.04))
    brush.box(14.8, 10, 16, 16, brush.tone(0.42))


def _wall_post(brush: Brush) -> None:
    """The north-west corner of a house: no more than the corner of its tile."""
    brush.cast_box(12, 13, 19, 19)
    inner = 16 - _THICK
    brush.box(inner, inner, 16, 16, brush.tone(0.42))
    brush.box(inner + 0.8, inner + 0.8, 16, 14.5, brush.tone(1.04))
    brush.box(inner + 0.8, inner + 0.8, 14.8, 16, brush.tone(1.04))
    brush.box(inner + 0.8, inner + 0.8, 16, inner + 1.5, brush.tone(1.22))
    brush.box(inner + 0.8, inner + 0.8, inner + 1.5, 16, brush.tone(1.22))


GLASS: Final[Colour] = (150, 206, 226)


def _window_south(brush: Brush) -> None:
    """A wall with glass in it."""
    _wall_south(brush)
    brush.box(4, 16.6 - _THICK, 12, 14.9, shade(GLASS, 0.45))
    brush.box(4.7, 17.2 - _THICK, 11.3, 14.3, GLASS)


def _window_east(brush: Brush) -> None:
    """And along the east edge."""
    _wall_east(brush)
    brush.box(16.6 - _THICK, 4, 15.1, 12, shade(GLASS, 0.45))
    brush.box(17.2 - _THICK, 4.7, 14.5, 11.3, GLASS)


def _counter(brush: Brush) -> None:
    """A low broad top along the south edge."""
    brush.cast_box(0, 10, 16, 18)
    brush.box(0, 7.5, 16, 16, brush.tone(0.5))
    brush.box(0, 8.4, 16, 13.4, brush.tone(1.15))
    brush.box(0, 8.4, 16, 9.2, brush.tone(1.4))
    for x in (4, 12):
        brush.box(x, 9.2, x + 0.4, 13.4, brush.tone(0.95))


def _fence_south(brush: Brush) -> None:
    """Two rails between posts along the south edge."""
    brush.cast_box(0, 14.4, 16, 17)
    for fat, light in ((0.7, 0.5), (0.0, 1.05)):
        for rail in (12.0, 14.4):
            brush.line([(0, rail), (16, rail)], brush.tone(light), 1.1 + fat)
    for post in (0.0, 8.0, 16.0):
        _knob(brush, post, 13.2)


def _fence_east(brush: Brush) -> None:
    """And along the east edge."""
    brush.cast_box(14.4, 0, 17, 16)
    for fat, light in ((0.7, 0.5), (0.0, 1.05)):
        for rail in (12.4, 14.6):
            brush.line([(rail, 0), (rail, 16)], brush.tone(light), 1.1 + fat)
    for post in (0.0, 8.0, 16.0):
        _knob(brush, 13.5, post)


def _knob(brush: Brush, x: float, y: float) -> None:
    brush.disc(x, y, 2.1, brush.tone(0.42))
    brush.disc(x - 0.2, y - 0.3, 1.5, brush.tone(1.2))


def _door(brush: Brush) -> None:
    """In a wall along the south edge; within a house that is shown from outside, a dark way to it."""
    if brush.beside:
        brush.box(0, 0, 16, 16, brush.tone(0.62))
        for x in (3.6, 7.6, 11.6):
            brush.box(x, 0, x + 0.5, 12, brush.tone(0.45))
        brush.box(0, 0, 16, 3, brush.tone(0.38))
    brush.box(*SOUTH_EDGE, brush.tone(0.5))
    brush.box(1.2, 16.8 - _THICK, 14.8, 15.2, brush.tone(1.3))
    for x in (5.4, 9.8):
        brush.box(x, 16.8 - _THICK, x + 0.6, 15.2, brush.tone(0.8))
    brush.disc(12.6, 13.6, 0.9, (240, 206, 110))


def _roof(brush: Brush) -> None:
    """Rows of shingles."""
    for row in range(4):
        y = 4.0 * row
        brush.box(0, y, 16, y + 4, brush.tone(0.98 - 0.04 * (row % 2)))
        brush.box(0, y + 3.2, 16, y + 4, brush.tone(0.62))
        for n in range(4):
            x = 4.0 * n + (2 if row % 2 else 0)
            brush.box(x, y, x + 0.6, y + 3.2, brush.tone(0.74))
            if brush.chance(row * 4 + n) > 0.6:
                brush.box(x + 0.6, y, min(16, x + 4), y + 3.2, brush.tone(1.1))
    brush.edge(1.4, brush.tone(0.42))


def _eaves(brush: Brush) -> None:
    """The last rows of a roof, and the front wall below them."""
    _roof(brush)
    brush.cast_box(1, 12, 18, 19)
    brush.box(0, 11.4, 16, 16, shade((214, 200, 172), 0.45))
    brush.box(0, 12.2, 16, 15.2, (214, 200, 172))
    brush.box(0, 12.2, 16, 13.0, (176, 160, 132))


BUILDINGS: Final[Mapping[str, Drawing]] = {
    "counter": _counter,
    "wall_south": _wall_south,
    "wall_east": _wall_east,
    "wall_corner": _wall_corner,
    "wall_post": _wall_post,
    "window_south": _window_south,
    "window_east": _window_east,
    "fence_south": _fence_south,
    "fence_east": _fence_east,
    "door": _door,
    "roof": _roof,
    "eaves": _eaves,
}
"""By shape."""
