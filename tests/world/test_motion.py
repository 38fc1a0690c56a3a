"""Going: collision, turns, the pace, travel."""

from __future__ import annotations

import random
from functools import partial
from math import hypot
from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import person, plain_content, plain_world
from world import furniture, holding, leaps, life, motion
from world.content import Warp
from world.events import Event, Halted, Said, SetOut, Stepped, Turned, Warped
from world.heading import EAST, NORTH, NORTH_EAST, OFFSETS, SOUTH, SOUTH_EAST, WEST, towards
from world.mobile import Gait, Mobile, Posture
from world.reach import Cannot, Refusal
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.world import World

WALLS = frozenset({(12, 10), (10, 12)})


@pytest.fixture
def world() -> World:
    return plain_world(plain_content(walls=WALLS))


def test_a_step_that_is_void_takes_no_time() -> None:
    world = plain_world()
    mobile = person(world)
    done: list[str] = []

    def void() -> bool:
        done.append("void")
        return False

    def real() -> bool:
        done.append("real")
        return True

    for act in (real, void, void, void, real):
        motion.paced(mobile, 0.4, act)
    for hundredths in range(1, 41):
        world.begin(hundredths / 100)
        world.run_timers()
    assert done == ["real", "void", "void", "void", "real"]


def test_a_step_moves_one_tile_and_is_a_moment_not_a_delta(world: World) -> None:
    mobile = person(world, x=10, y=10)
    world.take_changes()
    assert motion.step(mobile, EAST)
    assert (mobile.x, mobile.y, mobile.heading) == (11, 10, EAST)
    changes = world.take_changes()
    assert [type(event) for event in changes.events] == [Stepped]
    assert changes.dirty == []


def test_walls_edges_and_chairs_stop_a_step_and_leave_everything_as_it_was(world: World) -> None:
    at_wall = person(world, x=11, y=10)
    assert not motion.step(at_wall, EAST)
    assert (at_wall.x, at_wall.y) == (11, 10)
    at_edge = person(world, x=0, y=0)
    assert not motion.step(at_edge, NORTH)
    assert not motion.step(at_edge, WEST)
    sitting = person(world, x=20, y=20)
    sitting.posture = Posture.CHAIR
    assert not motion.step(sitting, EAST)


def test_a_diagonal_needs_both_tiles_beside_it(world: World) -> None:
    mobile = person(world, x=11, y=11)
    assert not motion.step(mobile, NORTH_EAST), "(12, 10) itself is a wall"
    assert motion.can_step(world.realms["plain"], 11, 11, SOUTH_EAST)
    beside = person(world, x=11, y=9)
    assert not motion.step(beside, SOUTH_EAST), "the tile is a wall"
    cutting = person(world, x=13, y=11)
    assert not motion.step(cutting, 7), "north-west of it is the wall"
    corner = person(world, x=12, y=11)
    assert not motion.step(corner, NORTH_EAST), "its northern neighbour (12, 10) is a wall"


def test_living_mobiles_do_not_block(world: World) -> None:
    person(world, "Other", x=11, y=10)
    mobile = person(world, x=10, y=10)
    assert motion.step(mobile, EAST)


def test_a_turn_is_a_moment_only_if_it_turns(world: World) -> None:
    mobile = person(world)
    world.take_changes()
    motion.turn(mobile, SOUTH)
    assert world.take_changes().events == []
    motion.turn(mobile, WEST)
    assert [type(event) for event in world.take_changes().events] == [Turned]


def test_who_sits_does_not_turn_by_itself(world: World) -> None:
    mobile = person(world)
    motion.face(mobile, WEST)
    assert mobile.heading == WEST
    furniture.sit_on_floor(mobile)
    world.take_changes()
    with pytest.raises(Cannot) as cannot:
        motion.face(mobile, EAST)
    assert cannot.value.why is Refusal.SITTING
    assert mobile.heading == WEST
    assert world.take_changes().events == []
    motion.face(mobile, WEST)  # where it looks already
    motion.turn(mobile, EAST)  # as the world turns somebody
    assert mobile.heading == EAST


def test_a_step_names_who_sees_it_and_who_lost_it(world: World) -> None:
    walker = person(world, x=30, y=30)
    near = person(world, "Near", x=33, y=30)
    behind = person(world, "Behind", x=25, y=30)
    far = person(world, "Far", x=50, y=50)
    for key, mobile in enumerate((walker, near, behind, far)):
        world.open_viewport(mobile, key, Sight(5))
    world.take_changes()
    motion.step(walker, EAST)
    (step,) = world.take_changes().events
    assert isinstance(step, Stepped)
    assert {viewport.key for viewport in step.viewers} == {0, 1}
    assert {viewport.key for viewport in step.lost} == {2}


