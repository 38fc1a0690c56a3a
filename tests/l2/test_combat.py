"""Fights as clients of Lineage II are told of them: recorded bytes, who reads what, and one's own sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.l2 import combat, sheets
from protocol.l2.packets import (
    Attack,
    Attribute,
    AutoAttackStart,
    AutoAttackStop,
    Blow,
    DeleteObject,
    Die,
    Social,
    SocialAction,
    StatusEntry,
    StatusUpdate,
    SystemMessage,
    UserInfo,
)
from protocol.l2.places import Place
from protocol.wire.body import Body
from tests.kit.creatures import PLAIN
from tests.kit.l2_recorded import FROM_SERVER, VERSION
from tests.kit.l2_scene import Client, Scene, l2_content, middle
from world import arms, fighting, life
from world.events import Advanced, Gained, Manner, Mended, Outcome, Struck
from world.rules.growth import least_experience, part_of_level
from world.rules.numbers import GrowthRule

if TYPE_CHECKING:
    from protocol.l2.packets import Message, NpcInfo
    from world.mobile import Mobile

RULE = GrowthRule()
YOU_HIT, HIT_YOU, YOU_AVOIDED, YOU_MISSED, CRITICAL, EARNED, LEVEL = 35, 36, 42, 43, 44, 95, 96
"""Texts by the client's own numbers (L2JMobius/L2Jmobius_Interlude: SystemMessageId.java)."""


def hunting_ground() -> Scene:
    """The plain, where sheep can be fought."""
    content = l2_content()
    sheep = attrs.evolve(content.mobiles["sheep"], fights=PLAIN, hits=12)
    return Scene(attrs.evolve(content, mobiles={**content.mobiles, "sheep": sheep}))


@pytest.fixture
def scene() -> Scene:
    return hunting_ground()


@pytest.fixture
def alric(scene: Scene) -> Client:
    return scene.client("Alric", 20, 20)


@pytest.fixture
def berta(scene: Scene, alric: Client) -> Client:
    """Near Alric, and both know each other."""
    client = scene.client("Berta", 22, 20)
    scene.turn()
    alric.heard()
    client.heard()
    return client


@pytest.fixture
def sheep(scene: Scene, alric: Client, berta: Client) -> Mobile:
    """Beside Alric, in sight of both."""
    mobile = scene.resident("sheep", 21, 20)
    scene.turn()
    alric.heard()
    berta.heard()
    return mobile


def texts(messages: list[Message]) -> list[tuple[int, tuple[object, ...]]]:
    """Numbers and parameters of the client's own texts among them."""
    return [
        (message.message_id, tuple(parameter.value for parameter in message.parameters))
        for message in messages
        if isinstance(message, SystemMessage)
    ]


def blow(attacker: Mobile, target: Mobile, damage: int, outcome: Outcome = Outcome.HIT) -> Struck:
    """As if one had struck."""
    viewers = [m.viewport for m in (attacker, target) if m.viewport is not None]
    return Struck(attacker, target, outcome, damage, Manner.SLASH, 1500, viewers)


# Recorded bytes


@pytest.mark.parametrize("sample", FROM_SERVER["Attack"], ids=bytes.hex)
def test_blows_are_written_as_recorded(scene: Scene, alric: Client, sample: bytes) -> None:
    recorded = cast("Attack", VERSION.decode_server(sample))
    attacker, target = scene.resident("sheep", 3, 3), scene.resident("sheep", 4, 3)
    attacker.serial, target.serial = recorded.object_id, recorded.target_id
    outcome = Outcome.MISSED if recorded.flags == 0x80 else Outcome.HIT
    place = Place(recorded.x, recorded.y, recorded.z)
    (body,) = combat.struck(blow(attacker, target, recorded.damage, outcome), place, (), VERSION, own=False)
    assert isinstance(body, Body)
    assert body.raw == sample


def raw(client: Client) -> list[bytes]:
    """What the client heard since it was asked last, in bytes."""
    return [VERSION.encode(message) for message in client.heard()]


def called(scene: Scene, name: str, serial: int) -> Client:
    """A client whose character bears a recorded number."""
    client = scene.client(name, 20, 20)
    scene.world.leave(client.mobile)
    client.mobile.serial = serial
    scene.world.enter(client.mobile, scene.world.realms["plain"], 20, 20)
    scene.turn()
    client.heard()
    return client


