"""A world that was taken over: whoever had it before writes nothing more, whatever was under way (R-39).

On PostgreSQL, where a lock ends with its connection. Skipped where that or psycopg is not installed; CI has
both.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from inspect import getmembers, isfunction
from typing import TYPE_CHECKING, Final

import pytest
from sqlalchemy.exc import DBAPIError

from server.exits import GOOD, HELD
from server.store.check import check_database
from server.store.database import Database
from server.store.errors import DatabaseHeld, WorldLost
from server.store.fence import Fence
from server.store.lock import WorldLock
from server.store.migrate import upgrade
from server.store.records import AccountRow, AuditRow, Batch, Wish
from tests.kit import postgres, stored
from tests.kit.cable import Cable
from tests.kit.process import EoSocket, ServerProcess
from tests.kit.succession import HABITS, Committed, Succession, stale
from world.letter import Letter
from world.serials import BLOCK, FIRST_ITEM
from world.snapshot import CharacterRow, ItemRow, record_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [
    pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY),
    pytest.mark.timeout(180),
]

SOAK_SECONDS: Final = 60.0
SOAK_COMMITS: Final = 3000


def lying(x: int) -> ItemRow:
    return ItemRow(FIRST_ITEM, "dagger", None, 0, 0, 0, "field", x, 2, 0, 1, 0, "")


def a_batch(tick: int, *items: ItemRow) -> Batch:
    noted = [AuditRow(1.0, tick, "test", "note", str(tick))]
    return Batch(tick, float(tick), (), items, (), (100, BLOCK), noted)


# At the store


class Pair:
    """A world's server that was cut off, and the one that has the world now."""

    def __init__(self, cluster: postgres.Cluster, url: str, folder: Path) -> None:
        self._cluster = cluster
        self._name = url.rpartition("/")[2]
        upgrade(url, folder)
        self.first_lock, self.first = WorldLock(url), Database(url)
        self.account = self.first.create_account("somebody", "hash", 1.0)
        self.first.commit_batch(a_batch(1, lying(1)))
        self.cut()
        self.second_lock, self.second = WorldLock(url), Database(url)
        self.second.commit_batch(a_batch(2, lying(2)))

    def cut(self) -> None:
        """The connections of all who are there end."""
        others = f"datname = '{self._name}' AND pid <> pg_backend_pid()"
        ending = f"SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE {others}"
        self._cluster.say(self._name, ending)

    def second_stops(self) -> None:
        """In good order. Every lock is free then."""
        self.second.mark_clean()
        self.second.close()
        self.second_lock.release()

    def state(self) -> list[str]:
        """All that the first one could have changed, but for what says that somebody lives."""
        tables = ("meta", "item", "account", "character", "character_notes", "audit", "admin_order")
        rows = [self._cluster.say(self._name, f"SELECT * FROM {table}") for table in tables]
        return [*rows, self._cluster.say(self._name, "SELECT epoch FROM world")]

    def close(self) -> None:
        for database in (self.first, self.second):
            database.close()
        for lock in (self.first_lock, self.second_lock):
            lock.release()


@pytest.fixture
def pair(cluster: postgres.Cluster, url: str, tmp_path: Path) -> Iterator[Pair]:
    made = Pair(cluster, url, tmp_path)
    yield made
    made.close()


def refused(call: Callable[[], object]) -> None:
    """It is tried again as long as the connection is what fails."""
    for _ in range(10):
        try:
            call()
        except WorldLost:
            return
        except DBAPIError:
            continue
        raise AssertionError("it was accepted")
    raise AssertionError("it never came back")


@pytest.mark.parametrize("gone", [False, True])
def test_r39_what_a_server_kept_while_it_was_cut_off_is_refused(pair: Pair, *, gone: bool) -> None:
    """Whether the one that took over is there, or has moved an item and stopped: every lock is free then."""
    if gone:
        pair.second_stops()
    state = pair.state()
    refused(lambda: pair.first.commit_batch(a_batch(3, lying(3))))
    assert pair.state() == state
    # Nothing is tried again, and nothing reaches the database any more.
    pair.cut()
    refused(lambda: pair.first.commit_batch(a_batch(3, lying(3))))
    assert pair.state() == state


def newcomer() -> tuple[CharacterRow, list[ItemRow]]:
    return stored.rows_of(stored.new_character(stored.new_world(), "Alric", 1))


LETTER: Final = record_row(Letter())

