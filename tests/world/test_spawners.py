"""Spawners: they fill their area, another comes after a death, and never more than their count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.creatures import for_a_while, until, watcher, wild_content, wild_world
from world import brains, life, spawners
from world.content import Spawner, Warp
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.world import World

WOODS = Spawner(20, 10, 12, 6, (("wolf", 3), ("boar", 1)), 8, 10.0, 20.0)


def creatures_of(world: World) -> list[Mobile]:
    return [mobile for mobile in world.mobiles.values() if mobile.template.fights is not None]


def test_it_is_full_from_the_beginning_with_its_kinds_on_free_tiles() -> None:
    walls = frozenset((x, y) for x in range(20, 32) for y in range(10, 16) if (x + y) % 2)
    content = wild_content(walls=walls, warps={(21, 11): Warp("cave", 1, 1)}, spawned=(WOODS,))
    world = wild_world(content)
    assert spawners.populate(world) == 8
    found = creatures_of(world)
    assert len(found) == 8
    for mobile in found:
        assert mobile.template.key in ("wolf", "boar")
        assert 20 <= mobile.x < 32
        assert 10 <= mobile.y < 16
        assert (mobile.x, mobile.y) not in walls
        assert (mobile.x, mobile.y) != (21, 11)
        assert brains.is_asleep(mobile)
    assert len(world.timers) == 0


def test_weights_say_which_kinds_come() -> None:
    many = attrs.evolve(WOODS, count=400)
    world = wild_world(wild_content(spawned=(many,)))
    spawners.populate(world)
    wolves = sum(mobile.template.key == "wolf" for mobile in creatures_of(world))
    assert 260 <= wolves <= 340


def test_another_comes_after_a_death_in_its_time_and_no_more() -> None:
    world = wild_world(wild_content(spawned=(WOODS,)))
    spawners.populate(world)
    for mobile in creatures_of(world)[:3]:
        life.kill(mobile)
    assert len(world.timers) == 3
    for_a_while(world, 9.5)
    assert len(creatures_of(world)) == 5
    until(world, lambda: len(creatures_of(world)) == 8, within=13)
    for_a_while(world, 60)
    assert len(creatures_of(world)) == 8


def test_what_comes_lives_as_the_first_did() -> None:
    world = wild_world(wild_content(spawned=(attrs.evolve(WOODS, count=1),)))
    spawners.populate(world)
    watcher(world, 26, 12)
    for _ in range(3):
        (mobile,) = creatures_of(world)
        assert not brains.is_asleep(mobile)
        life.kill(mobile)
        until(world, lambda: len(creatures_of(world)) == 1, within=25)


def test_an_area_without_a_free_tile_brings_nobody() -> None:
    walls = frozenset((x, y) for x in range(20, 32) for y in range(10, 16))
    world = wild_world(wild_content(walls=walls, spawned=(WOODS,)))
    assert spawners.populate(world) == 0


def test_those_that_are_called_come_to_tiles_of_their_own_and_nobody_follows_them() -> None:
    world = wild_world()
    plain = world.realms["plain"]
    found = spawners.spawn(world, plain, "wolf", 12, 20, 20)
    assert (found[0].x, found[0].y) == (20, 20)
    assert len({(mobile.x, mobile.y) for mobile in found}) == 12
    beside = spawners.spawn(world, plain, "boar", 3, 40, 40, beside=True)
    assert (40, 40) not in {(mobile.x, mobile.y) for mobile in beside}
    life.kill(found[0])
    for_a_while(world, 200)
    assert len(creatures_of(world)) == 14


@pytest.mark.parametrize(
    ("count", "x", "y", "why"),
    [
        (0, 20, 20, Refusal.AMOUNT),
        (1, 5, 5, Refusal.BLOCKED),
        (1, 6, 6, Refusal.BLOCKED),
        (1, 60, 6, Refusal.BLOCKED),
        (245, 20, 20, Refusal.FULL),
    ],
)
def test_what_is_refused_changes_nothing(count: int, x: int, y: int, why: Refusal) -> None:
    content = wild_content(walls=frozenset({(5, 5)}), warps={(6, 6): Warp("cave", 1, 1)}, spawned=(WOODS,))
    world = wild_world(content)
    spawners.populate(world)
    with pytest.raises(Cannot) as caught:
        spawners.spawn(world, world.realms["plain"], "wolf", count, x, y)
    assert caught.value.why is why
    assert len(creatures_of(world)) == 8
    # Those who are dead now come again, and keep their place.
    for mobile in creatures_of(world):
        life.kill(mobile)
    assert len(spawners.spawn(world, world.realms["plain"], "wolf", 244, 20, 20)) == 244


def test_without_a_serial_another_comes_later() -> None:
    world = wild_world(wild_content(spawned=(attrs.evolve(WOODS, count=1),)))
    spawners.populate(world)
    world.serials.mobile_mark = world.serials.next_mobile
    life.kill(creatures_of(world)[0])
    for_a_while(world, 50)
    assert creatures_of(world) == []
    world.serials.mobile_mark += 10
    until(world, lambda: len(creatures_of(world)) == 1, within=25)


def test_only_what_fights_is_placed() -> None:
    world = wild_world()
    with pytest.raises(ValueError, match="healer"):
        spawners.place(world, world.realms["plain"], "healer", 5, 5)
    with pytest.raises(KeyError):
        spawners.place(world, world.realms["plain"], "dragon", 5, 5)
    assert creatures_of(world) == []
    assert not world.mobiles
