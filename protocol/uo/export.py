"""Writes a realm as files of Ultima Online's client: land and statics of the facet on which it lies."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from typing import TYPE_CHECKING

from protocol.clientfolder import find
from protocol.export import ExportError, clients_own
from protocol.uo.looks import compile_looks
from protocol.uo.mapfiles import HEIGHTS, Facet, MapError, Plot, copy_map, statics

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from protocol.export import Order
    from world.content import Content


def export(content: Content, order: Order, _: Path) -> list[str]:
    """Write the three files of the realm's facet: the client's with the realm in them, or else nothing but
    the realm. Raises ExportError, LookError and OSError."""
    try:
        return _export(content, order)
    except MapError as error:
        raise ExportError(str(error)) from error


def _export(content: Content, order: Order) -> list[str]:
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
    laid = list(statics(chart, compile_looks(content)))
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
        with clients_own(client, name).open("rb") as source:
            shutil.copyfileobj(source, target)
    try:
        packed = find(client, f"map{facet}LegacyMUL.uop")
    except OSError:
        with clients_own(client, f"map{facet}.mul").open("rb") as source:
            shutil.copyfileobj(source, land)
    else:
        with packed.open("rb") as source:
            copy_map(facet, source, land)
