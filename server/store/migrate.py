"""Bringing a database up to date when a server starts: the only way its schema ever changes.

Revisions live in migrations/ and only go forward, each in a transaction of its own, after a backup of
whatever was there. A database that is newer than the program, or broken, is left exactly as it is: an empty
world must never start over a damaged one.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, func, inspect, select
from sqlalchemy.exc import DBAPIError

from server.store.backup import back_up, remove_unfinished, rescued_files, whole_backups
from server.store.engine import database_path, is_lock_timeout, reading_engine, writing_engine
from server.store.errors import DatabaseDamaged, DatabaseHeld, DatabaseNewer, is_damage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MIGRATION_KEY: Final = 0x_CA05_E3A9
"""Advisory lock of who migrates: any number, the same for all servers of one database."""
MIGRATION_SECONDS: Final = 60
"""For which that is waited for."""
MIGRATIONS: Final = Path(__file__).resolve().parents[2] / "migrations"


def revisions(scripts: Path = MIGRATIONS) -> list[str]:
    """Every revision this program knows, oldest first."""
    walk = ScriptDirectory.from_config(_config(scripts)).walk_revisions()
    return [script.revision for script in walk][::-1]


def upgrade(url: str, backup_dir: Path, *, scripts: Path = MIGRATIONS) -> Path | None:
    """Create the database, or bring it up to date; the backup made before, if any.

    The caller holds its world's lock. Raises `DatabaseNewer`, or `DatabaseDamaged` with the backups to
    restore from. PostgreSQL is upgraded without a backup: that is its operator's `pg_dump`. There several
    worlds may start at once: the first does it, the others wait. Raises `DatabaseHeld` if that takes longer
    than `MIGRATION_SECONDS`.
    """
    path = database_path(url)
    if path is None:
        if url.startswith("sqlite"):
            return None  # a database in memory is made when it is opened
        _upgrade(url, None, backup_dir, scripts)
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_unfinished(backup_dir, path)
    _refuse_remains(path, backup_dir)
    try:
        return _upgrade(url, path, backup_dir, scripts)
    except Exception as error:
        if is_damage(error):
            cause = getattr(error, "orig", error)
            raise DatabaseDamaged(f"{path}: {cause}", whole_backups(backup_dir, path)) from error
        raise


def is_current(url: str, *, scripts: Path = MIGRATIONS) -> bool:
    """Whether the database is there and up to date. Nothing is written. Raises `DatabaseNewer`."""
    path = database_path(url)
    if path is not None and not path.exists():
        return False
    known = revisions(scripts)
    engine = reading_engine(url, readers=1)
    try:
        with engine.connect() as connection:
            current = MigrationContext.configure(connection).get_current_revision()
    finally:
        engine.dispose()
    if current is not None and current not in known:
        raise DatabaseNewer(
            f"the database has version {current}, this program knows up to {known[-1]}: update the program"
        )
    return current == known[-1]


def _upgrade(url: str, path: Path | None, backup_dir: Path, scripts: Path) -> Path | None:
    known = revisions(scripts)
    backup = None
    if path is not None and path.exists():
        _quick_check(path, backup_dir)
    engine = writing_engine(url, world=None)
    try:
        with engine.connect() as connection, _alone(connection):
            current = _current(connection, known, path, backup_dir)
            connection.rollback()
            if current == known[-1]:
                return None
            if current is not None and path is not None:
                backup = back_up(path, backup_dir, f"before-{known[-1]}-{int(time.time())}")
            config = _config(scripts)
            config.attributes["connection"] = connection
            with _tables_may_be_rebuilt(connection):
                command.upgrade(config, "head")
                connection.commit()
    finally:
        engine.dispose()
    return backup


@contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    """While no other process migrates; for a file the world's lock has seen to that."""
    if connection.dialect.name == "sqlite":
        yield
        return
    try:
        connection.exec_driver_sql(f"SET lock_timeout = '{MIGRATION_SECONDS}s'")
        connection.execute(select(func.pg_advisory_lock(MIGRATION_KEY)))
    except DBAPIError as error:
        if is_lock_timeout(error):
            raise DatabaseHeld("another process has been migrating this database for too long") from error
        raise
    connection.exec_driver_sql("RESET lock_timeout")
    connection.commit()
    # The lock ends with the connection.
    yield


@contextmanager
def _tables_may_be_rebuilt(connection: Connection) -> Iterator[None]:
    """SQLite alters most of a table by making it anew and dropping the old one, which rows that refer to it
    forbid. So it does not look at references meanwhile, and at all of them afterwards (sqlite.org,
    lang_altertable). Raises DatabaseDamaged if that broke any."""
    raw = connection.connection.driver_connection
    if not isinstance(raw, sqlite3.Connection):
        yield
        return
    raw.execute("PRAGMA foreign_keys=OFF")
    before = len(raw.execute("PRAGMA foreign_key_check").fetchall())
    yield
    broken = raw.execute("PRAGMA foreign_key_check").fetchall()
    raw.execute("PRAGMA foreign_keys=ON")
    if len(broken) > before:
        raise DatabaseDamaged(f"{len(broken)} rows refer to rows that are not there: {broken[:5]}", [])


def _config(scripts: Path) -> Config:
    config = Config()
    # A percent sign would be read as an interpolation.
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _current(connection: Connection, known: Sequence[str], path: Path | None, backup_dir: Path) -> str | None:
    """The database's revision, None if it is empty."""
    current = MigrationContext.configure(connection).get_current_revision()
    if current is None:
        tables = inspect(connection).get_table_names()
        if set(tables) - {"alembic_version"}:
            backups = [] if path is None else whole_backups(backup_dir, path)
            raise DatabaseDamaged(
                f"{path or 'the database'} has tables but no version: not a world of ours", backups
            )
    elif current not in known:
        raise DatabaseNewer(
            f"the database has version {current}, this program knows up to {known[-1]}: update the program"
        )
    return current


def _quick_check(path: Path, backup_dir: Path) -> None:
    """After anything but an orderly stop, look at every page before anything is written."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=5.0)) as connection:
        try:
            row = connection.execute("SELECT clean FROM meta").fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            return
        if row is None or not row[0]:
            lines = [line for (line,) in connection.execute("PRAGMA quick_check")]
            if row is None or lines != ["ok"]:
                detail = "; ".join(str(line) for line in lines[:5])
                raise DatabaseDamaged(f"{path} is damaged: {detail}", whole_backups(backup_dir, path))


def _refuse_remains(path: Path, backup_dir: Path) -> None:
    """An empty or missing file is a new world only if nothing tells of an old one."""
    if path.exists() and path.stat().st_size:
        return
    state = "empty" if path.exists() else "missing"
    wal = path.with_name(path.name + "-wal")
    backups = whole_backups(backup_dir, path)
    remains = sorted({*backups, *rescued_files(path)})
    if wal.exists() and wal.stat().st_size:
        remains.append(wal)
    if remains:
        raise DatabaseDamaged(
            f"{path} is {state}, but there is {', '.join(map(str, remains))}: restore it, or move these away "
            "if a new world shall begin",
            backups,
        )
