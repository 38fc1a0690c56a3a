"""Lineage II: going where one clicks, and where the client says that it is."""

from __future__ import annotations

from math import hypot

import pytest

from protocol.l2.handlers.motion import ELSEWHERE, SOCIAL_ACTIONS, TOLERANCE
from protocol.l2.packets import (
    ActionFailed,
    BeginRotation,
    CannotMoveAnymore,
    ChangeMoveType,
    ChangeWaitType,
    CharInfo,
    DeleteObject,
    FinishRotating,
    MoveBackwardToLocation,
    MoveToLocation,
    RequestActionUse,
    RequestChangeMoveType,
    RequestChangeWaitType,
    StartRotating,
    StopMove,
    StopRotation,
    TeleportToLocation,
    UserInfo,
    ValidateLocation,
    ValidatePosition,
    Wait,
)
from protocol.l2.places import to_angle
from tests.kit.l2_desk import CORNER, TILE, WALL, Desk, Player, place_of
from tests.kit.l2_ways import way
from world.heading import EAST, NORTH, SOUTH, WEST
from world.mobile import Posture


def tile_time(player: Player, *, run: bool = True) -> float:
    """Seconds for a tile."""
    gait = player.mobile.gait
    return (gait.run_ms if run else gait.walk_ms) / 1000


def is_under_way(player: Player) -> bool:
    """Whether it goes by itself."""
    return player.mobile.gait.journey is not None


async def test_one_click_is_one_line_to_the_end() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    await alric.goes(26, 23)
    for player in (alric, berta):
        move = player.only(MoveToLocation)
        assert move.object_id == alric.mobile.serial
        assert way(move) == place_of(26, 23)
        assert (move.from_x, move.from_y, move.from_z) == place_of(20, 20)
    seconds = hypot(6, 3) * tile_time(alric)
    await desk.wait(seconds - 0.05)
    assert alric.took(MoveToLocation) == berta.took(MoveToLocation) == [], "the client draws the whole way"
    assert alric.took(StopMove) == berta.took(StopMove) == []
    await desk.wait(0.1)
    assert alric.tile == (26, 23)
    assert alric.mobile.gait.journey is None
    assert alric.took(ActionFailed) == []


async def test_the_origin_that_a_client_names_does_not_count() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.says(MoveBackwardToLocation(*place_of(22, 20), *place_of(50, 50), 1))
    await desk.wait(5)
    assert alric.tile == (22, 20)


async def test_a_short_body_is_a_click_all_the_same() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    frame = alric.session.dialect.encode(MoveBackwardToLocation(*place_of(22, 20), 0, 0, 0, 1))
    await alric.sends(frame[:-4])
    assert way(alric.only(MoveToLocation)) == place_of(22, 20)


async def test_the_way_leads_around_a_wall_in_straight_lines() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.goes(WALL[0], WALL[1] - 5)
    await desk.wait(4)
    assert alric.tile == (WALL[0], WALL[1] - 5)
    lines = alric.took(MoveToLocation)
    assert way(lines[-1]) == place_of(WALL[0], WALL[1] - 5)
    assert 2 <= len(lines) <= 4
    for line, before in zip(lines[1:], lines, strict=False):
        assert (line.from_x, line.from_y, line.from_z) == way(before), "one goes on where the other ended"
    assert len(alric.took(StopMove)) == 1


async def test_before_a_wall_that_is_clicked_the_way_ends() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.goes(*WALL)
    assert way(alric.only(MoveToLocation)) == place_of(WALL[0], WALL[1] + 1)
    await desk.wait(2)
    assert alric.tile == (WALL[0], WALL[1] + 1)
    await alric.goes(*WALL)
    assert alric.took(MoveToLocation) == []
    assert alric.only(ActionFailed)


async def test_a_click_on_ones_own_feet_is_refused() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.goes(20, 20)
    stop = alric.only(StopMove)
    assert (stop.x, stop.y, stop.z) == place_of(20, 20)
    assert alric.only(ActionFailed)
    assert alric.took(MoveToLocation) == []


async def test_a_click_on_ones_own_feet_stops_one_who_goes() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    await alric.goes(30, 25)
    await desk.wait(0.5)
    x, y = alric.tile
    await alric.goes(x, y)
    assert alric.took(ActionFailed)
    assert [(stop.x, stop.y, stop.z) for stop in berta.took(StopMove)] == [place_of(x, y)]
    await desk.wait(2)
    assert alric.tile == (x, y)


@pytest.mark.parametrize(("units", "goes"), [(9899, True), (9901, False)])
async def test_nobody_is_sent_out_of_the_world(units: int, goes: bool) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    x, y, z = place_of(20, 20)
    await alric.says(MoveBackwardToLocation(x, y + units, z, x, y, z, 1))
    assert len(alric.took(MoveToLocation)) == goes
    assert len(alric.took(ActionFailed)) == (not goes)


