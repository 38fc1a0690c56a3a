"""A client's version, and what follows from it: the layouts of what it is sent, and how long every packet is.

A connection's version is known late and by parts, so that everything here is a function of its four numbers.
Two tables are asked, each by the stretches between the versions at which something in it changed.

*Layouts*: only the switches that change the server's bytes are here, so that versions which read the same
bytes have one `UoVersion` and share what is made for either. They are plain values; which packet class each
means, `protocol.uo.figures` and the handlers say. (Client to server, every layout has a packet number of its
own.)

*Lengths*: a stream holds nothing but packets, and a packet nothing but its opcode and body, so both sides
must agree on the length of every opcode. It is fixed, or "variable": then a u16 (big endian) behind the
opcode holds the length of the whole packet, opcode and itself included. Wrong by one byte, and the rest of
the connection is noise. The client has one table for both directions, corrected in ten places over the years.
`server_lengths` is that table; `client_lengths` is the part of it that a server accepts.

Sources of the layouts: ServUO `Server/Network/NetState.cs` (ProtocolChanges) and `Server/Network/Packets.cs`;
of the lengths: ClassicUO `src/ClassicUO.Client/Network/PacketsTable.cs`, the client's table; ServUO
`Server/Network/PacketHandlers.cs` and ModernUO's `Register` calls, what a server takes.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_right
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping


VersionNumber: TypeAlias = tuple[int, int, int, int]
"""Major, minor, revision, patch; a letter counts as its place in the alphabet: 5.0.0a is (5, 0, 0, 1)."""


ASSUMED: Final[VersionNumber] = (5, 0, 0, 0)
"""Until a client with a seed of four bytes has answered which it is: older than 6.0.5.0, and nothing that is
sent before its answer differs among those."""


class Ground(enum.Enum):
    """Layout of an item on the ground."""

    OLD = "0x1A"
    SA = "0xF3, 24 bytes"
    HS = "0xF3, 26 bytes"


class Status(enum.Enum):
    """Type of the 0x11 that tells the player's own status."""

    AOS = 4
    ML = 5
    HS = 6


@attrs.frozen(eq=False)
class UoVersion:
    """The layouts one range of versions reads. `since` is the first of them."""

    since: VersionNumber
    wide_features: bool
    """0xB9: 5 bytes from 6.0.14.2 on, 3 before."""
    placed_cities: bool
    """0xA9: starting places of 89 bytes from 7.0.13.0 on, of 63 before."""
    ground: Ground
    worn_with_hue: bool
    """0x78: the hue of each item always there from 7.0.33.1 on; before, only if bit 15 of the item id says
    so."""
    grid: bool
    """0x25 and 0x3C: a place in the grid from 6.0.1.7 on."""
    high_seas: bool
    """0x24: 9 bytes from 7.0.9.0 on, 7 before."""
    status: Status
    """0x11."""
    packed_gumps: bool
    """0xDD is understood, from 5.0.0a on."""
    wide_damage: bool
    """0x0B instead of 0xBF 0x22, from 5.0.0a on. Servers send it to clients from 4.0.7a on; ClassicUO takes
    it for 266 bytes until 5.0.0a, and would read nothing behind it."""
    new_animations: bool
    """0xE2 instead of 0x6E, from 7.0.0.0 on."""
    coloured_bars: bool
    """0x17 tells of poison, from 7.0.0.0 on; before, a flag of 0x20, 0x77 and 0x78, which means flying from
    then on."""
    skills: int
    """Number of skills that 0x3A may list: 58 from 7.0.0.0 on, 55 from 5.0.0a, 52 from 4.0.0a, 49 before:
    what came with Age of Shadows, Mondain's Legacy and Stygian Abyss, in their skills.mul."""
    tooltips: bool
    """0xDC is understood and 0xD6 asked for; from 4.0.0a on, to be on the safe side."""
    trade_gold: bool
    """0x6F kinds 3 and 4: the window of a trade has gold and platinum, from 7.0.45.65 on."""


