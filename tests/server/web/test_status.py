"""`/status.json` and `/health`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from server.settings.config import parse
from server.version import version
from server.web.status import TURN_SECONDS
from tests.kit.players import PASSWORD, EoPlayer, UoPlayer
from tests.kit.town import CONFIG, Town
from tests.kit.visitor import Visitor, front_of
from world.mobile import Access

if TYPE_CHECKING:
    from trio.testing import MockClock


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    running = Town(nursery)
    await running.open()
    return running


async def settled(visitor: Visitor) -> dict[str, object]:
    """The status when the last one is forgotten."""
    await trio.sleep(1.1)
    answer = await visitor.get("/status.json")
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in answer.headers
    return answer.json()


async def test_everybody_may_know_how_many_play_what(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = UoPlayer(town), EoPlayer(town)
    await anna.enters("konto", "Anna")
    await bert.enters("kasse", "Bert")
    visitor = Visitor(front_of(town), peer="203.0.113.1", page=None)
    status = await settled(visitor)
    uptime, turns = status.pop("uptime_seconds"), status.pop("turns_per_second")
    assert uptime == int(trio.current_time() - town.app.began)
    assert isinstance(turns, float)
    assert 0 < turns < 50
    here = {"confluence": 0, "undercroft": 0}
    for mobile in town.app.world.mobiles.values():
        if not mobile.is_character and mobile.realm is not None:
            here[mobile.realm.name] += 1
    assert status == {
        "name": "Causeway",
        "version": version(),
        "online": {game: int(game in ("uo", "eo")) for game in town.families},
        "players": ["Anna", "Bert"],
        "characters": 2,
        "realms": {
            "confluence": {"title": "Confluence", "characters": 2, "residents": here["confluence"]},
            "undercroft": {"title": "Undercroft", "characters": 0, "residents": here["undercroft"]},
        },
        "map": True,
        "open": True,
    }
    told = (await visitor.get("/status.json")).text
    for secret in ("konto", "kasse", "127.0.0.1", PASSWORD):
        assert secret not in told


async def test_who_asks_while_the_first_one_waits_is_told_as_much(
    town: Town, autojump_clock: MockClock
) -> None:
    visitor = Visitor(front_of(town), peer="203.0.113.1", page=None)
    told: list[object] = []

    async def ask() -> None:
        told.append((await visitor.get("/status.json")).json().get("name"))

    async with trio.open_nursery() as asking:
        for _ in range(3):
            asking.start_soon(ask)
    assert told == ["Causeway"] * 3


async def test_who_hides_is_not_told_of(town: Town, autojump_clock: MockClock) -> None:
    for account, name in (("konto1", "Anna"), ("konto2", "Bert"), ("konto3", "Cora")):
        await UoPlayer(town).enters(account, name)
    visitor = Visitor(front_of(town))
    assert (await settled(visitor))["players"] == ["Anna", "Bert", "Cora"]
    town.mobile("Anna").hidden = True  # as a spell would
    staff = town.mobile("Bert")
    staff.hidden, staff.access = True, Access.GAME_MASTER
    town.app.privacy.put(town.mobile("Cora"), on_map=False)
    status = await settled(visitor)
    assert status["players"] == []
    assert status["online"] == {game: 2 * (game == "uo") for game in town.families}, "staff is not there"


async def test_without_a_map_nobody_is_named(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    town = Town(nursery, parse(CONFIG.replace("[listen.web]", "[listen.web]\nmap = false")))
    await town.open()
    await UoPlayer(town).enters("konto", "Anna")
    status = await settled(Visitor(front_of(town)))
    assert (status["map"], status["players"]) == (False, [])
    assert status["online"] == {game: int(game == "uo") for game in town.families}


async def test_a_status_costs_the_same_however_many_ask(town: Town, autojump_clock: MockClock) -> None:
    visitor = Visitor(front_of(town))
    first = await settled(visitor)
    await UoPlayer(town).enters("konto", "Anna")
    await settled(visitor)
    town.mobile("Anna").hidden = True
    again = (await visitor.get("/status.json")).json()
    assert again["players"] == ["Anna"], "a second ago"
    assert (await settled(visitor))["players"] == first["players"] == []


async def test_a_server_that_works_is_healthy(town: Town, autojump_clock: MockClock) -> None:
    visitor = Visitor(front_of(town), peer="203.0.113.1", page=None)
    await trio.sleep(120)
    turns = town.app.loop.stats.turns
    for _ in range(50):
        answer = await visitor.get("/health")
        assert (answer.status, answer.text) == (200, "ok\n")
    assert answer.headers["cache-control"] == "no-store"
    assert 1 <= town.app.loop.stats.turns - turns <= 3, "one turn proves it for a second"
    assert (await visitor.head("/health")).status == 200


async def test_a_disk_that_is_far_behind_is_no_health(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = Visitor(front_of(town))

    def full(*_: object) -> None:
        raise OSError("No space left on /secret/path")

    monkeypatch.setattr(town.database, "commit_batch", full)
    await UoPlayer(town).enters("konto", "Anna")
    await trio.sleep(5)
    assert (await visitor.get("/health")).status == 200, "it plays on"
    town.change("storage", max_lag_seconds=1.0, max_pending_rows=100_000)
    answer = await visitor.get("/health")
    assert answer.status == 503
    assert answer.text.startswith("the disk is behind: ")
    assert "secret" not in answer.text
    monkeypatch.undo()


async def test_a_world_that_stands_still_is_no_health(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = Visitor(front_of(town))
    stuck = trio.Event()

    async def never(_session: object, _call: object, *, join: bool = False) -> None:
        await stuck.wait()

    monkeypatch.setattr(town.app.loop, "in_world", never)
    began = trio.current_time()
    answer = await visitor.get("/health")
    assert (answer.status, trio.current_time() - began) == (503, TURN_SECONDS)
    assert answer.text == "the world has taken no turn for 5 s although one was wanted\n"
    monkeypatch.undo()
    assert (await visitor.get("/health")).status == 200


async def test_a_server_that_stops_says_so(town: Town, autojump_clock: MockClock) -> None:
    visitor = Visitor(front_of(town))
    town.app.stop(0)
    answer = await visitor.get("/health")
    assert (answer.status, answer.text) == (503, "the server is shutting down\n")