async def test_the_edge_of_the_map_is_the_end_of_the_way() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (3, 20))
    await alric.says(MoveBackwardToLocation(CORNER[0] - 50 * TILE, place_of(0, 20)[1], CORNER[2], 0, 0, 0, 1))
    assert way(alric.only(MoveToLocation)) == place_of(0, 20)


@pytest.mark.parametrize("far", [0x7FFFFFFF, -0x80000000])
async def test_numbers_from_another_world_are_refused(far: int) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.says(MoveBackwardToLocation(far, far, far, far, far, far, 1))
    assert alric.only(ActionFailed)


async def test_who_clicks_fast_goes_no_faster() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (5, 40))
    for _ in range(100):
        await alric.goes(55, 40)
        await desk.wait(0.03)
    tiles = 3.0 / tile_time(alric)
    assert tiles - 1.1 <= alric.tile[0] - 5 <= tiles + 1.1


async def test_who_sits_stays() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (40, 40))
    await alric.says(RequestActionUse(0))
    alric.got.clear()
    await alric.goes(45, 40)
    assert alric.kinds() == ["ActionFailed"]
    await desk.wait(2)
    assert alric.tile == (40, 40)


# Where the client is


async def test_nothing_is_said_while_client_and_world_agree() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (20, 40))
    await alric.goes(40, 40)
    alric.got.clear()
    for second in range(1, 6):
        await desk.wait(1)
        x = 20 + second / tile_time(alric)
        await alric.says(ValidatePosition(*place_of(min(40, x), 40), 0))
    assert alric.tile == (40, 40)
    assert alric.took(ValidateLocation) == []


async def test_who_is_far_from_its_character_is_put_back_and_not_believed() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (20, 40))
    await alric.says(ValidatePosition(*place_of(30, 40), 0))
    back = alric.only(ValidateLocation)
    assert (back.object_id, back.x, back.y, back.z) == (alric.mobile.serial, *place_of(20, 40))
    assert alric.tile == (20, 40)
    # Also on the way: more than a second ahead.
    await alric.goes(50, 40)
    await desk.wait(1)
    ahead = alric.tile[0] + 1 / tile_time(alric) + TOLERANCE
    await alric.says(ValidatePosition(*place_of(ahead - 0.5, 40), 0))
    assert alric.took(ValidateLocation) == []
    alric.got.clear()
    await alric.says(ValidatePosition(*place_of(ahead + 0.5, 40), 0))
    assert alric.only(ValidateLocation).x == place_of(*alric.tile)[0]
    assert way(alric.only(MoveToLocation)) == place_of(50, 40), "it goes on from there"


async def test_who_is_in_quite_another_place_loads_again() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    alric.got.clear()
    await alric.says(ValidatePosition(*place_of(20 + ELSEWHERE + 1, 20), 0))
    teleport = alric.only(TeleportToLocation)
    assert (teleport.x, teleport.y, teleport.z) == place_of(20, 20)
    assert [gone.object_id for gone in alric.took(DeleteObject)] == [berta.mobile.serial]
    await alric.says(ValidatePosition(*place_of(20 + ELSEWHERE + 1, 20), 0))
    assert alric.got == [], "it loads"
    await alric.appears()
    assert alric.only(UserInfo)
    assert [info.object_id for info in alric.took(CharInfo)] == [berta.mobile.serial]


async def test_a_client_that_does_not_know_where_it_is_is_left_alone() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.says(ValidatePosition(0, 0, -3000, 0))
    assert alric.got == []


async def test_height_is_no_matter_of_the_world() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    x, y, z = place_of(20, 20)
    await alric.says(ValidatePosition(x, y, z + 900, 0))
    assert alric.took(ValidateLocation) == []
    assert alric.tile == (20, 20)


async def test_who_stands_faces_where_its_client_says() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    for angle, heading in ((0, EAST), (16384, SOUTH), (32768, WEST), (49152, NORTH), (65535, EAST)):
        await alric.says(ValidatePosition(*place_of(20, 20), angle))
        await desk.wait(1)
        assert alric.mobile.heading == heading


async def test_what_stands_in_the_way_of_the_client_ends_the_way() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    await alric.goes(27, 37)
    await desk.wait(1)
    x, y = alric.tile
    assert (x, y) != (20, 20)
    await alric.says(CannotMoveAnymore(*place_of(x, y), 0))
    assert berta.only(StopMove).x == place_of(x, y)[0]
    await desk.wait(2)
    assert alric.tile == (x, y)


# Turning, running, sitting


async def test_the_arrow_keys_turn() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    serial = alric.mobile.serial
    await alric.says(StartRotating(10, -1))
    assert alric.only(BeginRotation) == BeginRotation(serial, 10, -1)
    await alric.says(FinishRotating(32768, 0))
    assert alric.only(StopRotation) == StopRotation(serial, 32768)
    assert alric.mobile.heading == WEST
    assert serial in [
        message.object_id for message in berta.got if isinstance(message, BeginRotation | StopRotation)
    ]


