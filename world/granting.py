"""Items that staff makes out of nothing and takes out of the world. Unlike players' hands, staff reaches
everywhere and lifts any weight; the limits of packs and stacks hold for it as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import hands, holding
from world.containers import MOST_IN_CONTAINER, MOST_IN_STACK, within
from world.delta import MobileDelta
from world.item import Item
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile

GOLD: Final = "gold"


def make(mobile: Mobile, template: str, amount: int = 1) -> None:
    """Put new things into a mobile's pack: onto equal stacks as far as they go, then beside them. Raises
    Cannot(FULL or AMOUNT) before anything is made, and KeyError for an unknown template."""
    kind = mobile.world.content.items[template]
    pack = mobile.backpack
    if amount < 1:
        raise Cannot(Refusal.AMOUNT, f"there have to be 1 of them at least, not {amount}")
    if pack is None:
        raise Cannot(Refusal.FULL, f"{mobile.name} has no pack")
    equal = [item for item in within(pack) if _grows(item, template)] if kind.stackable else []
    left = amount - sum(MOST_IN_STACK - item.amount for item in equal)
    most = MOST_IN_STACK if kind.stackable else 1
    new = max(0, -(-left // most))
    if sum(1 for _ in within(pack)) + new > MOST_IN_CONTAINER:
        raise Cannot(Refusal.FULL, f"there is no room for that in the pack of {mobile.name}")
    for item in equal:
        part = min(amount, MOST_IN_STACK - item.amount)
        item.amount += part
        amount -= part
    while amount:
        part = min(amount, most)
        item = holding.make(mobile.world, template, amount=part, stored=mobile.stored)
        mobile.world.register(item)
        holding.put(pack, item)
        amount -= part
    mobile.mark(MobileDelta.WEIGHT)


def remove(item: Item) -> None:
    """Let an item, with all that is in it, cease to exist wherever it is. Raises Cannot(FIXED): nobody is
    without a pack."""
    root = item.root
    if not isinstance(root, Item) and item is root.backpack:
        raise Cannot(Refusal.FIXED, f"that is the pack of {root.name}")
    hands.remove(item)


def most_gold(mobile: Mobile) -> int:
    """Most gold for which there is room in a mobile's pack, with what is there already."""
    pack = mobile.backpack
    if pack is None:
        return 0
    inside = list(within(pack))
    stacks = sum(item.template.key == GOLD for item in inside)
    return (stacks + max(0, MOST_IN_CONTAINER - len(inside))) * MOST_IN_STACK


def set_gold(mobile: Mobile, amount: int) -> None:
    """Give or take gold until a mobile carries that amount. Raises Cannot(FULL or AMOUNT)."""
    more = amount - holding.gold(mobile)
    if more > 0:
        make(mobile, GOLD, more)
        return
    for item in list(hands.carried_items(mobile, GOLD)):
        part = min(item.amount, -more)
        more += part
        if part == item.amount:
            hands.remove(item)
        elif part:
            item.amount -= part
    mobile.mark(MobileDelta.WEIGHT)


def _grows(item: Item, template: str) -> bool:
    """Whether new things of that kind go onto this stack."""
    return item.template.key == template and not item.hue and not item.name and item.amount < MOST_IN_STACK
