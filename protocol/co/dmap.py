"""Conquer Online's map files: `.dmap`, which tiles of a map one can stand on and how high they are, and
`.scene`, the houses and bridges that lie on it.

::

    version u32, u32 0 (or eight letters "DMAP...")   puzzle char[260]   width u32   height u32
    each row: width cells (mask u16, surface u16, altitude i16), checksum u32
    passages u32, each: x u32, y u32, number u32
    layers u32, each: kind u32, as many bytes as its kind has
    what only a client draws

All numbers are little-endian. A cell whose mask is not 0 is blocked. The puzzle is the picture of the ground.
What a server has no use for is kept as it is, so that what was read is written the same.

Facts: shekohex/coemu and COPS v6, and the checksums of six files of the latter; for the sizes of layers also
SantasCode/Tiled2Dmap.
"""

from __future__ import annotations

import struct
import sys
from array import array
from operator import mul
from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

LARGEST: Final = 2048 * 2048
"""Cells of a map or a scene. The publisher's largest maps have about 1000 x 1000."""

MOST_BYTES: Final = 64 << 20
"""No file of this size is a map: the largest has 24 MiB of cells."""

VERSIONS: Final = (1003, 1004, 1005)
PLAIN_VERSION: Final = 1004
"""What is written: the last version without the additions of 1005."""

LETTERS: Final = b"DMAP"
"""Some files have eight letters in the place of a number: laid out as version 1004."""

PACKED: Final = b"7z\xbc\xaf\x27\x1c"

PUZZLE_BYTES: Final = 260
TERRAIN: Final = 1
"""The layer that says where a scene lies."""
COVER: Final = 4
LAYER_BYTES: Final[Mapping[int, int]] = {
    TERRAIN: 260 + 8,
    COVER: 416,
    8: 260,  # another puzzle
    10: 72,  # an effect
    15: 276,  # a sound
    19: 96,  # a newer effect
}

NO_MORE_LAYERS: Final = bytes(4)
"""What clients read behind the layers: how many layers of a second sort there are (SantasCode/Tiled2Dmap)."""

_HEAD: Final = struct.Struct("<8s260sII")
_PASSAGE: Final = struct.Struct("<III")
_NUMBER: Final = struct.Struct("<I")
_SCENE_AT: Final = struct.Struct("<260sII")
_PART: Final = struct.Struct("<256s64sIIIIIiiii")


class MapError(ValueError):
    """A file is no map, or a broken one; the message says what is wrong with it."""


@attrs.frozen
class Passage:
    """A portal: whoever comes within a tile of (x, y) is told by the client's `PORTAL` action."""

    x: int
    y: int
    number: int


@attrs.frozen
class Layer:
    """Something that is drawn or heard on the map: its kind, and its bytes."""

    kind: int
    data: bytes

    def scene(self) -> SceneAt:
        """Of a TERRAIN layer: which scene lies where."""
        path, x, y = _SCENE_AT.unpack(self.data)
        return SceneAt(_text(path), x, y)


@attrs.frozen
class SceneAt:
    """A scene's file, as its publisher writes it (`map\\Scene\\inn.scene`), and its tile."""

    path: str
    x: int
    y: int


@attrs.frozen(eq=False)
class DMap:
    """A map. Cells are row-major: index = y * width + x."""

    width: int
    height: int
    masks: array[int]
    """16 bits each; 0 where one can stand."""
    surfaces: array[int]
    """16 bits each; 16 where a booth may stand."""
    altitudes: array[int]
    """16 bits each, signed."""
    passages: Sequence[Passage] = ()
    layers: Sequence[Layer] = ()
    version: bytes = struct.pack("<II", PLAIN_VERSION, 0)
    puzzle: bytes = bytes(PUZZLE_BYTES)
    rest: bytes = NO_MORE_LAYERS

    def scenes(self) -> Iterator[SceneAt]:
        """The scenes that lie on it."""
        return (layer.scene() for layer in self.layers if layer.kind == TERRAIN)

    def blocked(self) -> bytes:
        """One byte per cell: 1 where nobody can stand."""
        return bytes(map(bool, self.masks))

    @classmethod
    def plain(
        cls,
        width: int,
        height: int,
        blocked: bytes,
        heights: Sequence[int] = (),
        passages: Sequence[Passage] = (),
        puzzle: str = "",
    ) -> DMap:
        """A map that consists of ground only. Raises MapError if a client could not load it."""
        picture = puzzle.encode("latin-1", "replace")
        if len(picture) >= PUZZLE_BYTES:
            raise MapError(f"the puzzle's path is longer than {PUZZLE_BYTES - 1} letters")
        _check_size(width, height)
        try:
            altitudes = array("h", heights) if heights else array("h", bytes(2 * width * height))
        except OverflowError:
            raise MapError("a height is not one of -32768 to 32767") from None
        if not len(blocked) == len(altitudes) == width * height:
            raise MapError(f"{len(blocked)} cells, and {len(heights)} heights, for {width} x {height}")
        return cls(
            width,
            height,
            array("H", map(bool, blocked)),
            array("H", bytes(2 * width * height)),
            altitudes,
            tuple(passages),
            puzzle=picture.ljust(PUZZLE_BYTES, b"\0"),
        )


