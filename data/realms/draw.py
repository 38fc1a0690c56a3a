"""Drew the first version of confluence.tmj. The map is the source of truth: edit it by hand in the Tiled
editor.

Kept because it says what was meant where, and to draw another realm the same way (`undercroft.py`). Running
it again throws away what was drawn by hand since. The same seed gives the same map, byte for byte.

    python data/realms/draw.py        writes confluence.tmj beside this file
"""

from __future__ import annotations

import math

from drawing import CORNERS, SIDE, SIDES, Cell, Drawing, Rows, box, write_map
from kinds import Kinds, read_kinds


def edges(drawing: Drawing, name: str, same: tuple[str, ...], turns: tuple[str, ...]) -> None:
    """Gives the outer tiles of one ground a picture with a border; `turns` are the borders that exist."""

    def missing(x: int, y: int, ways: dict[str, Cell]) -> str:
        return "".join(
            way
            for way, (dx, dy) in ways.items()
            if not drawing.ground.get((x + dx, y + dy), name).startswith(same)
        )

    chosen: Rows = {}
    for (x, y), kind in drawing.ground.items():
        if kind == name:
            sides = "".join(way for way in missing(x, y, SIDES) if way in turns)
            turned = {"": "", "ne": "ne", "nw": "nw", "es": "se", "sw": "sw"}.get(sides, sides)
            inner = missing(x, y, CORNERS)
            if f"{name}_{turned}" in drawing.kinds:
                chosen[x, y] = f"{name}_{turned}"
            elif not sides and f"{name}_inner_{inner}" in drawing.kinds:
                chosen[x, y] = f"{name}_inner_{inner}"
    drawing.ground.update(chosen)


def river(drawing: Drawing) -> None:
    """From the north edge to the lake in the south-east, with sand where it is wide."""
    for y in range(92):
        middle = int(86.5 + 4.5 * math.sin((y - 58) / 14) + 1.2 * math.sin((y - 58) / 5))
        half = 2 + (y > 30) + (y > 75)
        drawing.lay("water", box(middle - half, y, middle + half, y))
        drawing.keep(box(middle - half - 1, y, middle + half + 1, y))
    for x, y in box(70, 80, 112, 116):
        reach = ((x - 91) / 15) ** 2 + ((y - 98) / 11) ** 2 + drawing.dice.uniform(-0.03, 0.03)
        if reach < 1:
            drawing.lay("water", [(x, y)])
        elif reach < 1.1 + 0.5 * min(1.0, max(0.0, (y - x + 14) / 24)) and drawing.ground[x, y] == "grass":
            drawing.lay("sand", [(x, y)])
        if reach < 1.7:
            drawing.keep([(x, y)])
    _smooth(drawing)


def _smooth(drawing: Drawing) -> None:
    # A tile of land with water on both sides, or of water with land on both, has no picture of its border.
    for _ in range(4):
        for (x, y), kind in list(drawing.ground.items()):
            around = [drawing.ground.get((x + dx, y + dy), kind) for dx, dy in SIDES.values()]
            wet = sum(other == "water" for other in around)
            if kind != "water" and wet >= 3:
                drawing.ground[x, y] = "water"
            elif kind == "water" and wet <= 1:
                drawing.ground[x, y] = next(other for other in around if other != "water")


