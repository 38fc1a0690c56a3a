"""Numbers of a character that staff may set: the bounds of each, and what else changes with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from world import granting, holding, learning, recovery
from world.learning import ATTRIBUTE_LEAST, ATTRIBUTE_MOST
from world.reach import Cannot, Refusal
from world.rules import growth
from world.skills import SKILLS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from world.mobile import Mobile

MOST_EXPERIENCE: Final = 2**31 - 1
"""What every game and every database has room for."""


@attrs.frozen
class Field:
    """One number: how to read and write it, and its bounds; the upper one may depend on the mobile."""

    read: Callable[[Mobile], int]
    write: Callable[[Mobile, int], None]
    least: int
    most: Callable[[Mobile], int]
    living: bool = False
    """Whether ghosts have none of it."""


def put(mobile: Mobile, name: str, value: int) -> int:
    """Set a number of a mobile, and return the old value. Raises Cannot, with the reason in words: UNKNOWN
    field, AMOUNT out of bounds, DEAD."""
    field = FIELDS.get(name)
    if field is None:
        raise Cannot(Refusal.UNKNOWN, f"there is no field {name}; there are {', '.join(FIELDS)}")
    most = field.most(mobile)
    if not field.least <= value <= most:
        raise Cannot(Refusal.AMOUNT, f"{name} of {mobile.name} may be {field.least} to {most}, not {value}")
    if field.living and mobile.dead:
        raise Cannot(Refusal.DEAD, f"{mobile.name} is dead")
    before = field.read(mobile)
    field.write(mobile, value)
    return before


def put_skill(mobile: Mobile, name: str, tenths: int) -> tuple[int, int]:
    """Set a skill of a character, and return the old value and the new one. Raises Cannot, with the reason in
    words: UNKNOWN skill, AMOUNT above what its level allows."""
    if name not in SKILLS or mobile.learner is None:
        raise Cannot(Refusal.UNKNOWN, f"there is no skill {name}; there are {', '.join(SKILLS)}")
    cap = growth.skill_cap(max(1, mobile.level), mobile.world.content.growth)
    if not 0 <= tenths <= cap:
        most = f"{cap / 10:.1f} at level {mobile.level}"
        raise Cannot(Refusal.AMOUNT, f"{name} of {mobile.name} may be 0 to {most}, not {tenths / 10:.1f}")
    known = mobile.learner.skills.get(name)
    before = known.value if known is not None else 0
    mobile.learner.learn(name, tenths)
    return before, tenths


def _set_hits(mobile: Mobile, value: int) -> None:
    mobile.hits = value
    recovery.recover(mobile)


def _set_mana(mobile: Mobile, value: int) -> None:
    mobile.mana = value
    recovery.recover(mobile)


def _set_stamina(mobile: Mobile, value: int) -> None:
    mobile.stam = value
    recovery.recover(mobile)


def _set_level(mobile: Mobile, value: int) -> None:
    mobile.level, mobile.experience = value, growth.least_experience(value, mobile.world.content.growth)
    learning.measure(mobile)


def _set_experience(mobile: Mobile, value: int) -> None:
    mobile.level, mobile.experience = growth.level_of(value, mobile.world.content.growth), value
    learning.measure(mobile)


def _set_strength(mobile: Mobile, value: int) -> None:
    mobile.strength = value
    learning.measure(mobile)


def _set_dexterity(mobile: Mobile, value: int) -> None:
    mobile.dexterity = value
    learning.measure(mobile)


def _set_intelligence(mobile: Mobile, value: int) -> None:
    mobile.intelligence = value
    learning.measure(mobile)


def _set_vitality(mobile: Mobile, value: int) -> None:
    mobile.vitality = value
    learning.measure(mobile)


def _attribute(read: Callable[[Mobile], int], write: Callable[[Mobile, int], None]) -> Field:
    return Field(read, write, ATTRIBUTE_LEAST, lambda _: ATTRIBUTE_MOST)


FIELDS: Final[Mapping[str, Field]] = {
    "hits": Field(lambda m: m.hits, _set_hits, 1, lambda m: m.hits_max, living=True),
    "mana": Field(lambda m: m.mana, _set_mana, 0, lambda m: m.mana_max, living=True),
    "stamina": Field(lambda m: m.stam, _set_stamina, 0, lambda m: m.stam_max, living=True),
    "level": Field(lambda m: m.level, _set_level, 1, lambda m: m.world.content.growth.highest_level),
    "experience": Field(lambda m: m.experience, _set_experience, 0, lambda _: MOST_EXPERIENCE),
    "strength": _attribute(lambda m: m.strength, _set_strength),
    "dexterity": _attribute(lambda m: m.dexterity, _set_dexterity),
    "intelligence": _attribute(lambda m: m.intelligence, _set_intelligence),
    "vitality": _attribute(lambda m: m.vitality, _set_vitality),
    "gold": Field(holding.gold, granting.set_gold, 0, granting.most_gold),
}
"""All that can be set, by the names that commands use."""
