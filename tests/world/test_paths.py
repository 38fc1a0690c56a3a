"""Ways around obstacles: right and short, and all searches together cost a turn no more than agreed."""

from __future__ import annotations

import itertools
import random
from heapq import heappop, heappush
from math import hypot, inf
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.content.loading import load
from tests.kit.worlds import plain_content
from world import paths
from world.content import Warp
from world.journeys import straightened
from world.paths import Paths
from world.timers import TimerWheel

if TYPE_CHECKING:
    from world.content import Chart

Tile = tuple[int, int]

DATA: Final = Path(__file__).parents[2] / "data"


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


def least_to(chart: Chart, start: Tile, goal: Tile) -> float | None:
    """How long the way is at least, a slanting step being sqrt(2) long; by looking everywhere."""
    known, edge = {start: 0.0}, [(0.0, start)]
    while edge:
        length, tile = heappop(edge)
        if tile == goal:
            return length
        for dx, dy in itertools.product((-1, 0, 1), repeat=2):
            other = tile[0] + dx, tile[1] + dy
            farther = length + hypot(dx, dy)
            if may_step(chart, tile, other) and farther < known.get(other, inf):
                known[other] = farther
                heappush(edge, (farther, other))
    return None


def length_of(start: Tile, path: list[Tile]) -> float:
    return sum(hypot(to[0] - x, to[1] - y) for (x, y), to in itertools.pairwise([start, *reversed(path)]))


def check_walked(chart: Chart, start: Tile, path: list[Tile]) -> None:
    for tile, to in itertools.pairwise([start, *reversed(path)]):
        assert may_step(chart, tile, to), (tile, to)


MAPS = st.frozensets(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=70)


@settings(max_examples=60, deadline=None)
@given(walls=MAPS, seed=st.integers(0, 999))
def test_a_way_is_walkable_and_hardly_longer_than_the_shortest(walls: frozenset[Tile], seed: int) -> None:
    dice = random.Random(seed)
    free = [(x, y) for x in range(12) for y in range(12) if (x, y) not in walls]
    start, goal = dice.choice(free), dice.choice(free)
    chart, ways = chart_of(walls, 12), Paths(TimerWheel(), per_turn=10_000)
    # The second asks in what the first has left behind, from elsewhere.
    for begin in (start, dice.choice(free)):
        search = ways.ask(chart, begin, [goal], goal)
        assert search.done
        check_walked(chart, begin, search.path)
        wanted = least_to(chart, begin, goal)
        assert search.reached == (wanted is not None)
        if wanted is not None:
            assert length_of(begin, search.path) <= 1.05 * wanted
            assert [begin, *reversed(search.path)][-1] == goal
        check_straightened(chart, ways, begin, search.path)


def check_straightened(chart: Chart, ways: Paths, start: Tile, path: list[Tile]) -> None:
    if not path:
        return
    lines = straightened(ways.ground(chart), start, path[::-1])
    tiles = [tile for line in lines for tile in line]
    check_walked(chart, start, tiles[::-1])
    assert tiles[-1] == path[0]
    assert length_of(start, tiles[::-1]) <= length_of(start, path) + 0.001
    for begin, line in zip([start, *(line[-1] for line in lines)], lines, strict=False):
        (x, y), (to_x, to_y) = begin, line[-1]
        for at_x, at_y in line:
            off = abs((at_x - x) * (to_y - y) - (at_y - y) * (to_x - x)) / hypot(to_x - x, to_y - y)
            assert off <= 0.5, "a client that draws it as a line is never a tile away"


