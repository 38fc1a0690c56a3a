"""The pure formulas of a fight and of growth, with the numbers of PLAY; and what they make of a fight."""

from __future__ import annotations

from random import Random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from world.heading import OFFSETS
from world.rules import combat, creatures, growth
from world.rules.combat import Side
from world.rules.numbers import CombatRule, GrowthRule

RULE, GROWTH = CombatRule(), GrowthRule()

LEVELS = st.integers(1, 60)
SKILLS = st.floats(0, 100)


# A blow


def test_chances_to_hit() -> None:
    assert combat.hit_chance(30, 30, RULE) == pytest.approx(0.7)
    assert combat.hit_chance(100, 0, RULE) == 0.95
    assert combat.hit_chance(0, 100, RULE) == 0.2
    assert combat.hit_chance(40, 20, RULE) == pytest.approx(0.95)
    assert combat.hit_chance(20, 40, RULE) == pytest.approx(0.7 * 40 / 60)
    assert combat.block_chance(60, RULE) == pytest.approx(0.2)


@given(SKILLS, SKILLS, st.floats(0, 10))
def test_the_better_one_is_the_more_one_hits(attack: float, defence: float, more: float) -> None:
    assert combat.hit_chance(attack + more, defence, RULE) >= combat.hit_chance(attack, defence, RULE)
    assert combat.hit_chance(attack, defence + more, RULE) <= combat.hit_chance(attack, defence, RULE)


def test_damage() -> None:
    plain = {"strength": 0, "tactics": 0.0, "armour": 0.0, "rule": RULE}
    assert combat.damage(10, **plain) == 10  # type: ignore[arg-type]
    assert combat.damage(10, strength=100, tactics=50, armour=0, rule=RULE) == 16
    assert combat.damage(10, strength=0, tactics=0, armour=100, rule=RULE) == 5
    assert combat.damage(10, strength=0, tactics=0, armour=0, side=Side.SIDE, rule=RULE) == 11
    assert combat.damage(10, strength=0, tactics=0, armour=0, side=Side.BEHIND, rule=RULE) == 12
    assert combat.damage(10, strength=0, tactics=0, armour=0, critical=True, rule=RULE) == 15
    assert combat.damage(1, strength=0, tactics=0, armour=10_000, rule=RULE) == 1


@pytest.mark.parametrize("heading", range(8))
def test_where_a_blow_comes_from(heading: int) -> None:
    sides = [combat.side_of(*OFFSETS[(heading + turn) % 8], heading) for turn in range(8)]
    front, side, behind = Side.FRONT, Side.SIDE, Side.BEHIND
    assert sides == [front, front, side, behind, behind, behind, side, front]
    assert combat.side_of(0, 0, heading) is front


def test_milliseconds_between_blows() -> None:
    assert combat.swing_ms(2500, 0, RULE) == 2500
    assert combat.swing_ms(2500, 30, RULE) == 2250
    assert combat.swing_ms(2500, 125, RULE) == 1500
    assert combat.swing_ms(1200, 125, RULE) == 1000
    assert combat.swing_ms(9000, 0, RULE) == 4000
    assert combat.swing_ms(1500, 10, RULE, tired=True) == 2900


# Growth


def test_levels_have_a_least_experience() -> None:
    assert [growth.least_experience(level, GROWTH) for level in (1, 2, 60)] == [133, 1065, 28_749_600]
    for level in range(2, 61):
        least = growth.least_experience(level, GROWTH)
        assert growth.level_of(least, GROWTH) == level
        assert growth.level_of(least - 1, GROWTH) == level - 1
    assert growth.level_of(0, GROWTH) == 1
    assert growth.level_of(2**31, GROWTH) == 60


@given(st.integers(0, 2**32))
def test_the_part_of_a_level_is_below_one(experience: int) -> None:
    assert 0 <= growth.part_of_level(experience, GROWTH) < 1


def test_the_part_of_a_level() -> None:
    assert growth.part_of_level(133, GROWTH) == 0
    assert growth.part_of_level(599, GROWTH) == pytest.approx(0.5, abs=0.001)
    assert growth.part_of_level(28_749_600, GROWTH) == 0


def test_experience_of_a_kill() -> None:
    assert growth.kill_experience(1, 1, GROWTH) == 90
    assert growth.kill_experience(10, 10, GROWTH) == 451
    assert growth.kill_experience(3, 1, GROWTH) == pytest.approx(194 * 1.2)
    assert growth.kill_experience(9, 1, GROWTH) == pytest.approx(419 * 1.2)
    assert growth.kill_experience(1, 5, GROWTH) == pytest.approx(54)
    assert growth.kill_experience(1, 60, GROWTH) == pytest.approx(9)


