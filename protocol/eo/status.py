"""A character's status: attributes, points, weight, level and rank, as eolib's structures and numbers.

Numbers are capped where the game's clients are known to live with no more. What EO has no word for is
derived: its TP are mana, its SP stamina; of its six attributes two are the world's intelligence, and charisma
is what lies between that and dexterity. Class and karma are constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    AdminLevel,
    CharacterBaseStats,
    CharacterBaseStatsWelcome,
    CharacterIcon,
    CharacterSecondaryStats,
    CharacterStatsEquipmentChange,
    CharacterStatsUpdate,
    CharacterStatsWelcome,
    Gender,
    RecoverListServerPacket,
    RecoverPlayerServerPacket,
    StatId,
    Weight,
)

from protocol.eo.packets.base import INT_MAX
from world import arms, holding
from world.rules import combat

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.services import CharacterInfo
    from world.elsewhere import Person
    from world.mobile import Mobile

CLASS_ID: Final = 1
"""The one class in the class file: the world has skills instead."""

NEUTRAL_KARMA: Final = 1000

MOST_HP: Final = 64_000
MOST_LEVEL: Final = 250
MOST_WEIGHT: Final = 250
"""Caps the official client is known to live with."""

# eoweb takes a packet whose last byte is 126 + 1 for an unencrypted one, and several end with a weight.
_UNLUCKY_WEIGHT: Final = 126

_ADMIN_LEVELS: Final = (
    AdminLevel.Player,
    AdminLevel.LightGuide,
    AdminLevel.GameMaster,
    AdminLevel.GameMaster,
    AdminLevel.HighGameMaster,
    AdminLevel.HighGameMaster,
    AdminLevel.HighGameMaster,
)
"""By `world.mobile.Access`: what the client offers its player follows from this."""

ATTRIBUTES: Final[Mapping[StatId, str]] = {
    StatId.Str: "strength",
    StatId.Int: "intelligence",
    StatId.Wis: "intelligence",
    StatId.Agi: "dexterity",
    StatId.Con: "vitality",
    StatId.Cha: "intelligence",
}
"""The world's attribute that a point is spent on. (PLAY, section 4)"""

_NO_SECONDARY: Final = CharacterSecondaryStats(min_damage=0, max_damage=0, accuracy=0, evade=0, armor=0)


def admin_level(access: int) -> AdminLevel:
    """EO's level for one of `world.mobile.Access`."""
    return _ADMIN_LEVELS[min(access, len(_ADMIN_LEVELS) - 1)]


def icon(mobile: Mobile | Person) -> CharacterIcon:
    """The mark beside a name in lists: the rank, and whether somebody is in a party, if it is in this
    world."""
    rank, fellow = admin_level(mobile.access), getattr(mobile, "party", None) is not None
    if rank is AdminLevel.HighGameMaster:
        return CharacterIcon.HgmParty if fellow else CharacterIcon.Hgm
    if rank is not AdminLevel.Player:
        return CharacterIcon.GmParty if fellow else CharacterIcon.Gm
    return CharacterIcon.Party if fellow else CharacterIcon.Player


def most_weight(mobile: Mobile) -> int:
    """The weight a mobile can carry, as far as EO can show it."""
    return _stones(holding.capacity(mobile))


def weight(mobile: Mobile) -> Weight:
    """The weight a mobile carries and the most it could."""
    return Weight(current=_stones(holding.weight(mobile)), max=most_weight(mobile))


def _stones(weight: int) -> int:
    weight = min(weight, MOST_WEIGHT)
    return weight + 1 if weight == _UNLUCKY_WEIGHT else weight


def stats_update(mobile: Mobile) -> CharacterStatsUpdate:
    """A mobile's attributes as they are now."""
    return CharacterStatsUpdate(
        base_stats=_base_stats(mobile),
        max_hp=points(mobile.hits_max),
        max_tp=points(mobile.mana_max),
        max_sp=points(mobile.stam_max),
        max_weight=most_weight(mobile),
        secondary_stats=secondary(mobile),
    )


