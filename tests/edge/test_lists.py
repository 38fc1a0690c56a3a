"""Lists of friends, and of those one ignores, on the way from world to world, as players of all games have
them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio

from server.people.keeping import KEEP_SECONDS
from server.store.check import check_database
from tests.kit import postgres
from tests.kit.actors import ACTORS
from tests.kit.border_walks import BELOW, BESIDE, SURFACE, enters, settles
from tests.kit.co_actor import CoActor
from tests.kit.edge_land import EdgeLand
from tests.kit.eq2_actor import Eq2Actor
from tests.kit.eq2_walks import loads_its_zone
from tests.kit.games import GAMES
from world import friends, ignoring, speech
from world.listing import Listing
from world.reach import Cannot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trio.testing import MockClock

    from tests.kit.actor import Actor
    from world.mobile import Mobile
    from world.world import World

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


async def all_go(land: EdgeLand, actors: Sequence[Actor], realm: str, at: tuple[int, int]) -> None:
    """Over the border at once, to a tile of the other side."""

    def goes(mobile: Mobile, world: World) -> None:
        assert world.travel(mobile, realm, *at)

    for actor in actors:
        app, mobile = land.where(actor.name).app, land.mobile(actor.name)
        await app.loop.in_world(None, partial(goes, mobile))
    await trio.sleep(3)
    for actor in actors:
        await settles(land, actor)


async def test_lists_go_where_their_players_go(url: str, tmp_path: Path, autojump_clock: MockClock) -> None:
    """One of each game goes below, where one was refused before, and comes back, where its world is killed
    and begins anew; and on its lists is whom it put there, wherever that was."""
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        below = land.towns[BELOW].app
        actors = [await enters(land, game, name.lower(), name, BESIDE) for game, name in NAMES.items()]
        ring = list(zip(actors, [*actors[1:], actors[0]], [*actors[2:], *actors[:2]], strict=True))
        for actor, _, third in ring:
            friends.befriend(land.mobile(actor.name), third.name)
        below.shut = "the world is full"
        await all_go(land, actors[:1], BELOW, (13, 50))
        assert land.towns[SURFACE].here(actors[0].name), "it was given back"
        assert lists_of(land.mobile(actors[0].name)) == ([actors[2].name], [])
        below.shut = ""
        await all_go(land, actors, BELOW, (13, 50))
        for actor, other, _ in ring:
            friends.befriend(land.mobile(actor.name), other.name)
        assert not land.towns[SURFACE].app.world.records.all(Listing), "they are all below"
        for actor, other, third in ring:
            mobile = land.mobile(actor.name)
            assert lists_of(mobile) == ([third.name, other.name], [])
            ignoring.ignore(mobile, other.name)
            with pytest.raises(Cannot):
                speech.tell(land.mobile(other.name), actor.name, "do you hear me?")
        expected = {actor.name: lists_of(land.mobile(actor.name)) for actor in actors}
        await all_go(land, actors, SURFACE, BESIDE)
        assert {actor.name: lists_of(land.mobile(actor.name)) for actor in actors} == expected
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
