"""Conquer Online: clients that see none of our walls go their ways in the town."""

from __future__ import annotations

import random
from math import dist, floor
from typing import TYPE_CHECKING

from protocol import corrections
from protocol.co.view import CoView
from tests.kit.co_blind import Blind
from tests.kit.co_desk import Desk
from tests.kit.in_memory import shipped_content

if TYPE_CHECKING:
    from tests.kit.co_desk import Player
    from world.content import Chart
    from world.paths import Tile

CLIENTS, WAYS, FAR = 5, 40, 8


async def test_ways_without_sight_of_walls() -> None:
    """Nearly all jumps end where they should, or nearer to that, before what is really in the way, of which
    its player reads once; nobody is put back more than twice a second; and whoever rests stands where its
    client believes."""
    content = shipped_content()
    chart = content.charts[content.start_realm]
    jumps = well = shortened = 0
    for seed in range(CLIENTS):
        desk, chance = Desk(content), random.Random(seed)
        alric = await desk.enter("alric", chart.spawns[0])
        blind = Blind(alric)
        for _ in range(WAYS):
            await blind.waits(1.0)
            assert blind.believes == where(alric)
            if chance.random() < 0.5:
                await runs_about(blind, chance)
                continue
            way = chance.randint(-FAR, FAR), chance.choice([n for n in range(-FAR, FAR + 1) if n])
            start, believed = alric.tile, blind.believes
            to = start[0] + way[0], start[1] + way[1]
            await blind.jumps(*way)
            jumps += 1
            if blind.landed is None:
                continue
            end = tuple(at + now - was for at, now, was in zip(start, blind.landed, believed, strict=True))
            nearer = end != to and dist(end, to) < dist(start, to)
            shortened += nearer
            well += end == to or (nearer and is_in_the_way(chart, start, to))
        assert blind.put, "it never met a wall"
        assert sum("is in the way: /map shows it" in line for line in alric.lines()) == 1
        for first, third in zip(blind.put, blind.put[2:], strict=False):
            assert third - first >= 2 * corrections.SECONDS - 2 * Blind.GRAIN
    assert well >= 0.95 * jumps
    assert shortened >= 0.1 * jumps


def is_in_the_way(chart: Chart, start: Tile, to: Tile) -> bool:
    """Whether nobody can stand where a jump was to end, or a wall as high as a person is on the straight line
    there: read from the chart alone."""
    if (
        not (0 <= to[0] < chart.width and 0 <= to[1] < chart.height)
        or chart.blocked[to[1] * chart.width + to[0]]
    ):
        return True
    way = to[0] - start[0], to[1] - start[1]
    steps = 20 * max(map(abs, way))
    passed = {
        tuple(floor(at + 0.5 + by * n / steps) for at, by in zip(start, way, strict=True))
        for n in range(steps)
    }
    return any(
        (piece.x, piece.y) in passed and not piece.kind.walkable and not piece.z and piece.kind.height >= 16
        for piece in chart.scenery
    )


async def runs_about(blind: Blind, chance: random.Random) -> None:
    """A few steps, some of them sent before it knows how the one before has ended."""
    for _ in range(chance.randint(1, 3)):
        await blind.runs(*(chance.randrange(8) for _ in range(chance.randint(1, 2))))
        await blind.waits(chance.choice((0.1, 0.3)))


def where(player: Player) -> tuple[int, int]:
    """Place of its character on the client's map."""
    place = CoView.of(player.session).places.of(player.mobile)
    assert place is not None
    return place.x, place.y
