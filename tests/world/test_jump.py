"""Jumping: how far, how high, over what, and what is recorded of it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import person, plain_content, plain_world
from world import leaps, motion
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
    ("x", "y"), [(10 + leaps.LONGEST_JUMP, 20), (10, 20 - leaps.LONGEST_JUMP), (28, 38), (11, 20)]
)
def test_a_jump_of_so_many_tiles_is_one_moment(x: int, y: int) -> None:
    world = plain_world()
    mobile = person(world, x=10, y=20)
    world.take_changes()
    assert leaps.jump(mobile, x, y)
    assert (mobile.x, mobile.y) == (x, y)
    (event,) = jumps(world)
    assert (event.from_x, event.from_y, event.x, event.y) == (10, 20, x, y)
    assert event.heading == mobile.heading


def test_whoever_jumps_faces_where_it_went() -> None:
    world = plain_world()
    mobile = person(world, x=20, y=20)
    for x, y, heading in ((30, 21, EAST), (30, 30, SOUTH), (20, 20, NORTH_WEST)):
        assert leaps.jump(mobile, x, y)
        assert mobile.heading == heading


@pytest.mark.parametrize(("x", "y"), [(29, 10), (10, 29), (10, 10), (-1, 10), (10, -1), (12, 10)])
def test_too_far_nowhere_off_the_map_and_into_a_wall_nobody_jumps(x: int, y: int) -> None:
    world = plain_world(plain_content(walls=frozenset({(12, 10)})))
    mobile = person(world, x=10, y=10)
    world.take_changes()
    assert not leaps.jump(mobile, x, y)
    assert (mobile.x, mobile.y) == (10, 10)
    assert not world.take_changes().events


def test_nobody_jumps_through_a_wall() -> None:
    world = plain_world(plain_content(walls=frozenset((15, y) for y in range(60))))
    mobile = person(world, x=10, y=10)
    assert not leaps.jump(mobile, 16, 10)
    assert not leaps.jump(mobile, 20, 18)
    assert leaps.jump(mobile, 14, 10)


def test_nobody_jumps_between_two_walls_that_meet_at_a_corner() -> None:
    world = plain_world(plain_content(walls=frozenset((at, 24 - at) for at in range(25))))
    mobile = person(world, x=11, y=12)
    for x, y in ((12, 13), (14, 15), (13, 12), (20, 16)):
        assert not leaps.jump(mobile, x, y), (x, y)
    assert leaps.jump(mobile, 5, 6)
    lone = plain_world(plain_content(walls=frozenset({(12, 12)})))
    assert leaps.jump(person(lone, x=11, y=12), 12, 13), "around a corner there is a way"


def test_up_it_goes_so_high_and_down_from_any_height() -> None:
    top = leaps.HIGHEST_JUMP
    heights = {(12, 10): top, (14, 10): 2 * top + 1, (16, 10): 3000}
    world = plain_world(with_heights(plain_content(), heights))
    mobile = person(world, x=10, y=10)
    assert leaps.jump(mobile, 12, 10)
    assert not leaps.jump(mobile, 14, 10)
    assert not leaps.jump(mobile, 16, 10)
    cliff = person(world, "Berta", x=16, y=10)
    assert leaps.jump(cliff, 10, 10)


def test_neither_the_dead_nor_the_seated_jump() -> None:
    world = plain_world()
    dead, seated = person(world, "Dora", x=10, y=10), person(world, "Sven", x=11, y=10)
    dead.dead = True
    seated.posture = Posture.FLOOR
    assert not leaps.jump(dead, 12, 12)
    assert not leaps.jump(seated, 12, 12)


def test_a_jump_onto_a_warp_leads_on_and_a_closed_door_keeps_out() -> None:
    warps = {(15, 10): Warp("cave", 5, 5), (10, 15): Warp("cave", 6, 6, door=True)}
    world = plain_world(plain_content(warps=warps))
    mobile = person(world, x=10, y=10)
    assert not leaps.jump(mobile, 10, 15)
    world.take_changes()
    assert leaps.jump(mobile, 15, 10)
    assert mobile.realm is world.realms["cave"]
    assert [type(event) for event in world.take_changes().events] == [Jumped, Warped]


def test_eyes_that_saw_it_go_and_eyes_that_see_it_come_are_told_apart() -> None:
    world = plain_world()
    mobile = person(world, x=20, y=20)
    near, far = person(world, "Nora", x=4, y=20), person(world, "Fritz", x=50, y=20)
    viewport = [world.open_viewport(who, key, Sight(18)) for key, who in enumerate((mobile, near, far), 1)]
    world.take_changes()
    assert leaps.jump(mobile, 38, 20)
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
        return leaps.jump(mobile, 15 if mobile.x == 10 else 10, 20)

    world.begin(0.0)
    assert all(motion.paced(mobile, leaps.JUMP_SECONDS, act) for _ in range(5))
    for tick in range(1, 300):
        world.begin(tick / 100)
        world.run_timers()
    assert at[0] == 0.0
    # The second may come 0.2 s early; from then on they keep the schedule.
    assert at[1:] == pytest.approx([0.3, 0.8, 1.3, 1.8], abs=0.015)


def test_a_jump_towards_what_blocks_lands_as_near_to_it_as_one_can_jump_on_the_line() -> None:
    chance = random.Random(5)
    walls = frozenset((chance.randrange(60), chance.randrange(60)) for _ in range(500))
    world = plain_world(plain_content(walls=walls))
    realm = world.realms["plain"]
    mobile = person(world, x=30, y=30)
    shortened = stayed = 0
    for _ in range(400):
        x, y = mobile.x, mobile.y
        to = x + chance.randrange(-18, 19), y + chance.randrange(-18, 19)
        landed = leaps.jump_towards(mobile, *to)
        assert (mobile.x, mobile.y) == (landed or (x, y))
        if landed is None:
            stayed += to != (x, y)
            continue
        assert leaps.can_jump(realm, x, y, *landed)
        shortened += landed != to
        assert landed == to or not leaps.can_jump(realm, x, y, *to)
        assert apart(landed, to) < apart((x, y), to)
    assert shortened > 50
    assert stayed > 0


def apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    """The square of it."""
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2


def test_from_before_a_wall_one_jumps_to_the_last_tile_of_the_line_and_at_it_along_it() -> None:
    world = plain_world(plain_content(walls=frozenset((x, 15) for x in range(30))))
    mobile = person(world, x=10, y=20)
    assert leaps.jump_towards(mobile, 16, 14) == (14, 16)
    assert leaps.jump_towards(mobile, 19, 11) == (19, 16), "nothing is nearer"
    assert leaps.jump_towards(mobile, 19, 10) is None, "it is as near as it can be"


def test_a_shortened_jump_never_ends_on_a_way_out() -> None:
    walls = frozenset({(15, 10)})
    world = plain_world(plain_content(walls=walls, warps={(14, 10): Warp("cave", 5, 5)}))
    mobile = person(world, x=10, y=10)
    assert leaps.jump_towards(mobile, 15, 10) == (13, 10)
    assert leaps.jump_towards(mobile, 13, 10) is None, "it stands there"
    assert leaps.jump_towards(mobile, 14 + 18, 10) is None, "nobody jumps so far"
    assert leaps.jump_towards(mobile, 14, 10) == (14, 10)
    assert mobile.realm is world.realms["cave"]


def test_what_is_in_the_way_is_the_first_wall_else_where_it_should_end() -> None:
    world = plain_world(plain_content(walls=frozenset({(15, 10), (17, 10)})))
    realm = world.realms["plain"]
    assert leaps.in_the_way(realm, 10, 10, 20, 10) == (15, 10)
    assert leaps.in_the_way(realm, 10, 10, 15, 10) == (15, 10)
    assert leaps.in_the_way(realm, 5, 10, -5, 10) == (-1, 10)
    assert leaps.in_the_way(realm, 10, 10, 12, 10) == (12, 10)
