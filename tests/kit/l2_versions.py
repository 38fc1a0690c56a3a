"""The versions of data/l2/, read without the rest of the world's content."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from protocol.l2.packets import CATALOGUE
from protocol.l2.versions import L2Version, L2Versions

if TYPE_CHECKING:
    from protocol.l2.packets import Message

_DATA: Final = Path(__file__).parents[2] / "data" / "l2"


def tables() -> dict[str, dict[str, dict[str, object]]]:
    """data/l2/ as it is read at start: by version and file."""
    return {
        folder.name: {path.stem: tomllib.loads(path.read_text("utf-8")) for path in folder.glob("*.toml")}
        for folder in sorted(_DATA.iterdir())
        if folder.is_dir()
    }


@functools.cache
def all_versions() -> L2Versions:
    """The versions of data/l2/."""
    return L2Versions.from_tables(tables(), CATALOGUE)


def newest() -> L2Version:
    """The newest of those that are served."""
    return all_versions().newest


def written(message: Message, version: L2Version | None = None) -> bytes:
    """Opcode and body, also of texts that no server of ours sends."""
    number = (version or newest()).number_of(type(message))
    out = bytearray([number] if number <= 0xFF else [number >> 16, number & 0xFF, number >> 8 & 0xFF])
    message.write(out)
    return bytes(out)
