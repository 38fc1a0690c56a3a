"""`GameMap.dat`, the list of the maps that a client of Conquer Online knows::

    maps u32, each: number u32, letters u32, path, pixels of a piece of its picture u32

Facts: the copy that comes with COPS v6.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import attrs

from protocol.co.dmap import MapError, Reader

if TYPE_CHECKING:
    from collections.abc import Sequence

PIECE: Final = 256
"""Pixels of a piece of every picture in that copy."""

_ENTRY: Final = struct.Struct("<II")
_NUMBER: Final = struct.Struct("<I")


@attrs.frozen
class ListedMap:
    """A map's number, its file below the client's folder, and how large the pieces of its picture are."""

    number: int
    path: str
    piece: int = PIECE


def read_list(data: bytes) -> tuple[ListedMap, ...]:
    """The maps of a file. Raises MapError."""
    reader = Reader(data)
    found = []
    for place in range(reader.count(_ENTRY.size + _NUMBER.size, "maps")):
        what = f"map {place} of the list"
        number, length = reader.unpack(_ENTRY, what)
        path = reader.take(length, what).decode("latin-1")
        (piece,) = reader.unpack(_NUMBER, what)
        found.append(ListedMap(number, path, piece))
    if reader.at != len(data):
        raise MapError(f"{len(data) - reader.at} bytes follow the {len(found)} maps of the list")
    return tuple(found)


def write_list(maps: Sequence[ListedMap]) -> bytes:
    """The file that lists these maps."""
    parts = [_NUMBER.pack(len(maps))]
    for listed in maps:
        path = listed.path.encode("latin-1")
        parts += [_ENTRY.pack(listed.number, len(path)), path, _NUMBER.pack(listed.piece)]
    return b"".join(parts)
