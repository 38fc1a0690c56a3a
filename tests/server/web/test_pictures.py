"""A realm's picture: exact at every seam, true to its tiles, another one whenever it looks different."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

import attrs
import pytest
from PIL import Image, ImageChops, ImageStat

from protocol.web.looks import TILE_SHAPES, compile_looks
from server.web.pictures import painter as painting
from server.web.pictures.brush import TILE, Colour, Look
from server.web.pictures.painter import CHUNK, MARGIN, SOURCES, Painter
from server.web.pictures.sprites import DRAWN
from tests.kit.town import shipped_content
from world.content import Chart, Scenery, TileKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

CONTENT: Final = shipped_content()
LOOKS: Final = compile_looks(CONTENT)
TILES: Final = CONTENT.tiles


def look(kind: TileKind) -> Look:
    colour, shape = LOOKS.tile(kind)
    return (int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)), shape


def chart(
    width: int,
    height: int,
    ground: str = "grass",
    *,
    tiles: Mapping[tuple[int, int], str] | None = None,
    things: Mapping[tuple[int, int], str] | None = None,
    rocks: frozenset[tuple[int, int]] = frozenset(),
    heights: Sequence[int] = (),
) -> Chart:
    cells = [(x, y) for y in range(height) for x in range(width)]
    kinds = [TILES[(tiles or {}).get(cell, ground)] for cell in cells]
    scenery = [Scenery(TILES[key], x, y) for (x, y), key in (things or {}).items()]
    closed = rocks | {(piece.x, piece.y) for piece in scenery if not piece.kind.walkable}
    blocked = bytes(cell in closed or not kind.walkable for cell, kind in zip(cells, kinds, strict=True))
    return Chart("test", "Test", width, height, kinds, scenery, blocked, [(0, 0)], heights=heights)


def paint(drawn: Chart) -> Image.Image:
    return Painter(drawn, look).paint(0, 0, drawn.width, drawn.height)


def tile(image: Image.Image, x: int, y: int) -> Image.Image:
    return image.crop((x * TILE, y * TILE, (x + 1) * TILE, (y + 1) * TILE))


def mean(image: Image.Image) -> Colour:
    red, green, blue = (round(value) for value in ImageStat.Stat(image).mean[:3])
    return red, green, blue


def difference(one: Image.Image, other: Image.Image) -> float:
    """The mean difference of two pictures, 0 to 255."""
    return sum(ImageStat.Stat(ImageChops.difference(one, other)).mean) / 3


def distance(one: Colour, other: Colour) -> int:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(("columns", "rows"), [([8, 8, 8], [24]), ([5, 19], [11, 1, 12])])
def test_however_a_realm_is_cut_the_picture_is_the_same(columns: list[int], rows: list[int]) -> None:
    """Around the bridge: water, planks, a house, paths, woods."""
    left, top = 77, 45
    painter = Painter(CONTENT.charts["confluence"], look)
    whole = painter.paint(left, top, 24, 24)
    composed = Image.new("RGB", whole.size)
    y = 0
    for height in rows:
        x = 0
        for width in columns:
            composed.paste(painter.paint(left + x, top + y, width, height), (x * TILE, y * TILE))
            x += width
        y += height
    assert ImageChops.difference(whole, composed).getbbox() is None


@pytest.mark.parametrize(
    "key", ["grass", "dirt", "field", "sand", "cobble", "flagstone", "boards", "bridge_x"]
)
def test_a_ground_has_its_kinds_colour(key: str) -> None:
    image = paint(chart(8, 8, tiles={(x, y): key for x in range(2, 6) for y in range(2, 6)}))
    inner = image.crop((3 * TILE, 3 * TILE, 5 * TILE, 5 * TILE))
    assert distance(mean(inner), look(TILES[key])[0]) < 24


def test_water_is_deep_in_the_middle_and_light_at_its_shore() -> None:
    lake = {(x, y): "water" for x in range(2, 12) for y in range(2, 12)}
    image = paint(chart(14, 14, tiles=lake))
    deep, shore = mean(tile(image, 7, 7)), mean(image.crop((7 * TILE, 2 * TILE, 8 * TILE, 2 * TILE + 8)))
    assert distance(deep, look(TILES["water"])[0]) < 32
    assert sum(shore) > sum(deep) + 40
    assert distance(mean(tile(image, 0, 7)), look(TILES["grass"])[0]) < 24


def test_every_shape_has_a_drawing_of_its_own() -> None:
    assert set(TILE_SHAPES) <= set(DRAWN)
    assert len({drawing for shape, drawing in DRAWN.items() if shape in TILE_SHAPES}) >= len(TILE_SHAPES) - 2


def test_whatever_stands_on_a_tile_shows() -> None:
    keys = [key for key, kind in TILES.items() if kind.layer not in ("ground", "roof")]
    places = {(2 + 5 * (n % 10), 2 + 5 * (n // 10)): key for n, key in enumerate(keys)}
    plain, furnished = (paint(chart(50, 5 * len(keys) // 10 + 5, things=things)) for things in ({}, places))
    unseen = [
        key for (x, y), key in places.items() if difference(tile(plain, x, y), tile(furnished, x, y)) < 2
    ]
    assert unseen == []


@pytest.mark.parametrize(
    ("key", "edge", "free"),
    [
        ("stone_south", (0, 11, 16, 16), (0, 0, 16, 8)),
        ("stone_east", (11, 0, 16, 16), (0, 0, 8, 16)),
        ("stone_post", (11, 11, 16, 16), (0, 0, 8, 8)),
    ],
)
def test_a_wall_stands_on_its_edge(
    key: str, edge: tuple[int, int, int, int], free: tuple[int, int, int, int]
) -> None:
    plain, walled = (
        tile(paint(chart(3, 3, "boards", things=things)), 1, 1) for things in ({}, {(1, 1): key})
    )
    assert difference(plain.crop(edge), walled.crop(edge)) > 25
    assert difference(plain.crop(free), walled.crop(free)) < 1


def test_a_crown_is_seen_beyond_its_tile_and_casts_a_shadow() -> None:
    plain, wooded = (paint(chart(5, 5, things=things)) for things in ({}, {(2, 2): "oak"}))
    assert difference(tile(plain, 2, 1), tile(wooded, 2, 1)) > 2
    south_east = (3 * TILE, 2 * TILE + 8, 3 * TILE + 8, 3 * TILE)
    assert sum(mean(wooded.crop(south_east))) < sum(mean(plain.crop(south_east))) - 20
    assert difference(tile(plain, 0, 0), tile(wooded, 0, 0)) == 0


def test_a_chair_shows_where_one_looks() -> None:
    pictures = [
        paint(chart(1, 1, things={(0, 0): f"chair_{side}"})) for side in ("north", "east", "south", "west")
    ]
    assert len({picture.tobytes() for picture in pictures}) == 4


def test_a_realm_without_tiles_shows_where_one_cannot_go_and_how_high_it_is() -> None:
    """As those made from a map of Conquer Online: one kind of ground, and no scenery."""
    cells = [(x, y) for y in range(12) for x in range(12)]
    rocks = frozenset((x, y) for x, y in cells if x < 5)
    flat = paint(chart(12, 12, rocks=rocks))
    rock, grass = mean(tile(flat, 1, 5)), mean(tile(flat, 9, 5))
    assert distance(rock, grass) > 20
    assert distance(grass, look(TILES["grass"])[0]) < 24
    hill = paint(chart(12, 12, rocks=rocks, heights=[60 * min(x, 8) for x, _ in cells]))
    assert sum(mean(tile(hill, 7, 5))) > sum(mean(tile(flat, 7, 5))) + 20
    assert difference(tile(hill, 11, 5), tile(flat, 11, 5)) < 1


def test_another_tile_changes_the_pictures_that_it_touches_and_no_others() -> None:
    before = Painter(chart(96, 40), look)
    after = Painter(chart(96, 40, things={(40, 8): "oak"}), look)
    assert before.fingerprint != after.fingerprint
    assert [before.chunk(column, 0) == after.chunk(column, 0) for column in range(3)] == [True, False, True]
    left, top = 40 - MARGIN, 8 - MARGIN
    one, other = (painter.paint(32, 0, 20, 20) for painter in (before, after))
    changed = ImageChops.difference(one, other).getbbox()
    assert changed is not None
    assert changed[0] >= (left - 32) * TILE
    assert changed[1] >= top * TILE
    assert changed[2] <= (40 + MARGIN + 1 - 32) * TILE
    assert changed[3] <= (8 + MARGIN + 1) * TILE


def test_at_a_border_of_chunks_both_change() -> None:
    before, after = Painter(chart(64, 8), look), Painter(chart(64, 8, things={(31, 4): "oak"}), look)
    assert all(before.chunk(column, 0) != after.chunk(column, 0) for column in range(2))


def test_the_hash_is_of_everything_that_is_seen_and_of_nothing_else() -> None:
    plain = chart(6, 5)
    hashes = [
        Painter(drawn, look).fingerprint
        for drawn in (
            plain,
            chart(5, 6),
            chart(6, 5, "sand"),
            chart(6, 5, tiles={(1, 2): "sand"}),
            chart(6, 5, tiles={(2, 1): "sand"}),
            chart(6, 5, things={(1, 2): "fern"}),
            chart(6, 5, rocks=frozenset({(1, 2)})),
            chart(6, 5, heights=range(30)),
        )
    ]
    hashes.append(Painter(plain, lambda kind: ((1, 2, 3), look(kind)[1])).fingerprint)
    assert len(set(hashes)) == len(hashes)
    other = attrs.evolve(plain, name="other", title="Other", spawns=[(1, 1)])
    assert Painter(other, look).fingerprint == hashes[0]


def test_with_other_code_there_is_another_hash(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = Painter(chart(2, 2), look).fingerprint
    monkeypatch.setattr(painting, "SOURCES", tmp_path)
    for source in SOURCES.glob("*.py"):
        (tmp_path / source.name).write_bytes(source.read_bytes())
    assert Painter(chart(2, 2), look).fingerprint == before
    for source in tmp_path.iterdir():
        source.write_bytes(source.read_bytes() + b"# drawn otherwise")
        after = Painter(chart(2, 2), look).fingerprint
        assert after != before, source.name
        before = after


def test_the_last_chunks_are_transparent_beyond_the_realm() -> None:
    painter = Painter(chart(40, 33), look)
    assert painter.chunks() == (2, 2)
    image = Image.open(io.BytesIO(painter.chunk(1, 1)))
    assert image.size == (CHUNK * TILE, CHUNK * TILE)
    assert image.getchannel("A").getbbox() == (0, 0, 8 * TILE, 1 * TILE)
    assert Image.open(io.BytesIO(painter.chunk(0, 0))).mode == "RGB"


def test_of_a_large_realm_no_more_is_looked_at_than_a_chunk_and_what_is_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    side = 1024
    grass = TILES["grass"]
    large = Chart("large", "Large", side, side, [grass] * side**2, [], bytes(side**2), [(0, 0)])
    painter = Painter(large, look)
    looked: set[tuple[int, int]] = set()
    ground = Painter.ground

    def remember(self: Painter, x: int, y: int) -> Look:
        looked.add((x, y))
        return ground(self, x, y)

    monkeypatch.setattr(Painter, "ground", remember)
    pauses = []
    content = painter.chunk(16, 20, rest=lambda: pauses.append(1))
    assert Image.open(io.BytesIO(content)).size == (512, 512)
    assert len(looked) == (CHUNK + 2 * MARGIN) ** 2
    assert len(pauses) > 10
