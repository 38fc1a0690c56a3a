"""The start of a server on whatever database it finds."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from server.store.backup import back_up, is_whole, whole_backups
from server.store.check import check_database
from server.store.database import Database
from server.store.engine import writing_engine
from server.store.errors import DatabaseDamaged, DatabaseNewer
from server.store.migrate import MIGRATIONS, revisions, upgrade
from server.store.tables import metadata
from tests.kit import stored

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "var" / "world.db"


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    return tmp_path / "backups"


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


def filled(path: Path, backups: Path) -> None:
    """A database with a character in it that was not closed in good order."""
    upgrade(url_of(path), backups)
    database = Database(url_of(path))
    world = stored.new_world(database.reserve_serials())
    stored.enter(world, database, "Arthur", stored.an_account(database).id)
    database.close()


def schema(path: Path) -> list[tuple[str, list[str]]]:
    """The statements that make the tables; the order of lines within one is of no concern."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT name, sql FROM sqlite_master"
            " WHERE sql NOT NULL AND name NOT LIKE 'alembic%' ORDER BY name"
        )
        # A table that was made anew has its name in quotes.
        lines = [(name, sql.replace('"', "").splitlines()) for name, sql in rows]
        return [(name, sorted(line.strip(" \t,") for line in found)) for name, found in lines]


@pytest.fixture
def next_revision(tmp_path: Path) -> Path:
    """The migrations, with one more after the last."""
    scripts = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    (scripts / "versions" / "9999_next.py").write_text(
        "import os, signal, sqlalchemy as sa\n"
        "from alembic import op\n"
        f"revision, down_revision = '9999', {revisions()[-1]!r}\n"
        "def upgrade():\n"
        "    with op.batch_alter_table('account') as table:\n"
        "        table.add_column(sa.Column('note', sa.Text, nullable=False, server_default=''))\n"
        "    if os.environ.get('DIE_HALF_WAY'):\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    return scripts


def test_from_nothing_to_the_tables_of_the_code(path: Path, backups: Path, tmp_path: Path) -> None:
    assert upgrade(url_of(path), backups) is None
    assert not backups.exists()
    engine = writing_engine(url_of(path))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()
    made = writing_engine(url_of(tmp_path / "made.db"))
    with made.connect() as connection:
        metadata.create_all(connection)
        connection.commit()
    made.dispose()
    assert schema(path) == schema(tmp_path / "made.db")


def test_an_up_to_date_database_is_left_alone(path: Path, backups: Path) -> None:
    filled(path, backups)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    assert upgrade(url_of(path), backups) is None
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def test_r36_an_older_database_is_backed_up_and_upgraded(
    path: Path, backups: Path, next_revision: Path
) -> None:
    filled(path, backups)
    backup = upgrade(url_of(path), backups, scripts=next_revision)
    assert backup is not None
    assert is_whole(backup)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name, note FROM account").fetchall() == [("somebody", "")]
    with closing(sqlite3.connect(backup)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [
            (revisions()[-1],)
        ]


def test_a_newer_database_is_refused_untouched(path: Path, backups: Path, next_revision: Path) -> None:
    filled(path, backups)
    upgrade(url_of(path), backups, scripts=next_revision)
    before = path.read_bytes()
    with pytest.raises(DatabaseNewer, match="9999"):
        upgrade(url_of(path), backups)
    assert path.read_bytes() == before


def test_r37_a_migration_killed_half_way_left_the_database_as_it_was(
    path: Path, backups: Path, next_revision: Path
) -> None:
    filled(path, backups)
    before = schema(path)
    code = (
        "import sys; from pathlib import Path; from server.store.migrate import upgrade;"
        "upgrade(sys.argv[1], Path(sys.argv[2]), scripts=Path(sys.argv[3]))"
    )
    killed = subprocess.run(
        [sys.executable, "-c", code, url_of(path), str(backups), str(next_revision)],
        cwd=ROOT,
        env={**os.environ, "DIE_HALF_WAY": "1"},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert schema(path) == before
    assert upgrade(url_of(path), backups, scripts=next_revision) is not None
    assert schema(path) != before


@pytest.mark.parametrize(
    "content", [b"this is not a database, but it is long enough" * 100, b"SQLite format 3\0" * 400]
)
def test_r33_what_is_no_database_is_damaged(path: Path, backups: Path, content: bytes) -> None:
    filled(path, backups)
    whole = back_up(path, backups, "hourly")
    path.write_bytes(content)
    with pytest.raises(DatabaseDamaged) as caught:
        upgrade(url_of(path), backups)
    assert caught.value.backups == (whole,)
    assert path.read_bytes() == content


def test_r33_broken_pages_are_found_after_a_crash(path: Path, backups: Path) -> None:
    filled(path, backups)
    whole = back_up(path, backups, "hourly")
    content = bytearray(path.read_bytes())
    # Page 1 holds the schema; some page of a table follows.
    for page in range(2, 8):
        content[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    path.write_bytes(content)
    with pytest.raises(DatabaseDamaged) as caught:
        upgrade(url_of(path), backups)
    assert caught.value.backups == (whole,)


def test_r31_an_empty_file_beside_backups_is_no_new_world(path: Path, backups: Path) -> None:
    filled(path, backups)
    back_up(path, backups, "hourly")
    path.write_bytes(b"")
    with pytest.raises(DatabaseDamaged, match="empty"):
        upgrade(url_of(path), backups)
    path.unlink()
    shutil.rmtree(backups)
    path.with_name("world.db-wal").write_bytes(b"something")
    with pytest.raises(DatabaseDamaged, match="missing"):
        upgrade(url_of(path), backups)


def test_r31_a_missing_file_beside_backups_is_no_new_world(path: Path, backups: Path) -> None:
    filled(path, backups)
    backup = back_up(path, backups, "hourly")
    path.unlink()
    with pytest.raises(DatabaseDamaged, match=f"missing.*{backup.name}") as caught:
        upgrade(url_of(path), backups)
    assert caught.value.backups == (backup,)
    assert not path.exists()


def test_r31_a_missing_file_beside_a_rescued_one_is_no_new_world(path: Path, backups: Path) -> None:
    path.parent.mkdir()
    rescued = path.with_name("world.db.rescued-77")
    rescued.write_bytes(b"of an older program: without a hash")
    with pytest.raises(DatabaseDamaged, match=rescued.name) as caught:
        upgrade(url_of(path), backups)
    assert caught.value.backups == ()
    assert not path.exists()


def test_somebody_elses_database_is_refused(path: Path, backups: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (title)")
    with pytest.raises(DatabaseDamaged, match="not a world"):
        upgrade(url_of(path), backups)


def test_r38_a_backup_proves_itself_and_can_be_played(path: Path, backups: Path) -> None:
    filled(path, backups)
    unfinished = backups / "world-old.db.tmp"
    backups.mkdir()
    unfinished.write_bytes(b"half")
    backup = back_up(path, backups, "hourly")
    upgrade(url_of(path), backups)
    assert not unfinished.exists()
    # Opening a database to write changes it (WAL is noted in its header), so a backup is only ever copied.
    restored = Path(shutil.copy(backup, path.with_name("restored.db")))
    copy = Database(url_of(restored))
    assert check_database(copy) == []
    assert copy.name_taken("Arthur")
    copy.close()

    assert whole_backups(backups, path) == [backup]
    content = bytearray(backup.read_bytes())
    content[len(content) // 2] ^= 1
    backup.write_bytes(content)
    assert whole_backups(backups, path) == []
