"""Characters, residents and items as structures, read back with eolib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eolib import (
    Direction,
    Gender,
    ItemAddServerPacket,
    NpcAgreeServerPacket,
    PlayersAgreeServerPacket,
    SitState,
)
from hypothesis import given
from hypothesis import strategies as st

from protocol.eo.view import Audience
from world import holding
from world.mobile import Access

if TYPE_CHECKING:
    from tests.kit.eo_scene import Scene


def test_a_character(scene: Scene) -> None:
    for key in ("dagger", "hat", "shield"):
        holding.wear(scene.man, holding.make(scene.desk.world, key, stored=False))
    scene.man.hits, scene.man.level, scene.man.heading = 17, 3, 2
    packet = scene.show(scene.man)
    assert isinstance(packet, PlayersAgreeServerPacket)
    (character,) = packet.nearby.characters
    assert character.name == "alric"
    assert (character.map_id, character.coords.x, character.coords.y) == (5, 20, 20)
    assert (character.direction, character.gender) == (Direction.Right, Gender.Male)
    assert (character.hp, character.max_hp, character.level) == (17, 50, 3)
    assert (character.hair_style, character.hair_color, character.skin) == (3, 2, 1)
    worn = character.equipment
    assert (worn.boots, worn.armor, worn.hat, worn.shield, worn.weapon) == (4, 16, 6, 7, 5)
    assert (character.sit_state, character.invisible) == (SitState.Stand, False)
    assert character.class_id == 1


def test_the_shortest_name_is_long_enough_for_the_official_client(scene: Scene) -> None:
    packet = scene.show(scene.woman)
    assert isinstance(packet, PlayersAgreeServerPacket)
    (character,) = packet.nearby.characters
    assert character.byte_size >= 42
    assert character.equipment.armor == 14, "a woman's shirt"


def test_a_robe_hides_the_shirt_and_a_shroud_everything(scene: Scene) -> None:
    holding.wear(scene.man, holding.make(scene.desk.world, "robe", stored=False))
    assert scene.figures.dolls(scene.man).armor == 30
    scene.man.dead = True
    dolls = scene.figures.dolls(scene.man)
    assert (dolls.armor, dolls.boots) == (50, 0)


def test_residents_are_npcs_if_the_game_has_a_picture(scene: Scene) -> None:
    packet = scene.show(scene.npc)
    assert isinstance(packet, NpcAgreeServerPacket)
    (npc,) = packet.npcs
    assert (npc.id, npc.coords.x, npc.coords.y) == (1, 24, 24)
    packet = scene.show(scene.stranger)
    assert isinstance(packet, PlayersAgreeServerPacket)
    assert packet.nearby.characters[0].name == "vagrant"


@pytest.mark.parametrize(("audience", "record"), [(Audience.MAN, 3), (Audience.WOMAN, 4)])
def test_clothes_on_the_ground_fit_the_viewer(scene: Scene, audience: Audience, record: int) -> None:
    packet = scene.show(scene.shirt, audience)
    assert isinstance(packet, ItemAddServerPacket)
    assert (packet.item_id, packet.item_amount, packet.coords.x) == (record, 1, 22)


@given(
    hits=st.integers(-5, 10**9),
    level=st.integers(-1, 10**6),
    amount=st.integers(1, 10**9),
    hue=st.integers(0, 5000),
)
def test_no_number_of_the_world_is_too_big(
    lasting: Scene, hits: int, level: int, amount: int, hue: int
) -> None:
    man = lasting.man
    man.hits = man.hits_max = man.mana = man.mana_max = hits
    man.level = level
    man.hair_hue = man.skin_hue = hue
    man.strength = man.dexterity = man.intelligence = man.stam_max = hits
    man.experience = hits
    lasting.shirt.amount = amount
    lasting.show(man)
    lasting.show(lasting.shirt, Audience.MAN)
    lasting.changed(man, 2**32 - 1, Audience.SELF)
    lasting.changed(man, 2**32 - 1)


def test_ranks(scene: Scene) -> None:
    shown = []
    for access in range(Access.PLAYER, Access.OWNER + 1):
        scene.man.access = access
        shown.append((int(scene.figures.details(scene.man).admin), int(scene.figures.online(scene.man).icon)))
    assert shown == [(0, 1), (2, 4), (4, 4), (4, 4), (5, 5), (5, 5), (5, 5)]


def test_the_pack_in_one_list(scene: Scene) -> None:
    world = scene.desk.world
    pack = scene.man.backpack
    assert pack is not None
    bag = holding.make(world, "backpack", stored=False)
    holding.put(pack, bag)
    for container, key, amount in (
        (pack, "bread", 2),
        (bag, "bread", 3),
        (bag, "gold", 11),
        (bag, "shirt", 1),
    ):
        holding.put(container, holding.make(world, key, amount=amount, stored=False))
    listed = [(item.id, item.amount) for item in scene.figures.inventory(scene.man)]
    assert listed == [(1, 111), (2, 1), (3, 1), (11, 5)]
    scene.man.female = True
    assert (4, 1) in [(item.id, item.amount) for item in scene.figures.inventory(scene.man)]


def test_the_paperdoll(scene: Scene) -> None:
    for key in ("dagger", "robe", "ring"):
        holding.wear(scene.man, holding.make(scene.desk.world, key, stored=False))
    paper = scene.figures.equipment_paperdoll(scene.man)
    assert (paper.armor, paper.boots, paper.weapon, paper.hat) == (5, 6, 7, 0)
    assert tuple(paper.ring) == (12, 0)
