"""Makes the files that Endless Online's client downloads: its map and the lists of items, NPCs, spells and
classes.

All come from the same content that the world runs on, so what a client draws is what the world knows. The
same content gives the same bytes at every start: a client keeps a file as long as its rid (revision id)
stays the same, and the rid is a checksum of the file. The records are eolib's, and so is the order of their
fields.
"""

from __future__ import annotations

import zlib
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import attrs
from eolib import EoWriter, encode_number
from eolib.protocol import Coords
from eolib.protocol.map import (
    Emf,
    MapGraphicLayer,
    MapGraphicRow,
    MapGraphicRowTile,
    MapMusicControl,
    MapSign,
    MapTileSpec,
    MapTileSpecRow,
    MapTileSpecRowTile,
    MapTimedEffect,
    MapType,
    MapWarp,
    MapWarpRow,
    MapWarpRowTile,
)
from eolib.protocol.pub import (
    Ecf,
    EcfRecord,
    Eif,
    Enf,
    Esf,
    NpcType,
)

from protocol.eo import boards, chests
from protocol.eo.looks import LAYERS, EoLooks
from protocol.eo.numbers import ITEMS, NPCS
from protocol.eo.records import item, item_record, npc, npc_record, spell
from protocol.kept import Kept
from world.content import Chart, Content, Warp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

T = TypeVar("T")
Cell = tuple[int, int]

MAX_FILE: Final = 63_900
"""Bytes of one file: it travels in one packet of at most 64,008, with some to spare."""

MAX_NPCS: Final = 252
"""An NPC's number on a map is one byte, and 253 is EO's zero."""

MAX_SIDE: Final = 252
"""Coordinates are one byte, likewise."""

MAX_TITLE: Final = 24
"""eo-protocol, xml/map/protocol.xml: the name of a map."""

DOOR: Final = 1
"""A door that needs no key."""

CLASSES: Final = ("Adventurer",)
SENTINEL: Final = "eof"
"""The name of the last record of every list: the original files (version 0) end so, and count it."""

SPARE: Final = 100
"""Records behind those of the items. Who plays on while more kinds than that come into data/ has to log in
anew."""

UNKNOWN_ITEM: Final = "Something New"

_GROUND: Final = LAYERS.index("ground")
_SHADOW: Final = LAYERS.index("shadow")


@attrs.frozen
class PubFile:
    """A list of records. `kind` is its magic: EIF items, ENF NPCs, ESF spells, ECF classes."""

    kind: str
    rid: tuple[int, int]
    count: int
    data: bytes


@attrs.frozen
class MapFile:
    """A map; `size` is its length in bytes, by which the client tells whether its own copy is whole."""

    map_id: int
    rid: tuple[int, int]
    size: int
    data: bytes


@attrs.frozen
class Files:
    """Everything that clients download, and what of the content they could not take: one line for each, with
    realm or file. A realm with a mistake in it has no map here, and no server starts with one."""

    maps: Mapping[int, MapFile]
    """By map id."""
    items: PubFile
    npcs: PubFile
    spells: PubFile
    classes: PubFile
    problems: Sequence[str]


_MAPS: Final = Kept[MapFile](most=8)
"""Of realms in the last contents: to write one takes up to a fifth of a second."""


def build(content: Content, looks: EoLooks) -> Files:
    """Makes and checks all files."""
    problems: list[str] = []
    maps: dict[int, MapFile] = {}
    tiles = content.tiles.values()
    for name in looks.maps:
        realm, chart = f"realms/{name}: EO", content.charts[name]
        found = list(_problems(chart, looks))
        if not found:
            fixed = {**chests.tiles(chart, content), **boards.tiles(chart, content)}
            standing = (part for (x, y), spec in fixed.items() for part in (x, y, int(spec)))
            parts = (
                *chart.drawing,
                *tiles,
                *(part for pair in looks.maps.items() for part in pair),
                *standing,
            )
            file = _MAPS.of(parts, partial(build_map, chart, looks, fixed))
            if file.size <= MAX_FILE:
                maps[file.map_id] = file
            else:
                found = [f"the map is {file.size} bytes, {MAX_FILE} is the most"]
        problems.extend(f"{realm}: {problem}" for problem in found)
    pubs = build_items(content, looks), build_npcs(content, looks), build_spells(), build_classes()
    problems.extend(
        f"{pub.kind}: {len(pub.data)} bytes, {MAX_FILE} is the most"
        for pub in pubs
        if len(pub.data) > MAX_FILE
    )
    return Files(maps, *pubs, problems)


