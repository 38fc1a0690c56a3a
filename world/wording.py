"""Amounts of things and lists of them, as people say them: "5 gold coins", "a, b and c"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.thing import Surroundings


GOLD: Final = "gold"
"""Item template of money."""


def coins(world: Surroundings, amount: int) -> str:
    """So much money: "1 gold coin", "12 gold coins"."""
    return amount_of(world, GOLD, amount)


def amount_of(world: Surroundings, item: str, amount: int) -> str:
    """So many of an item template: "1 gold coin", "5 gold coins"."""
    return world.content.items[item].many(amount)


def listed(things: Sequence[str]) -> str:
    """Things in a row: "a", "a and b", "a, b and c"."""
    return ", ".join(things[:-1]) + (" and " if len(things) > 1 else "") + things[-1] if things else "nothing"
