"""The page of an edge: what it tells, who logs in at it, and the game that is played behind it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

import pytest
import trio

from protocol.services import AccountInfo
from server.settings.config import parse
from server.store.records import mark_of
from server.version import version
from server.web.edge_collector import ONLY
from server.web.metrics import Scrape
from server.web.site import Caller
from tests.kit import split
from tests.kit.players import PASSWORD, EoPlayer, UoPlayer
from tests.kit.town import CONFIG, Town
from tests.kit.visitor import Visitor, front_of

if TYPE_CHECKING:
    from trio.testing import MockClock

    from server.web.front import Front


@pytest.fixture(autouse=True)
def _split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(split.SWITCH, "1")


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    running = Town(nursery, parse(CONFIG + "[accounts]\nauto_create = true\n"))
    await running.open()
    return running


def page(town: Town) -> Front:
    """That of the edge."""
    assert town.edge is not None
    return front_of(town, app=town.edge)


async def test_it_tells_who_plays_in_the_worlds_behind_it(town: Town, autojump_clock: MockClock) -> None:
    await UoPlayer(town).enters("konto", "Anna")
    await EoPlayer(town).enters("kasse", "Bert")
    town.app.privacy.put(town.mobile("Bert"), on_map=False)
    await trio.sleep(5)
    visitor = Visitor(page(town), peer="203.0.113.1", page=None)
    status = (await visitor.get("/status.json")).json()
    assert (status["name"], status["version"]) == ("Causeway", version())
    assert status["online"] == {game: int(game in ("uo", "eo")) for game in town.families}
    assert status["players"] == ["Anna"]
    assert status["open"] is True
    there = Counter(mobile.realm.name for mobile in town.app.world.mobiles.values() if mobile.realm)
    rows = cast("list[dict[str, object]]", (await visitor.get("/realms.json")).json()["realms"])
    assert {row["name"]: row["mobiles"] for row in rows} == there | {"undercroft": 0}
    assert (await visitor.get("/health")).text == "ok\n"
    assert "<title>Causeway" in (await visitor.get("/")).text
    games = cast("list[dict[str, object]]", (await visitor.get("/connect.json")).json()["games"])
    assert {"uo", "eo", "eq2", "co", "l2"} <= {row["game"] for row in games}


async def test_players_are_told_of_the_page_of_their_edge(town: Town, autojump_clock: MockClock) -> None:
    await UoPlayer(town).enters("konto", "Anna")
    (session,) = town.app.loop.sessions.values()
    (link,) = town.app.edges.links
    link.ports["web", "http"] = 8642
    assert town.app.page_address(session) == "http://127.0.0.1:8642"


async def test_its_map_shows_a_realm_of_the_world_behind_it(town: Town, autojump_clock: MockClock) -> None:
    """To whoever comes when, and whatever happens meanwhile, as the page of the world does."""
    anna = UoPlayer(town)
    await anna.enters("konto", "Anna")
    visitor = Visitor(page(town))
    async with visitor.connect("/watch") as first:
        await first.until("realm")
        assert town.app.live is not None
        assert town.app.live.viewers == 1
        town.mobile("Anna").hits -= 1
        assert (await first.until("change"))["id"] == town.mobile("Anna").serial
        async with visitor.connect("/watch?realm=confluence") as second:
            shown = await second.until("realm")
            assert shown["name"] == "confluence"
            names = set()
            while "Anna" not in names:
                names.add((await second.receive()).get("name"))
            town.mobile("Anna").hits -= 1
            for one in (first, second):
                assert (await one.until("change"))["id"] == town.mobile("Anna").serial
            await trio.sleep(3)
            assert town.app.live.viewers == 2, "both are counted, and shown once"
            assert len(town.app.live._watched[0].viewers) == 1
        await trio.sleep(3)
        assert town.app.live.viewers == 1
    await trio.sleep(1)
    assert town.app.live.viewers == 0


async def test_who_is_too_slow_for_the_map_gets_all_anew(town: Town, autojump_clock: MockClock) -> None:
    await UoPlayer(town).enters("konto", "Anna")
    anna, live = town.mobile("Anna"), page(town).site.app.live
    assert live is not None
    viewer = live.begin("confluence", lambda: None)
    first = await viewer.next()
    assert '"t":"realm"' in first.partition("\n")[0]
    anna.hits -= 1
    await trio.sleep(0.5)  # it has taken nothing meanwhile
    anna.hits -= 1
    await trio.sleep(0.5)
    assert '"t":"realm"' in (await viewer.next()).partition("\n")[0]
    viewer.end()
    assert live.viewers == 0


async def test_a_world_that_is_gone_leaves_the_map(town: Town, autojump_clock: MockClock) -> None:
    assert town.edge is not None
    visitor = Visitor(page(town))
    async with visitor.connect("/watch") as socket:
        await socket.until("realm")
        town.edge.lines[0]._scope.cancel()
        (link,) = town.app.edges.links
        await link.line.close()
        await trio.sleep(5)
        assert (await visitor.get("/status.json")).json()["realms"] != {}, "it may be back in a moment"
        await trio.sleep(8)
        while (await socket.receive())["t"] != "realm":
            pass
        with trio.move_on_after(5) as nothing:
            await socket.receive()
        assert nothing.cancelled_caught, "the realm is empty"
    status = (await visitor.get("/status.json")).json()
    assert (status["realms"], status["open"]) == ({}, False)
    answer = await visitor.get("/health")
    assert (answer.status, answer.text) == (503, "no world is reached\n")


async def test_who_logs_in_at_it_plays_without_a_password_more(town: Town, autojump_clock: MockClock) -> None:
    visitor = Visitor(page(town))
    answer = await visitor.post("/account", {"account": "konto", "password": PASSWORD})
    assert answer.status == 201
    async with visitor.connect("/play") as socket:
        await socket.until("characters")
        (session,) = (one for one in town.app.loop.sessions.values() if one.family.name == "web")
        assert session.account is not None
        assert session.account.name == "konto"
    # Another one, who was banned by some world meanwhile, has to show what it knows.
    row = await town.app.accounts.find("konto")
    assert row is not None
    await town.app.accounts.staff.ban(row, 1e12, "rude")
    async with visitor.connect("/play") as socket:
        await trio.sleep(1)
        (session,) = (one for one in town.app.loop.sessions.values() if one.family.name == "web")
        assert session.account is None


async def test_a_browser_with_another_s_password_is_out_the_moment_it_is_changed_anywhere(
    town: Town, autojump_clock: MockClock
) -> None:
    """Before its page has looked what became of its logins: it does not play nor change the password."""
    visitor = Visitor(page(town))
    await visitor.post("/account", {"account": "konto", "password": PASSWORD})
    row = await town.app.accounts.find("konto")
    assert row is not None
    town.database.set_password(row.id, "another hash")
    assert (await visitor.put("/account", {"password": "another1"})).status == 401
    async with visitor.connect("/play") as socket:
        await trio.sleep(1)
        (session,) = (one for one in town.app.loop.sessions.values() if one.family.name == "web")
        assert session.account is None
        assert socket is not None


async def test_a_browser_s_login_that_is_on_its_way_does_not_outlive_its_password(
    town: Town, autojump_clock: MockClock
) -> None:
    edge, row = town.edge, await town.app.accounts.staff.create("konto", PASSWORD)
    assert edge is not None
    await trio.sleep(1)  # until it reaches its world
    session = page(town).site.stand_in(Caller("127.0.0.1", "127.0.0.1:80", remote=False))
    for mark, known in ((mark_of(row.password), True), (mark_of("another"), False)):
        session.account = AccountInfo(row.id, row.name, mark=mark)
        key = edge.tickets.issue(session, "", {}, name="", size=32)
        await edge.vouch(session, key)
        await trio.sleep(0.1)
        ticket = town.app.tickets.peek(key, session.family.name)
        assert (ticket is not None) == known
        assert ticket is None or ticket.account.mark == mark


async def test_who_logs_in_at_the_page_of_one_edge_plays_at_that_of_another(
    town: Town, autojump_clock: MockClock
) -> None:
    """Both have the same database; logging out at either is the end of it."""
    here, there = Visitor(page(town)), Visitor(page(town))
    assert (await here.post("/account", {"account": "konto", "password": PASSWORD})).status == 201
    there.cookies.update(here.cookies)
    assert (await there.get("/session")).json()["account"] == "konto"
    async with there.connect("/play") as socket:
        await socket.until("characters")
        (session,) = (one for one in town.app.loop.sessions.values() if one.family.name == "web")
        assert session.account is not None
        assert session.account.name == "konto"
    cookies = dict(there.cookies)
    assert (await there.delete("/session")).status == 200
    third = Visitor(page(town))
    third.cookies.update(cookies)
    assert (await third.get("/session")).json()["account"] is None


async def test_it_has_the_numbers_of_the_edge(town: Town, autojump_clock: MockClock) -> None:
    assert town.edge is not None
    await UoPlayer(town).enters("konto", "Anna")
    await EoPlayer(town).enters("kasse", "Bert")
    await trio.sleep(1)
    found = samples((await Scrape(town.edge).answer(""))[0])
    here = samples((await Scrape(town.app).answer(""))[0])
    for name in (
        'causeway_online{game="uo"}',
        'causeway_online{game="eo"}',
        'causeway_online{game="l2"}',
        'causeway_connections{game="uo",state="in_world"}',
        *(name for name in found if name.startswith("causeway_packets_in_total")),
    ):
        assert found[name] == here[name], name
    assert sum(n for name, n in found.items() if name.startswith("causeway_packets_in_total")) > 5
    assert found['causeway_edge_world_clients{world="1"}'] == 2
    assert found['causeway_edge_world_up{world="1"}'] == 1
    # The socket is here: bytes as they were received, before they were deciphered.
    assert found['causeway_received_bytes_total{game="uo"}'] > 100
    assert found["causeway_closed"] == 0
    shared = {name.partition("{")[0] for name in found} - {*ONLY}
    assert shared <= {name.partition("{")[0] for name in here}
    assert not [
        name for name in found if name.startswith(("causeway_turn", "causeway_commit", "causeway_bus"))
    ]


async def test_another_password_at_its_page_ends_who_plays_with_the_old_one(
    town: Town, autojump_clock: MockClock
) -> None:
    player = UoPlayer(town)
    await player.enters("konto", "Anna")
    visitor = Visitor(page(town))
    await visitor.post("/session", {"account": "konto", "password": PASSWORD})
    answer = await visitor.put("/account", {"password": "another1", "old": PASSWORD})
    assert answer.status == 200
    await trio.sleep(1)
    assert not town.app.loop.sessions
    assert player.hung_up


def samples(text: bytes) -> dict[str, float]:
    """The samples of a scrape."""
    lines = (line.rpartition(" ") for line in text.decode().splitlines() if not line.startswith("#"))
    return {name: float(number) for name, _, number in lines}
