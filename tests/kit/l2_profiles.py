"""The profiles of data/l2/, read without the rest of the world's content."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from protocol.l2.profiles import Profile, Profiles

if TYPE_CHECKING:
    from protocol.l2.packets import Message

_DATA: Final = Path(__file__).parents[2] / "data" / "l2"


def tables() -> dict[str, dict[str, dict[str, object]]]:
    """data/l2/ as it is read at start: by profile and file."""
    return {
        folder.name: {path.stem: tomllib.loads(path.read_text("utf-8")) for path in folder.glob("*.toml")}
        for folder in sorted(_DATA.iterdir())
        if folder.is_dir()
    }


@functools.cache
def all_profiles() -> Profiles:
    """The profiles of data/l2/."""
    return Profiles.from_tables(tables())


def newest() -> Profile:
    """The newest of those that are served."""
    return all_profiles().newest


def written(message: Message, profile: Profile | None = None) -> bytes:
    """Opcode and body, also of texts that no server of ours sends."""
    number = (profile or newest()).number_of(type(message))
    out = bytearray([number] if number <= 0xFF else [number >> 16, number & 0xFF, number >> 8 & 0xFF])
    message.write(out)
    return bytes(out)
