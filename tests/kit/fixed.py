"""A small world in which a board and a locked chest stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from tests.kit.worlds import plain_content, plain_world
from world import fixtures, holding
from world.content import Chest, Fixture, ItemTemplate, Loot

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile
    from world.world import World

KINDS = (
    ItemTemplate("board", "notice board", movable=False, board=True),
    ItemTemplate("note", "note", movable=False),
    ItemTemplate("key", "iron key"),
    ItemTemplate(
        "chest",
        "iron chest",
        container=True,
        movable=False,
        chest=Chest((Loot("gold", 20, 20), Loot("dagger", 2, 2)), seconds=60.0, lock="key"),
    ),
)
BOARD, CHEST = (12, 10), (10, 12)


def fixed_world() -> World:
    """A board two tiles to the east of where people stand, and a chest two tiles to the south."""
    content = plain_content()
    items = {**content.items, **{kind.key: kind for kind in KINDS}}
    standing = (Fixture("board", *BOARD), Fixture("chest", *CHEST))
    charts = {**content.charts, "plain": attrs.evolve(content.charts["plain"], fixtures=standing)}
    world = plain_world(attrs.evolve(content, items=items, charts=charts))
    fixtures.settle(world)
    return world


def standing(world: World, key: str) -> Item:
    """The fixture of that kind."""
    (found,) = [item for item in world.items.values() if item.template.key == key]
    return found


def equip(mobile: Mobile, *keys: str) -> Item:
    """Give a pack to somebody, with these things in it."""
    pack = holding.make(mobile.world, "backpack")
    holding.wear(mobile, pack)
    for key in keys:
        holding.put(pack, holding.make(mobile.world, key))
    mobile.world.register(pack)
    return pack
