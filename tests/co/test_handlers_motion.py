"""Conquer Online: steps, turns and gestures, and the answer to those that cannot be."""

from __future__ import annotations

import random

import pytest

from protocol.co.handlers.motion import GESTURES
from protocol.co.packets import STEPS, Action, ActionType, Emotion, Pace, Walk, to_wire
from protocol.co.packets import Player as Figure
from protocol.co.versions import CoVersion
from tests.kit.co_desk import (
    CAVE_DOCUMENT,
    CAVE_MOUTH,
    DOCUMENT,
    SEAT,
    START,
    VOID_MOUTH,
    Desk,
    Player,
    kicked_back,
    place_of,
    ready,
)
from world import furniture, leaps, motion
from world.heading import EAST, NORTH, SOUTH, WEST
from world.mobile import Posture
from world.reach import Refusal

RUN_SECONDS, JUMP_SECONDS = 0.25, leaps.JUMP_SECONDS


async def walks(player: Player, heading: int, *, run: bool = False, wait: float = 0.5) -> None:
    """A step towards one of the world's headings."""
    await player.says(Walk(player.number, to_wire(heading), Pace.RUN if run else Pace.WALK))
    await player.desk.wait(wait)


# Steps


@pytest.mark.parametrize("direction", range(8))
@pytest.mark.parametrize("mark", [0, 1, 5, 31])
async def test_a_step_each_way_and_its_echo(direction: int, mark: int) -> None:
    desk = Desk()
    alric = await ready(desk, (40, 40))
    berta = await desk.enter("berta", (42, 40))
    await alric.says(Walk(alric.number, direction + 8 * mark, Pace.WALK))
    dx, dy = STEPS[direction]
    assert alric.tile == (40 + dx, 40 + dy)
    assert [step for step in alric.got if isinstance(step, Walk)] == [Walk(alric.number, direction, 0)]
    assert berta.only(Walk) == Walk(alric.number, direction, 0)
    assert to_wire(alric.mobile.heading) == direction


async def test_the_step_of_the_notes_byte_by_byte() -> None:
    for version, raw in ((CoVersion.V5017, "0a00ed03{}0601"), (CoVersion.V5065, "0c00ed03{}06010000")):
        desk = Desk(version=version)
        alric = await ready(desk)
        alric.raw.clear()
        await alric.sends(bytes.fromhex(raw.format(alric.number.to_bytes(4, "little").hex())))
        assert alric.raw[0].hex() == raw.format(alric.number.to_bytes(4, "little").hex())
        assert alric.tile == (21, 20)
        assert alric.mobile.running


async def test_both_lengths_of_a_step_are_read_in_both_versions() -> None:
    for version in CoVersion:
        alric = await ready(Desk(version=version))
        number = alric.number.to_bytes(4, "little")
        await alric.sends(b"\x0c\0\xed\3" + number + b"\6\1\0\0")
        await alric.desk.wait(0.5)
        await alric.sends(b"\x0a\0\xed\3" + number + b"\2\0")
        assert alric.tile == START
        assert alric.line.ending is None


@pytest.mark.parametrize(("at", "heading"), [((20, 19), NORTH), ((0, 5), WEST), ((22, 20), EAST)])
async def test_where_nobody_can_go_the_client_is_put_back(at: tuple[int, int], heading: int) -> None:
    """A wall, the edge of the realm, a chair."""
    alric = await ready(Desk(), at)
    await walks(alric, heading)
    assert alric.tile == at
    assert kicked_back(alric) == (DOCUMENT, *place_of(*at))
    assert alric.took(Walk) == []


async def test_others_see_nothing_of_a_refused_step() -> None:
    desk = Desk()
    alric = await ready(desk, (20, 19))
    berta = await desk.enter("berta", (22, 20))
    await walks(alric, NORTH)
    assert berta.got == []


@pytest.mark.parametrize("number", [0, 1_000_002, 0xFFFF_FFFF])
async def test_nobody_walks_for_somebody_else(number: int) -> None:
    desk = Desk()
    alric = await ready(desk)
    berta = await desk.enter("berta", (22, 20))
    assert berta.number == 1_000_002
    await alric.says(Walk(number, 6, 1))
    assert alric.tile == START
    assert berta.tile == (22, 20)
    assert alric.took(Walk) == []


async def test_running_is_quicker_than_walking_and_nobody_is_quicker_than_that() -> None:
    desk = Desk()
    alric = await ready(desk, (5, 40))
    for _ in range(5):
        for _ in range(20):
            await alric.says(Walk(alric.number, to_wire(EAST), Pace.RUN))
        await desk.wait(0.5)
    tiles = alric.tile[0] - 5
    assert tiles <= (2.5 + 2 * motion.CREDIT) / RUN_SECONDS + 1
    assert alric.actions(ActionType.TELEPORT), "beyond the few that wait steps are refused"


async def test_steps_that_wait_are_forgotten_when_the_client_is_put_back() -> None:
    desk = Desk()
    alric = await ready(desk, (17, 18))
    for heading in (EAST, EAST, EAST, NORTH, NORTH):  # the third leads into the wall
        await alric.says(Walk(alric.number, to_wire(heading), Pace.RUN))
    await desk.wait(2.0)
    assert alric.tile == (19, 18)
    assert kicked_back(alric) == (DOCUMENT, *place_of(19, 18))


