"""The numbers of Lineage II's messages, on the wire and in tables.

An opcode is one byte; of clients' D0 and servers' FE, a u16 behind it says which message it is. The number of
a message is its opcode, or of such an *extended* one the opcode times 10000 hexadecimal plus the u16.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

CLIENT_EXTENDED: Final = 0xD0
SERVER_EXTENDED: Final = 0xFE
"""Opcodes behind which a u16 says which message it is."""

NO_OPCODE: Final = 0xFFFFFF
"""The number of an empty message, and of an extended one that ends before its u16 does."""


def number_of_frame(frame: bytes, extended: int) -> int:
    """The number of the message in a frame; `extended` is the opcode behind which a u16 follows there."""
    if not frame:
        return NO_OPCODE
    opcode = frame[0]
    if opcode != extended:
        return opcode
    if len(frame) < 3:  # opcode and u16
        return NO_OPCODE
    return opcode << 16 | frame[2] << 8 | frame[1]


def prefix_size(number: int) -> int:
    """Bytes of the opcode, u16 included, in front of a message of this number."""
    return 1 if number <= 0xFF else 3


def prefix(number: int) -> bytes:
    """The opcode, u16 included."""
    if number <= 0xFF:
        return bytes([number])
    return bytes([number >> 16]) + (number & 0xFFFF).to_bytes(2, "little")


def shown(number: int) -> str:
    """The number of a message for people."""
    if number == NO_OPCODE:
        return "without opcode"
    if number <= 0xFF:
        return f"0x{number:02x}"
    return f"0x{number >> 16:02x}:{number & 0xFFFF:04x}"


def read_numbers(
    where: str, tables: Mapping[str, object], problems: list[str]
) -> tuple[dict[str, int], dict[str, int]]:
    """The numbers by name that a table gives clients' and servers' messages, checked: none twice. Every
    mistake is a line in `problems` that begins with `where`."""
    found: dict[str, dict[str, int]] = {"client": {}, "server": {}}
    extended = {"client": CLIENT_EXTENDED, "server": SERVER_EXTENDED}
    for key, rows in tables.items():
        if key not in found or not isinstance(rows, Mapping):
            problems.append(f"{where}: {key}: must be [client] or [server]")
            continue
        seen: dict[int, str] = {}
        for name, raw in rows.items():
            number = _read_number(raw, extended[key])
            if number is None:
                problems.append(
                    f"{where}: {key}.{name}: must be a byte or [{extended[key]:#04x}, u16], is {raw!r}"
                )
            elif number in seen:
                problems.append(f"{where}: {key}.{name}: {shown(number)} is the number of {seen[number]}")
            else:
                seen[number] = name
                found[key][name] = number
    return found["client"], found["server"]


def _read_number(raw: object, extended: int) -> int | None:
    if type(raw) is int:
        return raw if 0 <= raw <= 0xFF and raw != extended else None
    if not isinstance(raw, list) or len(raw) != 2:  # opcode and u16
        return None
    first, second = raw
    if type(first) is not int or type(second) is not int or first != extended:
        return None
    return first << 16 | second if 0 <= second <= 0xFFFF else None
