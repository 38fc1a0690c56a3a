"""Draws grounds: floors, which fill their tile, and details of those that have soft edges.

Where the edges are is the business of `server.web.pictures.painter`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from server.web.pictures.brush import FOAM, NORTH, SOUTH, mix

if TYPE_CHECKING:
    from collections.abc import Mapping

    from server.web.pictures.brush import Brush, Drawing


def _boards(brush: Brush) -> None:
    """Planks from west to east."""
    for row in range(4):
        y = 4.0 * row
        joint = 2 + 12 * brush.chance(row)
        brush.box(0, y, 16, y + 4, brush.tone(0.96 + 0.09 * brush.chance(row + 10)))
        brush.box(joint, y, 16, y + 4, brush.tone(0.96 + 0.09 * brush.chance(row + 20)))
        brush.box(joint, y, joint + 0.5, y + 4, brush.tone(0.74))
        brush.box(0, y + 3.4, 16, y + 4, brush.tone(0.76))


def _bridge(brush: Brush) -> None:
    """Planks from north to south, with a beam on the sides where it ends."""
    for column in range(4):
        x = 4.0 * column
        brush.box(x, 0, x + 4, 16, brush.tone(0.94 + 0.16 * brush.chance(column + 10)))
        brush.box(x + 3.3, 0, x + 4, 16, brush.tone(0.62))
    for side, y in ((NORTH, 0.0), (SOUTH, 13.2)):
        if not brush.has(side):
            brush.box(0, y, 16, y + 2.8, brush.tone(0.5))
            brush.box(0, y + 0.6, 16, y + 1.8, brush.tone(1.2))


def _slabs(brush: Brush) -> None:
    """Large square stones."""
    brush.box(0, 0, 16, 16, brush.tone(0.8))
    for row in range(2):
        for n in range(-1, 2):
            x, y = 8.0 * n + (4 if row else 0), 8.0 * row
            light = 0.97 + 0.09 * brush.chance(row * 2 + n % 2)
            brush.box(max(0, x + 0.5), y + 0.5, min(16, x + 7.8), y + 7.8, brush.tone(light))
            brush.box(max(0, x + 0.5), y + 0.5, min(16, x + 7.8), y + 1.1, brush.tone(light * 1.08))


def _cobbles(brush: Brush) -> None:
    """Round stones in rows."""
    for row in range(4):
        for n in range(4):
            x, y = 4.0 * n + (2.0 if row % 2 else 0.0) + 2, 4.0 * row + 2
            light = 0.97 + 0.15 * (brush.chance(row * 4 + n) - 0.4)
            x = x - 16 if x > 16 else x
            brush.disc(x, y, 2.0, brush.tone(0.82), 0.95)
            brush.disc(x - 0.1, y - 0.2, 1.65, brush.tone(light), 0.95)


def _furrows(brush: Brush) -> None:
    """Ploughed rows with something green in them."""
    for row in range(3):
        y = 16 / 3 * row
        brush.box(0, y + 0.4, 16, y + 2.2, brush.tone(1.14))
        brush.box(0, y + 3.4, 16, y + 4.6, brush.tone(0.78))
        for n in range(3):
            if brush.chance(row * 3 + n) > 0.35:
                x = 1.5 + 5.2 * n + 2 * brush.chance(row + n * 5)
                brush.disc(x, y + 1.2, 1.1, (96, 132, 56))
                brush.disc(x - 0.2, y + 0.9, 0.7, (128, 168, 76))


def _blades(brush: Brush) -> None:
    """A few blades of grass."""
    if brush.variant % 2:
        return
    x, y = 2 + 10 * brush.chance(1), 4 + 9 * brush.chance(2)
    for dx, lean, light in ((0, -1.2, 0.86), (1.4, 0, 0.82), (2.8, 1.3, 0.88)):
        brush.line([(x + dx, y), (x + dx + lean, y - 3.0)], brush.tone(light), 0.7)


def _tufts(brush: Brush) -> None:
    """More of them."""
    for n in range(2):
        x, y = 2 + 10 * brush.chance(n), 4 + 10 * brush.chance(n + 4)
        for dx, lean, light in ((0, -1.3, 0.86), (1.3, 0, 0.8), (2.6, 1.2, 1.14)):
            brush.line([(x + dx, y), (x + dx + lean, y - 3.4)], brush.tone(light), 0.75)


def _grit(brush: Brush) -> None:
    """Specks in earth or sand."""
    for n in range(4):
        x, y = 16 * brush.chance(n), 16 * brush.chance(n + 8)
        brush.disc(x, y, 0.7 + 0.4 * brush.chance(n + 16), brush.tone(0.88 if n % 2 else 1.08), 0.8)


def _ripples(brush: Brush) -> None:
    """Short waves."""
    if brush.variant % 3:
        return
    x, y = 4 + 8 * brush.chance(1), 4 + 8 * brush.chance(2)
    points = [(x - 3.2, y + 0.5), (x - 1.4, y - 0.3), (x + 0.4, y + 0.4), (x + 2.4, y - 0.3)]
    brush.line(points, mix(brush.colour, FOAM, 0.3), 0.8)


def _crags(brush: Brush) -> None:
    """Broken rock."""
    for n in range(4):
        x, y = 2 + 12 * brush.chance(n), 2 + 12 * brush.chance(n + 9)
        size = 2.0 + 1.6 * brush.chance(n + 18)
        brush.area([(x - size, y + 1), (x - 0.4, y - size), (x + size, y + 1.4)], brush.tone(0.84))
        brush.area([(x - size, y + 1), (x - 0.4, y - size), (x, y + 1.2)], brush.tone(1.12))


WATERS: Final = 5


@attrs.frozen
class Soft:
    """A ground whose edge is a soft line. `order`: the higher lies over the lower ones."""

    order: int
    detail: Drawing
    rim: float = 1.0
    """How light what lies below is along the edge."""


SOFT: Final[Mapping[str, Soft]] = {
    "grass": Soft(0, _blades),
    "tufts": Soft(0, _tufts),
    "worn": Soft(0, _grit),
    "field": Soft(1, _furrows, 0.86),
    "earth": Soft(2, _grit, 0.88),
    "sand": Soft(3, _grit, 0.9),
    "cobble": Soft(4, _cobbles, 0.78),
    "water": Soft(WATERS, _ripples, 0.74),
    "rock_face": Soft(6, _crags, 0.6),
}
"""By shape. `rock_face` is no kind's: it is where nobody can stand and no
tile says why."""

FLOORS: Final[Mapping[str, Drawing]] = {
    "slabs": _slabs,
    "boards": _boards,
    "bridge": _bridge,
}
"""Grounds that fill their tile and no more."""