def square(drawing: Drawing) -> None:
    """The cobbled square, its fountain and lamps, and the streets that leave it."""
    drawing.lay("cobble", box(46, 49, 65, 66))
    drawing.lay("flagstone", box(52, 54, 59, 61))
    drawing.lay("basin", box(54, 56, 57, 59))
    for x, y in box(0, 0, 3, 3):
        drawing.objects[54 + x, 56 + y] = f"fountain_{x}{y}"
    drawing.keep(box(44, 47, 67, 68))
    drawing.lay("cobble", box(32, 57, 82, 59))
    drawing.lay("cobble", box(54, 30, 57, 94))
    drawing.lay(
        "flagstone", [*box(52, 54, 59, 55), *box(52, 60, 59, 61), *box(52, 54, 53, 61), *box(58, 54, 59, 61)]
    )
    drawing.lay("basin", box(54, 56, 57, 59))
    drawing.keep([*box(30, 56, 82, 60), *box(53, 30, 58, 94)])
    for cell in ((47, 50), (64, 50), (47, 65), (64, 65), (52, 54), (59, 54), (52, 61), (59, 61)):
        drawing.objects[cell] = "lamp_post"
    for cell in ((53, 34), (53, 44), (58, 40), (58, 72), (53, 80), (58, 88), (72, 56), (79, 60)):
        drawing.objects[cell] = "lamp_post"
    for x in (49, 50, 61, 62):
        drawing.objects[x, 66] = "bush"
    for y in (53, 54, 62, 63):
        drawing.objects[46, y] = "chair_east"
        drawing.objects[65, y] = "chair_west"


def ways(drawing: Drawing) -> None:
    """Dirt roads, and the bridge."""
    drawing.path("dirt", [(33, 58), (24, 58), (16, 55), (1, 55)])
    drawing.path("dirt", [(55, 31), (55, 22), (49, 12), (49, 0)])
    drawing.path("dirt", [(55, 93), (55, 101), (62, 110), (62, 119)])
    drawing.path("dirt", [(83, 58), (95, 58), (101, 54), (119, 54)])
    drawing.path("dirt", [(101, 55), (101, 48)])
    drawing.path("dirt", [(24, 57), (24, 28)])
    drawing.path("dirt", [(24, 59), (30, 70), (33, 80), (33, 83)])
    drawing.path("dirt", [(57, 79), (72, 79), (74, 90), (77, 94)])
    banks = [x for x in range(78, 94) if any(drawing.ground[x, y] == "water" for y in (57, 58, 59))]
    drawing.lay("bridge_x", box(banks[0] - 1, 57, banks[-1] + 1, 59))
    for x in (banks[0] - 2, banks[-1] + 2):
        drawing.objects[x, 56] = drawing.objects[x, 60] = "lamp_post"


def town(drawing: Drawing) -> None:
    """The houses and what stands in them."""
    _bank(drawing)
    _healer(drawing)
    _inn(drawing)
    drawing.house("plaster", (69, 47, 78, 54), (73, 54))
    drawing.lay("cobble", box(73, 55, 73, 56))
    _furnish(drawing, {(70, 48): "bed_head", (70, 49): "bed_foot", (72, 48): "bookcase", (75, 51): "table"})
    _furnish(
        drawing, {(75, 50): "chair_south", (76, 51): "chair_west", (77, 48): "barrel", (70, 52): "crate"}
    )
    drawing.house("wood", (42, 69, 52, 77), (52, 73))
    drawing.lay("cobble", box(53, 73, 53, 73))
    _furnish(drawing, {(43, 70): "bed_head", (43, 71): "bed_foot", (45, 70): "bookcase", (47, 73): "table"})
    _furnish(
        drawing, {(46, 73): "chair_east", (48, 73): "chair_west", (50, 70): "barrel", (51, 70): "barrel"}
    )
    drawing.house("plaster", (60, 68, 70, 75), (65, 75))
    drawing.path("dirt", [(65, 76), (65, 78)], 2)
    _furnish(drawing, {(61, 69): "bed_head", (61, 70): "bed_foot", (63, 69): "bookcase", (66, 71): "table"})
    _furnish(
        drawing, {(66, 70): "chair_south", (65, 71): "chair_east", (69, 69): "crate", (69, 70): "barrel"}
    )
    drawing.house("wood", (60, 82, 69, 90), (65, 90))
    drawing.path("dirt", [(65, 91), (57, 92)], 2)
    _furnish(
        drawing, {(61, 83): "bed_head", (61, 84): "bed_foot", (64, 86): "table", (64, 85): "chair_south"}
    )
    _furnish(drawing, {(67, 83): "barrel", (68, 83): "crate", (68, 84): "barrel", (62, 88): "bookcase"})


