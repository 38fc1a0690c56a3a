"""How fast somebody goes and strikes, and how hard, as clients of Lineage II are told."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.l2.packets import Attribute, StatusUpdate, UserInfo
from protocol.l2.sheets import Speeds, speeds
from tests.kit.l2_scene import Client, Scene
from tests.kit.town import shipped_content
from world import arms, holding, journeys
from world.content import Weapon
from world.mobile import Gait
from world.rules.combat import Manner

TILES = 20
UNITS = 24
NEARLY = 0.005
"""Part of a way by which a client and the world may differ at its end."""


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def alric(scene: Scene) -> Client:
    return scene.client("Alric", 10, 20)


@pytest.fixture
def berta(scene: Scene, alric: Client) -> Client:
    """Near Alric, and both know each other."""
    client = scene.client("Berta", 12, 20)
    scene.turn()
    for one in (alric, client):
        one.heard()
    return client


def numbers(client: Client) -> dict[int, int]:
    """What its client was told in StatusUpdates since it was asked last."""
    told: dict[int, int] = {}
    for message in client.heard():
        if isinstance(message, StatusUpdate):
            told.update((entry.attribute, entry.value) for entry in message.attributes)
    return told


# Going


@pytest.mark.parametrize("gait", [(300, 209), (400, 200), (400, 250), (480, 480), (253, 251)], ids=str)
def test_after_a_long_way_everybody_is_where_the_world_has_it(
    scene: Scene, alric: Client, berta: Client, gait: tuple[int, int]
) -> None:
    walker = alric.mobile
    walker.gait.walk_ms, walker.gait.run_ms = gait
    for run in (True, False):
        scene.world.warp(walker, scene.world.realms["plain"], 10, 20)
        scene.turn()
        alric.appears()
        scene.turn()
        began = scene.now
        journeys.travel(walker, 10 + TILES, 20, run=run)
        alric.session.running = run
        while walker.gait.journey is not None:
            scene.turn(0.005)
        took = scene.now - began
        seen = berta.screen.people[walker.serial]
        assert TILES * UNITS / seen.speed == pytest.approx(took, rel=NEARLY, abs=0.02)


@pytest.mark.parametrize("kind", sorted(shipped_content().mobiles))
def test_creatures_go_as_fast_as_they_are_drawn(scene: Scene, kind: str) -> None:
    fights = shipped_content().mobiles[kind].fights
    if fights is None:
        return
    sheep = scene.resident("sheep", 10, 20)
    sheep.gait = Gait(walk_ms=fights.step_ms, run_ms=fights.step_ms)
    told = scene.view.figures.npc(sheep)
    for speed in (told.run_speed, told.walk_speed):
        seconds = TILES * UNITS / (speed * told.move_multiplier)
        assert seconds == pytest.approx(TILES * fights.step_ms / 1000, rel=NEARLY)


@given(st.integers(100, 1500), st.integers(0, 1500))
def test_speeds_come_out_as_they_are(run_ms: int, slower: int) -> None:
    run, walk = 24_000 / run_ms, 24_000 / (run_ms + slower)
    told = speeds(run, walk)
    assert told.run * told.multiplier == pytest.approx(run)
    assert told.walk * told.multiplier == pytest.approx(walk, rel=0.03)
    assert 0.85 <= told.multiplier <= 1.15


def test_the_factor_is_the_nearest_to_one_that_is_good_enough() -> None:
    assert speeds(120.0, 60.0) == Speeds(120, 60, 1.0)


# Striking


def test_the_tired_are_told_to_be_slower_and_others_of_their_blows(
    scene: Scene, alric: Client, berta: Client
) -> None:
    alric.mobile.stam = 0
    scene.turn()
    tired = alric.only(UserInfo)
    pace = round(500_000 / arms.blow_ms(alric.mobile))
    assert (tired.p_atk_spd, tired.run_speed) == (pace, tired.walk_speed)
    assert numbers(berta) == {Attribute.ATK_SPD: pace}
    alric.mobile.stam = 5
    scene.turn()
    rested = alric.only(UserInfo)
    assert rested.p_atk_spd > tired.p_atk_spd
    assert rested.run_speed > rested.walk_speed
    assert numbers(berta) == {Attribute.ATK_SPD: rested.p_atk_spd}
    alric.mobile.stam = 4
    scene.turn()
    assert numbers(alric).keys() == {Attribute.CP, Attribute.MAX_CP}
    assert berta.heard() == []


def test_who_grows_nimbler_strikes_faster_before_all(scene: Scene, alric: Client, berta: Client) -> None:
    alric.mobile.dexterity = 100
    scene.turn()
    pace = round(500_000 / arms.blow_ms(alric.mobile))
    assert alric.only(UserInfo).p_atk_spd == pace
    assert numbers(berta) == {Attribute.ATK_SPD: pace}


def test_who_carries_too_much_is_told_to_walk(scene: Scene, alric: Client) -> None:
    scene.turn()
    alric.heard()
    alric.mobile.load = 10_000
    alric.mobile.stam -= 1
    scene.turn()
    told = [message for message in alric.heard() if isinstance(message, UserInfo)]
    assert [one.run_speed == one.walk_speed for one in told] == [True]


def test_a_weapon_changes_it(scene: Scene, alric: Client, berta: Client) -> None:
    weapon = holding.make(scene.world, "dagger", stored=False)
    weapon.template = attrs.evolve(weapon.template, weapon=Weapon("daggers", 3, 6, 1800, Manner.PIERCE))
    scene.world.register(weapon)
    before = round(500_000 / arms.blow_ms(alric.mobile))
    holding.wear(alric.mobile, weapon)
    scene.turn()
    pace = round(500_000 / arms.blow_ms(alric.mobile))
    assert pace != before
    sheet = [message for message in alric.heard() if isinstance(message, UserInfo)][-1]
    assert sheet.p_atk_spd == pace
    assert scene.view.figures.character(alric.mobile).p_atk_spd == pace


def test_strength_and_skill_are_in_what_a_blow_is_worth(scene: Scene, alric: Client) -> None:
    """PLAY: roll * (1 + 0.003 S + 0.006 tactics)."""
    mobile, rule = alric.mobile, scene.world.content.combat
    middle = (rule.fist_least + rule.fist_most) / 2
    mobile.endow()
    assert mobile.learner is not None
    mobile.strength = 100
    mobile.learner.learn("tactics", 1000)
    mobile.learner.learn("unarmed", 555)
    scene.turn()
    own = scene.view.figures.own(mobile)
    assert own.p_atk == round(middle * (1 + 0.3 + 0.6))
    assert (own.accuracy, own.evasion) == (56, 56)
    alric.heard()
    mobile.learner.learn("unarmed", 777)
    scene.turn()
    assert numbers(alric) == {
        Attribute.P_ATK: own.p_atk,
        Attribute.P_DEF: own.p_def,
        Attribute.EVASION: 78,
        Attribute.ACCURACY: 78,
    }
