"""Journeys: the way, its straight parts, what is told of them, and what is done at the end."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import goes_on, person, plain_content, plain_world
from world import furniture, journeys, life, motion
from world.content import Warp
from world.events import Event, Halted, Said, SetOut, Stepped, Warped
from world.heading import EAST, OFFSETS, SOUTH_EAST
from world.mobile import Gait, Mobile, Posture
from world.reach import Cannot, Refusal
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.world import World


def test_a_diagonal_tile_of_a_journey_takes_longer_than_a_straight_one() -> None:
    times = {}
    for heading in (EAST, SOUTH_EAST):
        world = plain_world()
        mobile = person(world, x=5, y=5)
        dx, dy = OFFSETS[heading]
        world.begin(0.0)
        journeys.travel(mobile, 5 + 8 * dx, 5 + 8 * dy)
        for tick in range(1, 2000):
            world.begin(tick * 0.01)
            world.run_timers()
            if (mobile.x, mobile.y) == (5 + 8 * dx, 5 + 8 * dy):
                times[heading] = tick * 0.01
                break
    assert times[SOUTH_EAST] / times[EAST] == pytest.approx(2**0.5, rel=0.1)


def _journey(world: World, seconds: float) -> list[tuple[float, Event]]:
    """Let time pass; what happened when."""
    told = [(world.now, event) for event in world.take_changes().events]
    for tick in range(1, round(seconds / 0.01) + 1):
        world.begin(tick * 0.01)
        world.run_timers()
        told += [(world.now, event) for event in world.take_changes().events]
    return told


@pytest.fixture
def plain() -> World:
    return plain_world()


@pytest.fixture
def walker(plain: World) -> Mobile:
    """Somebody at (10, 10) of an open plain, 0.2 s a tile running and twice that walking."""
    mobile = person(plain, x=10, y=10)
    mobile.gait = Gait(400, 200)
    plain.begin(0.0)
    plain.take_changes()
    return mobile


def test_a_journey_is_told_when_it_begins_and_when_it_ends(plain: World, walker: Mobile) -> None:
    arrivals: list[float] = []
    journeys.travel(walker, 15, 10, run=True, ended=lambda reached: arrivals.append(plain.now))
    journey = walker.gait.journey
    assert journey is not None
    assert (journey.x, journey.y, journey.run) == (15, 10, True)
    told = _journey(plain, 3)
    kinds = [type(event) for _, event in told]
    assert kinds == [SetOut, *[Stepped] * 5, Halted]
    start = told[0][1]
    assert isinstance(start, SetOut)
    assert (start.x, start.y, start.to_x, start.to_y, start.run) == (10, 10, 15, 10, True)
    assert all(event.journey for _, event in told if isinstance(event, Stepped))
    # It is there when a client that draws five tiles as one line is: not when it enters the last of them.
    assert arrivals == [pytest.approx(1.0, abs=0.03)]
    assert told[-1][0] == arrivals[0]
    assert walker.gait.journey is None


@pytest.mark.parametrize("end", [(40, 13), (40, 25), (13, 40), (25, 40), (0, 3), (4, 0)])
def test_a_journey_keeps_to_the_straight_line_and_to_its_length(
    plain: World, walker: Mobile, end: tuple[int, int]
) -> None:
    dx, dy = end[0] - 10, end[1] - 10
    journeys.travel(walker, *end)
    told = _journey(plain, 30)
    for _, event in told:
        if isinstance(event, Stepped):
            off = abs((event.x - 10) * dy - (event.y - 10) * dx) / hypot(dx, dy)
            assert off <= 0.5, f"{event.x}, {event.y} is {off} tiles beside the line"
    assert told[-1][0] == pytest.approx(hypot(dx, dy) * 0.4, abs=0.05)


def test_a_new_journey_replaces_the_old_and_gains_no_time(plain: World, walker: Mobile) -> None:
    reached: list[str] = []
    journeys.travel(walker, 40, 10, run=True, ended=lambda _: reached.append("old"))
    for tick in range(1, 201):
        plain.begin(tick * 0.01)
        if tick % 3 == 0:
            journeys.travel(walker, 40, 10, run=True, ended=lambda _: reached.append("new"))
        plain.run_timers()
    steps = walker.x - 10
    assert 9 <= steps <= 11, "in two seconds, clicking all the time"
    assert not any(isinstance(event, Halted) for event in plain.take_changes().events)
    for tick in range(201, 1000):
        plain.begin(tick * 0.01)
        plain.run_timers()
    assert reached == ["new"]


def test_where_there_is_no_way_nothing_begins_and_one_is_there_at_once(plain: World, walker: Mobile) -> None:
    arrivals: list[bool] = []
    journeys.travel(walker, 10, 10, ended=arrivals.append)
    assert arrivals == [True]
    walker.posture = Posture.FLOOR
    journeys.travel(walker, 12, 10, ended=arrivals.append)
    assert arrivals == [True, False]
    assert walker.gait.journey is None
    assert plain.take_changes().events == []


def test_a_click_on_ones_own_feet_ends_a_journey(plain: World, walker: Mobile) -> None:
    journeys.travel(walker, 15, 10, run=True)
    told = _journey(plain, 0.3)
    assert (walker.x, walker.y) == (12, 10)
    journeys.travel(walker, 12, 10)
    assert [type(event) for event in plain.take_changes().events] == [Halted]
    told = _journey(plain, 2)
    assert told == []


def _dies(mobile: Mobile) -> None:
    life.kill(mobile)


def _sits(mobile: Mobile) -> None:
    furniture.sit_on_floor(mobile)


@pytest.mark.parametrize("stop", [motion.halt, _sits, _dies])
def test_what_stops_a_journey_is_told_and_its_purpose_forgotten(
    plain: World, walker: Mobile, stop: Callable[[Mobile], None]
) -> None:
    arrivals: list[bool] = []
    journeys.travel(walker, 15, 10, run=True, ended=arrivals.append)
    plain.timers.after(0.5, stop, walker)
    told = _journey(plain, 3)
    (halted,) = [event for _, event in told if isinstance(event, Halted)]
    assert (halted.x, halted.y) == (walker.x, walker.y)
    assert 10 < walker.x < 15
    assert arrivals == []
    assert walker.gait.journey is None


def test_a_journey_into_a_warp_ends_there() -> None:
    world = plain_world(plain_content(warps={(12, 10): Warp("cave", 5, 5)}))
    mobile = person(world, x=10, y=10)
    mobile.gait = Gait(400, 200)
    world.begin(0.0)
    world.take_changes()
    journeys.travel(mobile, 12, 10)
    told = _journey(world, 5)
    assert [type(event) for _, event in told] == [SetOut, Stepped, Stepped, Halted, Warped]
    assert (mobile.realm, mobile.x, mobile.y) == (world.realms["cave"], 5, 5)
    assert mobile.gait.journey is None


def test_a_journey_goes_through_a_door_after_pushing_it_open() -> None:
    content = plain_content(warps={(12, 10): Warp("cave", 5, 5, door=True)})
    doors = frozenset({(12, 10)})
    charts = {**content.charts, "plain": attrs.evolve(content.charts["plain"], doors=doors)}
    world = plain_world(attrs.evolve(content, charts=charts))
    mobile = person(world, x=10, y=10)
    mobile.gait = Gait(400, 200)
    world.begin(0.0)
    journeys.travel(mobile, 12, 10)
    for tick in range(1, 200):
        world.begin(tick * 0.01)
        world.run_timers()
    assert mobile.realm is world.realms["cave"]


def walled(*walls: tuple[int, int]) -> World:
    """A plain of 60 x 60 tiles with walls."""
    return plain_world(plain_content(width=60, height=60, walls=frozenset(walls)))


def traveller(world: World, x: int, y: int) -> Mobile:
    mobile = person(world, x=x, y=y)
    mobile.gait = Gait(400, 200)
    world.open_viewport(mobile, 1, Sight(18))
    world.begin(0.0)
    world.take_changes()
    return mobile


def test_a_way_leads_around_a_wall_in_straight_parts() -> None:
    world = walled(*((12, y) for y in range(5, 16)))
    mobile = traveller(world, 5, 10)
    ended: list[bool] = []
    journeys.travel(mobile, 20, 10, run=True, ended=ended.append)
    told = _journey(world, 20)
    assert (mobile.x, mobile.y, ended) == (20, 10, [True])
    parts = [event for _, event in told if isinstance(event, SetOut)]
    assert 2 <= len(parts) <= 4
    assert [(part.x, part.y) for part in parts[1:]] == [(part.to_x, part.to_y) for part in parts[:-1]]
    assert (parts[-1].to_x, parts[-1].to_y) == (20, 10)
    assert sum(isinstance(event, Halted) for _, event in told) == 1, "it is one way, with one end"
    # It takes as long as a client needs that draws the parts as lines, whatever tiles they lead over.
    length = sum(hypot(part.to_x - part.x, part.to_y - part.y) for part in parts)
    assert told[-1][0] == pytest.approx(length * 0.2, abs=0.1)


def test_what_cannot_be_reached_is_approached_and_its_player_is_told() -> None:
    box = {
        *((x, y) for x in range(18, 23) for y in (8, 12)),
        *((x, y) for x in (18, 22) for y in range(8, 13)),
    }
    world = walled(*box)
    mobile = traveller(world, 5, 10)
    ended: list[bool] = []
    journeys.travel(mobile, 20, 10, ended=ended.append)
    told = _journey(world, 20)
    assert (mobile.x, mobile.y, ended) == (17, 10, [False])
    (said,) = [event for _, event in told if isinstance(event, Said)]
    assert said.means is Refusal.NO_PATH


def test_beside_a_wall_that_was_clicked_nobody_is_told_anything() -> None:
    world = walled((15, 10))
    mobile = traveller(world, 5, 10)
    journeys.travel(mobile, 15, 10)
    told = _journey(world, 10)
    assert (mobile.x, mobile.y) == (14, 10)
    assert not any(isinstance(event, Said) for _, event in told)


def test_a_way_that_is_found_later_begins_where_the_walker_is_by_then() -> None:
    maze = {(x, y) for x in range(2, 58, 4) for y in range(60) if y != (1 if x % 8 == 2 else 58)}
    world = walled(*maze)
    mobile = traveller(world, 1, 30)
    journeys.travel(mobile, 1, 40, run=True)
    world.paths._spent, world.paths._turn = 10_000, world.now  # others have used up this turn
    ended: list[bool] = []
    journeys.travel(mobile, 57, 30, run=True, ended=ended.append)
    assert mobile.gait.seeking is not None
    assert mobile.gait.journey is not None
    assert mobile.gait.journey.goal == (1, 40), "it goes on as before meanwhile"
    _journey(world, 200)
    assert (mobile.x, mobile.y, ended) == (57, 30, [True])


def test_who_stops_while_a_way_is_looked_for_goes_nowhere() -> None:
    world = walled(*((30, y) for y in range(59)))
    mobile = traveller(world, 1, 30)
    world.paths._spent, world.paths._turn = 10_000, world.now
    journeys.travel(mobile, 57, 30)
    motion.halt(mobile)
    _journey(world, 2)
    assert (mobile.x, mobile.y, len(world.paths)) == (1, 30, 0)


def test_one_walks_up_to_a_thing_and_does_what_one_came_for() -> None:
    world = walled(*((12, y) for y in range(5, 16)))
    mobile, other = traveller(world, 5, 10), person(world, x=16, y=10)
    done: list[tuple[int, int]] = []
    refused: list[Cannot] = []
    journeys.approach(mobile, other, 2, lambda: done.append((mobile.x, mobile.y)), refused.append, run=True)
    _journey(world, 20)
    assert (len(done), refused) == (1, [])
    x, y = done[0]
    assert max(abs(x - 16), abs(y - 10)) <= 2


def test_who_moves_on_is_followed() -> None:
    world = walled()
    mobile, other = traveller(world, 5, 10), person(world, x=16, y=10)
    other.gait = Gait(400, 200)
    done: list[int] = []
    journeys.approach(mobile, other, 2, lambda: done.append(other.x - mobile.x), print, run=True)
    journeys.travel(other, 24, 10)
    _journey(world, 20)
    assert done == [2]


def test_what_is_gone_by_then_is_refused() -> None:
    world = walled()
    mobile, other = traveller(world, 5, 10), person(world, x=16, y=10)
    refused: list[Cannot] = []
    journeys.approach(mobile, other, 2, lambda: None, refused.append)
    world.timers.after(1.0, world.leave, other)
    _journey(world, 10)
    assert [cannot.why for cannot in refused] == [Refusal.GONE]
    mobile.posture = Posture.FLOOR
    journeys.approach(mobile, other, 2, lambda: None, refused.append)
    assert refused[-1].why is Refusal.SITTING


def test_who_clicks_behind_an_exit_leaves_by_it() -> None:
    content = plain_content(
        warps={(12, 0): Warp("cave", 5, 5)}, walls=frozenset((x, 0) for x in range(60) if x != 12)
    )
    world = plain_world(content)
    mobile = traveller(world, 10, 6)
    journeys.travel(mobile, 12, -3)
    _journey(world, 10)
    assert mobile.realm is world.realms["cave"]


def test_to_run_from_now_on_changes_the_rest_of_a_way() -> None:
    world = walled(*((12, y) for y in range(5, 16)))
    mobile = traveller(world, 5, 10)
    ended: list[bool] = []
    journeys.travel(mobile, 20, 10, ended=ended.append)
    world.timers.after(1.0, journeys.set_running, mobile, True)
    told = _journey(world, 20)
    assert (mobile.x, mobile.y, ended) == (20, 10, [True])
    assert [part.run for _, part in told if isinstance(part, SetOut)][-1]


def test_who_leaves_off_stands_and_steps_of_its_own_are_still_taken() -> None:
    world = plain_world()
    mobile = person(world)
    journeys.travel(mobile, 30, 10)
    goes_on(world, 1.0)
    assert journeys.leave_off(mobile)
    stands = mobile.x, mobile.y
    assert not journeys.leave_off(mobile)
    goes_on(world, 2.0)
    assert (mobile.x, mobile.y) == stands
    for _ in range(2):
        motion.paced(mobile, 0.4, lambda: motion.step(mobile, EAST))
    assert not journeys.leave_off(mobile)
    goes_on(world, 2.0)
    assert (mobile.x, mobile.y) == (stands[0] + 2, stands[1])


def test_near_a_place_that_cannot_be_reached_is_near_enough() -> None:
    world = walled(*((x, y) for x in range(20, 25) for y in range(8, 13)))
    realm = world.realms["plain"]
    found: list[tuple[list[tuple[int, int]], bool]] = []
    for near in (lambda x, _: x >= 19, lambda x, _: x >= 20, None):
        search = journeys.seek(world.paths, realm, (5, 10), (22, 10), near, lambda *way: found.append(way))
        assert search is None
    ends = [(tiles[-1], leads) for tiles, leads in found]
    assert ends == [((19, 10), True), ((19, 10), False), ((19, 10), False)]


def _used_up(world: World) -> None:
    """Others have used up what may be looked for in this turn."""
    world.paths._spent, world.paths._turn = 10_000, world.now


def _around_a_wall() -> World:
    return walled(*((30, y) for y in range(59)))


def test_a_way_that_is_looked_for_outlives_the_journey_before_it() -> None:
    world = _around_a_wall()
    mobile = traveller(world, 20, 30)
    ended: list[str] = []
    journeys.travel(mobile, 21, 30, run=True, ended=lambda _: ended.append("old"))
    _journey(world, 0.1)
    _used_up(world)
    journeys.travel(mobile, 40, 30, run=True, ended=lambda _: ended.append("new"))
    mobile.gait.queue.rotate(-1)  # the last tile of the old journey is done before the way is found
    mobile.gait.queue[0]()
    assert mobile.gait.journey is None
    assert mobile.gait.seeking is not None
    _journey(world, 60)
    assert (mobile.x, mobile.y, ended) == (40, 30, ["new"])


def test_who_waits_for_a_way_and_is_stopped_is_told_so() -> None:
    world = _around_a_wall()
    mobile = traveller(world, 20, 30)
    _used_up(world)
    journeys.travel(mobile, 40, 30)
    motion.halt(mobile)
    assert [type(event) for event in world.take_changes().events] == [Halted]
    motion.halt(mobile)
    assert world.take_changes().events == []


def test_to_walk_while_a_way_is_looked_for_holds_for_that_way() -> None:
    world = _around_a_wall()
    mobile = traveller(world, 20, 30)
    mobile.running = True
    _used_up(world)
    journeys.travel(mobile, 40, 30, run=True)
    journeys.set_running(mobile, False)
    told = _journey(world, 60)
    assert (mobile.x, mobile.y) == (40, 30)
    assert not any(event.run for _, event in told if isinstance(event, SetOut))


def test_who_is_walled_in_stays_and_keeps_nobody_waiting() -> None:
    world = walled(*((x, y) for x in range(9, 12) for y in range(9, 12)), *((30, y) for y in range(59)))
    stuck, other = traveller(world, 10, 10), traveller(world, 20, 30)
    ended: list[bool] = []
    journeys.travel(stuck, 40, 30, ended=ended.append)
    journeys.travel(other, 40, 30, run=True)
    _journey(world, 60)
    assert (stuck.x, stuck.y, ended) == (10, 10, [False])
    assert (other.x, other.y) == (40, 30)


def test_what_goes_wrong_at_the_end_of_a_search_is_no_matter_of_others() -> None:
    world = _around_a_wall()
    first, second = traveller(world, 20, 30), traveller(world, 21, 30)

    def fails(reached: bool) -> None:
        raise ValueError

    _used_up(world)
    journeys.travel(first, 40, 30, near=lambda x, y: (x, y) == (20, 30) and world.now > 0, ended=fails)
    journeys.travel(second, 40, 30, run=True)
    _journey(world, 60)
    assert (second.x, second.y) == (40, 30)
