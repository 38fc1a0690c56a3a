"""What a tile's picture is made of: for each shape of protocol.web.looks a function that draws it.

A sprite is drawn once, eight times as large as it is shown. What looks accidental is taken from one table of
noise.
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Final

import attrs
from PIL import Image, ImageDraw, ImageFilter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

TILE: Final = 16
"""Pixels."""
FINE: Final = 8
"""Pixels of a sprite, while it is drawn, for one that is shown."""
PAD: Final = 16
"""Pixels of a sprite around its tile."""

Colour = tuple[int, int, int]
Point = tuple[float, float]
Look = tuple[Colour, str]
"""Colour and shape of a kind of tile."""

NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8
"""Sides of a tile, as bits."""

NOWHERE: Final = -1

_NOISE: Final = hashlib.shake_256(b"the ground of realms").digest(1 << 16)
"""256 x 256 values, repeated over the plane."""

INK: Final[Colour] = (46, 38, 34)
WATER: Final[Colour] = (86, 152, 204)
FOAM: Final[Colour] = (226, 240, 240)


def noise(x: int, y: int, salt: int = 0) -> int:
    """0 to 255, always the same for a place."""
    return _NOISE[((y + 89 * salt) & 255) << 8 | ((x + 57 * salt) & 255)]


def shade(colour: Colour, light: float) -> Colour:
    """Lighter (above 1) or darker."""
    red, green, blue = (min(255, max(0, round(part * light))) for part in colour)
    return red, green, blue


def mix(one: Colour, other: Colour, part: float) -> Colour:
    """`part` of the other one."""
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(one, other, strict=True))
    return red, green, blue


# Sprites --------------------------------------------------------------------------------------------------


@attrs.frozen
class Stamp:
    """What one sprite shows."""

    shape: str
    colour: Colour
    variant: int
    beside: int = 0
    """Sides on which what it shows goes on."""
    facing: int = NOWHERE
    """The heading of somebody who sits there."""


@attrs.frozen(eq=False)
class Sprite:
    """A picture of a tile with `PAD` pixels around it, and the shadow that it casts."""

    image: Image.Image
    shadow: Image.Image | None


class Brush:
    """Draws one sprite. Coordinates are pixels as shown, from the tile's upper left corner."""

    def __init__(self, stamp: Stamp) -> None:
        self.colour = stamp.colour
        self.variant = stamp.variant
        self.beside = stamp.beside
        self.facing = stamp.facing
        size = (TILE + 2 * PAD) * FINE
        # Transparent points have a colour, too: it comes through at edges.
        self._image = Image.new("RGBA", (size, size), (*shade(stamp.colour, 0.6), 0))
        self._shadow = Image.new("L", (size, size), 0)
        self._draw = ImageDraw.Draw(self._image)
        self._shade = ImageDraw.Draw(self._shadow)
        self._casts = False

    def chance(self, salt: int) -> float:
        """0 to 1, always the same for a variant."""
        return noise(self.variant * 31 + 7, salt * 13 + 5, 3) / 255

    def tone(self, light: float) -> Colour:
        """The kind's own colour, lighter or darker."""
        return shade(self.colour, light)

    def has(self, side: int) -> bool:
        """Whether the same shape goes on there."""
        return bool(self.beside & side)

    def disc(self, x: float, y: float, radius: float, fill: Colour, squeeze: float = 1.0) -> None:
        """A circle, or an ellipse of another height."""
        self._draw.ellipse(_box(x, y, radius, squeeze), fill=(*fill, 255))

    def sector(self, x: float, y: float, radius: float, fill: Colour) -> None:
        """The part of a circle that lies on the tile."""
        steps = [n * math.tau / 96 for n in range(96)]
        points = [(x + math.cos(angle) * radius, y + math.sin(angle) * radius) for angle in steps]
        self.area([(min(16.0, max(0.0, px)), min(16.0, max(0.0, py))) for px, py in points], fill)

    def box(self, left: float, top: float, right: float, bottom: float, fill: Colour) -> None:
        """A rectangle; nothing if it has no size."""
        if left < right and top < bottom:
            self._draw.rectangle(_corners(left, top, right, bottom), fill=(*fill, 255))

    def pane(
        self, left: float, top: float, right: float, bottom: float, fill: Colour, radius: float = 1.5
    ) -> None:
        """A rectangle with a dark outline and round corners."""
        edge = shade(fill, 0.55)
        self._draw.rounded_rectangle(
            _corners(left, top, right, bottom), radius=radius * FINE, fill=(*edge, 255)
        )
        self._draw.rounded_rectangle(
            _corners(left + 0.8, top + 0.8, right - 0.8, bottom - 0.8),
            radius=max(0.0, radius - 0.5) * FINE,
            fill=(*fill, 255),
        )

    def line(self, points: Sequence[Point], fill: Colour, width: float) -> None:
        """A stroke with round ends."""
        scaled = [_at(x, y) for x, y in points]
        self._draw.line(scaled, fill=(*fill, 255), width=round(width * FINE), joint="curve")
        for x, y in (points[0], points[-1]):
            self._draw.ellipse(_box(x, y, width / 2), fill=(*fill, 255))

    def area(self, points: Sequence[Point], fill: Colour) -> None:
        """A polygon."""
        self._draw.polygon([_at(x, y) for x, y in points], fill=(*fill, 255))

    def glow(self, x: float, y: float, radius: float, fill: Colour, strength: float) -> None:
        """Light that fades outward."""
        # Below all that follows: it is drawn first, in steps that are too fine to be seen.
        for step in range(24):
            part = step / 24
            self._draw.ellipse(
                _box(x, y, radius * (1 - part)), fill=(*fill, round(255 * strength * part * part))
            )

    def cast(self, x: float, y: float, radius: float, squeeze: float = 1.0) -> None:
        """A round shadow on the ground."""
        self._casts = True
        self._shade.ellipse(_box(x, y, radius, squeeze), fill=255)

    def cast_box(self, left: float, top: float, right: float, bottom: float) -> None:
        """An angular one."""
        self._casts = True
        self._shade.rectangle(_corners(left, top, right, bottom), fill=255)

    def sprite(self) -> Sprite:
        """What was drawn."""
        shadow = None
        if self._casts:
            shadow = self._shadow.reduce(FINE).filter(ImageFilter.GaussianBlur(1.2))
        return Sprite(self._image.convert("RGBa").reduce(FINE).convert("RGBA"), shadow)


