"""`causeway export`: what is written is the realm, and nobody's own files are touched."""

from __future__ import annotations

import filecmp
import shutil
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import pytest
from eolib import Eif, Emf, Enf, EoReader

import server.content.families
from protocol.co.dmap import read_dmap
from protocol.co.export import as_dmap
from protocol.co.gamemap import ListedMap, read_list, write_list
from protocol.export import ExportError, Order
from protocol.games import GAMES, make_families
from protocol.uo.looks import compile_looks
from protocol.uo.mapfiles import GRASS, name_hash
from server import exits
from server.__main__ import main
from server.content.export import export
from server.content.loading import load

if TYPE_CHECKING:
    from world.content import Chart, Content

DATA: Final = Path(__file__).parents[2] / "data"
REALM: Final = "confluence"
PUZZLE: Final = "map/puzzle/arena.pul"
"""A picture that the client has: to paint one takes a while."""

HEIGHTS: Final = {1: 4096, 4: 1448}
"""Tiles of a facet from north to south: Trammel, and the smallest."""


@pytest.fixture(scope="module")
def content() -> Content:
    return load(DATA)


@pytest.fixture(scope="module")
def chart(content: Content) -> Chart:
    return content.charts[REALM]


# Conquer Online


def test_the_map_has_the_realms_walls_and_warps(content: Content, chart: Chart, tmp_path: Path) -> None:
    lines = export("co", content, Order(tmp_path, REALM, puzzle=PUZZLE))
    dmap = read_dmap((tmp_path / "map" / "map" / "confluence.dmap").read_bytes())
    assert (dmap.width, dmap.height) == (chart.width, chart.height)
    assert dmap.blocked() == chart.blocked
    assert not any(dmap.altitudes)
    assert [(passage.x, passage.y) for passage in dmap.passages] == sorted(
        chart.warps, key=lambda cell: (cell[1], cell[0])
    )
    assert [passage.number for passage in dmap.passages] == list(range(len(chart.warps)))
    assert "    co = { map = 9000, document = 9000, x = 0, y = 0, landmarks = false }" in lines


def test_heights_are_in_the_map(chart: Chart) -> None:
    heights = [at % 300 - 150 for at in range(chart.width * chart.height)]
    assert list(as_dmap(attrs.evolve(chart, heights=heights)).altitudes) == heights


def test_a_clients_list_of_maps_gets_the_new_one(content: Content, tmp_path: Path) -> None:
    client, to = tmp_path / "client", tmp_path / "to"
    own = write_list(
        [ListedMap(1002, "map/map/newplain.DMap"), ListedMap(9001, "map/map/confluence.dmap", 9)]
    )
    (client / "INI").mkdir(parents=True)
    (client / "INI" / "gamemap.dat").write_bytes(own)
    for _ in range(2):
        lines = export("co", content, Order(to, REALM, client, 9001, PUZZLE))
        assert read_list((to / "ini" / "GameMap.dat").read_bytes()) == (
            ListedMap(1002, "map/map/newplain.DMap"),
            ListedMap(9001, "map/map/confluence.dmap", 256),
        )
    assert "    co = { map = 9001, document = 9001, x = 0, y = 0, landmarks = false }" in lines
    puzzle = read_dmap((to / "map" / "map" / "confluence.dmap").read_bytes()).puzzle
    assert puzzle.rstrip(b"\0") == PUZZLE.encode()
    assert not (to / "data").exists()
    assert (client / "INI" / "gamemap.dat").read_bytes() == own
    with pytest.raises(ExportError, match="has a map 1002"):
        export("co", content, Order(to, REALM, client, 1002, PUZZLE))
    (client / "INI" / "gamemap.dat").write_bytes(own[:-1])
    with pytest.raises(ExportError, match="the file ends"):
        export("co", content, Order(to, REALM, client, 9001, PUZZLE))


