"""UO's part of the look tables: hair there and back, bodies, scenery, and mistakes found together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.tables import LookError
from protocol.uo.looks import HAIR_HUES, SKIN_HUES, UoLooks, clip, compile_looks, skin_hue_to_wire
from server.content.loading import load

if TYPE_CHECKING:
    from world.content import Content

DATA = Path(__file__).parents[2] / "data"

HUMAN_HAIR = {0x203B, 0x203C, 0x203D, 0x2044, 0x2045, 0x2046, 0x2047, 0x2048, 0x2049, 0x204A}
"""What the original client offers a human (ServUO/ServUO: Scripts/Misc/RaceDefinitions.cs)."""


@pytest.fixture(scope="module")
def content() -> Content:
    return load(DATA)


@pytest.fixture(scope="module")
def looks(content: Content) -> UoLooks:
    return compile_looks(content)


@pytest.mark.parametrize("female", [False, True])
def test_every_style_has_hair_and_every_hair_its_style(looks: UoLooks, female: bool) -> None:
    assert looks.hair_item(0, female=female) == 0
    offered = HUMAN_HAIR - ({0x2048} if female else {0x2046})
    assert {looks.hair_item(style, female=female) for style in range(1, 21)} == offered
    for item in offered:
        assert looks.hair_item(looks.hair_style(item), female=female) == item


def test_beards_come_back_unchanged(looks: UoLooks) -> None:
    items = {looks.beard_item(style) for style in range(1, 8)}
    assert items == {0x203E, 0x203F, 0x2040, 0x2041, 0x204B, 0x204C, 0x204D}
    assert [looks.beard_style(looks.beard_item(style)) for style in range(8)] == list(range(8))


def test_what_no_client_should_send_is_none(looks: UoLooks) -> None:
    assert looks.hair_style(0x4242) == looks.beard_style(0x4242) == 0
    assert looks.hair_item(21, female=True) == looks.beard_item(-1) == 0


def test_hues() -> None:
    assert skin_hue_to_wire(1002) == 0x83EA
    assert clip(0x83EA, SKIN_HUES) == 1002
    assert clip(1, HAIR_HUES) == 1102
    assert clip(2999, HAIR_HUES) == 1149


def test_bodies(looks: UoLooks) -> None:
    player = [
        looks.body("player", female=female, dead=dead) for dead in (False, True) for female in (False, True)
    ]
    assert player == [0x190, 0x191, 0x192, 0x193]
    assert looks.body("sheep", female=True, dead=True) == 0xCF


def test_scenery(looks: UoLooks) -> None:
    assert looks.scenery("grass", 3, 4) == ()
    assert [piece.item for piece in looks.scenery("oak", 3, 4)] == [0x0CDA, 0x0CDB]
    cobbles = {looks.scenery("cobble", x, y)[0].item for x in range(20) for y in range(20)}
    assert cobbles == {0x0515, 0x0516, 0x0517, 0x0518}
    assert looks.scenery("cobble", 7, 9) == looks.scenery("cobble", 7, 9)


def test_every_wall_blocks_in_both_games(content: Content, looks: UoLooks) -> None:
    for key, kind in content.tiles.items():
        if kind.layer in ("wall_south", "wall_east") and not kind.walkable:
            assert looks.scenery(key, 0, 0) != (), key


def test_items(looks: UoLooks) -> None:
    assert looks.items["gold"].item == 0x0EED
    assert looks.items["death_robe"].item == 0x204E


def test_every_beast_is_heard_and_people_speak_for_themselves(content: Content, looks: UoLooks) -> None:
    fighters = [key for key, kind in content.mobiles.items() if kind.fights is not None]
    assert len(fighters) >= 24
    for key in fighters:
        found = looks.mobiles[key]
        assert (found.sound == 0) is (found.male == 0x190), key
    # ServUO's first sounds of these, as the sheet names them.
    named = {"skeleton": 0x48D, "wolf": 0xE5, "giant_rat": 0x188, "rat": 0xCC, "lich": 0x3E9, "ghoul": 0x482}
    assert {key: looks.mobiles[key].sound for key in named} == named
    assert looks.mobiles["rabbit"].sound == 0xC7
    assert looks.mobiles["player"].sound == 0


def test_a_beast_without_a_voice_has_that_of_its_size_and_temper(content: Content) -> None:
    wolf = content.mobiles["wolf"]
    assert wolf.usual["uo"]["sound"] == 0xE5
    dumb = attrs.evolve(
        wolf, look={**wolf.look, "uo": {"body": 0x7A}}, usual={"uo": {"body": 0xCD, "sound": 0xC7}}
    )
    outlaw = attrs.evolve(dumb, look={**wolf.look, "uo": {"body": 0x190}})
    shrill = attrs.evolve(dumb, look={**wolf.look, "uo": {"body": 0x7A, "sound": 0x800}})
    looks = compile_looks(attrs.evolve(content, mobiles={**content.mobiles, "wolf": dumb, "rabbit": outlaw}))
    assert (looks.mobiles["wolf"].male, looks.mobiles["wolf"].sound) == (0x7A, 0xC7)
    assert looks.mobiles["rabbit"].sound == 0
    with pytest.raises(LookError, match=r"wolf\.uo: sound: must be 0x0 to 0x7ff, is 0x800"):
        compile_looks(attrs.evolve(content, mobiles={**content.mobiles, "wolf": shrill}))


def test_all_mistakes_are_reported_at_once(content: Content) -> None:
    apple, sheep, oak = content.items["apple"], content.mobiles["sheep"], content.tiles["oak"]
    spoilt = attrs.evolve(
        content,
        items={**content.items, "apple": attrs.evolve(apple, look={"uo": {"item": 0x4000}})},
        mobiles={**content.mobiles, "sheep": attrs.evolve(sheep, look={"uo": {"bodi": 1}})},
        tiles={**content.tiles, "oak": attrs.evolve(oak, look={"uo": {"items": [1], "one_of": [2]}})},
        people={**content.people, "hair": {"male": [0], "female": [0] * 21}},
    )
    with pytest.raises(LookError) as caught:
        compile_looks(spoilt)
    assert caught.value.problems == [
        "looks/tiles.toml: oak.uo: items and one_of exclude one another",
        "looks/items.toml: apple.uo: must be 0x1 to 0x3fff, is 0x4000",
        "looks/mobiles.toml: sheep.uo: body: is missing",
        "looks/mobiles.toml: sheep.uo: unknown key 'bodi', did you mean 'body'?",
        "looks/people.toml: hair: male: must be 21 items, the first 0",
    ]
