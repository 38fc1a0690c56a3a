"""Items that staff makes out of nothing and takes out of the world. Unlike players' hands, staff reaches
everywhere and lifts any weight; the limits of packs and stacks hold for it as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from world import hands, holding
from world.checks import check_weight
from world.containers import MOST_IN_CONTAINER, MOST_IN_STACK, within
from world.delta import MobileDelta
from world.item import Item
from world.reach import Cannot, Refusal
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.mobile import Mobile


def make(mobile: Mobile, template: str, amount: int = 1) -> None:
    """Put new things into a mobile's pack: onto equal stacks as far as they go, then beside them. Raises
    Cannot(FULL or AMOUNT) before anything is made, and KeyError for an unknown template."""
    pack = mobile.backpack
    if amount < 1:
        raise Cannot(Refusal.AMOUNT, f"there have to be 1 of them at least, not {amount}")
    if pack is None:
        raise Cannot(Refusal.FULL, f"{mobile.name} has no pack")
    if not has_room(pack, {template: amount}):
        raise Cannot(Refusal.FULL, f"there is no room for that in the pack of {mobile.name}")
    fill(pack, template, amount)
    mobile.mark(MobileDelta.WEIGHT)


def fill(container: Item, template: str, amount: int) -> None:
    """Put new things into a container in which there is room for them (`has_room`)."""
    world = container.world
    most = MOST_IN_STACK if world.content.items[template].stackable else 1
    for item in _growing(container, template):
        part = min(amount, MOST_IN_STACK - item.amount)
        item.amount += part
        amount -= part
    while amount:
        part = min(amount, most)
        item = holding.make(world, template, amount=part, stored=container.stored)
        world.register(item)
        holding.put(container, item)
        amount -= part


def has_room(
    container: Item, amounts: Mapping[str, int], *, leaving: Mapping[str, int] | None = None
) -> bool:
    """Whether so many new things of these kinds go into a container: onto equal stacks, then beside them,
    after so many of some kinds have been taken out."""
    templates = container.world.content.items
    inside, rest = 0, dict(leaving or {})
    stacks: dict[str, int] = {}
    for item in within(container):
        key = item.template.key
        gone = min(item.amount, rest.get(key, 0))
        if gone:
            rest[key] -= gone
        if gone == item.amount:
            continue
        inside += 1
        if _grows(item, key):
            stacks[key] = stacks.get(key, 0) + MOST_IN_STACK - item.amount + gone
    for key, amount in amounts.items():
        stackable = templates[key].stackable
        left = amount - (stacks.get(key, 0) if stackable else 0)
        inside += max(0, -(-left // (MOST_IN_STACK if stackable else 1)))
    return inside <= MOST_IN_CONTAINER


def remove(item: Item) -> None:
    """Let an item, with all that is in it, cease to exist wherever it is. Raises Cannot(FIXED): nobody is
    without a pack."""
    root = item.root
    if not isinstance(root, Item) and item is root.backpack:
        raise Cannot(Refusal.FIXED, f"that is the pack of {root.name}")
    hands.remove(item)


def number_of(mobile: Mobile, template: str) -> int:
    """Number of a kind in a mobile's pack that could be taken from it: what moves, and bags that are
    empty."""
    return sum(item.amount for item in _takeable(mobile, template))


def check_exchange(mobile: Mobile, taken: Mapping[str, int], given: Mapping[str, int]) -> None:
    """Check that so much can be taken out of a pack and given into it: there is enough, and then room, and it
    is not too heavy. Raises Cannot(AMOUNT, FULL or HEAVY), and KeyError for an unknown template."""
    if not taken and not given:
        return
    pack, kinds = mobile.backpack, mobile.world.content.items
    for template, amount in taken.items():
        if number_of(mobile, template) < amount:
            raise Cannot(Refusal.AMOUNT, f"You do not have {kinds[template].many(amount)}.")
    if pack is None or not has_room(pack, given, leaving=taken):
        raise Cannot(Refusal.FULL)
    more = sum(holding.stones(kinds[template], amount) for template, amount in given.items())
    less = sum(holding.stones(kinds[template], amount) for template, amount in taken.items())
    if more > less:
        check_weight(mobile, more - less)


def fits(mobile: Mobile, given: Mapping[str, int]) -> bool:
    """Whether so much can be given into a pack: there is room, and it is not too heavy."""
    try:
        check_exchange(mobile, {}, given)
    except Cannot:
        return False
    return True


def exchange(mobile: Mobile, taken: Mapping[str, int], given: Mapping[str, int]) -> None:
    """Take out of a pack and give into it. Raises Cannot, as `check_exchange`, before anything changed."""
    check_exchange(mobile, taken, given)
    for template, amount in taken.items():
        left = amount
        for item in _takeable(mobile, template):
            part = min(item.amount, left)
            left -= part
            if part == item.amount:
                hands.remove(item)
            elif part:
                item.amount -= part
    for template, amount in given.items():
        make(mobile, template, amount)
    if taken:
        mobile.mark(MobileDelta.WEIGHT)


def _takeable(mobile: Mobile, template: str) -> list[Item]:
    """Those of a kind, the smallest first: what is left is one stack."""
    found = (item for item in hands.carried_items(mobile, template) if item.template.movable)
    return sorted((item for item in found if not item.contents), key=lambda item: item.amount)


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


def _growing(container: Item, template: str) -> list[Item]:
    return [item for item in within(container) if item.template.key == template and _grows(item, template)]


def _grows(item: Item, template: str) -> bool:
    """Whether new things of that kind go onto this stack."""
    return (
        item.template.stackable
        and item.template.key == template
        and not item.hue
        and not item.name
        and item.amount < MOST_IN_STACK
    )
