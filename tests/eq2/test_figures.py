"""What mobiles and items look like as structs of a ghost."""

from __future__ import annotations

import weakref
from random import Random
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.eq2.bars import percent
from protocol.eq2.figures import (
    FEMALE,
    INTERACTIVE,
    INVISIBLE,
    LIES,
    MALE,
    NO_LOOT,
    PERSON_RADIUS,
    WALKS,
    Figures,
    Rendering,
    read_rendering,
)
from protocol.eq2.looks import HUMAN, NO_RACE, SLOTS
from protocol.eq2.packets import NOBODY, GhostInfo, GhostPosition, GhostVisible
from protocol.eq2.packing import unpack, xor
from protocol.eq2.places import Place
from protocol.eq2.structs import Figure, Struct
from tests.kit.eq2_screen import Scene, eq2_content
from tests.kit.worlds import change_a_number, person
from world import holding, motion
from world.heading import EAST, NORTH_WEST
from world.mobile import Posture

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.thing import Thing


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def alric(scene: Scene) -> Mobile:
    return person(scene.world, "Alric", 20, 30)


def info(scene: Scene, thing: Thing, *, own: bool = False) -> GhostInfo:
    figure = scene.view.figures.of(thing, scene.version, own=own)
    return scene.version.unpack_struct(GhostInfo, figure.info.now)


def visible(scene: Scene, thing: Thing) -> GhostVisible:
    figure = scene.view.figures.of(thing, scene.version)
    return scene.version.unpack_struct(GhostVisible, figure.visible.now)


def position(scene: Scene, thing: Thing) -> GhostPosition:
    figure = scene.view.figures.of(thing, scene.version)
    return scene.version.unpack_struct(GhostPosition, figure.position.now)


# People and animals


def test_a_player_of_any_game_is_a_person_of_this_one(scene: Scene, alric: Mobile) -> None:
    alric.level, alric.title, alric.hair, alric.hair_hue, alric.skin_hue = 7, "the Bold", 3, 1127, 1033
    looks, shown = scene.view.looks, info(scene, alric)
    assert (shown.name, shown.suffix) == ("Alric", "the Bold")
    assert (shown.level, shown.effective_level, shown.npc, shown.corpse) == (7, 7, 0, 0)
    assert (shown.race, shown.gender) == (HUMAN, MALE)
    assert shown.model == shown.soga_model == looks.model("player", female=False)
    assert shown.hair == shown.soga_hair == looks.hair_model(3)
    assert shown.hair_color == bytes(looks.hair_colours.colour(1127))
    assert shown.skin == bytes(looks.skins.colour(1033))
    alric.female = True
    shown = info(scene, alric)
    assert (shown.model, shown.gender) == (looks.model("player", female=True), FEMALE)


def test_an_animal_has_neither_race_nor_hair(scene: Scene) -> None:
    sheep = scene.resident("sheep", 5, 5)
    sheep.hair = 4
    shown = info(scene, sheep)
    assert shown.race == NO_RACE
    assert shown.hair == 0
    assert shown.npc == 1
    assert shown.model == scene.view.looks.mobiles["sheep"].model
    assert shown.level == 1


def test_what_is_worn_is_seen_the_outermost_of_each_place(scene: Scene, alric: Mobile) -> None:
    looks = scene.view.looks
    assert not any(info(scene, alric).equipment)
    for key in ("shirt", "dagger"):
        holding.wear(alric, holding.make(scene.world, key, stored=False))
    shown = info(scene, alric)
    assert shown.equipment[SLOTS["chest"]] == looks.items["shirt"].worn
    assert shown.equipment[SLOTS["primary"]] == looks.items["dagger"].worn
    assert sum(bool(model) for model in shown.equipment) == 2
    figures = scene.view.figures
    assert figures.worn({5: "shirt", 22: "shirt"}) == {SLOTS["chest"]: looks.items["shirt"].worn}
    assert figures.worn({1: "gold", 2: "no such thing"}) == {}


def test_bars_are_in_percent(scene: Scene, alric: Mobile) -> None:
    alric.hits, alric.hits_max, alric.mana, alric.mana_max = 1, 1000, 30, 60
    shown = info(scene, alric)
    assert (shown.hits_code, shown.power_percent) == (100 ^ 1, 50)
    assert [percent(*bar) for bar in ((0, 50), (-3, 50), (50, 50), (70, 50), (5, 0), (49, 50))] == [
        0,
        0,
        100,
        100,
        0,
        98,
    ]