def test_the_picture_of_the_ground_is_painted(content: Content, chart: Chart, tmp_path: Path) -> None:
    side = 6
    small = attrs.evolve(
        chart,
        width=side,
        height=side,
        ground=chart.ground[: side * side],
        blocked=bytes(side * side),
        scenery=(),
        warps={},
    )
    export("co", attrs.evolve(content, charts={REALM: small}), Order(tmp_path, REALM))
    dmap = read_dmap((tmp_path / "map" / "map" / "confluence.dmap").read_bytes())
    puzzle = tmp_path / dmap.puzzle.rstrip(b"\0").decode()
    magic, ani, columns, rows = struct.unpack_from("<8s256sII", puzzle.read_bytes())
    numbers = struct.unpack_from(f"<{columns * rows}H", puzzle.read_bytes(), 272)
    assert (magic, columns, rows) == (b"PUZZLE2\0", 2, 1)
    assert len(puzzle.read_bytes()) == 272 + 2 * columns * rows + 8
    assert numbers == (0, 1)
    text = (tmp_path / ani.rstrip(b"\0").decode()).read_bytes().decode()
    files = [line.partition("=")[2] for line in text.split("\r\n") if line.startswith("Frame0=")]
    assert text.startswith("[Puzzle0]\r\nFrameAmount=1\r\nFrame0=data/map/puzzle/confluence/0.dds\r\n")
    assert len(files) == 2
    for file in files:
        piece = (tmp_path / file).read_bytes()
        assert piece[:4] == b"DDS "
        assert len(piece) == 128 + 256 * 256 * 2
    # Two points beside the middle of the map there is grass; in the corner of the picture nothing is.
    middle, corner = 128 + 2 * (128 * 256 + 2), 128
    right = (tmp_path / files[1]).read_bytes()
    (colour,) = struct.unpack_from("<H", right, middle)
    assert colour >> 5 & 0x3F > 30
    assert right[corner + 508 : corner + 512] == bytes(4)


# Endless Online


def test_the_files_of_endless_online_can_be_read(content: Content, chart: Chart, tmp_path: Path) -> None:
    export("eo", content, Order(tmp_path, REALM))
    emf = Emf.deserialize(EoReader((tmp_path / "maps" / "00001.emf").read_bytes()))
    assert (emf.width, emf.height) == (chart.width - 1, chart.height - 1)
    assert emf.name == chart.title
    items = Eif.deserialize(EoReader((tmp_path / "pub" / "dat001.eif").read_bytes()))
    assert items.items[0].name == "Gold Coin"
    assert Enf.deserialize(EoReader((tmp_path / "pub" / "dtn001.enf").read_bytes())).npcs
    assert sorted(path.name for path in (tmp_path / "pub").iterdir()) == [
        "dat001.ecf",
        "dat001.eif",
        "dsl001.esf",
        "dtn001.enf",
    ]


# Ultima Online


def block_of(x: int, y: int, facet: int = 4) -> int:
    return (x >> 3) * (HEIGHTS[facet] >> 3) + (y >> 3)


def land(folder: Path, x: int, y: int, facet: int = 4) -> tuple[int, int]:
    with (folder / f"map{facet}.mul").open("rb") as file:
        file.seek(block_of(x, y, facet) * 196 + 4 + 3 * ((y & 7) * 8 + (x & 7)))
        number, z = struct.unpack("<Hb", file.read(3))
    return int(number), int(z)


def standing(folder: Path, x: int, y: int, facet: int = 4) -> list[tuple[int, int]]:
    """Items and their heights on a tile."""
    with (folder / f"staidx{facet}.mul").open("rb") as file:
        file.seek(block_of(x, y, facet) * 12)
        offset, length, _ = struct.unpack("<iii", file.read(12))
    with (folder / f"statics{facet}.mul").open("rb") as file:
        file.seek(max(offset, 0))
        records = struct.iter_unpack("<HBBbH", file.read(max(length, 0)))
        return [(item, z) for item, dx, dy, z, _ in records if (dx, dy) == (x & 7, y & 7)]


def test_the_facet_may_be_another_than_that_of_the_atlas(content: Content, tmp_path: Path) -> None:
    export("uo", content, Order(tmp_path / "one", REALM))
    export("uo", content, Order(tmp_path / "zero", REALM, map_number=0))
    for name in ("map", "staidx", "statics"):
        one, zero = (tmp_path / "one" / f"{name}1.mul"), (tmp_path / "zero" / f"{name}0.mul")
        assert filecmp.cmp(one, zero, shallow=False)
    with pytest.raises(ExportError, match="a facet is 0 to 5, not 6"):
        export("uo", content, Order(tmp_path, REALM, map_number=6))