def test_ways_through_the_town_are_walkable_and_hardly_longer_than_the_shortest() -> None:
    chart = load(DATA).charts["confluence"]
    ways, dice = Paths(TimerWheel(), per_turn=100_000), random.Random(18)
    ground = ways.ground(chart)
    free = [
        (x, y)
        for x in range(30, 90)
        for y in range(30, 90)
        if ground.free[ground.cell(x, y)]
        and ground.regions(ground.cell(x, y)) == ground.regions(ground.cell(60, 60))
    ]
    for number in range(60):
        start, goal = dice.choice(free), free[number // 3 * 97 % len(free)]
        search = ways.ask(chart, start, [goal], goal)
        assert search.reached
        check_walked(chart, start, search.path)
        wanted = least_to(chart, start, goal)
        assert wanted is not None
        assert length_of(start, search.path) <= 1.05 * wanted
        check_straightened(chart, ways, start, search.path)


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


def test_who_stands_in_a_door_nearest_to_a_goal_out_of_reach_stays_there() -> None:
    walls = frozenset((x, 6) for x in range(30))
    chart = attrs.evolve(chart_of(walls), warps={(5, 5): Warp("cave", 1, 1)})
    search = Paths(TimerWheel()).ask(chart, (5, 5), ((5, 9),), (5, 9))
    assert (search.done, search.reached, search.path) == (True, False, [])


@pytest.mark.parametrize("goal", [(1, 1), (10, 4), (3, 11), (8, 8)])
def test_the_straight_way_is_the_shortest_in_the_open(goal: Tile) -> None:
    chart = chart_of()
    straight = Paths(TimerWheel()).straight(chart, (6, 6), goal)
    assert straight is not None
    check_walked(chart, (6, 6), straight)
    assert length_of((6, 6), straight) == pytest.approx(least_to(chart, (6, 6), goal))
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
    assert sorted(finished) == list(range(10))
    assert all(search.reached for search in asked)
    assert (len(ways), len(timers)) == (0, 0)


def test_a_long_search_keeps_no_short_one_waiting() -> None:
    timers = TimerWheel()
    chart = chart_of(frozenset((15, y) for y in range(1, 100)), 100)
    ways = Paths(timers, per_turn=150)
    long, short = (ways.ask(chart, (14, 60), [goal], goal) for goal in ((16, 60), (2, 55)))
    while not short.done:
        timers.now += 0.05
        timers.advance(timers.now)
    assert not long.done


def test_which_tiles_hang_together_is_known_without_a_search() -> None:
    rooms = frozenset({*((10, y) for y in range(30)), *((x, 10) for x in range(30))})
    ground = Paths(TimerWheel()).ground(chart_of(rooms))
    regions = {
        (x, y): ground.regions(ground.cell(x, y)) for x in range(30) for y in range(30) if (x, y) not in rooms
    }
    quarters = {(x > 10, y > 10): found for (x, y), found in regions.items()}
    assert all(found == quarters[x > 10, y > 10] for (x, y), found in regions.items())
    assert len({*map(tuple, quarters.values())}) == 4


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


def test_a_goal_of_many_is_reached_by_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "LARGEST", 400)
    chart = chart_of(frozenset((x, y) for x in range(4, 60, 8) for y in range(60) if (x + y) % 7), 60)
    ways, dice = Paths(TimerWheel(), per_turn=100_000), random.Random(5)
    searches = []
    for _ in range(60):
        start = dice.randrange(60) // 8 * 8, dice.randrange(60)
        searches.append(ways.ask(chart, start, [(30, 30)], (30, 30)))
    assert sum(search.reached for search in searches) == 60


def test_what_is_kept_for_others_is_counted_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "KEPT", 2500)
    timers = TimerWheel()
    chart = chart_of(frozenset((15, y) for y in range(35, 60)), 60)
    ways, dice = Paths(timers, per_turn=60), random.Random(6)
    for turn in range(1, 300):
        if turn < 200:
            goal = dice.randrange(20, 60), dice.randrange(40, 60)
            ways.ask(chart, (dice.randrange(14), dice.randrange(40, 60)), [goal], goal)
        timers.now = turn * 0.05
        timers.advance(timers.now)
    while len(ways):
        timers.now += 0.05
        timers.advance(timers.now)
    assert ways._kept == sum(len(field.known) for field in ways._fields.values())
    assert 0 < ways._kept <= 2500