def row_checksum(y: int, masks: Sequence[int], surfaces: Sequence[int], altitudes: Sequence[int]) -> int:
    """The number behind row `y`: the sum of mask * (surface + y + 1) + (altitude + 2) * (x + 1 + surface)
    over its cells, modulo 2 ** 32."""
    total: int = (y + 1) * sum(masks) + sum(map(mul, masks, surfaces))
    total += sum(map(mul, altitudes, range(1, len(altitudes) + 1))) + sum(map(mul, altitudes, surfaces))
    total += len(altitudes) * (len(altitudes) + 1) + 2 * sum(surfaces)
    return total & 0xFFFFFFFF


# Reading


class Reader:
    """Takes a file apart from its beginning. Raises MapError, with what is missing, if it ends too soon."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int, what: str) -> bytes:
        """The next `count` bytes, which are `what`. Raises MapError if the file ends before."""
        if len(self.data) - self.at < count:
            raise MapError(f"the file ends at {len(self.data)}, within {what}")
        self.at += count
        return self.data[self.at - count : self.at]

    def unpack(self, form: struct.Struct, what: str) -> tuple[int, ...]:
        """The numbers that come next."""
        return form.unpack(self.take(form.size, what))

    def count(self, least: int, what: str) -> int:
        """The number of things that follow, each of `least` bytes or more. Raises MapError if so many do not
        fit into the file."""
        (count,) = self.unpack(_NUMBER, f"the number of {what}")
        if count * least > len(self.data) - self.at:
            raise MapError(f"{count} {what} are more than fit into the file")
        return count


def read_dmap(data: bytes) -> DMap:
    """The map of a file. Raises MapError."""
    _check_length(data)
    reader = Reader(data)
    if data.startswith(PACKED):
        raise MapError("a 7z archive: unpack it, the map is in it")
    version, puzzle, width, height = _HEAD.unpack(reader.take(_HEAD.size, "the header"))
    named, zero = struct.unpack("<II", version)
    if not version.startswith(LETTERS) and (named not in VERSIONS or zero):
        raise MapError(f"version {named} (and {zero}) is none of {', '.join(map(str, VERSIONS))}")
    _check_size(width, height)
    rows = memoryview(reader.take(height * (6 * width + 4), "the cells"))
    masks, surfaces, altitudes = array("H"), array("H"), array("h")
    for y in range(height):
        start = y * (6 * width + 4)
        row = rows[start : start + 6 * width]
        words, signed = _little("H", row), _little("h", row)
        mask, surface, altitude = words[0::3], words[1::3], signed[2::3]
        (checksum,) = _NUMBER.unpack_from(rows, start + 6 * width)
        if checksum != row_checksum(y, mask, surface, altitude):
            raise MapError(f"the checksum of row {y} is wrong")
        masks.extend(mask)
        surfaces.extend(surface)
        altitudes.extend(altitude)
    count = reader.count(_PASSAGE.size, "passages")
    found = _PASSAGE.iter_unpack(reader.take(count * _PASSAGE.size, "passages"))
    passages = tuple(Passage(x, y, number) for x, y, number in found)
    layers = tuple(_layers(reader, named))
    return DMap(
        width, height, masks, surfaces, altitudes, passages, layers, version, puzzle, data[reader.at :]
    )


def _layers(reader: Reader, version: int) -> Iterator[Layer]:
    for place in range(reader.count(_NUMBER.size, "layers")):
        (kind,) = reader.unpack(_NUMBER, f"layer {place}")
        size = LAYER_BYTES.get(kind)
        if size is None:
            raise MapError(f"layer {place} is of kind {kind}, which is not known")
        if kind == COVER and version == 1005:
            size += 4
        yield Layer(kind, reader.take(size, f"layer {place}"))


def _check_length(data: bytes) -> None:
    if len(data) > MOST_BYTES:
        raise MapError(f"{len(data)} bytes, {MOST_BYTES} is the most")


def _check_size(width: int, height: int) -> None:
    if not (width and height) or width * height > LARGEST:
        raise MapError(f"{width} x {height} cells, 1 to {LARGEST} are possible")


def _little(kind: str, data: bytes | memoryview) -> array[int]:
    """The 16 bit numbers of a file, as an array of this machine."""
    numbers = array(kind, bytes(data))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("latin-1")


# Writing


def write_dmap(dmap: DMap) -> bytes:
    """The file of a map."""
    parts = [_HEAD.pack(dmap.version, dmap.puzzle, dmap.width, dmap.height)]
    cells = array("H", bytes(6 * dmap.width))
    for y in range(dmap.height):
        row = slice(y * dmap.width, (y + 1) * dmap.width)
        mask, surface, altitude = dmap.masks[row], dmap.surfaces[row], dmap.altitudes[row]
        cells[0::3], cells[1::3], cells[2::3] = mask, surface, array("H", altitude.tobytes())
        parts += [
            _little("H", cells.tobytes()).tobytes(),
            _NUMBER.pack(row_checksum(y, mask, surface, altitude)),
        ]
    parts.append(_NUMBER.pack(len(dmap.passages)))
    parts += [_PASSAGE.pack(passage.x, passage.y, passage.number) for passage in dmap.passages]
    parts.append(_NUMBER.pack(len(dmap.layers)))
    for layer in dmap.layers:
        parts += [_NUMBER.pack(layer.kind), layer.data]
    parts.append(dmap.rest)
    return b"".join(parts)


# Scenes


@attrs.frozen(eq=False)
class ScenePart:
    """A rectangle of cells of a scene, row by row as a map's. Its lower right corner lies (x, y) off the
    scene's tile."""

    width: int
    height: int
    x: int
    y: int
    masks: Sequence[int]
    surfaces: Sequence[int]
    altitudes: Sequence[int]


