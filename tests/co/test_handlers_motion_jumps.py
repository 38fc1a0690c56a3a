"""Conquer Online: jumps, their echo, and what refuses them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.co.packets import Action, ActionType, Pace, Walk, pack_xy, to_wire, unpack_xy
from tests.kit.co_desk import (
    DOCUMENT,
    DOOR,
    HILL,
    LEDGE,
    SEAT,
    SIDE,
    START,
    WALL,
    WARP,
    Desk,
    Player,
    kicked_back,
    place_of,
    ready,
    small_content,
)
from world import furniture, leaps, motion
from world.content import Warp
from world.heading import EAST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.content import Content
    from world.realm import Realm

RUN_SECONDS, JUMP_SECONDS = 0.25, leaps.JUMP_SECONDS


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
        ((20, 19), WALL),
    ],
)
async def test_a_jump_that_the_ground_does_not_let_happen(at: tuple[int, int], to: tuple[int, int]) -> None:
    desk = Desk()
    alric = await ready(desk, at)
    await alric.jumps(*to)
    assert alric.tile == at
    assert kicked_back(alric) == (DOCUMENT, *place_of(*at))
    assert alric.actions(ActionType.JUMP) == []


@pytest.mark.parametrize(
    ("to", "lands", "words"),
    [
        (WALL, (20, 19), "A wall of The Plain is in the way: /map shows it."),
        ((20, 16), (20, 19), "A wall of The Plain is in the way: /map shows it."),
        (HILL, (24, 17), "Something of The Plain is in the way: /map shows it."),
        (SEAT, (22, 21), "Something of The Plain is in the way: /map shows it."),
        (DOOR, (20, 23), "Something of The Plain is in the way: /map shows it."),
    ],
)
async def test_a_jump_onto_what_blocks_ends_before_it(
    to: tuple[int, int], lands: tuple[int, int], words: str
) -> None:
    desk = Desk(with_door())
    alric = await ready(desk, (20, 25))
    berta = await desk.enter("berta", (22, 25))
    await alric.jumps(*to)
    assert alric.tile == lands
    (echo,) = alric.actions(ActionType.JUMP)
    assert unpack_xy(echo.data) == place_of(*lands)
    (seen,) = berta.actions(ActionType.JUMP)
    assert (seen.data, seen.x, seen.y, seen.direction) == (echo.data, echo.x, echo.y, echo.direction)
    assert alric.actions(ActionType.TELEPORT) == []
    assert alric.lines() == [words]
    await desk.wait(1.0)
    await alric.jumps(20, 25)
    await desk.wait(1.0)
    await alric.jumps(*to)
    assert alric.tile == lands
    assert alric.lines() == [], "it has been told"


def with_door() -> Content:
    """The small world, whose door leads into the cave."""
    content = small_content()
    plain = content.charts["plain"]
    warps = {**plain.warps, DOOR: Warp("cave", 5, 5, door=True)}
    return attrs.evolve(content, charts={**content.charts, "plain": attrs.evolve(plain, warps=warps)})


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
        assert max(abs(x - before[0]), abs(y - before[1])) <= leaps.LONGEST_JUMP
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


async def test_a_flood_of_jumps_that_end_nowhere_has_no_more_ends_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = Desk()
    alric = await ready(desk, (20, 19))
    looked, landings = [], leaps.landings

    def counting(realm: Realm, x: int, y: int, to_x: int, to_y: int) -> Iterator[tuple[int, int]]:
        looked.append(desk.now)
        return landings(realm, x, y, to_x, to_y)

    monkeypatch.setattr(leaps, "landings", counting)
    for _ in range(50):
        for _ in range(4):
            await alric.jumps(*WALL)
        await desk.wait(0.1)
    assert alric.tile == (20, 19)
    assert 1 < len(looked) <= 5.0 / JUMP_SECONDS + 2
    assert alric.ended() is None


async def test_after_a_jump_that_ended_nowhere_an_honest_client_waits_for_nothing() -> None:
    desk = Desk()
    alric = await ready(desk, (20, 19))
    await alric.jumps(*WALL)
    assert kicked_back(alric) == (DOCUMENT, *place_of(20, 19))
    await desk.wait(0.4)
    await alric.jumps(26, 24)
    assert alric.tile == (26, 24)


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
