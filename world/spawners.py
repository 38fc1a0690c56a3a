"""Spawners: areas of a realm in which creatures live, and creatures that are made by a word of the staff.

A spawner is full when the world begins. Each of its creatures that dies is followed by another some time
later, of any of its kinds; that is one timer per death and none while all are alive.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from world import brains, residents
from world.content import Resident
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from world.content import Spawner
    from world.mobile import Mobile
    from world.realm import Realm
    from world.world import World

MOST_IN_REALM: Final = 252
"""Creatures and residents of one realm, with those that spawners may still bring: Endless Online numbers them
with one byte."""

AROUND: Final = 8
"""Tiles from the first within which creatures that come together stand."""

TRIES: Final = 40
"""Random tiles that are looked at before the first free one of the area is taken."""


def populate(world: World, realms: Iterable[Realm] | None = None) -> int:
    """Fill the spawners of these realms, or of all; returns the number of creatures."""
    return sum(
        spawn_one(world, realm, spawner) is not None
        for realm in (world.realms.values() if realms is None else realms)
        for spawner in realm.chart.spawners
        for _ in range(spawner.count)
    )


def spawn_one(world: World, realm: Realm, spawner: Spawner) -> Mobile | None:
    """Let one creature of a spawner come, which another follows when it has died. Returns None, and nothing
    comes, if nobody can stand in its area."""
    tile = _free_tile(world, realm, spawner)
    if tile is None:
        return None
    if world.serials.mobiles_left < 1:
        expect(world, realm, spawner)  # the store has none reserved yet
        return None
    kinds = [kind for kind, _ in spawner.kinds]
    weights = [weight for _, weight in spawner.kinds]
    (kind,) = world.random.choices(kinds, weights)
    mobile = place(world, realm, kind, *tile)
    belong(world, mobile, realm, spawner)
    return mobile


def belong(world: World, mobile: Mobile, realm: Realm, spawner: Spawner) -> None:
    """Let a creature of a realm be one of a spawner's from now on: wander in its area, and be followed by
    another when it has died. Whose home lies elsewhere has it where it stands; nothing else of it changes."""
    mobile.post = spawner
    mobile.after_death = partial(expect, world, realm, spawner)
    if mobile.brain is not None:
        left, top = spawner.x, spawner.y
        mobile.brain.roam = left, top, left + spawner.width - 1, top + spawner.height - 1
        if not holds(spawner, mobile.brain.home_x, mobile.brain.home_y):
            mobile.brain.home_x, mobile.brain.home_y = mobile.x, mobile.y


def holds(spawner: Spawner, x: int, y: int) -> bool:
    """Whether a tile lies in its area."""
    return 0 <= x - spawner.x < spawner.width and 0 <= y - spawner.y < spawner.height


def expect(world: World, realm: Realm, spawner: Spawner) -> None:
    """Let another come some time from now, as after a death."""
    seconds = world.random.uniform(spawner.least_seconds, spawner.most_seconds)
    realm.vacant[spawner] += 1
    world.timers.after(seconds, _return, world, realm, spawner)


def place(world: World, realm: Realm, kind: str, x: int, y: int) -> Mobile:
    """Let a creature stand on a tile, which is its home; it wanders within 3 of it. Raises KeyError for an
    unknown kind, ValueError for one that does not fight."""
    if world.content.mobiles[kind].fights is None:
        raise ValueError(f"{kind} is no creature that fights")
    heading = world.random.randrange(0, 8, 2)
    mobile = residents.place(world, realm, Resident(kind, x, y, heading))
    brains.give(mobile, (x - 3, y - 3, x + 3, y + 3))
    return mobile


def spawn(
    world: World, realm: Realm, kind: str, count: int, x: int, y: int, *, beside: bool = False
) -> list[Mobile]:
    """Let creatures of a kind come to a tile and those around it; `beside`: not to the tile itself, on which
    somebody stands. No others follow them. Raises Cannot: AMOUNT, BLOCKED, FULL; nothing has changed then."""
    if count < 1:
        raise Cannot(Refusal.AMOUNT, "At least one has to come.")
    if not realm.walkable(x, y) or (x, y) in realm.chart.warps:
        raise Cannot(Refusal.BLOCKED, "Nobody can stand there.")
    if count > min(world.serials.mobiles_left, MOST_IN_REALM - population(world, realm)):
        raise Cannot(Refusal.FULL, f"There is no room for so many: {MOST_IN_REALM} are the most in a realm.")
    tiles = [
        tile
        for tile in realm.free_near(x, y, AROUND)
        if tile not in realm.chart.warps and not (beside and tile == (x, y))
    ]
    if not tiles:
        raise Cannot(Refusal.BLOCKED, "There is no room beside you.")
    return [place(world, realm, kind, *tiles[number % len(tiles)]) for number in range(count)]


def population(world: World, realm: Realm) -> int:
    """Number of creatures and residents in a realm, counting those that are going to follow dead ones."""
    chart = realm.chart
    extra = sum(
        mobile.realm is realm and not mobile.is_character and mobile.after_death is None
        for mobile in world.mobiles.values()
    )
    return len(chart.residents) + sum(spawner.count for spawner in chart.spawners) + extra


def _return(world: World, realm: Realm, spawner: Spawner) -> None:
    """Another comes, if the area is still to be filled: what data/ says may have changed since."""
    if realm.vacant[spawner]:
        realm.vacant[spawner] -= 1
        spawn_one(world, realm, spawner)


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
