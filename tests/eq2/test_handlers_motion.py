"""Moving: the client says where it is, the world follows at its pace and where one can go."""

from __future__ import annotations

import math
import random

import pytest

from protocol.endings import Ending
from protocol.eq2.packets import CampAborted, Movement, TeleportNoReload
from protocol.eq2.packing import pack
from tests.kit.eq2_desk import CORNER, DOOR, SEAT, SIDE, WALL, Desk, Player
from tests.kit.eq2_motion import RUN, Diary
from world import furniture, motion
from world.events import Halted, Stepped
from world.mobile import Posture

WALK = 2.5


def put_back(player: Player) -> list[tuple[float, float]]:
    """Where the client was put, in tiles; it stands there now."""
    there = [(move.x - CORNER[0], move.z - CORNER[2]) for move in player.took(TeleportNoReload)]
    return there


async def run_along(
    player: Player,
    way: list[tuple[float, float]],
    *,
    speed: float = RUN,
    every: float = 0.2,
    jitter: float = 0.0,
    seed: int = 1,
) -> float:
    """Run along a way at a speed in tiles a second, saying so every so often. A client that is put back goes
    on from there. How far its character came, in tiles (Euclid), is what is returned."""
    dice = random.Random(seed)
    start = player.tile
    x, y = way[0]
    for goal_x, goal_y in way[1:]:
        while (left := math.hypot(goal_x - x, goal_y - y)) > 1e-6:
            step = min(left, speed * every)
            x, y = x + (goal_x - x) / left * step, y + (goal_y - y) / left * step
            await player.desk.wait(every * step / (speed * every) + dice.uniform(-jitter, jitter) * every)
            await player.goes(x, y, forward_speed=speed)
            for x_back, y_back in put_back(player):
                x, y = x_back, y_back
                left = math.hypot(goal_x - x, goal_y - y)
            if player.desk.now > 120:
                return math.hypot(player.tile[0] - start[0], player.tile[1] - start[1])
    return math.hypot(player.tile[0] - start[0], player.tile[1] - start[1])


async def test_one_step() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    diary = Diary(desk)
    await player.goes(21.5, 20.5)
    assert player.tile == (21, 20)
    assert [(step.x, step.y, step.heading) for step in diary.of(Stepped)] == [(21, 20, 2)]  # type: ignore[attr-defined]
    assert player.got == []


async def test_within_a_tile_nobody_steps() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    diary = Diary(desk)
    for x, y in ((20.1, 20.9), (20.9, 20.1), (20.5, 20.5)):
        await player.goes(x, y, forward_speed=1.0)
    assert diary.of(Stepped) == []
    assert player.tile == (20, 20)


async def test_on_an_edge_nobody_steps_to_and_fro() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    diary = Diary(desk)
    for _ in range(20):
        await player.goes(21.05, 20.5)
        await player.goes(20.95, 20.5)
        await desk.wait(0.1)
    assert diary.of(Stepped) == []
    await player.goes(21.2, 20.5)
    for _ in range(20):
        await player.goes(20.95, 20.5)
        await player.goes(21.05, 20.5)
        await desk.wait(0.1)
    assert len(diary.of(Stepped)) == 1


async def test_several_tiles_at_once_are_gone_one_by_one() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    diary = Diary(desk)
    await player.goes(25.5, 22.5, forward_speed=RUN)
    assert player.tile != (25, 22)
    await desk.wait(2)
    assert player.tile == (25, 22)
    steps = diary.of(Stepped)
    assert len(steps) == 5
    assert put_back(player) == []


async def test_steps_follow_the_way_and_not_the_straight_line() -> None:
    """Around a wall, however far the world is behind."""
    desk = Desk()
    player = await desk.enter("alric", (19, 18))
    for x, y in ((19.5, 17.5), (20.5, 17.5), (21.5, 17.5), (21.5, 18.5)):
        await player.goes(x, y, forward_speed=RUN)
    await desk.wait(2)
    assert player.tile == (21, 18)
    assert put_back(player) == []


async def test_a_corner_is_not_cut_but_gone_around() -> None:
    desk = Desk()
    player = await desk.enter("alric", (19, 18))
    await player.goes(20.5, 17.5)
    await desk.wait(1)
    assert player.tile == (20, 17)
    assert put_back(player) == []


async def test_a_wall_puts_the_client_back() -> None:
    desk = Desk()
    player = await desk.enter("alric", (20, 19))
    diary = Diary(desk)
    await player.goes(WALL[0] + 0.5, WALL[1] + 0.5, forward_speed=RUN)
    assert player.tile == (20, 19)
    assert diary.of(Halted), "others saw it go on"
    ((x, y),) = put_back(player)
    assert (x, round(y, 3)) == (20.5, 19.1)