def _furnish(drawing: Drawing, things: Rows) -> None:
    drawing.objects.update(things)


def _bank(drawing: Drawing) -> None:
    drawing.house("stone", (43, 36, 52, 47), (48, 47), "flagstone")
    drawing.lay("cobble", box(48, 48, 48, 48))
    for x in range(44, 51):
        drawing.south[x, 41] = "counter"
    drawing.south[50, 41] = "counter_end"
    _furnish(drawing, {(x, 37): "vault" for x in (44, 46, 48, 50)})
    _furnish(drawing, {(44, 45): "chair_east", (44, 44): "candle", (51, 45): "candle", (51, 37): "candle"})
    drawing.place("resident", (47, 40), template="banker", heading="south")
    drawing.objects[50, 48] = "sign_bank"
    drawing.place(
        "sign", (50, 48), title="Bank", text="The bank of Confluence. What you leave here stays yours."
    )


def _healer(drawing: Drawing) -> None:
    drawing.house("plaster", (60, 34, 69, 44), (64, 44))
    drawing.lay("cobble", box(63, 45, 65, 48))
    _furnish(drawing, {(64, 36): "ankh_back", (64, 37): "ankh_front", (67, 39): "candle", (61, 42): "candle"})
    _furnish(
        drawing, {(61, 35): "bed_head", (61, 36): "bed_foot", (67, 35): "bed_head", (67, 36): "bed_foot"}
    )
    _furnish(drawing, {(68, 41): "bookcase", (68, 42): "barrel", (61, 39): "table"})
    drawing.place("resident", (64, 40), template="healer", heading="south")
    drawing.objects[67, 46] = "sign_healer"
    drawing.place("sign", (67, 46), title="Healer", text="Ysolde heals the living and raises the dead.")


def _inn(drawing: Drawing) -> None:
    drawing.house("wood", (26, 42, 40, 53), (40, 50))
    drawing.lay("cobble", box(41, 50, 45, 51))
    for x in range(27, 31):
        drawing.south[x, 46] = "counter"
    drawing.south[31, 46] = "counter_end"
    _furnish(drawing, {(27, 43): "barrel", (28, 43): "barrel", (30, 43): "bookcase", (31, 43): "crate"})
    for x, y in ((35, 45), (29, 50), (35, 50)):
        drawing.objects[x, y] = "table"
        drawing.objects[x, y - 1] = "chair_south"
        drawing.objects[x - 1, y] = "chair_east"
        drawing.objects[x + 1, y] = "chair_west"
        drawing.objects[x, y + 1] = "chair_north"
    _furnish(drawing, {(27, 52): "candle", (39, 43): "candle", (38, 52): "candle", (39, 46): "barrel"})
    drawing.place("resident", (29, 45), template="innkeeper", heading="south")
    drawing.objects[42, 49] = "sign_inn"
    drawing.place("sign", (42, 49), title="The Two Rivers", text="Beds, bread and ale. Mind the step.")


def graveyard(drawing: Drawing) -> None:
    """North-west: an iron fence, stones in rows, leafless trees."""
    drawing.fence("railing", (13, 12, 35, 27), [(23, 27), (24, 27), (25, 27)])
    drawing.path("dirt", [(24, 28), (24, 15)])
    for row, y in enumerate((15, 18, 21, 24)):
        for x in (16, 18, 20, 28, 30, 32):
            if drawing.dice.random() < 0.85:
                drawing.objects[x + row % 2, y] = "gravestone"
    for cell in (
        (14, 14),
        (34, 13),
        (22, 14),
        (27, 20),
        (15, 26),
        (33, 26),
        (21, 23),
        (11, 18),
        (37, 22),
        (28, 30),
        (19, 20),
        (31, 19),
        (12, 24),
        (18, 30),
        (30, 11),
        (20, 10),
    ):
        drawing.objects[cell] = "dead_tree"
    drawing.objects[27, 29] = "sign_plain"
    drawing.place("sign", (27, 29), title="Graveyard", text="Here rest those who found no healer.")
    drawing.keep(box(10, 10, 38, 31))
    for cell in ((17, 23), (29, 16), (31, 22)):
        drawing.place("resident", cell, template="rat", heading="south", wander=5)


