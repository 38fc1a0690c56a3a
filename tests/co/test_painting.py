"""A realm from above: every tile in its own colours, at the point where a client draws it."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import pytest

from protocol.co.painting import PaintingError, paint
from protocol.co.puzzle import PIECE, cell_point, picture_size, write_piece
from server.content.loading import load
from world.content import Scenery

if TYPE_CHECKING:
    from world.content import Chart, Content

DATA: Final = Path(__file__).parents[2] / "data"
SIDE: Final = 9
COLOURS: Final = {"grass": (104, 150, 66), "sand": (222, 204, 148), "cobble": (150, 148, 144)}
"""data/realms/kinds.py, give or take light and stains."""


@pytest.fixture(scope="module")
def content() -> Content:
    return load(DATA)


def a_chart(content: Content, *scenery: Scenery, width: int = SIDE, height: int = SIDE) -> Chart:
    """Stripes of grass, sand and cobble."""
    kinds = [content.tiles[key] for key in COLOURS]
    return attrs.evolve(
        content.charts["confluence"],
        width=width,
        height=height,
        ground=[kinds[(at % width) % 3] for at in range(width * height)],
        scenery=scenery,
    )


def colour(rows: list[list[bytes]], x: int, y: int) -> tuple[int, int, int] | None:
    """Of a point of the picture; None where nothing is."""
    piece = rows[y // PIECE][x // PIECE]
    if not piece:
        return None
    (word,) = struct.unpack_from("<H", piece, 2 * (y % PIECE * PIECE + x % PIECE))
    return ((word >> 11) * 8, (word >> 5 & 63) * 4, (word & 31) * 8) if word else None


@pytest.mark.parametrize(("width", "height"), [(SIDE, SIDE), (8, 8), (12, 5), (5, 12)])
def test_every_tile_has_its_colour_where_the_client_draws_it(
    content: Content, width: int, height: int
) -> None:
    chart = a_chart(content, width=width, height=height)
    rows = list(paint(chart, DATA / "realms"))
    for y in range(height):
        for x in range(width):
            at_x, at_y = cell_point(x, y, width, height)
            seen = colour(rows, at_x, at_y)
            meant = COLOURS[chart.ground[y * width + x].key]
            assert seen is not None
            assert all(abs(one - other) < 45 for one, other in zip(seen, meant, strict=True)), (x, y)
    left, top = cell_point(0, 0, width, height)
    assert colour(rows, left, top - 17) is None
    assert colour(rows, left - 40, top) is None


def test_things_stand_on_the_ground_and_roofs_are_left_out(content: Content) -> None:
    bare = list(paint(a_chart(content), DATA / "realms"))
    tree = next(
        kind
        for kind in content.tiles.values()
        if kind.layer == "object" and not kind.walkable and kind.key.startswith("oak")
    )
    roof = attrs.evolve(tree, layer="roof")
    assert list(paint(a_chart(content, Scenery(roof, 4, 4, 20)), DATA / "realms")) == bare
    planted = list(paint(a_chart(content, Scenery(tree, 4, 4)), DATA / "realms"))
    x, y = cell_point(4, 4, SIDE, SIDE)
    changed = {
        (dx, dy)
        for dy in range(-48, 16)
        for dx in range(-32, 32)
        if colour(planted, x + dx, y + dy) != colour(bare, x + dx, y + dy)
    }
    assert changed
    assert any(dy < -16 for _, dy in changed)


def test_the_middle_of_the_map_is_the_middle_of_its_picture() -> None:
    for side in (8, 120, 252):
        columns, rows = picture_size(side, side)
        assert (columns % PIECE, rows % PIECE) == (0, 0)
        (left, top), (right, bottom) = (cell_point(side // 2 - n, side // 2 - n, side, side) for n in (1, 0))
        assert (left + right, top + bottom) == (columns, rows)
        corners = [cell_point(x, y, side, side) for x in (0, side - 1) for y in (0, side - 1)]
        assert all(32 <= x <= columns - 32 and 16 <= y <= rows - 16 for x, y in corners)


def test_east_is_right_and_below_and_south_is_left_and_below() -> None:
    x, y = cell_point(3, 3, SIDE, SIDE)
    assert cell_point(4, 3, SIDE, SIDE) == (x + 32, y + 16)
    assert cell_point(3, 4, SIDE, SIDE) == (x - 32, y + 16)


def test_a_piece_is_a_texture() -> None:
    piece = write_piece(b"\1\2" * PIECE * PIECE)
    assert len(piece) == 128 + 2 * PIECE * PIECE
    assert struct.unpack_from("<4s6I", piece) == (b"DDS ", 124, 0x100F, PIECE, PIECE, 2 * PIECE, 0)
    assert struct.unpack_from("<8I", piece, 76) == (32, 0x40, 0, 16, 0xF800, 0x7E0, 0x1F, 0)
    assert struct.unpack_from("<I", piece, 108) == (0x1000,)


def test_a_realm_too_large_to_paint(content: Content) -> None:
    with pytest.raises(PaintingError, match="257 x 2 tiles"):
        next(paint(a_chart(content, width=257, height=2), DATA / "realms"))


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("kinds.tsj", b"{}"),
        ("kinds.tsj", b"\xff"),
        ("kinds.png", b"GIF89a"),
        ("kinds.png", b"\x89PNG\r\n\x1a\n\0"),
        ("kinds.png", b"\x89PNG\r\n\x1a\n\0\0\0\4IDATabcd"),
    ],
)
def test_broken_pictures_are_told(content: Content, tmp_path: Path, name: str, bad: bytes) -> None:
    for file in ("kinds.tsj", "kinds.png"):
        shutil.copy(DATA / "realms" / file, tmp_path)
    (tmp_path / name).write_bytes(bad)
    with pytest.raises(PaintingError, match=r"kinds\.png"):
        next(paint(a_chart(content), tmp_path))


def test_a_picture_that_unpacks_to_too_much_is_refused(content: Content, tmp_path: Path) -> None:
    shutil.copy(DATA / "realms" / "kinds.tsj", tmp_path)
    picture = bytearray((DATA / "realms" / "kinds.png").read_bytes())
    struct.pack_into(">II", picture, 16, 100_000, 100_000)
    (tmp_path / "kinds.png").write_bytes(picture)
    with pytest.raises(PaintingError, match="too many"):
        next(paint(a_chart(content), tmp_path))