async def test_honest_steps_are_never_refused() -> None:
    desk, chance = Desk(), random.Random(7)
    alric = await ready(desk, (5, 40))
    for _ in range(40):
        heading = EAST if alric.tile[0] < 50 else WEST
        await alric.says(Walk(alric.number, to_wire(heading), Pace.RUN))
        await desk.wait(RUN_SECONDS + chance.choice((-0.1, 0.0, 0.1)))
    await desk.wait(1.0)
    assert alric.actions(ActionType.TELEPORT) == []
    assert len(alric.took(Walk)) == 40


async def test_a_step_onto_a_warp_leads_on() -> None:
    desk = Desk()
    alric = await ready(desk, (29, 20))
    await walks(alric, EAST)
    assert alric.tile == (5, 5)
    assert alric.kinds()[:2] == ["Walk", "Action TELEPORT"]
    assert kicked_back(alric) == (DOCUMENT, *place_of(5, 5))
    assert alric.screen.faults == []


async def test_a_step_into_another_map() -> None:
    desk = Desk()
    alric = await ready(desk, (31, 20))
    assert CAVE_MOUTH == (32, 20)
    berta = await desk.enter("berta", (29, 22))
    await walks(alric, EAST)
    assert kicked_back(alric) == (CAVE_DOCUMENT, 5, 5)
    assert alric.screen.map == CAVE_DOCUMENT
    assert [gone.id for gone in berta.actions(ActionType.REMOVE)] == [alric.number]


async def test_who_goes_where_this_game_has_no_place_is_sent_away() -> None:
    desk = Desk()
    alric = await ready(desk, (VOID_MOUTH[0] - 1, VOID_MOUTH[1]))
    await walks(alric, EAST)
    assert alric.line.ending is not None


async def test_who_sits_gets_up_by_walking() -> None:
    desk = Desk()
    alric = await ready(desk)
    furniture.sit_on_floor(alric.mobile)
    await walks(alric, EAST)
    assert alric.tile == (21, 20)
    assert alric.mobile.posture == Posture.STANDING


@pytest.mark.parametrize("heading", range(8))
async def test_who_sat_on_a_chair_is_put_before_it(heading: int) -> None:
    """Somebody who sat down in another game: its client here believes that it stands on the seat."""
    desk = Desk()
    mobile = desk.makes("alric", (22, 20))
    furniture.sit_on_seat(mobile, *SEAT)
    alric = await ready(desk)
    me = alric.screen.me
    assert me is not None
    assert (me.x, me.y) == place_of(*SEAT)
    await walks(alric, heading)
    assert mobile.posture == Posture.STANDING
    assert alric.tile == (22, 20)
    assert (me.x, me.y) == place_of(*alric.tile)
    await walks(alric, NORTH)
    assert alric.tile == (22, 19)
    assert (me.x, me.y) == place_of(*alric.tile)


async def test_while_the_client_loads_it_does_not_move() -> None:
    desk = Desk()
    alric = await ready(desk)
    alric.session.loading = True
    await walks(alric, EAST)
    await alric.jumps(25, 25)
    await alric.acts(ActionType.TURN, direction=3)
    assert alric.tile == START
    assert alric.got == []


# Turns and gestures


@pytest.mark.parametrize("direction", [0, 3, 7, 8, 13, 0xFFFF])
async def test_a_turn_is_seen_by_others_and_not_sent_back(direction: int) -> None:
    desk = Desk()
    alric = await ready(desk)
    alric.mobile.heading = (direction % 8 + 1) % 8
    berta = await desk.enter("berta", (22, 20))
    alric.got.clear()
    await alric.acts(ActionType.TURN, direction=direction)
    assert to_wire(alric.mobile.heading) == direction % 8
    (seen,) = berta.actions(ActionType.TURN)
    assert (seen.id, seen.direction) == (alric.number, direction % 8)
    assert (seen.x, seen.y) == place_of(*START)
    assert alric.got == []


async def test_who_sits_is_turned_back_and_hears_so_once_a_second() -> None:
    desk = Desk()
    alric = await ready(desk)
    berta = await desk.enter("berta", (22, 20))
    await alric.acts(ActionType.EMOTION, data=Emotion.SIT)
    heading = alric.mobile.heading
    alric.got.clear()
    berta.got.clear()
    for _ in range(5):
        await alric.acts(ActionType.TURN, direction=(to_wire(heading) + 1) % 8)
        await desk.wait(0.3)
    assert alric.lines() == [Refusal.SITTING.value] * 2
    assert [(turn.id, turn.direction) for turn in alric.actions(ActionType.TURN)] == [
        (alric.number, to_wire(heading))
    ] * 5
    assert alric.mobile.heading == heading
    assert berta.got == []


