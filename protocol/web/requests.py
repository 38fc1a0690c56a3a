"""Everything that a browser is known to send, and what comes of each: the rows of the table, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.requests import Request, answer_of
from protocol.web.handlers import TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator


def requests() -> Iterator[Request]:
    """The rows of the table. A message has no number on the wire, so its class stands for it."""
    for row in TABLE:
        yield Request(row.name, row.name, answer_of(row.handler))
