"""What clients of EverQuest II are told of fights: blows, who fights, how hard creatures are, experience.

Bytes of messages are written out from the sheet of facts (eq2-play, sections 1 and 3), field by field."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.eq2.figures import HOSTILE, IN_COMBAT
from protocol.eq2.mentions import Between
from protocol.eq2.packets import (
    NOBODY,
    DisplayText,
    HearCombat,
    LevelChanged,
    Sheet,
)
from protocol.eq2.sheets import bar
from protocol.eq2.structs import BLUE, GREEN, GREY, RED, WHITE, YELLOW, arrow
from tests.kit.eq2_fight import RULE, fighting_content, of_combat, ready
from tests.kit.eq2_screen import Client, Scene
from tests.kit.eq2_view import heard
from world import fighting, learning
from world.audience import in_sight
from world.events import Manner, Outcome, Struck
from world.parts import Learner, bind
from world.rules import growth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.mobile import Mobile


@pytest.fixture
def scene() -> Scene:
    return Scene(fighting_content())


@pytest.fixture
def alric(scene: Scene) -> Client:
    return ready(scene.client("Alric", 20, 20))


@pytest.fixture
def berta(scene: Scene, alric: Client) -> Client:
    """Near Alric, who knows her."""
    client = ready(scene.client("Berta", 22, 20))
    scene.turn()
    heard(alric)
    heard(client)
    return client


def blow(
    attacker: Mobile,
    target: Mobile,
    outcome: Outcome = Outcome.HIT,
    damage: int = 7,
    manner: Manner = Manner.SLASH,
) -> None:
    """One blow that does nothing but be seen, by all who see either."""
    viewers = list(in_sight(attacker))
    viewers += [viewport for viewport in in_sight(target) if viewport not in viewers]
    attacker.world.events.append(Struck(attacker, target, outcome, damage, manner, 1500, viewers))


# Blows


def test_a_blow_is_told_to_attacker_victim_and_bystander(scene: Scene, alric: Client, berta: Client) -> None:
    sheep = scene.resident("sheep", 21, 20)
    scene.turn()
    blow(alric.mobile, sheep)
    scene.turn()
    told = HearCombat(alric.mobile.serial, sheep.serial, sheep.serial, result=0, kind=0, damage=7)
    assert of_combat(alric) == of_combat(berta) == [told]
    blow(sheep, berta.mobile, damage=3, manner=Manner.BITE)
    scene.turn()
    bitten = HearCombat(sheep.serial, berta.mobile.serial, berta.mobile.serial, result=0, kind=2, damage=3)
    assert of_combat(alric) == of_combat(berta) == [bitten]


@pytest.mark.parametrize(
    ("outcome", "damage", "manner", "wanted"),
    [
        (Outcome.HIT, 7, Manner.SLASH, "00 00000000 01 00 00 0700 0000 00 00"),
        (Outcome.CRITICAL, 300, Manner.BASH, "00 00000000 01 00 01 2c01 0000 04 00"),
        (Outcome.MISSED, 0, Manner.SHOOT, "01 00000000 01 00 02 0000 0000 00 00"),
        (Outcome.BLOCKED, 0, Manner.FIST, "05 00000000 01 00 01 0000 0000 00 00"),
        (Outcome.HIT, 70_000, Manner.PIERCE, "00 00000000 01 00 02 ffff 0000 00 00"),
    ],
)
def test_the_bytes_of_a_blow(
    scene: Scene, alric: Client, berta: Client, outcome: Outcome, damage: int, manner: Manner, wanted: str
) -> None:
    blow(alric.mobile, berta.mobile, outcome, damage, manner)
    scene.turn()
    (told,) = of_combat(alric)
    attacker, target = (one.mobile.serial.to_bytes(4, "little") for one in (alric, berta))
    body = attacker + target + target + bytes.fromhex(wanted) + bytes.fromhex("00 0000")
    head = b"\x32" + (3 + len(body)).to_bytes(4, "little") + b"\xff\xa4\x01"
    assert scene.version.encode(told) == head + body


def bytes_of_attacker(attacker: int) -> bytes:
    return attacker.to_bytes(4, "little")


def test_who_strikes_out_of_sight_is_nobody(scene: Scene, alric: Client) -> None:
    archer, far = scene.resident("wolf", 50, 20), ready(scene.client("Berta", 35, 20))
    scene.turn()
    heard(alric)
    assert alric.screen.of(archer.serial) is None
    blow(archer, alric.mobile)
    blow(alric.mobile, archer)
    blow(archer, far.mobile)
    scene.turn()
    assert of_combat(alric) == []
    by_nobody = Between(archer.serial, far.mobile.serial, bytes_of_attacker, droppable=True)
    assert by_nobody.bind(alric.session) == bytes_of_attacker(NOBODY)
    assert by_nobody.bind(far.session) == bytes_of_attacker(archer.serial)
    on_a_stranger = Between(far.mobile.serial, archer.serial, bytes_of_attacker, droppable=True)
    assert on_a_stranger.bind(alric.session) == b""


# Who fights


def test_who_fights_is_in_combat_for_all_until_it_stops(scene: Scene, alric: Client, berta: Client) -> None:
    sheep = scene.resident("sheep", 21, 20)
    scene.turn()
    heard(alric)
    fighting.attack(alric.mobile, sheep)
    scene.turn()
    for client in (alric, berta):
        info = client.screen.seen(alric.mobile.serial).info
        assert (info.auto_attack, info.activity & IN_COMBAT) == (1, IN_COMBAT)
    assert (alric.screen.own_sheet.auto_attack, alric.screen.own_sheet.ranged_auto_attack) == (1, 0)
    lines = [message.text for message in heard(alric) if isinstance(message, DisplayText)]
    assert lines == ["You attack a sheep."]
    assert not any(isinstance(message, DisplayText) for message in heard(berta))
    fighting.stop(alric.mobile)
    scene.turn()
    for client in (alric, berta):
        info = client.screen.seen(alric.mobile.serial).info
        assert (info.auto_attack, info.activity & IN_COMBAT) == (0, 0)
    assert alric.screen.own_sheet.auto_attack == 0
    scene.agree()


def test_a_second_fight_is_seen_as_the_first(scene: Scene, alric: Client, berta: Client) -> None:
    """The war of the first goes on, so that nothing of the mobile itself changes."""
    sheep = scene.resident("sheep", 21, 20)
    for _ in range(2):
        fighting.attack(alric.mobile, sheep)
        scene.turn()
        assert berta.screen.seen(alric.mobile.serial).info.auto_attack == 1
        fighting.stop(alric.mobile)
        scene.turn()
        assert berta.screen.seen(alric.mobile.serial).info.auto_attack == 0


def test_whom_a_creature_fights_is_its_target(scene: Scene, alric: Client, berta: Client) -> None:
    wolf = scene.resident("wolf", 21, 20)
    for prey in (alric.mobile, berta.mobile):
        fighting.attack(wolf, prey)
        scene.turn()
        assert alric.screen.seen(wolf.serial).info.target_id == ~prey.serial & 0xFFFF_FFFF
    fighting.stop(wolf)
    scene.turn()
    assert alric.screen.seen(wolf.serial).info.target_id == NOBODY


def test_creatures_can_be_attacked_and_residents_and_players_cannot(
    scene: Scene, alric: Client, berta: Client
) -> None:
    sheep, wolf, healer = (
        scene.resident(key, x, 22) for key, x in (("sheep", 20), ("wolf", 21), ("healer", 22))
    )
    scene.turn()
    seen = {one.serial: alric.screen.seen(one.serial) for one in (sheep, wolf, healer, berta.mobile)}
    assert [ghost.visible.attackable for ghost in seen.values()] == [1, 1, 0, 0]
    assert seen[wolf.serial].visible.consider == HOSTILE
    assert seen[sheep.serial].visible.consider > HOSTILE
    assert [seen[one.serial].info.heroic for one in (sheep, wolf)] == [0, 1]
    assert [seen[one.serial].info.level for one in (sheep, wolf)] == [1, 7]
    assert seen[wolf.serial].created.default_command == "attack"
    assert seen[healer.serial].created.default_command == "hail"


# How hard they are


def test_arrows_have_six_colours() -> None:
    colours = [arrow(level, 20) for level in (1, 11, 12, 15, 16, 19, 20, 21, 24, 25, 60)]
    assert colours == [GREY, GREY, GREEN, GREEN, BLUE, BLUE, WHITE, YELLOW, YELLOW, RED, RED]
    assert (GREY, WHITE, RED) == (0, 3, 5)


@given(st.integers(1, 60), st.integers(1, 59))
def test_arrows_grow_with_the_creature_and_shrink_with_the_viewer(viewer: int, level: int) -> None:
    assert arrow(level, viewer) <= arrow(level + 1, viewer) <= RED
    assert GREY <= arrow(level, viewer + 1) <= arrow(level, viewer)


def test_each_viewer_sees_the_arrow_of_its_own_level(scene: Scene, alric: Client, berta: Client) -> None:
    berta.mobile.level = 2
    wolf, healer = scene.resident("wolf", 21, 22), scene.resident("healer", 22, 22)
    scene.turn()
    assert alric.screen.seen(wolf.serial).visible.arrow == BLUE
    assert berta.screen.seen(wolf.serial).visible.arrow == RED
    assert berta.screen.seen(healer.serial).visible.arrow == WHITE
    wolf.hits = 15
    wolf.notoriety = 4
    scene.turn()
    scene.agree()
    assert berta.screen.seen(wolf.serial).visible.arrow == RED


def test_who_reaches_a_level_sees_other_arrows(scene: Scene, alric: Client, berta: Client) -> None:
    wolf = scene.resident("wolf", 21, 22)
    berta.mobile.level, berta.mobile.experience = 6, growth.least_experience(6, RULE)
    scene.turn()
    assert berta.screen.seen(wolf.serial).visible.arrow == YELLOW
    heard(berta)
    heard(alric)
    before = berta.mobile.experience
    learning.gain(berta.mobile, growth.least_experience(7, RULE) - before, wolf)
    scene.turn()
    told = heard(berta)
    assert LevelChanged(before=6, now=7) in told
    lines = [message.text for message in told if isinstance(message, DisplayText)]
    assert lines == [f"You gain {berta.mobile.experience - before} experience.", "You are now of level 7."]
    assert berta.screen.seen(wolf.serial).visible.arrow == WHITE
    assert (berta.screen.own_sheet.level, berta.screen.own_sheet.experience_yellow) == (7, 0)
    (line,) = [message.text for message in heard(alric) if isinstance(message, DisplayText)]
    assert line == "Berta is now of level 7."
    assert alric.screen.seen(berta.mobile.serial).info.level == 7
    scene.agree()


# The sheet


def sheet(scene: Scene, client: Client) -> Sheet:
    scene.turn()
    return client.screen.own_sheet


def test_the_places_of_rain_and_wind_on_the_sheet(scene: Scene) -> None:
    """Two f32 at 4756 and 4760 (emagi/eq2emu: WorldStructs.xml, WS_CharacterSheet of 546)."""
    drawn = scene.version.pack_struct(Sheet(rain=1.0, wind=0.5))
    dry = scene.version.pack_struct(Sheet())
    assert struct.unpack_from("<2f", drawn, 4756) == (1.0, 0.5)
    assert [at for at in range(len(dry)) if dry[at] != drawn[at]] == [4758, 4759, 4763]


def test_places_on_the_sheet(scene: Scene) -> None:
    """Those of emagi/eq2emu, server/WorldStructs.xml (WS_CharacterSheet of version 546), which counts from
    1 in its comments."""
    places = {"combat_experience": 261, "experience_yellow": 262, "experience_blue": 264}
    places |= {"auto_attack": 3532, "ranged_auto_attack": 3533}
    plain = scene.version.pack_struct(Sheet(combat_experience=0))
    for name, place in places.items():
        changed = attrs.evolve(Sheet(combat_experience=0), **{name: 1})  # type: ignore[arg-type] # numbers
        packed = scene.version.pack_struct(changed)
        assert [at for at, (a, b) in enumerate(zip(plain, packed, strict=True)) if a != b] == [place], name


def test_attributes_are_those_of_the_world(scene: Scene, alric: Client) -> None:
    numbers = {"strength": 31, "vitality": 32, "dexterity": 33, "intelligence": 34}
    for name, value in numbers.items():
        setattr(alric.mobile, name, value)
    read = sheet(scene, alric)
    shown = [read.strength, read.stamina, read.agility, read.wisdom, read.intelligence]
    assert shown == [31, 32, 33, 34, 34]
    base = [
        read.base_strength,
        read.base_stamina,
        read.base_agility,
        read.base_wisdom,
        read.base_intelligence,
    ]
    assert base == shown


def test_experience_fills_the_bars(scene: Scene, alric: Client) -> None:
    least, following = (growth.least_experience(level, RULE) for level in (10, 11))
    alric.mobile.experience = least + round((following - least) * 0.4735)
    read = sheet(scene, alric)
    assert (read.experience_yellow, read.experience_blue, read.combat_experience) == (47, 73, 1)


@given(st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))
def test_bars_fit_and_grow_with_the_part(one: float, other: float) -> None:
    lower, higher = sorted((one, other))
    for part in (lower, higher):
        yellow, blue = bar(part)
        assert 0 <= yellow <= 99
        assert 0 <= blue <= 99
        assert yellow % 10 == blue // 10, "the second is the tenth of the first that has begun"
        assert yellow * 10 + blue % 10 == int(part * 1000)
    assert _length(lower) <= _length(higher)


def _length(part: float) -> int:
    yellow, blue = bar(part)
    return yellow * 10 + blue % 10


@given(
    st.integers(1, 60),
    st.floats(0, 1, exclude_max=True),
    st.fixed_dictionaries(
        {name: st.integers(10, 125) for name in ("strength", "dexterity", "intelligence", "vitality")}
    ),
)
def test_every_character_fits_on_its_sheet(level: int, part: float, points: Mapping[str, int]) -> None:
    """`pack_struct` raises for a number that its field does not hold."""
    scene = SHARED
    mobile = HERO.mobile
    least, following = growth.least_experience(level, RULE), growth.least_experience(level + 1, RULE)
    mobile.learner = bind(Learner(), mobile)
    mobile.level, mobile.experience = level, least + int(part * (following - least))
    for name, value in points.items():
        setattr(mobile, name, value)
    learning.measure(mobile)
    read = scene.version.unpack_struct(Sheet, scene.view.sheet(mobile, scene.version).sheet)
    assert (read.level, read.max_hits, read.max_power) == (level, mobile.hits_max, mobile.mana_max)
    assert (read.strength, read.stamina) == (points["strength"], points["vitality"])
    assert (read.experience_yellow, read.experience_blue) == bar(
        growth.part_of_level(mobile.experience, RULE)
    )


SHARED: Final = Scene()
HERO: Final = ready(SHARED.client("Hero", 20, 20))
