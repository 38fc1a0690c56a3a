"""Numbers of somebody as this game shows them: status bars, attributes and their locks, skills, and the title
that they make.

Ultima Online has no levels. There they are part of the title on the paperdoll, they set the caps of the
skills, and a line of words says when one is reached. Of the attributes it has strength, dexterity and
intelligence; skills are the world's own tenths.
"""

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
    StatusCompact,
    StatusHs,
    StatusMl,
)
from protocol.uo.versions import Status, UoVersion
from world import arms, guild_rolls, holding
from world.learning import ATTRIBUTE_MOST
from world.parts import Learner, Lock
from world.rules import growth
from world.skills import ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from world.mobile import Mobile

HITS_SCALE: Final = 100
"""Others see hits as so many parts of the whole. ModernUO and Sphere have 100, ServUO 25
(Server/Mobile.cs, AttributeNormalizer)."""

STATS: Final = dict(enumerate(ATTRIBUTES))
"""By their numbers in 0xBF 0x1A."""

STAT_CAP: Final = len(STATS) * ATTRIBUTE_MOST
MOST_FOLLOWERS: Final = 5
HUMAN: Final = 1

_MOST: Final = 0xFFFF

PROFESSIONS: Final[Mapping[str, str]] = {
    "swords": "Swordsman",
    "maces": "Armsman",
    "daggers": "Fencer",
    "staves": "Staff Fighter",
    "bows": "Archer",
    "unarmed": "Wrestler",
    "tactics": "Tactician",
    "parry": "Duelist",
    "magery": "Mage",
    "resistance": "Warder",
    "healing": "Healer",
    "anatomy": "Biologist",
    "hiding": "Shade",
    "stealth": "Rogue",
    "taming": "Tamer",
    "cooking": "Chef",
    "fishing": "Fisherman",
    "mining": "Miner",
    "woodcutting": "Lumberjack",
    "smithing": "Blacksmith",
    "tailoring": "Tailor",
    "carpentry": "Carpenter",
    "alchemy": "Alchemist",
    "music": "Bard",
}
"""What the best skill makes of somebody: ServUO, Server/Skills.cs; but for staves, which that has not."""

RANKS: Final = (
    *("Neophyte", "Novice", "Apprentice", "Journeyman"),
    *("Expert", "Adept", "Master", "Grandmaster"),
)
FIRST_RANK, RANK = 300, 100
"""The ranks of a skill, from 30.0 on one for each ten points: ServUO, Scripts/Misc/Titles.cs."""

LONGEST_TITLE: Final = 59
"""Characters of 0x88 that a NUL still follows."""


# Status


def scaled_hits(mobile: Mobile) -> int:
    """Hits as others see them: 0 only for those who have none."""
    if mobile.hits <= 0 or mobile.hits_max <= 0:
        return 0
    return max(1, min(HITS_SCALE, mobile.hits * HITS_SCALE // mobile.hits_max))


def compact_status(mobile: Mobile) -> StatusCompact:
    """0x11 as others see it."""
    return StatusCompact(mobile.serial, mobile.name, scaled_hits(mobile), HITS_SCALE, False)


def full_status(mobile: Mobile, version: UoVersion) -> StatusAos | StatusMl | StatusHs:
    """0x11 as the player sees it."""
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
    least, most_damage = (min(amount, _MOST) for amount in arms.damage_of(mobile))
    tail = (STAT_CAP, 0, MOST_FOLLOWERS, *resistances_and_luck, least, most_damage, 0)
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
    return _changed(mobile, mobile.learner.skills if mobile.learner is not None else (), count)


def skills_capped(mobile: Mobile, count: int) -> list[SkillChanged]:
    """Each skill that the world has, as far as a client knows it: a level changes the caps of all."""
    return _changed(mobile, SKILL_NUMBERS, count)


def _changed(mobile: Mobile, names: Iterable[str], count: int) -> list[SkillChanged]:
    numbers = (SKILL_NUMBERS.get(name, count) for name in names)
    return [skill_changed(mobile, number) for number in numbers if number < count]


def is_listed(skill: str, count: int) -> bool:
    """Whether a client that knows so many skills has that one."""
    return SKILL_NUMBERS.get(skill, count) < count


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
    value = min(skill.value, _MOST) if skill is not None else 0
    cap = growth.skill_cap(arms.level_of(mobile), mobile.world.content.growth)
    return value, value, skill.lock if skill is not None else Lock.UP, cap


def chosen_skills(pairs: bytes) -> dict[str, float]:
    """Skills and points of the form for a new character (number and points by turns, a byte each), as far as
    the world has them."""
    return {
        SKILL_NAMES[number]: float(points)
        for number, points in zip(pairs[::2], pairs[1::2], strict=True)
        if number in SKILL_NAMES and points
    }


# Titles


def titled(mobile: Mobile) -> str:
    """Name and title as the paperdoll shows them: "Ysolde the healer"; of a player what its best skill makes
    of it, its level, and what it is in its guild: "Alric the Novice Swordsman, level 3, officer [WV]". What
    finds no room there is its title."""
    if not mobile.is_character:
        return full_name(mobile)
    rest = f", level {arms.level_of(mobile)}"
    if mobile.guild is not None:
        rest += f", {guild_rolls.title_of(mobile)} [{mobile.guild.tag}]"
    name = full_name(mobile) if mobile.title else _professional(mobile)
    return (name if len(name) + len(rest) <= LONGEST_TITLE else mobile.name) + rest


def full_name(mobile: Mobile) -> str:
    """Name and title: "Ysolde the healer"."""
    return f"{mobile.name} {mobile.title}" if mobile.title else mobile.name


def _professional(mobile: Mobile) -> str:
    skills = mobile.learner.skills if mobile.learner is not None else {}
    best = max(
        (name for name in PROFESSIONS if name in skills), key=lambda name: skills[name].value, default=""
    )
    if not best or skills[best].value < FIRST_RANK:
        return mobile.name
    rank = min(len(RANKS) - 1, (skills[best].value - FIRST_RANK) // RANK)
    return f"{mobile.name} the {RANKS[rank]} {PROFESSIONS[best]}"


def profile(mobile: Mobile, reader: Mobile) -> str:
    """Words that stand below somebody's profile: its guild, and what its own player's windows do not
    show."""
    lines = []
    if mobile.guild is not None:
        rank = guild_rolls.title_of(mobile).capitalize()
        lines.append(f"{rank} of the guild {mobile.guild.name} [{mobile.guild.tag}].")
    if mobile is reader:
        lines.append(in_words(mobile))
    return " ".join(lines)


def in_words(mobile: Mobile) -> str:
    """Say in a line what the status window does not show of a player."""
    points = mobile.learner.points if mobile.learner is not None else 0
    more = f" You have {points} point{'' if points == 1 else 's'} to spend." if points else ""
    level, vitality = arms.level_of(mobile), mobile.vitality
    return f"You are of level {level} ({mobile.experience} experience); your vitality is {vitality}.{more}"
