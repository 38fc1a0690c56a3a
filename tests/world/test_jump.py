"""Jumping: how far, how high, over what, and what is recorded of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import person, plain_content, plain_world
from world import motion
from world.content import Warp
from world.events import Jumped, Warped
from world.heading import EAST, NORTH_WEST, SOUTH
from world.mobile import Posture
from world.space import Sight

if TYPE_CHECKING:
    from world.content import Content
    from world.world import World

WIDTH = 60


def jumps(world: World) -> list[Jumped]:
    return [event for event in world.take_changes().events if isinstance(event, Jumped)]


def with_heights(content: Content, heights: dict[tuple[int, int], int]) -> Content:
    plain = content.charts["plain"]
    ground = [heights.get((at % WIDTH, at // WIDTH), 0) for at in range(plain.width * plain.height)]
    return attrs.evolve(content, charts={**content.charts, "plain": attrs.evolve(plain, heights=ground)})


@pytest.mark.parametrize(
    ("x", "y"), [(10 + motion.LONGEST_JUMP, 20), (10, 20 - motion.LONGEST_JUMP), (28, 38), (11, 20)]
)
def test_a_jump_of_so_many_tiles_is_one_moment(x: int, y: int) -> None:
    world = plain_world()
    mobile = person(world, x=10, y=20)
    world.take_changes()
    assert motion.jump(mobile, x, y)
    assert (mobile.x, mobile.y) == (x, y)
    (event,) = jumps(world)
    assert (event.from_x, event.from_y, event.x, event.y) == (10, 20, x, y)
    assert event.heading == mobile.heading


def test_whoever_jumps_faces_where_it_went() -> None:
    world = plain_world()
    mobile = person(world, x=20, y=20)
    for x, y, heading in ((30, 21, EAST), (30, 30, SOUTH), (20, 20, NORTH_WEST)):
        assert motion.jump(mobile, x, y)
        assert mobile.heading == heading


@pytest.mark.parametrize(("x", "y"), [(29, 10), (10, 29), (10, 10), (-1, 10), (10, -1), (12, 10)])
def test_too_far_nowhere_off_the_map_and_into_a_wall_nobody_jumps(x: int, y: int) -> None:
    world = plain_world(plain_content(walls=frozenset({(12, 10)})))
    mobile = person(world, x=10, y=10)
    world.take_changes()
    assert not motion.jump(mobile, x, y)
    assert (mobile.x, mobile.y) == (10, 10)
    assert not world.take_changes().events


def test_nobody_jumps_through_a_wall() -> None:
    world = plain_world(plain_content(walls=frozenset((15, y) for y in range(60))))
    mobile = person(world, x=10, y=10)
    assert not motion.jump(mobile, 16, 10)
    assert not motion.jump(mobile, 20, 18)
    assert motion.jump(mobile, 14, 10)


def test_nobody_jumps_between_two_walls_that_meet_at_a_corner() -> None:
    world = plain_world(plain_content(walls=frozenset((at, 24 - at) for at in range(25))))
    mobile = person(world, x=11, y=12)
    for x, y in ((12, 13), (14, 15), (13, 12), (20, 16)):
        assert not motion.jump(mobile, x, y), (x, y)
    assert motion.jump(mobile, 5, 6)
    lone = plain_world(plain_content(walls=frozenset({(12, 12)})))
    assert motion.jump(person(lone, x=11, y=12), 12, 13), "around a corner there is a way"


def test_up_it_goes_so_high_and_down_from_any_height() -> None:
    top = motion.HIGHEST_JUMP
    heights = {(12, 10): top, (14, 10): 2 * top + 1, (16, 10): 3000}
    world = plain_world(with_heights(plain_content(), heights))
    mobile = person(world, x=10, y=10)
    assert motion.jump(mobile, 12, 10)
    assert not motion.jump(mobile, 14, 10)
    assert not motion.jump(mobile, 16, 10)
    cliff = person(world, "Berta", x=16, y=10)
    assert motion.jump(cliff, 10, 10)


def test_neither_the_dead_nor_the_seated_jump() -> None:
    world = plain_world()
    dead, seated = person(world, "Dora", x=10, y=10), person(world, "Sven", x=11, y=10)
    dead.dead = True
    seated.posture = Posture.FLOOR
    assert not motion.jump(dead, 12, 12)
    assert not motion.jump(seated, 12, 12)


def test_a_jump_onto_a_warp_leads_on_and_a_closed_door_keeps_out() -> None:
    warps = {(15, 10): Warp("cave", 5, 5), (10, 15): Warp("cave", 6, 6, door=True)}
    world = plain_world(plain_content(warps=warps))
    mobile = person(world, x=10, y=10)
    assert not motion.jump(mobile, 10, 15)
    world.take_changes()
    assert motion.jump(mobile, 15, 10)
    assert mobile.realm is world.realms["cave"]
    assert [type(event) for event in world.take_changes().events] == [Jumped, Warped]


def test_eyes_that_saw_it_go_and_eyes_that_see_it_come_are_told_apart() -> None:
    world = plain_world()
    mobile = person(world, x=20, y=20)
    near, far = person(world, "Nora", x=4, y=20), person(world, "Fritz", x=50, y=20)
    viewport = [world.open_viewport(who, key, Sight(18)) for key, who in enumerate((mobile, near, far), 1)]
    world.take_changes()
    assert motion.jump(mobile, 38, 20)
    (event,) = jumps(world)
    assert set(map(id, event.viewers)) == {id(viewport[0]), id(viewport[2])}
    assert event.lost == [viewport[1]]
    assert (mobile.viewport.left, mobile.viewport.right) == (20, 56) if mobile.viewport is not None else False


def test_from_one_jump_to_the_next_it_takes_half_a_second() -> None:
    world = plain_world()
    mobile = person(world, x=10, y=20)
    at: list[float] = []

    def act() -> bool:
        at.append(world.now)
        return motion.jump(mobile, 15 if mobile.x == 10 else 10, 20)

    world.begin(0.0)
    assert all(motion.paced(mobile, motion.JUMP_SECONDS, act) for _ in range(5))
    for tick in range(1, 300):
        world.begin(tick / 100)
        world.run_timers()
    assert at[0] == 0.0
    # The second may come 0.2 s early; from then on they keep the schedule.
    assert at[1:] == pytest.approx([0.3, 0.8, 1.3, 1.8], abs=0.015)
