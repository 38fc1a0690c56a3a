"""Points spent by the arrows of the sheet, and the sheet itself by the mapping of PLAY."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from eolib import (
    Packet,
    RecoverListServerPacket,
    RecoverReplyServerPacket,
    StatId,
    StatSkillAddClientPacket,
    StatSkillPlayerServerPacket,
    TalkServerServerPacket,
    TrainType,
)
from hypothesis import given
from hypothesis import strategies as st

from protocol.eo.packets.base import CHAR_MAX, INT_MAX, SHORT_MAX
from protocol.eo.session import Growth
from protocol.eo.view import Audience
from protocol.wishes import Wish
from tests.kit.eo_desk import Desk, Player
from world import learning
from world.delta import MobileDelta
from world.learning import ATTRIBUTE_LEAST, ATTRIBUTE_MOST, SPENDABLE
from world.rules import growth

if TYPE_CHECKING:
    from tests.kit.eo_scene import Scene
    from world.mobile import Mobile

SPENT = {
    StatId.Str: "strength",
    StatId.Int: "intelligence",
    StatId.Wis: "intelligence",
    StatId.Agi: "dexterity",
    StatId.Con: "vitality",
    StatId.Cha: "intelligence",
}
"""PLAY, section 4."""


async def with_points(points: int) -> tuple[Desk, Player]:
    desk = Desk()
    alric = await desk.enter("alric")
    assert alric.mobile.learner is not None
    alric.mobile.learner.points = points
    await desk.settle()
    assert alric.client.stat_points == points
    alric.client.received.clear()
    return desk, alric


def lines(player: Player) -> list[str]:
    return [packet.message for packet in player.client.received if isinstance(packet, TalkServerServerPacket)]


def values(mobile: Mobile) -> dict[str, int]:
    return {name: getattr(mobile, name) for name in SPENDABLE}


@pytest.mark.parametrize("stat", SPENT)
async def test_an_arrow_spends_one_point(stat: StatId) -> None:
    _, alric = await with_points(2)
    before, wanted = values(alric.mobile), SPENT[stat]
    await alric.sends(alric.client.spend_point(stat))
    assert values(alric.mobile) == {**before, wanted: before[wanted] + 1}
    told = [p for p in alric.client.received if not isinstance(p, TalkServerServerPacket)]
    assert isinstance(told[0], StatSkillPlayerServerPacket)
    assert not [p for p in told if isinstance(p, RecoverListServerPacket | RecoverReplyServerPacket)]
    assert (alric.client.stat_points, alric.client.max_hp) == (1, alric.mobile.hits_max)
    stats = alric.client.attributes
    assert stats is not None
    mobile = alric.mobile
    assert (stats.str, stats.agi, stats.con) == (mobile.strength, mobile.dexterity, mobile.vitality)
    assert (stats.intl, stats.wis) == (mobile.intelligence, mobile.intelligence)
    assert stats.cha == (mobile.dexterity + mobile.intelligence) // 2


async def test_who_has_no_points_is_told_so_and_nothing_changes() -> None:
    _, alric = await with_points(0)
    before = values(alric.mobile)
    await alric.sends(alric.client.spend_point(StatId.Str))
    assert lines(alric) == ["You have 0 points to spend."]
    assert len(alric.client.received) == 1
    assert values(alric.mobile) == before


async def test_no_attribute_grows_beyond_its_most() -> None:
    _, alric = await with_points(3)
    alric.mobile.vitality = ATTRIBUTE_MOST
    await alric.sends(alric.client.spend_point(StatId.Con))
    assert alric.mobile.vitality == ATTRIBUTE_MOST
    assert alric.client.stat_points == 3
    assert lines(alric) == [f"Your vitality cannot be above {ATTRIBUTE_MOST}."]


@pytest.mark.parametrize("stat", [0, 7, 64_000])
async def test_there_are_six_attributes(stat: int) -> None:
    _, alric = await with_points(3)
    before = values(alric.mobile)
    await alric.sends(alric.client.spend_point(StatId(stat)))
    assert len(lines(alric)) == 1
    assert values(alric.mobile) == before
    assert alric.client.stat_points == 3


async def test_spells_have_no_points_yet() -> None:
    _, alric = await with_points(3)
    wanted = StatSkillAddClientPacket.ActionTypeDataSkill(spell_id=1)
    packet: Packet = StatSkillAddClientPacket(action_type=TrainType.Skill, action_type_data=wanted)
    await alric.sends(alric.client.bytes_of(packet))
    assert lines(alric) == [Wish.LEARNING.value]
    assert alric.client.stat_points == 3


async def test_points_are_there_when_one_comes_back() -> None:
    desk, alric = await with_points(4)
    alric.hang_up()
    await desk.wait(120)
    again = await desk.enter("alric")
    assert again.client.stat_points == 4
    assert not [p for p in again.client.received if isinstance(p, StatSkillPlayerServerPacket)]
    assert [p.level_up for p in again.client.received if isinstance(p, RecoverReplyServerPacket)] == [None]


# The mapping of PLAY, section 4


def numbers(scene: Scene) -> dict[str, int]:
    """What the client is told of the man, by name."""
    scene.session.growth = Growth(level=-1)  # so that it is told the level
    reply, packet = scene.changed(scene.man, MobileDelta.STAT, Audience.SELF)
    assert isinstance(reply, RecoverReplyServerPacket)
    assert isinstance(packet, RecoverListServerPacket | StatSkillPlayerServerPacket)
    stats = packet.stats
    base, more = stats.base_stats, stats.secondary_stats
    assert reply.level_up is not None
    assert reply.stat_points is not None
    return {
        "level": reply.level_up,
        "experience": reply.experience,
        "points": reply.stat_points,
        "max_hp": stats.max_hp,
        "max_tp": stats.max_tp,
        "max_sp": stats.max_sp,
        "min_damage": more.min_damage,
        "max_damage": more.max_damage,
        "armor": more.armor,
        **{name: getattr(base, name) for name in ("str", "intl", "wis", "agi", "con", "cha")},
    }


def becomes(man: Mobile, level: int, part: float, attribute: int) -> None:
    """So far along, with all attributes at a value."""
    rule = man.world.content.growth
    least, following = growth.least_experience(level, rule), growth.least_experience(level + 1, rule)
    man.level, man.experience = level, min(int(least + part * (following - least)), following - 1)
    man.strength = man.dexterity = man.intelligence = man.vitality = attribute
    learning.measure(man)


ATTRIBUTE = st.integers(ATTRIBUTE_LEAST, ATTRIBUTE_MOST)


@given(level=st.integers(1, 60), part=st.floats(0, 1), attribute=ATTRIBUTE)
def test_all_numbers_fit_their_fields_and_are_the_worlds(
    lasting: Scene, level: int, part: float, attribute: int
) -> None:
    man = lasting.man
    becomes(man, level, part, attribute)
    told = numbers(lasting)
    assert (told["level"], told["experience"]) == (level, man.experience), "as they are"
    assert (told["max_hp"], told["max_tp"], told["max_sp"]) == (man.hits_max, man.mana_max, man.stam_max)
    assert told["level"] <= CHAR_MAX
    assert told["experience"] <= INT_MAX
    assert all(0 <= value <= SHORT_MAX for name, value in told.items() if name != "experience")
    info = lasting.figures.character(man)
    assert (info.max_hp, info.max_tp, info.level) == (man.hits_max, man.mana_max, level)


@given(part=st.floats(0, 1), attribute=ATTRIBUTE)
def test_all_numbers_grow_with_the_level(lasting: Scene, part: float, attribute: int) -> None:
    before: dict[str, int] | None = None
    for level in range(1, 61):
        becomes(lasting.man, level, part, attribute)
        told = numbers(lasting)
        if before is not None:
            assert all(told[name] >= before[name] for name in told)
            assert told["level"] > before["level"]
            assert told["experience"] > before["experience"]
            assert told["max_hp"] > before["max_hp"]
        before = told


@given(level=st.integers(1, 60), parts=st.lists(st.floats(0, 1), min_size=2, max_size=5))
def test_experience_grows_within_a_level(lasting: Scene, level: int, parts: list[float]) -> None:
    told = []
    for part in sorted(parts):
        becomes(lasting.man, level, part, 10)
        told.append(numbers(lasting))
    for sooner, later in pairwise(told):
        assert later["experience"] >= sooner["experience"]
        assert later["level"] == sooner["level"] == level


@given(
    values=st.tuples(ATTRIBUTE, ATTRIBUTE, ATTRIBUTE, ATTRIBUTE),
    which=st.sampled_from(SPENDABLE),
    level=st.integers(1, 60),
)
def test_no_number_falls_with_an_attribute(
    lasting: Scene, values: tuple[int, int, int, int], which: str, level: int
) -> None:
    man = lasting.man
    becomes(man, level, 0.5, 10)
    for name, value in zip(SPENDABLE, values, strict=True):
        setattr(man, name, value)
    learning.measure(man)
    before = numbers(lasting)
    assert (before["str"], before["agi"], before["con"]) == (man.strength, man.dexterity, man.vitality)
    assert before["intl"] == before["wis"] == man.intelligence
    assert before["cha"] == (man.dexterity + man.intelligence) // 2
    setattr(man, which, getattr(man, which) + 1)
    learning.measure(man)
    after = numbers(lasting)
    assert all(after[name] >= before[name] for name in after)
    assert sum(after.values()) > sum(before.values())
