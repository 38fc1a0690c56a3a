"""Spawners: areas of a realm in which creatures live, and creatures that are made by a word of the staff.

A spawner is full when the world begins. Each of its creatures that dies is followed by another some time
later, of any of its kinds; that is one timer per death and none while all are alive.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from world import brains, residents
from world.content import Resident

if TYPE_CHECKING:
    from world.content import Spawner
    from world.mobile import Mobile
    from world.realm import Realm
    from world.world import World

TRIES: Final = 40
"""Random tiles that are looked at before the first free one of the area is taken."""


def populate(world: World) -> int:
    """Fill the spawners of all realms; returns the number of creatures."""
    return sum(
        spawn_one(world, realm, spawner) is not None
        for realm in world.realms.values()
        for spawner in realm.chart.spawners
        for _ in range(spawner.count)
    )


def spawn_one(world: World, realm: Realm, spawner: Spawner) -> Mobile | None:
    """Let one creature of a spawner come, which another follows when it has died. Returns None, and nothing
    comes, if nobody can stand in its area."""
    tile = _free_tile(world, realm, spawner)
    if tile is None:
        return None
    kinds = [kind for kind, _ in spawner.kinds]
    weights = [weight for _, weight in spawner.kinds]
    (kind,) = world.random.choices(kinds, weights)
    left, top = spawner.x, spawner.y
    roam = left, top, left + spawner.width - 1, top + spawner.height - 1
    mobile = place(world, realm, kind, *tile, roam=roam)
    mobile.after_death = partial(_follow, world, realm, spawner)
    return mobile


def place(
    world: World, realm: Realm, kind: str, x: int, y: int, *, roam: tuple[int, int, int, int] | None = None
) -> Mobile:
    """Let a creature stand on a tile, which is its home. `roam`: the tiles on which it wanders; none: those
    within 3. Raises KeyError for an unknown kind, ValueError for one that does not fight."""
    if world.content.mobiles[kind].fights is None:
        raise ValueError(f"{kind} is no creature that fights")
    heading = world.random.randrange(0, 8, 2)
    mobile = residents.place(world, realm, Resident(kind, x, y, heading))
    brains.give(mobile, roam or (x - 3, y - 3, x + 3, y + 3))
    return mobile


def _follow(world: World, realm: Realm, spawner: Spawner) -> None:
    seconds = world.random.uniform(spawner.least_seconds, spawner.most_seconds)
    world.timers.after(seconds, spawn_one, world, realm, spawner)


def _free_tile(world: World, realm: Realm, spawner: Spawner) -> tuple[int, int] | None:
    """A random tile of its area on which somebody can stand; warps are left out."""
    dice, warps = world.random, realm.chart.warps
    for _ in range(TRIES):
        x, y = spawner.x + dice.randrange(spawner.width), spawner.y + dice.randrange(spawner.height)
        if realm.walkable(x, y) and (x, y) not in warps:
            return x, y
    return next(
        (
            (x, y)
            for y in range(spawner.y, spawner.y + spawner.height)
            for x in range(spawner.x, spawner.x + spawner.width)
            if realm.walkable(x, y) and (x, y) not in warps
        ),
        None,
    )
