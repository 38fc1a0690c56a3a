"""Walls that the client does not see: it is put right softly, seldom, and told why once."""

from __future__ import annotations

import random
from itertools import pairwise
from math import cos, floor, hypot, pi, sin
from typing import TYPE_CHECKING

import pytest

from protocol.eq2.packets import DisplayText, TeleportNoReload
from protocol.refusals import OBSTACLE_SECONDS
from tests.kit.eq2_desk import Desk, town_content
from tests.kit.eq2_motion import RUN, Blind
from world import obstacles

if TYPE_CHECKING:
    from world.realm import Realm


def told(blind: Blind) -> list[str]:
    return [line.text for line in blind.player.took(DisplayText) if "/causeway map" in line.text]


def is_held(blind: Blind, x: float, y: float) -> bool:
    """Whether something is in the way of a client from where it is to a spot, within two tiles: read from the
    chart alone."""
    realm = blind.player.mobile.realm
    assert realm is not None
    chart, far = realm.chart, hypot(x - blind.x, y - blind.y)

    def blocks(part: float) -> bool:
        tile_x, tile_y = floor(blind.x + (x - blind.x) * part), floor(blind.y + (y - blind.y) * part)
        return (tile_x, tile_y) in chart.warps or bool(chart.blocked[tile_y * chart.width + tile_x])

    return any(blocks(n * 0.02 / far) for n in range(1, int(min(2.0, far) / 0.02)))


async def a_townsman(at: tuple[int, int], late: int = 0) -> Blind:
    desk = Desk(town_content(), at)
    return Blind(await desk.enter("alric", at), late)


def most_within(seconds: float, times: list[float]) -> int:
    """How many at most come within so many seconds."""
    return max((sum(begin <= at < begin + seconds for at in times) for begin in times), default=0)


@pytest.mark.parametrize(("late", "lines"), [(0, 80), (1, 60), (2, 60)])
async def test_straight_lines_through_the_town_arrive_or_meet_what_was_named(late: int, lines: int) -> None:
    """Who does not arrive stands before something that is really there, and has read of the first such thing;
    and whatever they met, they end within a tile of the character."""
    blind = await a_townsman((62, 62), late)
    dice = random.Random(18 + late)
    arrived = well = 0
    read: list[str] = []
    for _ in range(lines):
        angle, far = dice.uniform(0, 2 * pi), dice.uniform(3, 15)
        x, y = (
            min(max(at + way * far, 20.0), 100.0)
            for at, way in zip((blind.x, blind.y), (cos(angle), sin(angle)), strict=True)
        )
        await blind.runs_to(x, y, patience=20)
        assert blind.off <= 0.5
        there = max(abs(blind.x - x), abs(blind.y - y)) <= 1
        arrived += there
        well += there or is_held(blind, x, y)
        read += told(blind)
        assert there or read, "it was told by then"
    assert arrived >= 0.3 * lines
    assert well >= 0.95 * lines
    assert blind.player.line.ending is None
    assert 1 <= len(read) <= 1 + len(blind.put) // 100
    assert most_within(0.999, blind.put) <= 2
    assert all(after - before > 0.499 for before, after in pairwise(blind.put))


async def test_however_often_a_client_says_that_it_is_in_a_wall_ways_around_are_looked_for_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blind = await a_townsman((58, 86))
    looked, around = [], obstacles.around

    def counting(
        realm: Realm, x: int, y: int, spot: tuple[float, float]
    ) -> tuple[list[int], tuple[int, int]]:
        looked.append((x, y, floor(spot[0]), floor(spot[1])))
        return around(realm, x, y, spot)

    monkeypatch.setattr(obstacles, "around", counting)
    for _ in range(100):
        for into in (60.3, 61.3, 60.7):
            await blind.player.goes(into, 86.5, forward_speed=RUN)
    assert blind.player.tile == (59, 86)
    assert (59, 86, 60, 86) in looked
    assert len(looked) == len(set(looked)) < 10


@pytest.mark.parametrize("late", [0, 2])
async def test_whoever_cuts_through_the_corner_of_a_house_comes_around_it(late: int) -> None:
    blind = await a_townsman((57, 87), late)
    await blind.runs_to(66.5, 78.5)
    assert blind.player.tile == (66, 78)
    assert blind.off <= 0
    assert 0 < len(blind.put) <= 6
    (line,) = told(blind)
    assert line.endswith("wall of Confluence is in the way: /causeway map shows it.")


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
    (line,) = player.took(DisplayText)
    assert line.text == "The Plain ends here: /causeway map shows it."


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
