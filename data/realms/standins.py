"""What stands in a client's own ground for our walls, trees and lamps, and how street.py draws that.

A landmark's look is a number. Here is what it is called where data/looks/tiles.toml has it from, and which
drawing stands for it: one of ours, since no client's pictures are in this project.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

import attrs
from PIL import Image, ImageDraw

from server.web.pictures.brush import TILE, Colour

FINE: Final = 4
"""Signs are drawn so many times as large as they are shown."""


@attrs.frozen
class Thing:
    """What stands somewhere instead of our tiles: what it is called, how it is drawn here, and its middle and
    size in tiles."""

    word: str
    drawing: str
    x: float
    y: float
    wide: float = 1
    high: float = 1


# The names, and the drawing for each

FENCES: Final = {1: ("posts", "posts"), 2: ("fence", "rails")}
"""Lineage II, by the state of a fence (data/looks/tiles.toml)."""
L2_NPCS: Final = {
    30627: ("tree", "tree"),
    31031: ("broadcasting tower", "pole"),
    31149: ("urn", "barrel"),
    31508: ("altar", "ankh"),
    31523: ("tombstone", "gravestone"),
    31527: ("well", "well"),
    31530: ("box", "chest"),
    32027: ("brazier", "lamp"),
    32076: ("box", "crate"),
}
"""By template, with their names in L2JMobius/L2Jmobius_Interlude (dist/game/data/stats/npcs)."""
CO_NPCS: Final = {
    427: ("stake", "stake"),
    437: ("scarecrow", "scarecrow"),
    457: ("stake", "stake"),
    517: ("stake", "stake"),
    1086: ("flag", "flag"),
    1137: ("pole", "pole"),
    8200: ("box", "crate"),
}
"""By look, with their names in shekohex/coemu (data/NPCs.csv)."""
EQ2_MODELS: Final = {
    33: ("tree", "tree"),
    1439: ("archway", "arch"),
    1512: ("vault", "chest"),
    1549: ("gravestone", "gravestone"),
    1554: ("barricade", "rails"),
    1556: ("barricade", "rails"),
    1557: ("barricade", "rails"),
    1668: ("rock", "rock"),
    1704: ("shrine", "ankh"),
    1714: ("signpost", "sign"),
    1725: ("boulder", "rock"),
    1749: ("holy symbol", "ankh"),
    1924: ("barrel", "barrel"),
    1950: ("crate", "crate"),
    1975: ("counter", "rails"),
    1978: ("counter", "rails"),
    1999: ("bed step", "crate"),
    2039: ("table", "table"),
    2080: ("floor lamp", "lamp"),
    2118: ("bed", "crate"),
    2383: ("dead tree", "bare_tree"),
    2903: ("pillar", "pillar"),
    2904: ("pillar", "pillar"),
    3012: ("bookcase", "crate"),
    3094: ("basin", "basin"),
    3458: ("lamp post", "lamp"),
    3478: ("fountain", "well"),
    3908: ("bush", "bush"),
    4076: ("bush", "bush"),
}
"""By appearance, with their names in EQ2Emulator-net/EQ2Emulator-Rewrite (trunk/sql/appearances.sql)."""

SPRITES: Final[Mapping[str, Colour]] = {
    "tree": (66, 117, 60),
    "bare_tree": (123, 104, 83),
    "bush": (79, 135, 64),
    "lamp": (60, 60, 64),
    "sign": (150, 112, 63),
    "gravestone": (168, 170, 172),
    "crate": (166, 128, 78),
    "barrel": (124, 82, 46),
    "chest": (128, 132, 140),
    "table": (132, 82, 40),
    "ankh": (220, 196, 96),
}
"""Drawings that the page has, too, and their colours."""


# Drawings


def sign_of(thing: Thing) -> Image.Image:
    """The drawing of a thing for which the page has none; transparent, and a tile larger, around it."""
    wide, high = round(thing.wide * TILE) + TILE, round(thing.high * TILE) + TILE
    large = Image.new("RGBA", (wide * FINE, high * FINE), (70, 56, 40, 0))
    pen = ImageDraw.Draw(large)
    SIGNS[thing.drawing](
        pen, wide * FINE / 2, high * FINE / 2, thing.wide * TILE * FINE, thing.high * TILE * FINE
    )
    return large.reduce(FINE)


Sign: TypeAlias = Callable[[ImageDraw.ImageDraw, float, float, float, float], None]
"""Draws something around a middle, of a width and a height in fine points."""

WOOD: Final = (112, 80, 48, 255)
DARK: Final = (70, 52, 34, 255)
STONE: Final = (176, 172, 164, 255)
SHADE: Final = (104, 102, 98, 255)
UNIT: Final = FINE * TILE
"""Fine points of a tile."""


def _fence(pen: ImageDraw.ImageDraw, x: float, y: float, wide: float, high: float, *, rails: bool) -> None:
    """Posts at the corners of a rectangle, with rails between them or without."""
    box = x - wide / 2 + 6, y - high / 2 + 6, x + wide / 2 - 6, y + high / 2 - 6
    if rails:
        pen.rectangle(box, outline=WOOD, width=7)
    for px in (box[0], box[2]):
        for py in (box[1], box[3]):
            pen.ellipse((px - 8, py - 8, px + 8, py + 8), fill=DARK)


def _stake(pen: ImageDraw.ImageDraw, x: float, y: float, _: float, __: float) -> None:
    pen.line([(x, y + 20), (x, y - 22)], fill=DARK, width=13)
    pen.line([(x, y + 20), (x, y - 22)], fill=WOOD, width=7)


def _scarecrow(pen: ImageDraw.ImageDraw, x: float, y: float, _: float, __: float) -> None:
    pen.line([(x, y + 28), (x, y - 14)], fill=DARK, width=8)
    pen.line([(x - 24, y - 8), (x + 24, y - 8)], fill=DARK, width=8)
    pen.polygon(
        [(x - 13, y - 8), (x + 13, y - 8), (x + 9, y + 16), (x - 9, y + 16)], fill=(150, 110, 60, 255)
    )
    pen.ellipse((x - 10, y - 30, x + 10, y - 10), fill=(220, 196, 130, 255))


def _flag(pen: ImageDraw.ImageDraw, x: float, y: float, _: float, __: float) -> None:
    pen.line([(x - 10, y + 28), (x - 10, y - 30)], fill=DARK, width=7)
    pen.polygon([(x - 8, y - 30), (x + 28, y - 20), (x - 8, y - 8)], fill=(184, 44, 40, 255))


def _pole(pen: ImageDraw.ImageDraw, x: float, y: float, _: float, __: float) -> None:
    pen.line([(x, y + 30), (x, y - 30)], fill=DARK, width=11)
    pen.ellipse((x - 10, y - 40, x + 10, y - 20), fill=(214, 178, 70, 255))


def _pillar(pen: ImageDraw.ImageDraw, x: float, y: float, _: float, __: float) -> None:
    pen.ellipse((x - 26, y - 26, x + 26, y + 26), fill=SHADE)
    pen.ellipse((x - 19, y - 19, x + 19, y + 19), fill=STONE)


def _rock(pen: ImageDraw.ImageDraw, x: float, y: float, _: float, __: float) -> None:
    pen.polygon(
        [(x - 28, y + 14), (x - 14, y - 18), (x + 12, y - 22), (x + 28, y + 8), (x + 10, y + 22)], fill=SHADE
    )
    pen.polygon([(x - 18, y + 4), (x - 9, y - 13), (x + 9, y - 16), (x + 16, y + 2)], fill=STONE)


def _well(pen: ImageDraw.ImageDraw, x: float, y: float, _: float, __: float) -> None:
    pen.ellipse((x - 46, y - 46, x + 46, y + 46), fill=SHADE)
    pen.ellipse((x - 40, y - 40, x + 40, y + 40), fill=STONE)
    pen.ellipse((x - 27, y - 27, x + 27, y + 27), fill=(74, 134, 189, 255))


def _basin(pen: ImageDraw.ImageDraw, x: float, y: float, _: float, __: float) -> None:
    pen.ellipse((x - 25, y - 25, x + 25, y + 25), fill=SHADE)
    pen.ellipse((x - 18, y - 18, x + 18, y + 18), fill=(74, 134, 189, 255))


def _arch(pen: ImageDraw.ImageDraw, x: float, y: float, _: float, __: float) -> None:
    pen.rectangle((x - UNIT / 2, y - 12, x - UNIT / 2 + 18, y + 12), fill=SHADE)
    pen.rectangle((x + UNIT / 2 - 18, y - 12, x + UNIT / 2, y + 12), fill=SHADE)
    pen.line([(x - UNIT / 2, y - 8), (x + UNIT / 2, y - 8)], fill=STONE, width=9)


SIGNS: Final[Mapping[str, Sign]] = {
    "posts": partial(_fence, rails=False),
    "rails": partial(_fence, rails=True),
    "stake": _stake,
    "scarecrow": _scarecrow,
    "flag": _flag,
    "pole": _pole,
    "pillar": _pillar,
    "rock": _rock,
    "well": _well,
    "basin": _basin,
    "arch": _arch,
}
