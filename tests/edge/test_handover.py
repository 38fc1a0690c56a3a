"""A realm goes from one world to another while both run: who is there goes with it, and stays connected."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from server.edge import crossings
from server.edge.handover import HEIR_SECONDS, SILENT_HEIR_SECONDS, CannotGive
from server.edge.orphans import HOLD_SECONDS
from server.people.keeping import KEEP_SECONDS
from server.store.database import Database
from server.store.fence import SILENT_SECONDS
from tests.kit import postgres
from tests.kit.actors import ACTORS
from tests.kit.border_walks import BELOW, SURFACE, enters, said, settles, sheet, walks_up
from tests.kit.edge_land import EdgeLand
from tests.kit.in_memory import shipped_content
from world import holding
from world.heading import NORTH

if TYPE_CHECKING:
    from pathlib import Path

    from trio.testing import MockClock

    from tests.kit.postgres import Cluster
    from world.content import Content
    from world.item import Item
    from world.world import World

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]

GAMES = [game for game in ACTORS if game != "web"]
ATTIC = "attic"
PARTED = {SURFACE: [SURFACE, BELOW], BELOW: [ATTIC]}
"""The second world has a realm where nobody goes."""


def three_realms() -> Content:
    """What is shipped, and a third realm."""
    content = shipped_content()
    below = content.charts[BELOW]
    atlas: dict[str, dict[str, float | str]] = {
        "uo": {"map": 1, "x": 5560, "y": 1200, "z": 0},
        "eo": {"map": 3},
        "eq2": {**below.atlas["eq2"], "z": 990.0},
        "l2": {**below.atlas["l2"], "x": -97120},
        "co": {**below.atlas["co"], "x": 510},
    }
    attic = attrs.evolve(below, name=ATTIC, atlas=atlas, warps={}, residents=(), fixtures=())
    return attrs.evolve(content, charts={**content.charts, ATTIC: attic})


def drop(world: World) -> Item:
    """Lay a dagger into the realm below."""
    realm = world.realms[BELOW]
    x, y = next(realm.free_near(10, 10, 8))
    dagger = holding.make(world, "dagger")
    world.enter(dagger, realm, x, y)
    return dagger


def until_nobody_has(realm: str, database: Database) -> None:
    """Nobody is silent just after the database itself has started."""
    while realm in database.realm_owners():
        time.sleep(0.1)


@pytest.mark.parametrize("game", GAMES)
async def test_a_realm_is_given_away_with_who_is_there(
    url: str, tmp_path: Path, autojump_clock: MockClock, game: str
) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path, content=three_realms(), realms=PARTED)
        await land.open()
        land.looks()
        first, second = land.towns.values()
        actor = await enters(land, game, "anna", "Anna")
        await walks_up(land, actor)
        await actor.step(NORTH)
        await trio.sleep(2)
        await settles(land, actor)
        mobile, end = land.mobile("Anna"), actor.player.end
        assert mobile.realm is first.app.world.realms[BELOW]
        before, stood = sheet(mobile), (mobile.x, mobile.y)
        dagger = await first.app.loop.in_world(None, drop)
        await first.app.handover.give(BELOW, 2)
        assert BELOW not in first.app.world.realms
        assert dagger.serial not in first.app.world.items
        await trio.sleep(2)
        assert land.where("Anna") is second
        mobile = land.mobile("Anna")
        assert (sheet(mobile), (mobile.x, mobile.y)) == (before, stood)
        assert second.app.world.items[dagger.serial].realm is second.app.world.realms[BELOW]
        await settles(land, actor)
        await actor.say("here I am")
        assert await actor.echo()
        assert said(land, actor) == ["here I am"]
        assert actor.player.end is end, "it connected anew"
        nursery.cancel_scope.cancel()


async def test_who_is_given_a_realm_looks_at_once(
    url: str, tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crossings, "LOOK_SECONDS", 600.0)
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path, content=three_realms(), realms=PARTED)
        await land.open()
        land.looks()
        first, second = land.towns.values()
        await trio.sleep(2)
        for giver, taker, number in ((first, second, 2), (second, first, 1), (first, second, 2)):
            await giver.app.handover.give(BELOW, number)
            await trio.sleep(0.3)
            assert BELOW in taker.app.world.realms
        nursery.cancel_scope.cancel()


async def test_what_cannot_be_given_stays(url: str, tmp_path: Path, autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path, content=three_realms(), realms=PARTED)
        await land.open()
        first, _ = land.towns.values()
        with pytest.raises(CannotGive, match="no realm attic"):
            await first.app.handover.give(ATTIC, 2)
        with pytest.raises(CannotGive, match="no other living world; there are: 2"):
            await first.app.handover.give(BELOW, 3)
        dagger = await first.app.loop.in_world(None, drop)
        first.database.give_realm = lambda *_: False  # type: ignore[method-assign] # it has died meanwhile
        with pytest.raises(CannotGive, match="has died meanwhile"):
            await first.app.handover.give(BELOW, 2)
        assert first.app.world.items[dagger.serial].realm is first.app.world.realms[BELOW]
        nursery.cancel_scope.cancel()


async def test_a_realm_whose_things_are_not_written_in_time_stays_with_all_of_them(
    url: str, tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is there has been left at its edge by then, and goes on where it was."""
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path, content=three_realms(), realms=PARTED)
        await land.open()
        land.looks()
        first, second = land.towns.values()
        actor = await enters(land, "eo", "anna", "Anna")
        await walks_up(land, actor)
        await actor.step(NORTH)
        await trio.sleep(2)
        await settles(land, actor)
        before = sheet(land.mobile("Anna"))
        world = first.app.world
        residents = sorted(mobile.name for mobile in world.mobiles.values() if not mobile.is_character)
        dagger = await first.app.loop.in_world(None, drop)
        waits = iter([first.app.storage.wait_durable])  # for who is there

        async def slow() -> None:
            await next(waits, trio.sleep_forever)()

        monkeypatch.setattr(first.app.storage, "wait_durable", slow)
        began = trio.current_time()
        with pytest.raises(CannotGive, match="is not written"):
            await first.app.handover.give(BELOW, 2)
        assert trio.current_time() - began < HOLD_SECONDS - 2, "they are hung up on then"
        monkeypatch.undo()
        await trio.sleep(2)
        realm = world.realms[BELOW]
        assert world.items[dagger.serial].realm is realm
        assert dagger in realm.space.around(dagger.x, dagger.y, 1)
        after = sorted(mobile.name for mobile in world.mobiles.values() if not mobile.is_character)
        assert after == residents
        assert land.where("Anna") is first
        assert land.mobile("Anna").realm is realm
        assert sheet(land.mobile("Anna")) == before
        await settles(land, actor)
        # All of it is as with any realm: it can be given a moment later.
        await first.app.handover.give(BELOW, 2)
        assert dagger.serial not in world.items
        await trio.sleep(2)
        assert second.app.world.items[dagger.serial].realm is second.app.world.realms[BELOW]
        nursery.cancel_scope.cancel()


