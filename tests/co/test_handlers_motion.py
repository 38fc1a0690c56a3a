"""Conquer Online: steps, jumps, turns and gestures, and the answer to those that cannot be."""

from __future__ import annotations

import random

import pytest

from protocol.co.handlers.motion import GESTURES
from protocol.co.packets import (
    STEPS,
    Action,
    ActionType,
    Emotion,
    Pace,
    Walk,
    pack_xy,
    to_wire,
    unpack_xy,
)
from protocol.co.packets import Player as Figure
from protocol.co.versions import CoVersion
from tests.kit.co_desk import (
    CAVE_DOCUMENT,
    CAVE_MOUTH,
    DOCUMENT,
    HILL,
    LEDGE,
    SEAT,
    SIDE,
    START,
    VOID_MOUTH,
    WALL,
    WARP,
    Desk,
    Player,
    place_of,
)
from world import furniture, motion
from world.heading import EAST, NORTH, SOUTH, WEST
from world.mobile import Posture
from world.reach import Refusal

RUN_SECONDS, JUMP_SECONDS = 0.25, motion.JUMP_SECONDS


async def walks(player: Player, heading: int, *, run: bool = False, wait: float = 0.5) -> None:
    """A step towards one of the world's headings."""
    await player.says(Walk(player.number, to_wire(heading), Pace.RUN if run else Pace.WALK))
    await player.desk.wait(wait)


def kicked_back(player: Player) -> tuple[int, int, int]:
    """The document and the place to which it was put back, once; that counts no more."""
    (told,) = player.actions(ActionType.TELEPORT)
    assert told.id == player.number
    return told.data, told.x, told.y


async def ready(desk: Desk, at: tuple[int, int] = START) -> Player:
    """Somebody whose next step or jump is due."""
    player = await desk.enter("alric", at)
    await desk.wait(1.0)
    return player


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


# Jumps


async def test_a_jump_and_its_echo() -> None:
    desk = Desk()
    alric = await ready(desk)
    berta = await desk.enter("berta", (22, 20))
    await alric.jumps(26, 24)
    assert alric.tile == (26, 24)
    (echo,) = alric.actions(ActionType.JUMP)
    assert unpack_xy(echo.data) == place_of(26, 24)
    assert (echo.x, echo.y) == place_of(*START)
    (seen,) = berta.actions(ActionType.JUMP)
    assert (seen.id, seen.data, seen.x, seen.y) == (alric.number, echo.data, echo.x, echo.y)
    assert echo.direction == seen.direction == to_wire(alric.mobile.heading)


async def test_a_jump_byte_by_byte() -> None:
    alric = await ready(Desk())
    alric.raw.clear()
    number = alric.number.to_bytes(4, "little").hex()
    x, y = (part.to_bytes(2, "little").hex() for part in place_of(20, 23))
    to_x, to_y = (part.to_bytes(2, "little").hex() for part in place_of(25, 23))
    await alric.desk.wait(0.1)
    alric.desk.world.warp(alric.mobile, alric.desk.world.realms["plain"], 20, 23)
    alric.desk.turn()
    alric.raw.clear()
    request = f"1800f203 78563412 {number} {to_x}{to_y} {x}{y} 0000 8500"
    await alric.sends(bytes.fromhex(request))
    assert alric.raw[0] == bytes.fromhex(f"1800f203 78563412 {number} {to_x}{to_y} {x}{y} 0600 8500")


@pytest.mark.parametrize(("dx", "dy"), [(18, 0), (0, 18), (-18, -18), (18, -5), (1, 0)])
async def test_the_longest_jumps(dx: int, dy: int) -> None:
    alric = await ready(Desk(), (25, 40))
    await alric.jumps(25 + dx, 40 + dy)
    assert alric.tile == (25 + dx, 40 + dy)


@pytest.mark.parametrize(
    ("at", "to"),
    [
        ((25, 40), (44, 40)),  # too far
        ((25, 40), (25, 21)),
        ((20, 25), (20, 25)),  # nowhere
        ((20, 25), WALL),
        ((20, 25), (20, 16)),  # through the wall
        ((20, 25), HILL),
        ((20, 25), SEAT),
    ],
)
async def test_a_jump_that_the_ground_does_not_let_happen(at: tuple[int, int], to: tuple[int, int]) -> None:
    desk = Desk()
    alric = await ready(desk, at)
    await alric.jumps(*to)
    assert alric.tile == at
    assert kicked_back(alric) == (DOCUMENT, *place_of(*at))
    assert alric.actions(ActionType.JUMP) == []


async def test_a_ledge_is_jumped_up_and_from_a_hill_one_jumps_down() -> None:
    desk = Desk()
    alric = await ready(desk, (16, 20))
    await alric.jumps(*LEDGE)
    assert alric.tile == LEDGE
    desk.world.warp(alric.mobile, desk.world.realms["plain"], *HILL)
    await desk.wait(1.0)
    await alric.jumps(24, 20)
    assert alric.tile == (24, 20)


@pytest.mark.parametrize("claims", [(21, 20), (20, 21), (59, 59), (0, 0)])
async def test_who_lies_about_where_it_stands_does_not_jump(claims: tuple[int, int]) -> None:
    alric = await ready(Desk())
    await alric.jumps(24, 24, claims=claims)
    assert alric.tile == START
    assert kicked_back(alric) == (DOCUMENT, *place_of(*START))


