"""The window of a corpse: what is in it, what is taken, and its end."""

from __future__ import annotations

from typing import Final

import attrs

from protocol.eq2.packets.base import Message, Record, from_client, from_server, record

MOST_COUNTED: Final = 255
"""Of a stack in the window."""
MOST_WEIGHED: Final = 126
"""Stones of a thing in the window; what is heavier takes another form."""

FREE_FOR_ALL: Final = 1
"""Way of sharing: whoever may look into it takes what it likes (emagi/eq2emu: Spawn.h)."""


@record
@attrs.define
class LootItem(Record):
    """A thing in the window, with its description. `unique` is its number once more."""

    number: int
    count: int
    unique: int
    weight: int
    name: str
    icon: int = 0
    description: str = ""


@from_server
@attrs.define
class UpdateLoot(Message):
    """Opens the window of a corpse, or says what is left in it."""

    things: tuple[LootItem, ...]
    spawn_id: int
    display: int = 1
    sharing: int = FREE_FOR_ALL
    seconds: int = 0
    """Until a lottery over them is decided."""


@from_client
@attrs.define
class LootItemsRequest(Message):
    """The player takes all, or some, of what a corpse has. `rest`: see the layout."""

    loot_id: int
    all: int
    rest: bytes


@from_client
@from_server
@attrs.define
class StoppedLooting(Message):
    """Closes the window of a corpse, or says that the player closed it."""

    spawn_id: int
