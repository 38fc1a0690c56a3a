"""Chests that stand in a realm: what is in them, and when it is there again.

Who may open one, and take of it, is asked in `world.reach`, as of everything: the key has to be in the pack,
and is never used up. What is in a chest is everybody's who opens it. One timer for each chest that lacks
something; after a start of the server it has its whole time again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from world import holding
from world.containers import MOST_IN_CONTAINER, MOST_IN_STACK, within
from world.item import Item
from world.timers import Priority

if TYPE_CHECKING:
    from world.content import Loot
    from world.thing import Thing


def stir(root: Thing) -> None:
    """Somebody took something out of what may be a chest: it is filled again after its time."""
    if not isinstance(root, Item) or root.refill is not None:
        return
    chest = root.template.chest
    if chest is not None and chest.stock:
        timers = root.world.timers
        root.refill = timers.after(chest.seconds, fill, root, owner=root, priority=Priority.S5)


def fill(container: Item) -> None:
    """Put into a chest what it lacks of its stock, as the dice say and as far as there is room."""
    container.refill = None
    chest = container.template.chest
    for row in chest.stock if chest is not None else ():
        if container.world.random.random() < row.chance:
            _add(container, row)


def _add(container: Item, row: Loot) -> None:
    world = container.world
    there = sum(item.amount for item in container.contents.values() if item.template.key == row.item)
    lacking = world.random.randint(row.least, row.most) - there
    most = MOST_IN_STACK if world.content.items[row.item].stackable else 1
    room = MOST_IN_CONTAINER - sum(1 for _ in within(container))
    while lacking > 0 and room > 0:
        part = min(lacking, most)
        item = holding.make(world, row.item, amount=part, stored=container.stored)
        world.register(item)
        holding.put(container, item)
        lacking -= part
        room -= 1