async def test_the_arrow_keys_turn_nobody_who_sits() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    await alric.says(RequestChangeWaitType(0))
    await desk.wait(0.5)
    heading = alric.mobile.heading
    alric.got.clear()
    berta.got.clear()
    await alric.says(StartRotating(10, -1), FinishRotating(to_angle((heading + 2) % 8), 0))
    assert alric.took(BeginRotation) == []
    assert alric.only(StopRotation) == StopRotation(alric.mobile.serial, to_angle(heading))
    assert len(alric.got) == 1, "the line that says why, once"
    assert alric.mobile.heading == heading
    assert berta.got == []


async def test_who_sits_and_looks_elsewhere_is_put_right() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.says(RequestChangeWaitType(0))
    await desk.wait(0.5)
    heading = alric.mobile.heading
    alric.got.clear()
    here = place_of(*alric.tile)
    await alric.says(ValidatePosition(*here, to_angle(heading), 0))
    assert alric.got == [], "it looks where it should"
    await alric.says(ValidatePosition(*here, to_angle((heading + 2) % 8), 0))
    assert alric.only(ValidateLocation).heading == to_angle(heading)
    assert [kind for kind in alric.kinds() if kind != "ChangeWaitType"] == [], "nobody wished for anything"
    assert alric.mobile.heading == heading


async def test_walking_is_slower_and_everybody_sees_it() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric", (10, 40)), await desk.enter("berta", (12, 42))
    serial = alric.mobile.serial
    alric.got.clear()
    await alric.says(RequestActionUse(1))
    assert alric.only(ChangeMoveType) == ChangeMoveType(serial, 0)
    assert berta.only(ChangeMoveType) == ChangeMoveType(serial, 0)
    await alric.goes(15, 40)
    await desk.wait(5 * tile_time(alric, run=False) - 0.1)
    assert is_under_way(alric)
    await desk.wait(0.2)
    assert not is_under_way(alric)
    await alric.says(RequestChangeMoveType(1))
    assert alric.only(ChangeMoveType).running == 1
    await alric.says(RequestChangeMoveType(1))
    assert alric.took(ChangeMoveType) == []


async def test_who_begins_to_walk_on_the_way_is_told_of_anew() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric", (10, 40)), await desk.enter("berta", (12, 42))
    await alric.goes(30, 40)
    await desk.wait(1)
    alric.got.clear()
    berta.got.clear()
    before = alric.tile
    await alric.says(RequestActionUse(1))
    for player in (alric, berta):
        kinds = [kind for kind in player.kinds() if kind in ("ChangeMoveType", "MoveToLocation")]
        assert kinds == ["ChangeMoveType", "MoveToLocation"]
    move = berta.only(MoveToLocation)
    assert way(move) == place_of(30, 40)
    assert (move.from_x, move.from_y, move.from_z) == place_of(*before)
    await desk.wait(1)
    assert alric.tile[0] - before[0] <= 1 / tile_time(alric, run=False) + 1


@pytest.mark.parametrize("by", ["action", "wait type"])
async def test_sitting_down_and_standing_up(by: str) -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric", (40, 40)), await desk.enter("berta", (42, 42))
    for wait, posture in ((Wait.SITTING, Posture.FLOOR), (Wait.STANDING, Posture.STANDING)):
        stand = int(wait == Wait.STANDING)
        await alric.says(RequestActionUse(0) if by == "action" else RequestChangeWaitType(stand))
        assert alric.mobile.posture == posture
        await desk.wait(0.1)
        for player in (alric, berta):
            change = player.only(ChangeWaitType)
            assert (change.object_id, change.wait) == (alric.mobile.serial, wait)
    await alric.says(RequestChangeWaitType(1))
    assert alric.took(ChangeWaitType) == [], "who stands is not told to"


async def test_sitting_down_ends_the_way() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric", (10, 40)), await desk.enter("berta", (12, 42))
    await alric.goes(30, 40)
    await desk.wait(0.5)
    await alric.says(RequestActionUse(0))
    assert berta.took(StopMove)
    x, y = alric.tile
    await desk.wait(2)
    assert alric.tile == (x, y)


async def test_other_actions_are_answered_in_words() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    for action in (2, 10, 16, 28, 37, 1003, 9999, -1):
        await alric.says(RequestActionUse(action))
        await desk.wait(1)
        assert sorted(alric.kinds()) == ["ActionFailed", "SystemMessage"], "its player reads why"
        alric.got.clear()


async def test_gestures_have_buttons_of_their_own() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    for action in SOCIAL_ACTIONS:
        await alric.says(RequestActionUse(action))
        await desk.wait(1)
        assert set(alric.kinds()) in ({"ActionFailed", "SocialAction"}, {"ActionFailed", "CreatureSay"})
        alric.got.clear()
