"""Realms that pass from one process to another while both run.

A realm that is taken in is furnished as at a start: things that lie there come from the store, residents and
creatures anew. One that is given up is forgotten: what lies there exists on in the store, residents and
creatures do not. Whoever has the realm by right, and where its players are meanwhile, is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world import decay, fixtures, residents, spawners
from world.snapshot import restore_items
from world.timers import cancel_all

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from world.item import Item
    from world.realm import Realm
    from world.snapshot import DamagedRow, ItemRow
    from world.world import World


@attrs.frozen
class Furnished:
    """Numbers of what was put into realms, and the rows that cannot be used."""

    items: int
    residents: int
    creatures: int
    damaged: Sequence[DamagedRow]


def furnish(world: World, names: Collection[str], rows: Sequence[ItemRow]) -> Furnished:
    """Let realms of this world hold what they should: things by their rows, which may be those of boxes of
    records as well, residents, creatures and fixtures."""
    realms = [realm for name, realm in world.realms.items() if name in names]
    items, damaged = restore_items(rows, world)
    for item in items:
        if item.realm is not None:
            world.enter(item, item.realm, item.x, item.y, item.z)
        elif item.keeper:
            world.register(item)
    people = residents.settle(world, realms)
    creatures = spawners.populate(world, realms)
    for row in rows:
        world.dirty.pop(row.serial, None)  # it stands there as it is
    # What of it is new goes to disk.
    fixtures.settle(world)
    return Furnished(len(items), people, creatures, damaged)


def take_in(world: World, names: Collection[str], rows: Sequence[ItemRow]) -> Furnished:
    """Have these realms from now on, with things by these rows."""
    for name in names:
        world.add_realm(world.content.charts[name])
    return furnish(world, names, rows)


def close(world: World, realm: Realm) -> list[Item]:
    """Let nobody come to a realm any more, in which no player is. Creatures and residents leave; returns what
    lies there, which changes no more and is to be forgotten (`forget`) when all of it is stored."""
    world.has_all = False
    del world.realms[realm.name]
    realm.vacant.clear()
    if realm.renewal is not None:
        realm.renewal.cancel()
        realm.renewal = None
    for mobile in [mobile for mobile in world.mobiles.values() if mobile.realm is realm]:
        world.leave(mobile)
    lying = [item for item in world.items.values() if item.realm is realm]
    for item in lying:
        cancel_all(item)
    return lying


def reopen(world: World, realm: Realm, lying: Collection[Item]) -> None:
    """Have a realm again that was closed, with what lies there as it is: some of it may not be stored yet.
    Residents and creatures come anew."""
    world.realms[realm.name] = realm
    for item in lying:
        decay.begin(item)
    residents.settle(world, [realm])
    spawners.populate(world, [realm])
    fixtures.settle(world)


def forget(world: World, lying: Collection[Item]) -> bool:
    """Forget what lies in a closed realm. Returns False, with nothing done, while any of it differs from the
    store."""
    if any(thing.serial in world.dirty for item in lying for thing in _with_contents(item)):
        return False
    for item in lying:
        if item.realm is not None:
            item.realm.space.remove(item)
        world.unregister(item)
    return True


def _with_contents(item: Item) -> list[Item]:
    return [item, *(inner for held in item.contents.values() for inner in _with_contents(held))]