def build_map(chart: Chart, looks: EoLooks, fixed: Mapping[Cell, MapTileSpec] | None = None) -> MapFile:
    """The map of a realm in looks.maps; `fixed`: the boards and chests in it. NPCs are not in it: the server
    sends them, as it sends people."""
    layers = _layers(chart, looks)
    fill = Counter(layers[_GROUND].values()).most_common(1)[0][0]
    layers[_GROUND] = {cell: graphic for cell, graphic in layers[_GROUND].items() if graphic != fill}
    emf = Emf(
        rid=(0, 0),
        name=chart.title,
        type=MapType.Pk if _has_fights(chart) else MapType.Normal,
        timed_effect=MapTimedEffect.None_,
        music_id=0,
        music_control=MapMusicControl.InterruptIfDifferentPlayOnce,
        ambient_sound_id=0,
        width=chart.width - 1,
        height=chart.height - 1,
        fill_tile=fill,
        map_available=True,
        can_scroll=True,
        relog_x=0,
        relog_y=0,
        npcs=(),
        legacy_door_keys=(),
        items=(),
        tile_spec_rows=[
            MapTileSpecRow(y=y, tiles=[MapTileSpecRowTile(x=x, tile_spec=spec) for x, spec in row])
            for y, row in _rows({**_specs(chart, looks), **(fixed or {})})
        ],
        warp_rows=[
            MapWarpRow(y=y, tiles=[MapWarpRowTile(x=x, warp=warp) for x, warp in row])
            for y, row in _rows(_warps(chart, looks))
        ],
        graphic_layers=[
            MapGraphicLayer(
                graphic_rows=[
                    MapGraphicRow(y=y, tiles=[MapGraphicRowTile(x=x, graphic=graphic) for x, graphic in row])
                    for y, row in _rows(layer)
                ]
            )
            for layer in layers
        ],
        signs=[
            MapSign(
                coords=Coords(x=sign.x, y=sign.y),
                string_data=sign.title + sign.text,
                title_length=len(sign.title),
            )
            for sign in chart.signs
        ],
    )
    rid, data = _revise(_write(Emf.serialize, emf))
    return MapFile(looks.maps[chart.name], rid, len(data), data)


def _has_fights(chart: Chart) -> bool:
    """Whether players may fight each other anywhere on it: elsewhere their clients would not let them try."""
    return chart.fights or any(region.fights for region in chart.regions)


def build_items(content: Content, looks: EoLooks) -> PubFile:
    """The items, record n being the template of id n. A number of which the kind is gone looks as one does
    that nobody knows yet, of which some follow: what comes into data/ while a client plays has one of those,
    and is a parcel to it until it reads the list anew."""
    records = {
        number: item_record(content.items[key], item, female=number != item.id)
        for key, item in looks.items.items()
        for number in (item.id, item.female_id)
    }
    last = max(looks.numbers[ITEMS].values(), default=0) + SPARE
    spare = item(name=UNKNOWN_ITEM, graphic_id=_parcel(looks))
    ordered = [records.get(number, spare) for number in range(1, last + 1)]
    ordered.append(item(name=SENTINEL, graphic_id=0))
    pub = Eif(rid=(0, 0), total_items_count=len(ordered), version=0, items=ordered)
    return _pub("EIF", len(ordered), _write(Eif.serialize, pub))


def build_npcs(content: Content, looks: EoLooks) -> PubFile:
    """The kinds of mobiles that are drawn as NPCs, record n being that of id n; without a name where the kind
    is gone."""
    known = {
        look.id: npc_record(content.mobiles[key], look, content.growth) for key, look in looks.npcs.items()
    }
    gone = npc(name="", graphic_id=0, npc_type=NpcType.Friendly, hits=0)
    last = max(looks.numbers[NPCS].values(), default=0)
    records = [known.get(number, gone) for number in range(1, last + 1)]
    records.append(npc(name=SENTINEL, graphic_id=0, npc_type=NpcType.Friendly, hits=0))
    pub = Enf(rid=(0, 0), total_npcs_count=len(records), version=0, npcs=records)
    return _pub("ENF", len(records), _write(Enf.serialize, pub))


def _parcel(looks: EoLooks) -> int:
    """The picture of what a client has no record of: that of a pack."""
    pack = looks.items.get("backpack")
    return pack.graphic if pack is not None else 1


def build_spells() -> PubFile:
    """The spells: none yet."""
    records = [spell(SENTINEL)]
    pub = Esf(rid=(0, 0), total_skills_count=len(records), version=0, skills=records)
    return _pub("ESF", len(records), _write(Esf.serialize, pub))


def build_classes() -> PubFile:
    """The classes. The world has none, so everybody has the same one."""
    records = [
        EcfRecord(name=name, parent_type=0, stat_group=0, str=0, intl=0, wis=0, agi=0, con=0, cha=0)
        for name in (*CLASSES, SENTINEL)
    ]
    pub = Ecf(rid=(0, 0), total_classes_count=len(records), version=0, classes=records)
    return _pub("ECF", len(records), _write(Ecf.serialize, pub))