def test_a_fight_is_told_as_recorded(scene: Scene) -> None:
    """A player strikes a gremlin for 11 points, it misses and hits: stances, texts, bars, as on the wire."""
    starts, blows = FROM_SERVER["AutoAttackStart"], FROM_SERVER["Attack"]
    first, missed, hit = (cast("Attack", VERSION.decode_server(sample)) for sample in blows)
    bobby = called(scene, "Bobby", first.object_id)
    gremlin = scene.resident("sheep", 21, 20)
    gremlin.name, gremlin.hits, gremlin.hits_max = "Gremlin", 62, 62
    scene.world.leave(gremlin)
    gremlin.serial = first.target_id
    scene.world.enter(gremlin, scene.world.realms["plain"], 21, 20)
    scene.turn()
    bobby.heard()
    bobby.session.queue(*scene.view.health(gremlin, VERSION))
    bobby.flush()
    assert raw(bobby) == [FROM_SERVER["StatusUpdate"][2]]
    scene.world.events.append(blow(bobby.mobile, gremlin, first.damage))
    scene.turn()
    _, *told = raw(bobby)
    assert sorted(told[:2]) == sorted(starts)
    assert told[2:] == [FROM_SERVER["SystemMessage"][2]]
    for sample, outcome in ((missed, Outcome.MISSED), (hit, Outcome.HIT)):
        scene.world.events.append(blow(gremlin, bobby.mobile, sample.damage, outcome))
        scene.turn()
    told = raw(bobby)
    assert told[1] == FROM_SERVER["SystemMessage"][3]
    assert not set(starts) & set(told), "both stand ready already"


def test_death_and_revival_are_told_as_recorded(scene: Scene) -> None:
    ((die,), (revive,)) = FROM_SERVER["Die"], FROM_SERVER["Revive"]
    bobby = called(scene, "Bobby", int.from_bytes(revive[1:], "little"))
    life.kill(bobby.mobile)
    scene.turn()
    assert die in raw(bobby)
    life.resurrect(bobby.mobile)
    scene.turn()
    assert revive in raw(bobby)


# Who is told what


@pytest.mark.parametrize(
    ("outcome", "flags", "given", "taken"),
    [
        (Outcome.HIT, 0, [(YOU_HIT, ((3,),))], [(HIT_YOU, ("Alric", (3,)))]),
        (Outcome.CRITICAL, 0x20, [(CRITICAL, ()), (YOU_HIT, ((3,),))], [(HIT_YOU, ("Alric", (3,)))]),
        (Outcome.MISSED, 0x80, [(YOU_MISSED, ())], [(YOU_AVOIDED, ("Alric",))]),
        (
            Outcome.BLOCKED,
            0x40,
            [(614, ("Berta blocks your blow.", ""))],
            [(111, ())],
        ),
    ],
)
def test_both_read_of_a_blow_and_all_see_it(
    scene: Scene,
    alric: Client,
    berta: Client,
    outcome: Outcome,
    flags: int,
    given: list[object],
    taken: list[object],
) -> None:
    carla = scene.client("Carla", 24, 20)
    scene.turn()
    for client in (alric, berta, carla):
        client.heard()
    damage = 3 if outcome in (Outcome.HIT, Outcome.CRITICAL) else 0
    event = blow(alric.mobile, berta.mobile, damage, outcome)
    assert carla.mobile.viewport is not None
    scene.world.events.append(attrs.evolve(event, viewers=[*event.viewers, carla.mobile.viewport]))
    scene.turn()
    attack = Attack(alric.mobile.serial, berta.mobile.serial, damage, flags, *middle(20, 20))
    ready = [AutoAttackStart(client.mobile.serial) for client in (alric, berta)]
    assert carla.heard() == [attack, *ready]
    own, others = alric.heard(), berta.heard()
    assert attack in own
    assert attack in others
    assert (texts(own), texts(others)) == (given, taken)


def test_flags_are_those_of_the_client() -> None:
    assert (Blow.CRITICAL, Blow.SHIELD, Blow.MISS) == (0x20, 0x40, 0x80)


