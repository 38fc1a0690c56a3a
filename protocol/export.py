"""What the writers of all games' map files have in common (`Game.export`).

A realm is written in the layout of a client's folder, so that an operator copies it over one. A client's own
files are read where they are needed and never written to.

A facet of 90 MB is written through its files and taken away again if something was wrong; all else is made in
memory first. A realm is laid over a client's map and never merged with what stands there: what was meant by
somebody who changed both cannot be known.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import attrs

from protocol.clientfolder import find

if TYPE_CHECKING:
    from world.content import Content


class ExportError(Exception):
    """It cannot be done; the message says why."""


@attrs.frozen
class Order:
    """What is to be written, and where to."""

    to: Path
    realm: str
    client: Path | None = None
    """A folder of that game's client."""
    map_number: int | None = None
    """Of the map whose files are written, where the game numbers them; else the game knows which."""
    puzzle: str = ""
    """One of the client's pictures for the ground, where a map has one; else it is painted."""


Exporter: TypeAlias = Callable[["Content", Order, Path], list[str]]
"""Writes a realm of the content, which was read from the folder given; what was written and what to do with
it, in lines. Raises ExportError, OSError, and LookError for what is wrong in the game's looks."""


def write(path: Path, data: bytes) -> str:
    """Write a file and the folders above it; the line that says so. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return f"wrote {path} ({len(data)} bytes)"


def clients_own(client: Path, name: str) -> Path:
    """A file of a client's folder. Raises ExportError if it is not there."""
    try:
        return find(client, name)
    except OSError as error:
        raise ExportError(f"{client}: {name}: {error.strerror}") from error