@pytest.mark.parametrize(("percent", "code"), [(100, 0), (99, 7), (50, 86), (36, 64), (1, 101), (0, 100)])
def test_hits_are_told_as_the_client_reads_them(scene: Scene, alric: Mobile, percent: int, code: int) -> None:
    """The sheet: 100 xor percent, and 0 for all of them (eq2-play, section 1)."""
    alric.hits, alric.hits_max = percent, 100
    assert info(scene, alric).hits_code == code


def test_what_is_kept_of_somebody_shows_the_numbers_of_now(scene: Scene, alric: Mobile) -> None:
    dice = Random(2)
    for _ in range(100):
        kept = alric.rendered
        change_a_number(alric, dice)
        assert alric.rendered is kept
        shown = [info(scene, alric, own=own) for own in (False, True)]
        alric.rendered = None
        assert shown == [info(scene, alric, own=own) for own in (False, True)]


def test_the_dead_are_corpses_and_the_hidden_invisible(scene: Scene, alric: Mobile) -> None:
    alric.dead, alric.hits, alric.hidden = True, 0, True
    shown = info(scene, alric, own=True)
    assert (shown.corpse, shown.hits_code, shown.flags) == (1, 100, INVISIBLE)


def test_others_see_what_somebody_aims_at_and_its_own_client_does_not(scene: Scene, alric: Mobile) -> None:
    assert info(scene, alric).target_id == NOBODY
    alric.target = 77
    assert info(scene, alric).target_id == ~77 & 0xFFFF_FFFF
    assert info(scene, alric, own=True).target_id == NOBODY


def test_names_of_any_length_and_letters_fit(scene: Scene, alric: Mobile) -> None:
    alric.name, alric.level = "Ünïcødé ✓ " * 20, 4000
    shown = info(scene, alric)
    assert len(shown.name) == 63
    assert shown.name.startswith("Ünïcødé ? ")
    assert shown.level == 255


def test_people_can_be_targeted_and_only_the_wild_looted(scene: Scene, alric: Mobile) -> None:
    shown = visible(scene, alric)
    assert (shown.flags, shown.targetable, shown.show_name) == (INTERACTIVE, 1, 1)
    assert shown.locked == NO_LOOT
    sheep = scene.resident("sheep", 5, 5)
    assert visible(scene, sheep).locked == 0
    assert visible(scene, sheep).consider == -1


# Items


def test_an_item_is_a_named_thing_that_can_be_taken(scene: Scene) -> None:
    bread = holding.make(scene.world, "bread", amount=3, stored=False)
    scene.world.enter(bread, scene.world.realms["plain"], 6, 7)
    shown, figure = info(scene, bread), scene.view.figures.of(bread, scene.version)
    assert shown.name == "3 loaf of bread"
    assert shown.model == scene.view.looks.items["bread"].model
    assert (shown.npc, shown.hide_health, shown.race) == (1, 1, NO_RACE)
    created = figure.create(9)
    assert created.default_command == "take"
    assert [command.command for command in created.commands] == ["take"]
    assert created.distance > 0
    assert position(scene, bread).move_type == LIES
    bread.amount = 1
    assert info(scene, bread).name == "loaf of bread"


def test_a_container_is_opened_first(scene: Scene) -> None:
    pack = holding.make(scene.world, "backpack", stored=False)
    scene.world.enter(pack, scene.world.realms["plain"], 6, 7)
    assert scene.view.figures.of(pack, scene.version).create(9).default_command == "open"


# Places


def test_a_figure_stands_in_the_middle_of_its_tile(scene: Scene, alric: Mobile) -> None:
    alric.heading = NORTH_WEST
    shown = position(scene, alric)
    assert (shown.x, shown.y, shown.z) == (120.5, -5.0, 230.5)
    assert shown.heading1 == shown.heading2 == -135 * 64
    assert (shown.speed, shown.state, shown.move_type) == (0, 0, WALKS)
    assert shown.size == shown.collision_radius == PERSON_RADIUS
    assert shown.face_actor == NOBODY


def test_walkers_have_the_speed_of_their_gait(scene: Scene, alric: Mobile) -> None:
    figures, figure = scene.view.figures, scene.view.figures.of(alric, scene.version)
    motion.step(alric, EAST)
    figures.walk(alric, figure, scene.version, run=False)
    assert position(scene, alric).speed == round(2.5 * 256)
    figures.walk(alric, figure, scene.version, run=True)
    assert position(scene, alric).speed == 5 * 256
    alric.gait.walk_ms = 480
    figures.walk(alric, figure, scene.version, run=False)
    assert position(scene, alric).speed == round(256 / 0.48)
    figures.halt(alric, figure, scene.version)
    assert position(scene, alric).speed == 0


