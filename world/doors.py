"""Doors: opening them; they close by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world.audience import of_tile
from world.events import Opened
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from world.mobile import Mobile

REACH: Final = 1
"""Tiles from which a door can be opened."""

OPEN_SECONDS: Final = 3.0
"""How long a door stays open: what the public EO servers (eoserv, reoserv) and their clients agree on."""


def open_one(mobile: Mobile, tiles: Iterable[tuple[int, int]]) -> None:
    """Open the first door there is at some tiles. Raises Cannot(NO_DOOR) if there is none in reach."""
    if not any(open_door(mobile, x, y) for x, y in tiles):
        raise Cannot(Refusal.NO_DOOR)


def open_door(mobile: Mobile, x: int, y: int) -> bool:
    """Open the door at a tile within reach for some seconds, visibly to all viewers of the tile; returns
    False if there is none. It closes by itself, and silently: clients do that on their own."""
    realm = mobile.realm
    if realm is None or (x, y) not in realm.chart.doors:
        return False
    if max(abs(x - mobile.x), abs(y - mobile.y)) > REACH:
        return False
    realm.open_doors[x, y] = mobile.world.now + OPEN_SECONDS
    mobile.world.events.append(Opened(mobile, x, y, of_tile(realm, x, y)))
    return True
