"""What a client's version decides about the layout of what it is sent.

Chosen once, when the version is known. Only the switches that change the server's bytes are here, so that
versions which read the same bytes have one dialect and share what is made for either. (Client to server,
every layout has a packet number of its own, and the sizes of all packets are in `protocol.uo.lengths`.)

Sources: ServUO `Server/Network/NetState.cs` (ProtocolChanges) and `Server/Network/Packets.cs`.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_right
from typing import Final, TypeAlias

import attrs

from protocol.uo.packets.login import CharacterList, CharacterListOld, Features, FeaturesOld
from protocol.uo.packets.status import StatusAos, StatusHs, StatusMl

Version: TypeAlias = tuple[int, int, int, int]
"""Major, minor, revision, patch; a letter counts as its place in the alphabet: 5.0.0a is (5, 0, 0, 1)."""

ASSUMED: Final[Version] = (5, 0, 0, 0)
"""Until a client with a seed of four bytes has answered which it is: older than 6.0.5.0, and nothing that is
sent before its answer differs among those."""


class Ground(enum.Enum):
    """How an item on the ground is sent."""

    OLD = "0x1A"
    SA = "0xF3, 24 bytes"
    HS = "0xF3, 26 bytes"


Status: TypeAlias = type[StatusAos] | type[StatusMl] | type[StatusHs]


@attrs.frozen(eq=False)
class UoDialect:
    """The layouts one range of versions reads. `since` is the first of them."""

    since: Version
    features: type[Features] | type[FeaturesOld]
    """0xB9: 5 bytes from 6.0.14.2 on, 3 before."""
    character_list: type[CharacterList] | type[CharacterListOld]
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
    new_animations: bool
    """0xE2 instead of 0x6E, from 7.0.0.0 on."""
    skills: int
    """How many skills 0x3A may list: 58 from 7.0.0.0 on, 55 from 5.0.0a, 52 from 4.0.0a, 49 before:
    what came with Age of Shadows, Mondain's Legacy and Stygian Abyss, in their skills.mul."""
    tooltips: bool
    """0xDC is understood and 0xD6 asked for; from 4.0.0a on, to be on the safe side."""


_STARTS: Final[tuple[Version, ...]] = (
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
)


def _status(since: Version) -> Status:
    if since >= (7, 0, 30, 0):
        return StatusHs
    return StatusMl if since >= (5, 0, 0, 1) else StatusAos


def _skills(since: Version) -> int:
    if since >= (7, 0, 0, 0):
        return 58
    if since >= (5, 0, 0, 1):
        return 55
    return 52 if since >= (4, 0, 0, 1) else 49


def _ground(since: Version) -> Ground:
    if since >= (7, 0, 9, 0):
        return Ground.HS
    return Ground.SA if since >= (7, 0, 0, 0) else Ground.OLD


DIALECTS: Final[tuple[UoDialect, ...]] = tuple(
    UoDialect(
        since=since,
        features=Features if since >= (6, 0, 14, 2) else FeaturesOld,
        character_list=CharacterList if since >= (7, 0, 13, 0) else CharacterListOld,
        ground=_ground(since),
        worn_with_hue=since >= (7, 0, 33, 1),
        grid=since >= (6, 0, 1, 7),
        high_seas=since >= (7, 0, 9, 0),
        status=_status(since),
        packed_gumps=since >= (5, 0, 0, 1),
        new_animations=since >= (7, 0, 0, 0),
        skills=_skills(since),
        tooltips=since >= (4, 0, 0, 1),
    )
    for since in _STARTS
)
"""All there are, the oldest first."""


def dialect_of(version: Version) -> UoDialect:
    """The dialect of a version; any numbers are taken, since a client may claim any."""
    return DIALECTS[bisect_right(_STARTS, version) - 1]


_VERSION = re.compile(
    r"(?<!\d)(\d{1,5})\.(\d{1,5})\.(\d{1,5})(?:\.(\d{1,5})|([a-z]))?", re.ASCII | re.IGNORECASE
)


def parse_version(text: str) -> Version | None:
    """ "7.0.102.3", "4.0.11c", "5.0.9.1 Patch 2"; None if it is none of the kind."""
    found = _VERSION.search(text)
    if found is None:
        return None
    major, minor, revision, patch, letter = found.groups()
    last = ord(letter.lower()) - ord("a") + 1 if letter else int(patch or 0)
    return int(major), int(minor), int(revision), last


def format_version(version: Version | None) -> str:
    """As people write it."""
    return ".".join(map(str, version)) if version else "unknown"
