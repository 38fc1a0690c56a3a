"""Everything that this game's clients are known to send, and what comes of each: the rows of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from protocol.eo.handlers import TABLE
from protocol.requests import of_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.dispatch import Table
    from protocol.requests import Request
    from protocol.session import Session


def requests() -> Iterator[Request]:
    """The rows of the table, under the community's names of packets."""
    return of_table(cast("Table[Session]", TABLE), name=lambda name: name.removesuffix("ClientPacket"))
