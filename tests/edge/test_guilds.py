"""A guild whose members are in two worlds, as their clients show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from tests.kit import postgres
from tests.kit.border_walks import BESIDE, enters, settles, walks_over
from tests.kit.edge_land import EdgeLand
from tests.kit.games import GAMES
from world import guild_books, guild_rolls, guilds, holding

if TYPE_CHECKING:
    from pathlib import Path

    from trio.testing import MockClock

    from world.world import World

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]


async def test_a_member_goes_over_a_border_and_leaves_the_guild_there(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        surface, below = land.towns.values()
        anna = await enters(land, "uo", "anna", "Anna")
        bert = await enters(land, "eo", "bert", "Bert", BESIDE)

        def bind(world: World) -> None:
            leader, member = land.mobile("Anna"), land.mobile("Bert")
            pack = leader.backpack
            assert pack is not None
            gold = holding.make(world, "gold", amount=guilds.FEE)
            world.register(gold)
            holding.put(pack, gold)
            guilds.found(leader, "The Borderers", "BRD")
            guilds._join(leader, member, guild_rolls.own(leader)[0])

        await surface.app.loop.in_world(None, bind)
        await settles(land, bert)
        await land.puts("Bert", 24, 15)
        await trio.sleep(2)
        await walks_over(land, bert)
        guild = below.mobile("Bert").guild
        assert guild is not None
        assert (guild.tag, len(guild.members)) == ("BRD", 2)
        assert guild is not land.mobile("Anna").guild
        await bert.say("#guild leave")
        await trio.sleep(5)
        heard = GAMES["eo"].heard(bert.player)
        assert any(guild_books.SENT in line for line in heard)
        assert any(guild_books.DONE in line for line in heard)
        assert below.mobile("Bert").guild is None
        assert [one.name for one in guild_rolls.own(land.mobile("Anna"))[0].members.values()] == ["Anna"]
        for actor in (anna, bert):
            await settles(land, actor)
        nursery.cancel_scope.cancel()