@pytest.mark.parametrize(
    "to", [(0, 0), (0xFFFF, 0xFFFF), (399, 520), (460, 520), (0x7FFF, 0x8000), (420, 499), (420, 560)]
)
async def test_no_jump_leads_out_of_the_realm(to: tuple[int, int]) -> None:
    for start in (START, (0, 0), (SIDE - 1, SIDE - 1)):
        alric = await ready(Desk(), start)
        x, y = place_of(*start)
        await alric.acts(ActionType.JUMP, data=pack_xy(*to), x=x, y=y)
        assert alric.tile == start
        assert kicked_back(alric) == (DOCUMENT, x, y)


async def test_whatever_a_client_says_of_its_jumps_it_stays_within_the_rules() -> None:
    desk, chance = Desk(), random.Random(11)
    alric = await ready(desk, (30, 40))
    realm = alric.mobile.realm
    assert realm is not None
    for _ in range(300):
        before = alric.tile
        at = (
            place_of(*before) if chance.random() < 0.7 else (chance.randrange(65536), chance.randrange(65536))
        )
        to = place_of(before[0] + chance.randrange(-25, 26), before[1] + chance.randrange(-25, 26))
        await alric.acts(
            ActionType.JUMP,
            data=pack_xy(*to) if chance.random() < 0.9 else chance.getrandbits(32),
            x=at[0],
            y=at[1],
            direction=chance.getrandbits(16),
        )
        x, y = alric.tile
        if alric.mobile.realm is not realm or (x, y) == (5, 5):
            break
        assert max(abs(x - before[0]), abs(y - before[1])) <= motion.LONGEST_JUMP
        assert realm.walkable(x, y)
        await desk.wait(0.6)
    assert alric.line.ending is None


async def test_the_dead_do_not_jump() -> None:
    alric = await ready(Desk())
    alric.mobile.dead = True
    await alric.jumps(24, 24)
    assert alric.tile == START
    assert kicked_back(alric)


async def test_who_sits_gets_up_by_jumping() -> None:
    alric = await ready(Desk())
    furniture.sit_on_floor(alric.mobile)
    await alric.jumps(24, 24)
    assert alric.tile == (24, 24)


async def test_nobody_jumps_for_somebody_else() -> None:
    desk = Desk()
    alric = await ready(desk)
    berta = await desk.enter("berta", (22, 20))
    x, y = place_of(22, 20)
    await alric.says(Action.of(ActionType.JUMP, berta.number, data=pack_xy(x + 3, y), x=x, y=y))
    assert (alric.tile, berta.tile) == (START, (22, 20))


async def test_a_jump_onto_a_warp_leads_on() -> None:
    desk = Desk()
    alric = await ready(desk, (25, 20))
    await alric.jumps(*WARP)
    assert alric.tile == (5, 5)
    assert alric.kinds()[:2] == ["Action JUMP", "Action TELEPORT"]


async def jumps_for(desk: Desk, alric: Player, seconds: float, *, every: float, at_once: int = 1) -> int:
    """How many jumps of five tiles, to and fro, somebody does who tries so often: always from where it
    believes that it lands."""
    count = 0
    x = alric.tile[0]
    for _ in range(round(seconds / every)):
        for _ in range(at_once):
            to = x + 5 if x < 30 else x - 5
            await alric.jumps(to, 40, claims=(x, 40))
            x = to
        await desk.wait(every)
        count += len(alric.actions(ActionType.JUMP))
        x = alric.tile[0]
    return count


async def test_an_honest_client_jumps_twice_a_second() -> None:
    desk = Desk()
    alric = await ready(desk, (25, 40))
    assert await jumps_for(desk, alric, 10.0, every=0.5) == 20
    assert alric.actions(ActionType.TELEPORT) == []


@pytest.mark.parametrize(("every", "at_once"), [(0.05, 1), (0.1, 3), (0.4, 1), (0.5, 10), (1.0, 20)])
async def test_a_flood_of_jumps_gains_nothing(every: float, at_once: int) -> None:
    desk = Desk()
    alric = await ready(desk, (25, 40))
    done = await jumps_for(desk, alric, 10.0, every=every, at_once=at_once)
    allowed = 10.0 / JUMP_SECONDS
    assert done <= allowed + 1, "the one that may come early"


async def test_steps_between_jumps_gain_nothing_either() -> None:
    """Both take their time from one schedule."""
    desk = Desk()
    alric = await ready(desk, (5, 40))
    spent = 0.0
    began = desk.now
    for _ in range(60):
        x = alric.tile[0]
        way = 1 if x < 40 else -1
        await alric.jumps(x + 5 * way, 40)
        await alric.says(Walk(alric.number, to_wire(EAST), Pace.RUN))
        await desk.wait(0.1)
        spent += JUMP_SECONDS * len(alric.actions(ActionType.JUMP)) + RUN_SECONDS * len(alric.took(Walk))
    assert spent <= desk.now - began + motion.CREDIT + JUMP_SECONDS + RUN_SECONDS


async def test_jumps_that_wait_are_void_if_the_character_is_elsewhere_by_then() -> None:
    desk = Desk()
    alric = await ready(desk, (25, 40))
    await alric.jumps(30, 40)
    await alric.jumps(35, 40, claims=(30, 40))
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 10, 10)
    await desk.wait(2.0)
    assert alric.tile == (10, 10)


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
