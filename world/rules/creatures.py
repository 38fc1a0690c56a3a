"""Creatures by level: what one has whose kind says nothing else. (PLAY, section 5)"""

from __future__ import annotations

BOSS_HITS = 10
BOSS_DAMAGE = 2
"""How many times as many hits and as much damage a boss has."""

SWING_MS = 2000
SPREAD = 0.25
"""The roll of its damage is so far around the mean."""


def hits(level: int, *, boss: bool = False) -> int:
    """Hits of a creature."""
    return round((15 + 2.5 * level) * (BOSS_HITS if boss else 1))


def skill(level: int) -> float:
    """Skill with which it attacks and defends itself, in points."""
    return min(100.0, 20 + 1.3 * level)


def damage(level: int, *, boss: bool = False) -> tuple[int, int]:
    """Least and greatest roll of its damage."""
    mean = (1 + 1.2 * level) * (BOSS_DAMAGE if boss else 1)
    return max(1, round(mean * (1 - SPREAD))), max(1, round(mean * (1 + SPREAD)))


def armour(level: int) -> int:
    """Armour of its hide."""
    return round(0.7 * level)


def weapon_damage(level: int) -> tuple[int, int]:
    """Least and greatest roll of a one-handed weapon for that level."""
    mean = 5 + 0.35 * level
    return round(mean * (1 - SPREAD)), round(mean * (1 + SPREAD))


def most_armour(level: int) -> float:
    """Armour that all one wears at a level comes to, at most."""
    return 5 + 0.7 * level
