"""One's own sheet: the world's numbers as this game's client understands them.

The client draws the bar of experience from a table of its own, so the part of the level that somebody has
come is what is kept, not the number. Its animations of blows have the pace that it is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import arms
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
"""The number at which the client's animation of a blow has its own speed (recorded: 1.5253 times that speed
at 416)."""


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
    """Worth of its blow before skill and armour: the middle of what its weapon does."""
    weapon = arms.weapon_of(mobile)
    return max(1, round((weapon.least + weapon.most) / 2))
