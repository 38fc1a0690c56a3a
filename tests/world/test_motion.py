"""Going: collision, turns, the pace, travel."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.kit.worlds import person, plain_content, plain_world
from world import furniture, holding, leaps, life, motion
from world.events import Said, Stepped, Turned
from world.heading import EAST, NORTH, NORTH_EAST, OFFSETS, SOUTH, SOUTH_EAST, WEST, towards
from world.mobile import Gait, Mobile, Posture
from world.reach import Cannot, Refusal
from world.space import Sight

if TYPE_CHECKING:
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


def _steps_in(world: World, mobile: Mobile, asked: int) -> int:
    """How many of so many steps, asked for at once, are taken at once."""
    taken: list[int] = []

    def act() -> bool:
        taken.append(len(taken))
        return True

    motion.forget_steps(mobile)
    for _ in range(asked):
        motion.paced(mobile, 0.5, act)
    return len(taken)


def test_steps_of_a_client_that_the_server_did_not_hear_are_made_up(world: World) -> None:
    """As many as it could have taken meanwhile, and no more."""
    walks, stood = person(world), person(world)
    world.begin(100.0)
    walks.gait.next_at, stood.gait.next_at = 100.3, 20.0
    for mobile in (walks, stood):
        motion.catch_up(mobile, 12.0)
    assert _steps_in(world, walks, 40) in (23, 24, 25)
    assert _steps_in(world, stood, 40) in (24, 25)
    world.begin(103.0)
    assert _steps_in(world, walks, 40) in (6, 7), "time has passed, and it is heard late"


def test_steps_that_waited_when_the_server_stood_still_are_taken(world: World) -> None:
    """They would hold up those that came meanwhile."""
    mobile, taken = person(world), list[int]()
    world.begin(100.0)

    def act(number: int) -> bool:
        taken.append(number)
        return True

    for number in range(6):
        motion.paced(mobile, 0.4, partial(act, number))
    assert taken == [0, 1], "the second is within the credit"
    motion.catch_up(mobile, 1.0)
    assert taken == [0, 1, 2, 3]
    assert len(mobile.gait.queue) == 2
    world.begin(110.0)
    for _ in range(3):
        world.run_timers()
    assert taken == [0, 1, 2, 3, 4, 5]


def test_what_was_not_made_up_in_time_is_forgotten(world: World) -> None:
    mobile = person(world)
    world.begin(100.0)
    motion.catch_up(mobile, 12.0)
    world.begin(100.0 + motion.CATCH_UP_SECONDS)
    assert _steps_in(world, mobile, 40) == 1


def test_a_stop_moves_dates_and_the_time_of_day_and_no_timer() -> None:
    world = plain_world()
    ran: list[float] = []
    world.begin(10.0)
    world.timers.after(5.0, lambda: ran.append(world.now))
    before = world.epoch + world.now, world.dawn + world.now
    world.stood_still(12.0)
    world.run_timers()
    assert ran == []
    assert (world.epoch + world.now, world.dawn + world.now) == (before[0] + 12.0, before[1] + 12.0)
    assert world.stopped == 12.0
    world.begin(15.0)
    world.run_timers()
    assert ran == [15.0]


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
