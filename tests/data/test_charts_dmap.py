"""A map of Conquer Online as a realm: where one can stand, how high it is, and every mistake in its table."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import pytest

from protocol.co.dmap import TERRAIN, DMap, Layer, Passage, write_dmap
from protocol.export import Order
from protocol.games import GAMES, make_families
from server.content.export import export
from server.content.loading import ContentError, load
from tests.kit.worlds import person, plain_world
from world.leaps import jump
from world.realm import Realm

if TYPE_CHECKING:
    from world.content import Chart, Content

DATA: Final = Path(__file__).parents[2] / "data"
WIDTH: Final = 40
HEIGHT: Final = 30

TABLE: Final = """
title = "The Plain"
dmap = "plain.dmap"
ground = "grass"
spawns = [[5, 6], [7, 8]]
[passages]
3 = { realm = "confluence", x = 60, y = 60 }
[atlas]
uo = { map = 1, x = 5600, y = 1080 }
eq2 = { zone = "antonica", description = "Plain", x = 380.0, y = -37.5, z = 960.0 }
l2 = { x = -87840, y = 257280, z = -3728 }
co = { map = 1002, document = 1002, x = 0, y = 0 }
"""


def plain() -> DMap:
    """Walls around, a slope from west to east, and two passages of which one leads nowhere."""
    cells = [(x, y) for y in range(HEIGHT) for x in range(WIDTH)]
    walls = bytes(x in (0, WIDTH - 1) or y in (0, HEIGHT - 1) for x, y in cells)
    passages = [Passage(20, 15, 3), Passage(0, 29, 3), Passage(30, 20, 4)]
    return DMap.plain(WIDTH, HEIGHT, walls, [10 * x - 50 for x, _ in cells], passages)


def scene(width: int, height: int, mask: int) -> bytes:
    """A scene of one part that lies right and down of where it is put."""
    head = struct.pack("<I256s64sIIIIIiiii", 1, b"a", b"b", 0, 0, 0, width, height, 1, width, height, 0)
    return head + struct.pack("<IIi", mask, 0, 77) * (width * height)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The shipped data with one more realm, `plain`."""
    shutil.copytree(DATA, tmp_path / "data")
    (tmp_path / "data" / "realms" / "plain.dmap").write_bytes(write_dmap(plain()))
    (tmp_path / "data" / "realms" / "plain.toml").write_text(TABLE, encoding="utf-8")
    return tmp_path / "data"


def with_house(path: str = "map\\scene\\Inn.scene") -> DMap:
    layer = Layer(TERRAIN, struct.pack("<260sII", path.encode(), 10, 10))
    return attrs.evolve(plain(), layers=(layer,))


def change(data: Path, old: str, new: str) -> None:
    path = data / "realms" / "plain.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def chart(data: Path) -> Chart:
    return load(data).charts["plain"]


def problems(data: Path) -> list[str]:
    with pytest.raises(ContentError) as caught:
        load(data)
    return caught.value.problems


def test_the_map_is_the_realm(data: Path) -> None:
    realm = chart(data)
    assert (realm.name, realm.title, realm.width, realm.height) == ("plain", "The Plain", WIDTH, HEIGHT)
    assert realm.blocked == plain().blocked()
    assert list(realm.spawns) == [(5, 6), (7, 8)]
    assert {kind.key for kind in realm.ground} == {"grass"}
    assert len(realm.ground) == WIDTH * HEIGHT
    assert realm.place("co") == {"map": 1002, "document": 1002, "x": 0, "y": 0}
    living = Realm(realm)
    assert living.height(5, 6) == 0
    assert living.height(38, 6) == 330
    assert not living.walkable(0, 6)
    assert living.walkable(1, 6)


def test_a_flat_map_has_no_heights(data: Path) -> None:
    flat = attrs.evolve(plain(), altitudes=DMap.plain(WIDTH, HEIGHT, bytes(WIDTH * HEIGHT)).altitudes)
    (data / "realms" / "plain.dmap").write_bytes(write_dmap(flat))
    assert not chart(data).heights


def test_a_passage_begins_around_its_tile_where_one_can_stand(data: Path) -> None:
    warps = chart(data).warps
    assert warps.keys() == {(x, y) for x in (19, 20, 21) for y in (14, 15, 16)} | {(1, 28)}
    assert {(warp.realm, warp.x, warp.y) for warp in warps.values()} == {("confluence", 60, 60)}


def test_every_game_can_show_it_and_endless_online_is_closed(data: Path) -> None:
    families, found = make_families(load(data), GAMES)
    assert families.keys() == GAMES.keys()
    assert [problem for problem in found if "plain" in problem] == []


def test_what_endless_online_cannot_load_is_told(data: Path) -> None:
    large = DMap.plain(253, 60, bytes(253 * 60))
    (data / "realms" / "plain.dmap").write_bytes(write_dmap(large))
    change(data, "[passages]\n3 =", "[atlas]\neo = { map = 9 }\n#")
    change(data, "[atlas]\nuo", "uo")
    found = make_families(load(data), GAMES)[1]
    assert "eo: realms/plain: EO: 253 x 60 tiles, 252 x 252 is the most" in found


def test_a_slope_that_is_too_steep_is_not_jumped(data: Path) -> None:
    steep = DMap.plain(
        WIDTH, HEIGHT, bytes(WIDTH * HEIGHT), [100 * (at % WIDTH) for at in range(WIDTH * HEIGHT)]
    )
    (data / "realms" / "plain.dmap").write_bytes(write_dmap(steep))
    change(data, "3 = ", "# ")
    world = plain_world(load(data))
    jumper = person(world, x=10, y=10)
    assert not jump(jumper, 13, 10)
    assert jump(jumper, 12, 10)
    assert jump(jumper, 2, 10)


