"""Looks through a Tiled map before pytiled-parser reads it, which trusts its input: it inflates whatever it
is given, opens every file that a map names, and makes lists as long as a map says it is.

Nothing is made of the map here. It goes to the parser when its size, its layers and the files it names are
within bounds; what else is wrong with it costs a line there.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
import zlib
from typing import TYPE_CHECKING, Final

import pytiled_parser

from protocol.reading import UnreadableError, read_bytes, read_json, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytiled_parser.tiled_map import TiledMap

MAP_BYTES: Final = 8 << 20
"""A map of the most tiles, with its layers as plain numbers."""

PART_BYTES: Final = 512 << 10
"""Of a tileset or of an object's template."""

MOST_TILES: Final = 512 * 1024
"""Of a map. Ours have 120 x 120; Endless Online's clients take 253 x 253."""

MOST_CELLS: Final = 8 * MOST_TILES
"""In all layers of a map together."""

MOST_OBJECTS: Final = 20_000
"""In all layers of a map together, and so many files may be read for them."""

MOST_KEPT: Final = 16
"""Maps that are kept as they were read; with the next one they are all forgotten."""

LARGEST: Final = 1e9
"""Coordinates and sizes of objects, in pixels."""

_INFLATING: Final = {"zlib": zlib.MAX_WBITS, "gzip": zlib.MAX_WBITS | 16}
_MEASURES: Final = ("x", "y", "width", "height")


_kept: dict[Path, tuple[Mapping[Path, bytes], TiledMap]] = {}
"""Of each map: the hashes of the files that it was read from, and what was read."""


def read_map(path: Path) -> TiledMap:
    """A map within all bounds, which nobody may change: one of which no file was saved since is not parsed
    again. Raises UnreadableError, and whatever pytiled-parser stumbles over."""
    hashes, drawn = _kept.get(path, ({}, None))
    if drawn is not None and all(_is_same(file, digest) for file, digest in hashes.items()):
        return drawn
    hashes = {file: _hash_of(file) for file in (path, *check_map(path))}
    drawn = pytiled_parser.parse_map(path)
    if len(_kept) >= MOST_KEPT:
        _kept.clear()
    _kept[path] = hashes, drawn
    return drawn


def _hash_of(path: Path) -> bytes:
    return hashlib.sha256(read_bytes(path, MAP_BYTES)).digest()


def _is_same(path: Path, digest: bytes) -> bool:
    try:
        return _hash_of(path) == digest
    except UnreadableError:
        return False


def check_map(path: Path) -> set[Path]:
    """The files that a map names, and those that these name. Raises UnreadableError if a map is none, or
    beyond all bounds, or names a file that is."""
    drawn = read_json(path, MAP_BYTES)
    if not isinstance(drawn, dict):
        raise UnreadableError("not a Tiled map: must be an object")
    if drawn.get("infinite"):
        raise UnreadableError("must not be an infinite map")
    width, height = (_whole(drawn, key) for key in ("width", "height"))
    _whole(drawn, "tilewidth")
    _whole(drawn, "tileheight")
    if width * height > MOST_TILES:
        raise UnreadableError(f"{width} x {height} tiles: {MOST_TILES} are the most")
    cells = objects = 0
    for part in _tables(drawn):
        if "chunks" in part:
            raise UnreadableError("must not be an infinite map")
        if isinstance(part.get("data"), str | list):
            cells += _check_layer(part, width, height)
        if isinstance(things := part.get("objects"), list):
            objects += len(things)
        if cells > MOST_CELLS or objects > MOST_OBJECTS:
            raise UnreadableError(f"its layers have more than {MOST_CELLS} tiles or {MOST_OBJECTS} objects")
    _check_objects(drawn)
    files: set[Path] = set()
    _check_files(path.parent, drawn, files)
    return files


def _whole(table: dict[str, object], key: str) -> int:
    value = table.get(key)
    if type(value) is not int or value < 1:
        raise UnreadableError(f"{key}: must be a whole number of 1 or more")
    return value


