"""Commands and orders of a cluster: given to any process, carried out by the world that has who is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from protocol.endings import Ending
from server.operate import switchboard
from server.operate.orders import BEGUN, addressed
from server.operate.switchboard import Switchboard
from server.store.database import Database
from tests.kit import postgres
from tests.kit.office import CONFIG, Office
from tests.kit.realms import Worlds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trio.testing import MockClock

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]


@attrs.frozen
class Cluster:
    """Two worlds of one database, each with a realm, and an edge beside them."""

    worlds: Worlds
    one: Office
    two: Office
    edge: Switchboard

    def orders(self) -> list[tuple[str, str]]:
        """All orders so far, each with what came of it."""
        rows = self.worlds.say("SELECT command || '~' || coalesce(result, '') FROM admin_order ORDER BY id")
        return [(row.partition("~")[0], row.partition("~")[2]) for row in rows.splitlines()]


@pytest.fixture
def databases(cluster: postgres.Cluster, url: str, tmp_path: Path) -> Iterator[Worlds]:
    made = Worlds(cluster, url, tmp_path)
    for database, realm in zip(made.databases, ("plain", "cave"), strict=True):
        database.claim_realms(["plain", "cave"], [realm])
        database.beat()
    yield made
    made.close()


@pytest.fixture
async def both(
    databases: Worlds, url: str, tmp_path: Path, nursery: trio.Nursery, autojump_clock: MockClock
) -> Cluster:
    offices = []
    for number, database in enumerate(databases.databases, 1):
        config = tmp_path / f"world{number}.toml"
        config.write_text(f'[database]\nurl = "{url}"\n[world]\nid = {number}\n{CONFIG}')
        office = Office(database=database, config_path=config, state_dir=tmp_path / str(number))
        offices.append(await office.open(nursery, orders=True))
    one, two = offices
    edge = Switchboard(
        two.commands, two.storage, world=None, shared=True, wall=two.wall_time, start=two.start
    )
    return Cluster(databases, one, two, edge)


async def test_a_command_reaches_the_world_that_has_who_is_named(
    both: Cluster, autojump_clock: MockClock
) -> None:
    anna, _ = await both.one.player("Anna")
    bert, _ = await both.one.player("Bert")
    answer = await both.two.carrier.run("admin channel", "info ANNA")
    assert json.loads(answer.lines[0])["name"] == "Anna"
    answer = await both.edge.run("admin channel", "kick", {"character": "Anna", "reason": "late"})
    assert answer.lines == ["Anna was disconnected"]
    assert anna.ending is Ending.KICKED
    # An account is banned where its characters are, so that they are gone.
    answer = await both.two.carrier.run("admin channel", "account ban bertacct 3d rude")
    assert answer.ok
    assert bert.ending is Ending.BANNED
    assert [text[:3] for text, _ in both.orders()] == ["@1 ", "@1 ", "@1 "]
    assert both.two.audited == []


async def test_what_is_about_nobody_elsewhere_is_done_here(both: Cluster, autojump_clock: MockClock) -> None:
    answer = await both.two.carrier.run("admin channel", "kick Nobody")
    assert answer.lines == ["Nobody is not online"]
    assert (await both.two.carrier.run("admin channel", "broadcast tea")).ok
    assert both.orders() == []
    status = (await both.two.carrier.run("admin channel", "status")).lines
    assert status[-2:] == ["world 1: plain, 0 characters", "world 2, this one: cave, 0 characters"]
    # The realm of another world is there.
    assert (await both.two.carrier.run("admin channel", "weather plain rain")).ok
    assert [text for text, _ in both.orders()] == ["@1 weather plain rain"]


async def test_an_edge_has_the_first_world_do_what_is_no_business_of_its_own(
    both: Cluster, autojump_clock: MockClock
) -> None:
    assert (await both.edge.run("admin channel", "broadcast tea")).lines == ["everybody was told"]
    assert both.one.audited[-1][:2] == ("admin order", "broadcast")
    assert "there is no such command" in (await both.edge.run("admin channel", "frobnicate")).lines[0]
    assert not (await both.edge.run("admin channel", "account passwd nobody secret1")).ok
    assert not (await both.edge.run("admin channel", "drain 2")).ok
    assert len(both.orders()) == 1


async def test_an_order_for_nobody_is_carried_out_once_and_by_whom_it_concerns(
    both: Cluster, autojump_clock: MockClock
) -> None:
    client, _ = await both.one.player("Anna")
    for text in (
        "broadcast tea",
        addressed(2, "broadcast", {"text": "milk"}),
        addressed(2, "msg Anna hello", None),
        addressed(3, "broadcast nobody", None),
        "frobnicate",
    ):
        both.one.database.give_order(text, both.one.wall_time())
    await trio.sleep(2)
    results = [result and json.loads(result)["lines"][0] for _, result in both.orders()]
    told, there_is_none = "everybody was told", "there is no such command; `help` lists those you may give"
    assert results == [told, told, "Anna was told", "", there_is_none]
    assert [what for _, what, _ in both.one.audited] == ["broadcast", "msg"]
    assert [what for _, what, _ in both.two.audited] == ["broadcast"]
    assert client.heard.count(b"hello") == client.heard.count(b"tea") == 1


async def test_a_world_that_takes_nothing_is_not_waited_for(
    both: Cluster, monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    """The order is withdrawn, unless it was begun."""
    monkeypatch.setattr(Database, "keeper_of_character", lambda self, word: 3)
    began = trio.current_time()
    answer = await both.two.carrier.run("admin channel", "kick Anna")
    assert answer.lines == ["world 3 did not take it in time: nothing was done"]
    assert not answer.ok
    assert trio.current_time() - began == switchboard.PATIENCE_SECONDS
    assert [text for text, result in both.orders() if not result] == []

    async def begins() -> None:
        await trio.sleep(1)
        number = int(both.worlds.say("SELECT max(id) FROM admin_order"))
        assert both.one.database.begin_order(number, 1.0, BEGUN)
        assert not both.one.database.begin_order(number, 1.0, BEGUN)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(begins)
        answer = await both.two.carrier.run("admin channel", "kick Anna")
    assert answer.ok
    assert "world 3 is at it" in answer.lines[0]
