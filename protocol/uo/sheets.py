"""The player's own sheet as packets: status, attributes and their locks, skills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo.packets.status import (
    SKILL_CAP,
    SKILL_NAMES,
    SKILL_NUMBERS,
    Skill,
    SkillChanged,
    StatLocks,
    StatusAos,
    StatusHs,
    StatusMl,
)
from protocol.uo.versions import Status, UoVersion
from world import arms, holding
from world.learning import ATTRIBUTE_MOST
from world.parts import Learner, Lock
from world.skills import ATTRIBUTES

if TYPE_CHECKING:
    from world.events import Practised
    from world.mobile import Mobile

STATS: Final = dict(enumerate(ATTRIBUTES))
"""By their numbers in 0xBF 0x1A."""

STAT_CAP: Final = len(STATS) * ATTRIBUTE_MOST
MOST_FOLLOWERS: Final = 5
HUMAN: Final = 1

_MOST: Final = 0xFFFF


def full_status(mobile: Mobile, version: UoVersion) -> StatusAos | StatusMl | StatusHs:
    """0x11 as the player sees it."""
    weapon = arms.weapon_of(mobile)
    head = (
        mobile.serial,
        mobile.name,
        min(max(0, mobile.hits), _MOST),
        min(mobile.hits_max, _MOST),
        False,
        mobile.female,
        mobile.strength,
        mobile.dexterity,
        mobile.intelligence,
        min(max(0, mobile.stam), _MOST),
        min(mobile.stam_max, _MOST),
        min(max(0, mobile.mana), _MOST),
        min(mobile.mana_max, _MOST),
        holding.gold(mobile),
        min(arms.armour_of(mobile), _MOST),
        min(holding.weight(mobile), _MOST),
    )
    resistances_and_luck = (0, 0, 0, 0, 0)
    damage = min(weapon.least, _MOST), min(weapon.most, _MOST)
    tail = (STAT_CAP, 0, MOST_FOLLOWERS, *resistances_and_luck, *damage, 0)
    if version.status is Status.AOS:
        return StatusAos(*head, *tail)
    most = min(holding.capacity(mobile), _MOST)
    if version.status is Status.ML:
        return StatusMl(*head, most, HUMAN, *tail)
    return StatusHs(*head, most, HUMAN, *tail, bytes(10), bytes(20))


# Skills and attributes


def skill_lines(mobile: Mobile, count: int) -> tuple[Skill, ...]:
    """The whole list, for a client that knows so many skills. What the world does not have is 0, and stays
    there: locked."""
    return tuple(Skill(number + 1, *_skill(mobile, number)) for number in range(count))


def skill_changed(mobile: Mobile, number: int) -> SkillChanged:
    """One skill as it is now."""
    return SkillChanged(number, *_skill(mobile, number))


def skills_learned(mobile: Mobile, count: int) -> list[SkillChanged]:
    """Each skill that somebody has begun to learn, or locked, as far as a client knows it."""
    names = mobile.learner.skills if mobile.learner is not None else ()
    return [
        skill_changed(mobile, SKILL_NUMBERS[name]) for name in names if SKILL_NUMBERS.get(name, count) < count
    ]


def practised(event: Practised, count: int) -> SkillChanged | None:
    """The skill that grew; None if a client that knows so many skills does not know it."""
    number = SKILL_NUMBERS.get(event.skill, count)
    return skill_changed(event.thing, number) if number < count else None


def stat_locks(mobile: Mobile) -> StatLocks:
    """0xBF 0x19: whether the attributes may rise or fall."""
    learner = mobile.learner or Learner()
    locks = learner.strength_lock << 4 | learner.dexterity_lock << 2 | learner.intelligence_lock
    return StatLocks(mobile.serial, locks)


def _skill(mobile: Mobile, number: int) -> tuple[int, int, int, int]:
    name = SKILL_NAMES.get(number)
    if name is None:
        return 0, 0, Lock.FIXED, SKILL_CAP
    skill = mobile.learner.skills.get(name) if mobile.learner is not None else None
    value = min(skill.value, 0xFFFF) if skill is not None else 0
    return value, value, skill.lock if skill is not None else Lock.UP, SKILL_CAP


def chosen_skills(pairs: bytes) -> dict[str, float]:
    """Skills and points of the form for a new character (number and points by turns, a byte each), as far as
    the world has them."""
    return {
        SKILL_NAMES[number]: float(points)
        for number, points in zip(pairs[::2], pairs[1::2], strict=True)
        if number in SKILL_NAMES and points
    }