WRITES: Final[dict[str, Callable[[Database], object]]] = {
    # Of the world.
    "commit_batch": lambda database: database.commit_batch(a_batch(3, lying(3))),
    "reserve_serials": lambda database: database.reserve_serials(),
    "mark_clean": lambda database: database.mark_clean(),
    "beat": lambda database: database.beat(),
    "announce": lambda database: database.announce("127.0.0.1:7700"),
    "keep_kind_numbers": lambda database: database.keep_kind_numbers({"eo": {"npcs": {"crier": 2}}}),
    # Of who has what. These are comparisons with what is there as well, behind the fence like all others.
    "claim_realms": lambda database: database.claim_realms(["field"], ["field"]),
    "give_realm": lambda database: database.give_realm("field", 2),
    "inherit": lambda database: database.inherit(["field"]),
    "raise_session": lambda database: database.raise_session(1),
    "claim_all": lambda database: database.claim_all([Wish(1, anywhere=True)]),
    "accept": lambda database: database.accept("a transfer"),
    "take_back": lambda database: database.take_back("a transfer"),
    "release": lambda database: database.release(1),
    "forget_parcels": lambda database: database.forget_parcels(),
    "settle_letter": lambda database: database.settle_letter(LETTER, lambda letter, exists: exists),
    # Of logins on their way, and at the page. Guests write these as well, who have no world and no fence.
    "put_token": lambda database: database.put_token("token", 1, "uo", {}, "192.0.2.1", 30.0),
    "redeem_token": lambda database: database.redeem_token("token", "uo"),
    "revoke_tokens": lambda database: database.revoke_tokens([1]),
    "put_page_login": lambda database: database.put_page_login("token", 1, "mark", 9.0, 1.0, 3),
    "keep_page_logins": lambda database: database.keep_page_logins({"token": 9.0}),
    "end_page_login": lambda database: database.end_page_login("token"),
    # Of accounts and characters.
    "create_account": lambda database: database.create_account("newcomer", "hash", 1.0),
    "delete_account": lambda database: database.delete_account(1),
    "set_password": lambda database: database.set_password(1, "other"),
    "replace_password": lambda database: database.replace_password(1, "hash", "other"),
    "set_access": lambda database: database.set_access(1, 2),
    "ban": lambda database: database.ban(1, None, "rude"),
    "note_login": lambda database: database.note_login(1, 5.0, "192.0.2.1"),
    "create_character": lambda database: database.create_character(*newcomer(), 3),
    "delete_character": lambda database: database.delete_character(1, 1),
    "schedule_deletion": lambda database: database.schedule_deletion(1, 1, 9.0),
    "restore_character": lambda database: database.restore_character(1, 1, 1.0),
    "delete_expired": lambda database: database.delete_expired(9.0),
    # Of staff and the operator.
    "append_audit": lambda database: database.append_audit([AuditRow(1.0, 1, "test", "note", "")]),
    "give_order": lambda database: database.give_order("save", 1.0),
    "begin_order": lambda database: database.begin_order(1, 2.0, "begun"),
    "readdress_order": lambda database: database.readdress_order(1, "@2 save"),
    "finish_order": lambda database: database.finish_order(1, 2.0, "done"),
}
"""All that writes. None does without the fence: what is a comparison of its own as well (claims, transfers,
tokens) is made in a transaction that begins with it."""


def test_r39_whatever_writes_finds_out_first(url: str, tmp_path: Path) -> None:
    """With its connection whole, as it is after a stop of the process."""
    upgrade(url, tmp_path)
    with closing(Database(url, guest=True)) as older:
        older.fence.epoch = 1  # what it would have had
        with closing(Database(url)) as newer:
            assert newer.epoch == 1
            assert isinstance(older.create_account("somebody", "hash", 1.0), AccountRow)
        with closing(Database(url)) as newest:
            assert newest.epoch == 2
        assert [name for name, write in WRITES.items() if not _finds_out(older, write)] == []


def _finds_out(older: Database, write: Callable[[Database], object]) -> bool:
    """By the database: what it remembers of its last try is not asked."""
    older.fence = Fence()
    older.fence.epoch = 1
    try:
        write(older)
    except WorldLost:
        return True
    return False


def test_r39_all_that_writes_is_among_them() -> None:
    methods = {name: method.__code__.co_names for name, method in getmembers(Database, isfunction)}
    writing = {"write"}
    while more := {name for name, called in methods.items() if writing.intersection(called)} - writing:
        writing |= more
    assert {name for name in writing - {"write"} if not name.startswith("_")} == WRITES.keys()


def test_r39_who_was_cut_off_and_not_succeeded_goes_on(pair: Pair) -> None:
    pair.cut()
    with pytest.raises(DBAPIError):
        pair.second.commit_batch(a_batch(3, lying(3)))
    pair.second.commit_batch(a_batch(4, lying(4)))
    pair.second.beat()
    assert pair.second.ground_items() == [lying(4)]


