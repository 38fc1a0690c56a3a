"""Levels, experience and skills. (PLAY, sections 2 and 3)

Experience is a whole number that never falls below its level's least, so that a level is never lost. Skills
are tenths of a point, as they are stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.rules.numbers import GrowthRule


# The level


def least_experience(level: int, rule: GrowthRule) -> int:
    """Experience from which on one is of that level."""
    return round(rule.curve * level**3)


def level_of(experience: int, rule: GrowthRule) -> int:
    """Level for an experience, at least 1."""
    level = min(rule.highest_level, max(1, int((max(0, experience) / rule.curve) ** (1 / 3))))
    # The root of a rounded cube may be off by one either way.
    while level < rule.highest_level and least_experience(level + 1, rule) <= experience:
        level += 1
    while level > 1 and least_experience(level, rule) > experience:
        level -= 1
    return level


def part_of_level(experience: int, rule: GrowthRule) -> float:
    """Part of the way from this level to the next, 0 to below 1; at the highest level towards one that nobody
    reaches."""
    level = level_of(experience, rule)
    least, following = least_experience(level, rule), least_experience(level + 1, rule)
    return min(max(0.0, (experience - least) / (following - least)), 1 - 1e-9)


def hits_max(strength: int, vitality: int, level: int) -> int:
    """Most hits of a character."""
    return 30 + strength // 2 + 2 * vitality + 6 * level


def mana_max(intelligence: int, level: int) -> int:
    """Most mana of a character."""
    return 20 + 2 * intelligence + 3 * level


def stamina_max(dexterity: int) -> int:
    """Most stamina of a character."""
    return 20 + dexterity


# Experience


def kill_experience(creature_level: int, killer_level: int, rule: GrowthRule) -> float:
    """Experience of a whole kill for one of that level, before it is shared."""
    base = round(rule.kill_base * creature_level**rule.kill_exponent)
    factor = 1 + rule.step * (creature_level - killer_level)
    return float(base * min(rule.most_factor, max(rule.least_factor, factor)))


def shares(
    damage: Mapping[int, int], levels: Mapping[int, int], groups: Mapping[int, int]
) -> dict[int, float]:
    """Part of a kill for each of those that take part, by serial.

    `damage`: hits that each has taken from the dead. `levels`: all that take part: those that did damage, and
    members of their parties that are near enough. `groups`: the party of each that has one. A party has the
    part of the damage that its members did, by their levels.
    """
    whole = sum(amount for serial, amount in damage.items() if serial in levels)
    if not whole:
        return {}
    parts: dict[int, float] = {}
    by_group: dict[int, float] = {}
    for serial, amount in damage.items():
        group = groups.get(serial)
        if serial in levels and group is None:
            parts[serial] = amount / whole
        elif serial in levels and group is not None:
            by_group[group] = by_group.get(group, 0.0) + amount / whole
    for group, part in by_group.items():
        members = [serial for serial in levels if groups.get(serial) == group]
        total = sum(levels[serial] for serial in members)
        for serial in members:
            parts[serial] = part * levels[serial] / total
    return parts


def party_factor(members: int, rule: GrowthRule) -> float:
    """Factor of the experience that a party shares, by the number of members that take part."""
    return 1 + rule.party_bonus * (members - 1)


def death_cost(experience: int, rule: GrowthRule) -> int:
    """Experience that a death costs: never a level."""
    level = level_of(experience, rule)
    least, following = least_experience(level, rule), least_experience(level + 1, rule)
    return max(0, min(round(rule.death_part * (following - least)), experience - least))


# Skills


def skill_cap(level: int, rule: GrowthRule) -> int:
    """Tenths to which use lifts a skill at that level."""
    return round(10 * min(100.0, rule.cap_least + rule.cap_gain * level / rule.highest_level))


def gain_chance(value: int, cap: int, rule: GrowthRule) -> float:
    """Chance that a use adds a tenth; 0 at the cap."""
    if value >= cap:
        return 0.0
    return max(rule.gain_least, rule.gain_chance * (cap - value) / cap)


def teaches(value: int, difficulty: float, rule: GrowthRule) -> bool:
    """Whether a use of that difficulty, in points, is about as hard as oneself. What is harder teaches, too,
    as far as it can be done at all; what is trivial does not."""
    return difficulty >= value / 10 - rule.near
