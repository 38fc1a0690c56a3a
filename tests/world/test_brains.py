"""What creatures do by themselves: sleep, wander, notice, chase, call, strike, flee, give up and go home."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.creatures import KINDS, creature, for_a_while, until, watcher, wild_content, wild_world
from tests.kit.worlds import person
from world import brains, fighting, life, motion
from world.content import Warp
from world.heading import EAST, WEST, apart
from world.parts import Mood

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.world import World


def mood(mobile: Mobile) -> Mood:
    assert mobile.brain is not None
    return mobile.brain.mood


def enemy(mobile: Mobile) -> int:
    return mobile.fighter.enemy if mobile.fighter is not None else 0


def tile(mobile: Mobile) -> tuple[int, int]:
    return mobile.x, mobile.y


def is_beside(one: Mobile, other: Mobile) -> bool:
    """On one of the four straight sides."""
    return abs(one.x - other.x) + abs(one.y - other.y) == 1


# Sleep


def test_two_thousand_asleep_have_no_timer_and_do_nothing() -> None:
    world = wild_world(wild_content(width=200, height=200))
    for number in range(2000):
        creature(world, "wolf", number % 200, number // 200 * 10)
    assert len(world.timers) == 0
    places = {mobile.serial: tile(mobile) for mobile in world.mobiles.values()}
    for _ in range(100):
        world.begin(world.now + 1)
        assert world.run_timers() == 0
    assert {mobile.serial: tile(mobile) for mobile in world.mobiles.values()} == places


def test_whoever_comes_near_wakes_it_at_once_and_whoever_leaves_lets_it_sleep() -> None:
    world = wild_world()
    boar = creature(world, "boar", 40, 10)
    far = creature(world, "boar", 40, 50)
    assert brains.is_asleep(boar)
    player = watcher(world, 23, 10)
    assert brains.is_asleep(boar), "its sector begins 2 tiles beyond what is seen"
    for _ in range(3):
        motion.step(player, EAST)
    assert not brains.is_asleep(boar)
    assert brains.is_asleep(far)
    for_a_while(world, 30)
    assert not brains.is_asleep(boar)
    world.warp(player, world.realms["plain"], 5, 40)
    until(world, lambda: brains.is_asleep(boar), within=5)
    assert not boar.timers


def test_a_sleeper_that_dies_or_is_moved_leaves_nothing_behind() -> None:
    world = wild_world()
    one, other = creature(world, "boar", 40, 10), creature(world, "boar", 41, 10)
    life.kill(one)
    world.warp(other, world.realms["plain"], 10, 40)
    until(world, lambda: brains.is_asleep(other), within=2)
    watcher(world, 35, 10)
    assert len(world.timers) == 0
    player = watcher(world, 15, 40, name="Berta")
    assert not brains.is_asleep(other)
    assert player.realm is not None


def test_a_blow_wakes_it_though_nobody_looks_on() -> None:
    world = wild_world()
    boar = creature(world, "boar", 10, 10)
    lingering = person(world, "Alric", 11, 10)
    lingering.hits = lingering.hits_max = 1000
    assert brains.is_asleep(boar)
    fighting.attack(lingering, boar)
    until(world, lambda: enemy(boar) == lingering.serial, within=2)
    life.kill(lingering)
    until(world, lambda: brains.is_asleep(boar), within=2)
    assert boar.hits == boar.hits_max


# At home


def test_it_wanders_within_its_home_and_over_no_warp() -> None:
    world = wild_world(wild_content(warps={(20, 19): Warp("cave", 1, 1)}))
    boar = creature(world, "boar", 20, 20)
    watcher(world, 30, 20)
    seen: set[tuple[int, int]] = set()
    for_a_while(world, 600, lambda: seen.add(tile(boar)))
    assert len(seen) > 20
    assert all(max(abs(x - 20), abs(y - 20)) <= 3 for x, y in seen)
    assert (20, 19) not in seen


def test_who_does_not_hunt_leaves_everybody_in_peace() -> None:
    world = wild_world()
    boar = creature(world, "boar", 10, 10)
    player = watcher(world, 11, 10)
    for_a_while(world, 20)
    assert (mood(boar), player.hits) == (Mood.IDLE, player.hits_max)


# Noticing


def test_a_hunter_notices_somebody_within_its_sight_soon() -> None:
    world = wild_world()
    wolf = creature(world, "wolf", 20, 20)
    player = watcher(world, 20 + KINDS["wolf"].sight + 4, 20)
    for_a_while(world, 5)
    assert mood(wolf) is Mood.IDLE
    world.warp(player, world.realms["plain"], 20 + KINDS["wolf"].sight - 3, 20)
    until(world, lambda: mood(wolf) is Mood.CHASE, within=1.5)


@pytest.mark.parametrize("why", ["a wall between", "hidden", "dead", "beyond its leash"])
def test_whom_it_does_not_notice(why: str) -> None:
    walls = frozenset((23, y) for y in range(60)) if why == "a wall between" else frozenset()
    world = wild_world(wild_content(walls=walls))
    wolf = creature(world, "wolf", 20, 20)
    player = watcher(world, 25, 20)
    if why == "hidden":
        player.hidden = True
    elif why == "dead":
        life.kill(player)
    elif why == "beyond its leash":
        assert wolf.brain is not None
        wolf.brain.home_x = 25 - KINDS["wolf"].leash - 1
    for_a_while(world, 10)
    assert mood(wolf) is Mood.IDLE


# Chasing


def test_it_comes_and_stops_on_a_straight_side_and_strikes() -> None:
    world = wild_world()
    wolf = creature(world, "wolf", 20, 20)
    player = watcher(world, 25, 23)
    until(world, lambda: is_beside(wolf, player), within=6)
    until(world, lambda: player.hits < player.hits_max, within=30)
    assert enemy(wolf) == player.serial
    for_a_while(world, 10)
    assert is_beside(wolf, player)


def test_it_steps_at_its_pace() -> None:
    world = wild_world()
    wolf = creature(world, "wolf", 20, 20)
    player = watcher(world, 27, 20)
    until(world, lambda: mood(wolf) is Mood.CHASE)
    begun, from_x = world.now, wolf.x
    until(world, lambda: is_beside(wolf, player))
    seconds = (26 - from_x - 1) * KINDS["wolf"].step_ms / 1000
    assert seconds <= world.now - begun <= seconds + 0.5 + 0.05 * 7


def test_a_slanting_step_takes_as_much_longer_as_it_is() -> None:
    """A client that draws the way as one line, at one speed, would fall behind."""
    world = wild_world()
    wolf = creature(world, "wolf", 20, 20)
    player = watcher(world, 27, 27)
    until(world, lambda: mood(wolf) is Mood.CHASE)
    until(world, lambda: wolf.x > 20)
    begun, from_x = world.now, wolf.x
    until(world, lambda: wolf.x == 25)
    assert (wolf.x, wolf.y) == (25, 25)
    seconds = (25 - from_x) * KINDS["wolf"].step_ms / 1000 * 2**0.5
    assert world.now - begun == pytest.approx(seconds, abs=0.3)
    until(world, lambda: is_beside(wolf, player))


def test_it_follows_who_walks_away_and_never_stands_on_the_same_tile() -> None:
    world = wild_world()
    wolf = creature(world, "wolf", 20, 20)
    player = watcher(world, 23, 20)
    until(world, lambda: is_beside(wolf, player))
    for number in range(40):
        motion.step(player, EAST if number % 8 < 4 else WEST)
        for_a_while(world, 0.6)
        assert tile(wolf) != tile(player)
    until(world, lambda: is_beside(wolf, player), within=3)


def test_who_steps_onto_its_tile_is_made_room_for() -> None:
    world = wild_world()
    wolf = creature(world, "wolf", 20, 20)
    player = watcher(world, 23, 20)
    until(world, lambda: is_beside(wolf, player))
    world.warp(player, world.realms["plain"], wolf.x, wolf.y)
    until(world, lambda: is_beside(wolf, player), within=2)


def test_several_stand_on_tiles_of_their_own_and_on_the_straight_sides_first() -> None:
    world = wild_world()
    player = watcher(world, 25, 25)
    pack = [creature(world, "wolf", 20 + number, 20) for number in range(6)]
    until(world, lambda: all(apart(wolf, player) == 1 for wolf in pack), within=20)
    for_a_while(world, 10)
    tiles = {tile(wolf) for wolf in pack}
    assert len(tiles) == 6
    assert {(24, 25), (26, 25), (25, 24), (25, 26)} <= tiles
    life.kill(next(wolf for wolf in pack if tile(wolf) == (24, 25)))
    until(world, lambda: (24, 25) in {tile(wolf) for wolf in pack if not wolf.dead}, within=5)


def test_it_finds_a_way_around_a_wall() -> None:
    walls = frozenset((25, y) for y in range(12, 27))
    world = wild_world(wild_content(walls=walls))
    wolf = creature(world, "wolf", 22, 20)
    player = watcher(world, 28, 20)
    assert wolf.stung is not None
    wolf.stung(player)
    until(world, lambda: is_beside(wolf, player), within=20)


@pytest.mark.parametrize("room", [0, 1, 2], ids=["no side", "a ring", "a court"])
def test_whom_it_cannot_reach_it_gives_up(room: int) -> None:
    court = {(x, y) for x in range(30 - room, 31 + room) for y in range(19 - room, 20 + room)}
    walls = frozenset((x, y) for x in range(27, 34) for y in range(16, 23)) - court
    world = wild_world(wild_content(walls=walls))
    wolf = creature(world, "wolf", 20, 20)
    player = watcher(world, 30, 19)
    assert wolf.stung is not None
    wolf.stung(player)
    until(world, lambda: mood(wolf) is Mood.HOME, within=20)
    until(world, lambda: tile(wolf) == (20, 20), within=20)
    assert len(world.paths) == 0


# Kin


def test_kin_come_to_help_and_others_do_not() -> None:
    world = wild_world()
    player = watcher(world, 20, 20)
    player.hidden = True
    struck, near, asleep_far = (creature(world, "wolf", x, 20) for x in (21, 25, 45))
    boar = creature(world, "boar", 22, 22)
    for_a_while(world, 3)
    player.hidden = False
    assert struck.stung is not None
    struck.stung(player)
    assert (mood(struck), mood(near), mood(asleep_far)) == (Mood.CHASE, Mood.CHASE, Mood.IDLE)
    assert mood(boar) is Mood.IDLE


def test_a_flock_scatters_when_one_is_struck() -> None:
    world = wild_world()
    player = watcher(world, 20, 20)
    flock = [creature(world, "deer", x, 21) for x in (20, 22, 23)]
    fighting.attack(player, flock[0])
    until(world, lambda: all(mood(deer) is Mood.FLEE for deer in flock), within=4)
    fighting.stop(player)
    until(world, lambda: all(apart(deer, player) >= 6 for deer in flock), within=6)
    until(world, lambda: all(mood(deer) is Mood.IDLE for deer in flock), within=30)
    assert player.hits == player.hits_max


# Fleeing and giving up


def test_the_weak_flee_and_come_back_whole() -> None:
    world = wild_world()
    thief = creature(world, "thief", 20, 20)
    player = watcher(world, 22, 20)
    until(world, lambda: enemy(thief) == player.serial)
    life.hurt(thief, 25, player)
    until(world, lambda: mood(thief) is Mood.FLEE, within=2)
    assert enemy(thief) == 0
    until(world, lambda: apart(thief, player) > 5, within=5)
    until(world, lambda: mood(thief) is Mood.IDLE, within=30)
    assert thief.hits == thief.hits_max
    assert tile(thief) == (20, 20)


def test_who_is_cornered_strikes() -> None:
    walls = frozenset((x, y) for x in range(19, 23) for y in range(19, 22)) - {(20, 20), (21, 20)}
    world = wild_world(wild_content(walls=walls))
    thief = creature(world, "thief", 20, 20)
    player = watcher(world, 21, 20)
    life.hurt(thief, 25, player)
    assert thief.stung is not None
    thief.stung(player)
    assert mood(thief) is Mood.FLEE
    until(world, lambda: player.hits < player.hits_max, within=30)


def test_beyond_its_leash_it_turns_back_and_heals_on_the_way() -> None:
    world = wild_world(wild_content(width=120))
    wolf = creature(world, "wolf", 20, 20)
    player = watcher(world, 22, 20)
    until(world, lambda: enemy(wolf) == player.serial)
    life.hurt(wolf, 30, player)
    for _ in range(60):
        if mood(wolf) is not Mood.CHASE:
            break
        motion.step(player, EAST)
        for_a_while(world, 0.45)
        assert wolf.x <= 20 + KINDS["wolf"].leash + 1
    assert mood(wolf) is Mood.HOME
    assert enemy(wolf) == 0
    assert not wolf.war
    at, hits = wolf.x, wolf.hits
    until(world, lambda: wolf.x < at - 3, within=5)
    assert hits < wolf.hits
    until(world, lambda: tile(wolf) == (20, 20), within=20)
    until(world, lambda: mood(wolf) is Mood.IDLE, within=1)
    assert (wolf.hits, wolf.wounds) == (wolf.hits_max, {})


def test_an_enemy_who_leaves_the_world_is_forgotten() -> None:
    world = wild_world()
    wolf = creature(world, "wolf", 20, 20)
    player, other = watcher(world, 22, 20), watcher(world, 35, 20, name="Berta")
    until(world, lambda: enemy(wolf) == player.serial)
    world.leave(player)
    until(world, lambda: mood(wolf) is Mood.IDLE, within=10)
    assert enemy(wolf) == 0
    assert other.hits == other.hits_max


def test_the_dead_are_left_for_the_next() -> None:
    world = wild_world()
    wolf = creature(world, "wolf", 20, 20)
    player, other = watcher(world, 22, 20), watcher(world, 25, 20, name="Berta")
    until(world, lambda: enemy(wolf) == player.serial)
    life.kill(player, wolf)
    until(world, lambda: enemy(wolf) == other.serial, within=10)


def test_no_timer_survives_a_creature() -> None:
    world = wild_world(wild_content(walls=frozenset((25, y) for y in range(1, 60))))
    player = watcher(world, 28, 20)
    world.timers.advance(world.now)
    before = len(world.timers)
    wolves = [creature(world, "wolf", 22, 15 + number) for number in range(5)]
    for wolf in wolves:
        assert wolf.stung is not None
        wolf.stung(player)
    for_a_while(world, 0.2)
    for wolf in wolves:
        life.kill(wolf, player)
    for_a_while(world, 2)
    assert len(world.timers) == before
    assert len(world.paths) == 0


def test_the_same_dice_make_the_same_hunt() -> None:
    def hunt(seed: int) -> list[tuple[int, int]]:
        world: World = wild_world(seed=seed)
        wolf, _ = creature(world, "wolf", 20, 20), watcher(world, 26, 24)
        seen: list[tuple[int, int]] = []
        for_a_while(world, 20, lambda: seen.append(tile(wolf)))
        return seen

    assert hunt(3) == hunt(3)
    assert hunt(3) != hunt(4)
