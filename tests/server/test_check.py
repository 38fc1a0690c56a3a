"""The semantic check finds what SQL cannot forbid, and repairing deletes nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from server.store.check import LOST_AND_FOUND, Finding, check_database, repair_database
from server.store.database import Database
from server.store.migrate import upgrade
from tests.kit import stored

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHIRT, PACK, GOLD = 0x40000000 + 1, 0x40000000, 0x40000000 + 2


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with one character who wears a shirt and a pack with gold."""
    path = tmp_path / "world.db"
    upgrade(f"sqlite:///{path}", tmp_path / "backups")
    database = Database(f"sqlite:///{path}")
    world = stored.new_world(database.reserve_serials())
    stored.enter(world, database, "Arthur", stored.an_account(database).id)
    database.close()
    return path


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{path}")
    yield database
    database.close()


def tamper(path: Path, *statements: str) -> None:
    """Change the database behind the server's back."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def found(database: Database) -> list[tuple[str, int]]:
    findings = check_database(
        database, realms=stored.CONTENT.charts.keys(), templates=stored.CONTENT.items.keys()
    )
    return [(finding.kind, finding.serial) for finding in findings]


def repaired(database: Database) -> list[Finding]:
    return repair_database(
        database, template="bag", realm="field", x=3, y=4, realms=stored.CONTENT.charts.keys()
    )


def test_a_sound_world_has_no_findings(database: Database) -> None:
    assert found(database) == []


@pytest.mark.parametrize(
    ("statement", "kind", "serial"),
    [
        (f"UPDATE item SET parent = 0x40000999 WHERE serial = {GOLD}", "holder", GOLD),
        (f"UPDATE item SET parent = NULL WHERE serial = {GOLD}", "nowhere", GOLD),
        (f"UPDATE item SET realm = 'field' WHERE serial = {GOLD}", "two holders", GOLD),
        (f"UPDATE item SET layer = 0, parent = {PACK} WHERE serial = {PACK}", "ring", PACK),
        (f"UPDATE item SET parent = {PACK} WHERE serial = {SHIRT}", "layer", SHIRT),
        (f"UPDATE item SET layer = 0, parent = NULL, realm = 'x' WHERE serial = {SHIRT}", "realm", SHIRT),
        ("UPDATE character SET realm = 'x'", "realm", 1),
        (f"UPDATE item SET amount = amount | 1024 WHERE serial = {GOLD}", "gold", 0),
        (f"DELETE FROM item WHERE serial = {GOLD}", "gold", 0),
        (f"UPDATE allocator SET item_mark = {GOLD}", "serial", GOLD),
        ("UPDATE allocator SET mobile_mark = 1", "serial", 1),
    ],
)
def test_what_is_wrong_is_found_and_mended(
    path: Path, database: Database, statement: str, kind: str, serial: int
) -> None:
    tamper(path, statement)
    assert found(database) == [(kind, serial)]
    before = _all_serials(path)
    assert [(finding.kind, finding.serial) for finding in repaired(database)] == [(kind, serial)]
    assert found(database) == []
    assert before <= _all_serials(path)


def test_homeless_items_lie_in_one_visible_container(path: Path, database: Database) -> None:
    tamper(path, f"UPDATE item SET parent = 0x40000999 WHERE serial IN ({GOLD}, {SHIRT})")
    repaired(database)
    container, shirt, gold = database.ground_items()[-1:] + database.ground_items()[:-1]
    assert (container.name, container.realm, container.x, container.y) == (LOST_AND_FOUND, "field", 3, 4)
    assert shirt.parent == gold.parent == container.serial
    tamper(path, f"UPDATE item SET parent = 0x40000999 WHERE serial = {PACK}")
    repaired(database)
    assert len(database.ground_items()) == 4


def test_a_ring_of_containers_is_opened_at_one_place(path: Path, database: Database) -> None:
    insert = "INSERT INTO item SELECT {0}, 'bag', {1}, 0, 0, 0, NULL, 0, 0, 0, 1, 0, '', '', 0, 0"
    insert += 3 * ", NULL" + " "
    tamper(path, *(insert.format(0x40000100 + n, 0x40000100 + (n + 1) % 3) for n in range(3)))
    assert [kind for kind, _ in found(database)] == ["ring"]
    repaired(database)
    assert found(database) == []
    assert len(database.ground_items()) == 4


def test_unknown_kinds_are_named_and_kept(path: Path, database: Database) -> None:
    tamper(path, f"UPDATE item SET template = 'phlogiston' WHERE serial = {SHIRT}")
    assert found(database) == [("template", SHIRT)]
    repaired(database)
    assert found(database) == [("template", SHIRT)]


def test_a_character_without_account(path: Path, database: Database) -> None:
    tamper(path, "PRAGMA foreign_keys = OFF", "UPDATE character SET account = 99")
    assert found(database) == [("account", 1)]


def test_a_note_about_nobody_goes_to_the_audit(path: Path, database: Database) -> None:
    tamper(path, *(f"INSERT INTO character_notes VALUES ({serial}, 'l2', 'bar', 'F1')" for serial in (1, 99)))
    assert found(database) == [("note", 99)]
    repaired(database)
    assert found(database) == []
    assert database.note(1, "l2", "bar") == "F1"
    with closing(sqlite3.connect(path)) as connection:
        (detail,) = connection.execute("SELECT detail FROM audit").fetchone()
    assert detail == "l2 bar of 0x63: F1"


def _all_serials(path: Path) -> set[int]:
    with closing(sqlite3.connect(path)) as connection:
        return {serial for (serial,) in connection.execute("SELECT serial FROM item")}
