"""Tiles and headings on the client's map."""

from __future__ import annotations

from math import atan2, degrees
from typing import TYPE_CHECKING

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.l2.places import CIRCLE, Atlas, Place, Places, read_places, to_angle, to_heading
from tests.kit.worlds import person, plain_content, plain_world
from world import holding
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST

if TYPE_CHECKING:
    from world.content import Chart

ATLAS = Atlas(-80_000, 250_000, -3_000)


def charts(**row: float | str) -> list[Chart]:
    content = plain_content()
    return [attrs.evolve(content.charts["plain"], atlas={"l2": row}), content.charts["cave"]]


def test_headings_count_from_east_over_south() -> None:
    assert [to_angle(heading) for heading in (EAST, SOUTH, WEST, NORTH)] == [0, 16_384, 32_768, 49_152]
    for heading, (dx, dy) in enumerate(OFFSETS):
        # y grows to the south on both maps, so that the angle of mathematics goes over south, too.
        assert to_angle(heading) / CIRCLE * 360 == pytest.approx(degrees(atan2(dy, dx)) % 360)
        assert to_heading(to_angle(heading)) == heading


@given(st.integers(-(2**31), 2**31 - 1))
def test_any_angle_has_the_nearest_heading(angle: int) -> None:
    off = (to_angle(to_heading(angle)) - angle + CIRCLE // 2) % CIRCLE - CIRCLE // 2
    assert abs(off) <= CIRCLE // 16


@given(st.integers(-500, 500), st.integers(-500, 500), st.integers(1, 100))
def test_the_middle_of_a_tile_lies_on_that_tile(x: int, y: int, scale: int) -> None:
    atlas = attrs.evolve(ATLAS, scale=scale)
    place = atlas.place(x, y, 0, NORTH)
    assert atlas.tile(place.x, place.y) == (x, y)


def test_the_edges_of_a_tile() -> None:
    assert ATLAS.tile(-80_000, 250_000) == (0, 0)
    assert ATLAS.tile(-79_977, 250_023) == (0, 0)
    assert ATLAS.tile(-79_976, 250_024) == (1, 1)
    assert ATLAS.tile(-80_001, 249_999) == (-1, -1)


def test_the_middle_of_a_tile_and_heights() -> None:
    assert ATLAS.place(3, 4, 16, WEST) == Place(-79_916, 250_108, -2_952, 32_768)
    assert attrs.evolve(ATLAS, scale=48).place(1, 0, 10, EAST) == Place(-79_928, 250_024, -2_940, 0)


def test_things_stand_in_the_middle_of_their_tiles() -> None:
    world, places = plain_world(), Places({"plain": ATLAS})
    mobile = person(world, x=3, y=4)
    mobile.heading = WEST
    assert places.of(mobile) == ATLAS.place(3, 4, 0, WEST)
    bread = holding.make(world, "bread", stored=False)
    world.enter(bread, world.realms["plain"], 5, 6)
    assert places.of(bread) == ATLAS.place(5, 6, 0, SOUTH)
    assert places.at(mobile.realm, 9, 9) == ATLAS.place(9, 9, 0, SOUTH)


def test_a_realm_without_a_place_has_none() -> None:
    world, places = plain_world(), Places({"plain": ATLAS})
    assert places.of(person(world, realm="cave", x=3, y=3)) is None
    assert not places.has("cave")
    assert places.atlas(None) is None
    assert places.middle("cave") is None


def test_the_rows_of_the_atlas() -> None:
    problems: list[str] = []
    read = read_places(charts(x=-80_000, y=250_000, z=-3_000), problems)
    assert problems == []
    assert read.has("plain")
    assert not read.has("cave")
    world = plain_world()
    assert read.atlas(world.realms["plain"]) == ATLAS
    assert read.middle("plain") == ATLAS.place(30, 30, 0, SOUTH)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"x": 0, "y": 0}, "z: is missing"),
        ({"x": 0, "y": 0, "z": 0, "scale": 0}, "scale: must be 1 or more, is 0"),
        ({"x": 0.5, "y": 0, "z": 0}, "x: must be a whole number"),
        ({"x": "0", "y": 0, "z": 0}, "x: must be a whole number"),
        ({"x": 0, "y": 0, "z": 0, "zone": "here"}, "unknown key 'zone'"),
        ({"x": -131_073, "y": 0, "z": 0}, "x: must be -131072 to 227936, is -131073"),
        ({"x": 227_937, "y": 0, "z": 0}, "x: must be -131072 to 227936, is 227937"),
        ({"x": 0, "y": 260_705, "z": 0}, "y: must be -262144 to 260704, is 260705"),
        ({"x": 0, "y": 0, "z": 20_000}, "z: must be -16384 to 16383, is 20000"),
    ],
)
def test_mistakes_in_the_atlas_are_told(row: dict[str, float | str], complaint: str) -> None:
    problems: list[str] = []
    read_places(charts(**row), problems)
    assert any(complaint in problem for problem in problems), problems
    assert all(problem.startswith("realms/plain.toml: atlas.l2") for problem in problems)
