"""What mobiles and items look like as Lineage II's messages."""

from __future__ import annotations

import weakref
from random import Random

import attrs
import pytest

from protocol.l2 import sheets
from protocol.l2.figures import ARMED, BARE, LONGEST_NAME, MOST_COINS
from protocol.l2.looks import CALLINGS, HUMAN_FIGHTER, Race, calling_of
from protocol.l2.packets import EMPTY_PAPERDOLL, NPC_ID_BASE, PAPERDOLL, VISIBLE_PAPERDOLL, CharSelectInfo
from protocol.l2.sheets import level, pace_of
from tests.kit.l2_scene import Scene, middle
from tests.kit.worlds import a_line, change_a_number, person
from world import holding, journeys, motion
from world.heading import NORTH
from world.item import Layer
from world.mobile import Access, Mobile, Notoriety, Posture

CHEST, LEGS, HAIR, RIGHT_HAND = map(PAPERDOLL.index, ("chest", "legs", "hair", "right_hand"))


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def alric(scene: Scene) -> Mobile:
    return person(scene.world, "Alric", 20, 30)


def dressed(scene: Scene, mobile: Mobile, *keys: str) -> None:
    for key in keys:
        holding.wear(mobile, holding.make(scene.world, key, stored=False))


# People


def test_a_player_of_any_game_is_a_human_fighter(scene: Scene, alric: Mobile) -> None:
    alric.title, alric.hair, alric.hair_hue, alric.skin_hue, alric.heading = "the Bold", 3, 1127, 1033, NORTH
    shown = scene.view.figures.character(alric)
    assert (shown.x, shown.y, shown.z) == middle(20, 30)
    assert (shown.object_id, shown.name, shown.title) == (alric.serial, "Alric", "the Bold")
    assert (shown.race, shown.sex, shown.base_class, shown.class_id) == (0, 0, 0, 0)
    assert (shown.collision_radius, shown.collision_height) == (9.0, 23.0)
    assert (shown.hair_style, shown.hair_color, shown.face) == (2, 1, 2)
    assert (shown.standing, shown.dead, shown.heading) == (1, 0, 49_152)
    alric.female, alric.dead, alric.posture = True, True, Posture.FLOOR
    shown = scene.view.figures.character(alric)
    assert (shown.sex, shown.dead, shown.standing) == (1, 1, 0)
    assert (shown.collision_radius, shown.collision_height) == (8.0, 23.5)


def test_a_character_of_this_game_has_its_own_class(scene: Scene, alric: Mobile) -> None:
    scene.view.figures.remember(alric.serial, calling_of(49))
    shown, own = scene.view.figures.character(alric), scene.view.figures.own(alric)
    assert (shown.race, shown.class_id, own.race, own.class_id) == (Race.ORC, 49, Race.ORC, 49)
    assert own.constitution == 20 + alric.vitality // 3
    scene.view.figures.remember(alric.serial, HUMAN_FIGHTER)
    assert scene.view.figures.character(alric).class_id == 0
    assert scene.view.figures.calling(alric) is HUMAN_FIGHTER
    assert calling_of(1) is HUMAN_FIGHTER
    assert [*CALLINGS] == [0, 10, 18, 25, 31, 38, 44, 49, 53]


def test_speed_is_that_of_the_gait(scene: Scene, alric: Mobile) -> None:
    figures = scene.view.figures
    assert figures.speeds(alric) == sheets.Speeds(120, 60, 1.0)
    alric.gait.walk_ms, alric.gait.run_ms = scene.view.gait_ms
    speeds = figures.speeds(alric)
    assert speeds.run * speeds.multiplier == pytest.approx(24_000 / 209)
    assert speeds.walk * speeds.multiplier == pytest.approx(80, rel=sheets.MOST_AMISS)
    alric.gait.walk_ms = alric.gait.run_ms = 480
    assert (figures.own(alric).run_speed, figures.character(alric).walk_speed) == (50, 50)


def test_who_has_set_out_to_run_is_shown_running(scene: Scene, alric: Mobile) -> None:
    assert scene.view.figures.character(alric).running == 0
    journeys.travel(alric, 30, 30, run=True)
    assert scene.view.figures.character(alric).running == 1
    motion.halt(alric)
    assert scene.view.figures.character(alric).running == 0


@pytest.mark.parametrize(
    ("notoriety", "flag", "karma"),
    [
        (Notoriety.INNOCENT, 0, False),
        (Notoriety.CRIMINAL, 1, False),
        (Notoriety.MURDERER, 0, True),
        (Notoriety.INVULNERABLE, 0, False),
    ],
)
def test_names_have_the_colour_of_their_deeds(
    scene: Scene, alric: Mobile, notoriety: int, flag: int, karma: bool
) -> None:
    alric.notoriety = notoriety
    shown, relation = scene.view.figures.character(alric), scene.view.figures.relation(alric)
    for one in (shown, relation):
        assert (one.pvp_flag, bool(one.karma)) == (flag, karma)
    assert (shown.pvp_flag_again, shown.karma_again) == (shown.pvp_flag, shown.karma)


