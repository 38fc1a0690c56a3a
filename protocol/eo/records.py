"""Records of the lists that Endless Online's client downloads: an item, an NPC, a spell.

What the world does not have (resistances, requirements, elements) is zero. Numbers of a fight are those of
the world; the client shows them and reckons with none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eolib.protocol.pub import (
    EifRecord,
    Element,
    EnfRecord,
    EsfRecord,
    ItemSize,
    ItemSpecial,
    ItemSubtype,
    ItemType,
    NpcType,
    SkillNature,
    SkillTargetRestrict,
    SkillTargetType,
    SkillType,
)

from protocol.eo.packets.base import THREE_MAX
from protocol.eo.status import MOST_LEVEL, MOST_WEIGHT, points
from world.rules import growth

if TYPE_CHECKING:
    from protocol.eo.looks import EoItem, EoNpc
    from world.content import ItemTemplate, MobileTemplate
    from world.rules.numbers import GrowthRule


def item_record(template: ItemTemplate, look: EoItem, *, female: bool) -> EifRecord:
    """The record of a kind of item, for men or for women where these are two."""
    weapon, remedy = template.weapon, template.remedy
    # Armour is for one sex, which spec2 tells (1: men); where both share a record it is not armour.
    return item(
        name=template.name.title(),
        graphic_id=look.graphic,
        item_type=look.type,
        subtype=look.subtype,
        spec1=look.lock or (look.female_doll if female else look.doll),
        spec2=int(not female) if look.type == ItemType.Armor else 0,
        hits=points(remedy.hits) if remedy is not None else 0,
        damage=(points(weapon.least), points(weapon.most)) if weapon is not None else (0, 0),
        armour=points(template.armour),
        weight=min(template.weight, MOST_WEIGHT),
        size=look.size,
    )


def item(
    name: str,
    graphic_id: int,
    item_type: ItemType = ItemType.General,
    subtype: ItemSubtype = ItemSubtype.None_,
    spec1: int = 0,
    spec2: int = 0,
    weight: int = 0,
    size: ItemSize = ItemSize.Size1x1,
    hits: int = 0,
    damage: tuple[int, int] = (0, 0),
    armour: int = 0,
) -> EifRecord:
    """The record of an item of which all else is zero."""
    return EifRecord(
        name=name,
        graphic_id=graphic_id,
        type=item_type,
        subtype=subtype,
        special=ItemSpecial.Normal,
        hp=hits,
        tp=0,
        min_damage=damage[0],
        max_damage=damage[1],
        accuracy=0,
        evade=0,
        armor=armour,
        return_damage=0,
        str=0,
        intl=0,
        wis=0,
        agi=0,
        con=0,
        cha=0,
        light_resistance=0,
        dark_resistance=0,
        earth_resistance=0,
        air_resistance=0,
        water_resistance=0,
        fire_resistance=0,
        spec1=spec1,
        spec2=spec2,
        spec3=0,
        level_requirement=0,
        class_requirement=0,
        str_requirement=0,
        int_requirement=0,
        wis_requirement=0,
        agi_requirement=0,
        con_requirement=0,
        cha_requirement=0,
        element=Element.None_,
        element_damage=0,
        weight=weight,
        size=size,
    )


def npc_record(template: MobileTemplate, look: EoNpc, rule: GrowthRule) -> EnfRecord:
    """The record of a kind of mobile that is drawn as an NPC."""
    fights = template.fights
    # "a sheep" is how UO names an animal; EO writes the kind.
    name = template.name.removeprefix("a ").removeprefix("an ").title()
    if fights is None:
        return npc(name, look.graphic, look.type, template.hits, behavior_id=look.id)
    return npc(
        name,
        look.graphic,
        look.type,
        fights.hits,
        behavior_id=look.id,
        damage=(points(fights.least), points(fights.most)),
        skill=points(round(fights.skill)),
        armour=points(fights.armour),
        level=min(fights.level, MOST_LEVEL),
        experience=min(round(growth.kill_experience(fights.level, fights.level, rule)), THREE_MAX),
    )


def npc(
    name: str,
    graphic_id: int,
    npc_type: NpcType,
    hits: int,
    *,
    behavior_id: int = 0,
    damage: tuple[int, int] = (0, 0),
    skill: int = 0,
    armour: int = 0,
    level: int = 0,
    experience: int = 0,
) -> EnfRecord:
    """The record of an NPC."""
    return EnfRecord(
        name=name,
        graphic_id=graphic_id,
        race=0,
        boss=False,
        child=False,
        type=npc_type,
        behavior_id=behavior_id,
        hp=min(hits, THREE_MAX),
        tp=0,
        min_damage=damage[0],
        max_damage=damage[1],
        accuracy=skill,
        evade=skill,
        armor=armour,
        return_damage=0,
        element=Element.None_,
        element_damage=0,
        element_weakness=Element.None_,
        element_weakness_damage=0,
        level=level,
        experience=experience,
    )


def spell(name: str) -> EsfRecord:
    """The record of a spell that does nothing."""
    return EsfRecord(
        name=name,
        chant="",
        icon_id=0,
        graphic_id=0,
        tp_cost=0,
        sp_cost=0,
        cast_time=0,
        nature=SkillNature.Spell,
        type=SkillType.Heal,
        element=Element.None_,
        element_power=0,
        target_restrict=SkillTargetRestrict.Friendly,
        target_type=SkillTargetType.Normal,
        target_time=0,
        max_skill_level=0,
        min_damage=0,
        max_damage=0,
        accuracy=0,
        evade=0,
        armor=0,
        return_damage=0,
        hp_heal=0,
        tp_heal=0,
        sp_heal=0,
        str=0,
        intl=0,
        wis=0,
        agi=0,
        con=0,
        cha=0,
    )
