"""Draws what people put there: in streets, and in houses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from server.web.pictures.brush import EAST, FOAM, INK, NORTH, SOUTH, WATER, WEST, mix, shade

if TYPE_CHECKING:
    from collections.abc import Mapping

    from server.web.pictures.brush import Brush, Drawing


def _lamp(brush: Brush) -> None:
    """A post with a light that shows on the ground."""
    brush.glow(8, 6, 15, (255, 226, 140), 0.34)
    brush.cast(10.5, 11, 2.4)
    brush.disc(8, 8, 3.4, INK)
    brush.disc(8, 8, 2.5, (255, 214, 110))
    brush.disc(7.5, 7.4, 1.4, (255, 246, 206))


def _candle(brush: Brush) -> None:
    """A small light."""
    brush.glow(8, 8, 11, (255, 220, 130), 0.3)
    brush.disc(8, 8, 2.5, shade(brush.colour, 0.5))
    brush.disc(8, 8, 1.8, brush.colour)
    brush.disc(8, 7.6, 0.9, (255, 250, 220))


def _sign(brush: Brush) -> None:
    """A board on a post."""
    brush.cast_box(4, 10, 15, 13)
    brush.line([(8, 6), (8, 14.5)], shade(brush.colour, 0.5), 1.8)
    brush.pane(1.5, 2.5, 14.5, 10, brush.tone(1.12))
    for y in (5.0, 7.4):
        brush.line([(4, y), (12, y)], brush.tone(0.55), 0.8)


def _gravestone(brush: Brush) -> None:
    """A stone with a cross, and turned earth before it."""
    brush.disc(8, 12, 4.4, (112, 104, 66), 0.55)
    brush.cast_box(5.5, 6, 14, 12)
    brush.pane(3.8, 1.5, 12.2, 11, brush.tone(0.95), 4.0)
    brush.line([(8, 3.8), (8, 8.8)], brush.tone(0.6), 1.1)
    brush.line([(6.2, 5.4), (9.8, 5.4)], brush.tone(0.6), 1.1)


def _ankh(brush: Brush) -> None:
    """A holy sign on a plinth, which may go on below the tiles behind it."""
    brush.glow(8, 8, 13, brush.tone(1.2), 0.26)
    top = -1.0 if brush.has(NORTH) else 3.0
    bottom = 17.0 if brush.has(SOUTH) else 14.5
    brush.cast_box(4, top + 2, 14, bottom + 1.5)
    brush.pane(2.5, top, 13.5, bottom, (176, 172, 164), 1.6)
    brush.pane(4.2, top + (3 if brush.has(NORTH) else 1.7), 11.8, bottom - 1.7, (196, 192, 184), 1.2)
    if brush.has(SOUTH):
        return
    for width, light in ((3.0, 0.5), (1.8, 1.1)):
        brush.line([(8, 3), (8, 11.5)], brush.tone(light), width)
        brush.line([(4.4, 5.4), (11.6, 5.4)], brush.tone(light), width)
        brush.line([(8, 4.2), (5.8, 0.8), (8, -2), (10.2, 0.8), (8, 4.2)], brush.tone(light), width * 0.8)


def _fountain(brush: Brush) -> None:
    """Water, and its rim where it ends."""
    water = mix(brush.colour, WATER, 0.85)
    brush.box(0, 0, 16, 16, water)
    for n in range(3):
        x, y = 3 + 10 * brush.chance(n), 3 + 10 * brush.chance(n + 5)
        brush.line([(x - 1.6, y), (x + 1.6, y)], mix(water, FOAM, 0.5), 0.7)
    for width, light in ((4.2, 0.5), (3.5, 1.0), (1.5, 1.18), (0.6, 0.6)):
        brush.edge(width, brush.tone(light))


def _fountain_middle(brush: Brush) -> None:
    """A basin on a foot, a quarter of it on each of four tiles, from which water falls."""
    water = mix(brush.colour, WATER, 0.85)
    brush.box(0, 0, 16, 16, water)
    x = 16.0 if brush.has(EAST) else 0.0 if brush.has(WEST) else 8.0
    y = 16.0 if brush.has(SOUTH) else 0.0 if brush.has(NORTH) else 8.0
    rings = (
        (14.5, mix(water, FOAM, 0.35)),
        (12.6, water),
        (11.4, brush.tone(0.55)),
        (10.6, brush.tone(1.04)),
        (8.6, brush.tone(0.7)),
        (7.9, mix(water, FOAM, 0.2)),
        (5.4, mix(water, FOAM, 0.6)),
        (3.4, brush.tone(0.7)),
        (2.7, brush.tone(1.15)),
    )
    for radius, fill in rings:
        brush.sector(x, y, radius, fill)


# Furniture


def _chair(brush: Brush) -> None:
    """A seat, with a back on the side away from where one looks."""
    brush.cast_box(5, 6, 13.5, 13.8)
    brush.pane(3.6, 3.6, 12.4, 12.4, brush.tone(1.1), 2.0)
    brush.pane(5.6, 5.6, 10.4, 10.4, brush.tone(1.28), 1.4)
    back = {0: (3.2, 10.4, 12.8, 13.2), 2: (2.8, 3.2, 5.6, 12.8), 4: (3.2, 2.8, 12.8, 5.6),
            6: (10.4, 3.2, 13.2, 12.8)}.get(brush.facing)  # fmt: skip
    if back is not None:
        brush.pane(*back, brush.tone(0.8), 1.0)


def _table(brush: Brush) -> None:
    """Its top, one with those beside it."""
    left, right = (-1.0 if brush.has(WEST) else 1.0), (17.0 if brush.has(EAST) else 15.0)
    top, bottom = (-1.0 if brush.has(NORTH) else 2.0), (17.0 if brush.has(SOUTH) else 14.0)
    brush.cast_box(left + 1, top + 2, right + 1, bottom + 2)
    brush.pane(left, top, right, bottom, brush.tone(1.05), 1.2)
    brush.box(max(0, left + 1), top + 1, min(16, right - 1), top + 2.0, brush.tone(1.22))
    brush.line([(max(1, left + 2), 8.6), (min(15, right - 2), 8.6)], brush.tone(0.82), 0.6)


def _barrel(brush: Brush) -> None:
    """From above: lid and hoop."""
    brush.cast(9.8, 10.4, 5.4)
    for radius, light in ((6.0, 0.5), (5.2, 1.0), (4.3, 0.6), (3.6, 1.14)):
        brush.disc(8, 8, radius, brush.tone(light))
    for x in (6.4, 9.6):
        brush.line([(x, 5.6), (x, 10.4)], brush.tone(0.84), 0.6)


def _crate(brush: Brush) -> None:
    """A box of slats."""
    brush.cast_box(4, 5, 15, 15.5)
    brush.pane(2, 2, 14, 14, brush.tone(1.0), 0.8)
    brush.line([(3.6, 3.6), (12.4, 12.4)], brush.tone(0.7), 1.4)
    for n in (3.6, 12.4):
        brush.line([(3, n), (13, n)], brush.tone(0.74), 1.0)
        brush.line([(n, 3), (n, 13)], brush.tone(0.74), 1.0)


def _shelf(brush: Brush) -> None:
    """A row of backs of books."""
    brush.cast_box(1, 6, 17, 12.5)
    brush.pane(0.5, 2.5, 15.5, 11, brush.tone(0.9), 0.8)
    tints = ((166, 62, 52), (66, 100, 140), (192, 160, 88), (84, 124, 74), (132, 86, 140))
    for n in range(6):
        tint = tints[int(brush.chance(n) * 4.99)]
        brush.box(2 + 2 * n, 4.6, 3.7 + 2 * n, 9.2, tint)
        brush.box(2 + 2 * n, 4.6, 3.7 + 2 * n, 5.4, shade(tint, 1.25))


def _bed(brush: Brush) -> None:
    """Sheets, and a pillow at the end where the bed begins."""
    left, right = (-1.0 if brush.has(WEST) else 1.0), (17.0 if brush.has(EAST) else 15.0)
    top, bottom = (-1.0 if brush.has(NORTH) else 1.5), (17.0 if brush.has(SOUTH) else 15.0)
    brush.cast_box(left + 1, top + 2, right + 1.4, bottom + 1.4)
    brush.pane(left, top, right, bottom, (122, 84, 52), 1.2)
    across = brush.has(WEST) or brush.has(EAST)
    pillow = not (brush.has(WEST) if across else brush.has(NORTH))
    cover = (172, 74, 66)
    brush.box(max(0, left + 1.6), max(0, top + 1.6), min(16, right - 1.6), min(16, bottom - 1.6), cover)
    for n in (4.5, 9.0):
        if across:
            brush.line([(n, top + 3), (n, bottom - 3)], shade(cover, 0.86), 0.8)
        else:
            brush.line([(left + 3, n), (right - 3, n)], shade(cover, 0.86), 0.8)
    if pillow:
        brush.pane(left + 2, top + 2, 8.5 if across else right - 2, bottom - 2 if across else 8,
                   brush.tone(1.12), 1.8)  # fmt: skip


def _chest(brush: Brush) -> None:
    """Heavy, with bands and a lock."""
    brush.cast_box(2.5, 5, 15.5, 14.5)
    brush.pane(1.5, 3, 14.5, 13, brush.tone(0.95), 1.6)
    for x in (4.4, 11.6):
        brush.line([(x, 4), (x, 12)], brush.tone(0.6), 1.2)
    brush.pane(6.6, 8.2, 9.4, 11.6, (226, 190, 92), 0.8)


FURNITURE: Final[Mapping[str, Drawing]] = {
    "lamp": _lamp,
    "sign": _sign,
    "gravestone": _gravestone,
    "fountain": _fountain,
    "fountain_middle": _fountain_middle,
    "chair": _chair,
    "table": _table,
    "barrel": _barrel,
    "crate": _crate,
    "shelf": _shelf,
    "bed": _bed,
    "candle": _candle,
    "ankh": _ankh,
    "chest": _chest,
}
"""By shape."""