async def test_a_wall_puts_the_client_back_to_the_nearest_point_before_it() -> None:
    desk = Desk()
    player = await desk.enter("alric", (20, 19))
    await player.goes(20.25, 19.5, forward_speed=RUN)
    await player.goes(20.25, 18.75, forward_speed=RUN)
    ((x, y),) = put_back(player)
    assert (x, round(y, 3)) == (20.25, 19.1)


async def test_whoever_runs_through_a_post_has_gone_around_it() -> None:
    desk = Desk()
    player = await desk.enter("alric", (20, 20))
    diary = Diary(desk)
    await player.goes(20.5, 16.5, forward_speed=RUN)
    await desk.wait(3)
    assert put_back(player) == []
    assert player.tile == (20, 16)
    assert WALL not in {(step.x, step.y) for step in diary.of(Stepped)}  # type: ignore[attr-defined]


async def test_corrections_are_not_repeated_at_once() -> None:
    desk = Desk()
    player = await desk.enter("alric", (20, 19))
    for _ in range(10):
        await player.goes(20.5, 18.5)
        await desk.wait(0.03)
    assert len(put_back(player)) == 1
    # It is still there: so it is put back again in time, without a further word.
    await desk.wait(0.5)
    assert len(put_back(player)) == 1
    await desk.wait(5)
    assert put_back(player) == []


async def test_a_client_that_came_back_by_itself_is_not_put_back_again() -> None:
    desk = Desk()
    player = await desk.enter("alric", (20, 19))
    await player.goes(20.5, 18.5)
    await player.goes(20.5, 18.4)
    await player.goes(20.5, 19.5)
    assert len(put_back(player)) == 1
    await desk.wait(2)
    assert put_back(player) == []


@pytest.mark.parametrize("there", [(50.5, 50.5), (29.5, 20.5), (-3.0, 20.0), (20.5, 500.0)])
async def test_a_teleport_hack_goes_nowhere(there: tuple[float, float]) -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.goes(*there)
    await desk.wait(1)
    assert player.tile == (20, 20)
    assert put_back(player)[0] == (20.5, 20.5)


async def test_nobody_leaves_the_realm() -> None:
    desk = Desk()
    player = await desk.enter("alric", (SIDE - 1, 20))
    await player.goes(SIDE + 0.5, 20.5)
    await desk.wait(1)
    assert player.tile == (SIDE - 1, 20)
    assert len(put_back(player)) >= 1


@pytest.mark.parametrize("angle", range(0, 91, 9))
@pytest.mark.parametrize("every", [0.07, 0.2, 0.45])
async def test_an_honest_runner_is_never_put_back_in_whatever_direction(angle: int, every: float) -> None:
    desk = Desk()
    start = (7, 24)
    player = await desk.enter("alric", start)
    x, y = 28 * math.cos(math.radians(angle)), 28 * math.sin(math.radians(angle))
    way = [(start[0] + 0.5, start[1] + 0.5), (start[0] + 0.5 + x, start[1] + 0.5 + y)]
    await run_along(player, way, every=every, jitter=0.5, seed=angle)
    await desk.wait(1)
    assert put_back(player) == []
    assert math.hypot(player.tile[0] + 0.5 - way[1][0], player.tile[1] + 0.5 - way[1][1]) < 1.5


@pytest.mark.parametrize("factor", [1.2, 2.0, 5.0])
async def test_whoever_is_too_fast_gains_nothing(factor: float) -> None:
    desk = Desk()
    player = await desk.enter("alric", (2, 40))
    began = desk.now
    path = [(2.5, 40.5), (58.5, 40.5)]
    far = await run_along(player, path, speed=RUN * factor)
    # The credit of the schedule is twice 0.2 s of going, two tiles.
    assert far <= (desk.now - began) * RUN * 1.03 + 2 + 1
    assert far > 10


async def test_diagonals_are_no_faster() -> None:
    desk = Desk()
    player = await desk.enter("alric", (2, 21))
    began = desk.now
    far = await run_along(player, [(2.5, 21.5), (38.5, 57.5)], speed=RUN * 1.41)
    assert far <= (desk.now - began) * RUN * 1.03 + 3


