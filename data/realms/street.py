"""Draws one street of a realm as players of each game have it before them: docs/screenshots/street.png.

    python data/realms/street.py [PICTURE.png]

Every panel is made of what a client of that game is sent, or has from `causeway export`: the realm's tiles,
the pieces of Ultima Online's scenery, the pieces of Conquer Online's exported ground, and the landmarks at
the places that are in their packets. How it looks is our own drawing (standins.py): there are no client's
pictures in it. So that the six can be compared, all are seen from above, without roofs, 16 points a tile.
"""

from __future__ import annotations

import struct
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import attrs
from PIL import Image, ImageDraw, ImageFont
from standins import CO_NPCS, EQ2_MODELS, FENCES, L2_NPCS, SPRITES, Thing, sign_of

from protocol.co.looks import compile_looks as co_looks
from protocol.co.painting import paint
from protocol.co.places import read_places as co_places
from protocol.co.puzzle import CELL_HEIGHT, CELL_WIDTH, PIECE, cell_point
from protocol.co.scenery import CoScenery
from protocol.co.view import SIGHT as CO_SIGHT
from protocol.eq2.looks import compile_looks as eq2_looks
from protocol.eq2.view import SIGHT as EQ2_SIGHT
from protocol.l2.looks import compile_looks as l2_looks
from protocol.l2.packets import NPC_ID_BASE, ExColosseumFenceInfo
from protocol.l2.places import read_places as l2_places
from protocol.l2.scenery import L2Scenery
from protocol.l2.view import SIGHT as L2_SIGHT
from protocol.landmarks import Landmark, Landmarks, Run
from protocol.uo.looks import compile_looks as uo_looks
from protocol.web.looks import compile_looks as web_looks
from server.content.loading import load
from server.web.pictures.brush import NOWHERE, PAD, TILE, Colour, Look, Stamp, noise, shade
from server.web.pictures.painter import Painter
from server.web.pictures.sprites import draw
from world.content import Chart, Content, Scenery, TileKind
from world.space import SECTOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

T = TypeVar("T")

HERE: Final = Path(__file__).parent
TARGET: Final = HERE.parents[1] / "docs" / "screenshots" / "street.png"

REALM: Final = "confluence"
BEHIND: Final = 2
"""Tiles around a piece of ground that are painted with it: what stands there reaches into it."""
COLOURS: Final = 192
"""Of the palette."""
NO_BREAK: Final = "\u00a0"
"""A space at which no line ends."""


