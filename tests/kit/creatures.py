"""Creatures for tests of brains: kinds that differ in one thing each, somebody who watches, and time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from tests.kit.worlds import person, plain_content, plain_world
from world import spawners
from world.content import Creature, MobileTemplate, Temper
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from world.content import Content, Spawner, Warp
    from world.mobile import Mobile
    from world.world import World

PLAIN = Creature(level=1, hits=40, armour=0, skill=30.0, least=1, most=2, step_ms=400)
KINDS: Mapping[str, Creature] = {
    "wolf": attrs.evolve(PLAIN, temper=Temper.HUNTS, kin="wolves", leash=12),
    "boar": PLAIN,
    "deer": attrs.evolve(PLAIN, temper=Temper.PEACEFUL, kin="deer"),
    "thief": attrs.evolve(PLAIN, temper=Temper.HUNTS, flees_at=0.5),
}
SIGHT = Sight(15)


def wild_content(
    *,
    width: int = 60,
    height: int = 60,
    walls: frozenset[tuple[int, int]] = frozenset(),
    warps: dict[tuple[int, int], Warp] | None = None,
    spawned: tuple[Spawner, ...] = (),
) -> Content:
    """`plain_content` with the kinds of this module, and spawners on its plain."""
    content = plain_content(width=width, height=height, walls=walls, warps=warps)
    kinds = {
        key: MobileTemplate(key, f"a {key}", hits=fights.hits, notoriety=3, creature=True, fights=fights)
        for key, fights in KINDS.items()
    }
    plain = attrs.evolve(content.charts["plain"], spawners=spawned)
    return attrs.evolve(
        content, mobiles={**content.mobiles, **kinds}, charts={**content.charts, "plain": plain}
    )


def wild_world(content: Content | None = None, *, seed: int = 1) -> World:
    """A world over `wild_content`."""
    return plain_world(content or wild_content(), seed=seed)


def creature(world: World, kind: str, x: int, y: int, *, realm: str = "plain") -> Mobile:
    """A creature at home on a tile."""
    return spawners.place(world, world.realms[realm], kind, x, y)


def watcher(world: World, x: int, y: int, *, name: str = "Alric", hits: int = 5000) -> Mobile:
    """A character whom somebody plays, and who lives long."""
    mobile = person(world, name, x, y)
    mobile.hits = mobile.hits_max = hits
    world.open_viewport(mobile, mobile.serial, SIGHT)
    return mobile


def until(world: World, happens: Callable[[], bool], *, within: float = 30.0) -> float:
    """Seconds until something is so, in turns of a twentieth of a second; fails if it takes longer."""
    begun = world.now
    while not happens():
        assert world.now - begun < within, f"did not happen within {within} seconds"
        a_turn(world)
    return world.now - begun


def a_turn(world: World, seconds: float = 0.05) -> None:
    """One turn, whose changes nobody sees."""
    world.begin(world.now + seconds)
    world.run_timers()
    world.take_changes()


def for_a_while(world: World, seconds: float, each: Callable[[], object] | None = None) -> None:
    """Let time pass; `each` is called after every turn."""
    for _ in range(round(seconds * 20)):
        a_turn(world)
        if each is not None:
            each()