def recover_player(mobile: Mobile) -> RecoverPlayerServerPacket:
    """One's own bars."""
    return RecoverPlayerServerPacket(hp=points(mobile.hits), tp=points(mobile.mana))


def recover_list(mobile: Mobile) -> RecoverListServerPacket:
    """One's own attributes."""
    return RecoverListServerPacket(class_id=CLASS_ID, stats=stats_update(mobile))


def equipment_stats(mobile: Mobile) -> CharacterStatsEquipmentChange:
    """The numbers that change with a mobile's arms and clothes."""
    return CharacterStatsEquipmentChange(
        max_hp=points(mobile.hits_max),
        max_tp=points(mobile.mana_max),
        base_stats=_base_stats(mobile),
        secondary_stats=secondary(mobile),
    )


def _base_stats(mobile: Mobile) -> CharacterBaseStats:
    return CharacterBaseStats(
        str=points(mobile.strength),
        intl=points(mobile.intelligence),
        wis=points(mobile.intelligence),
        agi=points(mobile.dexterity),
        con=points(mobile.vitality),
        cha=_charisma(mobile),
    )


def _charisma(mobile: Mobile) -> int:
    return points((mobile.dexterity + mobile.intelligence) // 2)


def secondary(mobile: Mobile) -> CharacterSecondaryStats:
    """Damage of a blow against who wears nothing, skill with what is in the hands, armour of all that is
    worn."""
    weapon, rule = arms.weapon_of(mobile), mobile.world.content.combat
    skill = points(round(arms.points(mobile, weapon.skill)))
    tactics = arms.points(mobile, "tactics")
    least, most = (
        combat.damage(roll, strength=mobile.strength, tactics=tactics, armour=0, rule=rule)
        for roll in (weapon.least, weapon.most)
    )
    return CharacterSecondaryStats(
        min_damage=points(least),
        max_damage=points(most),
        accuracy=skill,
        evade=skill,
        armor=points(arms.armour_of(mobile)),
    )


def welcome_stats(info: CharacterInfo) -> CharacterStatsWelcome:
    """The sheet of a character that is chosen but not in the world yet.

    No number may be 0 of which the client shows a part in proportion.
    """
    return CharacterStatsWelcome(
        hp=points(info.character.hits),
        max_hp=max(1, points(info.character.hits_max)),
        tp=points(info.character.mana),
        max_tp=max(1, points(info.character.mana_max)),
        max_sp=max(1, points(info.character.stam_max)),
        stat_points=stat_points(info.character),
        skill_points=0,
        karma=NEUTRAL_KARMA,
        secondary=_NO_SECONDARY,
        base=CharacterBaseStatsWelcome(
            str=points(info.character.strength),
            wis=points(info.character.intelligence),
            intl=points(info.character.intelligence),
            agi=points(info.character.dexterity),
            con=points(info.character.vitality),
            cha=_charisma(info.character),
        ),
    )


def gender(female: bool) -> Gender:
    """The sex that is drawn."""
    return Gender.Female if female else Gender.Male


def points(value: int) -> int:
    """Hits, mana and the like, as far as EO can show them."""
    return max(0, min(value, MOST_HP))


def experience(value: int) -> int:
    """Experience, as far as EO can show it."""
    return max(0, min(value, INT_MAX))


def stat_points(mobile: Mobile) -> int:
    """The points that a mobile may spend."""
    return points(mobile.learner.points) if mobile.learner is not None else 0


def percent(part: int, whole: int) -> int:
    """Percent of a bar that is full; 0 only if nothing is left."""
    if part <= 0 or whole <= 0:
        return 0
    return max(1, min(100, 100 * part // whole))


def level(value: int) -> int:
    """A level, as far as EO can show it."""
    return max(0, min(value, MOST_LEVEL))
