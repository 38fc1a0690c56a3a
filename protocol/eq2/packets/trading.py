"""The window of a trade between two players. What one does in it comes as slash commands."""

from __future__ import annotations

import attrs

from protocol.eq2.packets.base import Message, Record, from_server, record

OFFERS, CANCELED, PARTNER_AGREES, DONE = 1, 2, 16, 24
"""What the window is told (emagi/eq2emu: Trade.cpp): what lies in it, that it closes with nothing done, that
the other one agrees, that all of it changed hands."""


@record
@attrs.define
class TradeItem(Record):
    """A thing that is offered, at a place of the window."""

    name: str
    slot: int
    quantity: int = 1
    icon: int = 0
    background: int = 0


@from_server
@attrs.define
class UpdatePlayerTrade(Message):
    """A trade with somebody: the own side, then that one's."""

    spawn_id: int
    kind: int = OFFERS
    things: tuple[TradeItem, ...] = ()
    copper: int = 0
    silver: int = 0
    gold: int = 0
    platinum: int = 0
    their_things: tuple[TradeItem, ...] = ()
    their_copper: int = 0
    their_silver: int = 0
    their_gold: int = 0
    their_platinum: int = 0
