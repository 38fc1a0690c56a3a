"""The player's own windows: character sheet, skills, spells, inventory.

They come packed, as the difference (xor) to what was sent last: whoever sends one keeps the plain bytes.
"""

from __future__ import annotations

import attrs

from protocol.eq2.packets.base import Message, Record, from_server, record


@record
@attrs.define
class Sheet(Record):
    """The character sheet, as far as it is filled here."""

    name: str = ""
    race: int = 0
    gender: int = 0
    class1: int = 0
    class2: int = 0
    class3: int = 0
    tradeskill_class1: int = 0
    tradeskill_class2: int = 0
    tradeskill_class3: int = 0
    level: int = 1
    effective_level: int = 1
    tradeskill_level: int = 0
    gm_level: int = 0
    last_name: str = ""
    hits: int = 0
    max_hits: int = 0
    base_hits: int = 0
    power: int = 0
    max_power: int = 0
    base_power: int = 0
    concentration: int = 0
    max_concentration: int = 0
    attack: int = 0
    mitigation: int = 0
    strength: int = 0
    stamina: int = 0
    agility: int = 0
    wisdom: int = 0
    intelligence: int = 0
    base_strength: int = 0
    base_stamina: int = 0
    base_agility: int = 0
    base_wisdom: int = 0
    base_intelligence: int = 0
    combat_experience: int = 1
    """Whether kills give experience."""
    experience_yellow: int = 0
    """Percent of the way to the next level."""
    experience_blue: int = 0
    """Percent of the way to the next tenth of it."""
    experience_debt: int = 0
    copper: int = 0
    silver: int = 0
    gold: int = 0
    platinum: int = 0
    weight: int = 0
    max_weight: int = 0
    breath: float = 0.0
    auto_attack: int = 0
    """1: the button of blows is lit; `ranged_auto_attack`: that of shots."""
    ranged_auto_attack: int = 0
    group: bytes = b""
    """A GroupMember for each of five places."""
    group_leader: int = 0
    """The place of whoever leads the group."""
    rain: float = 0.0
    """0 to 1, as `wind`."""
    wind: float = 0.0
    house_zone: str = ""
    bind_zone: str = ""


@from_server
@attrs.define
class CharacterSheet(Message):
    """`packed`: a Sheet."""

    packed: bytes


@record
@attrs.define
class SkillEntry(Record):
    """One skill."""

    skill_id: int
    kind: int = 0
    current: int = 0
    base: int = 0
    maximum: int = 0
    shown_minimum: int = 0
    shown_maximum: int = 0


@from_server
@attrs.define
class SkillBook(Message):
    """So many skills; `packed`: a SkillEntry for each."""

    count: int
    packed: bytes


@record
@attrs.define
class SpellEntry(Record):
    """One spell; times in 1/10 seconds."""

    spell_id: int
    unique_id: int = 0
    recast_available: int = 0
    kind: int = 0
    recast_time: int = 0
    icon: int = 0
    icon_backdrop: int = 0
    icon2: int = 0
    charges: int = 255
    status: int = 0


@from_server
@attrs.define
class SpellBook(Message):
    """So many spells; `packed`: a SpellEntry for each."""

    count: int
    packed: bytes


@record
@attrs.define
class InventoryEntry(Record):
    """One item."""

    unique_id: int
    bag_id: int = 0
    inventory_slot: int = 0
    menu: int = 0
    slot: int = 0
    index: int = 0
    icon: int = 0
    count: int = 1
    level: int = 0
    tier: int = 0
    slots: int = 0
    item_id: int = 0
    name: str = ""


@from_server
@attrs.define
class Inventory(Message):
    """So many items; `packed`: an InventoryEntry for each; `equipped` 1: those that are worn."""

    count: int
    packed: bytes
    equipped: int = 0
