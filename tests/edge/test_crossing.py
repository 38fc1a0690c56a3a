"""A player behind an edge walks over a border into another world of the same database, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest
import trio
from sqlalchemy.exc import OperationalError

from protocol.uo.packets.misc import Ping
from server.edge.intake import EdgeIntake
from server.store.records import mark_of
from tests.kit import postgres
from tests.kit.actors import ACTORS, make_actor
from tests.kit.border_walks import HERE, enters, said, settles, sheet, walks_over, walks_up
from tests.kit.claiming import claim
from tests.kit.edge_land import EdgeLand
from tests.kit.games import GAMES as GAMES_BY_NAME
from tests.kit.pipe import End
from tests.kit.uo_actor import UoActor
from world.heading import NORTH

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from trio.testing import MockClock

    from server.edge.port import EdgeLink
    from server.edge.words import Adopt
    from tests.kit.actor import Actor

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]

T = TypeVar("T")
GAMES = list(ACTORS)
READ, WINDOW = 1 << 16, 1 << 14
"""Bytes that are read at once (`network.receive_buffer_kib`), and that may be under way to be read."""


async def goes_to_and_fro(url: str, folder: Path, game: str, times: int) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, folder)
        await land.open()
        actor = await enters(land, game, "anna", "Anna")
        before, end = sheet(land.mobile("Anna")), actor.player.end
        for number in range(times):
            await walks_over(land, actor)
            assert sheet(land.mobile("Anna")) == before
            await actor.say(f"line {number}")
            assert await actor.echo()
            assert said(land, actor)[-1:] == [f"line {number}"]
            (connection,) = land.edge.gateway.connections.values()
            assert connection.session.moving is None  # type: ignore[attr-defined] # an edge's
        assert actor.player.end is end, "it connected anew"
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("game", GAMES)
async def test_a_client_goes_to_and_fro_on_one_connection(
    url: str, tmp_path: Path, autojump_clock: MockClock, game: str
) -> None:
    await goes_to_and_fro(url, tmp_path, game, 4)


async def test_who_is_refused_comes_back_and_reads_why(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        surface, below = land.towns.values()
        actor = await enters(land, "uo", "anna", "Anna")
        before = sheet(land.mobile("Anna"))
        below.app.shut = "the world is full"
        await tries_to_walk_over(actor)
        assert surface.here("Anna")
        assert not below.here("Anna")
        assert sheet(land.mobile("Anna")) == before
        assert any("The way is closed" in line for line in GAMES_BY_NAME["uo"].heard(actor.player))
        below.app.shut = ""
        below.app.accounts.judge = lambda *_: None  # type: ignore[method-assign] # so that nothing is learnt there
        await land.puts("Anna", *HERE)
        await settles(land, actor)
        await walks_over(land, actor)
        assert below.here("Anna")
        # And another password will find it there, too.
        row = await below.app.accounts.find("anna")
        assert row is not None
        assert {one.mark for one in below.app.accounts.seen()} == {mark_of(row.password)}
        nursery.cancel_scope.cancel()


async def test_a_database_that_does_not_answer_at_the_border_is_asked_again(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Whether it was away, or has done it and nobody heard so."""

    def unheard(ask: Callable[[str], Awaitable[T]]) -> Callable[[str], Awaitable[T]]:
        calls = iter(("away", "done", ""))

        async def asked(transfer: str) -> T:
            call = next(calls)
            if call == "away":
                raise OperationalError("", {}, OSError("there is nobody"))
            answer = await ask(transfer)
            if call == "done":
                raise OperationalError("", {}, OSError("it hung up"))
            return answer

        return asked

    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        surface, below = land.towns.values()
        here, there = (crossings._claims for crossings in land.crossings)
        actor = await enters(land, "uo", "anna", "Anna")
        before = sheet(land.mobile("Anna"))
        there.accept = unheard(there.accept)  # type: ignore[assignment, method-assign] # of this one
        await walks_over(land, actor)
        assert below.here("Anna")
        await walks_over(land, actor)
        below.app.shut = surface.app.shut = "the database is away"
        here.take_back = unheard(here.take_back)  # type: ignore[assignment, method-assign] # of this one
        await tries_to_walk_over(actor)
        assert surface.here("Anna")
        assert sheet(land.mobile("Anna")) == before
        assert claim(surface.database, land.mobile("Anna").serial)
        nursery.cancel_scope.cancel()


