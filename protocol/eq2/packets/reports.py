"""Calls for the staff by the client's own buttons. Which text is which nobody has written down."""

from __future__ import annotations

import attrs

from protocol.eq2.packets.base import Message, from_client


@from_client
@attrs.define
class Report(Message):
    """The player reports somebody or something."""

    first: str
    second: str


@from_client
@attrs.define
class CreateTicket(Message):
    """The player asks the staff for help in the window for that."""

    first: str
    second: str
    third: str
