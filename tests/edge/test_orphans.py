"""Worlds end, in order or not, and who plays there behind an edge goes on when there is a world again."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
import trio

from server.edge.orphans import HOLD_SECONDS
from server.edge.port import EdgeLink
from server.people.accounts import AccountService
from server.people.keeping import AWAY, BACK, GONE, KEEP_SECONDS, Keeper
from tests.kit import postgres
from tests.kit.actors import ACTORS, make_actor
from tests.kit.border_walks import BELOW, SURFACE, enters, said, settles, sheet
from tests.kit.co_actor import CoActor
from tests.kit.edge_land import EdgeLand
from tests.kit.eq2_actor import Eq2Actor
from tests.kit.eq2_walks import loads_its_zone
from tests.kit.games import GAMES as GAMES_BY_NAME
from tests.kit.l2_actor import L2Actor
from tests.kit.web_actor import WebActor
from world.heading import EAST, SOUTH, WEST
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from trio.testing import MockClock

    from server.edge.clients import EdgeSession
    from server.edge.remote import Remote
    from server.net.connection import Connection
    from tests.kit.actor import Actor

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]

GAMES = list(ACTORS)
MEADOW = (44, 17)
"""In the midst of 25 free tiles from west to east."""
SAMPLE_SECONDS = 0.05


def hung_up(actor: Actor) -> bool:
    """Whether its connection was closed."""
    return actor.player.hung_up


def lines(actor: Actor, text: str) -> int:
    """How often its player has read that."""
    heard = GAMES_BY_NAME[actor.game].heard(actor.player)
    if isinstance(actor, CoActor):
        heard = actor.client.screen.notices
    return sum(text in line for line in heard)


def knows(land: EdgeLand, actor: Actor) -> None:
    """What its edge has put together is what its world would tell anew, and that says nothing twice."""
    session, mobile = land.session(actor.name), land.mobile(actor.name)
    login = land.where(actor.name).app.accounts.login_of(mobile.account)
    keeper = Keeper(session)
    assert mobile.realm is not None
    told = keeper.changed(mobile, mobile.realm, login)
    (client,) = cast("Collection[EdgeSession]", land.edge.clients.sessions.values())
    assert client.kept is not None
    # When it said what passes with time.
    assert {**client.kept.parts, "on_it": b""} == {**told, "on_it": b""}
    assert keeper.changed(mobile, mobile.realm, login) == {}
    mobile.war = not mobile.war
    assert keeper.changed(mobile, mobile.realm, login).keys() == {"on_it"}
    mobile.war = not mobile.war


async def speaks(land: EdgeLand, actor: Actor) -> None:
    """It is in its world, believes what is so there, and is heard."""
    await settles(land, actor)
    await actor.say("here I am")
    assert await actor.echo()
    assert said(land, actor)[-1:] == ["here I am"]


@pytest.mark.parametrize("how", ["in order", "without a word"])
@pytest.mark.parametrize("game", GAMES)
async def test_who_plays_in_a_world_that_begins_anew_goes_on(
    url: str, tmp_path: Path, autojump_clock: MockClock, game: str, how: str
) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        actor = await enters(land, game, "anna", "Anna")
        await trio.sleep(KEEP_SECONDS + 1)
        began = land.mobile("Anna").y
        await actor.step(SOUTH)
        await actor.say("on I go")
        await trio.sleep(KEEP_SECONDS + 1)
        assert land.mobile("Anna").y > began
        knows(land, actor)
        mobile, end = land.mobile("Anna"), actor.player.end
        before, stood = sheet(mobile), (mobile.x, mobile.y)
        surface = land.towns[SURFACE]
        if how == "in order":
            surface.app.stop(0)
        else:
            land.dies(SURFACE)
        await trio.sleep(2)
        assert surface.exit_code == (0 if how == "in order" else None)
        assert len(land.edge.orphans) == 1
        assert lines(actor, AWAY) == 1
        await land.comes_back(SURFACE)
        await trio.sleep(1)
        if isinstance(actor, Eq2Actor) and how == "without a word":
            await loads_its_zone(actor)
        assert land.towns[SURFACE] is not surface
        mobile = land.mobile("Anna")
        assert mobile.online
        assert (sheet(mobile), (mobile.x, mobile.y)) == (before, stood)
        await speaks(land, actor)
        if game != "eq2" or how == "in order":
            assert lines(actor, BACK) == 1
            assert actor.player.end is end, "it connected anew"
        assert not land.edge.orphans
        nursery.cancel_scope.cancel()


async def test_who_is_sent_on_before_its_connection_runs_is_sent_on_then(
    url: str, tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that has much to do takes longer to begin with a client than until it is to load its zone."""
    begins = EdgeLink._go_on

    async def begins_late(link: EdgeLink, remote: Remote, connection: Connection) -> None:
        await trio.sleep(0.3)
        await begins(link, remote, connection)

    monkeypatch.setattr(EdgeLink, "_go_on", begins_late)
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        actor = await enters(land, "eq2", "anna", "Anna")
        assert isinstance(actor, Eq2Actor)
        await trio.sleep(KEEP_SECONDS + 1)
        entered = actor.client.play
        land.dies(SURFACE)
        await trio.sleep(2)
        await land.comes_back(SURFACE)
        await trio.sleep(1)
        assert actor.client.play is not entered, "it was not told to load its zone"
        await loads_its_zone(actor)
        await speaks(land, actor)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("game", ["uo", "eo"])
