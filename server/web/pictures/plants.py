"""Draws what grows and lies about."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from server.web.pictures.brush import EAST, NORTH, SOUTH, WEST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from server.web.pictures.brush import Brush, Drawing, Point


def _tree(brush: Brush) -> None:
    """A round crown of leaves, lit from the north-west."""
    x, y = 8 + 4 * (brush.chance(1) - 0.5), 6 + 4 * (brush.chance(2) - 0.5)
    radius = 9.5 + 2.5 * brush.chance(3)
    brush.cast(x + 3.5, y + 5, radius * 0.98, 0.92)
    turn = brush.chance(4) * math.tau
    lobes = [
        (x + math.cos(turn + n * math.tau / 9) * radius * 0.66,
         y + math.sin(turn + n * math.tau / 9) * radius * 0.62,
         radius * (0.36 + 0.12 * brush.chance(10 + n)))
        for n in range(9)
    ]  # fmt: skip
    for lx, ly, size in lobes:
        brush.disc(lx, ly, size + 0.9, brush.tone(0.48))
    brush.disc(x, y, radius * 0.8, brush.tone(0.48))
    for lx, ly, size in lobes:
        brush.disc(lx, ly, size, brush.tone(0.78))
    brush.disc(x, y, radius * 0.72, brush.tone(0.82))
    for lx, ly, size in lobes:
        lit = 0.5 - ((lx - x) + (ly - y)) / (3.2 * radius)
        brush.disc(lx - 0.9, ly - 1.0, size * 0.74, brush.tone(0.84 + 0.34 * lit))
    for n in range(5):
        angle = turn + n * math.tau / 5
        lx, ly = x - 1.6 + math.cos(angle) * radius * 0.3, y - 1.8 + math.sin(angle) * radius * 0.28
        brush.disc(lx, ly, radius * 0.24, brush.tone(1.0 + 0.1 * brush.chance(30 + n)))
    brush.disc(x - radius * 0.28, y - radius * 0.32, radius * 0.24, brush.tone(1.22))
    brush.disc(x - radius * 0.34, y - radius * 0.4, radius * 0.12, brush.tone(1.38))


def _conifer(brush: Brush) -> None:
    """Three tiers of pointed branches, the upper ones smaller and lighter."""
    x, y = 8 + 4 * (brush.chance(1) - 0.5), 6 + 4 * (brush.chance(2) - 0.5)
    radius = 9.0 + 2.5 * brush.chance(3)
    turn = brush.chance(4)
    brush.cast(x + 3.5, y + 5, radius * 0.9, 0.92)
    tiers = ((1.09, 0.42, 0.0), (1.0, 0.72, 0.0), (0.72, 0.92, 0.8), (0.45, 1.14, 1.4), (0.2, 1.4, 1.9))
    for part, light, lift in tiers:
        points: list[Point] = []
        for n in range(22):
            reach = radius * part * (1.0 if n % 2 else 0.74)
            angle = turn + part + n * math.tau / 22
            points.append((x - lift * 0.5 + math.cos(angle) * reach, y - lift + math.sin(angle) * reach))
        brush.area(points, brush.tone(light))


def _bare_tree(brush: Brush) -> None:
    """Branches without leaves."""
    brush.cast(11, 11, 5)
    for width, light in ((2.2, 0.5), (1.3, 0.95)):
        for n in range(6):
            angle = brush.chance(1) * 6 + n * math.tau / 6
            length = 6 + 4 * brush.chance(5 + n)
            mid = (8 + math.cos(angle) * length * 0.5, 7 + math.sin(angle) * length * 0.5)
            for bend in (-0.35, 0.35):
                end = (8 + math.cos(angle + bend) * length, 7 + math.sin(angle + bend) * length)
                brush.line([(8, 7), mid, end], brush.tone(light), width)
    brush.disc(8, 7, 1.8, brush.tone(1.1))


def _bush(brush: Brush) -> None:
    """A low round one."""
    x, y = 8 + 3 * (brush.chance(1) - 0.5), 8.5 + 3 * (brush.chance(2) - 0.5)
    brush.cast(x + 1.6, y + 2.4, 5.6, 0.85)
    spots = [(-2.6, 0.4, 3.1), (2.5, 0.8, 3.2), (0, -1.8, 3.6), (0.2, 1.8, 3.2)]
    for dx, dy, size in spots:
        brush.disc(x + dx, y + dy, size + 0.8, brush.tone(0.5))
    for dx, dy, size in spots:
        brush.disc(x + dx, y + dy, size, brush.tone(0.82))
    for dx, dy, size in spots:
        brush.disc(x + dx - 0.6, y + dy - 0.8, size * 0.62, brush.tone(1.02 - 0.05 * (dx + dy) / 4))
    brush.disc(x - 1.2, y - 2.2, 1.3, brush.tone(1.28))


def _hedge(brush: Brush) -> None:
    """Clipped; it goes on into its neighbours."""
    left, right = (-0.5 if brush.has(WEST) else 1.5), (16.5 if brush.has(EAST) else 14.5)
    top, bottom = (-0.5 if brush.has(NORTH) else 2.0), (16.5 if brush.has(SOUTH) else 13.5)
    brush.cast_box(left + 1.5, top + 2, right + 1.5, bottom + 2.5)
    brush.pane(left, top, right, bottom, brush.tone(0.8), 3.0)
    for n in range(12):
        x = left + 2 + (right - left - 4) * brush.chance(n)
        y = top + 2 + (bottom - top - 5) * brush.chance(20 + n)
        brush.disc(x, y, 1.6, brush.tone(0.9 + 0.3 * brush.chance(40 + n)))


def _fern(brush: Brush) -> None:
    """Fronds around a middle."""
    for n in range(9):
        angle = brush.chance(1) * 6 + n * math.tau / 9
        length = 4.2 + 2 * brush.chance(n + 2)
        end = (8 + math.cos(angle) * length, 9 + math.sin(angle) * length * 0.9)
        brush.line([(8, 9), end], brush.tone(0.72 if n % 2 else 1.05), 1.3)


def _flowers(brush: Brush) -> None:
    """A handful of blossoms on green."""
    for n in range(7):
        x, y = 2.5 + 11 * brush.chance(n), 3 + 10 * brush.chance(n + 10)
        brush.line([(x, y + 2.6), (x, y)], (74, 112, 48), 0.9)
        brush.disc(x + 0.8, y + 1.9, 0.9, (84, 126, 54))
    for n in range(7):
        x, y = 2.5 + 11 * brush.chance(n), 3 + 10 * brush.chance(n + 10)
        brush.disc(x, y, 1.6, brush.tone(0.72))
        brush.disc(x - 0.1, y - 0.2, 1.25, brush.tone(1.04))
        brush.disc(x, y, 0.5, (250, 220, 120))


def _stones(brush: Brush) -> None:
    """Pebbles."""
    for n in range(5):
        x, y = 3 + 10 * brush.chance(n), 4 + 9 * brush.chance(n + 10)
        size = 1.0 + 1.2 * brush.chance(n + 20)
        brush.disc(x + 0.5, y + 0.7, size, (70, 74, 52), 0.8)
        brush.disc(x, y, size, brush.tone(0.84), 0.8)
        brush.disc(x - 0.3, y - 0.4, size * 0.6, brush.tone(1.14), 0.8)


PLANTS: Final[Mapping[str, Drawing]] = {
    "tree": _tree,
    "conifer": _conifer,
    "bare_tree": _bare_tree,
    "bush": _bush,
    "hedge": _hedge,
    "fern": _fern,
    "flowers": _flowers,
    "stones": _stones,
}
"""By shape."""
