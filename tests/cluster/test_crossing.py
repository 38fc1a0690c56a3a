"""A player walks over a border: its character is in another world then, and its client saw a warp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import trio

from tests.kit.actors import ACTORS, make_actor
from tests.kit.beliefs import belief_faults
from tests.kit.border import REALMS, Borderland
from world import holding
from world.heading import NORTH, SOUTH
from world.newcomers import kept_items
from world.snapshot import character_row, item_row

if TYPE_CHECKING:
    from tests.kit.actor import Actor
    from world.mobile import Mobile

SURFACE, BELOW = REALMS
HERE: Final = (24, 15)
"""Two steps south of the way down."""


async def enters(land: Borderland, game: str, account: str, name: str) -> Actor:
    """Somebody who stands before the way down."""
    actor = make_actor(game, land.towns[SURFACE])
    await actor.enters(account, name)
    await land.puts(name, *HERE)
    await settles(land, actor)
    return actor


async def settles(land: Borderland, actor: Actor) -> None:
    """Until all that is under way has arrived and its client has loaded. It believes what is so then."""
    for _ in range(40):
        await trio.sleep(0.25)
        session = land.session(actor.name)
        if not (session.loading or session.blind or session.inbox or session.outbox or actor.in_flight()):
            break
    assert await actor.echo()
    assert belief_faults(actor, land.session(actor.name)) == []


async def walks_over(land: Borderland, actor: Actor) -> None:
    """From beside the border to the other side."""
    before = land.where(actor.name)
    heading = NORTH if SURFACE in before.app.world.realms else SOUTH
    for _ in range(12):
        await actor.step(heading)
        await trio.sleep(0.8)
        if not before.here(actor.name):
            break
    await trio.sleep(1.2)
    assert land.where(actor.name) is not before, land.mobile(actor.name)
    await settles(land, actor)


def sheet(mobile: Mobile) -> dict[str, object]:
    """All that is stored of a character, but where it stands and looks."""
    row = character_row(mobile)._asdict()
    for name in ("realm", "x", "y", "z", "heading", "stam"):
        del row[name]
    row["things"] = sorted(item_row(item) for item in kept_items(mobile))
    return row


def said(land: Borderland, actor: Actor) -> list[str]:
    """What was heard of it in the world where it is."""
    return [one.text for one in land.where(actor.name).app.world.heard if one.name == actor.name]


async def goes_to_and_fro(game: str, times: int) -> None:
    async with trio.open_nursery() as nursery:
        land = Borderland(nursery)
        await land.open()
        actor = await enters(land, game, "anna", "Anna")
        before, end = sheet(land.mobile("Anna")), actor.player.end
        for number in range(times):
            await walks_over(land, actor)
            assert sheet(land.mobile("Anna")) == before
            await actor.say(f"line {number}")
            assert await actor.echo()
            assert said(land, actor)[-1:] == [f"line {number}"]
        assert len(land.carried) == times
        assert actor.player.end is end, "it connected anew"
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("game", ACTORS)
async def test_a_client_goes_to_and_fro_on_one_connection(
    game: str, autojump_clock: trio.testing.MockClock
) -> None:
    await goes_to_and_fro(game, 10)


@pytest.mark.soak
@pytest.mark.parametrize("game", ACTORS)
async def test_a_client_goes_to_and_fro_a_hundred_times(
    game: str, autojump_clock: trio.testing.MockClock
) -> None:
    await goes_to_and_fro(game, 100)


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
