"""Batches: written whole or not at all; and rows that this world cannot hold."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import create_mock_engine
from sqlalchemy.exc import IntegrityError, OperationalError

from server.store.batch import BatchStatements
from server.store.check import check_database
from server.store.database import Database
from server.store.migrate import upgrade
from server.store.records import AuditRow
from tests.kit import stored
from tests.kit.rows import batch, lying, url_of
from world.item import Layer
from world.serials import BLOCK, FIRST_ITEM, LAST_ITEM, LAST_MOBILE, Serials, SerialsExhausted
from world.snapshot import character_row, item_row, restore_character, restore_items

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
    wanted = serials.wanted()
    assert wanted == (0, BLOCK)
    third = database.reserve_serials(*wanted)
    serials.reserved(third.mobiles, third.items)
    assert serials.wanted() is None
    assert serials.item() == third.item_first == second.item_mark


def test_serials_of_blocks_that_do_not_follow_one_another(database: Database) -> None:
    """As where other worlds take some in between."""
    first = database.reserve_serials(5, 3)
    serials = Serials(first.mobile_first, first.item_first, first.mobile_mark, first.item_mark)
    database.reserve_serials()
    wanted = serials.wanted()
    assert wanted == (BLOCK - 5, BLOCK - 3)
    more = database.reserve_serials(*wanted)
    serials.reserved(more.mobiles, more.items)
    assert (serials.wanted(), serials.mobiles_left) == (None, BLOCK)
    assert [serials.item() for _ in range(5)] == [FIRST_ITEM + n for n in (0, 1, 2, BLOCK + 3, BLOCK + 4)]
    assert [serials.mobile() for _ in range(6)] == [1, 2, 3, 4, 5, BLOCK + 6]


def test_the_last_serials_are_given_and_no_more(database: Database) -> None:
    database.reserve_serials(LAST_MOBILE - 1, LAST_ITEM - FIRST_ITEM)
    last = database.reserve_serials()
    assert (last.mobiles, last.items) == ((LAST_MOBILE, LAST_MOBILE + 1), (LAST_ITEM, LAST_ITEM + 1))
    assert database.reserve_serials().mobiles == (LAST_MOBILE + 1, LAST_MOBILE + 1)
    serials = Serials(last.mobile_first, last.item_first, last.mobile_mark, last.item_mark)
    assert serials.wanted() is None
    assert serials.item() == LAST_ITEM
    with pytest.raises(SerialsExhausted):
        serials.item()


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
