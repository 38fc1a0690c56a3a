"""The web rows of the look tables, and what the browser is told of people and things."""

from __future__ import annotations

import re
from colorsys import rgb_to_hsv
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.tables import LookError
from protocol.web.looks import (
    GHOST,
    ITEM_FIGURES,
    MOBILE_FIGURES,
    PARTS,
    TILE_SHAPES,
    WebLooks,
    compile_looks,
    dye,
)
from protocol.web.packets.people import Appearance
from server.content.loading import load
from tests.kit.worlds import a_line, plain_world
from world.item import Item, Layer
from world.mobile import Mobile

if TYPE_CHECKING:
    from world.content import Content
    from world.world import World

DATA = Path(__file__).parents[2] / "data"
COLOUR = re.compile(r"#[0-9a-f]{6}")


@pytest.fixture(scope="module")
def content() -> Content:
    return load(DATA)


@pytest.fixture(scope="module")
def looks(content: Content) -> WebLooks:
    return compile_looks(content)


@pytest.fixture(scope="module")
def world(content: Content) -> World:
    return plain_world(content)


def mobile_of(world: World, kind: str = "player") -> Mobile:
    return Mobile(world.serials.mobile(), world, "Anna", template=world.content.mobiles[kind])


def item_of(world: World, kind: str, hue: int = 0) -> Item:
    return Item(world.serials.item(), world, "", template=world.content.items[kind], hue=hue)


def somebody(world: World, worn: dict[int, tuple[str, int]], **how: int | bool) -> Mobile:
    mobile = mobile_of(world)
    for field, value in how.items():
        setattr(mobile, field, value)
    for layer, (key, hue) in worn.items():
        mobile.worn[layer] = item_of(world, key, hue)
    return mobile


def problems_of(content: Content) -> list[str]:
    with pytest.raises(LookError) as error:
        compile_looks(content)
    return error.value.problems


def test_our_own_tables_are_right(content: Content, looks: WebLooks) -> None:
    assert looks.items.keys() == content.items.keys()
    assert looks.mobiles.keys() == content.mobiles.keys()
    for kind in content.tiles.values():
        colour, shape = looks.tile(kind)
        assert COLOUR.fullmatch(colour)
        assert shape in TILE_SHAPES
    assert looks.tile(content.tiles["water"])[1] == "water"
    assert {look.figure for look in looks.items.values()} <= set(ITEM_FIGURES)
    assert {look.figure for look in looks.mobiles.values()} <= set(MOBILE_FIGURES)


def test_what_fills_an_edge_is_on_its_layer(content: Content, looks: WebLooks) -> None:
    for kind in content.tiles.values():
        _, shape = looks.tile(kind)
        if shape.endswith("_south") or shape in ("wall_corner", "wall_post", "door", "eaves", "counter"):
            assert kind.layer == "wall_south", kind.key
        if shape.endswith("_east"):
            assert kind.layer == "wall_east", kind.key


def test_somebody_is_drawn_from_skin_hair_and_clothes(world: World, looks: WebLooks) -> None:
    worn = {Layer.SHIRT: ("shirt", 0), Layer.PANTS: ("pants", 33), Layer.SHOES: ("shoes", 0)}
    look = looks.mobile(somebody(world, worn, hair=3, hair_hue=1109, skin_hue=1058))
    assert look == Appearance(
        "person",
        skin=looks.skins.colours[-1],
        hair=looks.hair.colour(1109),
        top=looks.items["shirt"].colour,
        legs=dye(33),
        feet=looks.items["shoes"].colour,
    )
    assert looks.mobile(somebody(world, {}, hair=0, female=True)) == Appearance(
        "person", female=True, skin=looks.skins.colours[0]
    )


def test_what_is_outermost_is_seen(world: World, looks: WebLooks) -> None:
    worn = {
        Layer.SHIRT: ("shirt", 5),
        Layer.PANTS: ("pants", 5),
        Layer.OUTER_TORSO: ("robe", 53),
        Layer.WAIST: ("half_apron", 63),
        Layer.HELM: ("feathered_hat", 88),
        Layer.ONE_HANDED: ("dagger", 0),
    }
    look = looks.mobile(somebody(world, worn))
    assert (look.top, look.legs, look.feet, look.head) == (dye(53), dye(53), "", dye(88))


def test_the_dead_are_pale(world: World, looks: WebLooks) -> None:
    ghost = somebody(world, {Layer.OUTER_TORSO: ("death_robe", 0)}, hair=4, dead=True, female=True)
    assert looks.mobile(ghost) == Appearance("person", female=True, skin=GHOST)


def test_a_beast_has_one_colour(world: World, looks: WebLooks) -> None:
    rat = mobile_of(world, "rat")
    assert looks.mobile(rat) == Appearance("rat", colour=looks.mobiles["rat"].colour)


def test_a_thing_has_the_colour_it_is_dyed_in(world: World, looks: WebLooks) -> None:
    shirt = item_of(world, "shirt")
    assert looks.item(shirt) == Appearance("shirt", colour=looks.items["shirt"].colour)
    shirt.hue = 33
    assert looks.item(shirt) == Appearance("shirt", colour=dye(33)) == looks.item(shirt.template, 33)
    assert looks.item(shirt.template, 33 | 0x8000) is looks.item(shirt)
    assert looks.item(shirt.template) == Appearance("shirt", colour=looks.items["shirt"].colour)