def test_a_creature_is_hunted_down_and_another_sees_it(
    scene: Scene, alric: Client, berta: Client, sheep: Mobile
) -> None:
    alric.mobile.experience = 1064
    fighting.attack(alric.mobile, sheep)
    scene.turn()
    begins = berta.heard()
    assert [one for one in begins if isinstance(one, AutoAttackStart)] == [
        AutoAttackStart(alric.mobile.serial),
        AutoAttackStart(sheep.serial),
    ]
    assert berta.screen.people[alric.mobile.serial].fighting
    assert scene.view.figures.character(alric.mobile).in_combat == 1
    for _ in range(600):
        scene.turn(0.2)
        if sheep.dead:
            break
    assert sheep.dead
    for client in (alric, berta):
        blows = client.screen.blows
        assert {(attacker, target) for attacker, target, *_ in blows} == {(alric.mobile.serial, sheep.serial)}
        assert sum(damage for _, _, damage, _ in blows) == 12
        assert client.screen.faults == []
    seen = berta.heard()
    assert Die(sheep.serial) in seen
    assert AutoAttackStop(sheep.serial) in seen
    assert AutoAttackStop(alric.mobile.serial) not in seen, "it stays ready for a while"
    assert AutoAttackStart(alric.mobile.serial) not in seen
    assert not [one for one in seen if isinstance(one, StatusUpdate)], "she aims at nobody"
    assert SocialAction(alric.mobile.serial, Social.LEVEL_UP) in seen
    assert texts(seen) == []
    own = alric.heard()
    numbers = [number for number, _ in texts(own)]
    assert {YOU_HIT, EARNED, LEVEL} <= set(numbers)
    sheet = [message for message in own if isinstance(message, UserInfo)][-1]
    assert sheet.level == 2
    assert 68 <= sheet.exp < 363
    scene.agree()


def test_what_is_earned_and_what_is_lost(scene: Scene, alric: Client) -> None:
    assert alric.mobile.viewport is not None
    viewers = [alric.mobile.viewport]
    scene.turn()
    alric.heard()
    scene.world.events.append(Gained(alric.mobile, 90, viewers))
    scene.world.events.append(Gained(alric.mobile, -37, viewers))
    scene.turn()
    assert texts(alric.heard()) == [(EARNED, ((90,), (0,))), (539, ((37,),))]


def test_what_a_remedy_gives_is_told_to_who_has_it(scene: Scene, alric: Client, berta: Client) -> None:
    viewers = [client.mobile.viewport for client in (alric, berta) if client.mobile.viewport is not None]
    scene.world.events.append(Mended(alric.mobile, 12, viewers))
    scene.turn()
    assert texts(alric.heard()) == [(1066, ((12,),))]  # "$s1 HP has been restored."
    assert berta.heard() == []


def test_a_level_is_a_picture_to_others(scene: Scene, alric: Client, berta: Client) -> None:
    viewers = [client.mobile.viewport for client in (alric, berta) if client.mobile.viewport is not None]
    scene.world.events.append(Advanced(alric.mobile, 5, viewers))
    scene.turn()
    picture = SocialAction(alric.mobile.serial, 15)
    assert berta.heard() == [picture]
    own = alric.heard()
    assert own[0] == picture
    assert texts(own)[0] == (LEVEL, ())


# The sheet


@given(
    st.integers(1, 60),
    st.floats(0, 1, exclude_max=True),
    st.integers(1, 60),
    st.floats(0, 1, exclude_max=True),
)
def test_experience_is_of_its_level_and_grows(low: int, f: float, high: int, g: float) -> None:
    one, other = sorted(((low, f), (high, g)))
    less, more = sheets.experience_at(*one), sheets.experience_at(*other)
    assert less <= more < 2**31
    table = sheets.EXPERIENCE
    for (level, part), told in ((one, less), (other, more)):
        least, following = table[level - 1], table[level]
        assert least <= told < following
        assert told == pytest.approx(least + part * (following - least), abs=1)


@given(st.integers(133, 40_000_000))
def test_the_part_of_the_level_stays_the_same(raw: int) -> None:
    """What the client makes of it by its own table is what the world says."""
    reached = next(n for n in range(60, 0, -1) if least_experience(n, RULE) <= raw)
    told = sheets.experience_at(reached, part_of_level(raw, RULE))
    least, following = sheets.EXPERIENCE[reached - 1], sheets.EXPERIENCE[reached]
    part = (told - least) / (following - least)
    assert part == pytest.approx(part_of_level(raw, RULE), abs=1 / (following - least))


