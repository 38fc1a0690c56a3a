"""The state of somebody: status bars, hits and the like, skills and attributes.

The player's own status is one packet that grew: each type of 0x11 has more fields than the one before, some
of them between the others, so that each is written out whole and none derived from another. Others are told a
name and a share of the whole. Skills are numbers from the client's skills.mul; the tables say which of them
the world has, by its names for them.
"""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final

from protocol.uo.packets.base import (
    ClientPacket,
    Name,
    ServerPacket,
    UntilZero,
    element,
    packet,
)
from protocol.wire.declare import Struct
from protocol.wire.fields import (
    U8,
    U16,
    U32,
    Blob,
    Constant,
    Flag,
)

SKILL_NUMBERS: Final[Mapping[str, int]] = {
    "alchemy": 0,
    "anatomy": 1,
    "parry": 5,
    "smithing": 7,
    "carpentry": 11,
    "cooking": 13,
    "healing": 17,
    "fishing": 18,
    "hiding": 21,
    "magery": 25,
    "resistance": 26,
    "tactics": 27,
    "music": 29,
    "bows": 31,
    "tailoring": 34,
    "taming": 35,
    "swords": 40,
    "maces": 41,
    "daggers": 42,
    "unarmed": 43,
    "woodcutting": 44,
    "mining": 45,
    "stealth": 47,
}
"""Of the skills that the world has, by its names for them. ServUO: Server/Skills.cs, SkillName. Fencing is
what one does with daggers; it has no staves."""

SKILL_NAMES: Final = {number: name for name, number in SKILL_NUMBERS.items()}

MOST_SKILLS: Final = 58
"""Skills of the newest clients."""

USABLE_SKILLS: Final = frozenset(
    (1, 2, 3, 4, 6, 9, 14, 15, 16, 19, 21, 22, 23, 30, 32, 33, 35, 36, 38, 46, 47, 48, 56)
)
"""Numbers of the skills that one uses by themselves: those for which ServUO's Scripts/Skills have a callback.
The others one gets better at by doing something else."""

SKILL_CAP: Final = 1000
"""The most that a skill can be, in tenths."""

# --- client ---


@packet(0x34, length=10)
class StatusRequest(ClientPacket):
    """Asks for a mobile's status bar (4) or skills (5) (0x34, MobileQuery)."""

    pattern: Annotated[U32, "0xEDEDEDED"]
    kind: U8
    serial: U32


@packet(0x3A)
class SkillLock(ClientPacket):
    """Whether a skill may rise or fall (0x3A, ChangeSkillLock)."""

    number: Annotated[U16, "from 0"]
    lock: Annotated[U8, "0 up, 1 down, 2 locked"]


@packet(0xBF1A)
class StatLock(ClientPacket):
    """Whether an attribute may rise or fall (0xBF 0x1A, StatLockChange)."""

    stat: Annotated[U8, "0 strength, 1 dexterity, 2 intelligence"]
    lock: Annotated[U8, "0 up, 1 down, 2 locked"]


# --- server ---


@packet(0x11)
class StatusCompact(ServerPacket):
    """Another's name and health bar (0x11 type 0, MobileStatusCompact)."""

    serial: U32
    name: Name
    hits: Annotated[U16, "scaled to hits_max"]
    hits_max: U16
    can_rename: Flag
    kind: ClassVar = Constant(b"\x00")


@packet(0x11)
class StatusAos(ServerPacket):
    """The player's own status (0x11 type 4, MobileStatusExtended; until 5.0.0a)."""

    serial: U32
    name: Name
    hits: U16
    hits_max: U16
    can_rename: Flag
    kind: ClassVar = Constant(b"\x04")
    female: Flag
    strength: U16
    dexterity: U16
    intelligence: U16
    stam: U16
    stam_max: U16
    mana: U16
    mana_max: U16
    gold: U32
    armor: U16
    weight: U16
    stat_cap: U16
    followers: U8
    followers_max: U8
    fire: U16
    cold: U16
    poison: U16
    energy: U16
    luck: U16
    damage_min: U16
    damage_max: U16
    tithing: U32


