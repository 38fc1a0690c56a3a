"""Orders from the client's lists of things: which things they are, and how many of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from world.item import Item
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.l2.packets import KeptEntry
    from world.mobile import Mobile


def own_item(mobile: Mobile, serial: int) -> Item:
    """Something that one wears or carries. Raises Cannot(GONE)."""
    item = mobile.world.items.get(serial)
    if item is None or item.root is not mobile:
        raise Cannot(Refusal.GONE)
    return item


def chosen(entries: Sequence[KeptEntry], find: Callable[[int], Item]) -> list[tuple[Item, int]]:
    """The things, and how many of each. What is in a bag that was chosen, too, goes along with that. Raises
    Cannot(AMOUNT) for none and for less than one, and as `find` does."""
    if not entries or any(entry.count < 1 for entry in entries):
        raise Cannot(Refusal.AMOUNT)
    found = [(find(entry.object_id), entry.count) for entry in entries]
    serials = {item.serial for item, _ in found}
    return [(item, count) for item, count in found if not _goes_along(item, serials)]


def _goes_along(item: Item, serials: set[int]) -> bool:
    holder = item.parent
    while isinstance(holder, Item):
        if holder.serial in serials:
            return True
        holder = holder.parent
    return False
