"""Map files: what is read is written the same, houses lie where they should, and broken files say so."""

from __future__ import annotations

import json
import struct
import time
from array import array
from contextlib import suppress
from pathlib import Path
from typing import Final

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.co.dmap import (
    COVER,
    LARGEST,
    LAYER_BYTES,
    TERRAIN,
    DMap,
    Layer,
    MapError,
    Passage,
    read_dmap,
    read_scene,
    row_checksum,
    with_scenes,
    write_dmap,
)
from protocol.co.gamemap import ListedMap, read_list, write_list

GOLDEN: Final = json.loads(
    (Path(__file__).parents[1] / "golden" / "co" / "dmap_synthetic.json").read_text(encoding="utf-8")
)
FILE: Final = bytes.fromhex(GOLDEN["file_hex"])
WIDTHS: Final = 6
HEIGHTS: Final = 5


@st.composite
def dmaps(draw: st.DrawFn) -> DMap:
    """Small maps with everything that a map can have."""
    width, height = draw(st.integers(1, WIDTHS)), draw(st.integers(1, HEIGHTS))
    words = st.lists(st.integers(0, 0xFFFF), min_size=width * height, max_size=width * height)
    signed = st.lists(st.integers(-0x8000, 0x7FFF), min_size=width * height, max_size=width * height)
    numbers = st.integers(0, 0xFFFFFFFF)
    number = draw(st.sampled_from([1003, 1004, 1005]))
    version = draw(st.sampled_from([struct.pack("<II", number, 0), b"DMAP10\0\0"]))
    layers = []
    for kind in draw(st.lists(st.sampled_from(sorted(LAYER_BYTES)), max_size=3)):
        size = LAYER_BYTES[kind] + (4 if kind == COVER and version[:4] == struct.pack("<I", 1005) else 0)
        layers.append(Layer(kind, draw(st.binary(max_size=60)).ljust(size, b"\x07")))
    return DMap(
        width,
        height,
        array("H", draw(words)),
        array("H", draw(words)),
        array("h", draw(signed)),
        tuple(draw(st.lists(st.builds(Passage, numbers, numbers, numbers), max_size=3))),
        tuple(layers),
        version,
        draw(st.binary(max_size=260)).ljust(260, b"\0"),
        draw(st.binary(max_size=9)),
    )


def same(one: DMap, other: DMap) -> bool:
    return attrs.astuple(one, recurse=False) == attrs.astuple(other, recurse=False)


# The vector


def test_the_synthetic_file_is_read_and_written_bit_for_bit() -> None:
    dmap = read_dmap(FILE)
    cells = [cell for row in GOLDEN["cells_mask_surface_altitude"] for cell in row]
    assert (dmap.width, dmap.height) == (3, 2)
    assert [list(cell) for cell in zip(dmap.masks, dmap.surfaces, dmap.altitudes, strict=True)] == cells
    assert [[passage.x, passage.y, passage.number] for passage in dmap.passages] == GOLDEN["passages"]
    assert [layer.kind for layer in dmap.layers] == [15]
    assert dmap.blocked() == b"\0\1\0\0\0\1"
    assert dmap.rest == b""
    assert write_dmap(dmap) == FILE


@pytest.mark.parametrize("y", [0, 1])
def test_the_checksum_of_each_row(y: int) -> None:
    masks, surfaces, altitudes = zip(*GOLDEN["cells_mask_surface_altitude"][y], strict=True)
    assert row_checksum(y, masks, surfaces, altitudes) == GOLDEN["row_checksums"][y]


@given(
    st.integers(0, 3000),
    st.lists(st.tuples(st.integers(0, 65535), st.integers(0, 65535), st.integers(-32768, 32767)), min_size=1),
)
def test_the_checksum_is_the_rule_cell_by_cell(y: int, cells: list[tuple[int, int, int]]) -> None:
    rule = sum(
        mask * (surface + y + 1) + (altitude + 2) * (x + 1 + surface)
        for x, (mask, surface, altitude) in enumerate(cells)
    )
    masks, surfaces, altitudes = zip(*cells, strict=True)
    assert row_checksum(y, masks, surfaces, altitudes) == rule % 2**32


# Reading and writing


@settings(max_examples=200)
@given(dmaps())
def test_what_is_written_is_read_the_same(dmap: DMap) -> None:
    file = write_dmap(dmap)
    again = read_dmap(file)
    assert same(again, dmap)
    assert write_dmap(again) == file


