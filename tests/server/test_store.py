"""The database and its rows: accounts, characters, batches, and what survives a hostile world."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import create_mock_engine
from sqlalchemy.exc import IntegrityError, OperationalError

from server.store.backup import is_whole, rescued_files, whole_backups
from server.store.batch import BatchStatements
from server.store.check import check_database
from server.store.database import Database
from server.store.errors import DatabaseHeld, DatabaseReplaced
from server.store.lock import StateLock, WorldLock
from server.store.migrate import upgrade
from server.store.records import AuditRow, Batch, ExpiredCharacter, NoteRow, Refusal
from tests.kit import stored
from world.item import Layer
from world.serials import BLOCK, FIRST_ITEM, Serials, SerialsExhausted
from world.snapshot import CharacterRow, ItemRow, character_row, item_row, restore_character, restore_items

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "world.db"
    upgrade(url_of(path), tmp_path / "backups")
    return path


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    database = Database(url_of(path), busy_seconds=0.05)
    yield database
    database.close()


def batch(
    *items: ItemRow, tick: int = 1, characters: tuple[CharacterRow, ...] = (), deleted: tuple[int, ...] = ()
) -> Batch:
    return Batch(tick, 2.0, characters, items, deleted, (100, FIRST_ITEM + BLOCK), ())


def lying(serial: int, template: str = "dagger", amount: int = 1, name: str = "") -> ItemRow:
    return ItemRow(FIRST_ITEM + serial, template, None, 0, 0, 0, "field", 1, 2, 0, amount, 0, name)


# Accounts


def test_an_account_is_found_in_any_case_and_its_name_is_taken_in_any_case(database: Database) -> None:
    created = database.create_account("Alice", "hash", 5.0, access=2)
    assert created == database.account("aLICE")
    assert database.create_account("ALICE", "other", 6.0) is Refusal.TAKEN
    assert database.account("bob") is None


def test_what_is_set_on_an_account_is_read_back(database: Database) -> None:
    account = stored.an_account(database)
    database.set_password(account.id, "new")
    database.set_access(account.id, 4)
    database.ban(account.id, float("inf"), "it's; DROP TABLE account --")
    database.note_login(account.id, 9.5, "127.0.0.1")
    found = database.account_by_id(account.id)
    assert found == account._replace(
        password="new",
        access=4,
        banned_until=float("inf"),
        ban_reason="it's; DROP TABLE account --",
        last_login=9.5,
        last_address="127.0.0.1",
    )
    database.ban(account.id, None, "")
    assert database.accounts()[0].banned_until is None


# Characters


def test_a_character_comes_back_with_all_it_has(database: Database) -> None:
    world = stored.new_world()
    account = stored.an_account(database)
    mobile = stored.new_character(world, "Arthur", account.id)
    row, items = stored.rows_of(mobile)
    assert database.create_character(row, items, 3) == row

    loaded = database.character(mobile.serial)
    assert loaded is not None
    again = stored.new_world()
    restored = restore_character(*loaded, again)
    assert restored.mobile is not None
    assert not restored.damaged
    assert stored.rows_of(restored.mobile) == (row, items)
    assert stored.purse(restored.mobile).amount == 100
    assert not again.dirty
    assert not again.changed


@pytest.mark.parametrize("name", ["arthur", "ARTHUR", "Arthur", "Artnur"])
def test_a_name_is_unique_whatever_its_case(database: Database, name: str) -> None:
    account = stored.an_account(database)
    world = stored.new_world()
    stored.enter(world, database, "Arthur", account.id)
    row, items = stored.rows_of(stored.new_character(world, name, account.id))
    expected = row if name == "Artnur" else Refusal.TAKEN
    assert database.create_character(row, items, 3) == expected


def test_look_alike_names_are_the_same_name(database: Database) -> None:
    account = stored.an_account(database)
    world = stored.new_world()
    stored.enter(world, database, "Ilmarn", account.id)
    for name in ("Llmarn", "Ilmam"):
        assert database.name_taken(name)
        row, items = stored.rows_of(stored.new_character(world, name, account.id))
        assert database.create_character(row, items, 3) is Refusal.TAKEN


def test_an_account_has_only_so_many_characters(database: Database) -> None:
    account = stored.an_account(database)
    world = stored.new_world()
    stored.enter(world, database, "Arthur", account.id)
    row, items = stored.rows_of(stored.new_character(world, "Bertram", account.id))
    assert database.create_character(row, items, 1) is Refusal.FULL
    assert database.meta().gold == 100


def test_the_list_is_in_creation_order_and_shows_what_is_worn(database: Database) -> None:
    account = stored.an_account(database)
    world = stored.new_world()
    for name in ("Zoltan", "Arthur", "Mirabel"):
        stored.enter(world, database, name, account.id)
    characters = database.characters(account.id)
    assert [summary.row.name for summary in characters] == ["Zoltan", "Arthur", "Mirabel"]
    assert [item.layer for item in characters[0].worn] == [Layer.SHIRT, Layer.BACKPACK]
    assert characters[0].delete_at is None


def test_a_deleted_character_takes_its_things_along(database: Database) -> None:
    account, other = stored.an_account(database), stored.an_account(database, "other")
    world = stored.new_world()
    arthur = stored.enter(world, database, "Arthur", account.id)
    stored.enter(world, database, "Bertram", account.id, gold=7)
    assert not database.delete_character(other.id, arthur.serial)
    assert database.delete_character(account.id, arthur.serial)
    assert database.character(arthur.serial) is None
    assert [summary.row.name for summary in database.characters(account.id)] == ["Bertram"]
    assert database.meta().gold == 7
    assert not database.name_taken("Arthur")


def test_a_character_that_awaits_deletion_can_only_be_listed_and_restored(database: Database) -> None:
    account, other = stored.an_account(database), stored.an_account(database, "other")
    world = stored.new_world(database.reserve_serials())
    arthur = stored.enter(world, database, "Arthur", account.id)
    assert not database.schedule_deletion(other.id, arthur.serial, 50.0)
    assert not database.schedule_deletion(account.id, 999, 50.0)
    assert database.character(arthur.serial) is not None
    assert database.schedule_deletion(account.id, arthur.serial, 50.0)
    assert database.character(arthur.serial) is None
    assert [summary.delete_at for summary in database.characters(account.id)] == [50.0]
    assert database.owner(arthur.serial) == account.id
    row, items = stored.rows_of(stored.new_character(world, "Bertram", account.id))
    assert database.create_character(row, items, 1) is Refusal.FULL
    assert database.name_taken("Arthur")
    assert not database.restore_character(other.id, arthur.serial, 49.0)
    assert not database.restore_character(account.id, arthur.serial, 50.0), "its time is over"
    assert database.restore_character(account.id, arthur.serial, 49.0)
    assert database.restore_character(account.id, arthur.serial, 99.0), "it waits for nothing"
    assert database.character(arthur.serial) is not None
    assert check_database(database) == []


def test_those_whose_time_is_over_are_deleted_with_all_they_have(database: Database) -> None:
    account = stored.an_account(database)
    world = stored.new_world(database.reserve_serials())
    arthur, bertram, mirabel = (
        stored.enter(world, database, name, account.id, gold=gold)
        for name, gold in (("Arthur", 100), ("Bertram", 20), ("Mirabel", 3))
    )
    for serial in (arthur.serial, bertram.serial, mirabel.serial):
        database.commit_batch(notes(NoteRow(serial, "l2", "bar", "F1")))
    database.schedule_deletion(account.id, arthur.serial, 50.0)
    database.schedule_deletion(account.id, mirabel.serial, 51.0)
    assert not database.has_expired(49.9)
    assert database.delete_expired(49.9) == []
    assert database.has_expired(50.0)
    assert database.delete_expired(50.0) == [ExpiredCharacter(arthur.serial, "Arthur", "somebody")]
    assert not database.has_expired(50.0)
    assert [summary.row.name for summary in database.characters(account.id)] == ["Bertram", "Mirabel"]
    assert database.meta().gold == 23
    assert [database.note(thing.serial, "l2", "bar") for thing in (arthur, bertram, mirabel)] == [
        None,
        "F1",
        "F1",
    ]
    assert check_database(database) == []


# Notes about characters


def notes(*rows: NoteRow, tick: int = 1) -> Batch:
    return Batch(tick, 2.0, (), (), (), None, (), rows)


def test_a_note_is_of_one_character_one_game_and_one_key(database: Database) -> None:
    world, account = stored.new_world(database.reserve_serials()), stored.an_account(database)
    arthur, bertram = (stored.enter(world, database, name, account.id) for name in ("Arthur", "Bertram"))
    kept = [
        NoteRow(arthur.serial, "l2", "bar", "one"),
        NoteRow(arthur.serial, "l2", "friends", "two"),
        NoteRow(arthur.serial, "eq2", "bar", "three"),
        NoteRow(bertram.serial, "l2", "bar", "'; DROP TABLE character_notes; -- é%s?:b_text"),
    ]
    database.commit_batch(notes(*kept))
    assert [database.note(*row[:3]) for row in kept] == [row.text for row in kept]
    database.commit_batch(notes(kept[0]._replace(text=""), tick=2))
    assert [database.note(*row[:3]) for row in kept] == ["", *(row.text for row in kept[1:])]
    assert database.note(bertram.serial, "l2", "friends") is None
    assert database.delete_character(account.id, arthur.serial)
    assert [database.note(*row[:3]) for row in kept] == [None, None, None, kept[3].text]
    assert check_database(database) == []


def test_a_note_is_stored_with_its_batch_or_not_at_all(database: Database) -> None:
    world = stored.new_world(database.reserve_serials())
    arthur = stored.enter(world, database, "Arthur", stored.an_account(database).id)
    note = NoteRow(arthur.serial, "l2", "bar", "F1")
    with pytest.raises(IntegrityError):
        database.commit_batch(batch(lying(500, amount=0))._replace(notes=[note]))
    assert database.note(*note[:3]) is None


def test_a_note_about_nobody_fails_no_batch(database: Database) -> None:
    arthur = stored.enter(
        stored.new_world(database.reserve_serials()), database, "Arthur", stored.an_account(database).id
    )
    rows = [NoteRow(serial, "l2", "bar", "F1") for serial in (arthur.serial, 999)]
    database.commit_batch(notes(*rows, tick=5))
    assert database.meta().tick == 5
    assert [database.note(*row[:3]) for row in rows] == ["F1", None]
    assert check_database(database) == []


# Batches


def test_a_batch_is_all_or_nothing(database: Database) -> None:
    database.commit_batch(batch(lying(1), tick=1))
    with pytest.raises(IntegrityError):
        database.commit_batch(batch(lying(2), lying(1, amount=0), tick=2))
    assert database.ground_items() == [lying(1)]
    assert database.meta().tick == 1


def test_a_delete_and_gold_are_kept_in_the_sum(database: Database) -> None:
    database.commit_batch(batch(lying(1, "gold", 50), lying(2, "gold", 8), lying(3)))
    assert database.meta().gold == 58
    database.commit_batch(batch(lying(1, "gold", 45), deleted=(FIRST_ITEM + 2, FIRST_ITEM + 99)))
    assert database.meta().gold == 45
    assert check_database(database) == []


def test_worn_items_may_swap_places_in_one_batch(database: Database) -> None:
    account = stored.an_account(database)
    world = stored.new_world()
    first, second = (stored.enter(world, database, name, account.id) for name in ("Arthur", "Bertram"))
    shirts = [first.worn[Layer.SHIRT], second.worn[Layer.SHIRT]]
    shirts[0].parent, shirts[1].parent = second, first
    database.commit_batch(batch(*map(item_row, shirts)))
    for mobile, shirt in ((first, shirts[1]), (second, shirts[0])):
        loaded = database.character(mobile.serial)
        assert loaded is not None
        assert item_row(shirt) in loaded[1]


def test_what_still_sits_on_a_layer_gives_way(database: Database) -> None:
    """An item that could not be restored holds a layer that the player has since used again."""
    account = stored.an_account(database)
    world = stored.new_world()
    mobile = stored.enter(world, database, "Arthur", account.id)
    old = item_row(mobile.worn[Layer.SHIRT])
    new = old._replace(serial=FIRST_ITEM + 500)
    database.commit_batch(batch(new))
    loaded = database.character(mobile.serial)
    assert loaded is not None
    assert new in loaded[1]
    assert old._replace(layer=0) in loaded[1]


def test_a_batch_never_touches_the_name_and_keeps_the_realm_of_who_is_nowhere(database: Database) -> None:
    account = stored.an_account(database)
    world = stored.new_world()
    mobile = stored.enter(world, database, "Arthur", account.id)
    row = character_row(mobile)
    database.commit_batch(batch(characters=(row._replace(name="Other", account=99, realm=None, x=9),)))
    loaded = database.character(mobile.serial)
    assert loaded is not None
    assert loaded[0] == row._replace(x=9)


def test_contents_of_what_lies_on_the_ground_are_loaded_with_it(database: Database) -> None:
    account = stored.an_account(database)
    stored.enter(stored.new_world(), database, "Arthur", account.id)
    bag = lying(900, "bag")
    inner = lying(901, "bag")._replace(parent=bag.serial, realm=None)
    coin = lying(902, "gold")._replace(parent=inner.serial, realm=None)
    database.commit_batch(batch(coin, inner, bag))
    assert database.ground_items() == [bag, inner, coin]


def test_serials_are_reserved_before_use_and_never_twice(database: Database) -> None:
    first = database.reserve_serials()
    second = database.reserve_serials(items=3)
    assert (first.mobile_first, first.item_first) == (1, FIRST_ITEM)
    assert (second.mobile_first, second.item_first) == (first.mobile_mark, first.item_mark)
    serials = Serials(second.mobile_first, second.item_first, second.mobile_mark, second.item_mark)
    assert [serials.item() for _ in range(3)] == [FIRST_ITEM + BLOCK + n for n in range(3)]
    with pytest.raises(SerialsExhausted):
        serials.item()
    marks = serials.wanted_marks()
    assert marks == (second.mobile_mark, second.item_mark + BLOCK)
    serials.reserved(*marks)
    assert serials.wanted_marks() is None
    assert serials.item() == second.item_mark


def test_audit_and_orders(database: Database, path: Path) -> None:
    database.append_audit([AuditRow(1.0, 2, "Arthur", "made", "a sword\0\ud800")])
    with sqlite3.connect(path) as tool:
        tool.execute('INSERT INTO admin_order (command, created_at) VALUES (\'{"command": "who"}\', 3.0)')
    tool.close()
    (order,) = map(database.order, database.orders())
    assert (order.command, order.created_at) == ('{"command": "who"}', 3.0)
    database.finish_order(order.id, 4.0, "[]")
    assert database.orders() == []
    with sqlite3.connect(path) as tool:
        assert tool.execute("SELECT detail FROM audit").fetchone() == ("a sword?",)
        assert tool.execute("SELECT done_at, result FROM admin_order").fetchone() == (4.0, "[]")
    tool.close()


def test_a_commit_is_a_commit(database: Database) -> None:
    with database.write() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_readers_cannot_write(database: Database) -> None:
    with database.read() as connection, pytest.raises(OperationalError, match="readonly"):
        connection.exec_driver_sql("DELETE FROM item")


def test_statements_also_compile_for_postgresql() -> None:
    engine = create_mock_engine("postgresql+psycopg://", lambda *_: None, paramstyle="format")
    statements = BatchStatements(engine.dialect)
    assert "ON CONFLICT (serial) DO UPDATE" in statements._upsert_item.sql


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
SMALL = st.integers(-(2**31), 2**31 - 1)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=TEXT
    | st.sampled_from(["'; DROP TABLE item; --", "%s ?1 :name", "\u202egnp.exe", "\ufeff", "é" * 40]),
    numbers=st.tuples(SMALL, SMALL, SMALL, SMALL),
    amount=st.integers(1, 2**63 - 1),
)
def test_any_row_comes_back_as_it_was(
    database: Database, name: str, numbers: tuple[int, int, int, int], amount: int
) -> None:
    x, y, z, hue = numbers
    row = lying(1, "dagger", amount, name)._replace(x=x, y=y, z=z, hue=hue)
    database.commit_batch(batch(row))
    assert database.ground_items() == [row]


def test_text_no_database_keeps_is_cleaned(database: Database) -> None:
    database.commit_batch(batch(lying(1, name="a\0b\ud800")))
    assert database.ground_items() == [lying(1, name="ab?")]


# Rows this world cannot hold


def test_damaged_rows_are_reported_and_kept_out() -> None:
    world = stored.new_world()
    unknown = lying(1, "phlogiston")
    within = lying(2)._replace(parent=unknown.serial, realm=None)
    elsewhere = lying(3)._replace(realm="atlantis")
    good = lying(4)
    items, damaged = restore_items([within, unknown, elsewhere, good], world)
    assert [item.serial for item in items] == [good.serial]
    assert {row.serial for row in damaged} == {unknown.serial, within.serial, elsewhere.serial}


def test_a_character_of_unknown_kind_or_place() -> None:
    world = stored.new_world()
    row, items = stored.rows_of(stored.new_character(world, "Arthur", 1))
    lost = restore_character(row._replace(realm="atlantis"), items, world)
    assert lost.mobile is not None
    assert lost.mobile.realm is None
    assert len(lost.items) == len(items)
    assert [found.serial for found in lost.damaged] == [row.serial]
    assert restore_character(row._replace(template="ghoul"), items, world).mobile is None


def test_what_was_in_hand_comes_back_in_the_pack() -> None:
    world = stored.new_world()
    row, items = stored.rows_of(stored.new_character(world, "Arthur", 1))
    dagger = lying(900)._replace(parent=row.serial, realm=None)
    world.dirty.clear()
    restored = restore_character(row, [*items, dagger], world)
    assert restored.mobile is not None
    assert restored.mobile.backpack is not None
    # The disk must hear of it: there it is in the hand still.
    assert world.dirty == {dagger.serial: restored.mobile.backpack.contents[dagger.serial]}


# Faults


def test_r28_disk_full_leaves_the_last_batch_and_heals(database: Database) -> None:
    database.commit_batch(batch(lying(1), tick=1))
    with database.write() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    big = batch(*(lying(n, name="x" * 200) for n in range(2, 400)), tick=2)
    with pytest.raises(OperationalError, match="full"):
        database.commit_batch(big)
    assert database.meta().tick == 1
    with database.write() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 100000")
    database.commit_batch(big)
    assert database.meta().tick == 2
    assert len(database.ground_items()) == 399


def test_r29_another_writer_makes_the_commit_fail_and_readers_go_on(database: Database, path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError, match="locked"):
        database.commit_batch(batch(lying(1)))
    assert database.ground_items() == []
    other.close()
    database.commit_batch(batch(lying(1)))
    assert database.ground_items() == [lying(1)]


def test_a_transaction_that_will_write_keeps_other_writers_out_from_its_start(
    database: Database, path: Path
) -> None:
    other = sqlite3.connect(path, isolation_level=None, timeout=0)
    with database.write(), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("BEGIN IMMEDIATE")
    other.close()


def test_a_state_directory_has_one_server(tmp_path: Path) -> None:
    lock = StateLock(tmp_path)
    with pytest.raises(DatabaseHeld, match="another server"):
        StateLock(tmp_path)
    lock.release()
    StateLock(tmp_path).release()


def test_a_lock_that_cannot_be_made_is_not_held_by_another(tmp_path: Path) -> None:
    (tmp_path / "server.lock").mkdir()
    with pytest.raises(sqlite3.OperationalError, match="open"):
        StateLock(tmp_path)


@pytest.mark.parametrize("last", ["mark_clean", "create_account"])
def test_r31_whatever_is_written_next_notices_and_rescues(database: Database, path: Path, last: str) -> None:
    database.commit_batch(batch(lying(1), tick=1))
    path.unlink()
    with pytest.raises(DatabaseReplaced, match="rescued") as caught:
        database.mark_clean() if last == "mark_clean" else database.create_account("somebody", "hash", 1.0)
    assert caught.value.rescued is not None
    rescued = Database(url_of(caught.value.rescued))
    assert rescued.ground_items() == [lying(1)]
    assert rescued.accounts() == []
    rescued.close()


def test_r31_a_lost_directory_is_made_again_for_what_was_rescued(database: Database, path: Path) -> None:
    database.commit_batch(batch(lying(1), tick=1))
    shutil.rmtree(path.parent)
    with pytest.raises(DatabaseReplaced) as caught:
        database.commit_batch(batch(lying(2), tick=2))
    assert caught.value.rescued in whole_backups(path.parent / "backups", path)


@pytest.mark.parametrize("replaced", [False, True])
def test_r31_a_file_that_was_taken_away_is_noticed_and_rescued(
    database: Database, path: Path, *, replaced: bool
) -> None:
    database.commit_batch(batch(lying(1), tick=1))
    path.unlink()
    if replaced:
        path.write_bytes(b"")
    with pytest.raises(DatabaseReplaced) as caught:
        database.commit_batch(batch(lying(2), tick=2))
    assert caught.value.rescued is not None
    with pytest.raises(DatabaseReplaced):
        database.create_account("somebody", "hash", 1.0)
    assert is_whole(caught.value.rescued)
    # Tried again, with more: it takes the name of the first.
    with pytest.raises(DatabaseReplaced):
        database.commit_batch(batch(lying(3), tick=3))
    assert rescued_files(path) == [caught.value.rescued]
    assert whole_backups(path.parent / "backups", path) == [caught.value.rescued]
    rescued = Database(url_of(caught.value.rescued))
    assert rescued.meta().tick == 3
    assert rescued.ground_items() == [lying(1), lying(2), lying(3)]
    rescued.close()


def test_r39_only_one_server_holds_a_world(path: Path) -> None:
    lock = WorldLock(url_of(path))
    with pytest.raises(DatabaseHeld):
        WorldLock(url_of(path))
    code = f"from server.store.lock import WorldLock; WorldLock({url_of(path)!r})"
    second = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "DatabaseHeld" in second.stderr
    lock.release()
    dying = code.replace("; WorldLock", "; import os; lock = WorldLock") + "; os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", dying], cwd=ROOT, check=False).returncode == -signal.SIGKILL
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_r32_a_torn_write_ahead_log_opens_as_some_whole_tick(tmp_path: Path, path: Path) -> None:
    database = Database(url_of(path))
    for tick in range(1, 9):
        database.commit_batch(batch(lying(1, "gold", tick), lying(2, "gold", 100 - tick), tick=tick))
    whole, log = path.read_bytes(), path.with_name("world.db-wal").read_bytes()
    database.close()
    seen = set()
    for step in range(12):
        torn = tmp_path / f"torn{step}.db"
        torn.write_bytes(whole)
        torn.with_name(torn.name + "-wal").write_bytes(log[: len(log) * step // 11 - 3 * (step % 2)])
        again = Database(url_of(torn))
        tick = again.meta().tick
        if tick:
            assert sum(row.amount for row in again.ground_items()) == 100
            assert again.ground_items()[0].amount == tick
        assert check_database(again) == []
        seen.add(tick)
        again.close()
    assert len(seen) > 3


WRITER = """
import sys
from server.store.database import Database
from server.store.records import Batch
from world.snapshot import ItemRow
database = Database(sys.argv[1])
left, right, tick = 500, 500, database.meta().tick
while True:
    tick += 1
    left, right = (left - 1, right + 1) if tick % 7 else (left + 5, right - 5)
    owner = 0x40000003 + tick % 2
    rows = [ItemRow(0x40000001, "gold", None, 0, 0, 0, "field", 0, 0, 0, left, 0, ""),
            ItemRow(0x40000002, "gold", None, 0, 0, 0, "field", 0, 0, 0, right, 0, ""),
            ItemRow(0x40000003, "bag", None, 0, 0, 0, "field", 0, 0, 0, 1, 0, ""),
            ItemRow(0x40000004, "bag", None, 0, 0, 0, "field", 0, 0, 0, 1, 0, ""),
            ItemRow(0x40000005, "dagger", owner, 0, 0, 0, None, 0, 0, 0, tick, 0, "")]
    database.commit_batch(Batch(tick, 0.0, (), rows, (), (1, 0x40000010), ()))
    print(tick, flush=True)
    left, right = (left, right) if 100 < left < 900 else (500, 500)
"""


@pytest.mark.parametrize("acknowledged", [1, 5, 23, 60])
def test_r27_a_killed_writer_loses_nothing_it_acknowledged(path: Path, acknowledged: int) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, url_of(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    seen = 0
    for line in writer.stdout:
        seen = int(line)
        if seen >= acknowledged:
            os.kill(writer.pid, signal.SIGKILL)
            break
    # What was printed before the signal arrived counts too.
    seen = max([seen, *(int(line) for line in writer.stdout if line.endswith("\n"))])
    writer.wait()
    writer.stdout.close()

    database = Database(url_of(path))
    assert check_database(database) == []
    rows = {row.serial: row for row in database.ground_items()}
    assert database.meta().tick >= seen
    assert not database.meta().clean
    assert rows[0x40000001].amount + rows[0x40000002].amount == 1000
    assert rows[0x40000005].amount == database.meta().tick
    assert rows[0x40000005].parent == 0x40000003 + database.meta().tick % 2
    database.close()
