"""Every packet of Ultima Online that is known here, by direction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo.packets import (
    boards,
    counters,
    dialogs,
    entering,
    fighting,
    login,
    misc,
    motion,
    parties,
    people,
    sky,
    status,
    talk,
    things,
    trading,
)
from protocol.uo.packets.base import ENCODED, EXTENDED, ClientPacket, ServerPacket
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.outgoing import Encodable, Outgoing

_MODULES = (
    *(login, entering, motion, people, things, talk, dialogs, status, fighting, counters, trading, parties),
    *(boards, sky, misc),
)


def _declared(base: type) -> list[type]:
    return [
        value
        for module in _MODULES
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, base) and value.__module__ == module.__name__
    ]


CLIENT_PACKETS: Final[Sequence[type[ClientPacket]]] = tuple(_declared(ClientPacket))
"""Client packets with their fields; each has a number of its own."""

SERVER_PACKETS: Final[Sequence[type[ServerPacket]]] = tuple(_declared(ServerPacket))
"""Server packets; several may share an opcode, one per layout."""

_NUMBERS: Final = frozenset((*(cls.opcode for cls in CLIENT_PACKETS), *misc.UNREAD))
_KIND_AT: Final = {EXTENDED: 3, ENCODED: 7}
"""Opcodes whose packets are told apart by a u16, and where that is."""
_OLD_DROP_SIZE: Final = 14


def number_of_frame(frame: bytes) -> int:
    """The number of a client's packet: its opcode; 0xBF00 or 0xD700 plus the number of an extended or encoded
    one; 0x080E for an old 0x08.

    Extended packets that nobody has heard of all have the number 0xBF00, encoded ones 0xD700. `frame` is as
    long as its opcode demands.
    """
    opcode = frame[0]
    at = _KIND_AT.get(opcode)
    if at is not None:
        kind = int.from_bytes(frame[at : at + 2], "big")
        number = opcode << 8 | kind if kind <= 0xFF else opcode << 8
        return number if number in _NUMBERS else opcode << 8
    if opcode == things.Drop.opcode and len(frame) == _OLD_DROP_SIZE:
        return things.OLD_DROP
    return opcode


def key_of_number(number: int) -> str:
    """A packet's number as people write it: 0x06, 0xBF:0x13."""
    return f"0x{number:02X}" if number <= 0xFF else f"0x{number >> 8:02X}:0x{number & 0xFF:02X}"


def bodies(*packets: Encodable) -> list[Outgoing]:
    """Encode packets as messages that all their receivers share."""
    return [Body(packet.encode(), droppable=packet.droppable) for packet in packets]
