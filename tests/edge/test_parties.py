"""Parties whose members are in two worlds, as the windows of their clients show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import trio

from tests.kit import postgres
from tests.kit.actors import ACTORS
from tests.kit.border_walks import BESIDE, SURFACE, enters, settles, walks_over
from tests.kit.co_actor import CoActor
from tests.kit.edge_land import EdgeLand
from tests.kit.exchange import Exchange
from tests.kit.games import GAMES
from tests.kit.wishes import WISHES
from world import party
from world.companions import LootRule
from world.party_events import PartyTurn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trio.testing import MockClock

    from tests.kit.actor import Actor
    from world.world import World

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]

NAMES: Final = dict(zip(ACTORS, ("Anna", "Bert", "Cora", "Karl", "Dora", "Wanda"), strict=True))
AWAY, BACK = (turn.value.partition(" ")[2][:7] for turn in (PartyTurn.AWAY, PartyTurn.BACK))


def lines(actor: Actor) -> list[str]:
    """All that its player read."""
    shown = GAMES[actor.game].heard(actor.player)
    return [*shown, *(actor.client.screen.notices if isinstance(actor, CoActor) else [])]


async def orders(land: EdgeLand, actor: Actor, line: str) -> None:
    """It gives an order to the server."""
    wishes = WISHES[actor.game](actor.player, land.session(actor.name))
    await actor.sends(wishes.order(line))
    await trio.sleep(2)


def gathers(land: EdgeLand, leader: Actor, *guests: Actor) -> Callable[[World], None]:
    """Make a party of some who are in the first world."""

    def bind(world: World) -> None:
        for guest in guests:
            leads, comes = land.mobile(leader.name), land.mobile(guest.name)
            party._let_in(leads, comes, comes, LootRule.FINDER)

    return bind


async def test_the_windows_of_all_games_show_members_of_both_worlds(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path, exchange=Exchange())
        await land.open()
        actors = [await enters(land, game, name.lower(), name, BESIDE) for game, name in NAMES.items()]
        parties = actors[:3], actors[3:]
        for members in parties:
            await land.towns[SURFACE].app.loop.in_world(None, gathers(land, *members))
        await trio.sleep(2)
        for number in range(3):
            for members in parties:
                goes = members[number]
                await walks_over(land, goes)
                await trio.sleep(3)
                mobile = land.mobile(goes.name)
                mobile.hits = mobile.hits_max // 3 + number
                await trio.sleep(4)
                for actor in members:
                    await settles(land, actor)  # its window is among what it believes
                    assert {*actor.party_shown()} == {one.name for one in members} - {actor.name}
                    fellow = land.mobile(actor.name).world.parties[mobile.serial].fellows[mobile.serial]
                    assert (fellow.state.hits, fellow.state.y) == (mobile.hits, mobile.y), actor
        for actor in actors:
            assert not [line for line in lines(actor) if AWAY in line or BACK in line]
        # All are below. What one of each does is done in the other world, where nobody is.
        for members in parties:
            await members[1].leaves_party()
        await trio.sleep(5)
        for members in parties:
            for actor in members:
                await settles(land, actor)
            assert any(party.SENT in line for line in lines(members[1])), members[1]
            assert [len(actor.party_shown()) for actor in members] == [1, 0, 1]
        assert len(land.towns[SURFACE].app.world.parties) == 4
        nursery.cancel_scope.cancel()


async def test_two_of_different_worlds_agree_and_who_hangs_up_is_away(
    url: str, tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(party, "AWAY_SECONDS", 20.0)
    async with trio.open_nursery() as nursery:
        exchange = Exchange()
        land = EdgeLand(nursery, url, tmp_path, exchange=exchange)
        await land.open()
        anna = await enters(land, "uo", "anna", "Anna", BESIDE)
        wanda = await enters(land, "web", "wanda", "Wanda", BESIDE)
        await walks_over(land, wanda)
        await trio.sleep(4)
        await orders(land, anna, "party invite Wanda")
        await orders(land, wanda, "party accept")
        await trio.sleep(4)
        for one, other in ((anna, wanda), (wanda, anna)):
            await settles(land, one)
            assert [*one.party_shown()] == [other.name]
        assert any(PartyTurn.JOINED.value.format(who="Wanda") in line for line in lines(anna))
        wanda.leaves()
        await trio.sleep(4)
        assert sum("Wanda is away" in line for line in lines(anna)) == 1
        await trio.sleep(party.AWAY_SECONDS)
        assert sum("Wanda has been away for too long" in line for line in lines(anna)) == 1
        assert land.mobile("Anna").party is None
        assert not land.towns[SURFACE].app.world.parties
        nursery.cancel_scope.cancel()
