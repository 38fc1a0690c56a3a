"""Conquer Online: clients that see none of our walls go their ways in the town."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from protocol import corrections
from protocol.co.view import CoView
from tests.kit.co_blind import Blind
from tests.kit.co_desk import Desk
from tests.kit.in_memory import shipped_content

if TYPE_CHECKING:
    from tests.kit.co_desk import Player

CLIENTS, WAYS, FAR = 5, 40, 8


async def test_ways_without_sight_of_walls() -> None:
    """Nearly all jumps end where they should, or before what is in the way, of which its player reads once;
    nobody is put back more than twice a second; and whoever rests stands where its client believes."""
    content = shipped_content()
    jumps = landed = shortened = 0
    for seed in range(CLIENTS):
        desk, chance = Desk(content), random.Random(seed)
        alric = await desk.enter("alric", content.charts[content.start_realm].spawns[0])
        blind = Blind(alric)
        for _ in range(WAYS):
            await blind.waits(1.0)
            assert blind.believes == where(alric)
            if chance.random() < 0.5:
                await runs_about(blind, chance)
                continue
            way = chance.randint(-FAR, FAR), chance.choice([n for n in range(-FAR, FAR + 1) if n])
            to = blind.believes[0] + way[0], blind.believes[1] + way[1]
            await blind.jumps(*way)
            jumps += 1
            landed += blind.landed is not None
            shortened += blind.landed not in (None, to)
        assert blind.put, "it never met a wall"
        assert sum("is in the way: /map shows it" in line for line in alric.lines()) == 1
        for first, third in zip(blind.put, blind.put[2:], strict=False):
            assert third - first >= 2 * corrections.SECONDS - 2 * Blind.GRAIN
    assert landed >= 0.95 * jumps
    assert shortened >= 0.1 * jumps


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
