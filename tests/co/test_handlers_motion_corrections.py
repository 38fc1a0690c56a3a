"""Conquer Online: how often a client is put back that cannot go where it has gone, and what it is told."""

from __future__ import annotations

import pytest

from protocol import corrections
from protocol.co.packets import ActionType, Pace, Walk, to_wire
from tests.kit.co_desk import START, Desk, Player, place_of, ready
from world.heading import EAST, NORTH

BEFORE_THE_WALL = (20, 19)
WORDS = "A wall of The Plain is in the way: /map shows it."


async def runs(player: Player, heading: int) -> None:
    await player.says(Walk(player.number, to_wire(heading), Pace.RUN))


def put_back(player: Player) -> list[tuple[int, int]]:
    return [(told.x, told.y) for told in player.actions(ActionType.TELEPORT)]


async def test_who_runs_against_a_wall_is_put_back_twice_a_second_and_told_once() -> None:
    desk = Desk()
    alric = await ready(desk, BEFORE_THE_WALL)
    for _ in range(20):
        await runs(alric, NORTH)
        await desk.wait(0.1)
    back = put_back(alric)
    assert set(back) == {place_of(*BEFORE_THE_WALL)}
    assert 2 <= len(back) <= 2.0 / corrections.SECONDS + 1
    assert alric.lines() == [WORDS]
    assert alric.tile == BEFORE_THE_WALL
    await desk.wait(1.0)
    assert len(put_back(alric)) <= 1
    await desk.wait(5.0)
    assert put_back(alric) == [], "it is where it should be"


async def test_a_single_refused_step_is_put_back_at_once_and_once() -> None:
    desk = Desk()
    alric = await ready(desk, BEFORE_THE_WALL)
    await runs(alric, NORTH)
    assert put_back(alric) == [place_of(*BEFORE_THE_WALL)]
    await runs(alric, EAST)
    assert alric.tile == (21, 19), "where it was put it goes on from"
    await desk.wait(2.0)
    assert put_back(alric) == []


async def test_steps_between_a_refused_one_and_its_correction_are_void() -> None:
    desk = Desk()
    alric = await ready(desk, BEFORE_THE_WALL)
    for heading in (NORTH, NORTH, EAST, EAST):
        await runs(alric, heading)
    await desk.wait(0.1)
    assert put_back(alric) == [place_of(*BEFORE_THE_WALL)]
    assert (alric.tile, alric.took(Walk)) == (BEFORE_THE_WALL, [])
    await desk.wait(corrections.SECONDS)
    assert put_back(alric) == [place_of(*BEFORE_THE_WALL)]
    await runs(alric, EAST)
    assert alric.tile == (21, 19)


async def test_whose_jump_begins_where_it_stands_has_come_back() -> None:
    desk = Desk()
    alric = await ready(desk, BEFORE_THE_WALL)
    await runs(alric, NORTH)
    await runs(alric, NORTH)
    assert alric.session.corrections.astray
    await alric.jumps(24, 24)
    put_back(alric)
    await desk.wait(2.0)
    assert alric.tile == (24, 24)
    assert put_back(alric) == []


@pytest.mark.parametrize("where", [(40, 40), BEFORE_THE_WALL])
async def test_who_is_put_elsewhere_meanwhile_is_astray_no_more(where: tuple[int, int]) -> None:
    desk = Desk()
    alric = await ready(desk, BEFORE_THE_WALL)
    await runs(alric, NORTH)
    await runs(alric, NORTH)
    put_back(alric)
    desk.world.warp(alric.mobile, desk.world.realms["plain"], *where)
    await desk.settle()
    assert put_back(alric) == [place_of(*where)]
    await runs(alric, EAST)
    await desk.wait(0.2)
    await runs(alric, EAST)
    await desk.wait(2.0)
    assert alric.tile == (where[0] + 2, where[1])
    assert put_back(alric) == []


@pytest.mark.parametrize("every", [0.05, 0.3])
async def test_who_lies_about_where_it_stands_is_put_back_no_more_often(every: float) -> None:
    desk = Desk()
    alric = await ready(desk)
    for _ in range(round(3.0 / every)):
        await alric.jumps(24, 24, claims=(30, 30))
        await desk.wait(every)
    back = put_back(alric)
    assert alric.tile == START
    assert set(back) == {place_of(*START)}
    assert 3 <= len(back) <= 3.0 / corrections.SECONDS + 1


async def test_a_correction_that_waits_is_void_when_its_client_has_gone() -> None:
    desk = Desk()
    alric = await ready(desk, BEFORE_THE_WALL)
    await runs(alric, NORTH)
    await runs(alric, NORTH)
    alric.hang_up()
    alric.got.clear()
    await desk.wait(2.0)
    assert alric.got == []
