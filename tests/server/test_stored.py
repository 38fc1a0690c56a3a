"""What is declared as stored goes to the store and comes back, whatever it is; and what was stored by older
programs is in its place."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest
from sqlalchemy import inspect, text, update

from server.store.database import Database
from server.store.engine import writing_engine
from server.store.migrate import MIGRATIONS, upgrade
from server.store.pending import Pending
from server.store.records import Batch, Refusal
from server.store.tables import metadata
from tests.kit import postgres, stored
from world import marks
from world.parts import Fighter, Journal, Learner, Lock, Progress, Skill, bind
from world.snapshot import (
    CHARACTER,
    NO_PARTS,
    PART_TABLES,
    QUESTS,
    SKILLS,
    CharacterRow,
    changed_row,
    character_row,
    restore_character,
)
from world.stored import columns, put

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from world.mobile import Mobile
    from world.stored import Column

KINDS = [
    "sqlite",
    pytest.param("postgresql", marks=pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY)),
]


@pytest.fixture(params=KINDS)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of its own, of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'world.db'}"
    return str(request.getfixturevalue("empty_url"))


@pytest.fixture
def database(address: str, tmp_path: Path) -> Iterator[Database]:
    upgrade(address, tmp_path / "backups")
    database = Database(address)
    yield database
    database.close()


@pytest.fixture
def memory() -> Iterator[Database]:
    database = Database("sqlite://")
    yield database
    database.close()


def some(declared: Sequence[Column], seed: int) -> list[object]:
    """A value for each column that no other has, as far as its kind lets it."""
    made: dict[type, list[object]] = {}
    for at, column in enumerate(declared):
        number = seed + at + (2**40 if column.wide else 0)
        value = {bool: at % 2 == seed % 2, int: number, float: number / 4, str: f"é{number}"}[column.kind]
        made.setdefault(column.kind, []).append(value)
    return [made[column.kind].pop(0) for column in declared]


def fill(mobile: Mobile, seed: int) -> None:
    """Give everything that is written of a character while it plays another value."""
    changing = [column for column in CHARACTER if not (column.fixed or column.reference)]
    put(mobile, changing, some(changing, seed))
    mobile.endow()
    for table in PART_TABLES:
        part = getattr(mobile, table.part)
        put(part, table.columns, some(table.columns, seed + 100))
        part.touch()
    assert mobile.learner is not None
    for at, name in enumerate(("magery", "swords")):
        skill = mobile.learner.skills[name] = Skill()
        put(skill, SKILLS.columns, some(SKILLS.columns, seed + 200 + at))
    mobile.journal = mobile.journal or bind(Journal(), mobile)
    for at, key in enumerate(("bread", "rats")):
        progress = mobile.journal.quests[key] = Progress()
        put(progress, QUESTS.columns, some(QUESTS.columns, seed + 300 + at))
    mobile.journal.touch()
    for at, name in enumerate(("helped", "promised")):
        marks.set_mark(mobile, name, (seed + at) % 2 == 0)


def load(database: Database, mobile: Mobile) -> CharacterRow:
    found = database.character(mobile.serial)
    assert found is not None
    # Through a mobile, too: every column is put back where it was read.
    restored = restore_character(*found, stored.new_world()).mobile
    assert restored is not None
    assert character_row(restored) == found[0]
    return found[0]


def test_everything_that_is_declared_comes_back(database: Database) -> None:
    mobile = stored.new_character(stored.new_world(), "Arthur", stored.an_account(database).id)
    fill(mobile, 1000)
    row, items = stored.rows_of(mobile)
    assert database.create_character(row, items, 3) == row
    assert database.claim(mobile.serial)
    assert load(database, mobile) == row
    before = character_row(mobile)
    fill(mobile, 5001)
    changed = changed_row(mobile)
    assert changed == character_row(mobile)
    kept = {column.name for column in CHARACTER if column.fixed} | {"template", "realm"}
    differing = [n for n, old, new in zip(row._fields, before, changed, strict=True) if old != new]
    assert set(differing) == {*row._fields} - kept
    database.commit_batch(Batch(1, 1.0, [changed], [], (), None, ()))
    assert load(database, mobile) == changed
    assert database.characters(row.account)[0].row._replace(parts=changed.parts) == changed


def test_every_stored_attribute_is_a_column_and_every_column_is_declared() -> None:
    """Beside what the store itself adds."""
    own = {"character": {"delete_at", "world"}}
    tables = {"character": CHARACTER, **{table.part: table.columns for table in PART_TABLES}}
    for name, declared in tables.items():
        ours = {"character"} if name != "character" else set()
        assert set(metadata.tables[name].columns.keys()) == (
            {column.name for column in declared} | own.get(name, set()) | ours
        )


def test_an_attribute_is_declared_once() -> None:
    """No name of one stands anywhere else between the world and the tables."""
    names = [column.name for cls in (Fighter, Learner, Skill, Progress) for column in columns(cls)]
    assert len(names) == len(set(names))
    assert attrs.fields_dict(Fighter).keys() >= {"_strength", "_war"}
    assert "war" not in {column.name for column in columns(Fighter)}


def test_what_has_not_changed_of_the_parts_is_not_written(memory: Database) -> None:
    world = stored.new_world()
    mobile = stored.enter(world, memory, "Arthur", stored.an_account(memory).id)
    mobile.endow()
    mobile.x += 1
    assert changed_row(mobile).parts is NO_PARTS
    mobile.strength += 1
    assert world.dirty == {mobile.serial: mobile}
    parts = changed_row(mobile).parts
    assert [row is not None for row in parts.rows] == [table.part == "fighter" for table in PART_TABLES]
    assert parts.skills == ()
    assert changed_row(mobile).parts is NO_PARTS
    assert mobile.learner is not None
    mobile.learner.learn("magery", 305)
    mobile.learner.lock("magery", Lock.FIXED)
    assert changed_row(mobile).parts.skills == ((305, Lock.FIXED, mobile.serial, "magery"),)


def test_a_part_that_was_not_written_is_written_with_the_next_batch(memory: Database) -> None:
    mobile = stored.enter(stored.new_world(), memory, "Arthur", stored.an_account(memory).id)
    failed, after = Pending(), Pending()
    mobile.strength, mobile.level = 40, 3
    failed.add({mobile.serial: mobile}, set())
    mobile.strength, mobile.x = 41, 9
    after.add({mobile.serial: mobile}, set())
    mobile.x = 10
    after.add({mobile.serial: mobile}, set())
    after.put_back(failed)
    row = after.characters[mobile.serial]
    memory.commit_batch(Batch(1, 1.0, [row], [], (), None, ()))
    mobile.fighter, mobile.learner = mobile.fighter, mobile.learner
    loaded = load(memory, mobile)
    restored = restore_character(loaded, [], stored.new_world()).mobile
    assert restored is not None
    assert (restored.strength, restored.level, restored.x) == (41, 3, 10)


def test_parts_of_a_character_that_was_deleted_are_no_rows(memory: Database) -> None:
    mobile = stored.enter(stored.new_world(), memory, "Arthur", stored.an_account(memory).id)
    mobile.endow()
    fill(mobile, 7)
    row = changed_row(mobile)
    assert memory.delete_character(mobile.account, mobile.serial)
    memory.commit_batch(Batch(1, 1.0, [row], [], (), None, ()))
    with memory.read() as connection:
        for name in ("fighter", "learner", "caster", "skill", "journal", "mark", "character_name"):
            assert connection.execute(text(f"SELECT * FROM {name}")).all() == [], name


# Names


def test_two_characters_share_no_name_of_either_kind(memory: Database) -> None:
    account, world = stored.an_account(memory).id, stored.new_world()

    def made(name: str) -> str | Refusal:
        mobile = stored.new_character(world, name, account)
        row, items = stored.rows_of(mobile)
        created = memory.create_character(row._replace(short_name=""), items, 99)
        return created if isinstance(created, Refusal) else created.short_name

    assert made("Bob") == "Boban"
    assert made("John Smith") == "Johnsmith"
    assert made("Johnsmith") is Refusal.TAKEN
    assert made("John-Smith") is Refusal.TAKEN
    assert made("Boban") is Refusal.TAKEN
    assert made("Abcdefghijkl") == "Abcdefghijkl"
    assert made("Abcdefghijklm") == "Abcdefghijan"
    assert made("D'Artagnan") == "Dartagnan"
    assert memory.name_taken("dartagnan")


def test_short_names_do_not_run_out_soon(memory: Database) -> None:
    account, world = stored.an_account(memory).id, stored.new_world()
    shorts = set()
    for ending in "abcdefghkmnoprstuvwxyz":
        mobile = stored.new_character(world, f"Abcdefghijkl{ending}", account)
        row, items = stored.rows_of(mobile)
        created = memory.create_character(row._replace(short_name=""), items, 99)
        assert isinstance(created, CharacterRow)
        shorts.add(created.short_name)
    assert len(shorts) == 22


# Databases of older programs


def migrations_up_to(last: str, folder: Path) -> Path:
    """The migrations of the program that knew no later one."""
    scripts = folder / "migrations"
    shutil.copytree(MIGRATIONS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    for version in (scripts / "versions").iterdir():
        if version.name[:4] > last:
            version.unlink()
    return scripts


def test_what_was_a_column_is_in_the_row_of_its_part(address: str, tmp_path: Path) -> None:
    upgrade(address, tmp_path / "backups", scripts=migrations_up_to("0003", tmp_path))
    engine = writing_engine(address)
    with engine.connect() as connection:
        old = {column["name"] for column in inspect(connection).get_columns("character")}
        connection.rollback()
        values: dict[str, object] = dict.fromkeys(old, 1)
        values |= {"name": "Arthur", "name_key": "arthur", "template": "human", "realm": "field", "title": ""}
        values |= {"serial": 7, "female": False, "dead": False, "hidden": False, "delete_at": None}
        values |= {"strength": 21, "dexterity": 22, "intelligence": 23, "level": 4, "experience": 2**40}
        values |= {"mana": 31, "mana_max": 32, "hits": 33, "beard": 6}
        connection.execute(
            text(
                "INSERT INTO account (id, name, password, access, created_at, ban_reason, last_address)"
                " VALUES (1, 'anna', '', 0, 0, '', '')"
            )
        )
        names = ", ".join(values)
        marks = ", ".join(f":{name}" for name in values)
        connection.execute(text(f"INSERT INTO character ({names}) VALUES ({marks})"), values)
        connection.execute(
            text("INSERT INTO character_notes (character, game, key, text) VALUES (7, 'l2', 'class', 'elf')")
        )
        connection.commit()
    engine.dispose()

    upgrade(address, tmp_path / "backups")
    database = Database(address)
    found = database.character(7)
    assert found is not None
    mobile = restore_character(*found, stored.new_world()).mobile
    assert mobile is not None
    assert (mobile.strength, mobile.dexterity, mobile.intelligence, mobile.vitality) == (21, 22, 23, 10)
    assert (mobile.level, mobile.experience, mobile.mana, mobile.mana_max) == (4, 2**40, 78, 78)
    assert (mobile.name, mobile.short_name, mobile.hits, mobile.beard) == ("Arthur", "Arthur", 84, 6)
    assert mobile.hits_max == 84, "30 and half of the strength, twice the vitality, 6 a level"
    assert mobile.learner is not None
    known = {name: skill.value for name, skill in mobile.learner.skills.items()}
    assert known == {"daggers": 300, "tactics": 300, "healing": 300}
    assert database.name_taken("ARTHUR")
    assert database.note(7, "l2", "class") == "elf"
    # What an operator changes with SQL counts.
    fighter = metadata.tables["fighter"]
    with database.write() as connection:
        connection.execute(update(fighter).where(fighter.c.character == 7).values(strength=60))
    again = database.character(7)
    assert again is not None
    changed = restore_character(*again, stored.new_world()).mobile
    assert changed is not None
    assert changed.strength == 60
    database.close()


def test_lists_that_nobody_has_any_more_are_gone(tmp_path: Path) -> None:
    """Another world than the one with all lists could delete a character, and leave its entries."""
    path = tmp_path / "old.db"
    dump = Path(__file__).parents[1] / "data" / "schema_v0018.sql"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(dump.read_text(encoding="utf-8"))
        (serial,) = connection.execute("SELECT serial FROM character").fetchone()
        rows = [(serial, serial + 1, 1), (serial + 1, serial, 2)]
        names = "INSERT INTO listing (owner, other, name, ignored, number) VALUES (?, ?, 'Bert', 0, ?)"
        connection.executemany(names, rows)
        connection.commit()
    upgrade(f"sqlite:///{path}", tmp_path / "backups")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT owner, number FROM listing").fetchall() == [(serial, 1)]