@attrs.frozen
class Street:
    """A rectangle of tiles."""

    left: int
    top: int
    width: int
    height: int

    def has(self, x: float, y: float) -> bool:
        """Whether a spot lies in it."""
        return self.left <= x < self.left + self.width and self.top <= y < self.top + self.height

    @property
    def size(self) -> tuple[int, int]:
        """Points of its picture."""
        return self.width * TILE, self.height * TILE

    @property
    def sector(self) -> tuple[int, int]:
        """Column and row of the sector in its middle: of whoever stands there."""
        return (self.left + self.width // 2) // SECTOR, (self.top + self.height // 2) // SECTOR


STREET: Final = Street(55, 44, 27, 16)
"""From the fountain of Confluence to its river: a street, a house, the front of another, lamps, the shore."""


@attrs.frozen
class Panel:
    """One of the pictures, and what is written above it."""

    title: str
    about: str
    image: Image.Image


OWN_GROUND: Final[Mapping[str, Colour]] = {
    "uo": (104, 146, 70),
    "co": (176, 160, 104),
    "l2": (128, 146, 84),
    "eq2": (146, 142, 92),
}
"""Stands for the ground that a client has of its own."""


# The panels


def panels(content: Content, realm: str = REALM, street: Street = STREET) -> list[Panel]:
    """Draw a street of a realm in all games. Raises KeyError for a look that has no drawing here."""
    chart = content.charts[realm]
    return [
        Panel(
            "Endless Online and the browser",
            "download the realm, and draw it as it is",
            _painter(content, chart).paint(street.left, street.top, street.width, street.height),
        ),
        _ultima(content, chart, street),
        Panel(
            "Conquer Online, with the exported map",
            "the realm's own ground, painted; what is high leans to the left here; no landmarks",
            _exported(chart, street),
        ),
        _own_ground(street, "Conquer Online, without it", "co", _conquer(content, chart, street)),
        _own_ground(street, "Lineage II", "l2", _lineage(content, chart, street)),
        _own_ground(street, "EverQuest II", "eq2", _everquest(content, chart, street)),
    ]


def _painter(content: Content, chart: Chart, plain: Colour | None = None) -> Painter:
    """Draws as the page does; with `plain`, grass is of that colour."""
    looks = web_looks(content)

    def look(kind: TileKind) -> Look:
        colour, shape = looks.tile(kind)
        red, green, blue = bytes.fromhex(colour.removeprefix("#"))
        return (red, green, blue) if plain is None or kind.key != "grass" else plain, shape

    return Painter(chart, look)


def _ultima(content: Content, chart: Chart, street: Street) -> Panel:
    """What has items is sent; elsewhere the client's own land is seen."""
    looks, grass = uo_looks(content), content.tiles["grass"]
    ground = [
        kind if looks.scenery(kind.key, at % chart.width, at // chart.width) else grass
        for at, kind in enumerate(chart.ground)
    ]
    sent = [piece for piece in chart.scenery if looks.scenery(piece.kind.key, piece.x, piece.y)]
    seen = attrs.evolve(chart, ground=ground, scenery=sent, blocked=bytes(len(chart.blocked)))
    in_street = [piece for piece in sent if street.has(piece.x, piece.y) and piece.kind.layer != "roof"]
    return Panel(
        "Ultima Online",
        f"even grass of its own; {len(in_street)} things, streets and water are sent as items",
        _painter(content, seen, OWN_GROUND["uo"]).paint(street.left, street.top, street.width, street.height),
    )


def _exported(chart: Chart, street: Street) -> Image.Image:
    """Conquer Online's picture of the ground as it is exported, seen from above instead of slantwise: what is
    high leans to the upper left."""
    left, top = max(0, street.left - BEHIND), max(0, street.top - BEHIND)
    right = min(chart.width, street.left + street.width + BEHIND)
    bottom = min(chart.height, street.top + street.height + BEHIND)
    part = _part(chart, left, top, right - left, bottom - top)
    rows = list(paint(part, HERE))
    picture = Image.new("RGB", (len(rows[0]) * PIECE, len(rows) * PIECE))
    for row, pieces in enumerate(rows):
        for column, points in enumerate(pieces):
            if points:
                picture.paste(_piece(points), (column * PIECE, row * PIECE))
    # The middle of tile (0, 0) of that part, and how far a point to the right, and one down, is from it.
    across, down = cell_point(0, 0, part.width, part.height)
    x, y = street.left - left - 0.5, street.top - top - 0.5
    step_across, step_down = CELL_WIDTH / 2 / TILE / 2, CELL_HEIGHT / 2 / TILE / 2
    wide, high = street.size
    return picture.transform(
        (2 * wide, 2 * high),
        Image.Transform.AFFINE,
        (
            step_across,
            -step_across,
            across + CELL_WIDTH / 2 * (x - y),
            step_down,
            step_down,
            down + CELL_HEIGHT / 2 * (x + y),
        ),
        Image.Resampling.BILINEAR,
    ).reduce(2)


def _piece(points: bytes) -> Image.Image:
    """A piece of the picture: 16 bits a point, as they are in the file."""
    values = struct.unpack(f"<{PIECE * PIECE}H", points)
    colours = b"".join(bytes((at >> 8 & 0xF8, at >> 3 & 0xFC, at << 3 & 0xF8)) for at in values)
    return Image.frombytes("RGB", (PIECE, PIECE), colours)


def _part(chart: Chart, left: int, top: int, width: int, height: int) -> Chart:
    """A rectangle of a realm as a realm."""
    rows = [slice(y * chart.width + left, y * chart.width + left + width) for y in range(top, top + height)]
    within = [
        Scenery(piece.kind, piece.x - left, piece.y - top, piece.z)
        for piece in chart.scenery
        if left <= piece.x < left + width and top <= piece.y < top + height
    ]
    return Chart(
        chart.name,
        chart.title,
        width,
        height,
        [kind for row in rows for kind in chart.ground[row]],
        within,
        b"".join(chart.blocked[row] for row in rows),
        [],
    )


# Landmarks: of whoever stands in the middle of the street


def _conquer(content: Content, chart: Chart, street: Street) -> Iterator[Thing]:
    places = co_places([chart], [])
    scenery = CoScenery([chart], co_looks(content).props, places, CO_SIGHT.radius)
    corner = places.named(chart.name, 0, 0)
    for landmark in _in_sight(scenery.landmarks, chart, street):
        message = scenery.message(landmark)
        yield Thing(*CO_NPCS[message.look], message.x - corner.x + 0.5, message.y - corner.y + 0.5)


def _lineage(content: Content, chart: Chart, street: Street) -> Iterator[Thing]:
    places = l2_places([chart], [])
    scenery = L2Scenery([chart], l2_looks(content).props, places, L2_SIGHT.radius)
    atlas = places.named(chart.name)
    for landmark in _in_sight(scenery.landmarks, chart, street):
        message = scenery.message(landmark)
        x, y = (message.x - atlas.x) / atlas.scale, (message.y - atlas.y) / atlas.scale
        if isinstance(message, ExColosseumFenceInfo):
            size = message.width / atlas.scale, message.length / atlas.scale
            yield Thing(*FENCES[message.state], x, y, *size)
        else:
            yield Thing(*L2_NPCS[message.npc_id - NPC_ID_BASE], x, y)


def _everquest(content: Content, chart: Chart, street: Street) -> Iterator[Thing]:
    landmarks = Landmarks("eq2", [chart], eq2_looks(content).props, EQ2_SIGHT.radius)
    for landmark in _in_sight(landmarks, chart, street):
        model = landmark.look.of(landmark.run, landmark.span)
        wide = landmark.span if landmark.run is Run.WEST_EAST else 1
        high = landmark.span if landmark.run is Run.NORTH_SOUTH else 1
        yield Thing(*EQ2_MODELS[model], landmark.x + 0.5, landmark.y + 0.5, wide, high)


def _in_sight(landmarks: Landmarks[T], chart: Chart, street: Street) -> Iterator[Landmark[T]]:
    for landmark in landmarks.of_sector(chart.name, *street.sector).landmarks:
        if street.has(landmark.x, landmark.y):
            yield landmark


# Drawing


def _own_ground(street: Street, title: str, game: str, things: Iterator[Thing]) -> Panel:
    """A ground of the client's own, and things on it, those in the north first."""
    standing = sorted(things, key=lambda thing: (thing.y, thing.x))
    image = Image.new("RGB", street.size, OWN_GROUND[game])
    points = ImageDraw.Draw(image)
    for number in range(street.width * street.height):  # a little grass, so that it looks like ground
        x, y = noise(number, 3, 1) * street.size[0] // 256, noise(number, 5, 2) * street.size[1] // 256
        points.line([(x, y), (x + 1, y - 2)], fill=shade(OWN_GROUND[game], 0.93))
    for thing in standing:
        left, top = (thing.x - street.left) * TILE, (thing.y - street.top) * TILE
        if thing.drawing in SPRITES:
            stamp = Stamp(
                thing.drawing, SPRITES[thing.drawing], noise(int(thing.x), int(thing.y), 6) % 12, 0, NOWHERE
            )
            sprite = draw(stamp)
            image.paste(
                sprite.image, (round(left - TILE / 2) - PAD, round(top - TILE / 2) - PAD), sprite.image
            )
        else:
            sign = sign_of(thing)
            image.paste(sign, (round(left - sign.width / 2), round(top - sign.height / 2)), sign)
    counts = Counter(thing.word for thing in standing)
    counted = ", ".join(f"{count}{NO_BREAK}x{NO_BREAK}{word}" for word, count in counts.most_common())
    return Panel(title, f"ground of its own; {counted}" if counted else "ground of its own", image)


# The sheet

GAP: Final = 10
LETTERS: Final = 13
HEAD: Final = 4 * LETTERS + 8
"""Points above a picture, for its title and three lines about it."""
PAPER: Final[Colour] = (246, 244, 238)
INK: Final[Colour] = (40, 38, 36)
FAINT: Final[Colour] = (110, 104, 96)


def sheet(shown: list[Panel]) -> Image.Image:
    """All panels in two columns, in as few colours as do."""
    wide = max(panel.image.width for panel in shown)
    high = max(panel.image.height for panel in shown)
    rows = -(-len(shown) // 2)
    page = Image.new("RGB", (2 * wide + 3 * GAP, rows * (high + HEAD + GAP) + GAP), PAPER)
    pen, large, small = (
        ImageDraw.Draw(page),
        ImageFont.load_default(LETTERS + 1),
        ImageFont.load_default(LETTERS - 2),
    )
    for number, panel in enumerate(shown):
        x, y = GAP + number % 2 * (wide + GAP), GAP + number // 2 * (high + HEAD + GAP)
        pen.text((x, y), panel.title, INK, large)
        for line, text in enumerate(_lines(panel.about, small, wide)):
            pen.text((x, y + LETTERS + 5 + line * LETTERS), text.replace(NO_BREAK, " "), FAINT, small)
        page.paste(panel.image, (x, y + HEAD))
    return page.quantize(COLOURS, dither=Image.Dither.NONE)


def _lines(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, wide: int) -> list[str]:
    """A text in lines of so many points."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and font.getlength(longer) > wide:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    sheet(panels(load(HERE.parent))).save(target, optimize=True)