def test_a_client_of_this_game_is_seen_where_and_as_it_says(scene: Scene) -> None:
    client = scene.client("Berta", 20, 20)
    berta, figures = client.mobile, scene.view.figures
    figure = figures.of(berta, scene.version)
    scene.view.places.report(client.mobile, Place(120.9, -4.5, 220.1, 33.0, 4.0, -1.0))
    figures.walk(berta, figure, scene.version, run=True)
    shown = position(scene, berta)
    assert (shown.x, shown.y, shown.z) == pytest.approx((120.9, -4.5, 220.1))
    assert shown.heading1 == 33 * 64
    assert (shown.speed, shown.side_speed) == (4 * 256, -256)
    assert shown.mode == 0
    figures.halt(berta, figure, scene.version)
    shown = position(scene, berta)
    assert (shown.speed, shown.side_speed) == (0, 0)
    assert shown.x == pytest.approx(120.9)


def test_whoever_sits_has_another_state(scene: Scene, alric: Mobile) -> None:
    alric.posture = Posture.FLOOR
    assert position(scene, alric).state == Rendering().sitting


def test_a_realm_without_a_place_still_makes_whole_structs(scene: Scene) -> None:
    lost = person(scene.world, realm="cave", x=3, y=3)
    assert (position(scene, lost).x, position(scene, lost).z) == (0.0, 0.0)


# Sharing


def test_structs_are_made_once_for_a_change(scene: Scene, alric: Mobile) -> None:
    figures = scene.view.figures
    figure = figures.of(alric, scene.version)
    before, looks = figure.info.now, figure.visible.now
    assert figures.of(alric, scene.version) is figure
    assert figure.info.now is before
    alric.hits -= 1
    assert figures.of(alric, scene.version) is figure
    assert figure.info.now != before
    assert figure.visible.now is looks, "what did not change are the same bytes for those who have them"


def test_a_difference_leads_from_what_was_to_what_is() -> None:
    struct = Struct(reverse=True)
    assert struct.become(b"abcd")
    assert not struct.become(b"abcd")
    struct.become(b"abxd")
    change = struct.since(b"abcd")
    assert xor(unpack(change, 4), b"abcd") == b"abxd"
    assert struct.since(b"abcd") is change
    struct.become(b"zbxd")
    assert xor(unpack(struct.since(b"abcd"), 4), b"abcd") == b"zbxd"


def test_nothing_here_keeps_a_thing_that_is_gone(scene: Scene) -> None:
    sheep = scene.resident("sheep", 5, 5)
    figure = scene.view.figures.of(sheep, scene.version)
    scene.world.leave(sheep)
    scene.world.take_changes()
    gone = weakref.ref(sheep)
    del sheep
    assert gone() is None
    assert figure.serial


# Switches


def test_what_no_client_has_confirmed_can_be_switched(scene: Scene, alric: Mobile) -> None:
    rendering = Rendering(speed_unit=300, turned=90.0, corpses=False)
    scene.view.figures = figures = Figures(scene.view.looks, scene.view.places, rendering)
    alric.dead, alric.heading = True, NORTH_WEST
    figures.walk(alric, figures.of(alric, scene.version), scene.version, run=True)
    shown = position(scene, alric)
    assert (shown.speed, shown.heading1) == (1500, -45 * 64)
    assert info(scene, alric).corpse == 0


def test_switches_are_read_and_mistakes_in_them_told() -> None:
    content = eq2_content()
    tables = {"eq2": {"546": {"rendering": {"speed_unit": 300, "animations": False}}}}
    problems: list[str] = []
    assert read_rendering(attrs.evolve(content, tables=tables), "546", problems) == Rendering(
        speed_unit=300, animations=False
    )
    assert problems == []
    tables["eq2"]["546"]["rendering"] = {"animation": True}
    read_rendering(attrs.evolve(content, tables=tables), "546", problems)
    assert problems == ["eq2/546/rendering.toml: unknown key 'animation', did you mean 'animations'?"]


def test_who_walks_or_changes_is_packed_as_it_is_now() -> None:
    chance = Random(1)
    figure = Figure(7, reverse=True)
    structs = [figure.position, figure.visible, figure.info]
    sizes = [88, 78, 1089]
    for change in (0, 1, 2, 0, 0, 2, 0, 1, 0) * 20:
        size = sizes[change]
        structs[change].become(bytes(chance.choice((0, 0, 0, 1, 200)) for _ in range(size)))
        now = b"".join(struct.now.ljust(size, b"\0") for struct, size in zip(structs, sizes, strict=True))
        if all(struct.now for struct in structs):
            assert unpack(figure.create(2).packed, sum(sizes)) == now
