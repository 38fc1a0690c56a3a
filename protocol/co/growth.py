"""Experience within a level and points to spend: the growth of a character in this game's numbers.

The world's experience is one number; the client wants what was gained since the level began, and draws its
bar by a table of its own (ini/LevelExp.dat). So it is told the same part of that table's number.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from world.rules import growth

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.rules.numbers import GrowthRule

_FIRST: Final = (120, 180, 240, 360, 600, 960, 1200, 2400, 3600, 8400, 12000, 14400)
_FAR, _FAR_NEED = 101, 69_537_026
MOST_POINTS: Final = 0xFFFF


def need(level: int) -> int:
    """Experience for the way from a level to the next, by the notes on public servers. They say it of levels
    1 to 12 and 101; in between it grows by the same factor every level."""
    known = len(_FIRST)
    if level <= known:
        return _FIRST[max(1, level) - 1]
    last = _FIRST[-1]
    part = (min(level, _FAR) - known) / (_FAR - known)
    return round(last * math.pow(_FAR_NEED / last, part))


def experience(mobile: Mobile) -> int:
    """Experience of a mobile within its level, as the client counts it: below `need`."""
    return within_level(mobile.experience, mobile.world.content.growth)


def within_level(whole: int, rule: GrowthRule) -> int:
    """Experience since the level began, as the client counts it, for all of it as the world does."""
    return int(growth.part_of_level(whole, rule) * need(growth.level_of(whole, rule)))


def points(mobile: Mobile) -> int:
    """The points that a mobile may spend."""
    return 0 if mobile.learner is None else max(0, min(mobile.learner.points, MOST_POINTS))
