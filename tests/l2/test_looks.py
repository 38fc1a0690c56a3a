"""The l2 rows of the look tables, and the walk over such rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.l2.looks import FEMALE_STYLES, KINDS, MALE_STYLES, SLOTS, compile_looks
from protocol.l2.packets import PAPERDOLL
from protocol.looks import Palette
from protocol.tables import LookError
from server.content.loading import load

if TYPE_CHECKING:
    from world.content import Content

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def content() -> Content:
    return load(DATA)


def item(content: Content, **row: object) -> Content:
    shirt = content.items["shirt"]
    return attrs.evolve(content, items={"shirt": attrs.evolve(shirt, look={"l2": row})})


def mobile(content: Content, **row: object) -> Content:
    rat = content.mobiles["rat"]
    return attrs.evolve(content, mobiles={"rat": attrs.evolve(rat, look={"l2": row})})


def problems_of(content: Content) -> list[str]:
    with pytest.raises(LookError) as error:
        compile_looks(content)
    return error.value.problems


def test_our_own_tables_are_right(content: Content) -> None:
    looks = compile_looks(content)
    assert looks.items.keys() == content.items.keys()
    assert looks.npcs.keys() == content.mobiles.keys() - {"player"}
    adena, dagger, shirt = (looks.items[key] for key in ("gold", "dagger", "shirt"))
    assert (adena.item, adena.type1, adena.type2, adena.part) == (57, 4, 4, 0)
    assert (dagger.type1, dagger.type2, dagger.part) == (0, 0, 0x80)
    assert (shirt.type1, shirt.type2, shirt.part) == (1, 1, 0x400)


def test_what_people_wear_first_is_seen(content: Content) -> None:
    looks = compile_looks(content)
    worn = {key for key, kind in content.items.items() if kind.layer and looks.items[key].slot is not None}
    assert {"shirt", "pants", "skirt", "shoes", "robe", "dagger"} <= worn


def test_places_on_the_body_are_the_clients(content: Content) -> None:
    assert SLOTS["rhand"].shown == (7,)
    assert SLOTS["chest"].shown == (10,)
    assert SLOTS["full_body"].shown == SLOTS["chest"].shown
    assert SLOTS["full_body"].hides == (11,)
    assert len({slot.part for slot in SLOTS.values()}) == len(SLOTS)
    assert all(0 <= place < len(PAPERDOLL) for slot in SLOTS.values() for place in slot.shown)


def test_hair_comes_back_as_it_was_chosen(content: Content) -> None:
    looks = compile_looks(content)
    for female, count in ((False, MALE_STYLES), (True, FEMALE_STYLES)):
        hair = looks.styles(female=female)
        assert hair.count == count
        assert all(0 <= hair.style(style) < count for style in range(-1, 30))
        for style in range(count):
            assert hair.style(hair.world(style)) == style
            assert hair.world(style) > 0, "this game knows no bald heads"
        assert hair.world(99) == hair.world(0)
    for palette, count in ((looks.hair_colours, 4), (looks.faces, 3)):
        assert [palette.colour(palette.hue(colour)) for colour in range(count)] == list(range(count))


def test_a_palette_takes_the_nearest_of_those_that_may_stand_for_others() -> None:
    palette = Palette((10, 20, 30), (0, 2))
    assert [palette.colour(hue) for hue in (20, 19, 21, 14, 99, 0)] == [1, 0, 2, 0, 2, 0]
    assert palette.colour(20) == 1
    assert (palette.hue(2), palette.hue(3), palette.hue(-1)) == (30, 10, 10)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({}, "item: is missing"),
        ({"item": 0}, "item: must be 1 to 9208, is 0"),
        ({"item": 1, "slot": "chst"}, "slot: no 'chst', did you mean 'chest'?"),
        ({"item": 1, "slot": "chest", "kind": "money"}, "what is worn has no kind"),
        ({"item": 1, "kind": "monye"}, "kind: no 'monye', did you mean 'money'?"),
        ({"item": 1, "kind": "weapon"}, "kind: no 'weapon'"),
        ({"itm": 1}, "unknown key 'itm', did you mean 'item'?"),
    ],
)
def test_mistakes_in_an_item_are_told(content: Content, row: dict[str, object], complaint: str) -> None:
    problems = problems_of(item(content, **row))
    assert any(complaint in problem for problem in problems), problems
    assert all(problem.startswith("looks/items.toml: shirt.l2") for problem in problems)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"npc": "wolf"}, "npc: must be a whole number"),
        ({"npc": -1, "radius": 5.0, "height": 5.0}, "npc: must be 1 to 50000, is -1"),
        ({"npc": 20432}, "radius: must be 1 to 400, is 0"),
        ({"npc": 20432, "radius": 5.0}, "height: must be 1 to 400, is 0"),
        ({"npc": 1, "radius": 5.0, "height": 5.0, "left_hand": 70000}, "left_hand: must be 0 to 9208"),
    ],
)
def test_mistakes_in_a_mobile_are_told(content: Content, row: dict[str, object], complaint: str) -> None:
    problems = problems_of(mobile(content, **row))
    assert any(complaint in problem for problem in problems), problems


def test_mistakes_in_people_are_told(content: Content) -> None:
    people = dict(content.people)
    people["l2_hair"] = {"male": [0, 1], "female": [7] * 21}
    people["l2_hair_hue"] = {"l2": [1, 1, 2, 3], "spread": [4]}
    people["l2_face"] = {}
    problems = problems_of(attrs.evolve(content, people=people))
    assert [problem.split(": ", 3)[1:3] for problem in problems] == [
        ["l2_hair", "male"],
        ["l2_hair", "female"],
        ["l2_hair_hue", "l2"],
        ["l2_hair_hue", "spread"],
        ["l2_face", "l2"],
        ["l2_face", "spread"],
    ]


def test_kinds_have_numbers_of_their_own() -> None:
    assert len(set(KINDS.values())) == len(KINDS)