def test_a_line_of_a_list_is_drawn_as_far_as_the_store_knows(looks: WebLooks) -> None:
    info = a_line(
        plain_world(),
        {"female": True, "hair": 2, "hair_hue": 1126, "skin_hue": 1002},
        worn={Layer.SHIRT: "shirt", Layer.OUTER_LEGS: "skirt", Layer.SHOES: "gone with an update"},
    )
    assert looks.character(info) == Appearance(
        "person",
        female=True,
        skin=looks.skins.colour(1002),
        hair=looks.hair.colour(1126),
        top=looks.items["shirt"].colour,
        legs=looks.items["skirt"].colour,
    )


def test_colours_between_two_lie_between(looks: WebLooks) -> None:
    low, middle, high = (int(looks.skins.colour(hue)[1:3], 16) for hue in (1002, 1010, 1017))
    assert low > middle > high
    assert looks.skins.colour(0) == looks.skins.colours[0]
    assert looks.skins.colour(9999) == looks.skins.colours[-1]


def test_every_hue_has_a_colour(looks: WebLooks) -> None:
    colours = {looks.colour_of_hue(hue) for hue in range(0x10000)}
    assert all(map(COLOUR.fullmatch, colours))
    assert len(colours) > 1000


@pytest.mark.parametrize(
    ("hue", "angle"), [(3, 240), (33, 350), (53, 60), (73, 135), (1310, 210), (1410, 110), (1610, 0)]
)
def test_a_hue_is_of_its_family(hue: int, angle: float) -> None:
    red, green, blue = (int(dye(hue)[at : at + 2], 16) / 255 for at in (1, 3, 5))
    found = rgb_to_hsv(red, green, blue)[0] * 360
    assert abs((found - angle + 180) % 360 - 180) < 20


def test_parts_are_those_of_a_persons_look() -> None:
    fields = {field.name for field in attrs.fields(Appearance)}
    assert {part for parts in PARTS.values() for part in parts} <= fields


@pytest.mark.parametrize(
    ("group", "key", "row", "words"),
    [
        ("items", "shirt", {"figure": "shrit", "colour": "#ffffff"}, "did you mean 'shirt'"),
        ("items", "shirt", {"figure": "shirt", "colour": "white"}, "colour"),
        ("items", "shirt", {"figure": "shirt", "colour": "#ffffff", "part": "nose"}, "part"),
        ("items", "shirt", {"figure": "shirt"}, "colour: is missing"),
        ("items", "shirt", {}, "figure: is missing"),
        ("mobiles", "rat", {"figure": "rat"}, "colour"),
        ("mobiles", "rat", {"figure": "dragon", "colour": "#ffffff"}, "no 'dragon'"),
        ("mobiles", "rat", {"figure": "person", "colour": "#ffffff"}, "colour"),
        ("tiles", "grass", {"shape": "gras", "colour": "#ffffff"}, "did you mean 'grass'"),
        ("tiles", "grass", {"shape": "grass", "colour": "#FFF"}, "colour"),
        ("tiles", "grass", {"shape": "grass", "color": "#ffffff"}, "color"),
    ],
)
def test_mistakes_in_a_row(
    content: Content, group: str, key: str, row: dict[str, object], words: str
) -> None:
    match group:
        case "items":
            content = attrs.evolve(content, items={key: attrs.evolve(content.items[key], look={"web": row})})
        case "mobiles":
            kind = attrs.evolve(content.mobiles[key], look={"web": row})
            content = attrs.evolve(content, mobiles={key: kind})
        case _:
            content = attrs.evolve(content, tiles={key: attrs.evolve(content.tiles[key], look={"web": row})})
    problems = problems_of(content)
    assert all(key in problem for problem in problems)
    assert any(words in problem for problem in problems)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hues": []}, "hues"),
        ({"hues": [1017, 1002, 1033, 1058]}, "rising"),
        ({"hues": [1002, 1002, 1033, 1058]}, "rising"),
        ({"colours": ["#ffffff"]}, "must be 4"),
        ({"colours": ["#ffffff", "#fffff", "#ffffff", "#ffffff"]}, "#rrggbb"),
    ],
)
def test_mistakes_in_the_colours_of_people(content: Content, changes: dict[str, object], words: str) -> None:
    row = {**content.people["web_skin_hue"], **changes}
    problems = problems_of(attrs.evolve(content, people={**content.people, "web_skin_hue": row}))
    assert any(words in problem and "web_skin_hue" in problem for problem in problems)


def test_all_mistakes_are_found_at_once(content: Content) -> None:
    broken = attrs.evolve(
        content,
        items={"shirt": attrs.evolve(content.items["shirt"], look={})},
        tiles={"grass": attrs.evolve(content.tiles["grass"], look={})},
        people={},
    )
    assert len(problems_of(broken)) == 2 + 2 + 2 * 2
