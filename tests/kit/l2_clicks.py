"""Clicks of clients of Lineage II, and things to click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.packets import Action
from tests.kit.l2_desk import Player, place_of

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile


async def clicks(player: Player, thing: Mobile | Item) -> None:
    """One click, some time after the last."""
    await player.desk.wait(0.15)
    await player.says(Action(thing.serial, *place_of(0, 0), 0))
