"""EO's part of the look tables: colours there and back, headings, and mistakes found together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest
from eolib.protocol import Direction

from protocol.eo.looks import EoLooks, compile_looks, to_direction, to_heading
from protocol.tables import LookError
from server.content.loading import load

if TYPE_CHECKING:
    from world.content import Content

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def content() -> Content:
    return load(DATA)


@pytest.fixture(scope="module")
def looks(content: Content) -> EoLooks:
    return compile_looks(content)


def test_every_colour_and_skin_comes_back_unchanged(looks: EoLooks) -> None:
    assert [looks.hair.colour(looks.hair.hue(colour)) for colour in range(10)] == list(range(10))
    assert [looks.skins.colour(looks.skins.hue(skin)) for skin in range(7)] == list(range(7))


def test_the_hues_are_ones_that_uo_clients_may_have(looks: EoLooks) -> None:
    assert all(1102 <= hue <= 1149 for hue in looks.hair.hues)
    assert all(1002 <= hue <= 1058 for hue in looks.skins.hues)


def test_every_hue_has_a_colour_and_hardly_any_human_is_no_human(looks: EoLooks) -> None:
    assert {looks.hair.colour(hue) for hue in range(1102, 1150)} == set(range(10))
    skins = [looks.skins.colour(hue) for hue in range(1002, 1059)]
    assert [skin for skin in skins if skin > 2] == [3, 4, 5, 6]
    assert [hue for hue in range(1102, 1150) if looks.hair.colour(hue) == 1] == [looks.hair.hue(1)]


def test_what_is_between_two_hues_goes_to_the_nearer(looks: EoLooks) -> None:
    white, tan = looks.skins.hue(0), looks.skins.hue(1)
    assert looks.skins.colour(white + 1) == 0
    assert looks.skins.colour(tan - 1) == 1


def test_a_value_no_client_should_send_is_taken_as_the_first(looks: EoLooks) -> None:
    assert looks.hair.hue(250) == looks.hair.hue(0)
    assert looks.skins.hue(-1) == looks.skins.hue(0)


def test_directions() -> None:
    for direction in (Direction.Down, Direction.Left, Direction.Up, Direction.Right):
        assert to_direction(to_heading(direction)) == direction
    assert [to_direction(heading) for heading in (0, 2, 4, 6)] == [2, 3, 0, 1]
    assert {to_direction(heading) for heading in (1, 3, 5, 7)} == {0, 1, 2, 3}


def test_gold_is_item_one_and_ids_lead_back_to_templates(content: Content, looks: EoLooks) -> None:
    assert looks.item_id("gold") == 1
    for key in content.items:
        for female in (False, True):
            assert looks.templates[looks.item_id(key, female=female)] == key
    assert sorted(looks.templates) == list(range(1, len(looks.templates) + 1))


def test_all_mistakes_are_reported_at_once(content: Content) -> None:
    def item(key: str, **changes: object) -> None:
        template = content.items[key]
        row = {**template.look["eo"], **changes}
        items[key] = attrs.evolve(template, look={**template.look, "eo": row})

    items = dict(content.items)
    item("gold", id=7)
    item("apple", graphic=761)
    item("dagger", doll=92)
    item("bread", type="Loaf")
    item("bag", grafic=3)
    oak = content.tiles["oak"]
    tiles = {**content.tiles, "oak": attrs.evolve(oak, look={**oak.look, "eo": {"object": 532}})}
    with pytest.raises(LookError) as caught:
        compile_looks(attrs.evolve(content, items=items, tiles=tiles))
    problems = caught.value.problems
    for expected in (
        "looks/items.toml: gold.eo: id: must be 1, clients take item 1 for money",
        "looks/items.toml: apple.eo: graphic: must be 1 to 760, is 761",
        "looks/items.toml: dagger.eo: doll: must be 0 to 91, is 92",
        "looks/items.toml: bag.eo: unknown key 'grafic', did you mean 'graphic'?",
        "looks/tiles.toml: oak.eo: object: must be 0 to 531, is 532",
    ):
        assert expected in problems
    assert any(line.startswith("looks/items.toml: bread.eo: type: no 'Loaf'") for line in problems)
    assert any(line.startswith("looks/items.toml: ids must be") for line in problems)
