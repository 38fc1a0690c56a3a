"""One blow: whether it hits, how hard, and when the next may come. (PLAY, section 3)

Skills are points, 0..100. Chances are 0..1 and compared with a throw that the caller makes, so that a test
can say what the dice do. A blow is `throw` first, then `block`, then `damage`: a miss costs no more dice than
it needs, and a shield is asked only about blows that would hit.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from world.heading import OFFSETS

if TYPE_CHECKING:
    from world.rules.numbers import CombatRule


class Side(enum.Enum):
    """From where a blow comes, as the struck one faces."""

    FRONT = "front"
    SIDE = "side"
    BEHIND = "behind"


class Outcome(enum.Enum):
    """Result of a blow."""

    HIT = "hit"
    CRITICAL = "critical hit"
    BLOCKED = "blocked by a shield"
    MISSED = "missed"


class Manner(enum.Enum):
    """Way in which a blow is struck, which is what clients have pictures of."""

    FIST = "fist"
    SLASH = "slash"
    PIERCE = "pierce"
    BASH = "bash"
    SHOOT = "shoot"
    BITE = "bite"


def hit_chance(attack: float, defence: float, rule: CombatRule) -> float:
    """Chance that a blow hits, by the skills of both."""
    chance = rule.hit_factor * (attack + rule.skill_offset) / (defence + rule.skill_offset)
    return min(rule.most_chance, max(rule.least_chance, chance))


def block_chance(parry: float, rule: CombatRule) -> float:
    """Chance that a shield takes a blow that would hit."""
    return parry / rule.parry_divisor


def side_of(dx: int, dy: int, heading: int) -> Side:
    """From where a blow comes if the attacker stands (dx, dy) from the struck one, who faces `heading`. On
    its own tile one is struck in front."""
    ahead_x, ahead_y = OFFSETS[heading]
    along = dx * ahead_x + dy * ahead_y
    across = abs(dx * ahead_y - dy * ahead_x)
    if (dx, dy) == (0, 0) or (along > 0 and along >= across):
        return Side.FRONT
    return Side.BEHIND if along < 0 and -along >= across else Side.SIDE


def force(strength: int, tactics: float, rule: CombatRule) -> float:
    """Factor by which strength and skill in tactics make blows harder."""
    return 1 + rule.strength_bonus * strength + rule.tactics_bonus * tactics


def damage(
    roll: float,
    *,
    strength: int,
    tactics: float,
    armour: float,
    side: Side = Side.FRONT,
    critical: bool = False,
    rule: CombatRule,
) -> int:
    """Hits that a blow takes, at least 1. `roll`: of the weapon's own range; `armour`: of the struck one."""
    amount = roll * force(strength, tactics, rule)
    if side is not Side.FRONT:
        amount *= rule.side_factor if side is Side.SIDE else rule.behind_factor
    if critical:
        amount *= rule.critical_factor
    return max(1, round(amount * rule.armour_divisor / (rule.armour_divisor + armour)))


def swing_ms(weapon_ms: int, dexterity: int, rule: CombatRule, *, tired: bool = False) -> int:
    """Milliseconds from one blow to the next; without stamina longer than the slowest otherwise."""
    quick = weapon_ms * (1 - min(rule.most_haste, dexterity / rule.dexterity_divisor))
    ms = min(rule.slowest_ms, max(rule.quickest_ms, round(quick)))
    return round(ms * rule.tired_factor) if tired else ms