def farm(drawing: Drawing) -> None:
    """South-west: a fenced field, the farmhouse, and sheep on the meadow."""
    drawing.fence("fence", (8, 70, 27, 88), [(27, 79), (27, 80)])
    for y in range(72, 87):
        if y % 4 != 3:
            drawing.lay("field", box(10, y, 25, y))
    drawing.lay("dirt", box(26, 79, 30, 80))
    drawing.path("dirt", [(28, 79), (33, 79)], 2)
    drawing.house("wood", (28, 83, 39, 92), (39, 88))
    drawing.path("dirt", [(33, 79), (41, 79), (41, 88), (40, 88)], 2)
    _furnish(drawing, {(29, 84): "bed_head", (29, 85): "bed_foot", (31, 84): "bookcase", (33, 88): "table"})
    _furnish(
        drawing, {(33, 87): "chair_south", (32, 88): "chair_east", (29, 91): "barrel", (30, 91): "crate"}
    )
    drawing.place("resident", (18, 75), template="farmer", heading="south", wander=4)
    drawing.fence("fence", (30, 97, 47, 110), [(47, 103), (47, 104)])
    drawing.path("dirt", [(48, 103), (55, 99)], 2)
    for cell in ((34, 101), (38, 105), (41, 100), (36, 107), (43, 106)):
        drawing.place("resident", cell, template="sheep", heading="south", wander=3)
    drawing.objects[33, 109] = "oak"
    drawing.objects[45, 99] = "willow"


def cottage(drawing: Drawing) -> dict[Cell, Cell]:
    """The hermit's cottage, whose door leads to a glade that no path reaches. Returns the warps."""
    left, bottom = 100, 46
    for cell in box(left, bottom - 5, left + 2, bottom):
        drawing.objects[cell] = "cottage_inside"
    for y in range(bottom - 4, bottom):
        drawing.east[left, y] = "cottage_west"
        drawing.east[left + 2, y] = f"cottage_side_{bottom - y}"
    drawing.south[left, bottom - 5] = "cottage_post"
    drawing.south[left + 1, bottom - 5] = "cottage_back"
    drawing.south[left + 2, bottom - 5] = "cottage_side_5"
    drawing.south[left, bottom] = "cottage_front"
    drawing.south[left + 1, bottom] = "cottage_door"
    drawing.south[left + 2, bottom] = "cottage_corner"
    del drawing.objects[left + 1, bottom]
    drawing.keep(box(left - 2, bottom - 7, left + 5, bottom + 3))
    door, glade, out = (left + 1, bottom), (108, 14), (108, 19)
    drawing.place("warp", door, realm="confluence", to_x=glade[0], to_y=glade[1], door=True)
    drawing.place("warp", out, realm="confluence", to_x=door[0], to_y=door[1] + 1)
    drawing.lay("dirt", box(107, 16, 109, 19))
    for x, y in box(96, 4, 119, 24):
        reach = ((x - 108) / 7) ** 2 + ((y - 13) / 6) ** 2
        if reach < 1:
            drawing.keep([(x, y)])
        elif reach < 2.4 and (x, y) not in drawing.kept and (x, y) != (108, 19):
            drawing.objects[x, y] = drawing.dice.choice(("oak", "cedar", "tree"))
            drawing.keep([(x, y)])
    drawing.objects.pop(out, None)
    drawing.keep(box(106, 16, 110, 20))
    for cell in ((105, 11), (111, 11), (105, 15), (111, 15)):
        drawing.objects[cell] = "candle"
    for cell in ((104, 13), (106, 9), (110, 9), (112, 13), (108, 10)):
        drawing.objects[cell] = "foxgloves"
    drawing.place("resident", (108, 12), template="hermit", heading="south")
    return {door: glade, out: (door[0], door[1] + 1)}


