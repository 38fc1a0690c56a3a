"""Walking, turning, sitting, doors."""

from __future__ import annotations

import pytest
from eolib import (
    ChairCloseServerPacket,
    ChairPlayerServerPacket,
    ChairRequestClientPacket,
    Coords,
    Direction,
    DoorOpenClientPacket,
    DoorOpenServerPacket,
    FacePlayerServerPacket,
    RefreshReplyServerPacket,
    SitAction,
    SitCloseServerPacket,
    SitPlayerServerPacket,
    SitRemoveServerPacket,
    WalkPlayerServerPacket,
    WalkReplyServerPacket,
)

from tests.kit.eo_desk import DOOR, HEALER, SEAT, START, Desk, fresh
from world.mobile import Posture


async def test_a_step_is_seen_by_others_and_confirmed_to_oneself() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 22))
    fresh(alric, WalkReplyServerPacket)
    await alric.sends(alric.client.walk(Direction.Right))
    assert len(fresh(alric, WalkReplyServerPacket)) == 1
    step = berta.client.last(WalkPlayerServerPacket)
    assert (step.player_id, step.direction) == (alric.client.player_id, Direction.Right)
    assert (step.coords.x, step.coords.y) == (START[0] + 1, START[1])
    assert (alric.mobile.x, alric.mobile.y) == (START[0] + 1, START[1])
    alric.believes()
    berta.believes()


async def test_walking_apart_and_together_again() -> None:
    desk = Desk()
    desk.resident("healer", *HEALER)
    start = (20, 26)
    alric = await desk.enter("alric", start)
    berta = await desk.enter("berta", (22, 22))
    for direction in (Direction.Down, Direction.Right, Direction.Up, Direction.Left):
        for _ in range(20):
            desk.now += 0.48
            await alric.sends(alric.client.walk(direction))
            alric.believes()
            berta.believes()
    assert (alric.mobile.x, alric.mobile.y) == start
    assert not fresh(alric, RefreshReplyServerPacket)


async def test_into_a_wall_puts_the_client_back() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    for _ in range(2):
        desk.now += 0.48
        await alric.sends(alric.client.walk(Direction.Up))
    assert len(fresh(alric, RefreshReplyServerPacket)) == 1
    assert (alric.mobile.x, alric.mobile.y) == (START[0], START[1] - 1)
    alric.believes()


async def test_a_client_that_errs_about_its_place_is_put_right() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    alric.client.me.x += 3
    await alric.sends(alric.client.walk(Direction.Down))
    assert len(fresh(alric, RefreshReplyServerPacket)) == 1
    assert (alric.mobile.x, alric.mobile.y) == START
    alric.believes()


async def test_steps_that_are_too_close_by_the_clients_clock_wait_like_any_others() -> None:
    """The original server passes over what comes within 36 centiseconds, and the client would stand one tile
    farther than its character from then on."""
    desk = Desk()
    alric = await desk.enter("alric")
    desk.now += 0.48
    for _ in range(3):
        alric.client.clock = 5
        await alric.sends(alric.client.walk(Direction.Down))
    for _ in range(12):
        await desk.wait(0.1)
    assert alric.mobile.y == START[1] + 3
    assert not fresh(alric, RefreshReplyServerPacket)
    alric.believes()


async def test_sending_faster_does_not_go_faster() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    desk.now = 10.0
    for _ in range(6):
        await alric.sends(alric.client.walk(Direction.Down))
    assert alric.mobile.y < START[1] + 3
    for _ in range(30):
        await desk.wait(0.1)
    assert alric.mobile.y == START[1] + 6
    for _ in range(14):
        await alric.sends(alric.client.walk(Direction.Down))
    assert fresh(alric, RefreshReplyServerPacket), "more than the queue holds"
    for _ in range(200):
        await desk.wait(0.1)
    await alric.sends(alric.client.refresh())
    alric.believes()


async def test_a_direction_that_does_not_exist_is_ignored() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    me = alric.client.me
    await alric.sends(alric.client.face(Direction(9)))
    await alric.sends(alric.client.attack(Direction(200)))
    assert alric.line.ending is None
    assert alric.mobile.heading == 4
    me.direction = Direction.Down


