"""How long each Ultima Online packet is: the framing, which depends on the client's version.

A stream holds nothing but packets, and a packet nothing but its opcode and body, so both sides must agree on
the length of every opcode. It is fixed, or "variable": then a u16 (big endian) behind the opcode holds the
length of the whole packet, opcode and itself included. Wrong by one byte, and the rest of the connection is
noise.

The client has one table for both directions, corrected in ten places over the years. `server_lengths` is that
table; `client_lengths` is the part of it that a server accepts.

Sources: ClassicUO `src/ClassicUO.Client/Network/PacketsTable.cs`, the client's table; ServUO
`Server/Network/PacketHandlers.cs` and ModernUO's `Register` calls, what a server takes.
"""

from bisect import bisect_right
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

Version = tuple[int, int, int, int]
"""Major, minor, revision, patch; a letter counts as its place in the alphabet: 5.0.0a is (5, 0, 0, 1)."""

VARIABLE: Final = 0
"""Stands for "the length is in the packet"."""

# The newest table: opcodes by fixed length; those not named are variable. 0xFF is not an opcode.
_OPCODES_BY_LENGTH: Final = {
    1: "29 55 64 C6 CD FA",
    2: "04 27 2B 2C 32 33 3D 4F 53 5C 73 7B 7E 82 85 97 C8 D1 FB FD",
    3: "0D 22 6A 6D A0 BC EA",
    4: "1E 5B 65 A7",
    5: "01 05 06 09 1D 26 28 2A 30 45 4A 60 72 AA B9 E6",
    6: "14 4E C4 C9 CA",
    7: "02 07 0B 38 CB",
    8: "1F 21 37",
    9: "15 24 39 4B 61 6B 79 95 A1 A2 A3 B6 BB D5 DC F1",
    10: "13 2F 34 BA E2 EE",
    11: "0A 47 56 8C",
    12: "54 E7",
    13: "63 7D AF E8",
    14: "6E",
    15: "08 2E 62",
    16: "76",
    17: "2D 77",
    19: "20 6C 90",
    21: "25 67 EF F5",
    25: "D2 F2",
    26: "23 F3",
    28: "70",
    30: "99",
    35: "75",
    36: "C0",
    37: "1B 3E",
    39: "83",
    49: "5F C7",
    51: "9D",
    61: "0F",
    62: "80",
    64: "B5",
    65: "91",
    66: "88",
    69: "84",
    73: "48 5D",
    75: "E9",
    78: "CF",
    93: "49",
    99: "93",
    106: "00 58 F8",
    110: "57",
    149: "A4",
    201: "40",
    203: "C5",
    215: "10",
    258: "9B",
    268: "D9",
    309: "9C",
    553: "43",
    653: "35",
    713: "44",
}

# From which version on the lengths are the newer ones, and what they were until then; newest first.
_CHANGES: Final[tuple[tuple[Version, dict[int, int]], ...]] = (
    ((7, 0, 104, 0), {0xD5: VARIABLE, 0xFD: VARIABLE}),
    ((7, 0, 64, 0), {0xFA: VARIABLE, 0xFB: VARIABLE}),
    ((7, 0, 18, 0), {0x00: 104}),
    ((7, 0, 9, 0), {0x24: 7, 0x99: 26, 0xBA: 6, 0xF1: VARIABLE, 0xF2: VARIABLE, 0xF3: 24}),
    ((7, 0, 0, 0), {0xEE: VARIABLE}),
    ((6, 0, 14, 2), {0xB9: 3}),
    ((6, 0, 1, 7), {0x08: 14, 0x25: 20}),
    (
        (6, 0, 1, 3),
        {0xE3: 77, 0xE6: VARIABLE, 0xE7: VARIABLE, 0xE8: VARIABLE, 0xE9: VARIABLE, 0xEA: VARIABLE},
    ),
    ((5, 0, 9, 0), {0xE1: 9}),
    ((5, 0, 0, 1), {0x0B: 266, 0x16: 1, 0x31: 1}),
)

# What a game client may send. The last row is sent by "god" clients and old tools only: ServUO registers
# these too, and a server should know their length to be able to ignore them.
_CLIENT_OPCODES: Final = frozenset(
    bytes.fromhex(
        "00 01 02 03 05 06 07 08 09 12 13 22 2C 34 3A 3B 56 5D 66 6C 6F 71 72 73 75 7D"
        "80 83 8D 91 93 95 98 9A 9B 9F A0 A4 A7 AC AD B1 B3 B5 B6 B8 BB BD BE BF"
        "C2 C8 C9 CA CF D0 D1 D4 D6 D7 D9 DA E1 EC ED EF F0 F4 F8 FA FB"
        "04 0A 14 47 48 58 61 79 7E 96 9D"
    )
)
# Clients that make characters with 0x00 all send 104 bytes; from 7.0.16 on they use 0xF8 (106). The 106 which
# the client's own table has for 0x00 since 7.0.18 is never sent; ServUO and ModernUO know only 104.
_CREATE_CHARACTER: Final = {0x00: 104}


def _tables() -> list[Mapping[int, int]]:
    """Return the table of each era, oldest first: the eras are the stretches between the changes."""
    table = dict.fromkeys(range(0xFF), VARIABLE)
    for length, opcodes in _OPCODES_BY_LENGTH.items():
        table.update(dict.fromkeys(bytes.fromhex(opcodes), length))
    tables = [table]
    for _, before in _CHANGES:
        table = table | before
        tables.append(table)
    return [MappingProxyType(table) for table in reversed(tables)]


def _client_part(table: Mapping[int, int]) -> Mapping[int, int]:
    return MappingProxyType({opcode: table[opcode] for opcode in sorted(_CLIENT_OPCODES)} | _CREATE_CHARACTER)


# A client may claim any version, so tables are kept by era, of which there are eleven, and not by version.
_FIRST_OF_ERA: Final = sorted(version for version, _ in _CHANGES)
_SERVER_TABLES: Final = _tables()
_CLIENT_TABLES: Final = [_client_part(table) for table in _SERVER_TABLES]


def client_lengths(version: Version) -> Mapping[int, int]:
    """Return {opcode: length or VARIABLE} of all packets that a client of this version may send.

    An opcode that is missing is not sent by any game client. The mapping is read-only and shared.
    """
    return _CLIENT_TABLES[bisect_right(_FIRST_OF_ERA, version)]


def server_lengths(version: Version) -> Mapping[int, int]:
    """Return {opcode: length or VARIABLE} as a client of this version frames what it receives, 0x00 to 0xFE.

    The mapping is read-only and shared. Note that the client's table gives 0x0B (damage) 266 bytes until
    5.0.0a, while servers send the 7 byte form from 4.0.7a on.
    """
    return _SERVER_TABLES[bisect_right(_FIRST_OF_ERA, version)]
