"""Ultima Online's map files: the ground of a facet, and what stands on it.

::

    map0.mul      196 bytes for each block of 8 x 8 tiles: u32, then row by row 64 times land u16, z i8
    staidx0.mul   12 bytes for each block: where its statics are u32, how many bytes they have u32, u32
    statics0.mul  7 bytes for each static: item u16, x u8, y u8 (within its block), z i8, hue u16

Blocks come column by column: number = (x // 8) * (height // 8) + y // 8. All numbers are little-endian. A
block without statics has 0 or -1 bytes of them. (ServUO/ServUO: Server/TileMatrix.cs.)

Clients from 7.0.24 on have in `map0LegacyMUL.uop` what was map0.mul before, and `copy_map` reads it out of
there. A `.uop` holds files without names: a 64 bit hash stands for each. A map is cut into files of 0xC4000
bytes, `build/map0legacymul/00000000.dat` and so on. (ClassicUO/ClassicUO: src/ClassicUO.IO/UOFileUop.cs.)

A plot is laid in place: its blocks of land are written over, and the statics of a block are appended with a
new entry in the index, because the old ones may be fewer; what nothing refers to any more stays in the file.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, BinaryIO, Final

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from protocol.uo.looks import UoLooks
    from world.content import Chart, TileKind

HEIGHTS: Final[Mapping[int, int]] = {0: 4096, 1: 4096, 2: 1600, 3: 2048, 4: 1448, 5: 4096}
WIDTHS: Final[Mapping[int, Sequence[int]]] = {
    0: (7168, 6144),
    1: (7168, 6144),
    2: (2304,),
    3: (2560,),
    4: (1448,),
    5: (1280,),
}
"""Tiles of each facet, the newest size first: clients before Mondain's Legacy have narrower first two."""

GRASS: Final = (0x0003, 0x0004, 0x0005, 0x0006)
"""Land of even grass (ServUO/ServUO: Data/Components/floors.txt has no land; the ids are tiledata's)."""

BLOCK_BYTES: Final = 196
INDEX_BYTES: Final = 12
STATIC_BYTES: Final = 7
MOST_STATICS: Final = 0xFFFF
"""Of one block: no client needs more, and a file that says more is damaged."""

_LAND: Final = struct.Struct("<Hb")
_INDEX: Final = struct.Struct("<iii")
_STATIC: Final = struct.Struct("<HBBbH")

UOP_MAGIC: Final = 0x0050594D
"""b"MYP" and a zero."""

MOST_TABLES: Final = 1000
MOST_PIECES: Final = 1000
LARGEST_PIECE: Final = 0xC4000
"""4096 blocks of 196 bytes; facets have some hundred pieces."""

_UOP_HEAD: Final = struct.Struct("<IIIQII")
_UOP_TABLE: Final = struct.Struct("<IQ")
_UOP_FILE: Final = struct.Struct("<QIIIQIH")
_MASK: Final = 0xFFFFFFFF


class MapError(ValueError):
    """A file is not the one it should be; the message says what is wrong with it."""


@attrs.frozen
class Static:
    """An item that stands on the map, at the client's coordinates."""

    item: int
    x: int
    y: int
    z: int
    hue: int = 0


