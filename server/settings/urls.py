"""URLs in a configuration: of the database, and of the server through which worlds hear one another.

They may hold passwords, so what is wrong with one is said without it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pathlib import Path


def database_url(value: str) -> None:
    """Check the URL of a database. Raises ValueError."""
    if not re.match(r"(sqlite|postgresql)(\+[a-z0-9_]+)?://", value):
        raise ValueError("must begin with sqlite:// or postgresql://")


def valkey_url(value: str) -> None:
    """Check the URL of a Valkey or Redis server, or nothing for none. Raises ValueError."""
    if not value:
        return
    if not re.match(r"(valkey|redis)s?://", value):
        raise ValueError("must begin with valkey:// or redis://, or be empty for none")
    try:
        parts = urlsplit(value)
        database = parts.path.removeprefix("/")
        good = bool(parts.hostname) and parts.port != 0 and (not database or database.isdecimal())
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment:
        raise ValueError("must be valkey://HOST:PORT/DATABASE, perhaps with USER:PASSWORD@ before the host")


def anchored_url(url: str, state_dir: Path) -> str:
    """The URL of a database with an absolute path, if it is a file's: taken from `state_dir`."""
    match = re.fullmatch(r"(sqlite(?:\+\w+)?:///)([^?]+)(.*)", url)
    if match is None or match[2] == ":memory:" or match[2].startswith("file:"):
        return url
    return match[1] + (state_dir / match[2]).as_posix() + match[3]
