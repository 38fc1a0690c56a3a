"""Stacks and containers: the rules for which item goes onto or into which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world.item import Item
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from world.mobile import Mobile

MOST_IN_STACK: Final = 60_000
"""Ultima Online's amounts are 16 bits wide: ServUO, Server/Item.cs, WillStack."""

MOST_IN_CONTAINER: Final = 125
"""Items in a container, those in the bags inside it among them: ServUO, Server/Items/Container.cs
(GlobalMaxItems)."""

DEEPEST: Final = 16
"""Containers in one another."""


def counted(item: Item) -> str:
    """Name of an item for players, with its amount if it is above 1."""
    return item.label if item.amount == 1 else f"{item.amount} {item.plural}"


def stacks(item: Item, target: Item) -> bool:
    """Whether two items are of one kind that stacks."""
    return (
        item is not target
        and item.template is target.template
        and item.template.stackable
        and item.hue == target.hue
        and item.name == target.name
    )


def equal_stack(container: Item, item: Item, amount: int | None = None) -> Item | None:
    """Find a stack in the container onto which all of the item fits, or so many of it; None if there is
    none."""
    more = item.amount if amount is None else amount
    return next(
        (
            target
            for target in container.contents.values()
            if stacks(item, target) and target.amount + more <= MOST_IN_STACK
        ),
        None,
    )


def enough(among: Sequence[Item], amount: int) -> tuple[Item, list[Item]]:
    """Choose one of these stacks and those equal to it that together hold enough. Raises Cannot(AMOUNT) if
    none do."""
    for first in among:
        equal = [item for item in among if stacks(item, first)]
        if first.amount + sum(item.amount for item in equal) >= amount:
            return first, equal
    raise Cannot(Refusal.AMOUNT)


def check_room(container: Item, item: Item, *, merges: bool = False) -> None:
    """Check that an item goes into a container; `merges`: it becomes part of one that is there. Raises
    Cannot: NESTED or FULL."""
    holder: Item | Mobile | None = container
    depth = depth_of(item)
    many = 1 + sum(1 for _ in within(item))
    while isinstance(holder, Item):
        if holder is item:
            raise Cannot(Refusal.NESTED)
        depth += 1
        if not merges and many + sum(1 for _ in within(holder)) > MOST_IN_CONTAINER:
            raise Cannot(Refusal.FULL)
        holder = holder.parent
    if depth > DEEPEST:
        raise Cannot(Refusal.NESTED)


def within(container: Item) -> Iterator[Item]:
    """Yield everything in a container, to any depth."""
    for item in container.contents.values():
        yield item
        yield from within(item)


def depth_of(item: Item) -> int:
    """Number of containers in one another from this one down; 0 for an item that is no container."""
    if not item.template.container:
        return 0
    return 1 + max((depth_of(inner) for inner in item.contents.values()), default=0)


def carried(actor: Mobile) -> dict[str, int]:
    """Amounts in a mobile's pack, bags included, by key of the kind."""
    amounts: dict[str, int] = {}
    for item in carried_items(actor):
        amounts[item.template.key] = amounts.get(item.template.key, 0) + item.amount
    return amounts


def carried_items(actor: Mobile, template: str | None = None) -> Iterator[Item]:
    """Items in a mobile's pack, bags included: all, or those of one kind."""
    pack = actor.backpack
    if pack is not None:
        for item in within(pack):
            if template is None or item.template.key == template:
                yield item
