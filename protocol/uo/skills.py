"""Ultima Online's numbers of the world's skills and attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo.packets.status import Skill, SkillChanged, StatLocks
from world.parts import Learner, Lock
from world.skills import ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.mobile import Mobile

NUMBERS: Final[Mapping[str, int]] = {
    "alchemy": 0,
    "anatomy": 1,
    "parry": 5,
    "smithing": 7,
    "carpentry": 11,
    "cooking": 13,
    "healing": 17,
    "fishing": 18,
    "hiding": 21,
    "magery": 25,
    "resistance": 26,
    "tactics": 27,
    "music": 29,
    "bows": 31,
    "tailoring": 34,
    "taming": 35,
    "swords": 40,
    "maces": 41,
    "daggers": 42,
    "unarmed": 43,
    "woodcutting": 44,
    "mining": 45,
    "stealth": 47,
}
"""ServUO: Server/Skills.cs, SkillName. Fencing is what one does with daggers; it has no staves."""

ALL: Final = 58
"""Skills of the newest clients."""

USABLE: Final = frozenset(
    (1, 2, 3, 4, 6, 9, 14, 15, 16, 19, 21, 22, 23, 30, 32, 33, 35, 36, 38, 46, 47, 48, 56)
)
"""Numbers of the skills that one uses by themselves: those for which ServUO's Scripts/Skills have a callback.
The others one gets better at by doing something else."""

CAP: Final = 1000
"""How far a skill goes, in tenths."""

STATS: Final = dict(enumerate(ATTRIBUTES))
"""By their numbers in 0xBF 0x1A."""

NAMES: Final = {number: name for name, number in NUMBERS.items()}


def lines(mobile: Mobile, count: int) -> tuple[Skill, ...]:
    """The whole list, for a client that knows so many skills. What the world does not have is 0, and stays
    there: locked."""
    return tuple(Skill(number + 1, *_numbers(mobile, number)) for number in range(count))


def changed(mobile: Mobile, number: int) -> SkillChanged:
    """One skill as it is now."""
    return SkillChanged(number, *_numbers(mobile, number))


def learned(mobile: Mobile, count: int) -> list[SkillChanged]:
    """Each skill that somebody has begun to learn, or locked, as far as a client knows it."""
    names = mobile.learner.skills if mobile.learner is not None else ()
    return [changed(mobile, NUMBERS[name]) for name in names if NUMBERS.get(name, count) < count]


def stat_locks(mobile: Mobile) -> StatLocks:
    """Where attributes go."""
    learner = mobile.learner or Learner()
    locks = learner.strength_lock << 4 | learner.dexterity_lock << 2 | learner.intelligence_lock
    return StatLocks(mobile.serial, locks)


def _numbers(mobile: Mobile, number: int) -> tuple[int, int, int, int]:
    name = NAMES.get(number)
    if name is None:
        return 0, 0, Lock.FIXED, CAP
    skill = mobile.learner.skills.get(name) if mobile.learner is not None else None
    value = min(skill.value, 0xFFFF) if skill is not None else 0
    return value, value, skill.lock if skill is not None else Lock.UP, CAP


def chosen(pairs: bytes) -> dict[str, float]:
    """What the form for a new character chose, number and points by turns, as far as the world has it."""
    return {
        NAMES[number]: float(points)
        for number, points in zip(pairs[::2], pairs[1::2], strict=True)
        if number in NAMES and points
    }
