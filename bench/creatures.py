"""Costs of creatures that sleep, wander and chase, in CPU time of one core for each second of the world.

    python -m bench.creatures [creatures [seconds]]

It runs a world without a server: turns of 20 a second, in which timers run and changes are taken and thrown
away, so that what is measured is brains, ways, steps, blows and the events of these, and no view. The realm
has walls everywhere, one tile in twelve, so that ways have to be looked for. Those who chase are after
players who walk about among them and do not die.
"""

from __future__ import annotations

import random
import sys
import time
from typing import TYPE_CHECKING, Final

import attrs

from tests.kit.creatures import PLAIN, creature, watcher, wild_content, wild_world
from world import brains, motion
from world.content import Temper
from world.parts import Mood

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile
    from world.world import World

SIDE: Final = 240
TURN: Final = 0.05
PLAYERS: Final = 20


def wild(seed: int) -> World:
    """An open realm with a wall here and there, and hunters that follow far."""
    dice = random.Random(seed)
    walls = frozenset((dice.randrange(SIDE), dice.randrange(SIDE)) for _ in range(SIDE * SIDE // 12))
    content = wild_content(width=SIDE, height=SIDE, walls=walls)
    wolf = content.mobiles["wolf"]
    fights = attrs.evolve(PLAIN, temper=Temper.HUNTS, leash=64, sight=12, step_ms=300)
    mobiles = {**content.mobiles, "wolf": attrs.evolve(wolf, fights=fights)}
    return wild_world(attrs.evolve(content, mobiles=mobiles), seed=seed)


def free(world: World, dice: random.Random) -> tuple[int, int]:
    """A random tile on which one can stand."""
    realm = world.realms["plain"]
    while True:
        x, y = dice.randrange(SIDE), dice.randrange(SIDE)
        if realm.walkable(x, y):
            return x, y


def run(world: World, seconds: float, each: Callable[[], object]) -> tuple[float, list[float]]:
    """Let the world run; returns CPU seconds for each of its seconds, and how long each turn took."""
    turns: list[float] = []
    for _ in range(round(seconds / TURN)):
        each()
        begun = time.process_time()
        world.begin(world.now + TURN)
        world.run_timers()
        world.take_changes()
        turns.append(time.process_time() - begun)
    return sum(turns) / seconds, sorted(turns)


def report(what: str, world: World, seconds: float, each: Callable[[], object] = lambda: None) -> None:
    """Measure and print one line."""
    load, turns = run(world, seconds, each)
    late, longest = turns[len(turns) * 99 // 100] * 1000, turns[-1] * 1000
    print(
        f"{what:<32} {load * 100:6.2f} % of a core   p99 of a turn {late:6.2f} ms, longest {longest:6.2f} ms"
    )


def asleep(count: int, seconds: float) -> None:
    """Nobody is there."""
    world, dice = wild(1), random.Random(2)
    for _ in range(count):
        creature(world, "wolf", *free(world, dice))
    report(f"{count} asleep, {len(world.timers)} timers", world, seconds)


def at_home(count: int, seconds: float) -> None:
    """Somebody sees them whom they cannot reach: they wander and look around."""
    world, dice = wild(1), random.Random(2)
    players = _crowd(world, dice)
    wolves = [creature(world, "wolf", *near(world, players[n % PLAYERS], dice)) for n in range(count)]
    for player in players:
        player.hidden = True
    run(world, 1, lambda: None)
    awake = sum(not brains.is_asleep(wolf) for wolf in wolves)
    report(f"{awake} awake at home", world, seconds)


def chasing(count: int, seconds: float) -> None:
    """All of them are after somebody who runs."""
    world, dice = wild(1), random.Random(2)
    players = _crowd(world, dice)
    wolves = [creature(world, "wolf", *near(world, players[n % PLAYERS], dice)) for n in range(count)]
    for number, wolf in enumerate(wolves):
        if wolf.stung is not None:
            wolf.stung(players[number % PLAYERS])

    def move() -> None:
        for player in players:
            if dice.random() < TURN / 0.4:
                motion.step(player, dice.randrange(8))

    run(world, 2, move)
    report(f"{count} chasing {len(players)} who walk about", world, seconds, move)
    moods = [wolf.brain.mood for wolf in wolves if wolf.brain is not None]
    print(f"  of these still after somebody: {moods.count(Mood.CHASE)}; searches waiting: {len(world.paths)}")


def _crowd(world: World, dice: random.Random) -> list[Mobile]:
    """Players who live for ever, here and there."""
    names = (f"Player{number}" for number in range(PLAYERS))
    return [watcher(world, *free(world, dice), name=name, hits=10_000_000) for name in names]


def near(world: World, player: Mobile, dice: random.Random) -> tuple[int, int]:
    """A tile in a player's sight on which one can stand."""
    realm = world.realms["plain"]
    while True:
        x, y = player.x + dice.randint(-12, 12), player.y + dice.randint(-12, 12)
        if realm.walkable(x, y):
            return x, y


def main() -> None:
    """Measure all three."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
    asleep(2000, seconds)
    at_home(count, seconds)
    chasing(count, seconds)


if __name__ == "__main__":
    main()
