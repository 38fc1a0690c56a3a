"""Tiles and headings on the client's map, and what its own clients say of their places."""

from __future__ import annotations

from math import atan2, degrees
from typing import TYPE_CHECKING

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.eq2.places import Atlas, Place, Places, read_places, to_degrees, to_heading
from tests.kit.worlds import person, plain_content, plain_world
from world.heading import EAST, NORTH, OFFSETS, SOUTH
from world.mobile import Viewport
from world.space import Sight

if TYPE_CHECKING:
    from world.content import Chart

ATLAS = Atlas("antonica", "The Plain", 100.0, -5.0, 200.0, 2.0)


def charts(**row: float | str) -> list[Chart]:
    content = plain_content()
    return [attrs.evolve(content.charts["plain"], atlas={"eq2": row}), content.charts["cave"]]


def test_a_heading_is_the_angle_of_its_step() -> None:
    for heading, (dx, dy) in enumerate(OFFSETS):
        # The client looks along z at 0 degrees and along x at 90; y of the world is its z.
        assert to_degrees(heading) == pytest.approx(degrees(atan2(dx, dy)))
        assert to_heading(to_degrees(heading)) == heading


@given(st.floats(-100_000, 100_000))
def test_any_angle_has_the_nearest_heading(angle: float) -> None:
    off = (to_degrees(to_heading(angle)) - angle + 180.0) % 360.0 - 180.0
    assert abs(off) <= 22.5 + 1e-6


@given(st.integers(-500, 500), st.integers(-500, 500), st.floats(0.3, 3.0))
def test_the_middle_of_a_tile_lies_on_that_tile(x: int, y: int, scale: float) -> None:
    atlas = attrs.evolve(ATLAS, scale=scale)
    assert atlas.tile(atlas.place(x, y, 0, NORTH)) == (x, y)


def test_the_middle_of_a_tile() -> None:
    assert ATLAS.place(3, 4, 10, EAST) == Place(107.0, -3.0, 209.0, 90.0)


def test_a_report_counts_on_its_own_tile_and_for_its_own_client() -> None:
    world = plain_world()
    mobile = person(world, x=3, y=4)
    mobile.viewport = Viewport(7, mobile, Sight(10))
    places = Places({"plain": ATLAS})
    middle = ATLAS.place(3, 4, 0, SOUTH)
    assert places.of(mobile) == middle
    said = Place(106.1, -4.0, 209.9, 12.0, 4.5)
    places.report(mobile, said)
    assert places.of(mobile) is said
    mobile.x = 4
    assert places.of(mobile) == ATLAS.place(4, 4, 0, SOUTH)
    mobile.x = 3
    assert places.of(mobile) is said
    mobile.viewport = Viewport(8, mobile, Sight(10))
    assert places.of(mobile) == middle
    places.report(mobile, said)
    places.forget(mobile)
    assert places.of(mobile) == middle


def test_a_realm_without_a_place_has_none() -> None:
    world = plain_world()
    places = Places({"plain": ATLAS})
    assert places.of(person(world, realm="cave", x=3, y=3)) is None
    assert not places.has("cave")
    assert places.atlas(None) is None


def test_the_rows_of_the_atlas() -> None:
    problems: list[str] = []
    read = read_places(charts(zone="antonica", description="Here", x=1, y=2.5, z=-3), problems)
    assert problems == []
    assert read.has("plain")
    assert not read.has("cave")
    world = plain_world()
    assert read.atlas(world.realms["plain"]) == Atlas("antonica", "Here", 1.0, 2.5, -3.0, 1.0)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"zone": "a", "description": "", "x": 0, "y": 0}, "z: is missing"),
        ({"zone": "a", "description": "", "x": 0, "y": 0, "z": 0, "scale": 0}, "scale: must be more than 0"),
        ({"zone": "", "description": "", "x": 0, "y": 0, "z": 0}, "zone: must not be empty"),
        ({"zone": 3, "description": "", "x": 0, "y": 0, "z": 0}, "zone: must be a text"),
        ({"zone": "a", "description": "", "x": "0", "y": 0, "z": 0}, "x: must be a number"),
        (
            {"zone": "a", "description": "", "x": 0, "y": 0, "z": 0, "zones": 0},
            "unknown key 'zones', did you mean 'zone'",
        ),
    ],
)
def test_mistakes_in_the_atlas_are_told(row: dict[str, float | str], complaint: str) -> None:
    problems: list[str] = []
    read_places(charts(**row), problems)
    assert any(complaint in problem for problem in problems), problems
    assert all(problem.startswith("realms/plain.toml: atlas.eq2") for problem in problems)