def _problems(chart: Chart, looks: EoLooks) -> Iterator[str]:
    """What EO's client could not take of a realm."""
    if max(chart.width, chart.height) > MAX_SIDE:
        yield f"{chart.width} x {chart.height} tiles, {MAX_SIDE} x {MAX_SIDE} is the most"
    if len(chart.title) > MAX_TITLE:
        yield f"the title is longer than {MAX_TITLE} letters"
    npcs = len(chart.residents) + sum(spawner.count for spawner in chart.spawners)
    if npcs > MAX_NPCS:
        yield f"{npcs} residents and creatures, {MAX_NPCS} is the most"
    for resident in chart.residents:
        if resident.template not in looks.npcs:
            yield f"resident at {resident.x}, {resident.y}: {resident.template!r} has no NPC id"
    for kind in sorted({kind for spawner in chart.spawners for kind, _ in spawner.kinds} - looks.npcs.keys()):
        yield f"creatures: {kind!r} has no NPC id"
    for (x, y), warp in chart.warps.items():
        if warp.realm not in looks.maps:
            yield f"warp at {x}, {y}: leads to {warp.realm!r}, which has no EO map"
    for sign in chart.signs:
        if len(sign.title) + len(sign.text) > 250:
            yield f"sign at {sign.x}, {sign.y}: more than 250 letters"
    yield from _overlaps(chart, looks)


def _overlaps(chart: Chart, looks: EoLooks) -> Iterator[str]:
    """Tiles on which two pieces want the same layer: the client could draw only one."""
    drawn: dict[tuple[int, int, int], str] = {}
    for piece in chart.scenery:
        key = piece.kind.key
        for layer in looks.tiles[key].graphics.keys() - {_SHADOW}:
            first = drawn.setdefault((piece.x, piece.y, layer), key)
            if first != key:
                yield f"tile {piece.x}, {piece.y}: {first!r} and {key!r} both need {LAYERS[layer]}"


def _layers(chart: Chart, looks: EoLooks) -> list[dict[Cell, int]]:
    layers: list[dict[Cell, int]] = [{} for _ in LAYERS]
    for index, kind in enumerate(chart.ground):
        y, x = divmod(index, chart.width)
        for layer, graphic in looks.tiles[kind.key].graphics.items():
            layers[layer][x, y] = graphic
    for piece in chart.scenery:
        tile = looks.tiles[piece.kind.key]
        for layer, graphic in tile.graphics.items():
            x = piece.x + (tile.shadow_dx if layer == _SHADOW else 0)
            if x < chart.width:
                layers[layer][x, piece.y] = graphic
    return layers


def _specs(chart: Chart, looks: EoLooks) -> dict[Cell, MapTileSpec]:
    """Wall wherever the world lets nobody stand, unless a piece there says more."""
    specs = {
        (index % chart.width, index // chart.width): MapTileSpec.Wall
        for index, blocked in enumerate(chart.blocked)
        if blocked
    }
    pieces = [(index % chart.width, index // chart.width, kind) for index, kind in enumerate(chart.ground)]
    pieces += [(piece.x, piece.y, piece.kind) for piece in chart.scenery]
    for x, y, kind in pieces:
        spec = looks.tiles[kind.key].spec
        if spec is not None and spec != MapTileSpec.Wall:
            specs[x, y] = spec
    return specs


def _warps(chart: Chart, looks: EoLooks) -> dict[Cell, MapWarp]:
    warps = {cell: _warp(warp, looks) for cell, warp in chart.warps.items() if warp.realm in looks.maps}
    for x, y in chart.doors - chart.warps.keys():
        # EO knows doors only as warps. One to walk through leads to itself, and the server never warps there.
        warps[x, y] = _warp(Warp(chart.name, x, y, door=True), looks)
    return warps


def _warp(warp: Warp, looks: EoLooks) -> MapWarp:
    return MapWarp(
        destination_map=looks.maps[warp.realm],
        destination_coords=Coords(x=warp.x, y=warp.y),
        level_required=0,
        door=DOOR if warp.door else 0,
    )


def _rows(cells: Mapping[Cell, T]) -> list[tuple[int, list[tuple[int, T]]]]:
    """The cells by row, both in rising order: the file has only rows that are not empty."""
    rows: dict[int, list[tuple[int, T]]] = {}
    for x, y in sorted(cells, key=lambda cell: (cell[1], cell[0])):
        rows.setdefault(y, []).append((x, cells[x, y]))
    return list(rows.items())


def _write(serialize: Callable[[EoWriter, T], None], record: T) -> bytes:
    writer = EoWriter()  # type: ignore[no-untyped-call]  # eolib's constructor has no annotations
    serialize(writer, record)
    return bytes(writer.to_bytearray())


def _revise(data: bytes) -> tuple[tuple[int, int], bytes]:
    """Puts the revision id into a file that was written with (0, 0): it follows the magic's three letters."""
    checksum = zlib.crc32(data)
    rid = (checksum & 0xFFFF) % 64000 + 1, (checksum >> 16) % 64000 + 1
    stamp = b"".join(bytes(encode_number(half)[:2]) for half in rid)
    return rid, data[:3] + stamp + data[7:]


def _pub(kind: str, count: int, data: bytes) -> PubFile:
    rid, data = _revise(data)
    return PubFile(kind, rid, count, data)
