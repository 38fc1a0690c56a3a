"""One server per world.

For SQLite the lock is a second small database file, `<database>.lock`, in which a transaction stays open:
such a lock works on every system SQLite works on, ends with its process however that ends, and leaves the
world's own file free for backups and other readers. PostgreSQL has advisory locks for this.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from sqlalchemy import Connection, create_engine, func, select
from sqlalchemy.pool import NullPool

from server.store.engine import database_path
from server.store.errors import DatabaseHeld

ADVISORY_KEY: Final = 0x_CA05_E3A7
"""Any number, the same for all servers of one database."""


class WorldLock:
    """Holds the world of `url` until `release`. Raises `DatabaseHeld` if another process holds it."""

    def __init__(self, url: str) -> None:
        self._file: sqlite3.Connection | None = None
        self._session: Connection | None = None
        path = database_path(url)
        if path is not None:
            side = path.with_name(path.name + ".lock")
            side.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(side, timeout=0, isolation_level=None, check_same_thread=False)
            try:
                self._file.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                self._file.close()
                raise DatabaseHeld(f"another process holds the world in {path} ({error})") from error
        elif not url.startswith("sqlite"):
            self._session = create_engine(url, poolclass=NullPool).connect()
            if not self._session.scalar(select(func.pg_try_advisory_lock(ADVISORY_KEY))):
                self._session.close()
                raise DatabaseHeld("another server holds the world in this database")

    def release(self) -> None:
        """Let the next server have the world."""
        if self._file is not None:
            self._file.close()
        if self._session is not None:
            self._session.close()
