"""Ways around obstacles: right and short, and all searches together cost a turn no more than agreed."""

from __future__ import annotations

import itertools
import random
from collections import deque
from typing import TYPE_CHECKING

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.worlds import plain_content
from world import paths
from world.content import Warp
from world.paths import Paths
from world.timers import TimerWheel

if TYPE_CHECKING:
    from world.content import Chart

Tile = tuple[int, int]


def chart_of(walls: frozenset[Tile] = frozenset(), side: int = 30) -> Chart:
    return plain_content(width=side, height=side, walls=walls).charts["plain"]


def may_step(chart: Chart, tile: Tile, to: Tile) -> bool:
    """The rule of `world.motion.can_step`, said once more."""

    def free(x: int, y: int) -> bool:
        inside = 0 <= x < chart.width and 0 <= y < chart.height
        return inside and not chart.blocked[y * chart.width + x] and (x, y) not in chart.warps

    (x, y), (to_x, to_y) = tile, to
    if max(abs(to_x - x), abs(to_y - y)) != 1 or not free(to_x, to_y):
        return False
    return to_x == x or to_y == y or (free(to_x, y) and free(x, to_y))


def steps_to(chart: Chart, start: Tile, goal: Tile) -> int | None:
    """How many it takes, by looking everywhere."""
    known, edge = {start: 0}, deque([start])
    while edge:
        tile = edge.popleft()
        if tile == goal:
            return known[tile]
        for dx, dy in itertools.product((-1, 0, 1), repeat=2):
            other = tile[0] + dx, tile[1] + dy
            if other not in known and may_step(chart, tile, other):
                known[other] = known[tile] + 1
                edge.append(other)
    return None


def check_walked(chart: Chart, start: Tile, path: list[Tile]) -> None:
    for tile, to in itertools.pairwise([start, *reversed(path)]):
        assert may_step(chart, tile, to), (tile, to)


MAPS = st.frozensets(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=70)


@settings(max_examples=60, deadline=None)
@given(walls=MAPS, seed=st.integers(0, 999))
def test_a_way_is_walkable_and_the_shortest_there_is(walls: frozenset[Tile], seed: int) -> None:
    dice = random.Random(seed)
    free = [(x, y) for x in range(12) for y in range(12) if (x, y) not in walls]
    start, goal = dice.choice(free), dice.choice(free)
    chart = chart_of(walls, 12)
    search = Paths(TimerWheel()).ask(chart, start, [goal], goal)
    assert search.done
    check_walked(chart, start, search.path)
    wanted = steps_to(chart, start, goal)
    assert search.reached == (wanted is not None)
    if wanted is not None:
        assert len(search.path) == wanted
        assert [start, *reversed(search.path)][-1] == goal


def test_of_several_goals_the_nearest_is_taken_and_the_tile_between_is_not_crossed() -> None:
    chart = chart_of()
    sides = [(10, 9), (11, 10), (10, 11), (9, 10)]
    search = Paths(TimerWheel()).ask(chart, (20, 10), sides, (10, 10), avoid=(10, 10))
    assert search.path[0] == (11, 10)
    # With only the far side free it goes around.
    around = Paths(TimerWheel()).ask(chart, (14, 10), [(9, 10)], (10, 10), avoid=(10, 10))
    assert around.reached
    assert (10, 10) not in around.path


def test_what_cannot_be_reached_is_approached() -> None:
    box = frozenset(
        {*((x, y) for x in range(9, 14) for y in (9, 13)), *((x, y) for x in (9, 13) for y in range(9, 14))}
    )
    chart = chart_of(box)
    search = Paths(TimerWheel(), per_turn=10_000).ask(chart, (20, 11), [(11, 11)], (11, 11))
    assert search.done
    assert not search.reached
    x, y = search.path[0]
    assert max(abs(x - 11), abs(y - 11)) == 3
    check_walked(chart, (20, 11), search.path)


def test_nobody_is_sent_over_a_tile_where_a_warp_begins() -> None:
    walls = frozenset((5, y) for y in range(12)) - {(5, 3), (5, 9)}
    chart = attrs.evolve(chart_of(walls, 12), warps={(5, 3): Warp("cave", 1, 1)})
    search = Paths(TimerWheel()).ask(chart, (3, 3), [(7, 3)], (7, 3))
    assert search.reached
    assert (5, 9) in search.path
    assert Paths(TimerWheel()).straight(chart, (3, 3), (7, 3)) is None


@pytest.mark.parametrize("goal", [(1, 1), (10, 4), (3, 11), (8, 8)])
def test_the_straight_way_is_the_shortest_in_the_open(goal: Tile) -> None:
    chart = chart_of()
    straight = Paths(TimerWheel()).straight(chart, (6, 6), goal)
    assert straight is not None
    check_walked(chart, (6, 6), straight)
    assert len(straight) == steps_to(chart, (6, 6), goal)
    assert straight[0] == goal


def test_a_straight_way_with_something_in_it_is_none() -> None:
    chart = chart_of(frozenset({(8, 6)}))
    ways = Paths(TimerWheel())
    assert ways.straight(chart, (6, 6), (10, 6)) is None
    assert ways.straight(chart, (6, 6), (6, 10), avoid=(6, 8)) is None
    # Between two corners that touch nobody slips through.
    assert ways.straight(chart_of(frozenset({(7, 6)})), (6, 6), (7, 7)) is None


def test_all_searches_together_look_at_no_more_than_agreed_in_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: dict[float, int] = {}
    timers = TimerWheel()
    run = paths.Search.run

    def counted(search: paths.Search, most: int) -> int:
        found = run(search, most)
        looked[timers.now] = looked.get(timers.now, 0) + found
        return found

    monkeypatch.setattr(paths.Search, "run", counted)
    chart = chart_of(frozenset((15, y) for y in range(1, 30)))
    ways = Paths(timers, per_turn=50)
    asked = [ways.ask(chart, (1, y), [(28, y)], (28, y)) for y in range(10, 20)]
    assert len(ways) > 0
    finished = []
    for turn in range(1, 400):
        timers.now = turn * 0.05
        timers.advance(timers.now)
        finished += [number for number, search in enumerate(asked) if search.done and number not in finished]
    assert max(looked.values()) <= 50
    assert finished == list(range(10)), "whoever asked first has it first"
    assert all(search.reached for search in asked)
    assert (len(ways), len(timers)) == (0, 0)


def test_a_search_that_nobody_waits_for_costs_nothing_more() -> None:
    timers = TimerWheel()
    chart = chart_of(frozenset((15, y) for y in range(1, 30)))
    ways = Paths(timers, per_turn=50)
    first, second = (ways.ask(chart, (1, y), [(28, y)], (28, y)) for y in (15, 16))
    first.cancelled = True
    while len(ways):
        timers.now += 0.05
        timers.advance(timers.now)
    assert (first.done, second.done) == (False, True)
