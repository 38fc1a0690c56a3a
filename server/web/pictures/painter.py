"""A realm's picture, made from its tiles: seen from above, 16 pixels a tile, in chunks of 32 x 32 tiles.

Tiles alone look like a chessboard, and a picture of a whole realm takes hundreds of megabytes. So:

- Grounds with soft edges (grass, paths, sand, water) are drawn from *fields*: an image with one pixel a tile,
  white where that ground is, made larger and blurred, so that its half grey is the shore. The higher lie over
  the lower ones.
- Everything else is a sprite (`server.web.pictures.sprites`), drawn once for each shape, colour and variant;
  first all shadows, then what casts them, from north to south.
- What looks accidental is taken from a table of noise by the tile's position.

A chunk is thereby a pure function of its tiles and those around them (`MARGIN`): whoever puts chunks together
sees no seams, however the realm is cut. No more than one chunk is ever held, and between two pieces of work
`rest` is called, so that whoever draws in a thread can let others have Python's lock.

Pictures that an artist drew for each tile were not used: their edges would have to be drawn for every pair of
grounds, and a designer may give a kind any colour.
"""

from __future__ import annotations

import hashlib
import io
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Final

import PIL
from PIL import Image, ImageChops, ImageFilter

from server.web.pictures.brush import (
    EAST,
    FOAM,
    INK,
    NORTH,
    NOWHERE,
    PAD,
    SOUTH,
    TILE,
    WEST,
    Stamp,
    mix,
    noise,
)
from server.web.pictures.grounds import SOFT, WATERS
from server.web.pictures.sprites import COVERING, GOES_ON, draw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from server.web.pictures.brush import Colour, Look, Sprite
    from world.content import Chart, TileKind

SOURCES: Final = Path(__file__).parent
"""All that makes pictures what they are, besides the tiles."""
CHUNK: Final = 32
"""Tiles along a side."""
MARGIN: Final = 4
"""Tiles around a chunk that are drawn with it: no crown, shadow or shore reaches farther."""
GRID: Final = 4
"""A picture begins at a multiple of so many tiles: the coarsest noise has one value for that many."""
VARIANTS: Final = 12
"""Sprites of one kind that differ a little."""

ROCK: Final[Colour] = (122, 116, 104)
"""Where nobody can stand and no tile says why."""
_GRASS: Final[Look] = ((112, 154, 78), "grass")