def woods(drawing: Drawing) -> None:
    """Trees, thick at the edges and in the east, thin near the town; bushes, ferns, flowers, stones."""
    clumps = [
        (drawing.dice.randrange(SIDE), drawing.dice.randrange(SIDE), drawing.dice.randint(4, 9))
        for _ in range(44)
    ]
    for x, y in box(0, 0, SIDE - 1, SIDE - 1):
        if (x, y) in drawing.kept or drawing.ground[x, y] != "grass" or (x, y) in drawing.objects:
            continue
        border = min(x, y, SIDE - 1 - x, SIDE - 1 - y)
        thick = 0.85 if border < 2 else 0.5 if border < 5 else 0.16 if border < 10 else 0.02
        if x > 90 and y < 80:
            thick = max(thick, 0.22)
        for cx, cy, radius in clumps:
            away = ((x - cx) ** 2 + (y - cy) ** 2) ** 0.5
            if away < radius:
                thick = max(thick, 0.6 * (1 - away / radius) + 0.06)
        if 40 < x < 78 and 32 < y < 96:
            thick = 0.05
        crowded = sum((x + dx, y + dy) in drawing.objects for dx, dy in ((-1, 0), (0, -1), (-1, -1), (1, -1)))
        roll = drawing.dice.random()
        if roll < thick * (1.0 if border < 2 else 0.6 if crowded else 1.0):
            drawing.objects[x, y] = _tree(drawing, x, y)
        elif roll < thick + 0.012 + thick * 0.08:
            drawing.objects[x, y] = drawing.dice.choice(("bush", "hedge"))
        elif roll > 0.92:
            drawing.objects[x, y] = drawing.dice.choice(
                ("fern", "fern", "fern", "campions", "foxgloves", "poppies", "pebbles", "stones")
            )


def _tree(drawing: Drawing, x: int, y: int) -> str:
    kinds: tuple[str, ...]
    if 76 < x < 100 and y > 80:
        kinds = ("willow", "willow", "walnut")
    elif x < 40 and y < 45:
        kinds = ("cedar", "cedar", "oak", "tree")
    elif x > 86:
        kinds = ("oak", "tree", "cedar")
    else:
        kinds = ("oak", "walnut", "tree", "walnut", "willow")
    return drawing.dice.choice(kinds)


def gardens(drawing: Drawing) -> None:
    """Flowers beside the houses, and a little variety in the grass."""
    for cell in (
        *box(44, 78, 51, 78),
        *box(66, 45, 70, 45),
        *box(70, 55, 71, 55),
        *box(67, 76, 70, 76),
        *box(27, 54, 39, 54),
        *box(31, 93, 37, 93),
    ):
        if cell not in drawing.objects and drawing.ground[cell] == "grass" and not drawing.blocked(cell):
            drawing.objects[cell] = drawing.dice.choice(("campions", "foxgloves", "poppies"))
    for cell, kind in drawing.ground.items():
        roll = drawing.dice.random()
        if kind == "grass" and roll < 0.16:
            drawing.ground[cell] = drawing.dice.choice(
                ("grass_light", "grass_light", "grass_tufted", "grass_blades")
            )
        elif kind == "grass" and roll < 0.175:
            drawing.ground[cell] = drawing.dice.choice(("grass_worn", "grass_bare"))