def _run(world: World, mobile: Mobile, arrivals: list[float], *, until: float) -> list[float]:
    """Feed a client's step requests at these times; the world times at which it really moved."""
    moved: list[float] = []
    heading = [EAST]

    def act() -> bool:
        if not motion.step(mobile, heading[0], run=True):
            heading[0] = WEST if heading[0] == EAST else EAST
            motion.step(mobile, heading[0], run=True)
        moved.append(world.now)
        return True

    now, index = 0.0, 0
    while now <= until:
        world.begin(now)
        while index < len(arrivals) and arrivals[index] <= now:
            motion.paced(mobile, motion.cost(mobile, EAST, run=True), act)
            index += 1
        world.run_timers()
        now += 0.01
    return moved


@pytest.mark.parametrize("seed", range(5))
def test_r58_honest_jitter_is_never_punished(seed: int) -> None:
    """2,000 honest steps with 0..300 ms of jitter: none refused, and the walker keeps its own pace."""
    world = plain_world()
    mobile = person(world, x=5, y=5)
    mobile.gait = Gait(400, 200)
    chance = random.Random(seed)
    arrivals, last = [], 0.0
    for n in range(2000):
        last = max(last, n * 0.2 + chance.uniform(0.0, 0.3))
        arrivals.append(last)
    moved = _run(world, mobile, arrivals, until=arrivals[-1] + 2)
    assert len(moved) == 2000
    delays = [at - arrival for at, arrival in zip(moved, arrivals, strict=True)]
    assert max(delays) < 0.35


@pytest.mark.parametrize("factor", [1.05, 1.2, 3.0])
def test_r58_a_speed_hack_gains_less_than_three_per_cent(factor: float) -> None:
    world = plain_world()
    mobile = person(world, x=5, y=5)
    mobile.gait = Gait(400, 200)
    seconds = 60.0
    arrivals = [n * 0.2 / factor for n in range(int(seconds / 0.2 * factor))]
    moved = _run(world, mobile, arrivals, until=seconds)
    legal = seconds / 0.2
    assert len(moved) <= legal * 1.03
    assert len(moved) >= legal * 0.95, "it is slowed down, not stopped"


def test_too_many_waiting_steps_are_refused(world: World) -> None:
    mobile = person(world)
    mobile.gait = Gait(400, 400)
    world.begin(0.0)
    done: list[int] = []

    def act(number: int) -> bool:
        done.append(number)
        return True

    taken = [motion.paced(mobile, 0.4, partial(act, number)) for number in range(20)]
    # One is done at once, ten wait, and the others are not kept.
    assert taken == [True] * 11 + [False] * 9
    assert done == [0]
    for tick in range(1, 200):
        world.begin(tick / 10)
        world.run_timers()
    assert done == list(range(11))


@pytest.mark.parametrize("left", ["leaves", "warps"])
def test_who_leaves_the_world_takes_its_timers_along(world: World, left: str) -> None:
    mobile, other = person(world), person(world, "Other", 12, 12)
    mobile.gait = Gait(400, 400)
    world.begin(0.0)
    done: list[str] = []

    def act() -> bool:
        done.append("step")
        return True

    for _ in range(3):
        motion.paced(mobile, 0.4, act)
    world.timers.after(1.0, done.append, "after", owner=mobile)
    world.timers.every(1.0, done.append, "every", owner=mobile)
    world.timers.after(1.0, done.append, "other", owner=other)
    assert done == ["step"]
    if left == "leaves":
        world.leave(mobile)
        assert mobile.timers is None
    else:
        world.warp(mobile, world.realms["cave"], 5, 5)
    for tick in range(1, 25):
        world.begin(tick / 10)
        world.run_timers()
    if left == "leaves":
        assert done == ["step", "other"]
    else:
        assert done.count("every") == 2, "who only goes elsewhere keeps them"


def test_travel_walks_tile_by_tile_and_stops_before_a_wall(world: World) -> None:
    mobile = person(world, x=5, y=10)
    mobile.gait = Gait(400, 200)
    world.begin(0.0)
    assert motion.travel(mobile, 20, 10) == (11, 10)
    assert (mobile.x, mobile.y) == (5, 10)
    positions = {(mobile.x, mobile.y)}
    for tick in range(1, 500):
        world.begin(tick * 0.01)
        world.run_timers()
        positions.add((mobile.x, mobile.y))
    assert (mobile.x, mobile.y) == (11, 10)
    assert positions == {(x, 10) for x in range(5, 12)}