def test_a_map_of_its_own_is_ground_and_passages_only() -> None:
    dmap = DMap.plain(3, 2, b"\0\1\0\0\0\5", [1, 2, 3, -4, 5, 6], [Passage(2, 1, 0)], "map/puzzle/x.pul")
    again = read_dmap(write_dmap(dmap))
    assert list(again.masks) == [0, 1, 0, 0, 0, 1]
    assert list(again.altitudes) == [1, 2, 3, -4, 5, 6]
    assert again.puzzle.rstrip(b"\0") == b"map/puzzle/x.pul"
    assert again.version == struct.pack("<II", 1004, 0)
    # Behind the layers clients look for how many layers of the second sort there are.
    assert again.rest == bytes(4)
    assert not any(DMap.plain(3, 2, bytes(6)).altitudes)


@pytest.mark.parametrize(
    ("width", "height", "blocked", "heights", "puzzle"),
    [
        (0, 2, b"", [], ""),
        (2049, 2048, b"", [], ""),
        (2, 2, bytes(3), [], ""),
        (2, 2, bytes(4), [0, 0, 0], ""),
        (2, 2, bytes(4), [0, 0, 0, 40000], ""),
        (2, 2, bytes(4), [], "x" * 260),
    ],
)
def test_a_map_that_no_client_could_load_is_not_made(
    width: int, height: int, blocked: bytes, heights: list[int], puzzle: str
) -> None:
    with pytest.raises(MapError):
        DMap.plain(width, height, blocked, heights, puzzle=puzzle)


def test_a_large_map_is_read_and_written_in_a_moment() -> None:
    side = 1000
    dmap = DMap.plain(side, side, bytes(side * side), [7] * (side * side))
    started = time.process_time()
    again = read_dmap(write_dmap(dmap))
    assert time.process_time() - started < 3.0
    assert again.altitudes == dmap.altitudes


# Hostile files


def changed(at: int, form: str, *values: int) -> bytes:
    file = bytearray(FILE)
    struct.pack_into(form, file, at, *values)
    return bytes(file)


PASSAGES_AT: Final = 276 + 2 * (3 * 6 + 4)
LAYERS_AT: Final = PASSAGES_AT + 4 + 12


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"", "the file ends at 0, within the header"),
        (b"7z\xbc\xaf\x27\x1c" + FILE, "a 7z archive"),
        (changed(0, "<I", 1006), "version 1006"),
        (changed(4, "<I", 1), "version 1004 \\(and 1\\)"),
        (changed(268, "<I", 0), "0 x 2 cells"),
        (changed(268, "<II", 0xFFFFFFFF, 0xFFFFFFFF), "4294967295 x 4294967295 cells"),
        (changed(268, "<II", LARGEST, 1), "within the cells"),
        (changed(268, "<II", LARGEST + 1, 1), "cells, 1 to"),
        (changed(276, "<H", 1), "the checksum of row 0 is wrong"),
        (changed(PASSAGES_AT - 4, "<I", 0), "the checksum of row 1 is wrong"),
        (changed(PASSAGES_AT, "<I", 0xFFFFFFFF), "4294967295 passages are more than fit"),
        (changed(PASSAGES_AT, "<I", 30), "30 passages are more than fit"),
        (changed(LAYERS_AT, "<I", 0xFFFFFFFF), "4294967295 layers are more than fit"),
        (changed(LAYERS_AT, "<I", 2), "layer 1"),
        (changed(LAYERS_AT + 4, "<I", 16), "layer 0 is of kind 16"),
        (changed(LAYERS_AT + 4, "<I", COVER), "within layer 0"),
    ],
)
def test_a_broken_file_says_what_is_wrong(file: bytes, message: str) -> None:
    with pytest.raises(MapError, match=message):
        read_dmap(file)


def test_a_file_that_ends_anywhere_too_soon_is_an_error() -> None:
    for length in range(len(FILE)):
        with pytest.raises(MapError):
            read_dmap(FILE[:length])


@settings(max_examples=300)
@given(st.data())
def test_whatever_bytes_there_are_only_maps_and_errors_come_out(data: st.DataObject) -> None:
    file = bytearray(write_dmap(data.draw(dmaps())) if data.draw(st.booleans()) else FILE)
    for _ in range(data.draw(st.integers(0, 4))):
        file[data.draw(st.integers(0, len(file) - 1))] = data.draw(st.integers(0, 255))
    file = file[: data.draw(st.integers(0, len(file)))] + data.draw(st.binary(max_size=40))
    try:
        dmap = read_dmap(bytes(file))
    except MapError:
        return
    assert write_dmap(dmap) == bytes(file)
    assert len(dmap.blocked()) == dmap.width * dmap.height


# Scenes


def scene(width: int, height: int, x: int, y: int, cells: list[tuple[int, int, int]]) -> bytes:
    """One part of a scene, as its file has it."""
    head = struct.pack("<256s64sIIIIIiiii", b"ani/inn.ani", b"inn", 5, 6, 100, width, height, 1, x, y, 0)
    return head + b"".join(struct.pack("<IIi", *cell) for cell in cells)