async def test_who_gets_no_answer_comes_back_and_is_nowhere_else(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """The other world stands still; when it goes on, the player is not its any more."""
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        surface, below = land.towns.values()
        actor = await enters(land, "eo", "anna", "Anna")
        there = land.crossings[1]
        welcome, gate = there.welcome, trio.Event()

        async def late(edge: EdgeLink, word: Adopt) -> None:
            await gate.wait()
            await welcome(edge, word)

        there.welcome = late  # type: ignore[method-assign] # of this one
        await tries_to_walk_over(actor)
        assert surface.here("Anna")
        gate.set()
        await trio.sleep(5)
        assert surface.here("Anna")
        assert not below.here("Anna")
        assert not below.app.gateway.connections
        await settles(land, actor)
        await actor.say("here I am")
        assert await actor.echo()
        nursery.cancel_scope.cancel()


async def test_whose_edge_dies_on_the_way_is_in_one_world_at_most(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        surface, below = land.towns.values()
        actor = await enters(land, "l2", "anna", "Anna")
        serial = land.mobile("Anna").serial
        there, (link,) = land.crossings[1], below.app.edges.links
        welcome = there.welcome

        async def last_words(edge: EdgeLink, word: Adopt) -> None:
            await link.line.close()
            await welcome(edge, word)

        there.welcome = last_words  # type: ignore[method-assign] # of this one
        await tries_to_walk_over(actor)
        await trio.sleep(30)
        assert [town.here("Anna") for town in (surface, below)].count(True) <= 1
        claimed = [claim(town.database, serial) for town in (surface, below) if town.here("Anna")]
        assert claimed in ([], [True])
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("game", GAMES)
async def test_who_logs_in_elsewhere_is_brought_to_where_its_character_stands(
    url: str, tmp_path: Path, autojump_clock: MockClock, game: str
) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        surface, below = land.towns.values()
        actor = await enters(land, game, "anna", "Anna")
        await walks_over(land, actor)
        before, stood = sheet(land.mobile("Anna")), land.mobile("Anna")
        place = stood.x, stood.y
        login = below.app.accounts.login_of(stood.account)
        assert login > 0, "it has gone along"
        actor.player.leaves()  # and lingers there
        land.hears_orders()
        again = make_actor(game, surface, peer="127.0.0.9")
        await again.enters("anna", "Anna")
        assert surface.app.accounts.login_of(stood.account) > login
        await trio.sleep(10)
        assert not surface.here("Anna")
        mobile = below.mobile("Anna")
        assert mobile.online
        assert (mobile.x, mobile.y) == place
        await settles(land, again)
        assert sheet(mobile) == before
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("game", GAMES)
async def test_a_newcomer_who_comes_in_elsewhere_begins_where_newcomers_do(
    url: str, tmp_path: Path, autojump_clock: MockClock, game: str
) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        surface, below = land.towns.values()
        land.edge._line_of = lambda peer: land.edge.lines[1]  # type: ignore[method-assign] # of this one
        actor = make_actor(game, surface, peer="127.0.0.9")
        await actor.enters("anna", "Anna")
        await trio.sleep(10)
        assert surface.here("Anna")
        assert not below.here("Anna")
        await settles(land, actor)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("game", ["uo", "eq2", "l2"])
async def test_what_a_client_says_on_the_way_is_heard_over_there_in_its_order(
    url: str, tmp_path: Path, autojump_clock: MockClock, game: str
) -> None:
    """Where its client does not load after a warp: else it means nothing until that has loaded, as ever."""
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        surface, below = land.towns.values()
        actor = await enters(land, game, "anna", "Anna")
        gate = bars_the_way(land)
        await walks_up(land, actor)
        await actor.step(NORTH)
        await actor.say("line 0")
        await until_held(land)
        for number in range(1, 6):
            await actor.say(f"line {number}")
            await trio.sleep(0.2)
        assert not below.here("Anna")
        before = [one.text for one in surface.app.world.heard if one.name == "Anna"]
        assert len(before) <= 1, "it was held"
        gate.set()
        await trio.sleep(2)
        await settles(land, actor)
        assert below.here("Anna")
        if surface.families[game].view.loads_on_warp:
            assert below.app.loop.counts.packets_in[game]["Say2"] == 6 - len(before)
        else:
            assert before + said(land, actor) == [f"line {number}" for number in range(6)]
        nursery.cancel_scope.cancel()


async def test_a_client_that_sends_without_end_on_the_way_is_not_read_and_loses_nothing(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """What its edge has read waits there, and beyond one reading it reads no more; the other world is handed
    no more than it may have (ARCHITECTURE.md: 64 frames that it has not taken)."""
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        _, below = land.towns.values()
        actor = await enters(land, "uo", "anna", "Anna")
        end = actor.player.end
        assert isinstance(actor, UoActor)
        assert isinstance(end, End)
        gate = bars_the_way(land)
        await walks_up(land, actor)
        end._out.window = WINDOW
        await actor.step(NORTH)
        intake = await until_held(land)
        (connection,) = land.edge.gateway.connections.values()
        read = connection.bytes_in
        words = actor.client.say_bytes("a" * 120)
        flood = [words * 25 + actor.client.pack_bytes(Ping(number)) for number in range(200, 230)]
        sent, answered = trio.Event(), len(actor.client.packets)
        assert sum(map(len, flood)) > 2 * READ

        async def floods() -> None:
            for some in flood:
                await actor.sends(some)
            sent.set()

        nursery.start_soon(floods)
        await trio.sleep(1)
        assert 0 < connection.bytes_in - read <= READ
        assert len(end._out.buffer) == WINDOW, "it is to feel it"
        gate.set()
        most = 0
        with trio.move_on_after(60):
            while not sent.is_set() or len(pongs(actor, answered)) < len(flood):
                await trio.sleep(0.1)
                most = max(most, intake.handed - intake.taken)
        assert below.here("Anna")
        assert pongs(actor, answered) == [*range(200, 230)]
        assert 32 < most <= 64
        nursery.cancel_scope.cancel()


def pongs(actor: UoActor, since: int) -> list[int]:
    """The numbers that came back."""
    return [packet[1] for packet in actor.client.packets[since:] if packet[0] == 0x73]


def bars_the_way(land: EdgeLand) -> trio.Event:
    """Whoever goes to the second world waits on the way until that is set."""
    there, gate = land.crossings[1], trio.Event()
    welcome = there.welcome

    async def late(edge: EdgeLink, word: Adopt) -> None:
        await gate.wait()
        await welcome(edge, word)

    there.welcome = late  # type: ignore[method-assign] # of this one
    return gate


async def until_held(land: EdgeLand) -> EdgeIntake:
    """Until the only client's frames are; its intake."""
    (intake,) = land.edge.clients.intakes.values()
    assert isinstance(intake, EdgeIntake)
    with trio.fail_after(5):
        while intake._free is None:  # noqa: ASYNC110 # it says so to nobody
            await trio.sleep(0.02)
    return intake


async def tries_to_walk_over(actor: Actor) -> None:
    """Step onto the way down, and see what comes of it."""
    for _ in range(3):
        await actor.step(NORTH)
        await trio.sleep(0.8)
    await trio.sleep(8)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("game", GAMES)
async def test_a_client_goes_to_and_fro_a_hundred_times(
    url: str, tmp_path: Path, autojump_clock: MockClock, game: str
) -> None:
    await goes_to_and_fro(url, tmp_path, game, 100)