def read_scene(data: bytes) -> tuple[ScenePart, ...]:
    """The parts of a scene's file; how they look is left out. Raises MapError."""
    _check_length(data)
    reader = Reader(data)
    return tuple(_part(reader, place) for place in range(reader.count(_PART.size, "parts")))


def _part(reader: Reader, place: int) -> ScenePart:
    what = f"part {place}"
    # Two names, where and how fast its picture is drawn, size, thickness, where its cells lie, its height.
    _, _, _, _, _, width, height, _, x, y, _ = _PART.unpack(reader.take(_PART.size, what))
    if width * height > LARGEST:
        raise MapError(f"{what} has {width} x {height} cells, {LARGEST} is the most")
    cells = array("i", reader.take(12 * width * height, what))
    if sys.byteorder == "big":
        cells.byteswap()
    return ScenePart(width, height, x, y, cells[0::3], cells[1::3], cells[2::3])


def with_scenes(dmap: DMap, load: Callable[[str], Sequence[ScenePart]]) -> DMap:
    """The map with its scenes laid on it, as far as they reach: without them one walks through houses.
    `load` gives the parts of a scene by its path."""
    masks, surfaces, altitudes = dmap.masks[:], dmap.surfaces[:], dmap.altitudes[:]
    for scene in dmap.scenes():
        for part in load(scene.path):
            left, top = scene.x + part.x - part.width, scene.y + part.y - part.height
            first, last = max(0, -left), min(part.width, dmap.width - left)
            for row in range(max(0, -top), min(part.height, dmap.height - top)):
                to = (top + row) * dmap.width + left
                for column in range(first, last):
                    cell = row * part.width + column
                    masks[to + column] = part.masks[cell] & 0xFFFF
                    surfaces[to + column] = part.surfaces[cell] & 0xFFFF
                    altitudes[to + column] = max(-0x8000, min(part.altitudes[cell], 0x7FFF))
    return attrs.evolve(dmap, masks=masks, surfaces=surfaces, altitudes=altitudes)
