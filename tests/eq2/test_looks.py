"""The eq2 rows of the look tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.eq2.looks import NO_RACE, SLOTS, Palette, compile_looks
from protocol.tables import LookError
from server.content.loading import load

if TYPE_CHECKING:
    from world.content import Content

DATA = Path(__file__).parents[2] / "data"

LAST_OF_546 = 60_000
"""Above all appearance ids that a client of that version knows."""


@pytest.fixture(scope="module")
def content() -> Content:
    return load(DATA)


def item(content: Content, **row: object) -> Content:
    shirt = content.items["shirt"]
    return attrs.evolve(content, items={"shirt": attrs.evolve(shirt, look={"eq2": row})})


def mobile(content: Content, **row: object) -> Content:
    rat = content.mobiles["rat"]
    return attrs.evolve(content, mobiles={"rat": attrs.evolve(rat, look={"eq2": row})})


def problems_of(content: Content) -> list[str]:
    with pytest.raises(LookError) as error:
        compile_looks(content)
    return error.value.problems


def test_our_own_tables_are_right(content: Content) -> None:
    looks = compile_looks(content)
    assert looks.items.keys() == content.items.keys()
    assert looks.mobiles.keys() == content.mobiles.keys()
    assert all(0 < look.model < LAST_OF_546 for look in looks.items.values())
    assert all(
        0 < model < LAST_OF_546 for look in looks.props.values() for model in (look.model, look.long or 1)
    )
    assert looks.model("player", female=False) != looks.model("player", female=True)
    assert looks.mobiles["player"].is_person
    assert looks.mobiles["rat"].race == NO_RACE
    assert looks.items["shirt"].slot == SLOTS["chest"]


def test_every_kind_that_people_wear_is_seen_on_a_place_of_its_own(content: Content) -> None:
    looks = compile_looks(content)
    worn = [key for key, kind in content.items.items() if kind.layer and looks.items[key].worn]
    assert {"shirt", "pants", "skirt", "shoes", "robe", "dagger"} <= set(worn)


def test_every_style_has_a_hair_of_its_own(content: Content) -> None:
    looks = compile_looks(content)
    assert looks.hair_model(0) == 0
    assert len({looks.hair_model(style) for style in range(21)}) == 21
    assert looks.hair_model(21) == 0
    assert looks.hair_model(-1) == 0


def test_a_palette_takes_the_nearest() -> None:
    palette = Palette((10, 20, 30), ((0, 0, 0), (100, 100, 100), (250, 0, 0)))
    assert palette.colour(20) == (100, 100, 100)
    assert palette.colour(14) == (0, 0, 0)
    assert palette.colour(15) == (0, 0, 0)
    assert palette.colour(99) == (250, 0, 0)
    assert palette.hue((255, 10, 10)) == 30
    assert palette.hue((90, 120, 100)) == 20


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({}, "model: is missing"),
        ({"model": 0}, "model: must be 1 to 65535, is 0"),
        ({"model": 1, "worn": 5}, "worn and slot belong together"),
        ({"model": 1, "slot": "chest"}, "worn and slot belong together"),
        ({"model": 1, "worn": 5, "slot": "chst"}, "slot: no 'chst', did you mean 'chest'?"),
        ({"model": 1, "icon": 70000}, "icon: must be 0 to 65535, is 70000"),
        ({"modell": 1}, "unknown key 'modell', did you mean 'model'?"),
    ],
)
def test_mistakes_in_an_item_are_told(content: Content, row: dict[str, object], complaint: str) -> None:
    problems = problems_of(item(content, **row))
    assert any(complaint in problem for problem in problems), problems
    assert all(problem.startswith("looks/items.toml: shirt.eq2") for problem in problems)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"model": "big"}, "model: must be a whole number"),
        ({"model": 1, "race": 16}, "race: must be 0 to 15, is 16"),
        ({"model": 1, "size": 0}, "size: must be 1 to 1000, is 0"),
    ],
)
def test_mistakes_in_a_mobile_are_told(content: Content, row: dict[str, object], complaint: str) -> None:
    problems = problems_of(mobile(content, **row))
    assert any(complaint in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({}, "model: is missing"),
        ({"model": 0}, "model: must be 1 to 65535, is 0"),
        ({"model": 1, "long": 70000}, "long: must be 0 to 65535, is 70000"),
        ({"model": 1, "corner": -1}, "corner: must be 0 to 65535, is -1"),
        ({"model": 1, "size": 2000}, "size: must be 1 to 1000, is 2000"),
    ],
)
def test_mistakes_in_a_tile_are_told(content: Content, row: dict[str, object], complaint: str) -> None:
    oak = attrs.evolve(content.tiles["oak"], look={"eq2": row})
    problems = problems_of(attrs.evolve(content, tiles={"oak": oak}))
    assert any(problem == f"looks/tiles.toml: oak.eq2: {complaint}" for problem in problems), problems


def test_mistakes_in_people_are_told(content: Content) -> None:
    people = dict(content.people)
    people["eq2_hair"] = {"models": [1, 2]}
    people["eq2_skin_hue"] = {"hues": [1], "colours": [[1, 2]]}
    people["eq2_hair_hue"] = {"hues": [1, 2], "colours": [[1, 2, 300]]}
    problems = problems_of(attrs.evolve(content, people=people))
    assert [problem.split(":")[1].strip() for problem in problems] == [
        "eq2_hair",
        "eq2_hair_hue",
        "eq2_hair_hue",
        "eq2_skin_hue",
    ]
