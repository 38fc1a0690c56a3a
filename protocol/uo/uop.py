"""Reads the map out of `map0LegacyMUL.uop`, in which clients from 7.0.24 on have what was map0.mul before.

A `.uop` holds files without names: a 64 bit hash stands for each. A map is cut into files of 0xC4000 bytes,
`build/map0legacymul/00000000.dat` and so on. (ClassicUO/ClassicUO: src/ClassicUO.IO/UOFileUop.cs.)
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, BinaryIO, Final

from protocol.uo.mapfiles import MapError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC: Final = 0x0050594D
"""b"MYP" and a zero."""

MOST_TABLES: Final = 1000
MOST_PIECES: Final = 1000
LARGEST_PIECE: Final = 0xC4000
"""4096 blocks of 196 bytes; facets have some hundred pieces."""

_HEAD: Final = struct.Struct("<IIIQII")
_TABLE: Final = struct.Struct("<IQ")
_FILE: Final = struct.Struct("<QIIIQIH")
_MASK: Final = 0xFFFFFFFF


def copy_map(facet: int, uop: BinaryIO, land: BinaryIO) -> None:
    """Writes the map that is in a .uop as the .mul that it was. Raises MapError."""
    places = {entry[0]: entry[1:] for entry in _entries(uop)}
    for number in range(MOST_PIECES):
        place = places.get(name_hash(f"build/map{facet}legacymul/{number:08}.dat"))
        if place is None:
            if number == 0:
                raise MapError(f"there is no map {facet} in it")
            return
        offset, length, packed = place
        if packed:
            raise MapError("its map is compressed, which is not known of any client")
        if length > LARGEST_PIECE:
            raise MapError(f"piece {number} of its map has {length} bytes")
        uop.seek(offset)
        land.write(_take(uop, length))


def _entries(uop: BinaryIO) -> Iterator[tuple[int, int, int, int]]:
    """Of each file: the hash of its name, where it is, its bytes, and how it is compressed (0: not)."""
    uop.seek(0)
    magic, _, _, table, _, _ = _HEAD.unpack(_take(uop, _HEAD.size))
    if magic != MAGIC:
        raise MapError("not a .uop file")
    for _ in range(MOST_TABLES):
        if not table:
            return
        uop.seek(table)
        count, table = _TABLE.unpack(_take(uop, _TABLE.size))
        for _ in range(count):
            offset, head, length, _, name, _, packed = _FILE.unpack(_take(uop, _FILE.size))
            if offset:
                yield name, offset + head, length, packed
    raise MapError(f"it has more than {MOST_TABLES} tables of files")


def _take(uop: BinaryIO, count: int) -> bytes:
    data = uop.read(count)
    if len(data) < count:
        raise MapError("it is cut short")
    return data


def name_hash(name: str) -> int:
    """What stands for a file's name: Bob Jenkins' lookup3 (hashlittle2) of its letters, small ones."""
    data = name.encode("ascii")
    a = b = c = (0xDEADBEEF + len(data)) & _MASK
    while len(data) > 12:
        x, y, z = struct.unpack_from("<III", data)
        a, b, c = _mix((a + x) & _MASK, (b + y) & _MASK, (c + z) & _MASK)
        data = data[12:]
    if data:
        x, y, z = struct.unpack("<III", data.ljust(12, b"\0"))
        a, b, c = _final((a + x) & _MASK, (b + y) & _MASK, (c + z) & _MASK)
    return b << 32 | c


def _turn(value: int, by: int) -> int:
    return (value << by | value >> (32 - by)) & _MASK


def _mix(a: int, b: int, c: int) -> tuple[int, int, int]:
    for by in (4, 6, 8, 16, 19, 4):
        a = ((a - c) & _MASK) ^ _turn(c, by)
        c = (c + b) & _MASK
        a, b, c = b, c, a
    return a, b, c


def _final(a: int, b: int, c: int) -> tuple[int, int, int]:
    for by in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - _turn(b, by)) & _MASK
        a, b, c = b, c, a
    return c, a, b