def test_the_table_is_that_of_the_sheet() -> None:
    table = sheets.EXPERIENCE
    assert len(table) == sheets.HIGHEST_LEVEL + 1
    assert list(table) == sorted(set(table))
    known = {2: 68, 10: 48229, 20: 835854, 40: 15422851, 60: 126509030, 79: 2099275834, 80: 4200000000}
    assert {level: table[level - 1] for level in known} == known


@given(st.integers(0, 125), st.integers(0, 125))
def test_attributes_grow_and_fit(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert 20 <= sheets.attribute(low) <= sheets.attribute(high) <= 61


@given(st.integers(250, 8000))
def test_a_pace_is_within_what_the_client_takes(ms: int) -> None:
    told = sheets.pace(ms)
    assert 1 <= told <= 2000
    assert 500_000 / told == pytest.approx(ms, rel=0.01)


def test_all_three_descriptions_tell_the_pace_of_the_world(
    scene: Scene, alric: Client, sheep: Mobile
) -> None:
    figures = scene.view.figures
    own, seen, npc = figures.own(alric.mobile), figures.character(alric.mobile), figures.npc(sheep)
    wanted = round(500_000 / arms.blow_ms(alric.mobile))
    assert own.p_atk_spd == own.p_atk_spd_again == seen.p_atk_spd == wanted
    assert npc.p_atk_spd == round(500_000 / PLAIN.swing_ms)
    assert own.attack_speed_multiplier == pytest.approx(wanted * 1.1 / 300)
    assert npc.attack_speed_multiplier == pytest.approx(npc.p_atk_spd / 277.478340719)
    assert own.p_def == 1


def test_npcs_are_told_their_pace_as_recorded(scene: Scene, sheep: Mobile) -> None:
    recorded = cast("NpcInfo", VERSION.decode_server(FROM_SERVER["NpcInfo"][0]))
    told = scene.view.figures.npc(sheep)
    assert told.attack_speed_multiplier / told.p_atk_spd == pytest.approx(
        recorded.attack_speed_multiplier / recorded.p_atk_spd
    )


# The dead


def test_the_dead_creature_falls_for_all(scene: Scene, alric: Client, berta: Client, sheep: Mobile) -> None:
    life.hurt(sheep, 12, alric.mobile)
    scene.turn()
    for client in (alric, berta):
        told = client.heard()
        assert Die(sheep.serial) in told
        assert DeleteObject(sheep.serial) not in told
        assert client.screen.npcs[sheep.serial].dead
    scene.agree()
    scene.wait(6.5)
    assert alric.screen.npcs[sheep.serial].dead
    scene.wait(1)
    for client in (alric, berta):
        assert client.heard() == [DeleteObject(sheep.serial)]


@pytest.mark.parametrize("wounded", [True, False], ids=["wounded", "at one blow"])
def test_who_aims_at_the_dead_sees_an_empty_bar(
    scene: Scene, alric: Client, berta: Client, sheep: Mobile, wounded: bool
) -> None:
    """Public servers tell of it before the body falls (L2JMobius: CreatureStatus.reduceHp); without it the
    bar of a public client stays where the last blow but one left it."""
    alric.session.target = sheep.serial
    if wounded:
        life.hurt(sheep, 7, alric.mobile)
        scene.turn()
        alric.heard()
    life.hurt(sheep, 12, alric.mobile)
    scene.turn()
    told = alric.heard()
    empty = StatusUpdate(sheep.serial, (StatusEntry(Attribute.HP, 0), StatusEntry(Attribute.MAX_HP, 12)))
    assert [one for one in told if isinstance(one, StatusUpdate | Die) and one.object_id == sheep.serial] == [
        empty,
        Die(sheep.serial),
    ]
    assert not [one for one in berta.heard() if isinstance(one, StatusUpdate)], "she aims at nobody"


def test_a_body_stays_until_its_client_has_loaded(scene: Scene, alric: Client, sheep: Mobile) -> None:
    life.hurt(sheep, 12)
    scene.turn()
    alric.session.loading = True
    alric.heard()
    scene.wait(9)
    assert alric.heard() == []
    alric.session.loading = False
    scene.wait(1.5)
    assert DeleteObject(sheep.serial) in alric.heard()
