"""A player walks over a border: its character is in another world then, and its client saw a warp."""

from __future__ import annotations

from typing import Final

import pytest
import trio

from tests.kit.actors import ACTORS
from tests.kit.border import Borderland
from tests.kit.border_walks import enters, said, settles, sheet, walks_over
from world import holding

TIMES: Final = 100


@pytest.mark.parametrize("game", ACTORS)
async def test_a_client_goes_to_and_fro_a_hundred_times_on_one_connection(
    game: str, autojump_clock: trio.testing.MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        land = Borderland(nursery)
        await land.open()
        actor = await enters(land, game, "anna", "Anna")
        before, end = sheet(land.mobile("Anna")), actor.player.end
        for number in range(TIMES):
            await walks_over(land, actor)
            assert sheet(land.mobile("Anna")) == before
            await actor.say(f"line {number}")
            assert await actor.echo()
            assert said(land, actor)[-1:] == [f"line {number}"]
        assert len(land.carried) == TIMES
        assert actor.player.end is end, "it connected anew"
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("game", ACTORS)
async def test_it_uses_over_there_what_it_brought(game: str, autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        land = Borderland(nursery)
        await land.open()
        actor = await enters(land, game, "anna", "Anna")
        await walks_over(land, actor)
        mobile, view = land.mobile("Anna"), land.session("Anna").family.view
        pack = mobile.backpack
        assert pack is not None
        thing = next(item for item in pack.contents.values() if item.template.key != "gold")
        handle = actor.own_handle_of(thing, view)
        assert handle is not None
        await actor.drop(handle)
        await settles(land, actor)
        (lying,) = [
            item
            for item in mobile.world.items.values()
            if item.realm is mobile.realm and (item.x, item.y) == (mobile.x, mobile.y)
        ]
        assert lying.template is thing.template
        found = actor.handle_of(lying, view)
        assert found is not None
        await actor.take(found)
        await settles(land, actor)
        assert lying.root is mobile or lying.serial not in mobile.world.items
        gold = holding.gold(mobile)
        await walks_over(land, actor)
        assert holding.gold(land.mobile("Anna")) == gold
        nursery.cancel_scope.cancel()