def test_ones_own_numbers(scene: Scene, alric: Mobile) -> None:
    alric.hits, alric.hits_max, alric.mana, alric.mana_max, alric.stam, alric.stam_max = 20, 60, 7, 30, 5, 40
    alric.strength, alric.dexterity, alric.intelligence, alric.experience = 33, 22, 11, 1234
    own = scene.view.figures.own(alric)
    assert (own.hp, own.max_hp, own.mp, own.max_mp, own.cp, own.max_cp) == (20, 60, 7, 30, 5, 40)
    assert (own.strength, own.dexterity, own.intelligence) == (31, 27, 23)
    assert own.constitution == 20 + alric.vitality // 3
    assert (own.level, own.armed, own.builder_level) == (1, BARE, 0)
    assert own.max_load == holding.capacity(alric)
    alric.access = Access.GAME_MASTER
    assert scene.view.figures.own(alric).builder_level == 1
    assert [level(number) for number in (-4, 0, 1, 80, 4000)] == [1, 1, 1, 80, 80]


def test_names_of_any_length_and_letters_can_be_sent(scene: Scene, alric: Mobile) -> None:
    alric.name, alric.title = "Ünïcødé ✓ 😀 " * 20, "x" * 99
    figures = scene.view.figures
    for message in (figures.character(alric), figures.own(alric)):
        back = scene.version.decode_server(scene.version.encode(message))
        assert back == message
        assert len(message.name) == LONGEST_NAME


# Residents


def test_a_resident_is_an_npc_with_a_name_of_ours(scene: Scene) -> None:
    sheep = scene.resident("sheep", 5, 6)
    look, shown = scene.view.looks.npcs["sheep"], scene.view.figures.npc(sheep)
    assert scene.view.figures.is_npc(sheep)
    assert (shown.npc_id, shown.name) == (look.npc + NPC_ID_BASE, "a sheep")
    assert (shown.x, shown.y, shown.z) == middle(5, 6)
    assert shown.attackable == 1
    assert (shown.collision_radius, shown.collision_radius_again) == (look.radius, look.radius)
    sheep.notoriety = Notoriety.INNOCENT
    assert scene.view.figures.npc(sheep).attackable == 1, "what can be fought is, whatever its colour"
    crier = scene.resident("crier", 7, 7)
    crier.notoriety = Notoriety.CRIMINAL
    assert scene.view.figures.npc(crier).attackable == 0
    crier.notoriety = Notoriety.INVULNERABLE
    shown = scene.view.figures.npc(crier)
    assert (shown.attackable, shown.title) == (0, "the crier")
    assert shown.right_hand == scene.view.looks.npcs["crier"].right_hand > 0


def test_a_character_is_never_an_npc(scene: Scene, alric: Mobile) -> None:
    assert not scene.view.figures.is_npc(alric)


def test_who_walks_is_described_as_it_is_now(scene: Scene, alric: Mobile) -> None:
    figures, version, dice = scene.view.figures, scene.version, Random(1)
    crier = scene.resident("crier", 7, 7)
    for _ in range(300):
        for mobile in (alric, crier):
            match dice.randrange(8):
                case 0:
                    mobile.title = dice.choice(("", "the Bold", "the Meek"))
                case 1:
                    mobile.gait.run_ms = dice.choice((200, 480))
                case 2:
                    mobile.notoriety = dice.randrange(1, 8)
                case 3:
                    change_a_number(mobile, dice)
                case _:
                    motion.step(mobile, dice.randrange(8), run=dice.random() < 0.5)
        assert [body.raw for body in figures.described(alric, version, pace_of(alric))] == [
            version.encode(figures.character(alric)),
            version.encode(figures.relation(alric)),
        ]
        (body,) = figures.described(crier, version, pace_of(crier))
        assert body.raw == version.encode(figures.npc(crier))


# What is worn and carried


def test_what_is_worn_is_seen_the_outermost_of_each_place(scene: Scene, alric: Mobile) -> None:
    figures, items = scene.view.figures, scene.view.looks.items
    assert figures.own(alric).paperdoll_items == EMPTY_PAPERDOLL
    dressed(scene, alric, "shirt", "pants", "dagger", "feathered_hat")
    own, shown = figures.own(alric), figures.character(alric)
    worn = {PAPERDOLL[place]: item for place, item in enumerate(own.paperdoll_items) if item}
    assert worn == {
        "chest": items["shirt"].item,
        "legs": items["pants"].item,
        "right_hand": items["dagger"].item,
        "hair": items["feathered_hat"].item,
    }
    assert dict(zip(VISIBLE_PAPERDOLL, shown.items, strict=True)) == {
        **dict.fromkeys(VISIBLE_PAPERDOLL, 0),
        **worn,
    }
    assert own.paperdoll_objects[CHEST] == alric.worn[Layer.SHIRT].serial
    assert own.armed == ARMED
    dressed(scene, alric, "robe")
    own = figures.own(alric)
    assert own.paperdoll_items[CHEST] == items["robe"].item
    assert own.paperdoll_items[LEGS] == 0, "a robe hides what is under it"


