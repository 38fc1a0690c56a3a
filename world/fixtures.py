"""Fixtures: boards and chests that stand at their places in a realm, with all that is in them.

They are items that the store keeps, so that notes last and an emptied chest stays empty across a start. The
chart says where they stand; one that is there already is left as it is, and one that the chart does not name
any more goes, with what is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from world import boards, holding, locks

if TYPE_CHECKING:
    from world.content import ItemTemplate
    from world.item import Item
    from world.world import World


def is_fixture(kind: ItemTemplate) -> bool:
    """Whether things of that kind stand in a realm and are used where they are."""
    return kind.board or kind.chest is not None


def settle(world: World) -> int:
    """Let every fixture stand at its place; returns how many there are. May be asked again."""
    standing: dict[tuple[str, int, int, str], Item] = {}
    wanted = {
        (name, one.x, one.y, one.template)
        for name, realm in world.realms.items()
        for one in realm.chart.fixtures
    }
    for item in [item for item in world.items.values() if is_fixture(item.template)]:
        if item.realm is None:
            continue
        key = (item.realm.name, item.x, item.y, item.template.key)
        if key in wanted and key not in standing:
            standing[key] = item
        else:
            world.delete(item)
    for key in sorted(wanted - standing.keys()):
        name, x, y, template = key
        item = holding.make(world, template)
        locks.fill(item)
        world.enter(item, world.realms[name], x, y)
    for item in standing.values():
        locks.stir(item)
        boards.trim(item)
    return len(wanted)
