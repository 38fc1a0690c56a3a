"""Walls that the client does not see: it is put right softly, seldom, and told why once."""

from __future__ import annotations

import random
from itertools import pairwise
from math import cos, pi, sin

import pytest

from protocol.eq2.packets import DisplayText, TeleportNoReload
from protocol.refusals import OBSTACLE_SECONDS
from tests.kit.eq2_desk import Desk, town_content
from tests.kit.eq2_motion import Blind


def told(blind: Blind) -> list[str]:
    return [line.text for line in blind.player.took(DisplayText) if "/map" in line.text]


async def a_townsman(at: tuple[int, int], late: int = 0) -> Blind:
    desk = Desk(town_content(), at)
    return Blind(await desk.enter("alric", at), late)


def most_within(seconds: float, times: list[float]) -> int:
    """How many at most come within so many seconds."""
    return max((sum(begin <= at < begin + seconds for at in times) for begin in times), default=0)


@pytest.mark.parametrize(("late", "lines"), [(0, 80), (1, 60), (2, 60)])
async def test_straight_lines_through_the_town_arrive_or_meet_what_was_named(late: int, lines: int) -> None:
    """And end within a tile of the character, whatever they met."""
    blind = await a_townsman((62, 62), late)
    dice = random.Random(18 + late)
    well = 0
    for _ in range(lines):
        angle, far = dice.uniform(0, 2 * pi), dice.uniform(3, 15)
        x, y = (
            min(max(at + way * far, 20.0), 100.0)
            for at, way in zip((blind.x, blind.y), (cos(angle), sin(angle)), strict=True)
        )
        before = len(blind.put)
        await blind.runs_to(x, y, patience=20)
        assert blind.off <= 0.5
        there = max(abs(blind.x - x), abs(blind.y - y)) <= 1
        well += there or len(blind.put) > before
    assert well >= 0.95 * lines
    assert blind.player.line.ending is None
    assert 1 <= len(told(blind)) <= 1 + len(blind.put) // 100
    assert most_within(0.999, blind.put) <= 2
    assert all(after - before > 0.499 for before, after in pairwise(blind.put))


@pytest.mark.parametrize("late", [0, 2])
async def test_whoever_cuts_through_the_corner_of_a_house_comes_around_it(late: int) -> None:
    blind = await a_townsman((57, 87), late)
    await blind.runs_to(66.5, 78.5)
    assert blind.player.tile == (66, 78)
    assert blind.off <= 0
    assert 0 < len(blind.put) <= 6
    (line,) = told(blind)
    assert line.endswith("wall of Confluence is in the way: /map shows it.")


async def test_whoever_runs_slantwise_at_a_wall_slides_along_it() -> None:
    blind = await a_townsman((58, 88))
    await blind.runs_to(64.5, 83.5, patience=10)
    x, y = blind.player.tile
    assert x == 59, "before the wall"
    assert y <= 84, "as far as it wanted to go along it"
    assert blind.off <= 0


async def test_whoever_runs_straight_at_a_wall_stays_before_it_and_hears_so_once() -> None:
    blind = await a_townsman((58, 86))
    await blind.runs_to(75.5, 86.5, patience=60)
    assert blind.player.tile == (59, 86)
    assert len(told(blind)) == 1
    await blind.player.desk.wait(OBSTACLE_SECONDS)
    await blind.runs_to(75.5, 86.5, patience=10)
    assert len(told(blind)) == 1
    assert blind.off <= 0


async def test_the_edge_of_the_realm_is_named() -> None:
    desk = Desk()
    player = await desk.enter("alric", (0, 20))
    await player.goes(-0.5, 20.5)
    await desk.wait(0.1)
    assert [line.text for line in player.took(DisplayText)] == ["The Plain ends here: /map shows it."]


async def test_whoever_is_moved_before_it_is_put_right_is_not_put_back() -> None:
    desk = Desk()
    player = await desk.enter("alric", (0, 20))
    await player.goes(-0.5, 20.5)
    await player.goes(-1.5, 20.5)  # this correction has to wait
    desk.world.warp(player.mobile, desk.world.realms["plain"], 40, 40)
    await desk.wait(0.1)
    player.got.clear()
    await desk.wait(2)
    assert all((move.x, move.z) == (1040.5, 2040.5) for move in player.took(TeleportNoReload))
    assert player.tile == (40, 40)
