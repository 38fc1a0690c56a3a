"""Writes a realm as files of Conquer Online's client: its map, and the map's picture.

A map of this client is a ground on which one can stand or not (`dmap.py`) and a picture of it (`puzzle.py`),
listed in ini/GameMap.dat under a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.dmap import DMap, MapError, Passage, write_dmap
from protocol.co.gamemap import ListedMap, read_list, write_list
from protocol.co.painting import PaintingError, paint
from protocol.co.puzzle import NO_PIECE, write_ani, write_piece, write_puzzle
from protocol.export import ExportError, clients_own, write
from protocol.landmarks import SWITCH

if TYPE_CHECKING:
    from pathlib import Path

    from protocol.export import Order
    from world.content import Chart, Content

FIRST_OWN_MAP: Final = 9000
"""The number of an exported map of Conquer Online, unless another is asked for: none of the publisher's in
shekohex/coemu (data/Maps)."""


def export(content: Content, order: Order, data: Path) -> list[str]:
    """Write the map and its picture, and with a client's folder also its list of maps with the new one in it.
    `data` is where the realm is from, and its tiles' pictures. Raises ExportError and OSError."""
    try:
        return _export(content, order, data)
    except PaintingError as error:
        raise ExportError(f"{error} (--puzzle FILE does without a painted picture)") from error
    except MapError as error:
        raise ExportError(str(error)) from error


def _export(content: Content, order: Order, data: Path) -> list[str]:
    chart = content.charts[order.realm]
    number = FIRST_OWN_MAP if order.map_number is None else order.map_number
    if not 1 <= number <= 0xFFFFFFFF:
        raise ExportError(f"a map's number is 1 to {0xFFFFFFFF}, not {number}")
    if not chart.name.isascii():
        raise ExportError(f"the client cannot open files whose name has letters as {chart.name} has")
    path = f"map/map/{chart.name}.dmap"
    listed = ListedMap(number, path)
    dmap = write_dmap(as_dmap(chart, order.puzzle or f"map/puzzle/{chart.name}.pul"))
    lists = None if order.client is None else _with_map(clients_own(order.client, "ini/GameMap.dat"), listed)
    lines = [write(order.to / path, dmap)]
    if not order.puzzle:
        lines += _write_picture(chart, order.to, data)
    if lists is not None:
        lines.append(write(order.to / "ini" / "GameMap.dat", lists))
    else:
        lines.append(
            f"The client's ini/GameMap.dat must list it: number {listed.number}, path {path}, pieces of"
            f" {listed.piece} points. With --client FOLDER this is done for you."
        )
    return [
        *lines,
        "Copy what was written over the folder of every client, and say where the realm lies now, in"
        f" data/realms/{chart.name}.toml:",
        f"    co = {{ map = {listed.number}, document = {listed.number}, x = 0, y = 0, {SWITCH} = false }}",
    ]


def _with_map(path: Path, listed: ListedMap) -> bytes:
    """A client's list of maps, with one more."""
    known = read_list(path.read_bytes())
    if any(other.number == listed.number and other.path != listed.path for other in known):
        raise ExportError(f"the client has a map {listed.number}: choose another number with --map")
    return write_list([*(other for other in known if other.number != listed.number), listed])


def _write_picture(chart: Chart, to: Path, data: Path) -> list[str]:
    """The picture of the ground: pieces, the list of their files, and where they lie."""
    ani, folder = f"ani/{chart.name}.ani", f"data/map/puzzle/{chart.name}"
    names: list[str] = []
    numbers: dict[bytes, int] = {b"": NO_PIECE}
    rows: list[list[int]] = []
    for row in paint(chart, data / "realms"):
        for points in row:
            if points not in numbers:
                numbers[points] = len(names)
                names.append(f"{folder}/{len(names)}.dds")
                write(to / names[-1], write_piece(points))
        rows.append([numbers[points] for points in row])
    return [
        f"wrote {len(names)} pieces of its picture below {to / folder}",
        write(to / ani, write_ani(names).encode("ascii")),
        write(to / "map" / "puzzle" / f"{chart.name}.pul", write_puzzle(ani, rows)),
    ]


def as_dmap(chart: Chart, puzzle: str = "") -> DMap:
    """A realm as a map of its own: a passage at every warp, numbered from 0 row by row."""
    cells = sorted(chart.warps, key=lambda cell: (cell[1], cell[0]))
    passages = [Passage(x, y, number) for number, (x, y) in enumerate(cells)]
    return DMap.plain(chart.width, chart.height, chart.blocked, chart.heights, passages, puzzle)
