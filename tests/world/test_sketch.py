"""The surroundings in letters: every letter where its tile is, and nobody in it who is not to be seen."""

from __future__ import annotations

import attrs

from tests.kit.worlds import GRASS, person, plain_content, plain_world
from world import residents, sketch
from world.content import Chart, Content, Resident, Scenery, Sign, TileKind, Warp
from world.mobile import Mobile, Viewport
from world.space import Sight

WATER = TileKind("water", "water", "ground", walkable=False, water=True)
ROCK = TileKind("rock", "rock", "ground", walkable=False, height=20)
KINDS = {
    "#": TileKind("wall", "stone wall", "wall_south", walkable=False, height=20),
    "=": TileKind("fence", "wooden fence", "wall_east", walkable=False, height=10),
    "T": TileKind("oak", "oak", "object", walkable=False, height=20),
    "i": TileKind("lamp", "lamp post", "object", walkable=False, height=20),
    "o": TileKind("barrel", "barrel", "object", walkable=False, height=6),
}
DRAWN = (
    "#################____",
    "#_______________#____",
    "#__T_T__________+____",
    "#_______________#____",
    "#______R________#____",
    "#________P@C____#__?_",
    "#_____________oi#____",
    "#=======>========____",
    "_____________________",
    "_~~~~~~~~~~~~~~~~~~~_",
    "_~~~~~~~~~~~~~~~~~~~_",
)
LEFT, TOP = 10, 20
"""Where that lies."""


def town() -> Content:
    content = plain_content()
    chart = content.charts["plain"]
    ground, blocked = [GRASS] * len(chart.blocked), bytearray(chart.blocked)
    scenery: list[Scenery] = []
    signs, warps, doors = [], {}, set()
    for y, row in enumerate(DRAWN, TOP):
        for x, letter in enumerate(row, LEFT):
            at = y * chart.width + x
            if letter in KINDS:
                scenery.append(Scenery(KINDS[letter], x, y))
            if letter == "~":
                ground[at] = WATER
            if letter == "?":
                signs.append(Sign(x, y, "Inn", ""))
            if letter == ">":
                warps[x, y] = Warp("cave", 5, 5)
            if letter == "+":
                doors.add((x, y))
            blocked[at] = letter in KINDS or letter in "~?"
    # A roof and a flower stand in nobody's way.
    scenery += [Scenery(KINDS["#"], LEFT + 2, TOP + 2, z=20), Scenery(GRASS, LEFT + 4, TOP + 2)]
    drawn = attrs.evolve(
        chart,
        ground=ground,
        scenery=scenery,
        blocked=bytes(blocked),
        signs=signs,
        warps=warps,
        doors=frozenset(doors),
    )
    return attrs.evolve(content, charts={**content.charts, "plain": drawn})


def scene() -> tuple[Mobile, Mobile]:
    """One who looks around, with another to the west of it."""
    world = plain_world(town())
    realm = world.realms["plain"]
    me = person(world, "Alric", LEFT + 10, TOP + 5)
    other = person(world, "Berta", LEFT + 9, TOP + 5)
    residents.place(world, realm, Resident("healer", LEFT + 7, TOP + 4))
    residents.place(world, realm, Resident("sheep", LEFT + 11, TOP + 5))
    return me, other


def test_every_tile_has_its_letter() -> None:
    me, _ = scene()
    assert sketch.sketch(me) == list(DRAWN)


def test_the_legend_tells_what_is_there_and_no_more() -> None:
    me, _ = scene()
    told = sketch.legend(sketch.sketch(me))
    letters = {part.split(" ", 1)[0] for part in told.split(", ")}
    assert letters == set("".join(DRAWN))
    assert "# wall" in told
    assert sketch.legend(["@_"]) == "@ you, _ free"


def test_who_hides_is_not_drawn_but_oneself() -> None:
    me, other = scene()
    other.hidden = me.hidden = True
    rows = sketch.sketch(me)
    assert rows[5] == DRAWN[5].replace("P", "_")


def test_who_is_out_of_sight_is_not_drawn() -> None:
    me, other = scene()
    assert me.realm is not None
    me.viewport = Viewport(1, me, Sight(2))
    me.realm.space.open(me.viewport)
    me.world.warp(other, me.realm, me.x - 3, me.y)
    assert "P" not in "".join(sketch.sketch(me))
    me.world.warp(other, me.realm, me.x - 2, me.y)
    assert "P" in "".join(sketch.sketch(me))


def test_beyond_the_edge_is_a_wall_and_nowhere_is_nothing() -> None:
    me, _ = scene()
    realm = me.realm
    assert realm is not None
    me.world.warp(me, realm, 0, 0)
    rows = sketch.sketch(me)
    assert rows[:5] == ["#" * 21] * 5
    assert rows[5] == "#" * 10 + "@" + "_" * 10
    me.world.leave(me)
    assert sketch.sketch(me) == []


def test_a_person_in_a_doorway_is_a_person_and_players_come_first() -> None:
    me, other = scene()
    assert me.realm is not None
    for mobile in me.realm.space.around(me.x, me.y, 10):
        if mobile is not me:
            me.world.warp(mobile, me.realm, LEFT + 16, TOP + 2)  # type: ignore[arg-type] # all are mobiles
    assert other.x == LEFT + 16
    assert sketch.sketch(me)[2] == DRAWN[2].replace("+", "P")


def test_ground_that_is_blocked_without_scenery_is_drawn() -> None:
    content = plain_content()
    chart = content.charts["plain"]
    blocked, ground = bytearray(chart.blocked), list(chart.ground)
    for x, kind in ((11, ROCK), (12, GRASS)):
        blocked[10 * chart.width + x] = 1
        ground[10 * chart.width + x] = kind
    open_chart: Chart = attrs.evolve(chart, blocked=bytes(blocked), ground=ground)
    world = plain_world(attrs.evolve(content, charts={**content.charts, "plain": open_chart}))
    me = person(world, "Alric", 10, 10)
    assert sketch.sketch(me)[5][10:14] == "@#o_"
