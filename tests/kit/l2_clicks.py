"""Clicks of clients of Lineage II, and things to click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.packets import Action
from tests.kit.l2_desk import Desk, Player, place_of
from world import holding

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile


async def clicks(player: Player, thing: Mobile | Item) -> None:
    """One click, some time after the last."""
    await player.desk.wait(0.15)
    await player.says(Action(thing.serial, *place_of(0, 0), 0))


def lying(desk: Desk, key: str, x: int, y: int, amount: int = 1) -> Item:
    """Something on the plain."""
    item = holding.make(desk.world, key, amount=amount, stored=False)
    desk.world.enter(item, desk.world.realms["plain"], x, y)
    return item