def test_the_realm_lies_in_an_otherwise_empty_facet(content: Content, chart: Chart, tmp_path: Path) -> None:
    lines = export("uo", content, Order(tmp_path, REALM))
    assert (tmp_path / "map1.mul").stat().st_size == 7168 * 4096 // 64 * 196
    assert (tmp_path / "staidx1.mul").stat().st_size == 7168 * 4096 // 64 * 12
    looks, at = compile_looks(content), chart.place("uo")
    walls = [piece for piece in chart.scenery if piece.kind.layer == "wall_south"]
    assert walls
    for wall in walls:
        x, y = at["x"] + wall.x, at["y"] + wall.y
        found = standing(tmp_path, x, y, 1)
        assert {piece.item for piece in looks.scenery(wall.kind.key, wall.x, wall.y)} <= {
            item for item, _ in found
        }
        assert land(tmp_path, x, y, 1)[0] in GRASS
    assert land(tmp_path, at["x"] - 1, at["y"], 1) == (0, 0)
    assert standing(tmp_path, at["x"] - 1, at["y"], 1) == []
    assert any("All the rest of it is empty" in line for line in lines)


AT: Final = (800, 600)
"""Where the realm lies in the small facet."""


@pytest.fixture(scope="module")
def elsewhere(content: Content, chart: Chart) -> Content:
    """The realm in the smallest facet."""
    atlas = {**chart.atlas, "uo": {"map": 4, "x": AT[0], "y": AT[1]}}
    return attrs.evolve(content, charts={REALM: attrs.evolve(chart, atlas=atlas)})


@pytest.fixture
def client(tmp_path: Path) -> Path:
    """A client's folder: land 9 at z 1, and nothing on it."""
    folder, blocks = tmp_path / "client", 181 * 181
    folder.mkdir()
    (folder / "map4.mul").write_bytes((bytes(4) + struct.pack("<Hb", 9, 1) * 64) * blocks)
    (folder / "Staidx4.mul").write_bytes(struct.pack("<iii", -1, -1, 0) * blocks)
    (folder / "statics4.mul").touch()
    return folder


def test_a_clients_facet_gets_the_realm_and_the_client_keeps_its_own(
    elsewhere: Content, client: Path, tmp_path: Path
) -> None:
    own = {path: path.read_bytes() for path in client.iterdir()}
    lines = export("uo", elsewhere, Order(tmp_path / "to", REALM, client))
    assert land(tmp_path / "to", *AT)[0] in GRASS
    assert land(tmp_path / "to", AT[0] - 1, AT[1]) == (9, 1)
    assert (tmp_path / "to" / "statics4.mul").stat().st_size > 7000
    assert not any("is empty" in line for line in lines)
    assert {path: path.read_bytes() for path in client.iterdir()} == own


def test_the_map_of_a_newer_client_is_unpacked(elsewhere: Content, client: Path, tmp_path: Path) -> None:
    ground = (client / "map4.mul").read_bytes()
    (client / "map4.mul").unlink()
    pieces = [ground[at : at + 0xC4000] for at in range(0, len(ground), 0xC4000)]
    with (client / "map4LegacyMUL.uop").open("wb") as file:
        file.write(struct.pack("<IIIQII", 0x0050594D, 5, 0xFD23EC43, 28, 1000, len(pieces)))
        file.write(struct.pack("<IQ", len(pieces), 0))
        offset = 40 + 34 * len(pieces)
        for number, piece in enumerate(pieces):
            name = name_hash(f"build/map4legacymul/{number:08}.dat")
            file.write(struct.pack("<QIIIQIH", offset, 0, len(piece), len(piece), name, 0, 0))
            offset += len(piece)
        file.write(ground)
    export("uo", elsewhere, Order(tmp_path / "to", REALM, client))
    assert land(tmp_path / "to", AT[0] - 1, AT[1]) == (9, 1)
    assert land(tmp_path / "to", *AT)[0] in GRASS
    assert (tmp_path / "to" / "map4.mul").stat().st_size == len(ground)


def test_a_facet_that_is_none_leaves_nothing_behind(elsewhere: Content, client: Path, tmp_path: Path) -> None:
    (client / "map4.mul").write_bytes(bytes(196))
    with pytest.raises(ExportError, match="facet 4 cannot have 1 blocks"):
        export("uo", elsewhere, Order(tmp_path / "to", REALM, client))
    (client / "map4.mul").unlink()
    with pytest.raises(ExportError, match=r"map4\.mul: No such file"):
        export("uo", elsewhere, Order(tmp_path / "to", REALM, client))
    assert list((tmp_path / "to").iterdir()) == []


# What cannot be done