async def test_who_looked_before_a_realm_was_given_away_does_not_take_it_again(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path, content=three_realms(), realms=PARTED)
        await land.open()
        first, _ = land.towns.values()
        before = await first.app.storage.read(Database.realm_owners)
        await first.app.handover.give(BELOW, 2)
        await first.app.handover.look(before)
        assert BELOW not in first.app.world.realms
        nursery.cancel_scope.cancel()


async def test_a_world_is_drained_and_ends(url: str, tmp_path: Path, autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        land.looks()
        first, second = land.towns.values()
        actor = await enters(land, "eo", "anna", "Anna")
        told = await first.app.commands.run("test", "drain 2")
        assert told.lines == ["confluence are world 2's now; this one ends"]
        await trio.sleep(2)
        assert first.exit_code == 0
        assert land.where("Anna") is second
        await settles(land, actor)
        nursery.cancel_scope.cancel()


async def test_an_heir_takes_what_a_world_that_ended_does_not_have_again_in_time(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path, heir=BELOW)
        await land.open()
        actor = await enters(land, "uo", "anna", "Anna")
        await trio.sleep(3)
        first, second = land.towns.values()
        assert SURFACE not in second.app.world.realms
        land._lives[BELOW].start_soon(land.crossings[1].look)
        await trio.sleep(1)
        first.app.stop(0)
        await trio.sleep(HEIR_SECONDS - 1)
        assert SURFACE not in second.app.world.realms, "its own may be starting anew"
        await trio.sleep(3)
        assert second.app.world.realms.keys() == {SURFACE, BELOW}
        assert land.where("Anna") is second
        await settles(land, actor)
        nursery.cancel_scope.cancel()


async def test_an_heir_takes_what_a_world_that_was_killed_had_while_its_clients_wait(
    url: str, cluster: Cluster, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Even if a third world has buried it by then, and nothing says whose the realm was."""
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path, heir=BELOW)
        await land.open()
        actors = [await enters(land, game, f"{game}one", f"Anna{game}") for game in ("uo", "eo")]
        land._lives[BELOW].start_soon(land.crossings[1].look)
        await trio.sleep(KEEP_SECONDS + 1)
        land.dies(SURFACE)
        del land.towns[SURFACE]
        await trio.sleep(SILENT_SECONDS)  # the database's time is the real one
        (second,) = land.towns.values()
        name = url.rpartition("/")[2]
        cluster.say(name, "UPDATE world SET beat = now() - interval '6 seconds' WHERE id = 1")
        until_nobody_has(SURFACE, second.database)
        cluster.say(name, f"DELETE FROM realm_owner WHERE realm = '{SURFACE}'")
        await trio.sleep(SILENT_HEIR_SECONDS - 1)
        assert SURFACE not in second.app.world.realms, "who stands by for it comes first"
        await trio.sleep(2.5)
        assert SILENT_SECONDS + SILENT_HEIR_SECONDS + 1.5 < HOLD_SECONDS - 1, "they are hung up on then"
        assert second.app.world.realms.keys() == {SURFACE, BELOW}
        for actor in actors:
            assert land.mobile(actor.name).online
            await settles(land, actor)
        nursery.cancel_scope.cancel()