@packet(0x11)
class StatusMl(ServerPacket):
    """The player's own status (0x11 type 5, MobileStatusExtended; from 5.0.0a until 7.0.30.0)."""

    serial: U32
    name: Name
    hits: U16
    hits_max: U16
    can_rename: Flag
    kind: ClassVar = Constant(b"\x05")
    female: Flag
    strength: U16
    dexterity: U16
    intelligence: U16
    stam: U16
    stam_max: U16
    mana: U16
    mana_max: U16
    gold: U32
    armor: U16
    weight: U16
    weight_max: U16
    race: Annotated[U8, "1 human, 2 elf, 3 gargoyle"]
    stat_cap: U16
    followers: U8
    followers_max: U8
    fire: U16
    cold: U16
    poison: U16
    energy: U16
    luck: U16
    damage_min: U16
    damage_max: U16
    tithing: U32


@packet(0x11)
class StatusHs(ServerPacket):
    """The player's own status (0x11 type 6, MobileStatusExtended; from 7.0.30.0 on)."""

    serial: U32
    name: Name
    hits: U16
    hits_max: U16
    can_rename: Flag
    kind: ClassVar = Constant(b"\x06")
    female: Flag
    strength: U16
    dexterity: U16
    intelligence: U16
    stam: U16
    stam_max: U16
    mana: U16
    mana_max: U16
    gold: U32
    armor: U16
    weight: U16
    weight_max: U16
    race: Annotated[U8, "1 human, 2 elf, 3 gargoyle"]
    stat_cap: U16
    followers: U8
    followers_max: U8
    fire: U16
    cold: U16
    poison: U16
    energy: U16
    luck: U16
    damage_min: U16
    damage_max: U16
    tithing: U32
    resist_caps: Annotated[bytes, Blob(10), "physical, fire, cold, poison, energy: u16 each"]
    bonuses: Annotated[bytes, Blob(20), "ten u16: see ServUO's Mobile.GetAOSStatus, 5 to 14"]


@element
class Skill(Struct):
    """One skill, values in tenths."""

    number: Annotated[U16, "from 1"]
    value: U16
    base: U16
    lock: U8
    cap: U16


@packet(0x3A)
class Skills(ServerPacket):
    """All skills of the player, with caps (0x3A type 2, SkillUpdate)."""

    kind: ClassVar = Constant(b"\x02")
    skills: Annotated[tuple[Skill, ...], UntilZero(Skill, size=2)]


@packet(0x3A)
class SkillChanged(ServerPacket):
    """One skill of the player, with its cap (0x3A type 0xDF, SkillChange)."""

    kind: ClassVar = Constant(b"\xdf")
    number: Annotated[U16, "from 0"]
    value: U16
    base: U16
    lock: U8
    cap: U16


@packet(0xBF19)
class StatLocks(ServerPacket):
    """Whether the player's attributes may rise or fall (0xBF 0x19 type 2, StatLockInfo)."""

    kind: ClassVar = Constant(b"\x02")
    serial: U32
    zero: ClassVar = Constant(b"\x00")
    locks: Annotated[U8, "two bits each: strength, dexterity, intelligence"]


@packet(0xA1, length=9)
class Hits(ServerPacket):
    """Health (0xA1, MobileHits)."""

    serial: U32
    most: U16
    now: U16


@packet(0xA2, length=9)
class Mana(ServerPacket):
    """Mana (0xA2, MobileMana)."""

    serial: U32
    most: U16
    now: U16


@packet(0xA3, length=9)
class Stamina(ServerPacket):
    """Stamina (0xA3, MobileStam)."""

    serial: U32
    most: U16
    now: U16


class BarColour:
    """Kinds of 0x17."""

    POISON = 1
    YELLOW = 2


@packet(0x17)
class HealthBar(ServerPacket):
    """The colour of a health bar (0x17, HealthbarPoison and HealthbarYellow; from 7.0.0.0 on)."""

    serial: U32
    one: ClassVar = Constant(b"\x00\x01")
    kind: Annotated[U16, "see BarColour"]
    value: Annotated[U8, "0: not so; of poison its level + 1"]


@packet(0x2D, length=17)
class Attributes(ServerPacket):
    """Health, mana and stamina together (0x2D, MobileAttributes)."""

    serial: U32
    hits_max: U16
    hits: U16
    mana_max: U16
    mana: U16
    stam_max: U16
    stam: U16
