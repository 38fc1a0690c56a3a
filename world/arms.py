"""Arms of a mobile: what it strikes with, what protects it, and its skill with both.

Characters have skills and worn things, creatures the numbers of their kind (`world.content.Creature`). Rules
of a fight ask here and do not care which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from world.content import Weapon
from world.item import Layer
from world.rules.combat import Manner, damage, swing_ms

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile

HANDS = (Layer.TWO_HANDED, Layer.ONE_HANDED)


def weapon_item(mobile: Mobile) -> Item | None:
    """The weapon in a mobile's hands; None if it strikes with what nature gave it."""
    for layer in HANDS:
        item = mobile.worn.get(layer)
        if item is not None and item.template.weapon is not None:
            return item
    return None


def weapon_of(mobile: Mobile) -> Weapon:
    """Weapon with which a mobile strikes: the one in its hands, a creature's own, or fists."""
    item = weapon_item(mobile)
    if item is not None and item.template.weapon is not None:
        return item.template.weapon
    kind = mobile.template.fights
    if kind is not None:
        return Weapon("unarmed", kind.least, kind.most, kind.swing_ms, kind.manner)
    rule = mobile.world.content.combat
    return Weapon("unarmed", rule.fist_least, rule.fist_most, rule.fist_ms, Manner.FIST)


def ammunition_of(mobile: Mobile) -> Item | None:
    """A stack of what its weapon shoots, of all that it carries; None if it shoots nothing, or has none."""
    kind, pack = weapon_of(mobile).ammunition, mobile.backpack
    if not kind or pack is None:
        return None
    return next((item for item in pack.contents.values() if item.template.key == kind), None)


def is_two_handed(mobile: Mobile) -> bool:
    """Whether it strikes with both hands."""
    item = weapon_item(mobile)
    return item is not None and item.layer == Layer.TWO_HANDED


def has_shield(mobile: Mobile) -> bool:
    """Whether it holds something that blocks blows."""
    item = mobile.worn.get(Layer.TWO_HANDED)
    return item is not None and item.template.shield


def damage_of(mobile: Mobile) -> tuple[int, int]:
    """The least and the most that a plain blow of it takes from who wears nothing and faces it."""
    weapon, rule = weapon_of(mobile), mobile.world.content.combat
    strength, tactics = (mobile.strength, points(mobile, "tactics")) if mobile.is_character else (0, 0.0)
    least, most = (
        damage(roll, strength=strength, tactics=tactics, armour=0, rule=rule)
        for roll in (weapon.least, weapon.most)
    )
    return least, most


def armour_of(mobile: Mobile) -> int:
    """Armour of all that it wears, or of its hide."""
    kind = mobile.template.fights
    return (kind.armour if kind is not None else 0) + sum(
        item.template.armour for item in mobile.worn.values()
    )


def points(mobile: Mobile, skill: str) -> float:
    """Skill of a mobile in points, 0..100; a creature's is that of its kind whatever it does."""
    kind = mobile.template.fights
    if kind is not None:
        return kind.skill
    known = mobile.learner.skills.get(skill) if mobile.learner is not None else None
    return known.value / 10 if known is not None else 0.0


def level_of(mobile: Mobile) -> int:
    """Level of a character or a creature, at least 1."""
    kind = mobile.template.fights
    return kind.level if kind is not None else max(1, mobile.level)


def blow_ms(mobile: Mobile) -> int:
    """Milliseconds from one blow of it to the next, as it is armed and as tired as it is now."""
    kind, item, rule = mobile.template.fights, weapon_item(mobile), mobile.world.content.combat
    weapon = item.template.weapon if item is not None else None
    if kind is not None and weapon is None:
        return kind.swing_ms
    tired = mobile.stam <= 0 and mobile.is_character
    return swing_ms(weapon.ms if weapon is not None else rule.fist_ms, mobile.dexterity, rule, tired=tired)
