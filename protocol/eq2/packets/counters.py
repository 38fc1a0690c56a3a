"""The windows of merchants and of the bank. Their answers come as slash commands."""

from __future__ import annotations

from typing import Final

import attrs

from protocol.eq2.packets.base import Message, Record, from_server, record

WARES, SALES = 0, 1
"""Kinds of lists of clients up to 561 (emagi/eq2emu: WorldStructs.xml, WS_UpdateMerchant): what one may buy,
and what one may sell."""

COUNTLESS: Final = 255
"""Quantity of a ware of which there are as many as anybody wants."""

WHITE_NAME: Final = 3
"""Color of the name of a thing that is right for one's level (emagi/eq2emu: client.cpp)."""


@record
@attrs.define
class MerchantRow(Record):
    """A row of a merchant's list. `price` of one, in copper; `item` and `unique` come back in the command
    that chooses it."""

    name: str
    price: int
    item: int
    unique: int = 0
    stack: int = 1
    icon: int = 0
    level: int = 1
    flags: int = 0
    difficulty: int = WHITE_NAME
    quantity: int = COUNTLESS
    tier: int = 0
    item_again: int = 0
    stack_again: int = 1


@from_server
@attrs.define
class UpdateMerchant(Message):
    """One of a merchant's two lists; one without rows takes it from the window."""

    spawn_id: int
    rows: tuple[MerchantRow, ...]
    kind: int = WARES


@from_server
@attrs.define
class UpdateBank(Message):
    """Opens the bank, or says what is in it now: `coins` in copper lie there; the coins behind them are in
    one's purse. `display` 0: closes it."""

    spawn_id: int
    coins: int
    copper: int = 0
    silver: int = 0
    gold: int = 0
    platinum: int = 0
    display: int = 1