def house_map(width: int, height: int, *places: tuple[int, int]) -> DMap:
    plain = DMap.plain(width, height, bytes([1]) * (width * height))
    layers = [Layer(TERRAIN, struct.pack("<260sII", b"map\\Scene\\inn.scene", x, y)) for x, y in places]
    return read_dmap(write_dmap(DMap(*_cells(plain), layers=tuple(layers))))


def _cells(dmap: DMap) -> tuple[int, int, array[int], array[int], array[int]]:
    return dmap.width, dmap.height, dmap.masks, dmap.surfaces, dmap.altitudes


def test_a_scene_replaces_the_cells_under_it() -> None:
    cells = [(0, 1, 10), (0, 2, 20), (0, 3, 30), (0, 4, 40), (0, 5, 50), (0, 6, 60)]
    file = struct.pack("<I", 1) + scene(3, 2, 1, 2, cells)
    dmap = house_map(10, 8, (5, 4))
    laid = with_scenes(dmap, {"map\\Scene\\inn.scene": read_scene(file)}.__getitem__)
    # (x + sx + i - w, y + sy + j - h): columns 3 to 5, rows 4 and 5.
    walkable = {(at % 10, at // 10) for at, blocked in enumerate(laid.blocked()) if not blocked}
    assert walkable == {(x, y) for x in (3, 4, 5) for y in (4, 5)}
    assert [laid.altitudes[4 * 10 + x] for x in (3, 4, 5)] == [10, 20, 30]
    assert [laid.surfaces[5 * 10 + x] for x in (3, 4, 5)] == [4, 5, 6]
    # The map as it was read, and so as it would be written, is another thing.
    assert dmap.blocked() == bytes([1]) * 80


@pytest.mark.parametrize(
    ("x", "y", "dx", "dy"),
    [(0, 0, 0, 0), (11, 9, 0, 0), (5, 4, -100, 50), (0xFFFFFFFF, 3, 0, 0), (1, 9, 1, -1)],
)
def test_what_reaches_beyond_the_map_is_left_out(x: int, y: int, dx: int, dy: int) -> None:
    file = struct.pack("<I", 1) + scene(3, 2, dx, dy, [(0, 0, 0)] * 6)
    laid = with_scenes(house_map(10, 8, (x, y)), lambda _: read_scene(file))
    expected = {(x + dx + i - 3, y + dy + j - 2) for i in range(3) for j in range(2)}
    walkable = {(at % 10, at // 10) for at, blocked in enumerate(laid.blocked()) if not blocked}
    assert walkable == {(x, y) for x, y in expected if 0 <= x < 10 and 0 <= y < 8}


def test_numbers_of_a_scene_too_large_for_a_map_are_cut() -> None:
    file = struct.pack("<I", 1) + scene(1, 1, 1, 1, [(0x10001, 0x2FFFF, -40000)])
    laid = with_scenes(house_map(2, 2, (0, 0)), lambda _: read_scene(file))
    assert (laid.masks[0], laid.surfaces[0], laid.altitudes[0]) == (1, 0xFFFF, -0x8000)


@pytest.mark.parametrize(
    "file",
    [
        b"",
        struct.pack("<I", 1),
        struct.pack("<I", 0xFFFFFFFF) + scene(1, 1, 0, 0, [(0, 0, 0)]),
        struct.pack("<I", 1) + scene(2, 1, 0, 0, [(0, 0, 0)]),
        struct.pack("<I", 1) + scene(0xFFFFFFFF, 0xFFFFFFFF, 0, 0, []),
    ],
)
def test_a_broken_scene_is_an_error(file: bytes) -> None:
    with pytest.raises(MapError):
        read_scene(file)


@given(st.binary(max_size=600))
def test_whatever_bytes_a_scene_has_only_parts_and_errors_come_out(data: bytes) -> None:
    with suppress(MapError):
        read_scene(struct.pack("<I", 1) + data)


# The list of maps


def test_the_list_of_maps_is_written_as_it_was_read() -> None:
    maps = (ListedMap(1002, "map/map/newplain.DMap"), ListedMap(1010, "map/map/newbie.DMap", 128))
    file = write_list(maps)
    assert file.startswith(
        struct.pack("<III", 2, 1002, 21) + b"map/map/newplain.DMap" + struct.pack("<I", 256)
    )
    assert read_list(file) == maps
    for length in range(len(file)):
        with pytest.raises(MapError):
            read_list(file[:length])
    with pytest.raises(MapError, match="1 bytes follow"):
        read_list(file + b"\0")
