"""The database and its rows: accounts, characters and notes about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy.exc import IntegrityError

from server.store.check import check_database
from server.store.database import Database
from server.store.migrate import upgrade
from server.store.records import Batch, ExpiredCharacter, NoteRow, Refusal
from tests.kit import stored
from tests.kit.rows import batch, lying, url_of
from world.item import Layer
from world.snapshot import restore_character

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
    assert not database.expired(49.9)
    assert database.delete_expired(49.9) == []
    assert database.expired(50.0)
    assert database.delete_expired(50.0) == [ExpiredCharacter(arthur.serial, "Arthur", "somebody")]
    assert not database.expired(50.0)
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