def test_r39_a_login_server_goes_on_beside_whoever_has_the_world(pair: Pair, url: str) -> None:
    with closing(Database(url, guest=True)) as guest:
        assert guest.epoch is None
        pair.second_stops()
        with closing(Database(url)) as third:
            assert isinstance(guest.create_account("newcomer", "hash", 1.0), AccountRow)
            third.commit_batch(a_batch(3, lying(3)))


def test_r39_a_world_is_not_taken_over_in_the_midst_of_a_commit(
    cluster: postgres.Cluster, pair: Pair, url: str
) -> None:
    """Its row is locked from the first statement on: what was begun is there before the next one reads."""
    name, taking = url.rpartition("/")[2], "SET lock_timeout = '50ms'; UPDATE world SET epoch = epoch + 1"
    with pair.second.write(), pytest.raises(AssertionError, match="lock timeout"):
        cluster.say(name, taking)


# Processes


def test_r39_no_owner_writes_after_its_successor(cluster: postgres.Cluster, url: str, tmp_path: Path) -> None:
    """Every habit once, each stop one to three seconds long."""
    succession = Succession(cluster, url, tmp_path, seed=1)
    try:
        reign = succession.starts(succession.heir())
        succession.reigns_now(reign)
        for habit in succession.dice.sample(HABITS, len(HABITS)):
            reign = habit(succession, reign, succession.dice.uniform(1.0, 3.0))
        reign.child.terminate()
        assert reign.code() == GOOD, succession.output()
        _nothing_is_stale(succession, url, commits=50)
    finally:
        succession.close()


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
def test_r39_no_owner_writes_after_its_successor_for_long(
    cluster: postgres.Cluster, url: str, tmp_path: Path, seed: int
) -> None:
    succession = Succession(cluster, url, tmp_path, seed)
    try:
        reign = succession.starts(succession.heir())
        end = time.monotonic() + SOAK_SECONDS
        while time.monotonic() < end:
            succession.reigns_now(reign, succession.dice.randrange(50, 2000))
            reign = succession.dice.choice(HABITS)(succession, reign, succession.dice.uniform(0.0, 3.0))
        reign.child.terminate()
        assert reign.code() == GOOD, succession.output()
        _nothing_is_stale(succession, url, commits=SOAK_COMMITS)
    finally:
        succession.close()


def _nothing_is_stale(succession: Succession, url: str, *, commits: int) -> None:
    committed = succession.committed()
    assert len(committed) >= commits
    assert len({entry.who for entry in committed}) >= 3
    assert stale(committed) == []
    assert "Traceback" not in succession.output()
    with closing(Database(url)) as database:
        assert check_database(database) == []
        assert database.meta().clean


def test_stale_is_what_comes_after_the_word_of_a_later_owner() -> None:
    order = [Committed(who, "item") for who in (0, 0, 1, 0, 1, 3, 1, 3)]
    assert stale(order) == [order[3], order[6]]
    assert stale(order[:3]) == []


@pytest.mark.parametrize("idle", [True, False])
def test_r39_a_server_whose_world_was_taken_over_ends_with_4(
    cluster: postgres.Cluster, url: str, tmp_path: Path, *, idle: bool
) -> None:
    """Also one in which nothing happens: it looks every second. Whoever took over has gone already."""
    cable = Cable(("127.0.0.1", cluster.port))
    name, through = url.rpartition("/")[2], url.replace(f":{cluster.port}/", f":{cable.port}/")
    cut_off = ServerProcess(tmp_path, f'[database]\nurl = "{through}"\n[storage]\nflush_seconds = 0.1\n')
    try:
        cut_off.start()
        if not idle:
            player = EoSocket(cut_off.address("eo"))
            player.enters("anna", "Anna")
        cable.cut()
        if not idle:
            player.close()
        with ExitStack() as reign:
            reign.callback(WorldLock(url).release)
            heir = reign.enter_context(closing(Database(url)))
            assert cluster.say(name, "SELECT epoch FROM world") == "2"
            assert cut_off.process is not None
            assert cut_off.process.poll() is None
            heir.mark_clean()
        rows = [cluster.say(name, f"SELECT * FROM {table}") for table in ("meta", "item", "character")]
        cable.mend()
        assert cut_off.process.wait(30) == HELD, cut_off.output()
        assert "another server has taken this world over" in cut_off.output()
        assert "Traceback" not in cut_off.output()
        assert rows == [
            cluster.say(name, f"SELECT * FROM {table}") for table in ("meta", "item", "character")
        ]
        assert not list(cut_off.state.glob("crashes/*"))
    finally:
        cut_off.close()
        cable.close()


def test_r39_a_second_server_is_refused_while_the_first_is_there(url: str, tmp_path: Path) -> None:
    upgrade(url, tmp_path)
    with closing(Database(url)) as database:
        with pytest.raises(DatabaseHeld):
            Database(url)
        database.beat()
