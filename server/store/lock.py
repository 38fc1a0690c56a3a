"""One server per world, and one per state directory.

For SQLite the lock is a second small database file, `<database>.lock`, in which a transaction stays open:
such a lock works on every system SQLite works on, ends with its process however that ends, and leaves the
world's own file free for backups and other readers. PostgreSQL has advisory locks for this; they end with
their connection, so they only keep a second server from starting. What a server that was cut off may still
write is decided by its epoch (`server.store.fence`).
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, create_engine, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from server.store.engine import LOCK_SECONDS, database_path, driver_url, is_lock_timeout
from server.store.errors import DatabaseError, DatabaseHeld
from server.store.fence import HOME

if TYPE_CHECKING:
    from pathlib import Path

ADVISORY_KEY: Final = 0x_4A05_E3A7
"""With the id of the world beside it: any number of 31 bits, the same for all servers of one database."""


class WorldLock:
    """Holds a world of `url` until `release`. Raises `DatabaseHeld` if another process holds it."""

    def __init__(self, url: str, world: int = HOME) -> None:
        self._file: sqlite3.Connection | None = None
        self._session: Connection | None = None
        path = database_path(url)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _hold(
                path.with_name(path.name + ".lock"), f"another process holds the world in {path}"
            )
        elif not url.startswith("sqlite"):
            # Autocommit: a transaction that stays open would keep PostgreSQL from ever clearing up.
            engine = create_engine(driver_url(url), poolclass=NullPool, isolation_level="AUTOCOMMIT")
            self._session = engine.connect()
            try:
                self._session.exec_driver_sql(f"SET lock_timeout = '{LOCK_SECONDS}s'")
                self._session.execute(select(func.pg_advisory_lock(ADVISORY_KEY, world)))
            except DBAPIError as error:
                self._session.close()
                if is_lock_timeout(error):
                    which = "the world" if world == HOME else f"world {world}"
                    raise DatabaseHeld(f"another server holds {which} in this database") from error
                raise

    def release(self) -> None:
        """Let the next server have the world."""
        if self._file is not None:
            self._file.close()
        if self._session is not None:
            self._session.close()


class StateLock:
    """Holds a state directory until `release`: a server's endpoints.json and admin.json lie there, whatever
    its database is. Raises `DatabaseHeld` if another server runs there."""

    def __init__(self, state_dir: Path) -> None:
        self._file = _hold(state_dir / "server.lock", f"another server runs in {state_dir}")

    def release(self) -> None:
        """Let the next server have it."""
        self._file.close()


def missing_folder(url: str, state_dir: Path) -> str | None:
    """The reason why the folder of an SQLite file cannot be used; None if it can. A missing folder is made
    within `state_dir` only: anywhere else it is more likely mistyped than meant, and a new world would begin
    there beside the old one."""
    path = database_path(url)
    if path is None or path.parent.exists() or path.resolve().is_relative_to(state_dir.resolve()):
        return None
    nearest = next(folder for folder in path.absolute().parents if folder.is_dir())
    return (
        f"{path} cannot be used: there is no folder {path.parent}, the nearest that exists is {nearest} "
        "(only folders within state_dir are made)"
    )


def require_folder(url: str, state_dir: Path) -> None:
    """Raises DatabaseError if the folder of an SQLite file is missing and is not to be made."""
    missing = missing_folder(url, state_dir)
    if missing is not None:
        raise DatabaseError(f"database.url: {missing}")


def _hold(side: Path, refusal: str) -> sqlite3.Connection:
    """Raises DatabaseHeld with `refusal`, and sqlite3.Error if the file cannot be used at all."""
    connection = sqlite3.connect(side, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        connection.close()
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        raise DatabaseHeld(f"{refusal} ({error})") from error
    return connection


def make_state_dir(state_dir: Path) -> None:
    """Make the folder, readable for others, who look for endpoints.json in it; the umask hides the other
    files from them. Raises NotADirectoryError if a file is there."""
    if not state_dir.exists():
        state_dir.mkdir(parents=True)
        state_dir.chmod(0o755)
    elif not state_dir.is_dir():
        raise NotADirectoryError(f"{state_dir} is not a directory")
