"""Tiles of the world on the client's maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.co.places import Atlas, Place, Places, read_places
from tests.kit.worlds import person, plain_content, plain_world
from world import holding

if TYPE_CHECKING:
    from world.content import Chart

ATLAS = Atlas(1002, 1010, 400, 500)
ROW = {"map": 1002, "document": 1010, "x": 400, "y": 500}


def charts(**row: float | str) -> list[Chart]:
    content = plain_content()
    return [attrs.evolve(content.charts["plain"], atlas={"co": row}), content.charts["cave"]]


def problems_of(**row: float | str) -> list[str]:
    problems: list[str] = []
    read_places(charts(**row), problems)
    return problems


def test_a_tile_is_a_tile() -> None:
    world = plain_world()
    places = Places({"plain": ATLAS})
    alric = person(world, "Alric", 3, 4)
    assert places.of(alric) == Place(1002, 1010, 403, 504)
    apple = holding.make(world, "bread", stored=False)
    world.enter(apple, world.realms["plain"], 0, 59)
    assert places.of(apple) == Place(1002, 1010, 400, 559)
    assert places.at(alric.realm, 59, 0) == Place(1002, 1010, 459, 500)


def test_where_this_game_has_no_place() -> None:
    world = plain_world()
    places = Places({"plain": ATLAS})
    berta = person(world, "Berta", 3, 4, realm="cave")
    assert places.of(berta) is None
    assert places.at(None, 3, 4) is None
    assert places.tile(berta.realm, 403, 504) is None
    assert places.tile(None, 403, 504) is None
    assert (places.has("plain"), places.has("cave")) == (True, False)


@given(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF))
def test_whatever_a_client_names_is_a_tile_of_the_realm_or_none(x: int, y: int) -> None:
    realm = plain_world().realms["plain"]
    tile = Places({"plain": ATLAS}).tile(realm, x, y)
    if tile is None:
        assert not (400 <= x < 460 and 500 <= y < 560)
    else:
        assert tile == (x - 400, y - 500)
        assert realm.inside(*tile)


def test_the_rows_of_the_charts() -> None:
    problems: list[str] = []
    places = read_places(charts(**ROW), problems)
    assert problems == []
    assert places.at(plain_world().realms["plain"], 0, 0) == Place(1002, 1010, 400, 500)


@pytest.mark.parametrize("key", ["map", "document", "x", "y"])
def test_nothing_may_be_missing(key: str) -> None:
    (problem,) = problems_of(**{name: value for name, value in ROW.items() if name != key})
    assert key in problem
    assert "plain" in problem


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("map", 0), ("document", 0), ("map", 1 << 32), ("x", -1), ("y", -1)),
        *(("x", 0x10000 - 59), ("y", 0x10000 - 59), ("x", 1.5), ("map", "Twin City"), ("z", 3)),
    ],
)
def test_mistakes_in_a_row(key: str, value: float | str) -> None:
    (problem,) = problems_of(**{**ROW, key: value})
    assert key in problem


def test_the_farthest_corner_fits() -> None:
    assert problems_of(**{**ROW, "x": 0x10000 - 60, "y": 0x10000 - 60}) == []
