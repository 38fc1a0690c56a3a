"""Everything that clients of this game are known to send, and what comes of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from protocol.l2.handlers import LOGIN
from protocol.l2.versions import UNKNOWN, shown
from protocol.requests import Request, answer_of, of_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.dispatch import Entry, Table
    from protocol.l2.packets import Message
    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version
    from protocol.session import Session


def requests(table: Table[L2Session], version: L2Version) -> Iterator[Request]:
    """Every row of both doors, by number; `table` is that of the game's door."""
    yield from of_table(cast("Table[Session]", LOGIN), "login 0x{:02x}".format)
    rows = {_number_of(entry, version): entry for entry in table}
    for number, entry in sorted(rows.items()):
        yield Request(shown(number), entry.name, answer_of(entry.handler))


def _number_of(entry: Entry[L2Session], version: L2Version) -> int:
    if entry.opcode >= UNKNOWN:
        return entry.opcode - UNKNOWN
    return version.number_of(cast("type[Message]", entry.packet))
