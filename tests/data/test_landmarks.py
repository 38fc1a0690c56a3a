"""Which tiles of a realm are shown to clients that have a ground of their own: the rule on small charts, and
what it makes of Confluence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
import pytest

from protocol.landmarks import MOST, Landmark, Landmarks, Run
from server.content.loading import ContentError, load
from tests.kit.worlds import person, plain_content, plain_world
from world.content import Chart, Scenery, Sign, TileKind
from world.space import SECTOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from world.content import Content

KINDS: Final = {
    "#": TileKind("wall", "wall", "wall_south", walkable=False),
    "t": TileKind("tree", "tree", "object", walkable=False),
    "o": TileKind("oak", "oak", "object", walkable=False),
    "~": TileKind("water", "water", "ground", walkable=False, water=True),
    "L": TileKind("lamp", "lamp post", "object", walkable=False, landmark=True),
    "D": TileKind("door", "door", "wall_south", door=True),
    "f": TileKind("fern", "fern", "object"),
    ".": TileKind("grass", "grass", "ground"),
}
LOOKS: Final = {kind.key: sign for sign, kind in KINDS.items() if sign not in ".f"}
FAR: Final = 24
SIGHT: Final = {"l2": 24, "co": 18}


def chart_of(rows: str, *, name: str = "here", signs: tuple[Sign, ...] = (), landmarks: bool = True) -> Chart:
    """A realm of drawn rows, whose signs are the keys of KINDS."""
    lines = rows.split()
    width, height = len(lines[0]), len(lines)
    cells = [KINDS[sign] for line in lines for sign in line]
    atlas: dict[str, dict[str, float | str]] = {"l2": {"x": 0, "y": 0, "z": 0}}
    if not landmarks:
        atlas["l2"]["landmarks"] = False
    return Chart(
        name,
        name,
        width,
        height,
        [kind if kind.layer == "ground" else KINDS["."] for kind in cells],
        [
            Scenery(kind, place % width, place // width)
            for place, kind in enumerate(cells)
            if kind.layer != "ground"
        ],
        bytes(not kind.walkable for kind in cells),
        [(0, 0)],
        signs=signs,
        atlas=atlas,
    )


def made(chart: Chart, looks: Mapping[str, str] = LOOKS, radius: int = FAR) -> Landmarks[str]:
    """The landmarks of one realm."""
    return Landmarks("l2", [chart], looks, radius)


def everyone(landmarks: Landmarks[str]) -> Iterator[Landmark[str]]:
    """All of them."""
    for number in range(len(landmarks)):
        landmark = landmarks.find(number)
        assert landmark is not None
        yield landmark


def picture(rows: str) -> list[str]:
    """The same rows with a sign for each landmark, by how it goes on."""
    signs = {Run.NOWHERE: "o", Run.WEST_EAST: "-", Run.NORTH_SOUTH: "|", Run.CORNER: "+"}
    chart = chart_of(rows)
    shown = {(landmark.x, landmark.y): signs[landmark.run] for landmark in everyone(made(chart))}
    return ["".join(shown.get((x, y), ".") for x in range(chart.width)) for y in range(chart.height)]


def test_of_a_house_its_corners_the_ends_at_its_doorway_and_every_third_tile() -> None:
    house = """
        ............
        .##########.
        .#........#.
        .#........#.
        .#........#.
        .####..####.
        ............"""
    assert picture(house) == [
        "............",
        ".+.-..-..-+.",
        "............",
        ".|........|.",
        "............",
        ".+.--..-.-+.",
        "............",
    ]


def test_walls_that_meet_and_ends_are_shown() -> None:
    walls = """
        ...........
        .#########.
        .....#.....
        .....#.....
        .....#....."""
    assert picture(walls) == [
        "...........",
        ".-.-.+-..-.",
        "...........",
        ".....|.....",
        ".....|.....",
    ]


def test_single_trees_are_shown_and_of_a_wood_only_its_edge() -> None:
    wood = """
        ............
        .t..........
        ....toototo.
        ....otttoto.
        ....ototott.
        ....ototott.
        ............"""
    assert picture(wood) == [
        "............",
        ".o..........",
        "......-..-..",
        "....|.....|.",
        "............",
        "......-..-..",
        "............",
    ]


