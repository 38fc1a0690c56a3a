"""What the tests of hostile bytes have in common: which clients there are, how connections ended, what the
log said, and texts that nobody should ever see."""

from __future__ import annotations

import json
import logging
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final

from sqlalchemy import text as sql

from tests.kit.games import GAMES, STREAMS, VARIANTS
from tests.kit.in_memory import families_of, shipped_content

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.family import Family
    from server.net.connection import Connection
    from tests.kit.town import Town

USUAL: Final = [next(pair for pair in VARIANTS if pair[0] == game) for game in GAMES]
"""The usual client of each game."""

IDS: Final = [f"{game}-{variant}" for game, variant in VARIANTS]

OVER_STREAMS: Final = [(game, variant) for game, variant in VARIANTS if game in STREAMS]
STREAM_IDS: Final = [f"{game}-{variant}" for game, variant in OVER_STREAMS]

SPLIT: Final = [(game, variant) for game, variant in OVER_STREAMS if variant != "websocket"]
"""The masks of a browser are the operating system's chance, so no two of its sessions are alike."""


@cache
def families() -> Mapping[str, Family]:
    """The games without a server."""
    return families_of(shipped_content(), list(GAMES))


def newest(town: Town) -> Connection:
    """The connection that came last."""
    return town.app.gateway.connections[max(town.app.gateway.connections)]


def endings(records: Sequence[logging.LogRecord]) -> list[tuple[str, float]]:
    """How each connection ended, and after how many seconds, from the log. Of one at an edge its world says
    so, too."""
    found = []
    for record in records:
        text = record.getMessage()
        if record.name.startswith("net.") and " ended: " in text and "; by the edge " not in text:
            assert isinstance(record.args, tuple)
            _, ending, _, _, seconds, *_ = record.args
            found.append((str(ending), float(str(seconds))))
    return found


def loud(records: Sequence[logging.LogRecord], level: int = logging.WARNING) -> list[str]:
    """What the log says at that level or above."""
    return [record.getMessage() for record in records if record.levelno >= level]


NASTY: Final = {
    "empty": "",
    "blanks": "   ",
    "nul inside": "ab\0cd",
    "controls": "a\x01b\x07c\x08d\x1be\x7ff\r\ng\th",
    "ansi": "\x1b[31mred\x1b]0;title\x07",
    "rtl": "abc\u202edcba\u200f\u2066x\u2069",
    "zero width": "a\u200bb\u200dc\ufeffd",
    "surrogates": "a\ud800b\udfffc",
    "line separators": "a\u2028b\u2029c\x85d",
    "markup": "<b>x</b><script>alert(1)</script>&amp;",
    "gump markup": "{ noclose }{ button 0 0 1 1 1 0 1 }@~1_NAME~|$x",
    "format": "%s%s%n %(name)s {0.__class__} {}",
    "sql": "x'; DROP TABLE account; --",
    "sql like": "%' OR '1'='1",
    "path": "../../etc/passwd\\..\\c:",
    "breaks": "a\xffb\xfec\xfdd",
    "long": "L" * 2000,
    "64 KiB": "K" * 65_536,
    "zalgo": "a" + "\u0301" * 60,
    "emoji": "\U0001f600" * 20,
    "command": ".kill all",
    "command 2": "#who$kill[go",
}

RAW: Final = [
    b"",
    b"\0",
    b"\xff" * 60,
    b"\x80\x81\x8d\x8f\x90\x9d",
    b"\xd8\x00\xd8\x00\xdc\x00",
    b"\xfe\xff\xff\xfe",
    bytes(range(256)),
]


def harmless(line: str) -> bool:
    """Whether a line others are shown can do no harm to their clients."""
    return len(line) <= 200 and not any(unicodedata.category(letter) in ("Cc", "Cf", "Cs") for letter in line)


def rows(town: Town) -> list[str]:
    """Every text of the database."""
    found = []
    with town.database.read() as connection:
        tables = (
            connection.execute(sql("select name from sqlite_master where type = 'table'")).scalars().all()
        )
        for table in tables:
            for row in connection.execute(sql(f"select * from {table}")):
                texts = [text for value in row if isinstance(value, str) for text in texts_in(value)]
                # What was said around who reports is kept line by line; nobody can say a line's end.
                found += [line for text in texts for line in text.split("\n")] if table == "report" else texts
    return found


def texts_in(value: str) -> list[str]:
    """What a column holds: a text, or several as JSON."""
    if not value.startswith(("[", "{")):
        return [value]
    try:
        waiting, found = [json.loads(value)], []
    except ValueError:
        return [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            waiting += [*one, *one.values()]
    return found


def tables(town: Town) -> list[str]:
    with town.database.read() as connection:
        return list(connection.execute(sql("select name from sqlite_master")).scalars())
