"""Skills, quests, symbols, shortcuts and macros: what fills the windows of a character.

Skills, quests and symbols come as whole lists. A shortcut is also told alone, when it is kept, and macros
come one in a message. A shortcut is read and written by hand: how long it is depends on what it stands for.
"""

import enum
import struct
from typing import Annotated, ClassVar, Final

from protocol.endings import WireError
from protocol.l2.packets.base import (
    C8,
    D,
    One,
    S,
    counted,
    element,
    from_client,
    from_server,
    number,
    zeros,
)
from protocol.l2.versions import Message
from protocol.wire.declare import Struct
from protocol.wire.fields import Constant

SHORTCUTS_PER_PAGE: Final = 12
"""A shortcut's slot is its place plus so many times its page."""


class ShortCutType(enum.IntEnum):
    """The kinds of things that a shortcut stands for."""

    ITEM = 1
    SKILL = 2
    ACTION = 3
    MACRO = 4
    RECIPE = 5


# --- client ---


@from_client
class RequestSkillList(Message):
    """Asks which skills the character has."""


@from_client
class RequestQuestList(Message):
    """Asks which quests the character has."""


@from_client
class RequestMagicSkillUse(Message):
    """Use a skill."""

    skill_id: D
    ctrl: D = 0
    shift: C8 = 0


@from_client
class RequestShortCutReg(Message):
    """Keep a shortcut."""

    type: Annotated[D, "ShortCutType"]
    slot: Annotated[D, "place plus 12 times the page"]
    id: D
    level: D = 0


@from_client
class RequestShortCutDel(Message):
    """Forget a shortcut."""

    slot: D


@element
class MacroCommand(Struct):
    """One line of a macro."""

    index: C8
    type: C8
    d1: D
    d2: C8
    command: S


@from_client
class RequestMakeMacro(Message):
    """Keep a macro; id 0: a new one."""

    macro_id: D
    name: S
    description: S
    acronym: S
    icon: C8
    commands: Annotated[tuple[MacroCommand, ...], counted(MacroCommand, 1, limit=0xFF)] = ()


@from_client
class RequestDeleteMacro(Message):
    """Forget a macro."""

    macro_id: D


@from_client
class RequestRestartPoint(Message):
    """The place where a dead character wants to rise: 0 is the village."""

    point: D


# --- server ---


class Radar(enum.IntEnum):
    """Deeds of RadarControl."""

    SHOW = 0
    HIDE = 1
    FORGET = 2
    """Takes all of them away."""


@from_server
class RadarControl(Message):
    """Marks a spot on the map, or takes marks away."""

    deed: Annotated[D, "Radar"]
    type: Annotated[D, "1: flag, 2: arrow"]
    x: D
    y: D
    z: D


@element
class SkillEntry(Struct):
    """One skill."""

    passive: Annotated[D, "0 or 1"]
    level: D
    skill_id: D
    disabled: C8 = 0


@from_server
class SkillList(Message):
    """All skills."""

    skills: Annotated[tuple[SkillEntry, ...], counted(SkillEntry, 4)]


@element
class SkillCoolTimeEntry(Struct):
    """One skill that is not ready."""

    skill_id: D
    level: D
    reuse: Annotated[D, "seconds in all"]
    left: Annotated[D, "seconds"]


@from_server
class SkillCoolTime(Message):
    """The skills that are not ready."""

    skills: Annotated[tuple[SkillCoolTimeEntry, ...], counted(SkillCoolTimeEntry, 4)]


@element
class QuestEntry(Struct):
    """One quest."""

    quest_id: D
    state: D


@element
class QuestItemEntry(Struct):
    """One item that belongs to a quest."""

    object_id: D
    item_id: D
    count: D
    unknown: D = 5


@from_server
class QuestList(Message):
    """All quests, and (on the original servers only) the items that belong to them."""

    quests: Annotated[tuple[QuestEntry, ...], counted(QuestEntry, 2)]
    items: Annotated[tuple[QuestItemEntry, ...], counted(QuestItemEntry, 2)] = ()


@element
class HennaEntry(Struct):
    """One symbol on the skin."""

    symbol_id: D
    _one: ClassVar[Constant] = number(1)


@from_server
class HennaInfo(Message):
    """The symbols on the skin and what they add."""

    intelligence: C8 = 0
    strength: C8 = 0
    constitution: C8 = 0
    mentality: C8 = 0
    dexterity: C8 = 0
    wit: C8 = 0
    slots: D = 3
    symbols: Annotated[tuple[HennaEntry, ...], counted(HennaEntry, 4, limit=3)] = ()


@element
class ShortCutEntry(Struct):
    """One shortcut. How much follows its slot depends on what it stands for."""

    type: Annotated[D, "ShortCutType"]
    slot: Annotated[D, "place plus 12 times the page"]
    id: D
    level: Annotated[D, "of a skill"] = 0

    @classmethod
    def read(cls, data: bytes, at: int) -> "tuple[ShortCutEntry, int]":
        """The shortcut at `at`, and the offset behind it. Raises WireError."""
        try:
            kind, slot, number = _SHORTCUT.unpack_from(data, at)
            at += _SHORTCUT.size
            if kind == ShortCutType.ITEM:
                return cls(kind, slot, number), at + _ITEM_TAIL.size
            if kind == ShortCutType.SKILL:
                level, _, _ = _SKILL_TAIL.unpack_from(data, at)
                return cls(kind, slot, number, level), at + _SKILL_TAIL.size
            return cls(kind, slot, number), at + _OTHER_TAIL.size
        except struct.error as error:
            raise WireError(f"shortcut: {error}") from None

    def write(self, out: bytearray) -> None:
        """Append the shortcut."""
        out += _SHORTCUT.pack(self.type, self.slot, self.id)
        if self.type == ShortCutType.ITEM:
            out += _ITEM_TAIL.pack(1, -1, 0, 0, 0, 0)
        elif self.type == ShortCutType.SKILL:
            out += _SKILL_TAIL.pack(self.level, 0, 1)
        else:
            out += _OTHER_TAIL.pack(1)


_SHORTCUT: Final = struct.Struct("<iii")
_ITEM_TAIL: Final = struct.Struct("<iiiiHH")  # 1, group of reuse, two times of reuse, augmentation
_SKILL_TAIL: Final = struct.Struct("<iBi")
_OTHER_TAIL: Final = struct.Struct("<i")


@from_server
class ShortCutInit(Message):
    """All shortcuts."""

    shortcuts: Annotated[tuple[ShortCutEntry, ...], counted(ShortCutEntry, 4)]


@from_server
class ShortCutRegister(Message):
    """A shortcut is kept."""

    shortcut: Annotated[ShortCutEntry, One(ShortCutEntry)]


@element
class Macro(Struct):
    """One macro."""

    macro_id: D
    name: S
    description: S
    acronym: S
    icon: C8
    commands: Annotated[tuple[MacroCommand, ...], counted(MacroCommand, 1, limit=0xFF)] = ()


@from_server
class SendMacroList(Message):
    """One macro of `count`, or that there are none; one message for each."""

    revision: D
    _unused: ClassVar[Constant] = zeros(1)
    count: C8
    macros: Annotated[tuple[Macro, ...], counted(Macro, 1, limit=1)] = ()
