"""Combat and what else two do together; magic's fields are disguised by clients."""

import enum
from typing import Annotated, ClassVar, Final

from protocol.co.packets.base import U16, U32, Gap, Message, element, from_server, message
from protocol.wire.declare import Struct
from protocol.wire.fields import Listed


class InteractType(enum.IntEnum):
    """Deeds of one to another."""

    MELEE = 2
    """From servers, data is the damage; 0: missed."""
    COURT = 8
    MARRY = 9
    KILL = 14
    JOIN_GUILD = 15
    MAGIC = 21
    ABORT_MAGIC = 22
    REFLECT_WEAPON = 23
    BUMP = 24
    SHOOT = 25
    REFLECT_MAGIC = 26


@message(1022)
class Interact(Message):
    """Somebody does something to somebody. MsgInteract."""

    timestamp: U32
    sender: U32
    target: U32
    x: U16
    y: U16
    kind: Annotated[U32, "InteractType"]
    data: Annotated[U32, "damage; of magic: spell (lower half), level (upper half)"] = 0
    _progress: ClassVar[Gap] = Gap(bytes(4))


@element
class MagicHit(Struct):
    """Somebody whom a spell hit."""

    id: U32
    damage: U32
    _unused: ClassVar[Gap] = Gap(bytes(4))


@from_server(1105)
class MagicEffect(Message):
    """A spell, and whom it hit. MsgMagicEffect."""

    caster: U32
    target: Annotated[U32, "who, or packed coordinates"]
    magic: U16
    level: U16
    hits: Annotated[tuple[MagicHit, ...], Listed(MagicHit, 4, little=True)] = ()


# How clients disguise what a spell is, and where it goes: each number is rotated and mixed with the caster's
# own number. The constants are the original client's.

_TYPE: Final = (0x915D, 13, 0x14BE)
_X: Final = (0x2ED6, 15, 0xDD12)
_Y: Final = (0xB99B, 11, 0x76DE)
_TARGET: Final = (0x5F2D2463, 13, 0x8B90B51A)
_LEVEL: Final = 0x3721


def revealed(disguised: Interact) -> Interact:
    """An Interact about magic as it is meant, from a client's."""
    sender = disguised.sender
    magic = _reveal16(disguised.data & 0xFFFF, sender, *_TYPE)
    level = (disguised.data >> 16 ^ _LEVEL) & 0xFF
    mixed, turn, added = _TARGET
    target = (_rotate_right(disguised.target, turn, 32) ^ sender ^ mixed) + added & 0xFFFFFFFF
    return Interact(
        disguised.timestamp,
        sender,
        target,
        _reveal16(disguised.x, sender, *_X),
        _reveal16(disguised.y, sender, *_Y),
        disguised.kind,
        level << 16 | magic,
    )


def disguised(plain: Interact) -> Interact:
    """An Interact about magic as clients send it."""
    sender = plain.sender
    magic = _disguise16(plain.data & 0xFFFF, sender, *_TYPE)
    level = (plain.data >> 16 ^ (plain.timestamp & 0xFF) << 8 ^ _LEVEL) & 0xFFFF
    mixed, turn, added = _TARGET
    target = _rotate_right((plain.target - added & 0xFFFFFFFF) ^ sender ^ mixed, 32 - turn, 32)
    return Interact(
        plain.timestamp,
        sender,
        target,
        _disguise16(plain.x, sender, *_X),
        _disguise16(plain.y, sender, *_Y),
        plain.kind,
        level << 16 | magic,
    )


def _reveal16(value: int, sender: int, mixed: int, turn: int, added: int) -> int:
    return _rotate_right(value ^ sender & 0xFFFF ^ mixed, turn, 16) + added & 0xFFFF


def _disguise16(value: int, sender: int, mixed: int, turn: int, added: int) -> int:
    return _rotate_right(value - added & 0xFFFF, 16 - turn, 16) ^ sender & 0xFFFF ^ mixed


def _rotate_right(value: int, by: int, bits: int) -> int:
    return (value >> by | value << bits - by) & (1 << bits) - 1