class Painter:
    """Draws any part of one realm. `look` gives a kind's colour and shape."""

    def __init__(self, chart: Chart, look: Callable[[TileKind], Look]) -> None:
        self.chart = chart
        self._kinds = sorted({kind.key: kind for kind in _kinds(chart)}.values(), key=lambda kind: kind.key)
        self._looks = {kind.key: look(kind) for kind in self._kinds}
        self._sprites: dict[Stamp, Sprite] = {}
        width = chart.width
        self._scenery: dict[int, list[TileKind]] = {}
        """What stands on a tile, by its index."""
        for piece in chart.scenery:
            if piece.kind.layer != "roof":  # one walks below them
                self._scenery.setdefault(piece.y * width + piece.x, []).append(piece.kind)
        self._explained = {piece.y * width + piece.x for piece in chart.scenery if not piece.kind.walkable}
        for standing in self._scenery.values():
            standing.sort(key=lambda kind: _LAYERS.index(kind.layer))

    @property
    def fingerprint(self) -> str:
        """A hash over everything that the picture depends on."""
        chart = self.chart
        numbers = {kind.key: number for number, kind in enumerate(self._kinds)}
        digest = hashlib.sha256(f"{PIL.__version__} {chart.width} {chart.height}".encode())
        for source in sorted(SOURCES.glob("*.py")):  # whoever changes them has no number to remember
            digest.update(source.read_bytes())
        for kind in self._kinds:
            digest.update(repr((kind.layer, kind.walkable, kind.seat, self._looks[kind.key])).encode())
        digest.update(b"".join(numbers[kind.key].to_bytes(2) for kind in chart.ground))
        digest.update(repr([(numbers[at.kind.key], at.x, at.y) for at in chart.scenery]).encode())
        digest.update(chart.blocked)
        digest.update(array("i", chart.heights).tobytes())
        return digest.hexdigest()[:20]

    def chunks(self) -> tuple[int, int]:
        """Numbers of chunks from west to east, and from north to south."""
        return -(-self.chart.width // CHUNK), -(-self.chart.height // CHUNK)

    def chunk(self, column: int, row: int, *, rest: Callable[[], None] = lambda: None) -> bytes:
        """A chunk as a PNG file of 512 x 512 pixels, transparent beyond the realm. `rest` is called between
        two pieces of work."""
        left, top = column * CHUNK, row * CHUNK
        width, height = min(CHUNK, self.chart.width - left), min(CHUNK, self.chart.height - top)
        image = self.paint(left, top, width, height, rest=rest)
        if (width, height) != (CHUNK, CHUNK):
            whole = Image.new("RGBA", (CHUNK * TILE, CHUNK * TILE), (0, 0, 0, 0))
            whole.paste(image, (0, 0))
            image = whole
        # Colours that are a little coarser make half the file, and nobody sees it.
        bands = len(image.getbands())
        image = image.point(_COARSE * 3 + list(range(256)) * (bands - 3))
        file = io.BytesIO()
        image.save(file, "PNG", compress_level=6)
        return file.getvalue()

    def paint(
        self,
        left: int,
        top: int,
        width: int,
        height: int,
        *,
        rest: Callable[[], None] = lambda: None,
    ) -> Image.Image:
        """A rectangle of tiles."""
        west, north = (left - MARGIN) // GRID * GRID, (top - MARGIN) // GRID * GRID
        east = -(-(left + width + MARGIN) // GRID) * GRID
        south = -(-(top + height + MARGIN) // GRID) * GRID
        sheet = _Sheet(self, west, north, east - west, south - north, rest)
        x, y = (left - west) * TILE, (top - north) * TILE
        return sheet.paint().crop((x, y, x + width * TILE, y + height * TILE))

    def ground(self, x: int, y: int) -> Look:
        """Look of the ground on a tile; beyond the realm its edge goes on."""
        chart = self.chart
        x, y = min(max(x, 0), chart.width - 1), min(max(y, 0), chart.height - 1)
        index = y * chart.width + x
        kind = chart.ground[index]
        if chart.blocked[index] and kind.walkable and index not in self._explained:
            return mix(ROCK, self._looks[kind.key][0], 0.2), "rock_face"
        return self._looks[kind.key]

    def height(self, x: int, y: int) -> int:
        """Height of a tile."""
        chart = self.chart
        x, y = min(max(x, 0), chart.width - 1), min(max(y, 0), chart.height - 1)
        return chart.heights[y * chart.width + x]

    def standing(self, x: int, y: int) -> Sequence[TileKind]:
        """Kinds of the things that stand on a tile, the lowest first."""
        chart = self.chart
        if not (0 <= x < chart.width and 0 <= y < chart.height):
            return ()
        return self._scenery.get(y * chart.width + x, ())

    def look(self, kind: TileKind) -> Look:
        """Colour and shape of one of the realm's kinds."""
        return self._looks[kind.key]

    def shapes(self, x: int, y: int) -> frozenset[str]:
        """All shapes that a tile has, the ground's among them."""
        return frozenset({self.ground(x, y)[1], *(self.look(kind)[1] for kind in self.standing(x, y))})

    def sprite(self, stamp: Stamp) -> Sprite:
        """Drawn once."""
        sprite = self._sprites.get(stamp)
        if sprite is None:
            sprite = self._sprites[stamp] = draw(stamp)
        return sprite


_LAYERS: Final = ("ground", "object", "wall_south", "wall_east")


def _kinds(chart: Chart) -> Iterator[TileKind]:
    """Those of a realm."""
    yield from chart.ground
    for piece in chart.scenery:
        yield piece.kind


class _Sheet:
    """One rectangle of tiles while it is painted. What is next to it is in it."""

    def __init__(
        self, painter: Painter, left: int, top: int, width: int, height: int, rest: Callable[[], None]
    ) -> None:
        self.painter = painter
        self.left, self.top, self.width, self.height = left, top, width, height
        self.rest = rest
        self.size = width * TILE, height * TILE
        self.tiles = [(x, y) for y in range(top, top + height) for x in range(left, left + width)]
        self.looks = {tile: painter.ground(*tile) for tile in self.tiles}
        self.shapes = {tile: painter.shapes(*tile) for tile in self.tiles}
        self.soft = {tile: self._soft(*tile) for tile in self.tiles}
        """Each tile's ground with a soft edge; where there is a floor, that which goes on below it."""
        self.orders = {tile: SOFT[shape].order for tile, (_, shape) in self.soft.items()}
        self.wobble = self._grain(TILE, 1).point([(value - 128) // 4 + 128 for value in range(256)])
        """What moves a soft edge here and there."""

    def paint(self) -> Image.Image:
        """All of it."""
        image = self._soft_grounds()
        self._floors(image)
        self._relief(image)
        self._things(image)
        return image

    def _soft(self, x: int, y: int) -> Look:
        look = self.looks[x, y]
        if self._is_soft(x, y):
            return look
        around: dict[Look, int] = {}
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                near = self.looks.get((x + dx, y + dy))
                if near is not None and self._is_soft(x + dx, y + dy):
                    around[near] = around.get(near, 0) + 1
        return max(around, key=lambda near: (around[near], near), default=_GRASS)

    def _is_soft(self, x: int, y: int) -> bool:
        return self.looks[x, y][1] in SOFT and not self.shapes[x, y] & COVERING

    # Fields

    def _spread(self, values: Sequence[int]) -> Image.Image:
        """One value a tile, made as large as the sheet."""
        small = Image.frombytes("L", (self.width, self.height), bytes(values))
        return small.resize(self.size, Image.Resampling.BILINEAR)

    def _grain(self, period: int, salt: int) -> Image.Image:
        """Noise with one value every so many pixels, and smooth between them."""
        # Smooth is what has two more values on all sides.
        columns, rows = self.size[0] // period + 4, self.size[1] // period + 4
        x, y = self.left * TILE // period - 2, self.top * TILE // period - 2
        values = bytes(noise(x + dx, y + dy, salt) for dy in range(rows) for dx in range(columns))
        small = Image.frombytes("L", (columns, rows), values)
        large = small.resize((columns * period, rows * period), Image.Resampling.BICUBIC)
        return large.crop((2 * period, 2 * period, 2 * period + self.size[0], 2 * period + self.size[1]))

    def _field(self, order: int) -> Image.Image:
        """Where a ground of that order or a higher one is; 128 is its edge."""
        inside = self._spread([255 * (self.orders[tile] >= order) for tile in self.tiles])
        smooth = inside.filter(ImageFilter.GaussianBlur(3))
        return ImageChops.add(smooth, self.wobble, 1, -128)

    # Layers

    def _soft_grounds(self) -> Image.Image:
        image = Image.new("RGB", self.size)
        light = ImageChops.add(self._grain(GRID * TILE, 2), self._grain(TILE // 2, 3), 2)
        light = Image.merge("RGB", [light.point(_LIGHT)] * 3)
        rims = {SOFT[shape].order: SOFT[shape].rim for _, shape in self.soft.values()}
        for number, (order, rim) in enumerate(sorted(rims.items())):
            self.rest()
            mine = {tile: look for tile, look in self.soft.items() if self.orders[tile] == order}
            around = {
                tile: max(near)
                for tile in self.tiles
                if tile not in mine and (near := [mine[at] for at in _around(*tile) if at in mine])
            }
            texture = self._texture(mine | around, light)
            if number == 0:
                image = texture
                continue
            field = self._field(order)
            # Only near tiles of this order: elsewhere it is the edge of a higher one, drawn in its own turn.
            close = self._spread([255 * (tile in mine or tile in around) for tile in self.tiles])

            def only(
                levels: Sequence[int], field: Image.Image = field, close: Image.Image = close
            ) -> Image.Image:
                return ImageChops.multiply(field.point(list(levels)), close)

            image.paste(INK, (0, 0), only(_bump(118, 46, 1 - rim)))
            if order == WATERS:
                texture = self._shallows(texture)
            image.paste(texture, (0, 0), only(_EDGE))
            if order == WATERS:
                image.paste(FOAM, (0, 0), only(_bump(146, 20, 0.5)))
        return image

    def _texture(self, looks: Mapping[tuple[int, int], Look], light: Image.Image) -> Image.Image:
        """Grounds of one order, somewhat farther than they are: that is cut out of it later."""
        default = next(iter(looks.values()))[0]
        colours = {tile: colour for tile, (colour, _) in looks.items()}
        values = b"".join(bytes(colours.get(tile, default)) for tile in self.tiles)
        small = Image.frombytes("RGB", (self.width, self.height), values)
        texture = small.resize(self.size, Image.Resampling.BILINEAR)
        # Multiplication only darkens: what it makes is too dark by `MOST`.
        texture = ImageChops.multiply(texture, light).point(_BRIGHT)
        for number, ((x, y), (colour, shape)) in enumerate(looks.items()):
            if number % 128 == 0:
                self.rest()
            self._stamp(texture, x, y, Stamp(shape, colour, noise(x, y, 4) % VARIANTS))
        return texture

    def _shallows(self, texture: Image.Image) -> Image.Image:
        """Water is deeper, and darker, away from its shore."""
        depth = self._spread([255 * (self.orders[tile] == WATERS) for tile in self.tiles])
        depth = depth.filter(ImageFilter.GaussianBlur(11))
        light = texture.point([min(255, round(value * 0.72 + 74)) for value in range(256)] * 3)
        dark = texture.point([round(value * 0.88) for value in range(256)] * 3)
        return Image.composite(dark, light, depth.point(_ramp(120, 252)))

    def _floors(self, image: Image.Image) -> None:
        for x, y in self.tiles:
            colour, shape = self.looks[x, y]
            if shape not in SOFT and not self.shapes[x, y] & COVERING:
                variant = noise(x, y, 5) % VARIANTS
                self._stamp(image, x, y, Stamp(shape, colour, variant, self._beside(x, y, shape)))
        self.rest()

    def _relief(self, image: Image.Image) -> None:
        """Slopes towards the north-west are lighter than those away from it."""
        if not self.painter.chart.heights:
            return
        height = self.painter.height
        slopes = [
            128 + max(-RELIEF, min(RELIEF, (height(x, y) - height(x - 1, y - 1)) // 2)) for x, y in self.tiles
        ]
        slope = self._spread(slopes).filter(ImageFilter.GaussianBlur(4))
        image.paste((255, 250, 226), (0, 0), slope.point([max(0, value - 128) for value in range(256)]))
        image.paste((24, 30, 44), (0, 0), slope.point([max(0, 128 - value) for value in range(256)]))

    def _things(self, image: Image.Image) -> None:
        """Shadows of all, then what casts them, from north to south."""
        stamps: list[tuple[int, int, Sprite]] = []
        for x, y in self.tiles:
            for kind in self.painter.standing(x, y):
                colour, shape = self.painter.look(kind)
                facing = NOWHERE if kind.seat is None else kind.seat
                variant = noise(x, y, 6) % VARIANTS
                stamp = Stamp(shape, colour, variant, self._beside(x, y, shape), facing)
                stamps.append((x, y, self.painter.sprite(stamp)))
        self.rest()
        shadows = Image.new("L", self.size, 0)
        for x, y, sprite in stamps:
            if sprite.shadow is not None:
                at = self._corner(x, y)
                box = (*at, at[0] + sprite.shadow.width, at[1] + sprite.shadow.height)
                shadows.paste(ImageChops.lighter(shadows.crop(box), sprite.shadow), at)
        self.rest()
        image.paste(SHADOW, (0, 0), shadows.point([round(value * 0.42) for value in range(256)]))
        for number, (x, y, sprite) in enumerate(stamps):
            if number % 64 == 0:
                self.rest()
            image.paste(sprite.image, self._corner(x, y), sprite.image)

    # Stamps

    def _corner(self, x: int, y: int) -> tuple[int, int]:
        return (x - self.left) * TILE - PAD, (y - self.top) * TILE - PAD

    def _stamp(self, image: Image.Image, x: int, y: int, stamp: Stamp) -> None:
        sprite = self.painter.sprite(stamp)
        image.paste(sprite.image, self._corner(x, y), sprite.image)

    def _beside(self, x: int, y: int, shape: str) -> int:
        same = GOES_ON.get(shape, frozenset({shape}))
        near = ((NORTH, (x, y - 1)), (EAST, (x + 1, y)), (SOUTH, (x, y + 1)), (WEST, (x - 1, y)))
        return sum(side for side, tile in near if same & self.shapes.get(tile, _NOTHING))


RELIEF: Final = 56
"""How light or dark the steepest slope is, of 255."""
SHADOW: Final[Colour] = (20, 30, 44)

_NOTHING: Final[frozenset[str]] = frozenset()


def _around(x: int, y: int) -> Iterator[tuple[int, int]]:
    return ((x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1))


def _ramp(low: int, high: int) -> list[int]:
    """0 up to `low`, 255 from `high`."""
    return [min(255, max(0, 255 * (value - low) // (high - low))) for value in range(256)]


_EDGE: Final = _ramp(120, 136)


def _bump(middle: int, width: int, strength: float) -> list[int]:
    """`strength` at the middle, falling to nothing on both sides of it."""
    return [round(255 * strength * max(0.0, 1 - abs(value - middle) / width)) for value in range(256)]


MOST: Final = 1.1
_LIGHT: Final = [round(255 * (0.9 + 0.2 * value / 255) / MOST) for value in range(256)]
"""Noise as how light a ground is, in which 255 is `MOST`."""
_BRIGHT: Final = [min(255, round(value * MOST)) for value in range(256)] * 3
_COARSE: Final = [min(255, (value & 0xFC) + 2) for value in range(256)]