_STARTS: Final[tuple[VersionNumber, ...]] = (
    (0, 0, 0, 0),
    (4, 0, 0, 1),
    (5, 0, 0, 1),
    (6, 0, 1, 7),
    (6, 0, 14, 2),
    (7, 0, 0, 0),
    (7, 0, 9, 0),
    (7, 0, 13, 0),
    (7, 0, 30, 0),
    (7, 0, 33, 1),
    (7, 0, 45, 65),
)


def _status(since: VersionNumber) -> Status:
    if since >= (7, 0, 30, 0):
        return Status.HS
    return Status.ML if since >= (5, 0, 0, 1) else Status.AOS


def _skills(since: VersionNumber) -> int:
    if since >= (7, 0, 0, 0):
        return 58
    if since >= (5, 0, 0, 1):
        return 55
    return 52 if since >= (4, 0, 0, 1) else 49


def _ground(since: VersionNumber) -> Ground:
    if since >= (7, 0, 9, 0):
        return Ground.HS
    return Ground.SA if since >= (7, 0, 0, 0) else Ground.OLD


VERSIONS: Final[tuple[UoVersion, ...]] = tuple(
    UoVersion(
        since=since,
        wide_features=since >= (6, 0, 14, 2),
        placed_cities=since >= (7, 0, 13, 0),
        ground=_ground(since),
        worn_with_hue=since >= (7, 0, 33, 1),
        grid=since >= (6, 0, 1, 7),
        high_seas=since >= (7, 0, 9, 0),
        status=_status(since),
        packed_gumps=since >= (5, 0, 0, 1),
        wide_damage=since >= (5, 0, 0, 1),
        new_animations=since >= (7, 0, 0, 0),
        coloured_bars=since >= (7, 0, 0, 0),
        skills=_skills(since),
        tooltips=since >= (4, 0, 0, 1),
        trade_gold=since >= (7, 0, 45, 65),
    )
    for since in _STARTS
)
"""All there are, the oldest first."""


def version_of(number: VersionNumber) -> UoVersion:
    """The layouts of a version; any numbers are taken, since a client may claim any."""
    return VERSIONS[bisect_right(_STARTS, number) - 1]


_VERSION = re.compile(
    r"(?<!\d)(\d{1,5})\.(\d{1,5})\.(\d{1,5})(?:\.(\d{1,5})|([a-z]))?", re.ASCII | re.IGNORECASE
)


def parse_version(text: str) -> VersionNumber | None:
    """ "7.0.102.3", "4.0.11c", "5.0.9.1 Patch 2"; None if it is none of the kind."""
    found = _VERSION.search(text)
    if found is None:
        return None
    major, minor, revision, patch, letter = found.groups()
    last = ord(letter.lower()) - ord("a") + 1 if letter else int(patch or 0)
    return int(major), int(minor), int(revision), last


def format_version(number: VersionNumber | None) -> str:
    """As people write it."""
    return ".".join(map(str, number)) if number else "unknown"


# --- lengths ---


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
_CHANGES: Final[tuple[tuple[VersionNumber, dict[int, int]], ...]] = (
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
    """The table of each era, oldest first: the eras are the stretches between the changes."""
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


def client_lengths(number: VersionNumber) -> Mapping[int, int]:
    """{opcode: length or VARIABLE} of all packets that a client of this version may send.

    An opcode that is missing is not sent by any game client. The mapping is read-only and shared.
    """
    return _CLIENT_TABLES[bisect_right(_FIRST_OF_ERA, number)]


def server_lengths(number: VersionNumber) -> Mapping[int, int]:
    """{opcode: length or VARIABLE} as a client of this version frames what it receives, 0x00 to 0xFE.

    The mapping is read-only and shared. Note that the client's table gives 0x0B (damage) 266 bytes until
    5.0.0a, while servers send the 7 byte form from 4.0.7a on.
    """
    return _SERVER_TABLES[bisect_right(_FIRST_OF_ERA, number)]
