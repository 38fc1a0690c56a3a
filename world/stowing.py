"""Putting things into a container in one step: an item, a part of a stack, or so many of a kind.

Games that name kinds and not things have their wishes sorted out here: which stacks and bags of one's pack
these are, and whether all of them find room before the first is moved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from world import hands
from world.checks import check_take, check_use
from world.containers import MOST_IN_CONTAINER, check_room, equal_stack, within
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.item import Item
    from world.mobile import Mobile


def put(actor: Mobile, container: Item, item: Item, amount: int | None = None) -> Item:
    """Put something of one's own into a container, or so many of a stack, onto an equal stack if there is
    one. Returns the item it is, or became part of. Raises Cannot: NOT_YOURS, AMOUNT, NESTED, FULL, and as
    `world.reach.can_take` says of the item and `can_use` of the container."""
    amount = item.amount if amount is None else amount
    if item.root is not actor:
        raise Cannot(Refusal.NOT_YOURS)
    check_take(actor, item, amount)
    check_use(actor, container)
    check_room(container, item, merges=equal_stack(container, item, amount) is not None)
    hands.lift(actor, item, amount)
    return hands.stow(actor, container)


def put_kind(actor: Mobile, container: Item, template: str, amount: int) -> None:
    """Put so many of a kind into a container, out of all stacks in one's pack. Raises Cannot, as `of_kind`,
    `check_room_for` and `put`."""
    check_use(actor, container)
    parts = of_kind(actor, template, amount)
    for item, part in parts:
        check_take(actor, item, part)
    check_room_for(container, parts)
    for item, part in parts:
        hands.lift(actor, item, part)
        hands.stow(actor, container)


def of_kind(actor: Mobile, template: str, amount: int) -> Sequence[tuple[Item, int]]:
    """Choose so many of a kind in one's pack: how many of which things. One that is enough, if there is one,
    and bags that are empty before others. Raises Cannot: AMOUNT; FIXED; OPEN_BAG if of several bags one is
    not empty."""
    found = sorted(hands.carried_items(actor, template), key=lambda item: len(item.contents))
    if not 1 <= amount <= sum(item.amount for item in found):
        raise Cannot(Refusal.AMOUNT)
    whole = next((item for item in found if item.amount >= amount), None)
    parts = [(whole, amount)] if whole is not None else []
    left = 0 if parts else amount
    for item in found:
        if left:
            parts.append((item, min(left, item.amount)))
            left -= parts[-1][1]
    for item, _ in parts:
        if not item.template.movable:
            raise Cannot(Refusal.FIXED)
        if item.contents and len(parts) > 1:
            raise Cannot(Refusal.OPEN_BAG)
    return parts


def check_room_for(container: Item, parts: Sequence[tuple[Item, int]]) -> None:
    """Check that all of these go into a container. Raises Cannot: NESTED or FULL."""
    if len(parts) == 1:
        ((item, amount),) = parts
        check_room(container, item, merges=equal_stack(container, item, amount) is not None)
        return
    for item, _ in parts:
        check_room(container, item, merges=True)
    # Each may come to lie beside the others: the stack that it would go onto may be full by then.
    if sum(1 for _ in within(container)) + len(parts) > MOST_IN_CONTAINER:
        raise Cannot(Refusal.FULL)