def test_a_kill_is_shared_by_damage_and_in_a_party_by_level() -> None:
    assert growth.shares({}, {}, {}) == {}
    assert growth.shares({1: 30, 2: 10}, {1: 5, 2: 5}, {}) == {1: 0.75, 2: 0.25}
    party = growth.shares({1: 30, 2: 10}, {1: 1, 2: 5, 3: 3}, {1: 9, 3: 9})
    assert party == {1: pytest.approx(0.75 / 4), 2: 0.25, 3: pytest.approx(0.75 * 3 / 4)}
    assert growth.shares({1: 30, 4: 10}, {1: 5}, {}) == {1: 1.0}, "who has left takes nothing along"
    assert growth.party_factor(3, GROWTH) == pytest.approx(1.2)


@given(LEVELS, st.floats(0, 0.999))
def test_a_death_costs_no_level(level: int, part: float) -> None:
    least, following = (growth.least_experience(level + more, GROWTH) for more in (0, 1))
    experience = least + int(part * (following - least))
    cost = growth.death_cost(experience, GROWTH)
    assert 0 <= cost <= round(0.04 * (following - least))
    assert growth.level_of(experience - cost, GROWTH) == level


def test_skills_have_a_cap_by_level_and_grow_the_slower_the_nearer_it_is() -> None:
    assert [growth.skill_cap(level, GROWTH) for level in (1, 30, 60)] == [361, 675, 1000]
    assert growth.gain_chance(0, 361, GROWTH) == 0.25
    assert growth.gain_chance(180, 360, GROWTH) == 0.125
    assert growth.gain_chance(359, 360, GROWTH) == 0.01
    assert growth.gain_chance(360, 360, GROWTH) == 0
    assert growth.teaches(300, 30, GROWTH)
    assert growth.teaches(300, 90, GROWTH)
    assert not growth.teaches(600, 30, GROWTH)


@given(LEVELS, st.integers(10, 125), st.integers(10, 125))
def test_maxima_fit_every_client(level: int, one: int, other: int) -> None:
    assert growth.hits_max(one, other, level) <= 1000
    assert growth.mana_max(one, level) <= 1000
    assert growth.stamina_max(one) <= 250
    assert growth.hits_max(10, 10, 1) == 61


# Creatures, and whole fights


def test_creatures_of_a_level() -> None:
    assert (creatures.hits(4), creatures.hits(4, boss=True)) == (25, 250)
    assert creatures.skill(4) == pytest.approx(25.2)
    assert creatures.skill(60) == 98
    assert creatures.damage(10) == (10, 16)
    assert creatures.armour(10) == 7


def fight(level: int, dice: Random) -> float:
    """Seconds until a character of that level, armed and trained for it, has killed its equal."""
    points = 10 + 3 * (level - 1) / 4  # spent evenly
    skill = 0.9 * growth.skill_cap(level, GROWTH) / 10
    hits, seconds = creatures.hits(level), 0.0
    # A newcomer has a dagger, everybody else what fits the level.
    least, most, ms = (3, 6, 1800) if level == 1 else (*creatures.weapon_damage(level), 2500)
    while hits > 0:
        if dice.random() < combat.hit_chance(skill, creatures.skill(level), RULE):
            critical = dice.random() < RULE.critical_chance
            hits -= combat.damage(
                dice.uniform(least, most),
                strength=round(points),
                tactics=skill,
                armour=creatures.armour(level),
                critical=critical,
                rule=RULE,
            )
        if hits > 0:
            seconds += combat.swing_ms(ms, round(points), RULE) / 1000
    return seconds


@pytest.mark.parametrize("level", [1, 2, 5, 10, 20, 40, 60])
def test_a_fight_against_ones_equal_takes_a_few_blows(level: int) -> None:
    dice = Random(level)
    assert 5 <= median(fight(level, dice) for _ in range(400)) <= 25


def hours_to(level: int, between: float) -> float:
    """Hours of play until that level, with so many seconds from one equal's death to the next fight."""
    seconds, experience, dice = 0.0, growth.least_experience(1, GROWTH), Random(7)
    for now in range(1, level):
        need = growth.least_experience(now + 1, GROWTH) - experience
        kills = need / growth.kill_experience(now, now, GROWTH)
        seconds += kills * (median(fight(now, dice) for _ in range(60)) + between)
        experience = growth.least_experience(now + 1, GROWTH)
    return seconds / 3600


@pytest.mark.parametrize(("level", "hours"), [(2, 5 / 60), (10, 3), (60, 300)])
def test_levels_take_their_time(level: int, hours: float) -> None:
    assert hours_to(level, BETWEEN) == pytest.approx(hours, rel=0.4)


BETWEEN = 18.0
"""Seconds to walk to the next one and to rest."""