@attrs.frozen
class Plot:
    """A rectangle of a facet."""

    x: int
    y: int
    width: int
    height: int
    z: int = 0

    def contains(self, x: int, y: int) -> bool:
        """Whether a tile is in it."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    def blocks(self) -> Iterator[tuple[int, int]]:
        """The blocks it touches, as x and y of the first tile of each."""
        for left in range(self.x // 8 * 8, self.x + self.width, 8):
            for top in range(self.y // 8 * 8, self.y + self.height, 8):
                yield left, top


@attrs.frozen
class Facet:
    """The three files of a facet, open to read and write, and its size in tiles."""

    width: int
    height: int
    land: BinaryIO
    index: BinaryIO
    statics: BinaryIO

    @classmethod
    def of(cls, number: int, land: BinaryIO, index: BinaryIO, statics: BinaryIO) -> Facet:
        """A client's files of a facet. Raises MapError if they do not have the size of one."""
        size, blocks = _length(land), _length(index) // INDEX_BYTES
        for width in WIDTHS[number]:
            # Some files have a few bytes, or a column of blocks, more than the facet.
            expected = width // 8 * (HEIGHTS[number] // 8)
            if size >= expected * BLOCK_BYTES and blocks >= expected:
                return cls(width, HEIGHTS[number], land, index, statics)
        raise MapError(f"facet {number} cannot have {size // BLOCK_BYTES} blocks, and statics for {blocks}")

    @classmethod
    def empty(cls, number: int, land: BinaryIO, index: BinaryIO, statics: BinaryIO) -> Facet:
        """Make three empty files a facet on which nothing is. They are sparse where the disk can do that."""
        width, height = WIDTHS[number][0], HEIGHTS[number]
        blocks = width // 8 * (height // 8)
        land.truncate(blocks * BLOCK_BYTES)
        index.truncate(blocks * INDEX_BYTES)
        return cls(width, height, land, index, statics)

    def lay(self, plot: Plot, statics: Iterable[Static]) -> None:
        """Make a plot even grass with these statics on it, and nothing else. Everything around stays as it
        is. Raises MapError."""
        if plot.x < 0 or plot.y < 0 or plot.x + plot.width > self.width or plot.y + plot.height > self.height:
            raise MapError(f"{plot} reaches beyond {self.width} x {self.height} tiles")
        if not -128 <= plot.z <= 127:
            raise MapError(f"the ground cannot be at z {plot.z}")
        by_block: dict[tuple[int, int], list[Static]] = {}
        for static in statics:
            if not plot.contains(static.x, static.y) or not -128 <= static.z <= 127:
                raise MapError(f"{static} does not lie on {plot}")
            by_block.setdefault((static.x // 8 * 8, static.y // 8 * 8), []).append(static)
        for left, top in plot.blocks():
            number = left // 8 * (self.height // 8) + top // 8
            self._lay_land(plot, number, left, top)
            self._lay_statics(plot, number, left, top, by_block.get((left, top), []))

    def _lay_land(self, plot: Plot, number: int, left: int, top: int) -> None:
        self.land.seek(number * BLOCK_BYTES)
        block = bytearray(self.land.read(BLOCK_BYTES))
        for cell in range(64):
            x, y = left + cell % 8, top + cell // 8
            if plot.contains(x, y):
                _LAND.pack_into(block, 4 + cell * _LAND.size, GRASS[(x * 7 + y * 13) % len(GRASS)], plot.z)
        self.land.seek(number * BLOCK_BYTES)
        self.land.write(block)

    def _lay_statics(self, plot: Plot, number: int, left: int, top: int, new: Sequence[Static]) -> None:
        self.index.seek(number * INDEX_BYTES)
        offset, length, extra = _INDEX.unpack(self.index.read(INDEX_BYTES))
        records = [
            (item, x, y, z, hue)
            for item, x, y, z, hue in self._records(number, offset, length)
            if not plot.contains(left + x, top + y)
        ]
        if not new and len(records) * STATIC_BYTES == max(length, 0):
            return
        records += [(static.item, static.x - left, static.y - top, static.z, static.hue) for static in new]
        # At the end: what stood there before is left where nothing refers to it.
        end = self.statics.seek(0, 2)
        self.statics.write(b"".join(_STATIC.pack(*record) for record in records))
        entry = (end, len(records) * STATIC_BYTES, extra) if records else (-1, -1, extra)
        self.index.seek(number * INDEX_BYTES)
        self.index.write(_INDEX.pack(*entry))

    def _records(self, number: int, offset: int, length: int) -> Iterator[tuple[int, int, int, int, int]]:
        if offset < 0 or length <= 0:
            return
        if length > MOST_STATICS * STATIC_BYTES:
            raise MapError(f"block {number} has {length} bytes of statics")
        self.statics.seek(offset)
        data = self.statics.read(length)
        if len(data) < length or length % STATIC_BYTES:
            raise MapError(f"the statics of block {number} are cut short")
        yield from _STATIC.iter_unpack(data)


def statics(chart: Chart, looks: UoLooks) -> Iterator[Static]:
    """All that the server shows of a realm as items, at its place in the atlas: its ground where that is not
    grass, and everything that stands on it."""
    where = chart.place("uo")
    for kind, x, y, height in _pieces(chart):
        for piece in looks.scenery(kind.key, x, y):
            z = where.get("z", 0) + height + piece.z
            yield Static(piece.item, where["x"] + x, where["y"] + y, z, piece.hue)


def _pieces(chart: Chart) -> Iterator[tuple[TileKind, int, int, int]]:
    for place, kind in enumerate(chart.ground):
        yield kind, place % chart.width, place // chart.width, 0
    for piece in chart.scenery:
        yield piece.kind, piece.x, piece.y, piece.z


def _length(file: BinaryIO) -> int:
    return file.seek(0, 2)


# --- .uop ---


def copy_map(facet: int, uop: BinaryIO, land: BinaryIO) -> None:
    """Write the map that is in a .uop as the .mul that it was. Raises MapError if it is not all there, or in
    a form that is not known."""
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
    magic, _, _, table, _, _ = _UOP_HEAD.unpack(_take(uop, _UOP_HEAD.size))
    if magic != UOP_MAGIC:
        raise MapError("not a .uop file")
    for _ in range(MOST_TABLES):
        if not table:
            return
        uop.seek(table)
        count, table = _UOP_TABLE.unpack(_take(uop, _UOP_TABLE.size))
        for _ in range(count):
            offset, head, length, _, name, _, packed = _UOP_FILE.unpack(_take(uop, _UOP_FILE.size))
            if offset:
                yield name, offset + head, length, packed
    raise MapError(f"it has more than {MOST_TABLES} tables of files")


def _take(uop: BinaryIO, count: int) -> bytes:
    data = uop.read(count)
    if len(data) < count:
        raise MapError("it is cut short")
    return data


def name_hash(name: str) -> int:
    """The number that stands for a file's name: Bob Jenkins' lookup3 (hashlittle2) of its letters, small
    ones."""
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
