"""Everything that clients of this game are known to send, and what comes of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from protocol.eq2.handlers.table import NAMES, WISHES
from protocol.eq2.packets import RemoteCmd
from protocol.eq2.versions import UNKNOWN
from protocol.requests import DONE, Request, answer_of
from protocol.wishes import Unmet, Wish

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.dispatch import Table
    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Version, Message


def requests(table: Table[Eq2Session], version: Eq2Version) -> Iterator[Request]:
    """Yield the messages that both doors take, by number; a word of a player is a request of its own."""
    rows = {
        entry.opcode - UNKNOWN
        if entry.opcode >= UNKNOWN
        else version.number_of(cast("type[Message]", entry.packet)): entry
        for entry in table
    }
    for number, entry in sorted(rows.items()):
        if entry.packet is RemoteCmd:
            yield from _commands()
        else:
            yield Request(str(number), entry.name, answer_of(entry.handler))


def _commands() -> Iterator[Request]:
    """Yield every word, and the numbers that have none."""
    for name in NAMES:
        yield Request(f"/{name}", f"/{name}", Unmet(WISHES[name]) if name in WISHES else DONE)
    yield Request("/?", "any other number of a word", Unmet(Wish.UNKNOWN))
