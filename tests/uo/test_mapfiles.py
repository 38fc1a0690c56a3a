"""A realm in a facet's files: where its blocks are, what stands there, and that all the rest stays."""

from __future__ import annotations

import json
import struct
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from protocol.uo.figures import Figures
from protocol.uo.looks import compile_looks
from protocol.uo.mapfiles import (
    GRASS,
    HEIGHTS,
    WIDTHS,
    Facet,
    MapError,
    Plot,
    Static,
    copy_map,
    name_hash,
    statics,
)
from protocol.uo.places import read_places
from protocol.uo.scenery import FIRST_SERIAL, UoScenery
from server.content.loading import load

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA: Final = Path(__file__).parents[2] / "data"
GOLDEN: Final = json.loads(
    (Path(__file__).parents[1] / "golden" / "uo" / "uop_hash.json").read_text(encoding="utf-8")
)
FACET: Final = 4
"""The smallest: 181 x 181 blocks."""
BLOCKS: Final = 181 * 181


def files() -> tuple[BytesIO, BytesIO, BytesIO]:
    """A client's own facet: land 9 at z 5, and on each block one static at its tile (1, 2)."""
    land = struct.pack("<I", 77) + struct.pack("<Hb", 9, 5) * 64
    index = b"".join(struct.pack("<iii", 7 * block, 7, 3) for block in range(BLOCKS))
    return BytesIO(land * BLOCKS), BytesIO(index), BytesIO(struct.pack("<HBBbH", 50, 1, 2, -3, 4) * BLOCKS)


