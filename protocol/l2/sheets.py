"""One's own sheet: the world's numbers as this game's client understands them.

The client draws the bar of experience from a table of its own, so the part of the level that somebody has
come is what is kept, not the number. Its animations of blows have the pace that it is told.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, Final

import attrs

from protocol.l2.packets import Attribute, StatusEntry, StatusUpdate
from world import arms, holding
from world.delta import MobileDelta
from world.rules.combat import force
from world.rules.growth import part_of_level

if TYPE_CHECKING:
    from world.mobile import Mobile

LOWEST_LEVEL, HIGHEST_LEVEL = 1, 80
"""Levels that a client of Interlude knows (L2JMobius/L2Jmobius_Interlude: stats/experience.xml)."""

# fmt: off
EXPERIENCE: Final = (
    0, 68, 363, 1_168, 2_884, 6_038, 11_287, 19_423, 31_378, 48_229,
    71_201, 101_676, 141_192, 191_452, 254_327, 331_864, 426_284, 539_995, 675_590, 835_854,
    1_023_775, 1_242_536, 1_495_531, 1_786_365, 2_118_860, 2_497_059, 2_925_229, 3_407_873, 3_949_727,
    4_555_766, 5_231_213, 5_981_539, 6_812_472, 7_729_999, 8_740_372, 9_850_111, 11_066_012, 12_395_149,
    13_844_879, 15_422_851, 17_137_002, 18_995_573, 21_007_103, 23_180_442, 25_524_751, 28_049_509,
    30_764_519, 33_679_907, 36_806_133, 40_153_995, 45_524_865, 51_262_204, 57_383_682, 63_907_585,
    70_852_742, 80_700_339, 91_162_131, 102_265_326, 114_038_008, 126_509_030, 146_307_211, 167_243_291,
    189_363_788, 212_716_741, 237_351_413, 271_973_532, 308_441_375, 346_825_235, 387_197_529, 429_632_402,
    474_205_751, 532_692_055, 606_319_094, 696_376_867, 804_219_972, 931_275_828, 1_151_275_834,
    1_511_275_834, 2_099_275_834, 4_200_000_000, 6_300_000_000,
)
# fmt: on
"""What the client takes for the least of each level, from 1 to one more than the highest (the same file)."""

PACE: Final = 500_000
"""Milliseconds from blow to blow times the number that the client is told of them."""
NATURAL_PACE: Final = 300 / 1.1
"""The number at which the client's animation of a character's blow has its own speed (recorded: 1.5253 times
that speed at 416)."""
NPC_NATURAL_PACE: Final = 277.478340719
"""The same of an NPC (recorded: 1.00188 times that speed at 278)."""

MOST_AMISS: Final = 0.001
"""Part by which the slower speed may be amiss."""


def level(number: int) -> int:
    """A level that the client knows."""
    return max(LOWEST_LEVEL, min(HIGHEST_LEVEL, number))


def attribute(value: int) -> int:
    """One of the world's attributes as this game's sheet shows it: its classes begin with 20 to 45."""
    return 20 + value // 3


NEWCOMER: Final = attribute(10)
"""What every class begins with here: what one chooses at creation changes no attributes."""


def experience_at(number: int, part: float) -> int:
    """Experience that the client draws as this level and such a part of the way to the next, 0 to below 1."""
    reached = level(number)
    least, following = EXPERIENCE[reached - 1], EXPERIENCE[reached]
    return min(following - 1, least + int(part * (following - least)))


def experience(mobile: Mobile) -> int:
    """Experience of a character in the client's own measure."""
    return experience_at(mobile.level, part_of_level(mobile.experience, mobile.world.content.growth))


def pace(ms: int) -> int:
    """Number that tells the client how many milliseconds lie between two blows."""
    return round(PACE / max(1, ms))


def pace_of(mobile: Mobile) -> int:
    """The same of a mobile, as it is armed now."""
    return pace(arms.blow_ms(mobile))


def blow_points(mobile: Mobile) -> int:
    """Worth of its blow before armour: the middle of what its weapon does in its hands."""
    weapon = arms.weapon_of(mobile)
    middle = (weapon.least + weapon.most) / 2
    if mobile.is_character:
        rule = mobile.world.content.combat
        middle *= force(mobile.strength, arms.points(mobile, "tactics"), rule)
    return max(1, round(middle))


def skill_points(mobile: Mobile) -> int:
    """Its accuracy, which is its evasion, too: the world has one skill for striking and not being struck."""
    return round(arms.points(mobile, arms.weapon_of(mobile).skill))


def armour_points(mobile: Mobile) -> int:
    """Worth of what protects it."""
    return max(1, arms.armour_of(mobile))


@attrs.frozen
class Speeds:
    """Units a second before the multiplier, and that."""

    run: int
    walk: int
    multiplier: float


@lru_cache(256)
def speeds(run: float, walk: float) -> Speeds:
    """Speeds as a client is told them, who has whole numbers and a factor for both: the nearest to 1 with
    which they come out as they are, as the client must not be elsewhere after a long way."""
    tries = []
    least = max(1, ceil(run * 0.9))
    for base in range(least, max(least, int(run * 1.1)) + 1):
        factor = run / base
        slow = max(1, round(walk / factor))
        amiss = abs(slow * factor / walk - 1)
        tries.append((amiss > MOST_AMISS, abs(factor - 1) if amiss <= MOST_AMISS else amiss, base, slow))
    _, _, base, slow = min(tries)
    return Speeds(base, slow, run / base)


# What changes of it


def status(mobile: Mobile, flags: int, *, own: bool) -> StatusUpdate:
    """Tell what of the bars, the load and the skills changed (flags of `world.delta`), in points."""
    numbers: list[tuple[Attribute, int]] = []
    if flags & MobileDelta.HITS:
        numbers += (Attribute.HP, mobile.hits), (Attribute.MAX_HP, mobile.hits_max)
    if own and flags & MobileDelta.MANA:
        numbers += (Attribute.MP, mobile.mana), (Attribute.MAX_MP, mobile.mana_max)
    if own and flags & MobileDelta.STAM:
        numbers += (Attribute.CP, mobile.stam), (Attribute.MAX_CP, mobile.stam_max)
    if own and flags & MobileDelta.WEIGHT:
        numbers += (Attribute.LOAD, holding.weight(mobile)), (Attribute.MAX_LOAD, holding.capacity(mobile))
    if own and flags & MobileDelta.SKILLS:
        skill = skill_points(mobile)
        numbers += (Attribute.P_ATK, blow_points(mobile)), (Attribute.P_DEF, armour_points(mobile))
        numbers += (Attribute.EVASION, skill), (Attribute.ACCURACY, skill)
    return StatusUpdate(mobile.serial, tuple(StatusEntry(name, max(0, value)) for name, value in numbers))


def haste(mobile: Mobile) -> StatusUpdate:
    """Tell how fast its blows are by now, for all who draw them."""
    return StatusUpdate(mobile.serial, (StatusEntry(Attribute.ATK_SPD, pace_of(mobile)),))