def _tables(root: object) -> Iterator[dict[str, object]]:
    """All tables of a file, wherever they lie in it."""
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting += (one for one in value.values() if isinstance(one, dict | list))
        elif isinstance(value, list):
            waiting += (one for one in value if isinstance(one, dict | list))


def _check_layer(layer: dict[str, object], width: int, height: int) -> int:
    """The tiles of a layer. Raises UnreadableError if they are not as many as the map's."""
    name, data, encoding = layer.get("name"), layer["data"], layer.get("encoding")
    where = f"layer {name}" if isinstance(name, str) else "a layer"
    if layer.get("width") != width or layer.get("height") != height:
        raise UnreadableError(f"{where}: must be a tile layer of {width} x {height}")
    if isinstance(data, list):
        if encoding not in (None, "csv"):
            raise UnreadableError(f"{where}: its data are no text, as encoding {encoding!r} wants")
        return len(data)
    assert isinstance(data, str)
    if encoding != "base64":
        raise UnreadableError(f"{where}: encoding {encoding!r} is none of base64 and csv")
    try:
        raw = base64.b64decode(data)
    except binascii.Error as error:
        raise UnreadableError(f"{where}: {error}") from None
    compression, size = layer.get("compression") or "", 4 * width * height
    if compression:
        bits = _INFLATING.get(compression) if isinstance(compression, str) else None
        if bits is None:
            raise UnreadableError(f"{where}: compression {compression!r} is none of zlib and gzip")
        inflating = zlib.decompressobj(bits)
        try:
            raw = inflating.decompress(raw, size + 1)
        except zlib.error as error:
            raise UnreadableError(f"{where}: {error}") from None
        if inflating.unused_data:
            raise UnreadableError(f"{where}: goes on behind its end")
    if len(raw) != size:
        more = "more" if len(raw) > size else "less"
        raise UnreadableError(f"{where}: has {more} than {width} x {height} tiles")
    return width * height


def _check_objects(drawn: dict[str, object]) -> None:
    for part in _tables(drawn):
        objects = part.get("objects")
        for thing in objects if isinstance(objects, list) else ():
            if not isinstance(thing, dict):
                raise UnreadableError("an object must be a table")
            for key in _MEASURES:
                value = thing.get(key, 0)
                if type(value) not in (int, float) or not math.fabs(value) <= LARGEST:
                    raise UnreadableError(f"object {thing.get('id')}: {key}: must be a number of pixels")


def _check_files(folder: Path, drawn: dict[str, object], files: set[Path]) -> None:
    """Every file that a map names, noted in `files`. Raises UnreadableError for one that is none of these, or
    too many of them."""
    spent = 0
    for part in _tables(drawn):
        for key in ("source", "template"):
            name = part.get(key)
            if not isinstance(name, str):
                continue
            spent += _check_file(folder / name, name, files)
            if spent > 2 * MAP_BYTES:
                raise UnreadableError(f"names files of more than {2 * MAP_BYTES} bytes")


def _check_file(path: Path, name: str, files: set[Path]) -> int:
    """The bytes of a tileset or a template, with those of the tileset that it names."""
    files.add(path)
    try:
        text = read_text(path, PART_BYTES)
        if text.lstrip().startswith("<"):
            if "<!" in text.replace("<!--", ""):
                raise UnreadableError("declares more than a tileset is made of")
            if 'source="' in text and "<template" in text:
                raise UnreadableError("is a template in XML; save it as .tj")
            return len(text)
        found = read_json(path, PART_BYTES)
    except UnreadableError as error:
        raise UnreadableError(f"{error}: {name}") from None
    size = len(text)
    if isinstance(found, dict) and isinstance(tileset := found.get("tileset"), dict):
        source = tileset.get("source")
        if isinstance(source, str):
            size += _check_file(path.parent / source, source, files)
    for part in _tables(found):
        if isinstance(part.get("data"), str | list) or "chunks" in part:
            raise UnreadableError(f"has layers of tiles, as only a map does: {name}")
    return size
