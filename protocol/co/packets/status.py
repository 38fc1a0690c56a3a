"""Numbers of somebody: life, stamina, silver, skills."""

import enum
from typing import Annotated

from protocol.co.packets.base import U8, U16, U32, U64, Message, element, from_client, from_server
from protocol.wire.declare import Struct
from protocol.wire.fields import Listed


class Attribute(enum.IntEnum):
    """Kinds of numbers in a UserAttrib."""

    LIFE = 0
    MAX_LIFE = 1
    MANA = 2
    MAX_MANA = 3
    SILVER = 4
    EXPERIENCE = 5
    PK_POINTS = 6
    PROFESSION = 7
    SIZE_ADD = 8
    """1 cursed, 2 blessed."""
    STAMINA = 9
    STORED_SILVER = 10
    FREE_POINTS = 11
    LOOK = 12
    LEVEL = 13
    SPIRIT = 14
    VITALITY = 15
    STRENGTH = 16
    AGILITY = 17
    BLESSING = 18
    DOUBLE_EXPERIENCE = 19
    GUILD_DONATION = 20
    CURSE = 21
    XP_SKILL_TIME = 22
    REBIRTHS = 23
    STATUS = 26
    """StatusFlag."""
    HAIR = 27
    XP = 28
    """0..100. One description of the protocol says 31; three servers send this."""
    LUCKY_TIME = 29
    CONQUER_POINTS = 30
    ONLINE_TRAINING = 32
    NONE = 0xFFFFFFFF


class SkillKind(enum.IntEnum):
    """Kinds of what gets experience."""

    WEAPON = 0
    MAGIC = 1
    SKILL = 2


@element
class AttributeEntry(Struct):
    """One of the numbers in a UserAttrib."""

    attribute: Annotated[U32, "Attribute"]
    value: U64


@from_server(1017)
class UserAttrib(Message):
    """Numbers that changed. MsgUserAttrib."""

    id: U32
    attributes: Annotated[tuple[AttributeEntry, ...], Listed(AttributeEntry, 4, little=True)]


@from_client(1024)
class Allot(Message):
    """Free points are given away: what is to be added. MsgAllot."""

    strength: U8
    agility: U8
    vitality: U8
    spirit: U8


@from_server(1025)
class WeaponSkill(Message):
    """The hero's skill with a weapon. MsgWeaponSkill."""

    weapon: Annotated[U32, "class of item: type // 1000"]
    level: U32
    experience: U32


@from_server(1103)
class Magic(Message):
    """The hero's skill in a spell. MsgMagicInfo."""

    experience: U32
    magic: U16
    level: U16


@from_server(1104)
class FlushExp(Message):
    """A weapon skill or a spell has more experience. MsgFlushExp."""

    experience: U32
    skill: U16
    kind: Annotated[U16, "SkillKind"]