def draw(kinds: Kinds) -> Drawing:
    """The whole realm."""
    drawing = Drawing(kinds, seed=1997)
    river(drawing)
    square(drawing)
    ways(drawing)
    town(drawing)
    graveyard(drawing)
    farm(drawing)
    warps = cottage(drawing)
    # Near enough to one another that newcomers hear each other.
    spawn = (55, 61)
    drawing.place("spawn", spawn)
    drawing.place("spawn", (52, 58))
    drawing.place("spawn", (59, 58))
    drawing.place("resident", (50, 61), template="crier", heading="south")
    drawing.place("resident", (62, 53), template="villager", heading="south", wander=6)
    woods(drawing)
    # Whatever nobody can reach becomes wood, so that no one is ever caught there.
    reached = drawing.reached(spawn, warps) | set(warps.values())
    for cell, kind in drawing.ground.items():
        if cell not in reached and not drawing.blocked(cell):
            if kind != "grass":
                raise SystemExit(f"nobody can walk to {cell}, which is {kind}")
            drawing.objects[cell] = _tree(drawing, *cell)
    edges(
        drawing,
        "dirt",
        ("dirt", "cobble", "flagstone", "boards", "bridge", "water", "sand", "field"),
        ("n", "e", "s", "w"),
    )
    edges(drawing, "water", ("water", "bridge"), ("n", "w"))
    gardens(drawing)
    # Behind all that throws dice, so that no tree stands elsewhere for it.
    entrance(drawing)
    quarry(drawing)
    gates(drawing)
    regions(drawing)
    spawners(drawing)
    return drawing


def entrance(drawing: Drawing) -> None:
    """The way down to the Undercroft, at the end of the graveyard's path."""
    for cell in box(23, 13, 25, 14):
        drawing.objects.pop(cell, None)
        drawing.ground[cell] = "cave"
    drawing.objects[26, 14] = "sign_plain"
    drawing.place("sign", (26, 14), title="Undercroft", text="Who goes down here is not buried yet.")
    drawing.place("warp", (24, 13), realm="undercroft", to_x=13, to_y=52)


def quarry(drawing: Drawing) -> None:
    """A rock west of the square that gives ore. Where nothing is drawn for rock, the stones on it say so."""
    for cell in box(36, 64, 40, 65):
        drawing.ground[cell] = "rock"
        drawing.objects[cell] = "stones"


def gates(drawing: Drawing) -> None:
    """A guard at each way out of the town; from one or another of them the whole square is seen."""
    for cell, heading in (((37, 58), "west"), ((74, 58), "east"), ((56, 36), "north"), ((56, 78), "south")):
        drawing.place("resident", cell, template="guard", heading=heading)


def regions(drawing: Drawing) -> None:
    """Where players leave each other in peace; elsewhere each has to look after itself."""
    drawing.region("Confluence", (25, 31, 59, 64), guarded=True)
    drawing.region("Edwin's farm", (7, 69, 34, 25), guarded=True)
    drawing.region("graveyard", (13, 12, 23, 16), fights=True)
    drawing.region("eastern woods", (95, 20, 25, 98), fights=True)


def spawners(drawing: Drawing) -> None:
    """Creatures, the harmless ones near the town. A leash is 16 tiles: nothing comes within sight of the
    square."""
    drawing.spawner("west meadows", (6, 36, 17, 14), "rabbit 3, deer 2", 6)
    drawing.spawner("south-west fields", (2, 92, 22, 14), "rat 2, giant_rat 3, snake 2", 7)
    drawing.spawner("south road", (48, 99, 14, 19), "wolf 2, boar 2, stray_dog 2", 6)
    drawing.spawner("north woods", (60, 2, 17, 22), "deer 3, boar 2, brown_bear", 6)
    drawing.spawner("north road", (38, 3, 9, 21), "wolf", 4)
    drawing.spawner("above the graveyard", (4, 2, 30, 8), "bat", 5)
    drawing.spawner("graves", (14, 15, 21, 12), "zombie 3, skeleton 2", 7)
    drawing.spawner("oldest graves", (14, 13, 21, 6), "ghost, ghoul", 2, (60.0, 180.0))
    drawing.spawner("goblins", (96, 60, 19, 16), "goblin 5, stray_dog", 7)
    drawing.spawner("orc camp", (96, 26, 20, 13), "orc 5, orc_shaman 2", 6)
    drawing.spawner("orc captain", (102, 29, 8, 6), "orc_captain", 1, (180.0, 300.0))
    drawing.spawner("east road", (106, 49, 12, 10), "bandit", 4)
    drawing.spawner("south-east wood", (104, 86, 14, 28), "giant_spider 3, dire_wolf 2, grizzly", 6)


if __name__ == "__main__":
    write_map(draw(read_kinds()), "confluence")
