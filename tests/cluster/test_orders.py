"""Commands and orders of a cluster: given to any process, carried out by the world that has who is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from protocol.endings import Ending
from server.commands.machinery import Answer, Staff
from server.operate import switchboard
from server.operate.orders import BEGUN, addressed
from server.operate.switchboard import Switchboard
from server.store.database import Database
from tests.kit import postgres
from tests.kit.office import CONFIG, Office
from tests.kit.realms import Worlds
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trio.testing import MockClock

    from tests.kit.office import Client
    from world.mobile import Mobile

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
    assert (await both.two.carrier.run("admin channel", "census")).ok
    assert both.orders() == []
    status = (await both.two.carrier.run("admin channel", "status")).lines
    assert status[-2:] == ["world 1: plain, 0 characters", "world 2, this one: cave, 0 characters"]
    # The realm of another world is there.
    assert (await both.two.carrier.run("admin channel", "weather plain rain")).ok
    assert [text for text, _ in both.orders()] == ["@1 weather plain rain"]


async def test_an_edge_has_the_first_world_do_what_is_no_business_of_its_own(
    both: Cluster, autojump_clock: MockClock
) -> None:
    assert "kinds" in (await both.edge.run("admin channel", "census")).lines[1]
    assert [text for text, _ in both.orders()] == ["@1 census"]
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


async def test_an_announcement_is_made_in_every_world(both: Cluster, autojump_clock: MockClock) -> None:
    here, _ = await both.one.player("Anna")
    there, _ = await both.two.player("Bert")
    for carrier, words in ((both.two.carrier, "tea"), (both.edge, "milk")):
        answer = await carrier.run("admin channel", f"broadcast {words}")
        assert answer == Answer(True, ["everybody was told"])
        assert here.heard.count(words.encode()) == there.heard.count(words.encode()) == 1
    staff, _ = await both.two.player("Carl", Access.GAME_MASTER)
    assert "everybody was told" in await types(both.two, staff, "broadcast coffee")
    assert here.heard.count(b"coffee") == there.heard.count(b"coffee") == 1
    assert [who for who, _, _ in both.one.audited] == ["admin order"] * 2 + ["carlacct (Carl)"]


# What staff types in the game


def introduce(both: Cluster) -> None:
    """Worlds learn within two seconds who was made in others; these were made before all time."""
    for office in (both.one, both.two):
        office.world.directory.note(*office.database.known())


async def types(office: Office, client: Client, line: str) -> str:
    """A player types a command; what it has been told two seconds later."""
    told = await office.order(client, line)
    before = len(client.heard)
    await trio.sleep(2)
    return told + client.heard[before:].decode("utf-8", "replace")


async def test_what_staff_types_reaches_who_is_in_another_world(
    both: Cluster, autojump_clock: MockClock
) -> None:
    anna, mobile = await both.one.player("Anna")
    staff, _ = await both.two.player("Carl", Access.GAME_MASTER)
    introduce(both)
    mobile.hits = 1
    assert "Anna had 1 hits" in await types(both.two, staff, "heal Anna")
    assert mobile.hits > 1
    assert '"name": "Anna"' in await types(both.two, staff, "info anna")
    assert f"Anna is in plain {mobile.x} {mobile.y}" in await types(both.two, staff, "where Anna")
    assert "Anna was told" in await types(both.two, staff, "msg Anna hello")
    assert b"Carl: hello" in anna.heard
    assert "is in jail" not in await types(both.two, staff, "jail Nobody 5m")
    assert "Anna is silenced until" in await types(both.two, staff, "mute Anna 5m spam")
    assert mobile.account in both.one.world.gags
    assert mobile.account in both.two.world.gags, "it holds wherever Anna goes"
    _, dora = await both.two.player("Dora")
    introduce(both)
    assert "Dora is silenced until" in await types(both.two, staff, "mute Dora 5m spam")
    assert dora.account in both.one.world.gags, "also of somebody whom another world has"
    assert "Dora was silenced" in await types(both.two, staff, "unmute Dora")
    assert "Anna was silenced, may speak" in await types(both.two, staff, "unmute Anna")
    assert both.one.world.gags == both.two.world.gags == {}
    assert "account annaacct is banned" in await types(both.two, staff, "ban Anna 3d rude")
    assert anna.ending is Ending.BANNED
    assert "was banned until" in await types(both.two, staff, "unban annaacct")
    # It is written down where it was done, with who did it.
    sentences = ["mute", "mute", "unmute", "unmute"]
    assert [(who, what) for who, what, _ in both.one.audited] == [
        ("carlacct (Carl)", what) for what in ("heal", "msg", *sentences, "ban")
    ]
    assert [what for _, what, _ in both.two.audited] == [*sentences, "unban"]


async def test_a_sentence_says_who_has_not_heard_of_it(both: Cluster, autojump_clock: MockClock) -> None:
    staff, _ = await both.two.player("Carl", Access.GAME_MASTER)
    _, dora = await both.two.player("Dora")
    introduce(both)
    assert "Dora is silenced until" in await types(both.two, staff, "mute Dora 5m spam")
    both.worlds.say("UPDATE world SET beat = now() - interval '1 minute' WHERE id = 1")
    told = await types(both.two, staff, "unmute Dora")
    assert "Dora was silenced" in told
    assert "world 1, which keeps sentences, is not alive: nothing of this lasts there" in told
    assert dora.account not in both.two.world.gags


async def test_levels_hold_in_the_other_world_as_the_database_has_them(
    both: Cluster, autojump_clock: MockClock
) -> None:
    anna, _ = await both.one.player("Anna", Access.GAME_MASTER)
    bert, mobile = await both.one.player("Bert")
    staff, carl = await both.two.player("Carl", Access.GAME_MASTER)
    player, _ = await both.two.player("Dora")
    introduce(both)
    assert "Anna is not below you" in await types(both.two, staff, "kick Anna")
    assert "Anna is not below you" in await types(both.two, staff, "mute Anna 5m")
    assert "there is no such command" in await types(both.two, player, "kick Bert")
    # Its client may think what it likes.
    both.two.database.set_access(carl.account, Access.COUNSELOR)
    assert "there is no such command" in await types(both.two, staff, "kick Bert")
    both.two.database.set_access(carl.account, Access.GAME_MASTER)
    both.two.database.ban(carl.account, float("inf"), "")
    given = await both.edge.give(1, "kick", {"character": "Bert"}, Staff(carl.account, "Carl"))
    assert given.lines == ["you are of no staff any more"]
    # One that is readdressed stays what it was: nobody gets the rights of the table by that.
    text = addressed(2, "kick", {"character": "Bert"}, Staff(mobile.account, "Bert"))
    both.two.database.give_order(text, both.two.wall_time())
    await trio.sleep(2)
    assert both.orders()[-1][0].startswith("@1 ")
    assert "there is no such command" in both.orders()[-1][1]
    assert anna.ending is bert.ending is None
    assert both.one.audited == both.two.audited == []


async def test_staff_goes_to_somebody_in_another_world_and_brings_somebody_here(
    both: Cluster, autojump_clock: MockClock
) -> None:
    """By the way that a warp takes; where there is none it reads where that is."""
    _, anna = await both.one.player("Anna", x=12, y=11)
    staff, carl = await both.two.player("Carl", Access.GAME_MASTER, x=9, y=8)
    assert "Anna is in plain 12 11, in another world" in await types(both.two, staff, "goto Anna")
    assert "Anna stays in plain 12 11" in await types(both.two, staff, "bring Anna")
    went = []

    def cross(mobile: Mobile, realm: str, x: int, y: int) -> bool:
        went.append((mobile, realm, x, y))
        return True

    both.one.world.cross = both.two.world.cross = cross
    told = await types(both.two, staff, "goto Anna")
    assert "you were in cave 9 8, are taken to Anna in plain 12 11" in told
    assert "Anna was in plain 12 11, is taken to cave 9 8" in await types(both.two, staff, "bring Anna")
    assert went == [(carl, "plain", 12, 11), (anna, "cave", 9, 8)]
    assert [(who, what) for who, what, _ in both.two.audited] == [("carlacct (Carl)", "goto")]
    assert [(who, what) for who, what, _ in both.one.audited] == [("carlacct (Carl)", "send")]


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
