"""Every packet of Ultima Online that is known here, by direction."""

from collections.abc import Sequence
from typing import Final

from protocol.uo.packets import chat, combat, gumps, login, misc, motion, speech, things
from protocol.uo.packets.base import EXTENDED, ClientPacket, ServerPacket

_MODULES = (login, motion, things, speech, chat, gumps, combat, misc)


def _declared(base: type) -> list[type]:
    return [
        value
        for module in _MODULES
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, base) and value.__module__ == module.__name__
    ]


UNHEEDED: Final[Sequence[type[misc.Unheeded]]] = tuple(misc.unheeded())
"""Client packets that nothing acts on yet."""

CLIENT_PACKETS: Final[Sequence[type[ClientPacket]]] = tuple(
    cls for cls in _declared(ClientPacket) if cls is not misc.Unheeded
)
"""Client packets with their fields; each has a number of its own."""

SERVER_PACKETS: Final[Sequence[type[ServerPacket]]] = tuple(_declared(ServerPacket))
"""Server packets; several may share an opcode, one per layout."""

_NUMBERS: Final = frozenset(cls.opcode for cls in (*CLIENT_PACKETS, *UNHEEDED))
_OLD_DROP_SIZE: Final = 14


def number_of_frame(frame: bytes) -> int:
    """The number of a client's packet: its opcode, 0xBF00 plus the number of an extended one, 0x080E for an
    old 0x08.

    Extended packets that nobody has heard of all have the number 0xBF00. `frame` is as long as its opcode
    demands.
    """
    opcode = frame[0]
    if opcode == EXTENDED:
        extended = int.from_bytes(frame[3:5], "big")
        number = EXTENDED << 8 | extended if extended <= 0xFF else EXTENDED << 8
        return number if number in _NUMBERS else EXTENDED << 8
    if opcode == things.Drop.opcode and len(frame) == _OLD_DROP_SIZE:
        return things.OLD_DROP
    return opcode
