"""People and monsters that come into view, and residents who only stand there."""

import enum
from typing import Annotated, ClassVar, Final

from protocol.co.packets.base import U8, U16, U32, U64, Gap, Message, Since, Strings, from_server
from protocol.co.packets.misc import Emotion
from protocol.co.versions import CoVersion

FACE: Final = 10_000
"""Weight of a face in a look: look = body + face * FACE + transformation * TRANSFORMATION."""

TRANSFORMATION: Final = 10_000_000
"""Weight of a transformation in a look."""

GHOST_MAN: Final = 98
GHOST_WOMAN: Final = 99
"""Transformations of the dead."""


class StatusFlag(enum.IntFlag):
    """States of somebody: `flags` of a Player, the attribute STATUS."""

    NONE = 0
    BLUE_NAME = 0x1
    """Flashing."""
    POISONED = 0x2
    INVISIBLE = 0x4
    XP_FULL = 0x10
    FROZEN = 0x20
    """Stiff, or fallen: what is dead has it too."""
    TEAM_LEADER = 0x40
    ACCURACY = 0x80
    MAGIC_SHIELD = 0x100
    STIGMA = 0x200
    DEAD = 0x400
    FADING = 0x800
    RED_NAME = 0x4000
    BLACK_NAME = 0x8000
    SUPERMAN = 0x40000
    HIDDEN = 0x400000
    CYCLONE = 0x800000
    DODGE = 0x4000000
    FLYING = 0x8000000
    INTENSIFIED = 0x10000000
    CASTING_PRAYER = 0x40000000
    PRAYING = 0x80000000


class NpcKind(enum.IntEnum):
    """Purposes of a resident."""

    SHOP = 1
    """Its window is the client's own."""
    DIALOG = 2
    STORAGE = 3
    TRUNK = 4
    FACE = 5
    FORGE = 6
    GEMS = 7
    STATUE = 9
    GUILD_POLE = 10
    BOOTH = 14
    GUILD_TRANSPORT = 15
    BOOTH_FLAG = 16
    DICE = 19
    WEAPON_TARGET = 21
    MAGIC_TARGET = 22
    TARGET = 24
    FURNITURE = 25
    CITY_GATE = 26
    HOUSE_GATE = 27


class NpcSort(enum.IntFlag):
    """More purposes of a resident."""

    NONE = 0
    TASK = 1
    RECYCLE = 2
    SCENE = 4
    LINK_MAP = 8


@from_server(1014)
class Player(Message):
    """Somebody who can walk is there, or looks different now: a character or a monster. MsgPlayer."""

    id: Annotated[U32, "its range tells the client what it is"]
    look: Annotated[U32, "body + face * 10000; a monster's mesh"]
    flags: Annotated[U64, "StatusFlag"] = 0
    guild: U16 = 0
    _unused_22: ClassVar[Gap] = Gap(bytes(1))
    guild_rank: U8 = 0
    garment: Annotated[U32, "item type, as the next four"] = 0
    helmet: U32 = 0
    armour: U32 = 0
    right_hand: U32 = 0
    left_hand: U32 = 0
    _unused_44: ClassVar[Gap] = Gap(bytes(4))
    life: Annotated[U16, "a monster's"] = 0
    monster_level: U16 = 0
    x: U16 = 0
    y: U16 = 0
    hair: U16 = 0
    direction: U8 = 0
    pose: Annotated[U8, "Emotion"] = Emotion.STAND
    rebirths: U16 = 0
    level: U16 = 0
    _unused_64: ClassVar[Gap] = Gap(bytes(4))
    nobility_rank: U32 = 0
    id_again: Annotated[U32, "as id"] = 0
    nobility_position: U32 = 0
    _unused_80: ClassVar[Gap] = Gap(bytes(4), Since(CoVersion.V5065))
    helmet_colour: Annotated[U16, Since(CoVersion.V5065)] = 0
    armour_colour: Annotated[U16, Since(CoVersion.V5065)] = 0
    _unused_88: ClassVar[Gap] = Gap(bytes(2), Since(CoVersion.V5065))
    names: Annotated[Strings, "one: without any, clients show garbage"] = ("",)


@from_server(2030)
class NpcInfo(Message):
    """A resident stands there. MsgNpcInfo."""

    id: U32
    x: U16
    y: U16
    look: Annotated[U16, "kind of figure * 10 + facing"]
    kind: Annotated[U16, "NpcKind"]
    sort: Annotated[U16, "NpcSort"] = NpcSort.NONE
    # Servers of 5065 disagree on these two. With them, a client that has none of them sees an empty list of
    # names instead of a wrong one.
    _size: ClassVar[Gap] = Gap(bytes(2), Since(CoVersion.V5065))
    names: Annotated[Strings, "one in place of the client's own, or none"] = ()


@from_server(1109)
class NpcInfoEx(Message):
    """Something stands there that can be hit. MsgNpcInfoEx."""

    id: U32
    max_life: U32
    life: U32
    x: U16
    y: U16
    look: U16
    kind: Annotated[U16, "NpcKind"]
    sort: Annotated[U16, "NpcSort"] = NpcSort.NONE
    names: Strings = ()
