"""Everything that clients of this game are known to send, and what comes of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.requests import DONE, Request, of_table
from protocol.uo.handlers import TABLE
from protocol.uo.handlers.boards import BOARDS
from protocol.uo.handlers.parties import PARTY
from protocol.uo.handlers.talk import COMMANDS
from protocol.uo.handlers.trading import DEEDS
from protocol.uo.packets import key_of_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.dispatch import Table
    from protocol.session import Session

_SPEECH: Final = {
    0x00: "say",
    0x02: "emote",
    0x08: "whisper",
    0x09: "yell",
    0x0D: "to the guild",
    0x0E: "to the alliance",
    0xC0: "with keywords",
}
"""Kinds of 0xAD."""


def requests() -> Iterator[Request]:
    """The rows of the table, and of its packets of many kinds a row for each kind."""
    kinds = {
        "0x12": COMMANDS.requests,
        "0x6F": DEEDS.requests,
        "0x71": BOARDS.requests,
        "0xBF:0x06": PARTY.requests,
    }
    for request in of_table(cast("Table[Session]", TABLE), key_of_number):
        if request.key in kinds:
            yield from kinds[request.key]()
        else:
            yield request
    for kind, name in _SPEECH.items():
        yield Request(f"0xAD:0x{kind:02X}", f"UnicodeSpeech {name}", DONE)
