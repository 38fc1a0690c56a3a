"""Whatever happens, every client shows what is so."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from protocol.co.packets import ActionType, Emotion, Walk
from protocol.co.versions import CoVersion
from tests.kit.co_desk import Desk, agree
from world import holding, motion

if TYPE_CHECKING:
    from world.item import Item

VERSIONS = list(CoVersion)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("version", VERSIONS)
async def test_whatever_happens_every_client_shows_what_is_so(version: CoVersion, seed: int) -> None:
    desk, chance = Desk(version=version), random.Random(seed)
    players = [
        await desk.enter(name, (chance.randrange(36, 58), chance.randrange(36, 58)))
        for name in ("alric", "berta", "clara", "dora")
    ]
    mobiles = [player.mobile for player in players]
    residents = [desk.resident(kind, 45, 40 + n) for n, kind in enumerate(("crier", "sheep", "healer"))]
    await desk.wait(1.0)
    things: list[Item] = []
    for _ in range(150):
        player = chance.choice(players)
        mobile = player.mobile
        match chance.randrange(12):
            case 0 | 1 | 2:
                await player.says(Walk(player.number, chance.randrange(256), chance.randrange(2)))
            case 3 | 4:
                await player.jumps(mobile.x + chance.randrange(-19, 20), mobile.y + chance.randrange(-19, 20))
            case 5:
                motion.step(chance.choice(residents), chance.randrange(8))
            case 6:
                mobile.dead = not mobile.dead
            case 7:
                mobile.hidden = not mobile.hidden
            case 8:
                desk.world.warp(
                    mobile, mobile.world.realms["plain"], chance.randrange(60), chance.randrange(30, 60)
                )
            case 9:
                thing = holding.make(desk.world, chance.choice(["bread", "dagger"]), stored=False)
                desk.world.enter(thing, desk.world.realms["plain"], mobile.x, mobile.y)
                things.append(thing)
            case 10:
                if things:
                    desk.world.leave(things.pop())
            case 11:
                await player.acts(ActionType.EMOTION, data=chance.choice((Emotion.SIT, Emotion.STAND)))
        await desk.wait(chance.choice((0.05, 0.3, 0.6)))
        agree(desk)
    assert all(player.line.ending is None for player in players)
    assert mobiles == [player.mobile for player in players]