def test_what_is_exported_is_a_realm_that_blocks_the_same_tiles(
    data: Path, content: Content, confluence: Chart
) -> None:
    export("co", content, Order(data / "handout", "confluence", puzzle="map/puzzle/arena.pul"))
    shutil.copy(data / "handout" / "map" / "map" / "confluence.dmap", data / "realms" / "plain.dmap")
    change(data, "[[5, 6], [7, 8]]", str([list(spawn) for spawn in confluence.spawns]))
    numbers = "\n".join(
        f'{number} = {{ realm = "confluence", x = 60, y = 60 }}' for number in range(len(confluence.warps))
    )
    change(data, '3 = { realm = "confluence", x = 60, y = 60 }', numbers)
    realm = chart(data)
    assert (realm.width, realm.height) == (confluence.width, confluence.height)
    assert realm.blocked == confluence.blocked
    assert list(realm.heights) == list(confluence.heights)
    assert list(realm.spawns) == list(confluence.spawns)
    assert confluence.warps.keys() <= realm.warps.keys()


# Houses


@pytest.mark.parametrize("client", ["", 'client = "my client"'])
def test_houses_stand_on_the_map(data: Path, client: str) -> None:
    (data / "realms" / "plain.dmap").write_bytes(write_dmap(with_house()))
    folder = data / "realms" / ("my client" if client else "") / "MAP" / "Scene"
    folder.mkdir(parents=True)
    (folder / "inn.SCENE").write_bytes(scene(3, 2, 1))
    change(data, 'ground = "grass"', f'ground = "grass"\n{client}')
    realm = chart(data)
    expected = bytearray(plain().blocked())
    for y in (10, 11):
        expected[y * WIDTH + 10 : y * WIDTH + 13] = b"\1\1\1"
    assert realm.blocked == expected
    assert realm.heights[10 * WIDTH + 11] == 77


def test_a_house_that_is_not_there_or_broken_is_told(data: Path) -> None:
    (data / "realms" / "plain.dmap").write_bytes(write_dmap(with_house()))
    assert problems(data) == [
        "realms/plain.toml: client: .: map\\scene\\Inn.scene: No such file or directory"
    ]
    folder = data / "realms" / "map" / "scene"
    folder.mkdir(parents=True)
    (folder / "inn.scene").write_bytes(scene(3, 2, 1)[:-1])
    assert problems(data) == [
        "realms/plain.toml: client: .: map\\scene\\Inn.scene: the file ends at 431, within part 0"
    ]
    change(data, 'ground = "grass"', 'ground = "grass"\nscenes = false')
    assert chart(data).blocked == plain().blocked()


@pytest.mark.parametrize("path", ["..\\plain.toml", "/etc/passwd", "map//x", "", "C:\\x.scene"])
def test_a_map_does_not_reach_out_of_the_clients_folder(data: Path, path: str) -> None:
    (data / "realms" / "plain.dmap").write_bytes(write_dmap(with_house(path)))
    assert problems(data) == [f"realms/plain.toml: client: .: {path}: No such file or directory"]


# Mistakes


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"plain.dmap"', '"plian.dmap"', "dmap: plian.dmap: No such file or directory"),
        ('"plain.dmap"', '"plain.toml"', "dmap: plain.toml: version"),
        ('"plain.dmap"', "5", "dmap: must be a text, is 5"),
        ('title = "The Plain"', "", "title: is missing"),
        ('ground = "grass"', "", "ground: is missing"),
        ('"grass"', '"gras"', "ground: no 'gras', did you mean 'grass'?"),
        ('"grass"', '"water"', "ground: 'water' is not a ground on which one can stand"),
        ("[5, 6]", "[0, 6]", "spawns: 0, 6: nobody can stand there"),
        ("[5, 6]", "[40, 6]", "spawns: 40, 6: nobody can stand there"),
        ("[5, 6]", "[-1, 6]", "spawns: -1, 6: nobody can stand there"),
        ("spawns", "spwans", "unknown key 'spwans', did you mean 'spawns'?"),
        ("3 =", "7 =", "passages: plain.dmap has no passage '7'"),
        ('"confluence", x', '"confluense", x', "realm: no 'confluense', did you mean 'confluence'?"),
        ("x = 60, y = 60", "x = 600, y = 60", "leads to 600, 60, where nobody can stand"),
        ("co = {", "cq = {", "atlas: no game 'cq'"),
        ("document = 1002", "document = [1]", "atlas.co.document: must be a number or a text, is [1]"),
    ],
)
def test_mistakes_are_told(data: Path, old: str, new: str, problem: str) -> None:
    change(data, old, new)
    found = problems(data)
    assert any(problem in line for line in found), found
    assert all(line.startswith("realms/plain") for line in found)


def test_a_broken_map_is_a_mistake_and_no_crash(data: Path) -> None:
    path = data / "realms" / "plain.dmap"
    path.write_bytes(path.read_bytes()[:300])
    (data / "start.toml").write_text('realm = "plain"\n', encoding="utf-8")
    assert problems(data) == ["realms/plain.toml: dmap: plain.dmap: the file ends at 300, within the cells"]


def test_a_realm_where_newcomers_appear_needs_a_spawn(data: Path) -> None:
    (data / "start.toml").write_text('realm = "plain"\n', encoding="utf-8")
    assert load(data).start_realm == "plain"
    change(data, "spawns = [[5, 6], [7, 8]]", "")
    assert problems(data) == ["realms/plain: the start realm has no spawn"]