async def test_running_and_walking_differ_by_speed() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    diary = Diary(desk)
    await player.goes(21.5, 20.5, forward_speed=RUN)
    await desk.wait(1)
    await player.goes(22.5, 20.5, forward_speed=WALK)
    await desk.wait(1)
    await player.goes(22.5, 21.5, forward_speed=0.0, strafe_speed=-RUN)
    assert [step.run for step in diary.of(Stepped)] == [True, False, True]  # type: ignore[attr-defined]


async def test_a_door_opens_at_the_first_push_and_is_told_by_a_correction() -> None:
    desk = Desk()
    player = await desk.enter("alric", (DOOR[0], DOOR[1] - 1))
    await player.goes(DOOR[0] + 0.5, DOOR[1] + 0.5)
    assert player.tile == DOOR  # a door without a warp behind it is only drawn


async def test_who_sits_stands_up_by_going() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    furniture.sit_on_floor(player.mobile)
    await player.goes(20.7, 20.5)
    assert player.mobile.posture == Posture.FLOOR
    await player.goes(21.5, 20.5)
    assert player.mobile.posture == Posture.STANDING
    assert player.tile == (21, 20)


async def test_who_sits_on_a_chair_gets_up_before_it() -> None:
    desk = Desk()
    player = await desk.enter("alric", (22, 20))
    furniture.sit_on_seat(player.mobile, *SEAT)
    await player.goes(SEAT[0] - 0.5, SEAT[1] + 0.5)
    await desk.wait(1)
    assert player.mobile.posture == Posture.STANDING
    assert player.tile == (SEAT[0] - 1, SEAT[1])
    assert put_back(player) == []


async def test_who_is_moved_by_others_goes_on_from_there() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.goes(21.5, 20.5)
    desk.world.warp(player.mobile, desk.world.realms["plain"], 40, 40)
    await desk.wait(0.1)
    player.got.clear()
    await player.goes(41.5, 40.5)
    await desk.wait(0.5)
    assert player.tile == (41, 40)
    assert put_back(player) == []


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e30])
@pytest.mark.parametrize("field", ["x", "y", "z"])
async def test_numbers_that_are_none_end_the_client(field: str, number: float) -> None:
    desk = Desk()
    player = await desk.enter("alric")
    version = desk.versions.newest
    good = version.pack_struct(player.state)
    setattr(player.state, field, number)
    bad = version.pack_struct(player.state)
    assert len(good) == len(bad) == 152
    await player.says(Movement(packed=pack(bad)))
    assert player.line.ending is Ending.BAD_PACKET
    assert player.tile == (20, 20)


@pytest.mark.parametrize("packed", [b"\xff" * 4, b"\x7f\x7f\x01\x81", b"\x7f\x7f\x7f\x7f"])
async def test_a_broken_blob_ends_the_client(packed: bytes) -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(Movement(packed=packed))
    assert player.line.ending is Ending.BAD_PACKET


async def test_each_message_builds_on_the_last() -> None:
    desk = Desk()
    player = await desk.enter("alric", (20, 30))
    for number in range(6):
        await player.goes(20.5 + number, 30.5, heading=90.0, forward_speed=RUN)
        await desk.wait(0.3)
    assert player.tile == (25, 30)
    assert player.session.movement == desk.versions.newest.pack_struct(player.state)


async def test_moving_ends_a_camp() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.types("camp")
    await player.goes(20.6, 20.5)
    assert player.took(CampAborted) == []
    await player.goes(21.5, 20.5)
    assert len(player.took(CampAborted)) == 1
    await desk.wait(30)
    assert player.line.ending is None


async def test_steps_that_wait_are_void_when_the_client_is_gone() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.goes(27.5, 20.5, forward_speed=RUN)
    mobile = player.mobile
    before = mobile.x
    await desk.enter("alric")
    motion.halt(mobile)
    await desk.wait(2)
    assert mobile.x <= before + 1


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_a_client_says_it_stays_where_one_can_stand(seed: int) -> None:
    """Fuzz: far and near places, mostly near; nothing raises, and no tile is one where nobody can be."""
    desk = Desk()
    player = await desk.enter("alric")
    dice = random.Random(seed)
    for _ in range(400):
        x, y = player.tile
        far = dice.choice((1, 2, 2, 3, 12, 80))
        await player.goes(
            x + dice.uniform(-far, far), y + dice.uniform(-far, far), forward_speed=dice.uniform(0, 9)
        )
        await desk.wait(dice.uniform(0, 0.2))
        realm = player.mobile.realm
        assert realm is not None
        if realm.name == "plain":
            assert realm.walkable(*player.tile)
        assert player.line.ending in (None, Ending.KICKED)
        if player.line.ending is not None or player.session.loading:
            return