def test_a_diagonal_tile_of_a_journey_takes_longer_than_a_straight_one() -> None:
    times = {}
    for heading in (EAST, SOUTH_EAST):
        world = plain_world()
        mobile = person(world, x=5, y=5)
        dx, dy = OFFSETS[heading]
        world.begin(0.0)
        motion.travel(mobile, 5 + 8 * dx, 5 + 8 * dy)
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
    motion.travel(walker, 15, 10, run=True, arrived=lambda: arrivals.append(plain.now))
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
    assert motion.travel(walker, *end) == end
    told = _journey(plain, 30)
    for _, event in told:
        if isinstance(event, Stepped):
            off = abs((event.x - 10) * dy - (event.y - 10) * dx) / hypot(dx, dy)
            assert off <= 0.5, f"{event.x}, {event.y} is {off} tiles beside the line"
    assert told[-1][0] == pytest.approx(hypot(dx, dy) * 0.4, abs=0.05)


def test_a_new_journey_replaces_the_old_and_gains_no_time(plain: World, walker: Mobile) -> None:
    reached: list[str] = []
    motion.travel(walker, 40, 10, run=True, arrived=lambda: reached.append("old"))
    for tick in range(1, 201):
        plain.begin(tick * 0.01)
        if tick % 3 == 0:
            motion.travel(walker, 40, 10, run=True, arrived=lambda: reached.append("new"))
        plain.run_timers()
    steps = walker.x - 10
    assert 9 <= steps <= 11, "in two seconds, clicking all the time"
    assert not any(isinstance(event, Halted) for event in plain.take_changes().events)
    for tick in range(201, 1000):
        plain.begin(tick * 0.01)
        plain.run_timers()
    assert reached == ["new"]


def test_where_there_is_no_way_nothing_begins_and_one_is_there_at_once(plain: World, walker: Mobile) -> None:
    arrivals: list[int] = []
    assert motion.travel(walker, 10, 10, arrived=lambda: arrivals.append(1)) == (10, 10)
    assert arrivals == [1]
    walker.posture = Posture.FLOOR
    assert motion.travel(walker, 12, 10) == (10, 10)
    assert walker.gait.journey is None
    assert plain.take_changes().events == []


def test_a_click_on_ones_own_feet_ends_a_journey(plain: World, walker: Mobile) -> None:
    motion.travel(walker, 15, 10, run=True)
    told = _journey(plain, 0.3)
    assert (walker.x, walker.y) == (12, 10)
    assert motion.travel(walker, 12, 10) == (12, 10)
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
    arrivals: list[int] = []
    motion.travel(walker, 15, 10, run=True, arrived=lambda: arrivals.append(1))
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
    motion.travel(mobile, 15, 10)
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
    motion.travel(mobile, 15, 10)
    for tick in range(1, 200):
        world.begin(tick * 0.01)
        world.run_timers()
    assert mobile.realm is world.realms["cave"]


def test_towards_has_eight_octants() -> None:
    assert towards(0, 0) is None
    assert [towards(dx, dy) for dx, dy in OFFSETS] == list(range(8))
    assert towards(10, 1) == EAST
    assert towards(10, 9) == SOUTH_EAST
    assert towards(-1, -10) == NORTH


# What one carries, and what running costs


def test_running_takes_stamina_and_the_tired_walk(world: World) -> None:
    mobile = person(world, x=1, y=1)
    mobile.stam = 2
    for _ in range(5):
        assert motion.step(mobile, EAST, run=True)
        assert motion.step(mobile, WEST, run=True)
    assert mobile.stam == 1
    assert motion.cost(mobile, EAST, run=True) == mobile.gait.run_ms / 1000
    mobile.stam = 0
    world.take_changes()
    assert motion.step(mobile, EAST, run=True)
    (stepped,) = (event for event in world.take_changes().events if isinstance(event, Stepped))
    assert not stepped.run
    assert motion.cost(mobile, EAST, run=True) == mobile.gait.walk_ms / 1000


def test_who_carries_too_much_walks_and_with_twice_as_much_stands(world: World) -> None:
    mobile = person(world, x=1, y=1)
    pack = holding.make(world, "backpack")
    world.register(pack)
    holding.wear(mobile, pack)
    most = holding.capacity(mobile)
    assert motion.can_run(mobile)
    stones = holding.make(world, "gold", amount=50 * (most - 2))
    world.register(stones)
    holding.put(pack, stones)
    assert holding.weight(mobile) == most + 1
    assert not motion.can_run(mobile)
    assert motion.step(mobile, EAST)
    more = holding.make(world, "gold", amount=50 * most)
    world.register(more)
    holding.put(pack, more)
    world.open_viewport(mobile, 1, Sight(18))
    world.take_changes()
    for _ in range(3):
        assert not motion.step(mobile, EAST)
        assert not leaps.jump(mobile, 3, 3)
    said = [event.text for event in world.take_changes().events if isinstance(event, Said)]
    assert said == ["You carry too much to move."]
    life.kill(mobile)
    assert motion.step(mobile, EAST, run=True), "ghosts carry nothing"