def _at(x: float, y: float) -> tuple[float, float]:
    return (x + PAD) * FINE, (y + PAD) * FINE


def _corners(left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
    # Pillow's rectangles end with the point named last.
    return (*_at(left, top), (right + PAD) * FINE - 1, (bottom + PAD) * FINE - 1)


def _box(x: float, y: float, radius: float, squeeze: float = 1.0) -> tuple[float, float, float, float]:
    return _corners(x - radius, y - radius * squeeze, x + radius, y + radius * squeeze)


# Plants


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


# Street furniture


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
        _edge(brush, width, brush.tone(light))


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


# Walls, fences, houses: on the south or the east edge of their tile

_THICK: Final = 5.0


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
    _edge(brush, 1.4, brush.tone(0.42))


def _eaves(brush: Brush) -> None:
    """The last rows of a roof, and the front wall below them."""
    _roof(brush)
    brush.cast_box(1, 12, 18, 19)
    brush.box(0, 11.4, 16, 16, shade((214, 200, 172), 0.45))
    brush.box(0, 12.2, 16, 15.2, (214, 200, 172))
    brush.box(0, 12.2, 16, 13.0, (176, 160, 132))


def _edge(brush: Brush, width: float, fill: Colour) -> None:
    """A straight line along the sides on which the shape does not go on."""
    for side, left, top, right, bottom in (
        (NORTH, 0, 0, 16, width),
        (EAST, 16 - width, 0, 16, 16),
        (SOUTH, 0, 16 - width, 16, 16),
        (WEST, 0, 0, width, 16),
    ):
        if not brush.has(side):
            brush.box(left, top, right, bottom, fill)


# Floors: these fill their tile


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


def _plain(brush: Brush) -> None:
    """A shape that nobody here knows: a block."""
    brush.cast_box(4, 5, 14.5, 14.5)
    brush.pane(2.5, 2.5, 13.5, 13.5, brush.colour)


# Details of grounds that have soft edges


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
    detail: Callable[[Brush], None]
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
"""By shape (protocol.web.looks.TILE_SHAPES). `rock_face` is no kind's: it is where nobody can stand and no
tile says why."""

FLOORS: Final[Mapping[str, Callable[[Brush], None]]] = {
    "slabs": _slabs,
    "boards": _boards,
    "bridge": _bridge,
}
"""Grounds that fill their tile and no more."""

THINGS: Final[Mapping[str, Callable[[Brush], None]]] = {
    "tree": _tree,
    "conifer": _conifer,
    "bare_tree": _bare_tree,
    "bush": _bush,
    "hedge": _hedge,
    "fern": _fern,
    "flowers": _flowers,
    "stones": _stones,
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

COVERING: Final = frozenset({"fountain", "fountain_middle", "roof", "eaves"})
"""Nothing is seen of the ground below these."""

GOES_ON: Final[Mapping[str, frozenset[str]]] = {
    "fountain": frozenset({"fountain", "fountain_middle"}),
    "roof": frozenset({"roof", "eaves"}),
    "eaves": frozenset({"roof", "eaves"}),
    "door": frozenset({"roof", "eaves"}),
}
"""Shapes that are one with shapes of another name beside them."""

DRAWN: Final = {**{shape: soft.detail for shape, soft in SOFT.items()}, **FLOORS, **THINGS}


def draw(stamp: Stamp) -> Sprite:
    """The sprite of a stamp. A shape that nobody here knows is a block."""
    brush = Brush(stamp)
    DRAWN.get(stamp.shape, _plain)(brush)
    return brush.sprite()