def test_a_robe_hides_what_is_worn_over_it_on_the_legs(scene: Scene) -> None:
    figures, items = scene.view.figures, scene.view.looks.items
    paperdoll = figures.paperdoll({Layer.OUTER_TORSO: "robe", Layer.OUTER_LEGS: "skirt"})
    assert (paperdoll[CHEST], paperdoll[LEGS]) == (items["robe"].item, 0)
    assert figures.paperdoll({1: "gold", 2: "no such thing"}) == EMPTY_PAPERDOLL


def test_all_that_one_has_is_one_list(scene: Scene, alric: Mobile) -> None:
    figures = scene.view.figures
    dressed(scene, alric, "backpack", "shirt", "robe")
    pack = alric.backpack
    assert pack is not None
    bag, gold, apple = (holding.make(scene.world, key, stored=False) for key in ("bag", "gold", "apple"))
    gold.amount = 250
    holding.put(pack, bag)
    holding.put(pack, gold)
    holding.put(bag, apple)
    listed = {entry.object_id: entry for entry in figures.inventory(alric)}
    assert listed.keys() == {
        alric.worn[Layer.SHIRT].serial,
        alric.worn[Layer.OUTER_TORSO].serial,
        bag.serial,
        gold.serial,
        apple.serial,
    }
    assert (listed[gold.serial].item_id, listed[gold.serial].count) == (57, 250)
    robe, shirt = alric.worn[Layer.OUTER_TORSO], alric.worn[Layer.SHIRT]
    assert (listed[robe.serial].equipped, listed[robe.serial].body_part) == (1, 0x8000)
    assert figures.body_part(robe) == 0x8000
    assert listed[shirt.serial].equipped == 0, "the client knows one thing for each place"
    gold.amount = 2**40
    assert {e.object_id: e for e in figures.inventory(alric)}[gold.serial].count == MOST_COINS


def test_an_item_on_the_ground(scene: Scene) -> None:
    bread = holding.make(scene.world, "bread", amount=3, stored=False)
    scene.world.enter(bread, scene.world.realms["plain"], 6, 7)
    lies = scene.view.figures.lying(bread)
    assert (lies.object_id, lies.item_id) == (bread.serial, scene.view.looks.items["bread"].item)
    assert (lies.x, lies.y, lies.z) == middle(6, 7)
    assert (lies.count, lies.stackable) == (3, 1)


def test_serials_are_object_ids_as_they_are(scene: Scene, alric: Mobile) -> None:
    bread = holding.make(scene.world, "bread", stored=False)
    assert 0 < alric.serial < bread.serial < 2**31


# Lists


def test_a_line_of_the_list(scene: Scene) -> None:
    numbers = {"name": "Alric", "female": True, "hair": 7, "hair_hue": 1109, "skin_hue": 1017, "hits": 3}
    info = a_line(scene.world, {**numbers, "experience": 5}, worn={Layer.SHIRT: "shirt"})
    line = scene.view.character_line(info, 25)
    assert (line.name, line.object_id, line.sex, line.level, line.exp) == ("Alric", 7, 1, 1, 0)
    assert (line.race, line.base_class, line.class_id) == (Race.ELF, 25, 25)
    assert (line.hair_style, line.hair_color, line.face) == (6, 2, 1)
    assert (line.hp, line.max_hp) == (3.0, 50.0)
    assert line.paperdoll_items[CHEST] == scene.view.looks.items["shirt"].item
    assert (line.x, line.y, line.z) == middle(30, 30)
    assert line.deleted_in == 0
    assert scene.view.character_line(attrs.evolve(info, deleted_in=0.2), 25).deleted_in == 1
    assert scene.view.character_line(attrs.evolve(info, deleted_in=86_399.5), 25).deleted_in == 86_399
    assert scene.view.character_line(a_line(scene.world, realm="cave"), 25).x == 0
    message = CharSelectInfo((line,))
    assert scene.version.decode_server(scene.version.encode(message)) == message


# Memory


def test_a_realm_without_a_place_still_makes_whole_messages(scene: Scene) -> None:
    lost = person(scene.world, realm="cave", x=3, y=3)
    assert (scene.view.figures.character(lost).x, scene.view.figures.own(lost).z) == (0, 0)
    assert scene.view.figures.speeds(lost) == sheets.Speeds(120, 60, 1.0)


def test_nothing_here_keeps_somebody_who_is_gone(scene: Scene) -> None:
    alric = scene.client("Alric", 20, 20)
    sheep = scene.resident("sheep", 22, 20)
    scene.turn()
    scene.view.figures.remember(sheep.serial, calling_of(10))
    scene.view.changed(sheep, 0xFFFF_FFFF, 0, scene.version)
    scene.world.leave(sheep)
    scene.turn()
    alric.heard()
    gone = weakref.ref(sheep)
    del sheep
    assert gone() is None