def test_of_water_only_the_shore() -> None:
    lake = """
        ~~~~~~~
        ~~~~~~~
        ~~~~~~~
        ......."""
    assert picture(lake) == [".......", ".......", "-..-..-", "......."]


def test_a_lamp_in_a_fence_and_a_door_are_always_shown() -> None:
    fence = """
        ..........
        ####L#D###
        .........."""
    landmarks = {landmark.x: landmark for landmark in everyone(made(chart_of(fence)))}
    assert landmarks[4].kind.key == "lamp"
    assert landmarks[4].span == 1
    assert landmarks[6].kind.key == "door"


def test_what_is_no_obstacle_or_has_no_row_is_not_shown() -> None:
    chart = chart_of("fft.o..#")
    assert [(mark.x, mark.look) for mark in everyone(made(chart))] == [(2, "t"), (4, "o"), (7, "#")]
    assert [mark.x for mark in everyone(made(chart, {"wall": "#"}))] == [7]


def test_a_sign_gives_its_title_and_text() -> None:
    chart = chart_of("..t..", signs=(Sign(2, 0, "Inn", "Come in."),))
    (landmark,) = everyone(made(chart))
    assert (landmark.name, landmark.signed) == ("Inn", True)


def test_a_piece_of_a_straight_wall_stands_for_three_tiles_of_it() -> None:
    long = "." * 20 + "\n" + "." + "#" * 18 + ".\n" + "." * 20
    landmarks = list(everyone(made(chart_of(long))))
    covered = {x for mark in landmarks for x in range(mark.x - mark.span // 2, mark.x + mark.span // 2 + 1)}
    assert set(range(1, 19)) - covered == {17}
    assert covered <= set(range(1, 19))  # nothing of the open tiles beside it
    assert len(landmarks) == 7


def test_numbers_go_on_through_all_realms_and_a_realm_can_do_without() -> None:
    charts = [
        chart_of("t.t", name="one"),
        chart_of("t.t", name="two", landmarks=False),
        chart_of(".t.", name="three"),
    ]
    landmarks = Landmarks("l2", charts, LOOKS, FAR)
    assert [(mark.number, mark.realm) for mark in everyone(landmarks)] == [
        (0, "one"),
        (1, "one"),
        (2, "three"),
    ]
    assert landmarks.of_sector("two", 0, 0).landmarks == ()
    assert landmarks.find(3) is None
    assert landmarks.find(-1) is None
    assert len(Landmarks("co", charts, LOOKS, FAR)) == 0  # it has no place for these realms


def test_at_most_so_many_and_the_nearest_first() -> None:
    crowded = made(chart_of("\n".join(["t." * 24, "." * 48] * 24)))
    found = crowded.of_sector("here", 2, 2).landmarks
    middle = 2 * SECTOR + (SECTOR - 1) / 2
    away = [(mark.x - middle) ** 2 + (mark.y - middle) ** 2 for mark in found]
    assert len(found) == MOST
    assert away == sorted(away)
    nearer = {
        (x, y)
        for x in range(0, 48, 2)
        for y in range(0, 48, 2)
        if (x - middle) ** 2 + (y - middle) ** 2 < away[-1]
    }
    assert nearer <= {(mark.x, mark.y) for mark in found}


def test_sectors_are_made_once_and_know_what_the_other_does_not_have() -> None:
    landmarks = made(chart_of("t" + "." * 62 + "t"))
    west, east = landmarks.of_sector("here", 0, 0), landmarks.of_sector("here", 7, 0)
    assert landmarks.of_sector("here", 0, 0) is west
    assert [mark.x for mark in west.beyond(east)] == [0]
    assert [mark.x for mark in east.beyond(west)] == [63]
    assert list(west.beyond(west)) == []


def test_around_is_the_same_object_within_a_sector() -> None:
    content = plain_content(walls=frozenset({(30, 30)}))
    chart = attrs.evolve(content.charts["plain"], atlas={"l2": {"x": 0}})
    landmarks = made(chart, {"wall": "#"})
    world = plain_world(content)
    mobile, plain = person(world, "Alice", 16, 16), world.realms["plain"]
    shown = landmarks.around(mobile, None)
    assert [(mark.x, mark.y) for mark in shown.landmarks] == [(30, 30)]
    for x, y in ((16, 23), (23, 23), (23, 16)):
        world.warp(mobile, plain, x, y)
        assert landmarks.around(mobile, shown) is shown
    world.warp(mobile, plain, 24, 16)
    assert landmarks.around(mobile, shown) is not shown
    world.warp(mobile, world.realms["cave"], 16, 16)
    assert landmarks.around(mobile, shown).landmarks == ()
    assert landmarks.around(None, shown) is landmarks.nothing


# Confluence


@pytest.mark.parametrize("game", SIGHT)
def test_of_confluence_all_is_in_sight_and_never_too_much(content: Content, game: str) -> None:
    radius = SIGHT[game]
    landmarks = Landmarks(game, content.charts.values(), {key: key for key in content.tiles}, radius)
    assert 1000 < len(landmarks) < 2500
    chart = content.charts["confluence"]
    for column in range(chart.width // SECTOR):
        for row in range(chart.height // SECTOR):
            found = landmarks.of_sector("confluence", column, row).landmarks
            assert len(found) <= MOST
            for mark in found:
                for x in (column * SECTOR, column * SECTOR + SECTOR - 1):
                    for y in (row * SECTOR, row * SECTOR + SECTOR - 1):
                        assert max(abs(mark.x - x), abs(mark.y - y)) <= radius


def test_of_confluence_every_corner_lamp_sign_and_door_is_there(content: Content) -> None:
    looks = {key: key for key in content.tiles}
    chart = content.charts["confluence"]
    shown = {(mark.x, mark.y) for mark in everyone(Landmarks("l2", [chart], looks, FAR))}
    walls = {
        (piece.x, piece.y)
        for piece in chart.scenery
        if piece.kind.layer.startswith("wall") and not piece.kind.walkable
    }
    corners = {
        (x, y)
        for x, y in walls
        if ((x - 1, y) in walls) != ((x + 1, y) in walls) and ((x, y - 1) in walls) != ((x, y + 1) in walls)
    }
    assert len(corners) > 40
    # What stands there may be a lamp; the rest of the cottage's block is seen from nowhere.
    assert corners <= shown
    for piece in chart.scenery:
        if piece.kind.key.startswith(("lamp", "sign")) or piece.kind.door:
            assert (piece.x, piece.y) in shown, piece


def test_of_confluence_no_wall_has_a_gap_of_more_than_two_tiles(content: Content) -> None:
    looks = {key: key for key in content.tiles}
    chart = content.charts["confluence"]
    shown = {(mark.x, mark.y) for mark in everyone(Landmarks("l2", [chart], looks, FAR))}
    for piece in chart.scenery:
        if piece.kind.layer.startswith("wall") and piece.kind.height == 20 and not piece.kind.walkable:
            x, y = piece.x, piece.y
            near = {(x + step, y) for step in (-1, 0, 1)} | {(x, y + step) for step in (-1, 0, 1)}
            assert near & shown or piece.kind.key.startswith("cottage"), piece


# What is wrong with a table


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_the_switch_must_be_true_or_false_and_of_a_game_that_has_landmarks(broken: Path) -> None:
    table = broken / "realms" / "confluence.toml"
    edit(table, "x = -87840,", "x = -87840, landmarks = 0,")
    edit(table, "eo = { map = 1 }", "eo = { map = 1, landmarks = false }")
    with pytest.raises(ContentError) as caught:
        load(broken)
    assert caught.value.problems == [
        "realms/confluence.toml: atlas.l2.landmarks: must be true or false, is 0",
        "realms/confluence.toml: atlas.eo.landmarks: this game has none to show",
    ]


def test_a_realm_without_them(broken: Path) -> None:
    edit(broken / "realms" / "confluence.toml", "x = -87840,", "x = -87840, landmarks = false,")
    charts = load(broken).charts
    looks = {"oak": "oak"}
    assert not made(charts["confluence"], looks)
    assert made(charts["undercroft"], {"stone_east": "wall"})
    assert Landmarks("co", charts.values(), looks, FAR).of_sector("confluence", 7, 7).landmarks
    assert "landmarks" not in charts["confluence"].place("l2")
