"""Learning: experience, levels, points to spend, and skills that grow by use. (PLAY, sections 2 and 3)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import arms
from world.audience import in_sight, one
from world.events import Advanced, Gained, Practised
from world.heading import apart
from world.parts import Lock
from world.party_events import PartyShared, Share
from world.reach import Cannot, Refusal
from world.rules import growth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.mobile import Mobile

ATTRIBUTE_LEAST: Final = 10
ATTRIBUTE_MOST: Final = 125
"""What strength, dexterity, intelligence and vitality may be."""

SPENDABLE: Final = ("strength", "dexterity", "intelligence", "vitality")
"""Attributes on which points are spent."""


def measure(mobile: Mobile) -> None:
    """Set the most hits, mana and stamina of a character by its attributes and level; what it has of them
    stays, as far as it fits."""
    if not mobile.is_character:
        return
    mobile.hits_max = growth.hits_max(mobile.strength, mobile.vitality, mobile.level)
    mobile.mana_max = growth.mana_max(mobile.intelligence, mobile.level)
    mobile.stam_max = growth.stamina_max(mobile.dexterity)
    mobile.hits = min(mobile.hits, mobile.hits_max)
    mobile.mana = min(mobile.mana, mobile.mana_max)
    mobile.stam = min(mobile.stam, mobile.stam_max)


# Experience


def gain(mobile: Mobile, experience: int, of: Mobile | None = None) -> None:
    """Give a character experience, and the levels it reaches by that; `of`: whose death gave it."""
    if experience <= 0 or mobile.learner is None:
        return
    rule = mobile.world.content.growth
    before = mobile.level
    mobile.experience += experience
    mobile.world.events.append(Gained(mobile, experience, one(mobile), of))
    level = growth.level_of(mobile.experience, rule)
    if level > before:
        mobile.level = level
        mobile.learner.points += rule.points_per_level * (level - max(1, before))
        more = growth.hits_max(mobile.strength, mobile.vitality, level) - mobile.hits_max
        measure(mobile)
        if not mobile.dead:
            mobile.hits = min(mobile.hits_max, mobile.hits + max(0, more))
        mobile.world.events.append(Advanced(mobile, level, in_sight(mobile)))


def lose_by_death(mobile: Mobile) -> int:
    """Take from a character the experience that its death costs, never a level; returns how much."""
    if mobile.learner is None:
        return 0
    cost = growth.death_cost(mobile.experience, mobile.world.content.growth)
    if cost:
        mobile.experience -= cost
        mobile.world.events.append(Gained(mobile, -cost, one(mobile)))
    return cost


def reward(dead: Mobile, damage: Mapping[int, int]) -> None:
    """Give experience to those who killed a creature: by the hits that each took from it, in a party by level
    to all members near enough that somebody plays."""
    kind = dead.template.fights
    if kind is None:
        return
    world, rule = dead.world, dead.world.content.growth
    fighters = {serial: world.mobiles.get(serial) for serial in damage}
    able = {serial: who for serial, who in fighters.items() if who is not None and who.is_character}
    groups: dict[int, int] = {}
    for who in list(able.values()):
        if who.party is None:
            continue
        for serial in who.party.members:
            member = world.mobiles.get(serial)
            if member is None or member.dead or member.realm is not dead.realm:
                continue
            if not member.online and serial not in damage:
                continue
            if apart(member, dead) <= rule.party_tiles:
                able[serial] = member
                groups[serial] = id(who.party)
    levels = {serial: arms.level_of(who) for serial, who in able.items() if not who.dead}
    parts = growth.shares(damage, levels, groups)
    gained: dict[int, list[Share]] = {}
    sizes = {group: sum(1 for s in parts if groups.get(s) == group) for group in set(groups.values())}
    for serial, part in parts.items():
        amount = growth.kill_experience(kind.level, levels[serial], rule) * part
        if serial in groups:
            amount *= growth.party_factor(sizes[groups[serial]], rule)
        who, amount = able[serial], max(1, round(amount))
        gain(who, amount, dead)
        if serial in groups:
            risen = who.level if who.level > levels[serial] else 0
            gained.setdefault(groups[serial], []).append(Share(serial, who.name, amount, risen))
        if who.slew is not None:
            who.slew(dead)
    for of_party in gained.values():
        for share in of_party if len(of_party) > 1 else ():
            member = able[share.serial]
            world.events.append(PartyShared(member, dead, tuple(of_party), one(member)))


def spend(mobile: Mobile, attribute: str, points: int = 1) -> None:
    """Spend points on an attribute. Raises Cannot: UNKNOWN attribute; AMOUNT if there are not so many points,
    or the attribute would be above its most."""
    spend_all(mobile, {attribute: points})


def spend_all(mobile: Mobile, wanted: Mapping[str, int]) -> None:
    """Spend points on several attributes, all of it or nothing. Raises Cannot as `spend`."""
    if not wanted.keys() <= set(SPENDABLE) or mobile.learner is None or mobile.fighter is None:
        raise Cannot(Refusal.UNKNOWN, "That is no attribute.")
    points = sum(wanted.values())
    if min(wanted.values(), default=0) <= 0 or points > mobile.learner.points:
        raise Cannot(Refusal.AMOUNT, f"You have {mobile.learner.points} points to spend.")
    for attribute, amount in wanted.items():
        if getattr(mobile, attribute) + amount > ATTRIBUTE_MOST:
            raise Cannot(Refusal.AMOUNT, f"Your {attribute} cannot be above {ATTRIBUTE_MOST}.")
    mobile.learner.points -= points
    for attribute, amount in wanted.items():
        setattr(mobile, attribute, getattr(mobile, attribute) + amount)
    measure(mobile)


# Skills


def practise(mobile: Mobile, skill: str, difficulty: float) -> bool:
    """Use a skill for something that difficult, in points; returns whether it grew by a tenth of a point."""
    learner = mobile.learner
    if learner is None or not mobile.is_character:
        return False
    known = learner.skills.get(skill)
    value, lock = (known.value, known.lock) if known is not None else (0, Lock.UP)
    rule = mobile.world.content.growth
    if lock != Lock.UP or not growth.teaches(value, difficulty, rule):
        return False
    chance = growth.gain_chance(value, growth.skill_cap(max(1, mobile.level), rule), rule)
    if mobile.world.random.random() >= chance:
        return False
    learner.learn(skill, value + 1)
    mobile.world.events.append(Practised(mobile, skill, value + 1, one(mobile)))
    return True
