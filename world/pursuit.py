"""Pursuit: how a creature comes to stand beside somebody, or gets back to a place.

It goes straight where nothing is in the way, along a way of `world.paths` where something is, and stops on
one of the four straight sides of whom it is after, if one is free; never on the same tile, and never on one
where another stands already. Who moves on is followed: far off a way that ends near it is good enough, close
by the exact tile matters. What is decided here is only the next step, and when to look again.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

from world import motion
from world.heading import (
    EAST,
    NORTH,
    NORTH_EAST,
    NORTH_WEST,
    OFFSETS,
    SOUTH,
    SOUTH_EAST,
    SOUTH_WEST,
    WEST,
    apart,
    towards,
)
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.content import Creature
    from world.parts import Brain
    from world.realm import Realm

Tile = tuple[int, int]

BESIDE: Final = 0.4
"""Seconds between two looks whether an enemy whom it stands beside has moved."""

WAITS: Final = 0.1
"""Seconds between two looks whether a way has been found."""

CLOSE: Final = 3
"""Tiles from an enemy within which it matters exactly where it goes."""

PUZZLES: Final = 1.0
"""Seconds until the next try if there was no way."""

TRIES: Final = 3
"""Ways that may lead to nowhere before it gives up."""

STRAIGHT: Final = (NORTH, EAST, SOUTH, WEST)
SLANTING: Final = (NORTH_EAST, SOUTH_EAST, SOUTH_WEST, NORTH_WEST)


def approach(mobile: Mobile, brain: Brain, enemy: Mobile, kind: Creature, realm: Realm) -> float | None:
    """Go a step nearer to a place beside the enemy, or none if it stands there. Returns the seconds until the
    next; None if there is no way, and it was tried often enough."""
    here, there = (mobile.x, mobile.y), (enemy.x, enemy.y)
    far = apart(mobile, enemy)
    if brain.search is not None:
        return 0.0 if _take_way(brain) else WAITS
    if brain.path and (brain.stuck or (far > CLOSE and _still_leads(brain, there, far))):
        return _follow(mobile, brain, kind, there)
    places = _places(mobile, enemy, realm)
    if places is None:
        return None
    if here in places or (not places and far <= CLOSE):
        forget_way(brain)
        brain.stuck = 0
        return BESIDE
    return _go(mobile, brain, kind, realm, places or [there], there)


def go_to(mobile: Mobile, brain: Brain, kind: Creature, realm: Realm, tile: Tile) -> float | None:
    """Go a step on the way to a tile. Returns the seconds until the next; None if there is no way, and it was
    tried often enough."""
    if brain.search is not None:
        return 0.0 if _take_way(brain) else WAITS
    if brain.path:
        return _follow(mobile, brain, kind)
    return _go(mobile, brain, kind, realm, [tile], tile)


def forget_way(brain: Brain) -> None:
    """Forget a way, and that one was asked for."""
    brain.path = []
    if brain.search is not None:
        brain.search.cancelled = True
        brain.search = None


def _go(
    mobile: Mobile, brain: Brain, kind: Creature, realm: Realm, goals: Sequence[Tile], aim: Tile
) -> float | None:
    """The next step to the nearest of some tiles, which lie around `aim`; if something is in the way it asks
    for a way around that."""
    here = mobile.x, mobile.y
    if brain.path and brain.path[0] in goals:
        return _follow(mobile, brain, kind, None if aim in goals else aim)
    goal = min(goals, key=lambda place: (_distance(place, here), _squared(place, here)))
    avoid = None if aim in goals or aim == here else aim
    straight = mobile.world.paths.straight(realm.chart, here, goal, avoid=avoid)
    if straight is not None:
        brain.path, brain.stuck = straight, 0
        return _follow(mobile, brain, kind, avoid)
    if brain.stuck >= TRIES:
        return None
    brain.search = mobile.world.paths.ask(realm.chart, here, goals, aim, avoid=avoid)
    # Who came nowhere the last time takes a rest before it tries again.
    return PUZZLES if brain.stuck else 0.0 if brain.search.done else WAITS


def _take_way(brain: Brain) -> bool:
    """Take the way that was asked for, even if it only leads nearer. Returns False if it is not found yet."""
    search = brain.search
    if search is None or not search.done:
        return False
    brain.search = None
    brain.path = search.path
    brain.stuck = 0 if search.reached else brain.stuck + 1
    return True


def _still_leads(brain: Brain, there: Tile, far: int) -> bool:
    """Whether a way is good enough still: the farther it is, the less its exact end matters."""
    return _distance(brain.path[0], there) <= max(1, far // 3)


def _follow(mobile: Mobile, brain: Brain, kind: Creature, enemy: Tile | None = None) -> float:
    """The next step of the way that it has; never to where its enemy stands."""
    x, y = brain.path.pop()
    heading = towards(x - mobile.x, y - mobile.y)
    blocked = heading is None or (x, y) == enemy or _distance((x, y), (mobile.x, mobile.y)) > 1
    if blocked or heading is None or not motion.step(mobile, heading):
        forget_way(brain)  # it was moved, or something is in the way
        return WAITS
    return step_seconds(kind, heading)


def step_seconds(kind: Creature, heading: int) -> float:
    """Time that a creature takes for a tile. A diagonal is longer: clients that draw a way as one line
    (Lineage II, EverQuest II) would fall behind otherwise."""
    return kind.step_ms / 1000 * (sqrt(2) if heading & 1 else 1)


def _places(mobile: Mobile, enemy: Mobile, realm: Realm) -> list[Tile] | None:
    """The tiles beside an enemy from which it can strike: of the four straight sides those that are free,
    else of the other four (Endless Online's players could strike at nobody there). Empty if others stand on
    all of them; None if there are none."""
    x, y = enemy.x, enemy.y
    taken = {
        (other.x, other.y)
        for other in realm.space.around(x, y, 1)
        if isinstance(other, Mobile) and other is not mobile and _holds(mobile, other)
    }
    there_are = False
    for headings in (STRAIGHT, SLANTING):
        sides = [
            (x + OFFSETS[heading][0], y + OFFSETS[heading][1])
            for heading in headings
            if motion.can_step(realm, x, y, heading)
        ]
        free = [side for side in sides if side not in taken and side not in realm.chart.warps]
        if free:
            return free
        there_are = there_are or bool(sides)
    return [] if there_are else None


def is_taken(mobile: Mobile, x: int, y: int) -> bool:
    """Whether another stands on a tile, or nobody can."""
    realm = mobile.realm
    if realm is None or not realm.inside(x, y):
        return True
    return any(isinstance(other, Mobile) and _holds(mobile, other) for other in realm.space.around(x, y, 0))


def _holds(mobile: Mobile, other: Mobile) -> bool:
    """Whether somebody keeps a tile to itself; of two creatures on one tile the one that came first into the
    world stays."""
    if other.dead or other.hidden:
        return False
    return other.brain is None or (other.x, other.y) != (mobile.x, mobile.y) or other.serial < mobile.serial


def _distance(one: Tile, other: Tile) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def _squared(one: Tile, other: Tile) -> int:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
