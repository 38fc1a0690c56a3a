"""`causeway export`: a realm as the map files of a game, for the folder of that game's clients.

What is written has the layout of a client's folder, so that an operator copies it over one. A client's own
files are read where they are needed and never written to.

What a game's map looks like in bytes is that game's (`protocol/*/`); here is which files there are, which
of the client's own are carried over, and the words for what an operator has to do with them. A facet of 90
MB is written through its files and taken away again if something was wrong; all else is made in memory
first. A realm is laid over a client's map and never merged with what stands there: what was meant by
somebody who changed both cannot be known.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import attrs

from protocol.co.dmap import DMap, Passage, write_dmap
from protocol.co.dmap import MapError as DMapError
from protocol.co.gamemap import ListedMap, read_list, write_list
from protocol.co.puzzle import NO_PIECE, write_ani, write_piece, write_puzzle
from protocol.eo import files
from protocol.eo.looks import compile_looks as compile_eo_looks
from protocol.tables import LookError
from protocol.uo import uop
from protocol.uo.looks import compile_looks as compile_uo_looks
from protocol.uo.mapfiles import HEIGHTS, Facet, MapError, Plot, statics
from server.content.clientfolder import find
from server.content.families import DATA
from server.content.painting import PaintingError, paint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import BinaryIO

    from world.content import Chart, Content

FIRST_OWN_MAP: Final = 9000
"""The number of an exported map of Conquer Online, unless another is asked for: none of the publisher's in
shekohex/coemu (data/Maps)."""

LISTS: Final = {"EIF": "dat001.eif", "ENF": "dtn001.enf", "ESF": "dsl001.esf", "ECF": "dat001.ecf"}
"""Names of Endless Online's lists in its client's folder `pub`, by their kind."""


class ExportError(Exception):
    """It cannot be done; the message says why."""


@attrs.frozen
class Order:
    """What is to be written. `client` is a folder of that game's client, where one is given; `map_number` is
    the new map's for Conquer Online (else `FIRST_OWN_MAP`), and for Ultima Online the facet whose files are
    written (else that of the atlas). `puzzle` is for Conquer Online: one of the client's pictures for its
    ground instead of a painted one. `data` is where the realm is from."""

    to: Path
    realm: str
    client: Path | None = None
    map_number: int | None = None
    puzzle: str = ""
    data: Path = DATA


def export(game: str, content: Content, order: Order) -> list[str]:
    """Writes a realm's files for a game; what was written and what to do with it, in lines. Raises
    ExportError and OSError."""
    if order.realm not in content.charts:
        raise ExportError(f"there is no realm {order.realm}; there are: {', '.join(sorted(content.charts))}")
    if order.client is not None:
        if not order.client.is_dir():
            raise ExportError(f"{order.client} is not a folder")
        if order.to.resolve() == order.client.resolve():
            raise ExportError(
                f"{order.to} is the client's own folder: write to another one, and copy it from there"
            )
    try:
        return EXPORTS[game](content, order)
    except LookError as error:
        raise ExportError("\n".join(error.problems)) from error
    except PaintingError as error:
        raise ExportError(f"{error} (--puzzle FILE does without a painted picture)") from error
    except (DMapError, MapError) as error:
        raise ExportError(str(error)) from error


# Conquer Online


def export_co(content: Content, order: Order) -> list[str]:
    """The map and its picture, and with a client's folder also its list of maps with the new one in it."""
    chart = content.charts[order.realm]
    number = FIRST_OWN_MAP if order.map_number is None else order.map_number
    if not 1 <= number <= 0xFFFFFFFF:
        raise ExportError(f"a map's number is 1 to {0xFFFFFFFF}, not {number}")
    if not chart.name.isascii():
        raise ExportError(f"the client cannot open files whose name has letters as {chart.name} has")
    path = f"map/map/{chart.name}.dmap"
    listed = ListedMap(number, path)
    dmap = write_dmap(as_dmap(chart, order.puzzle or f"map/puzzle/{chart.name}.pul"))
    lists = None if order.client is None else _with_map(_own(order.client, "ini/GameMap.dat"), listed)
    lines = [_write(order.to / path, dmap)]
    if not order.puzzle:
        lines += _write_picture(chart, order)
    if lists is not None:
        lines.append(_write(order.to / "ini" / "GameMap.dat", lists))
    else:
        lines.append(
            f"The client's ini/GameMap.dat must list it: number {listed.number}, path {path}, pieces of"
            f" {listed.piece} points. With --client FOLDER this is done for you."
        )
    return [
        *lines,
        "Copy what was written over the folder of every client, and say where the realm lies now, in"
        f" data/realms/{chart.name}.toml:",
        f"    co = {{ map = {listed.number}, document = {listed.number}, x = 0, y = 0 }}",
    ]


def _with_map(path: Path, listed: ListedMap) -> bytes:
    """A client's list of maps, with one more."""
    known = read_list(path.read_bytes())
    if any(other.number == listed.number and other.path != listed.path for other in known):
        raise ExportError(f"the client has a map {listed.number}: choose another number with --map")
    return write_list([*(other for other in known if other.number != listed.number), listed])


