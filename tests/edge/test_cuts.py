"""The line between an edge and its world is cut again and again while people walk and talk: in the end their
clients believe what one does that was never cut off."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
import trio

from tests.kit import postgres
from tests.kit.actors import ACTORS
from tests.kit.border_walks import BESIDE, SURFACE, enters, settles, sheet
from tests.kit.edge_land import EdgeLand
from tests.kit.eq2_actor import Eq2Actor
from tests.kit.eq2_walks import loads_its_zone
from world.heading import EAST, SOUTH, WEST

if TYPE_CHECKING:
    from pathlib import Path

    from trio.testing import MockClock

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]

GAMES = [game for game in ACTORS if game != "web"]
CUTS = 4


@pytest.mark.parametrize("game", GAMES)
async def test_who_is_cut_off_again_and_again_believes_what_is_so(
    url: str, tmp_path: Path, autojump_clock: MockClock, game: str
) -> None:
    chance = random.Random(game + "3")
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        anna = await enters(land, game, "anna", "Anna")
        berta = await enters(land, "uo" if game != "uo" else "eo", "berta", "Berta", BESIDE)
        surface = land.towns[SURFACE]
        before = sheet(land.mobile("Anna"))
        for _ in range(CUTS):
            for _ in range(chance.randrange(3, 9)):
                for one in (anna, berta):
                    await one.step(chance.choice((EAST, SOUTH, WEST)))
                await trio.sleep(chance.random())
            (link,) = surface.app.edges.links
            await link.line.close()
            await anna.say("does anybody hear me")
            await berta.step(SOUTH)
            await trio.sleep(1)
            await land.joins(land.edge.lines[0], surface)
            await trio.sleep(2)
            if isinstance(anna, Eq2Actor):
                await loads_its_zone(anna)
            await settles(land, anna)
            await settles(land, berta)
        assert sheet(land.mobile("Anna")) == before
        nursery.cancel_scope.cancel()
