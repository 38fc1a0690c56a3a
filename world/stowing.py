"""Putting things away: from one's own into a bag, or into a chest that stands open to one, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from world import hands
from world.checks import check_take, check_use
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile


def put_away(actor: Mobile, item: Item, amount: int, container: Item) -> Item:
    """Put an own thing, or so many of a stack, into a container. Returns the item it is, or became part of.
    Raises Cannot, and then all is as it was: NOT_YOURS, NESTED, FULL, and as `hands.lift` says of the thing
    and `hands.stow` of the container."""
    if item.root is not actor:
        raise Cannot(Refusal.NOT_YOURS)
    check_use(actor, container)
    check_take(actor, item, amount)
    hands.lift(actor, item, amount)
    try:
        return hands.stow(actor, container)
    except Cannot:
        hands.bounce(actor)
        raise
