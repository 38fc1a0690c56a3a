"""Draws one sprite: the picture of what is on one tile, and the shadow that it casts.

A sprite is drawn eight times as large as it is shown, and made smaller in the end: that gives its lines soft
edges, which Pillow's drawing does not. What looks accidental is taken from one table of noise.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs
from PIL import Image, ImageDraw, ImageFilter

if TYPE_CHECKING:
    from collections.abc import Sequence

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
"""No heading."""

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


@attrs.frozen
class Stamp:
    """The picture of one sprite."""

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

    def edge(self, width: float, fill: Colour) -> None:
        """A straight line along the sides on which the shape does not go on."""
        for side, left, top, right, bottom in (
            (NORTH, 0, 0, 16, width),
            (EAST, 16 - width, 0, 16, 16),
            (SOUTH, 0, 16 - width, 16, 16),
            (WEST, 0, 0, width, 16),
        ):
            if not self.has(side):
                self.box(left, top, right, bottom, fill)

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
        """The finished drawing."""
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


Drawing: TypeAlias = Callable[[Brush], None]
"""Draws one shape."""
