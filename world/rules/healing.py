"""Dressing of wounds: how long a bandage takes, whether it helps, and how much. (PLAY, section 6)

Skills are points, 0..100. Chances are 0..1 and compared with a throw that the caller makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from world.rules.numbers import HealingRule


def seconds(dexterity: int, rule: HealingRule) -> float:
    """Seconds that a bandage takes."""
    return max(rule.quickest_seconds, rule.slowest_seconds - dexterity / rule.dexterity_divisor)


def chance(healing: float, rule: HealingRule) -> float:
    """Chance that wounds close."""
    return min(1.0, rule.least_chance + healing / rule.chance_divisor)


def cure_chance(healing: float, rule: HealingRule) -> float:
    """Chance that poison is washed out."""
    return min(1.0, healing / rule.cure_divisor)


def hits(base: int, healing: float, anatomy: float, luck: float, rule: HealingRule) -> int:
    """Hits that a bandage gives back, at least 1; `base` are those of the bandage, `luck` is 0..1."""
    whole = base + rule.healing_hits * healing + rule.anatomy_hits * anatomy
    return max(1, round(whole * (1 - rule.spread + 2 * rule.spread * luck)))


def can_raise(healing: float, anatomy: float, rule: HealingRule) -> bool:
    """Whether somebody knows enough to raise the dead."""
    return min(healing, anatomy) >= rule.raising_skill


def raise_chance(healing: float, rule: HealingRule) -> float:
    """Chance that the dead is raised, of somebody who knows enough."""
    return min(1.0, rule.raising_chance + (healing - rule.raising_skill) / rule.raising_divisor)
