"""Experience, levels, attributes and points of the world's characters as this client's numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.co import growth
from protocol.co.packets import Allot, Attribute, Talk
from protocol.co.versions import CoVersion
from tests.kit.co_desk import Desk, Player, two, values, view_of
from tests.kit.in_memory import shipped_content
from tests.kit.worlds import a_line
from world import learning
from world.rules import growth as rules

RULE = shipped_content().growth
LEVELS = st.integers(1, 60)


def experience_at(level: int, part: float) -> int:
    least, following = (rules.least_experience(n, RULE) for n in (level, level + 1))
    return min(following - 1, least + int(part * (following - least)))


def test_the_notes_say_what_a_level_needs() -> None:
    """co-play.md, section 5."""
    first = [120, 180, 240, 360, 600, 960, 1200, 2400, 3600, 8400, 12000, 14400]
    assert [growth.need(level) for level in range(1, 13)] == first
    assert growth.need(101) == 69_537_026
    needs = [growth.need(level) for level in range(1, 102)]
    assert needs == sorted(set(needs)), "each level needs more than the one before"


@given(LEVELS, st.floats(0, 1), st.floats(0, 1))
def test_experience_is_within_the_level_and_only_grows_in_it(level: int, one: float, other: float) -> None:
    wholes = sorted(experience_at(level, part) for part in (one, other))
    shown = [growth.within_level(whole, RULE) for whole in wholes]
    assert 0 <= shown[0] <= shown[1] < growth.need(level)


@given(LEVELS, st.floats(0, 1))
def test_experience_is_the_same_part_of_the_clients_level(level: int, part: float) -> None:
    whole = experience_at(level, part)
    assert growth.within_level(whole, RULE) == pytest.approx(
        rules.part_of_level(whole, RULE) * growth.need(level), abs=1
    )


@pytest.mark.parametrize("level", range(1, 61))
def test_experience_begins_anew_with_each_level(level: int) -> None:
    least = rules.least_experience(level, RULE)
    assert growth.within_level(least, RULE) == 0
    assert growth.within_level(rules.least_experience(level + 1, RULE) - 1, RULE) > 0


@pytest.mark.parametrize("whole", [-1, 0, 1 << 40])
def test_no_experience_is_too_much(whole: int) -> None:
    assert 0 <= growth.within_level(whole, RULE) < 1 << 64


# Points


async def spender(version: CoVersion = CoVersion.V5017, points: int = 10) -> tuple[Desk, Player, Player]:
    desk = Desk(version=version)
    alric, berta = await two(desk)
    assert alric.mobile.learner is not None
    alric.mobile.learner.points = points
    desk.turn()
    assert values(alric, alric.number)[Attribute.FREE_POINTS] == points
    berta.got.clear()
    return desk, alric, berta


@pytest.mark.parametrize("version", list(CoVersion))
async def test_points_are_spent_and_told(version: CoVersion) -> None:
    _, alric, berta = await spender(version)
    mobile = alric.mobile
    before = mobile.strength, mobile.dexterity, mobile.vitality, mobile.intelligence
    await alric.says(Allot(strength=1, agility=2, vitality=3, spirit=4))
    now = mobile.strength, mobile.dexterity, mobile.vitality, mobile.intelligence
    assert [after - one for one, after in zip(before, now, strict=True)] == [1, 2, 3, 4]
    told = values(alric, alric.number)
    kinds = Attribute.STRENGTH, Attribute.AGILITY, Attribute.VITALITY, Attribute.SPIRIT
    assert tuple(told[kind] for kind in kinds) == now
    assert told[Attribute.FREE_POINTS] == 0
    assert told[Attribute.MAX_LIFE] == mobile.hits_max
    assert values(berta, alric.number).keys() <= {Attribute.LIFE, Attribute.MAX_LIFE}


async def test_more_points_than_there_are_are_refused_and_the_sheet_told() -> None:
    _, alric, _ = await spender(points=9)
    mobile = alric.mobile
    before = mobile.strength, mobile.dexterity, mobile.vitality, mobile.intelligence
    await alric.says(Allot(strength=1, agility=2, vitality=3, spirit=4))
    assert (mobile.strength, mobile.dexterity, mobile.vitality, mobile.intelligence) == before
    assert values(alric, alric.number)[Attribute.FREE_POINTS] == 9
    assert [talk.words for talk in alric.took(Talk)] == ["You have 9 points to spend."]


async def test_no_attribute_is_above_its_most() -> None:
    _, alric, _ = await spender(points=200)
    alric.mobile.strength = learning.ATTRIBUTE_MOST
    await alric.says(Allot(strength=1, agility=0, vitality=0, spirit=0))
    assert alric.mobile.strength == learning.ATTRIBUTE_MOST
    assert alric.mobile.learner is not None
    assert alric.mobile.learner.points == 200
    assert alric.took(Talk)


@pytest.mark.parametrize("level", range(1, 61))
@pytest.mark.parametrize("attribute", [learning.ATTRIBUTE_LEAST, learning.ATTRIBUTE_MOST])
def test_every_number_of_every_level_fits_its_field(level: int, attribute: int) -> None:
    desk = Desk()
    figures = view_of(desk).figures
    numbers: dict[str, object] = {
        **dict.fromkeys(learning.SPENDABLE, attribute),
        "level": level,
        "experience": rules.least_experience(level + 1, RULE) - 1,
        "murders": 70_000,
        "hits": rules.hits_max(attribute, attribute, level),
        "mana": rules.mana_max(attribute, level),
    }
    line = a_line(desk.world, numbers)
    mobile = line.character
    assert mobile.learner is not None
    mobile.learner.points = RULE.points_per_level * level
    shown = figures.user_info(line, 1003, 10)
    for version in CoVersion:
        shown.encode(version)
    assert (shown.level, shown.life, shown.mana) == (level, mobile.hits, mobile.mana)
    assert (shown.strength, shown.agility, shown.vitality, shown.spirit) == (attribute,) * 4
    assert shown.free_points == 3 * level
    assert 0 < shown.experience < growth.need(level)
    told = {entry.attribute: entry.value for entry in figures.own_values(mobile)}
    assert told[Attribute.EXPERIENCE] == shown.experience
    assert told[Attribute.FREE_POINTS] == shown.free_points


def test_each_attribute_is_the_one_of_the_sheet() -> None:
    """Strength 16, agility 17, vitality 15, spirit 14: co.md, section 10."""
    desk = Desk()
    mobile = a_line(desk.world).character
    mobile.strength, mobile.dexterity, mobile.vitality, mobile.intelligence = 11, 22, 33, 44
    told = {entry.attribute: entry.value for entry in view_of(desk).figures.own_values(mobile)}
    assert (told[16], told[17], told[15], told[14]) == (11, 22, 33, 44)
