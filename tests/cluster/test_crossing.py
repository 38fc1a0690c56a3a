"""A player walks over a border: its character is in another world then, and its client saw a warp."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from tests.kit.actors import ACTORS, make_actor
from tests.kit.beliefs import belief_faults
from tests.kit.border import Borderland
from world.heading import NORTH, SOUTH

if TYPE_CHECKING:
    from tests.kit.actor import Actor

HERE, THERE = (24, 15), 13


async def settles(land: Borderland, actor: Actor) -> None:
    """Until all that is under way has arrived, and its client has loaded."""
    for _ in range(100):
        await trio.sleep(0.25)
        session = land.session(actor.name)
        if not (session.loading or session.blind or session.inbox or session.outbox or actor.in_flight()):
            break
    await actor.echo()
    assert belief_faults(actor, land.session(actor.name)) == []


async def walks_over(land: Borderland, actor: Actor) -> None:
    """From beside the border to the other side."""
    before = land.where(actor.name)
    heading = NORTH if land.mobile(actor.name).realm.name == "confluence" else SOUTH
    for _ in range(12):
        await actor.step(heading)
        await trio.sleep(1)
        if land.where(actor.name) is not before:
            break
    else:
        raise AssertionError(f"{actor.name} is still there: {land.mobile(actor.name)}")
    await settles(land, actor)


@pytest.mark.parametrize("game", ACTORS)
async def test_a_client_goes_to_and_fro_on_one_connection(
    game: str, autojump_clock: trio.testing.MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        land = Borderland(nursery)
        await land.open()
        actor = make_actor(game, land.towns["confluence"])
        await actor.enters("anna", "Anna")
        await land.puts("Anna", *HERE)
        await settles(land, actor)
        for _ in range(4):
            await walks_over(land, actor)
        assert len(land.carried) == 4
        nursery.cancel_scope.cancel()
