"""Holders of items: making items, wearing them, putting them into containers. One holder each, changed in one
place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from world.delta import ItemDelta, MobileDelta
from world.item import UNPLACED, Item
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.content import ItemTemplate
    from world.thing import Surroundings


def make(world: Surroundings, template: str, *, amount: int = 1, hue: int = 0, stored: bool = True) -> Item:
    """A new item that nobody holds yet. Raises KeyError for an unknown template."""
    return Item(
        world.serials.item(),
        world,
        template=world.content.items[template],
        amount=amount,
        hue=hue,
        stored=stored,
    )


def wear(mobile: Mobile, item: Item) -> None:
    """Put an item without holder on a mobile, in the layer of its kind. Raises ValueError if its kind is not
    worn or the layer is taken."""
    layer = item.template.layer
    if not layer or layer in mobile.worn:
        raise ValueError(f"{mobile.name} cannot wear {item.label} on layer {layer}")
    item.parent, item.layer = mobile, layer
    mobile.worn[layer] = item
    item.mark(ItemDelta.UPDATE)
    mobile.mark(MobileDelta.ARMOR | MobileDelta.WEIGHT)


def put(container: Item, item: Item, x: int | None = None, y: int | None = None) -> None:
    """Put an item without holder into a container, in a slot or anywhere."""
    item.parent, item.layer = container, 0
    item.slot_x, item.slot_y = (len(container.contents), UNPLACED) if x is None or y is None else (x, y)
    container.contents[item.serial] = item
    item.mark(ItemDelta.UPDATE)
    root = container.root
    if isinstance(root, Mobile):
        root.mark(MobileDelta.WEIGHT)


def belongings(mobile: Mobile) -> Iterator[Item]:
    """All items of a mobile: those it wears but the pack, those in the pack and in bags in it, and the one in
    its hand."""
    pack = mobile.backpack
    waiting = [item for _, item in sorted(mobile.worn.items(), reverse=True)]
    if mobile.held is not None:
        waiting.insert(0, mobile.held)
    while waiting:
        item = waiting.pop()
        if item is not pack:
            yield item
        waiting.extend(reversed(item.contents.values()))


def weight(mobile: Mobile) -> int:
    """Stones of everything a mobile wears and carries."""
    held = mobile.held
    return sum(_weight(item) for item in mobile.worn.values()) + (_weight(held) if held is not None else 0)


def capacity(mobile: Mobile) -> int:
    """Stones that a mobile can carry: ServUO, Scripts/Misc/WeightOverloading.cs, GetMaxWeight."""
    return 40 + int(3.5 * mobile.strength)


def weight_of(item: Item, amount: int) -> int:
    """Stones of an item and what it contains, or of so many of a stack."""
    return _weight(item) if amount == item.amount else _own_weight(item, amount)


def gold(mobile: Mobile) -> int:
    """Coins in a mobile's pack."""
    pack = mobile.backpack
    return _count(pack, "gold") if pack is not None else 0


def _weight(item: Item) -> int:
    return _own_weight(item, item.amount) + sum(_weight(inner) for inner in item.contents.values())


def stones(template: ItemTemplate, amount: int) -> int:
    """Stones of so many of a kind."""
    return template.weight * amount if template.key != "gold" else amount // 50


def _own_weight(item: Item, amount: int) -> int:
    return stones(item.template, amount)


def _count(container: Item, template: str) -> int:
    return sum(
        item.amount if item.template.key == template else _count(item, template)
        for item in container.contents.values()
    )