async def test_a_gesture_is_seen_by_all_and_by_oneself() -> None:
    desk = Desk()
    alric = await ready(desk)
    berta = await desk.enter("berta", (22, 20))
    await alric.acts(ActionType.EMOTION, data=Emotion.GENUFLECT)
    for player in (alric, berta):
        (seen,) = player.actions(ActionType.EMOTION)
        assert (seen.id, seen.data) == (alric.number, Emotion.GENUFLECT)


@pytest.mark.parametrize("emotion", [*GESTURES])
async def test_every_gesture_of_the_client_is_one_of_the_worlds(emotion: int) -> None:
    desk = Desk()
    alric = await ready(desk)
    await alric.acts(ActionType.EMOTION, data=emotion)
    assert len(alric.actions(ActionType.EMOTION)) == 1


async def test_sitting_down_and_getting_up() -> None:
    desk = Desk()
    alric = await ready(desk)
    berta = await desk.enter("berta", (22, 20))
    for emotion, posture in ((Emotion.SIT, Posture.FLOOR), (Emotion.STAND, Posture.STANDING)):
        await alric.acts(ActionType.EMOTION, data=emotion)
        assert alric.mobile.posture == posture
        for player in (alric, berta):
            assert [seen.data for seen in player.actions(ActionType.EMOTION)] == [emotion]
        await desk.wait(1.0)


@pytest.mark.parametrize("jumps", [True, False])
async def test_who_goes_stands_without_a_word(jumps: bool) -> None:
    desk = Desk()
    alric = await ready(desk)
    berta = await desk.enter("berta", (22, 20))
    furniture.sit_on_floor(alric.mobile)
    await desk.wait(1.0)
    assert berta.screen.people[alric.number].pose == Emotion.SIT
    berta.got.clear()
    if jumps:
        await alric.jumps(24, 24)
    else:
        await walks(alric, SOUTH)
    assert berta.kinds() == ["Action JUMP" if jumps else "Walk"]
    assert berta.screen.people[alric.number].pose == Emotion.STAND


async def test_who_goes_and_sits_down_again_in_one_turn_sits() -> None:
    desk = Desk()
    alric = await ready(desk)
    berta = await desk.enter("berta", (22, 20))
    furniture.sit_on_floor(alric.mobile)
    await desk.wait(1.0)
    await alric.sends_at_once(
        Walk(alric.number, to_wire(SOUTH)).encode(desk.version),
        Action.of(ActionType.EMOTION, alric.number, data=Emotion.SIT).encode(desk.version),
    )
    assert alric.mobile.posture == Posture.FLOOR
    assert berta.screen.people[alric.number].pose == Emotion.SIT


async def test_who_gets_up_and_cannot_go_is_seen_to_stand() -> None:
    desk = Desk()
    alric = await ready(desk, (20, 19))
    berta = await desk.enter("berta", (22, 20))
    furniture.sit_on_floor(alric.mobile)
    await desk.wait(1.0)
    await walks(alric, NORTH)
    assert alric.tile == (20, 19)
    for player in (alric, berta):
        shown = player.screen.me if player is alric else player.screen.people[alric.number]
        assert shown is not None
        assert (shown.pose == Emotion.STAND) is (alric.mobile.posture == Posture.STANDING)


async def test_getting_up_from_a_chair_puts_the_client_before_it() -> None:
    desk = Desk()
    mobile = desk.makes("alric", (22, 20))
    furniture.sit_on_seat(mobile, *SEAT)
    alric = await ready(desk)
    await alric.acts(ActionType.EMOTION, data=Emotion.STAND)
    me = alric.screen.me
    assert me is not None
    assert (me.x, me.y) == place_of(22, 20) == place_of(*alric.tile)


@pytest.mark.parametrize("emotion", [0, 9, 99, 240, 260, 272, 0xFFFF_FFFF, 230 | 10 << 16 | 1 << 24])
async def test_gestures_that_are_none_are_refused(emotion: int) -> None:
    alric = await ready(Desk())
    await alric.acts(ActionType.EMOTION, data=emotion)
    assert alric.lines() == [Refusal.UNKNOWN.value]
    assert alric.line.ending is None


async def test_the_dead_make_no_gestures() -> None:
    desk = Desk()
    alric = await ready(desk)
    alric.mobile.dead = True
    desk.turn()
    alric.got.clear()
    await alric.acts(ActionType.EMOTION, data=Emotion.LAUGH)
    assert alric.lines() == ["You are dead and cannot do that."]


async def test_who_walks_into_sight_is_shown_before_it_moves_on() -> None:
    desk = Desk()
    alric = await ready(desk, (20, 40))
    berta = await desk.enter("berta", (39, 40))
    assert berta.took(Figure) == []
    await walks(alric, EAST)
    await walks(alric, EAST)
    assert berta.kinds() == ["Player", "Walk"]
    await walks(alric, WEST)
    await walks(alric, WEST)
    assert berta.kinds() == ["Player", "Walk", "Walk", "Action REMOVE"]
    assert alric.number not in berta.screen.people
    assert berta.screen.faults == []


async def test_south_is_down() -> None:
    alric = await ready(Desk(), (40, 40))
    await walks(alric, SOUTH)
    assert alric.tile == (40, 41)
    assert alric.only(Walk).direction == 0
