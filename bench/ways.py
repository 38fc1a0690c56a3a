"""Costs of ways around the houses, in CPU time of one core for each second of the world.

    python -m bench.ways [walkers [seconds]]

It runs a world without a server and without views: Confluence, in turns of 20 a second. Everybody is given a
new goal every five seconds, as far as one runs in that time, in the middle of the town; half of the goals are
places to which everybody goes (a healer, an innkeeper), and half are one's own. What is measured apart from
all else is finding the ways: the straight lines that are tried first, the searches, and pulling what they
find taut.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from server.content.loading import load
from tests.kit.worlds import person, plain_world
from world import journeys
from world.paths import Ground, Paths

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile
    from world.world import World

P = ParamSpec("P")
R = TypeVar("R")

TURN: Final = 0.05
NEW_GOAL: Final = 5.0
RUN_MS: Final = 209
"""Lineage II's."""
PLACES: Final = 8
LEFT, TOP, RIGHT, BOTTOM = 25, 25, 95, 95
"""The town, in tiles."""


class Spent:
    """CPU seconds spent inside of some functions, nested calls counted once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0

    def counted(self, function: Callable[P, R]) -> Callable[P, R]:
        """The function, its time counted."""

        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            self._depth += 1
            begun = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                self._depth -= 1
                if not self._depth:
                    self.seconds += time.process_time() - begun

        return call


def goal_of(mobile: Mobile, dice: random.Random, places: list[tuple[int, int]]) -> tuple[int, int]:
    """Where somebody goes next."""
    if dice.random() < 0.5:
        return dice.choice(places)
    far = round(NEW_GOAL * 1000 / RUN_MS)
    x, y = mobile.x + dice.randint(-far, far), mobile.y + dice.randint(-far, far)
    return min(max(x, LEFT), RIGHT), min(max(y, TOP), BOTTOM)


def run(world: World, walkers: list[Mobile], seconds: float, spent: Spent) -> tuple[float, list[float], int]:
    """CPU seconds of the whole world, those of each turn, and how many goals there were."""
    dice, goals = random.Random(3), 0
    realm = world.realms["confluence"]
    free = [(x, y) for x in range(LEFT, RIGHT) for y in range(TOP, BOTTOM) if realm.walkable(x, y)]
    places = [dice.choice(free) for _ in range(PLACES)]
    due = {mobile: dice.random() * NEW_GOAL for mobile in walkers}
    turns = []
    for _ in range(round(seconds / TURN)):
        begun = time.process_time()
        world.begin(world.now + TURN)
        for mobile, at in due.items():
            if world.now >= at:
                due[mobile] = at + NEW_GOAL
                goals += 1
                journeys.travel(mobile, *goal_of(mobile, dice, places), run=True)
        world.run_timers()
        world.take_changes()
        turns.append(time.process_time() - begun)
    return sum(turns), sorted(turns), goals


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    spent = Spent()
    # Only what finds ways, as the module's own names: nothing else of the world is touched.
    Ground.line = spent.counted(Ground.line)  # type: ignore[method-assign]
    Paths.ask = spent.counted(Paths.ask)  # type: ignore[method-assign]
    Paths._run = spent.counted(Paths._run)  # type: ignore[method-assign]
    journeys.straightened = spent.counted(journeys.straightened)
    world = plain_world(load(Path("data")), seed=1)
    dice, realm = random.Random(2), world.realms["confluence"]
    free = [(x, y) for x in range(LEFT, RIGHT) for y in range(TOP, BOTTOM) if realm.walkable(x, y)]
    walkers = []
    for number in range(count):
        mobile = person(world, f"Walker{number}", *dice.choice(free), realm="confluence")
        mobile.gait.run_ms = RUN_MS
        walkers.append(mobile)
    world.begin(0.0)
    world.paths.ground(realm.chart)
    total, turns, goals = run(world, walkers, seconds, spent)
    late, longest = turns[len(turns) * 99 // 100] * 1000, turns[-1] * 1000
    share, each = spent.seconds / seconds * 100, spent.seconds / goals * 1e6
    print(f"{count} walkers, {goals / seconds:.0f} new goals a second, {seconds} s")
    print(f"  finding ways {share:5.2f} % of a core ({each:.0f} us each)")
    print(f"  all of it    {total / seconds * 100:5.2f} %")
    print(f"  p99 of a turn {late:.2f} ms, longest {longest:.2f} ms")


if __name__ == "__main__":
    main()