class Reader:
    """Reads a facet's files by the rules of the facts, apart from the code that writes them."""

    def __init__(self, land: BytesIO, index: BytesIO, statics: BytesIO, height: int = HEIGHTS[FACET]) -> None:
        self._land, self._index, self._statics = land.getvalue(), index.getvalue(), statics.getvalue()
        self._height = height

    def land(self, x: int, y: int) -> tuple[int, int]:
        block = (x >> 3) * (self._height >> 3) + (y >> 3)
        number, z = struct.unpack_from("<Hb", self._land, block * 196 + 4 + 3 * ((y & 7) * 8 + (x & 7)))
        return int(number), int(z)

    def statics(self, x: int, y: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Of a whole block: item, x, y, z, hue."""
        block = (x >> 3) * (self._height >> 3) + (y >> 3)
        offset, length, _ = struct.unpack_from("<iii", self._index, block * 12)
        for item, dx, dy, z, hue in struct.iter_unpack(
            "<HBBbH", self._statics[offset : offset + max(length, 0)]
        ):
            yield item, (x & ~7) + dx, (y & ~7) + dy, z, hue


def test_a_plot_becomes_grass_with_its_statics_and_all_around_stays() -> None:
    opened = files()
    before = Reader(*opened)
    plot = Plot(803, 390, 13, 9, z=-7)
    walls = [Static(0x80, 803, 390, -7), Static(0x81, 815, 398, 13, 33), Static(0x82, 803, 390, 0)]
    Facet.of(FACET, *opened).lay(plot, walls)
    after = Reader(*opened)
    for y in range(380, 408):
        for x in range(796, 824):
            if plot.contains(x, y):
                assert after.land(x, y)[0] in GRASS
                assert after.land(x, y)[1] == -7
            else:
                assert after.land(x, y) == (9, 5)
    found = {static for y in range(376, 416, 8) for x in range(792, 832, 8) for static in after.statics(x, y)}
    stood = {
        static for y in range(376, 416, 8) for x in range(792, 832, 8) for static in before.statics(x, y)
    }
    kept = {static for static in stood if not plot.contains(static[1], static[2])}
    assert kept < stood
    assert found == kept | {(wall.item, wall.x, wall.y, wall.z, wall.hue) for wall in walls}


def test_what_does_not_belong_to_the_plot_keeps_every_byte() -> None:
    opened = files()
    before = [file.getvalue() for file in opened]
    Facet.of(FACET, *opened).lay(Plot(800, 384, 8, 8), [Static(0x80, 800, 384, 0)])
    block = 100 * 181 + 48
    land, index, standing = (file.getvalue() for file in opened)
    assert land[: block * 196 + 4] == before[0][: block * 196 + 4]
    assert land[(block + 1) * 196 :] == before[0][(block + 1) * 196 :]
    assert index[: block * 12] == before[1][: block * 12]
    assert index[block * 12 : (block + 1) * 12] == struct.pack("<iii", len(before[2]), 7, 3)
    assert index[(block + 1) * 12 :] == before[1][(block + 1) * 12 :]
    assert standing == before[2] + struct.pack("<HBBbH", 0x80, 0, 0, 0, 0)


def test_a_block_that_loses_its_last_static_has_none() -> None:
    opened = files()
    Facet.of(FACET, *opened).lay(Plot(800, 384, 8, 8), [])
    assert list(Reader(*opened).statics(800, 384)) == []
    block = 100 * 181 + 48
    assert opened[1].getvalue()[block * 12 : block * 12 + 8] == struct.pack("<ii", -1, -1)


@pytest.mark.parametrize("facet", [2, 3, 4])
def test_an_empty_facet_has_its_size_and_the_plot(facet: int) -> None:
    blocks = WIDTHS[facet][0] // 8 * (HEIGHTS[facet] // 8)
    # As files are that truncate() has made longer.
    opened = BytesIO(bytes(blocks * 196)), BytesIO(bytes(blocks * 12)), BytesIO()
    Facet.empty(facet, *opened).lay(Plot(16, 24, 4, 4), [Static(0x80, 17, 25, 0)])
    reader = Reader(*opened, HEIGHTS[facet])
    assert list(reader.statics(16, 24)) == [(0x80, 17, 25, 0, 0)]
    assert reader.land(16, 24)[0] in GRASS
    assert reader.land(20, 24) == (0, 0)
    assert len(opened[0].getvalue()) == blocks * 196


@pytest.mark.parametrize(
    ("plot", "wall"),
    [
        (Plot(-1, 0, 8, 8), None),
        (Plot(1441, 0, 8, 8), None),
        (Plot(0, 1441, 8, 8), None),
        (Plot(0, 0, 8, 8, z=128), None),
        (Plot(0, 0, 8, 8), Static(1, 8, 0, 0)),
        (Plot(0, 0, 8, 8), Static(1, 0, 0, -129)),
    ],
)
def test_what_lies_beyond_the_facet_or_the_plot_is_refused(plot: Plot, wall: Static | None) -> None:
    opened = files()
    before = [file.getvalue() for file in opened]
    with pytest.raises(MapError):
        Facet.of(FACET, *opened).lay(plot, [wall] if wall else [])
    assert [file.getvalue() for file in opened] == before


@pytest.mark.parametrize("width", [7168, 6144])
def test_the_facets_of_old_clients_are_narrower(tmp_path: Path, width: int) -> None:
    blocks = width // 8 * 512
    paths = [tmp_path / name for name in ("map0.mul", "staidx0.mul", "statics0.mul")]
    for path, size in zip(paths, (196, 12, 0), strict=True):
        path.touch()
        with path.open("r+b") as file:
            file.truncate(blocks * size)
    with paths[0].open("r+b") as land, paths[1].open("r+b") as index, paths[2].open("r+b") as standing:
        assert Facet.of(0, land, index, standing).width == width


def test_files_that_are_no_facet_are_refused() -> None:
    land, index, standing = files()
    with pytest.raises(MapError, match="facet 0 cannot have 32761 blocks"):
        Facet.of(0, land, index, standing)
    with pytest.raises(MapError):
        Facet.of(FACET, BytesIO(land.getvalue()[:-1]), index, standing)
    with pytest.raises(MapError):
        Facet.of(FACET, land, BytesIO(index.getvalue()[:-12]), standing)


@pytest.mark.parametrize("entry", [(0, 700_007, 0), (0, 6, 0), (7 * BLOCKS - 3, 7, 0)])
def test_damaged_statics_are_refused(entry: tuple[int, int, int]) -> None:
    land, _, standing = files()
    index = BytesIO(struct.pack("<iii", *entry) * BLOCKS)
    with pytest.raises(MapError, match="statics"):
        Facet.of(FACET, land, index, standing).lay(Plot(0, 0, 8, 8), [])


@pytest.mark.parametrize("entry", [(-1, -1, 0), (0, 0, 0), (5, -1, 0), (-1, 7, 0)])
def test_a_block_without_statics_is_one_in_all_ways_it_can_be_written(entry: tuple[int, int, int]) -> None:
    land, _, standing = files()
    index = BytesIO(struct.pack("<iii", *entry) * BLOCKS)
    Facet.of(FACET, land, index, standing).lay(Plot(0, 0, 8, 8), [Static(0x80, 3, 4, 5, 6)])
    assert list(Reader(land, index, standing).statics(0, 0)) == [(0x80, 3, 4, 5, 6)]


def test_the_statics_of_a_realm_are_what_the_server_would_send() -> None:
    content = load(DATA)
    looks = compile_looks(content)
    scenery = UoScenery.of(content, Figures(looks, read_places(content.charts.values())))
    expected: list[Static] = []
    while (piece := scenery.find(FIRST_SERIAL + len(expected))) is not None:
        expected.append(Static(piece.art, piece.x, piece.y, piece.z, piece.hue))
    assert len(expected) > 1000
    assert [piece for chart in content.charts.values() for piece in statics(chart, looks)] == expected


# The packed map of newer clients


def packed(facet: int, pieces: list[bytes], *, flag: int = 0, tables: int = 1) -> bytes:
    """A .uop with the pieces of a map, in turned order and in so many tables."""
    names = [name_hash(f"build/map{facet}legacymul/{n:08}.dat") for n in range(len(pieces))]
    head = struct.Struct("<IIIQII")
    file = bytearray(head.pack(0x0050594D, 5, 0xFD23EC43, 0, 100, len(pieces)))
    entries = []
    for name, piece in reversed(list(zip(names, pieces, strict=True))):
        entries.append(struct.pack("<QIIIQIH", len(file), 6, len(piece), len(piece), name, 0, flag))
        file += b"\1" * 6 + piece
    following = 0
    for number in range(tables):
        mine = entries[number::tables]
        start = len(file)
        file += struct.pack("<IQ", len(mine) + 1, following) + b"".join(mine) + bytes(34)
        following = start
    struct.pack_into("<Q", file, 12, following)
    return bytes(file)


@pytest.mark.parametrize("name", [name for name in GOLDEN["hashes"] if name])
def test_the_hash_of_a_name(name: str) -> None:
    assert f"{name_hash(name):016x}" == GOLDEN["hashes"][name]


@pytest.mark.parametrize("tables", [1, 2])
def test_the_map_in_a_uop_is_put_together_in_order(tables: int) -> None:
    pieces = [bytes([n]) * 196 * 4096 for n in range(2)] + [b"end"]
    land = BytesIO()
    copy_map(1, BytesIO(packed(1, pieces, tables=tables)), land)
    assert land.getvalue() == b"".join(pieces)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"", "cut short"),
        (b"PK" * 40, "not a .uop"),
        (packed(0, [b"x"]), "no map 1"),
        (packed(1, [b"x"], flag=1), "compressed"),
        (packed(1, [bytes(0xC4001)]), "802817 bytes"),
        (packed(1, [b"x"])[:-1], "cut short"),
        (struct.pack("<IIIQIIIQ", 0x0050594D, 5, 0, 28, 0, 0, 0, 28), "more than 1000 tables"),
    ],
)
def test_a_broken_uop_says_what_is_wrong(file: bytes, message: str) -> None:
    with pytest.raises(MapError, match=message):
        copy_map(1, BytesIO(file), BytesIO())