async def test_after_a_crash_one_stands_where_it_stood_at_most_a_second_before(
    url: str, tmp_path: Path, autojump_clock: MockClock, game: str
) -> None:
    """`flush_seconds`, and a turn. It is killed so many seconds before the next batch."""
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        actor = await enters(land, game, "anna", "Anna", at=MEADOW)
        for left, heading in ((0.1, EAST), (0.5, WEST)):
            stood = await walks_until_its_world_dies(land, actor, heading, left)
            await land.comes_back(SURFACE)
            await trio.sleep(1)
            died, _ = stood[-1]
            then = {place for at, place in stood if at >= died - 1.0 - 2 * SAMPLE_SECONDS}
            mobile = land.mobile("Anna")
            assert stood[0][1] not in then, "it hardly walked"
            assert (mobile.x, mobile.y) in then
            await settles(land, actor)
        nursery.cancel_scope.cancel()


async def walks_until_its_world_dies(
    land: EdgeLand, actor: Actor, heading: int, left: float
) -> list[tuple[float, tuple[int, int]]]:
    """Walk steadily for some seconds, and until the next batch is due within `left`: its world is killed
    then. Where it stood at each time."""
    app, mobile = land.towns[SURFACE].app, land.mobile(actor.name)
    stood: list[tuple[float, tuple[int, int]]] = []
    began = trio.current_time()
    while True:
        await actor.step(heading)
        for _ in range(12):
            now = trio.current_time()
            stood.append((now, (mobile.x, mobile.y)))
            due = app.storage.due_at(app.world)
            if now > began + 3 and due is not None and 0 < due - now <= left:
                land.dies(SURFACE)
                return stood
            await trio.sleep(SAMPLE_SECONDS)


@pytest.mark.parametrize("game", ["uo", "l2", "web"])
async def test_a_client_whose_world_does_not_come_back_is_told_so_in_the_end(
    url: str, tmp_path: Path, autojump_clock: MockClock, game: str
) -> None:
    """As its game says goodbye."""
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        actor = await enters(land, game, "anna", "Anna")
        await trio.sleep(KEEP_SECONDS + 1)
        land.dies(SURFACE)
        await trio.sleep(HOLD_SECONDS - 1)
        assert not hung_up(actor)
        await trio.sleep(2)
        assert hung_up(actor)
        if isinstance(actor, WebActor):
            assert actor.client.screen.goodbye == GONE
        else:
            assert lines(actor, GONE) == 1
        if isinstance(actor, L2Actor):
            assert actor._screen.goodbye == "ServerClose"
        assert not land.edge.orphans
        nursery.cancel_scope.cancel()


async def test_a_line_that_breaks_ends_nobody(url: str, tmp_path: Path, autojump_clock: MockClock) -> None:
    """The world goes on, and its characters stand there until the edge reaches it again."""
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        actor = await enters(land, "l2", "anna", "Anna")
        await trio.sleep(KEEP_SECONDS + 1)
        surface, mobile = land.towns[SURFACE], land.mobile("Anna")
        (link,) = surface.app.edges.links
        await link.line.close()
        await trio.sleep(1)
        assert not land.mobile("Anna").online
        await land.joins(land.edge.lines[0], surface)
        await trio.sleep(1)
        assert land.mobile("Anna") is mobile
        assert land.mobile("Anna").online
        await speaks(land, actor)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("what", ["ban", "password", "removal", "level"])
async def test_what_is_done_to_an_account_while_there_is_no_world_is_done(
    url: str, tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Whoever may not go on does not, not for a moment; and nobody goes on with a level of before."""
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        actor = await enters(land, "uo", "anna", "Anna")
        app = land.towns[SURFACE].app
        row = await app.accounts.find("anna")
        assert row is not None
        await app.accounts.staff.set_access(row, Access.GAME_MASTER)
        await trio.sleep(KEEP_SECONDS + 1)
        assert land.mobile("Anna").access == Access.GAME_MASTER
        land.dies(SURFACE)
        await trio.sleep(1)
        database = land.towns[BELOW].database
        monkeypatch.setattr(
            AccountService, "judge", lambda *_, **__: None
        )  # which finds it out a second later
        match what:
            case "ban":
                database.ban(row.id, float("inf"), "rude")
            case "password":
                database.set_password(row.id, "another")
            case "removal":
                database.ban(row.id, float("inf"), "removed")
                database.delete_account(row.id)
            case _:
                database.set_access(row.id, Access.PLAYER)
        await land.comes_back(SURFACE)
        await trio.sleep(1)
        assert hung_up(actor) == (what != "level")
        assert land.towns[SURFACE].here("Anna") == (what == "level")
        if what == "level":
            assert land.mobile("Anna").access == Access.PLAYER
        nursery.cancel_scope.cancel()


async def test_who_is_played_from_elsewhere_meanwhile_does_not_go_on(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        actor = await enters(land, "uo", "anna", "Anna")
        await trio.sleep(KEEP_SECONDS + 1)
        surface = land.towns[SURFACE]
        (link,) = surface.app.edges.links
        await link.line.close()
        surface.edge = None
        again = make_actor("eo", surface, peer="127.0.0.9")
        await again.enters("anna", "Anna")
        surface.edge = land.edge
        await land.joins(land.edge.lines[0], surface)
        await trio.sleep(2)
        assert hung_up(actor)
        assert not hung_up(again)
        assert land.mobile("Anna").online
        nursery.cancel_scope.cancel()
