"""Lists of friends, and of those one ignores, on the way from world to world, as players of all games have
them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from server.people.keeping import KEEP_SECONDS
from server.store.check import check_database
from tests.kit import postgres
from tests.kit.actors import ACTORS
from tests.kit.border_walks import BELOW, BESIDE, SURFACE, enters, settles, walks_over
from tests.kit.co_actor import CoActor
from tests.kit.edge_land import EdgeLand
from tests.kit.eq2_actor import Eq2Actor
from tests.kit.eq2_walks import loads_its_zone
from tests.kit.games import GAMES
from world import friends, ignoring, speech
from world.listing import Listing
from world.reach import Cannot

if TYPE_CHECKING:
    from pathlib import Path

    from trio.testing import MockClock

    from tests.kit.actor import Actor
    from world.mobile import Mobile

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]

NAMES = dict(zip(ACTORS, ("Anna", "Bert", "Cora", "Karl", "Dora", "Wanda"), strict=True))


def lists_of(mobile: Mobile) -> tuple[list[str], list[str]]:
    """Friends, and those who are ignored."""
    return [*friends.friends_of(mobile).values()], [*ignoring.ignored_by(mobile).values()]


def heard(actor: Actor) -> str:
    """All that it was told, as one text."""
    notices = actor.client.screen.notices if isinstance(actor, CoActor) else []
    return "\n".join([*GAMES[actor.game].heard(actor.player), *notices])


async def test_lists_go_where_their_players_go(url: str, tmp_path: Path, autojump_clock: MockClock) -> None:
    """One of each game goes below and comes back, where its world is killed and begins anew; and on its lists
    is whom it put there, wherever that was."""
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        below = land.towns[BELOW].app
        actors = [await enters(land, game, name.lower(), name, BESIDE) for game, name in NAMES.items()]
        ring = list(zip(actors, [*actors[1:], actors[0]], [*actors[2:], *actors[:2]], strict=True))
        for actor, other, third in ring:
            friends.befriend(land.mobile(actor.name), third.name)
            await walks_over(land, actor)
            friends.befriend(land.mobile(actor.name), other.name)
        assert not land.towns[SURFACE].app.world.records.all(Listing), "they are all below"
        for actor, other, third in ring:
            mobile = land.mobile(actor.name)
            assert lists_of(mobile) == ([third.name, other.name], [])
            ignoring.ignore(mobile, other.name)
            with pytest.raises(Cannot):
                speech.tell(land.mobile(other.name), actor.name, "do you hear me?")
        expected = {actor.name: lists_of(land.mobile(actor.name)) for actor in actors}
        for actor in actors:
            await walks_over(land, actor)
            assert lists_of(land.mobile(actor.name)) == expected[actor.name]
        assert not below.world.records.all(Listing), "they are all gone"

        await trio.sleep(KEEP_SECONDS + 1)
        land.dies(SURFACE)
        await trio.sleep(1)
        await land.comes_back(SURFACE)
        await trio.sleep(1)
        for actor in actors:
            if isinstance(actor, Eq2Actor):
                await loads_its_zone(actor)
            await settles(land, actor)
        assert {actor.name: lists_of(land.mobile(actor.name)) for actor in actors} == expected
        for actor, _, third in ring:
            before = heard(actor).count(third.name)
            friends.stirred(land.mobile(third.name))
            await trio.sleep(1)
            assert heard(actor).count(third.name) > before, actor.game
        surface = land.towns[SURFACE]
        for actor in actors:
            actor.leaves()
        await trio.sleep(surface.settings.limits.linger_seconds + 120)
        assert not surface.app.world.records.all(Listing), "they are in no world"
        nursery.cancel_scope.cancel()
    assert check_database(surface.database) == []