@pytest.mark.parametrize("game", ["co", "eo", "uo"])
def test_a_realm_without_a_place_in_the_game(
    content: Content, chart: Chart, tmp_path: Path, game: str
) -> None:
    homeless = attrs.evolve(content, charts={REALM: attrs.evolve(chart, atlas={})})
    if game == "co":
        assert export(game, homeless, Order(tmp_path, REALM, puzzle=PUZZLE))
        return
    with pytest.raises(ExportError, match="in its atlas"):
        export(game, homeless, Order(tmp_path, REALM))


def test_orders_that_make_no_sense(content: Content, tmp_path: Path) -> None:
    for order, message in (
        (Order(tmp_path, "confluense"), "there is no realm confluense; there are: confluence"),
        (Order(tmp_path, REALM, tmp_path), "is the client's own folder"),
        (Order(tmp_path, REALM, tmp_path / "nowhere"), "nowhere is not a folder"),
        (Order(tmp_path, REALM, map_number=0), "a map's number is 1 to"),
        (Order(tmp_path, REALM, map_number=2**32), "a map's number is 1 to"),
        (Order(tmp_path, REALM, puzzle="x" * 300), "the puzzle's path"),
    ):
        with pytest.raises(ExportError, match=message):
            export("co", content, order)
    assert list(tmp_path.iterdir()) == []


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "co", "--to", str(tmp_path), "--map", "9005", "--puzzle", PUZZLE]) == exits.GOOD
    out, _ = capsys.readouterr()
    assert out.startswith(f"wrote {tmp_path / 'map/map/confluence.dmap'} (87204 bytes)\n")
    assert "co = { map = 9005, document = 9005, x = 0, y = 0, landmarks = false }" in out
    assert main(["export", "eo", "--to", str(tmp_path), "--realm", "nowhere"]) == exits.REFUSED
    assert capsys.readouterr().err == "there is no realm nowhere; there are: confluence, undercroft\n"
    (tmp_path / "a file").touch()
    assert main(["export", "eo", "--to", str(tmp_path / "a file")]) == exits.REFUSED
    assert "a file" in capsys.readouterr().err
    with pytest.raises(SystemExit) as caught:
        main(["export", "l2"])
    assert caught.value.code == exits.REFUSED


def test_mistakes_in_the_data_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(DATA, tmp_path / "data")
    (tmp_path / "data" / "start.toml").write_text('realm = "nowhere"\n')
    monkeypatch.setattr(server.content.families, "DATA", tmp_path / "data")
    assert main(["export", "eo", "--to", str(tmp_path / "to")]) == exits.REFUSED
    assert "start.toml: realm: no 'nowhere'" in capsys.readouterr().err


# And back again


def test_an_exported_map_is_the_same_realm(content: Content, chart: Chart, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(DATA, data)
    heights = [(at % chart.width) * 3 for at in range(chart.width * chart.height)]
    higher = attrs.evolve(content, charts={REALM: attrs.evolve(chart, heights=heights)})
    export("co", higher, Order(tmp_path / "to", REALM, puzzle=PUZZLE))
    shutil.copy(tmp_path / "to" / "map" / "map" / "confluence.dmap", data / "realms")
    passages = "\n".join(
        f"{number} = {{ realm = '{REALM}', x = {warp.x}, y = {warp.y} }}"
        for number, warp in enumerate(
            chart.warps[cell] for cell in sorted(chart.warps, key=lambda cell: (cell[1], cell[0]))
        )
    )
    (data / "realms" / "twin.toml").write_text(
        f"""
title = "Twin"
dmap = "confluence.dmap"
ground = "grass"
spawns = [{list(chart.spawns[0])}]
[passages]
{passages}
[atlas]
uo = {{ map = 1, x = 5600, y = 1080 }}
eo = {{ map = 2 }}
eq2 = {{ zone = "antonica", description = "Twin", x = 380.0, y = -37.5, z = 960.0 }}
l2 = {{ x = -87840, y = 257280, z = -3728 }}
co = {{ map = 9000, document = 9000, x = 0, y = 0 }}
""",
        encoding="utf-8",
    )
    found = load(data)
    twin = found.charts["twin"]
    assert twin.blocked == chart.blocked
    assert list(twin.heights) == heights
    assert {cell: (warp.x, warp.y) for cell, warp in twin.warps.items() if cell in chart.warps} == {
        cell: (warp.x, warp.y) for cell, warp in chart.warps.items()
    }
    assert [problem for problem in make_families(found, GAMES)[1] if "twin" in problem] == []
