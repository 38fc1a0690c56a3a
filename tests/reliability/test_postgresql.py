"""The store on PostgreSQL: the same promises as on SQLite, and R-30: the database server goes away while
people play.

Skipped where PostgreSQL or psycopg is not installed; CI has both.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
import trio
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import DBAPIError

from server.operate.admin import ask
from server.store.check import check_database, repair_database
from server.store.database import Database
from server.store.engine import writing_engine
from server.store.errors import DatabaseHeld
from server.store.lock import WorldLock
from server.store.migrate import revisions, upgrade
from server.store.records import AccountRow, AuditRow, Batch, ExpiredCharacter, NoteRow, Refusal
from server.store.tables import metadata
from tests.kit import postgres, stored
from tests.kit.actor import Actor, CannotEnter
from tests.kit.actors import make_actor
from tests.kit.process import ServerProcess
from tests.kit.sockets import Ports
from tests.kit.town import shipped_content
from tests.server import test_store_letters as letters
from tests.server import test_store_parties as parties
from tests.server import test_store_records as records
from world.item import Layer
from world.serials import BLOCK, FIRST_ITEM
from world.snapshot import RECORD_TABLES, ItemRow, character_row, item_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [
    pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY),
    pytest.mark.timeout(180),
]


@pytest.fixture
def database(url: str, tmp_path: Path) -> Iterator[Database]:
    upgrade(url, tmp_path)
    database = Database(url)
    yield database
    database.close()


def lying(serial: int, template: str = "dagger", amount: int = 1, name: str = "") -> ItemRow:
    return ItemRow(FIRST_ITEM + serial, template, None, 0, 0, 0, "field", 1, 2, 0, amount, 0, name)


def a_batch(tick: int, *items: ItemRow, deleted: tuple[int, ...] = (), audit: int = 0) -> Batch:
    notes = [AuditRow(1.0, tick, "test", "note", f"{tick}.{number}") for number in range(audit)]
    return Batch(tick, float(tick), (), items, deleted, (100, BLOCK), notes)


# The store


def test_migrations_make_the_tables_of_the_code(empty_url: str, tmp_path: Path) -> None:
    assert upgrade(empty_url, tmp_path) is None
    assert upgrade(empty_url, tmp_path) is None, "and again, when there is nothing to do"
    engine = writing_engine(empty_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert context.get_current_revision() == revisions()[-1]
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_accounts(database: Database) -> None:
    row = database.create_account("Somebody", "hash", 1.0)
    assert isinstance(row, AccountRow)
    assert database.create_account("SOMEBODY", "hash", 1.0) is Refusal.TAKEN
    database.ban(row.id, float("inf"), "rude\0")
    database.note_login(row.id, 5.5, "192.0.2.1")
    assert database.replace_password(row.id, "hash", "other")
    assert not database.replace_password(row.id, "hash", "third")
    found = database.account("SomeBody")
    assert found is not None
    assert (found.banned_until, found.ban_reason, found.last_login) == (float("inf"), "rude", 5.5)
    assert found == database.account_by_id(row.id) == database.accounts()[0]


def test_a_character_and_its_things(database: Database) -> None:
    account = stored.an_account(database)
    world = stored.new_world(database.reserve_serials())
    arthur = stored.enter(world, database, "Arthur", account.id)
    row, items = stored.rows_of(arthur)
    assert database.character(arthur.serial) == (row, items)
    assert database.create_character(row, items, 7) is Refusal.TAKEN
    assert database.create_character(row._replace(serial=99, name="Berta"), (), 1) is Refusal.FULL
    (summary,) = database.characters(account.id)
    assert [worn.layer for worn in summary.worn] == [Layer.SHIRT, Layer.BACKPACK]
    arthur.x, purse = 9, stored.purse(arthur)
    purse.amount = 77
    batch = Batch(3, 3.0, [character_row(arthur)], [item_row(purse)], (), None, ())
    database.commit_batch(batch)
    assert database.meta().gold == 77
    assert check_database(database) == []
    assert database.delete_character(account.id, arthur.serial)
    assert database.meta().gold == 0
    assert check_database(database) == []


def test_a_character_that_awaits_deletion(database: Database) -> None:
    account = stored.an_account(database)
    world = stored.new_world(database.reserve_serials())
    arthur, bertram = (stored.enter(world, database, name, account.id) for name in ("Arthur", "Bertram"))
    for mobile in (arthur, bertram):
        assert database.schedule_deletion(account.id, mobile.serial, 50.0)
    assert database.restore_character(account.id, bertram.serial, 49.0)
    assert [summary.delete_at for summary in database.characters(account.id)] == [50.0, None]
    assert database.character(arthur.serial) is None
    assert not database.expired(49.0)
    assert database.expired(50.0)
    assert not database.restore_character(account.id, arthur.serial, 50.0)
    assert database.delete_expired(50.0) == [ExpiredCharacter(arthur.serial, "Arthur", "somebody")]
    assert (database.owner(arthur.serial), database.owner(bertram.serial)) == (None, account.id)
    assert database.meta().gold == 100
    assert check_database(database) == []


def test_notes_about_characters(database: Database) -> None:
    account = stored.an_account(database)
    arthur = stored.enter(stored.new_world(database.reserve_serials()), database, "Arthur", account.id)
    for text in ("F1", "'; DROP TABLE character_notes; -- %s é" * 1000, ""):
        rows = [NoteRow(serial, "l2", "bar", text) for serial in (arthur.serial, 999)]
        database.commit_batch(a_batch(1)._replace(notes=rows))
        assert [database.note(*row[:3]) for row in rows] == [text, None]
    assert database.note(arthur.serial, "l2", "friends") is None
    assert database.delete_character(account.id, arthur.serial)
    assert database.note(arthur.serial, "l2", "bar") is None
    assert check_database(database) == []


def test_worn_items_may_swap_places_in_one_batch(database: Database) -> None:
    account = stored.an_account(database)
    world = stored.new_world(database.reserve_serials())
    arthur = stored.enter(world, database, "Arthur", account.id)
    shirt = item_row(arthur.worn[Layer.SHIRT])
    other = lying(500, "shirt")._replace(parent=arthur.serial, realm=None, layer=Layer.SHIRT)
    database.commit_batch(a_batch(2, other, shirt._replace(layer=0, parent=stored.purse(arthur).serial)))
    assert check_database(database) == []


def test_a_batch_is_all_or_nothing_and_gold_is_summed_up(database: Database) -> None:
    database.commit_batch(a_batch(1, lying(1, "gold", 30), lying(2)))
    with pytest.raises(DBAPIError):
        database.commit_batch(a_batch(2, lying(1, "gold", 40), lying(3, amount=-1)))
    assert (database.meta().tick, database.meta().gold) == (1, 30)
    database.commit_batch(a_batch(3, lying(1, "gold", 50), deleted=(FIRST_ITEM + 2,)))
    assert (database.meta().tick, database.meta().gold) == (3, 50)
    assert database.ground_items() == [lying(1, "gold", 50)]
    database.mark_clean()
    assert database.meta().clean


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=TEXT | st.sampled_from(["'; DROP TABLE item; --", "%s %% :name ?1", "é" * 40]),
    x=st.integers(-(2**31), 2**31 - 1),
)
def test_any_row_comes_back_as_it_was(database: Database, name: str, x: int) -> None:
    row = lying(1, "dagger", 2**63 - 1, name)._replace(x=x)
    database.commit_batch(a_batch(1, row))
    assert database.ground_items() == [row]


def test_readers_cannot_write_and_see_one_state(database: Database) -> None:
    database.commit_batch(a_batch(1, lying(1, "gold", 10)))
    with database.read() as connection:
        assert connection.exec_driver_sql("SELECT sum(amount) FROM item").scalar() == 10
        database.commit_batch(a_batch(2, lying(1, "gold", 20)))
        assert connection.exec_driver_sql("SELECT sum(amount) FROM item").scalar() == 10
    with database.read() as connection, pytest.raises(DBAPIError, match="read-only"):
        connection.exec_driver_sql("DELETE FROM item")


def test_check_and_repair(database: Database) -> None:
    database.commit_batch(a_batch(1, lying(1)._replace(realm=None), lying(2)._replace(parent=77, realm=None)))
    assert {finding.kind for finding in check_database(database)} == {"nowhere", "holder"}
    repair_database(database, template="bag", realm="field", x=1, y=1)
    assert check_database(database) == []
    assert len(database.ground_items()) == 3


def test_orders(database: Database, cluster: postgres.Cluster, url: str) -> None:
    name = url.rpartition("/")[2]
    cluster.say(name, "INSERT INTO admin_order (command, created_at) VALUES ('status', 1)")
    (number,) = database.orders()
    assert database.order(number).command == "status"
    database.finish_order(number, 2.0, "done")
    assert database.orders() == []
    assert cluster.say(name, "SELECT result FROM admin_order") == "done"


def test_r39_a_world_has_one_server_and_one_writer(url: str, tmp_path: Path) -> None:
    lock = WorldLock(url)
    with pytest.raises(DatabaseHeld):
        WorldLock(url)
    upgrade(url, tmp_path)
    database = Database(url)
    with pytest.raises(DatabaseHeld):
        Database(url)
    database.close()
    lock.release()
    WorldLock(url).release()
    Database(url).close()


def test_no_transaction_is_left_open(database: Database, cluster: postgres.Cluster, url: str) -> None:
    lock = WorldLock(url)
    database.commit_batch(a_batch(1, lying(1)))
    assert database.ground_items()
    waiting = (
        "SELECT count(*) FROM pg_stat_activity"
        f" WHERE state LIKE 'idle in transaction%' AND datname = '{url.rpartition('/')[2]}'"
    )
    assert cluster.say("postgres", waiting) == "0"
    lock.release()


# What belongs to several characters


@pytest.mark.parametrize(
    "story",
    [
        parties.test_a_party_is_the_same_after_a_restart,
        parties.test_one_that_was_never_whole_ends_at_the_start,
        parties.test_who_is_deleted_is_in_no_party_and_another_leads_it,
        letters.test_sentences_and_reports_are_there_again,
        letters.test_known_are_those_in_the_database,
        records.test_who_is_deleted_is_in_no_guild_and_another_leads_it,
        records.test_a_box_of_two_records_and_one_of_none_are_found,
    ],
)
def test_what_sqlite_keeps_is_kept(database: Database, story: Callable[[Database], None]) -> None:
    story(database)


def test_every_kind_of_record_comes_back(database: Database) -> None:
    for name in RECORD_TABLES:
        records.test_everything_that_is_declared_comes_back(database, name)


#


@pytest.mark.outage
def test_r30_a_restart_of_the_database_server_costs_one_try(
    database: Database, cluster: postgres.Cluster
) -> None:
    database.commit_batch(a_batch(1, lying(1)))
    assert database.ground_items()
    cluster.stop()
    for _ in range(2):
        with pytest.raises(DBAPIError):
            database.commit_batch(a_batch(2, lying(2)))
        with pytest.raises(DBAPIError):
            database.accounts()
    cluster.start()
    assert database.meta().tick == 1
    database.commit_batch(a_batch(2, lying(2)))
    assert database.ground_items() == [lying(1), lying(2)]
    with pytest.raises(DatabaseHeld):
        writing_engine(str(database._writing.url)).connect()


@pytest.mark.outage
def test_r30_a_read_only_database_keeps_the_batch(
    database: Database, cluster: postgres.Cluster, url: str
) -> None:
    name = url.rpartition("/")[2]
    cluster.say(name, "ALTER SYSTEM SET default_transaction_read_only = on")
    cluster.say(name, "SELECT pg_reload_conf()")
    failures = until(lambda: database.commit_batch(a_batch(1, lying(1))), fails=True)
    assert "read-only" in str(failures[-1])
    assert database.accounts() == [], "reading goes on"
    cluster.say(name, "ALTER SYSTEM RESET default_transaction_read_only")
    cluster.say(name, "SELECT pg_reload_conf()")
    until(lambda: database.commit_batch(a_batch(60, lying(2))), fails=False)
    assert database.meta().tick == 60


def until(call: Callable[[], object], *, fails: bool) -> list[DBAPIError]:
    """Try until it fails, or does not: the server takes over its new settings in its own time."""
    failures: list[DBAPIError] = []
    for _ in range(10_000):
        try:
            call()
        except DBAPIError as error:
            failures.append(error)
        if bool(failures) == fails and (fails or not failures):
            return failures
        if not fails:
            failures.clear()
    raise AssertionError("it never changed")


def test_r30_a_commit_whose_answer_was_lost_is_not_noted_twice(database: Database) -> None:
    """The connection dies after COMMIT: the batch is there, and comes again with what happened since."""
    first, again = a_batch(1, lying(1), audit=2), a_batch(2, lying(1), lying(2), audit=1)
    begin = database._connection.begin

    class Dying:
        """Commits, and then says that it could not."""

        def __enter__(self) -> None:
            self.transaction = begin()
            self.transaction.__enter__()

        def __exit__(self, *error: object) -> None:
            self.transaction.__exit__(None, None, None)
            raise OSError("the connection died")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database._connection, "begin", Dying)
        with pytest.raises(OSError, match="died"):
            database.commit_batch(first)
    database.commit_batch(again._replace(audit=[*first.audit, *again.audit]))
    with database.read() as connection:
        notes = connection.exec_driver_sql("SELECT detail FROM audit ORDER BY id").scalars().all()
    assert notes == ["1.0", "1.1", "2.0"]
    assert database.ground_items() == [lying(1), lying(2)]


async def walk_about(actor: Actor, seconds: float) -> float:
    """Walk up and down and talk; the longest that an answer took."""
    longest = 0.0
    until = trio.current_time() + seconds
    for number in itertools.count():
        if trio.current_time() > until:
            return longest
        start = trio.current_time()
        await actor.step(2 if number % 2 else 6)
        await actor.say(f"step {number}")
        assert await actor.echo(10)
        longest = max(longest, trio.current_time() - start)
        await trio.sleep(0.05)
    raise AssertionError


@pytest.mark.outage
async def test_r30_play_goes_on_while_the_database_server_is_away(
    cluster: postgres.Cluster, url: str, tmp_path: Path
) -> None:
    server = ServerProcess(tmp_path, f'[database]\nurl = "{url}"\n[storage]\nflush_seconds = 0.1\n')
    await trio.to_thread.run_sync(server.start)
    try:
        place = await _play_through_an_outage(server, cluster)
        assert await trio.to_thread.run_sync(server.stop) == 0
    finally:
        server.close()
    database = Database(url)
    assert check_database(database) == []
    assert database.meta().clean
    found = {
        summary.row.name: (summary.row.x, summary.row.y)
        for row in database.accounts()
        for summary in database.characters(row.id)
    }
    database.close()
    assert found.keys() == {"Anna", "Bert", "Late"}
    assert found["Anna"] == place


async def _play_through_an_outage(server: ServerProcess, cluster: postgres.Cluster) -> tuple[int, int]:
    """Where Anna stands in the end."""
    content = shipped_content()
    async with trio.open_nursery() as nursery:
        ports = Ports(nursery, server.addresses())
        actors = {"Anna": make_actor("uo", ports), "Bert": make_actor("eo", ports)}
        for name, actor in actors.items():
            await actor.enters(name.lower(), name)
        waits: list[float] = []

        async def play(actor: Actor) -> None:
            waits.append(await walk_about(actor, 4.0))

        async with trio.open_nursery() as walkers:
            for actor in actors.values():
                walkers.start_soon(play, actor)
            await trio.sleep(0.5)
            await trio.to_thread.run_sync(cluster.stop)
            for game in ("uo", "eo"):
                late = make_actor(game, ports)
                with pytest.raises(CannotEnter) as refused:
                    await late.enters("latecomer", "Late")
                assert "nothing within" not in str(refused.value), "an answer, not silence"
            await trio.sleep(1.5)
            await trio.to_thread.run_sync(cluster.start)
        assert max(waits) < 2
        assert all(actor.online for actor in actors.values())
        answer = await trio.to_thread.run_sync(ask, server.state, "save")
        assert answer.ok, answer
        late = make_actor("eo", ports)
        await late.enters("latecomer", "Late")
        place, at = actors["Anna"].place(), content.charts[content.start_realm].place("uo")
        anna = place.x - at["x"], place.y - at["y"]
        for actor in (*actors.values(), late):
            await actor.logs_out()
        await trio.sleep(0.2)
        ports.hang_up()
        nursery.cancel_scope.cancel()
    assert "does not take writes" in server.output()
    assert "takes writes again" in server.output()
    assert "Traceback" not in server.output()
    return anna