async def test_turning() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 22))
    await alric.sends(alric.client.face(Direction.Left))
    assert berta.client.last(FacePlayerServerPacket).direction == Direction.Left
    assert not fresh(alric, FacePlayerServerPacket)
    assert alric.mobile.heading == 6


async def test_who_sits_does_not_turn() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 22))
    await alric.sends(alric.client.sit())
    heading, direction = alric.mobile.heading, alric.client.me.direction
    berta.client.received.clear()
    for _ in range(3):
        alric.client.received.clear()
        await alric.sends(alric.client.face(Direction.Up))
        assert alric.client.last(FacePlayerServerPacket).direction == direction
        alric.believes()
    assert alric.mobile.heading == heading
    assert not fresh(berta, FacePlayerServerPacket)


async def test_sitting_on_the_floor() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 22))
    await alric.sends(alric.client.sit())
    for player in (alric, berta):
        assert player.client.last(SitPlayerServerPacket).player_id == alric.client.player_id
    await alric.sends(alric.client.walk(Direction.Down))
    assert alric.mobile.y == START[1], "one does not walk sitting"
    alric.believes()
    await alric.sends(alric.client.stand())
    assert alric.client.last(SitCloseServerPacket)
    assert alric.client.me.sitting == berta.client.characters[alric.client.player_id].sitting == 0


def chair(action: SitAction, place: tuple[int, int] = SEAT) -> ChairRequestClientPacket:
    seat = ChairRequestClientPacket.SitActionDataSit(coords=Coords(x=place[0], y=place[1]))
    return ChairRequestClientPacket(
        sit_action=action, sit_action_data=seat if action == SitAction.Sit else None
    )


@pytest.mark.parametrize("side", [(-1, 0), (1, 0), (0, 1), (0, -1)])
async def test_a_chair_is_sat_on_from_every_side(side: tuple[int, int]) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (SEAT[0] + side[0], SEAT[1] + side[1]))
    await berta.sends(berta.client.bytes_of(chair(SitAction.Sit)))
    assert berta.mobile.posture == Posture.CHAIR
    for player in (alric, berta):
        packet = player.client.last(ChairPlayerServerPacket)
        assert (packet.coords.x, packet.coords.y, packet.direction) == (*SEAT, Direction.Left)
        player.believes()
    await berta.sends(berta.client.bytes_of(chair(SitAction.Stand)))
    assert (berta.mobile.x, berta.mobile.y) == (SEAT[0] - 1, SEAT[1])
    risen = berta.client.last(ChairCloseServerPacket).coords
    assert (risen.x, risen.y) == (SEAT[0] - 1, SEAT[1])
    assert alric.client.last(SitRemoveServerPacket)
    alric.believes()
    berta.believes()
    assert berta.client.me.sitting == 0


async def test_no_two_on_one_chair_and_none_where_there_is_no_chair() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (SEAT[0] - 1, SEAT[1]))
    berta = await desk.enter("berta", (SEAT[0] - 1, SEAT[1]))
    await alric.sends(alric.client.bytes_of(chair(SitAction.Sit, START)))
    assert alric.mobile.posture == Posture.STANDING
    await alric.sends(alric.client.bytes_of(chair(SitAction.Sit)))
    await berta.sends(berta.client.bytes_of(chair(SitAction.Sit)))
    assert (alric.mobile.posture, berta.mobile.posture) == (Posture.CHAIR, Posture.STANDING)


async def test_doors_open_for_those_beside_them() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (DOOR[0], DOOR[1] + 1))
    packet = DoorOpenClientPacket(coords=Coords(x=DOOR[0], y=DOOR[1]))
    await alric.sends(alric.client.bytes_of(packet))
    assert not fresh(alric, DoorOpenServerPacket)
    await berta.sends(berta.client.bytes_of(packet))
    for player in (alric, berta):
        opened = player.client.last(DoorOpenServerPacket)
        assert (opened.coords.x, opened.coords.y) == DOOR
    await berta.sends(berta.client.bytes_of(DoorOpenClientPacket(coords=Coords(x=21, y=23))))
    assert len(fresh(berta, DoorOpenServerPacket)) == 1