def _write_picture(chart: Chart, order: Order) -> list[str]:
    """The picture of the ground: pieces, the list of their files, and where they lie."""
    ani, folder = f"ani/{chart.name}.ani", f"data/map/puzzle/{chart.name}"
    names: list[str] = []
    numbers: dict[bytes, int] = {b"": NO_PIECE}
    rows: list[list[int]] = []
    for row in paint(chart, order.data / "realms"):
        for points in row:
            if points not in numbers:
                numbers[points] = len(names)
                names.append(f"{folder}/{len(names)}.dds")
                _write(order.to / names[-1], write_piece(points))
        rows.append([numbers[points] for points in row])
    return [
        f"wrote {len(names)} pieces of its picture below {order.to / folder}",
        _write(order.to / ani, write_ani(names).encode("ascii")),
        _write(order.to / "map" / "puzzle" / f"{chart.name}.pul", write_puzzle(ani, rows)),
    ]


def as_dmap(chart: Chart, puzzle: str = "") -> DMap:
    """A realm as a map of its own: a passage at every warp, numbered from 0 row by row."""
    cells = sorted(chart.warps, key=lambda cell: (cell[1], cell[0]))
    passages = [Passage(x, y, number) for number, (x, y) in enumerate(cells)]
    return DMap.plain(chart.width, chart.height, chart.blocked, chart.heights, passages, puzzle)


# Endless Online


def export_eo(content: Content, order: Order) -> list[str]:
    """The map and the lists that clients would download."""
    looks = compile_eo_looks(content)
    made = files.build(content, looks)
    number = looks.maps.get(order.realm)
    if number is None:
        raise ExportError(f"data/realms/{order.realm}.toml has no eo = {{ map = ... }} in its atlas")
    if number not in made.maps:
        raise ExportError("\n".join(made.problems))
    lines = [_write(order.to / "maps" / f"{number:05}.emf", made.maps[number].data)]
    lines += [
        _write(order.to / "pub" / LISTS[pub.kind], pub.data)
        for pub in (made.items, made.npcs, made.spells, made.classes)
    ]
    return [*lines, "Clients download these by themselves; copied over their folder they need not."]


# Ultima Online


def export_uo(content: Content, order: Order) -> list[str]:
    """The three files of the realm's facet: the client's with the realm in them, or else nothing but the
    realm."""
    chart = content.charts[order.realm]
    where = chart.place("uo")
    if not {"map", "x", "y"} <= where.keys() or where["map"] not in HEIGHTS:
        raise ExportError(
            f"data/realms/{chart.name}.toml has no uo = {{ map = 0 to 5, x = ..., y = ... }} in its atlas"
        )
    facet = where["map"] if order.map_number is None else order.map_number
    if facet not in HEIGHTS:
        raise ExportError(f"a facet is {min(HEIGHTS)} to {max(HEIGHTS)}, not {facet}")
    plot = Plot(where["x"], where["y"], chart.width, chart.height, where.get("z", 0))
    laid = list(statics(chart, compile_uo_looks(content)))
    paths = [order.to / name for name in (f"map{facet}.mul", f"staidx{facet}.mul", f"statics{facet}.mul")]
    order.to.mkdir(parents=True, exist_ok=True)
    try:
        with ExitStack() as stack:
            land, index, standing = (stack.enter_context(path.open("w+b")) for path in paths)
            if order.client is None:
                Facet.empty(facet, land, index, standing).lay(plot, laid)
            else:
                _copy_facet(facet, order.client, land, index, standing)
                Facet.of(facet, land, index, standing).lay(plot, laid)
    except (ExportError, MapError, OSError):
        for path in paths:
            path.unlink(missing_ok=True)
        raise
    lines = [f"wrote {path}" for path in paths]
    lines.append(
        f"Facet {facet} has {plot.width} x {plot.height} tiles of even grass at {plot.x}, {plot.y}, with"
        f" {len(laid)} statics."
    )
    if order.client is None:
        lines.append("All the rest of it is empty: with --client FOLDER it is as in that client.")
    return [
        *lines,
        "Copy the files over the folder of every client. A client that has"
        f" map{facet}LegacyMUL.uop reads that instead: take it away there.",
    ]


def _copy_facet(facet: int, client: Path, land: BinaryIO, index: BinaryIO, standing: BinaryIO) -> None:
    """A client's own facet; its ground is in one of two kinds of files."""
    for name, target in ((f"staidx{facet}.mul", index), (f"statics{facet}.mul", standing)):
        with _own(client, name).open("rb") as source:
            shutil.copyfileobj(source, target)
    try:
        packed = find(client, f"map{facet}LegacyMUL.uop")
    except OSError:
        with _own(client, f"map{facet}.mul").open("rb") as source:
            shutil.copyfileobj(source, land)
    else:
        with packed.open("rb") as source:
            uop.copy_map(facet, source, land)


EXPORTS: Final[Mapping[str, Callable[[Content, Order], list[str]]]] = {
    "co": export_co,
    "eo": export_eo,
    "uo": export_uo,
}
"""What to do for each game."""


# Files


def _write(path: Path, data: bytes) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return f"wrote {path} ({len(data)} bytes)"


def _own(client: Path, name: str) -> Path:
    """A file of a client's folder. Raises ExportError."""
    try:
        return find(client, name)
    except OSError as error:
        raise ExportError(f"{client}: {name}: {error.strerror}") from error
