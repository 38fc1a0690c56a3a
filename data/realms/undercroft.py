"""Drew the first version of undercroft.tmj, the vaults below the graveyard. The map is the source of truth:
edit it by hand in the Tiled editor.

Three vaults in a row, each worse than the one before: the cellar, where one arrives and which leaks; the
ossuary; and the throne hall, at whose far end the Hollow King sits. The way back up is in the cellar.

    python data/realms/undercroft.py        writes undercroft.tmj beside this file
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from drawing import Drawing, box, write_map
from kinds import read_kinds

if TYPE_CHECKING:
    from kinds import Kinds

SIDE = 60

CELLAR = (4, 38, 22, 56)
OSSUARY = (4, 6, 24, 28)
HALL = (34, 8, 56, 44)
"""The walls of each room: left, top, right and bottom."""


def draw(kinds: Kinds) -> Drawing:
    """The whole realm."""
    drawing = Drawing(kinds, seed=1303, side=SIDE, ground="rock")
    for room in (CELLAR, OSSUARY, HALL):
        left, top, right, bottom = room
        drawing.lay("cave", box(left, top, right, bottom))
        drawing.frame(room, "stone_south", "stone_east", "stone_corner", "stone_post")
    _corridors(drawing)
    _furnish(drawing)
    drawing.place("spawn", (13, 52))
    drawing.place("warp", (13, 55), realm="confluence", to_x=24, to_y=16)
    drawing.place("sign", (11, 54), title="Up", text="The way back to the graveyard.")
    drawing.objects[11, 54] = "sign_plain"
    _creatures(drawing)
    reached = drawing.reached((13, 52), {})
    lost = [cell for cell in drawing.ground if cell not in reached and not drawing.blocked(cell)]
    if lost:
        raise SystemExit(f"nobody can walk to {lost}")
    return drawing


def _corridors(drawing: Drawing) -> None:
    """From the cellar to the ossuary and from there to the hall; their rock has no walls."""
    drawing.lay("cave", [*box(12, 28, 14, 38), *box(24, 16, 34, 18)])
    for x in (12, 13, 14):
        for y in (OSSUARY[3], CELLAR[1]):
            del drawing.south[x, y]
    for y in (16, 17, 18):
        for x in (OSSUARY[2], HALL[0]):
            del drawing.east[x, y]


def _furnish(drawing: Drawing) -> None:
    for cell in ((6, 40), (7, 40), (6, 41), (20, 40), (20, 41), (19, 54), (20, 54)):
        drawing.objects[cell] = "barrel"
    for cell in ((8, 40), (19, 40), (20, 53), (6, 54)):
        drawing.objects[cell] = "crate"
    for y in (10, 13, 20, 23):
        for x in (7, 9, 11, 16, 18, 20):
            if drawing.dice.random() < 0.8:
                drawing.objects[x, y] = "gravestone"
    for y in (14, 20, 26, 32, 38):
        for x in (38, 52):
            drawing.objects[x, y] = "candle"
    for cell in ((10, 50), (16, 50), (10, 43), (16, 43), (6, 8), (22, 8), (6, 26), (22, 26)):
        drawing.objects[cell] = "candle"
    drawing.lay("flagstone", box(43, 12, 47, 43))
    drawing.objects[44, 11] = drawing.objects[46, 11] = "candle"
    drawing.objects[45, 10] = "chair_south"


def _creatures(drawing: Drawing) -> None:
    drawing.spawner("cellar", (6, 42, 15, 8), "slime 2, skeleton 2, bat", 6)
    drawing.spawner("ossuary", (6, 8, 17, 19), "mummy 2, bone_knight 2, ghoul 2, imp", 9)
    drawing.spawner("hall", (36, 24, 19, 19), "troll 2, ogre 2, earth_elemental", 5)
    drawing.spawner("court", (39, 13, 13, 8), "lich", 2, (120.0, 240.0))
    drawing.spawner("throne", (43, 12, 5, 3), "hollow_king", 1, (600.0, 900.0))


if __name__ == "__main__":
    write_map(draw(read_kinds()), "undercroft")
