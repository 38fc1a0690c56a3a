"""The connections to a database: one writes, up to four read and cannot write.

Here is how a transaction begins and ends: behind the fence (`server.store.fence`), and in a file that is
still the one it was. What is asked and written is in modules by topic, each a class over these connections.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import insert

from server.store.backup import publish
from server.store.batch import statements_of
from server.store.engine import database_path, reading_engine, writing_engine
from server.store.errors import DatabaseReplaced
from server.store.fence import HOME, Fence, start_world
from server.store.tables import allocator, meta, metadata
from world.serials import FIRST_ITEM, FIRST_MOBILE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection


def start_meta(connection: Connection) -> None:
    """The row of `allocator`, and those of the home world, in a database that was created just now."""
    connection.execute(insert(allocator).values(id=1, mobile_mark=FIRST_MOBILE, item_mark=FIRST_ITEM))
    connection.execute(insert(meta).values(id=HOME, tick=0, wall=0.0, clean=True, gold=0))
    start_world(connection)


class Connections:
    """An open database: transactions, and no questions yet. `server.store.database.Database` is what is
    opened."""

    def __init__(
        self,
        url: str,
        *,
        synchronous: str = "full",
        busy_seconds: float = 5.0,
        readers: int = 4,
        guest: bool = False,
        world: int = HOME,
        idle_seconds: float | None = None,
    ) -> None:
        """A `guest` shares the database with a world server: it writes accounts, and nothing of the world.
        Everybody else raises DatabaseHeld if another process writes to this `world`. `idle_seconds`: see
        `server.store.engine.writing_engine`."""
        self.path = database_path(url)
        self.shared = url.startswith("sqlite") and self.path is None
        """Whether readers use the writing connection: a database in memory has no other."""
        self._writing = writing_engine(
            url,
            synchronous=synchronous,
            busy_seconds=busy_seconds,
            world=None if guest else world,
            idle_seconds=idle_seconds,
        )
        self._reading = (
            self._writing if self.shared else reading_engine(url, readers=readers, busy_seconds=busy_seconds)
        )
        self._connection = self._writing.connect()
        self._statements = statements_of(self._writing.dialect, world)
        if self.shared:
            with self._connection.begin():
                metadata.create_all(self._connection)
                start_meta(self._connection)
        self._file = self._file_now()
        self.fence = Fence(world)
        if not guest and not url.startswith("sqlite"):
            self.fence.take_over(self._connection)

    @property
    def epoch(self) -> int | None:
        """Under which this process has the world; None of guests, and where a file lock keeps others out."""
        return self.fence.epoch

    def close(self) -> None:
        """Close every connection. Nothing is written."""
        self._connection.close()
        self._reading.dispose()
        self._writing.dispose()

    @contextlib.contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction on the writing connection.

        Raises `DatabaseReplaced` if the file was taken away meanwhile: nothing is committed then, but what
        was before is saved to a new file.
        """
        try:
            with self._transaction():
                yield self._connection
        except DatabaseReplaced as error:
            rescued = self._rescue()
            saved = f"; what was in it is now {rescued}" if rescued is not None else ""
            raise DatabaseReplaced(f"{error}{saved}", rescued) from error

    @contextlib.contextmanager
    def read(self) -> Iterator[Connection]:
        """One consistent look at the database."""
        if self.shared:
            with self._connection.begin():
                yield self._connection
        else:
            with self._reading.connect() as connection, connection.begin():
                yield connection

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self.fence.require()
        if self._connection.invalidated:
            # To come back takes the writer's lock, and that may be waited for. This is known at once.
            self._look_at_fence()
        with self._connection.begin():
            self.fence.beat(self._connection)
            yield
            self._require_same_file()

    def _look_at_fence(self) -> None:
        if self.fence.epoch is not None:
            with self.read() as connection:
                self.fence.look(connection)

    def _sqlite(self) -> sqlite3.Connection:
        """The writing connection itself: neither VACUUM nor a checkpoint runs inside a transaction."""
        raw = self._connection.connection.driver_connection
        if not isinstance(raw, sqlite3.Connection):
            raise TypeError("not an SQLite database")
        return raw

    def _file_now(self) -> tuple[int, int] | None:
        if self.path is None:
            return None
        try:
            status = os.stat(self.path)
        except OSError:
            return (-1, -1)
        return status.st_dev, status.st_ino

    def _require_same_file(self) -> None:
        # SQLite goes on writing into a deleted file without a word.
        if self._file_now() != self._file:
            raise DatabaseReplaced(f"{self.path} was deleted or replaced under the running server")

    def _rescue(self) -> Path | None:
        """Copy the lost file, which is still open, to a new one."""
        if self.path is None:
            return None
        for directory in (self.path.parent, Path(tempfile.gettempdir())):
            rescued = directory / f"{self.path.name}.rescued-{os.getpid()}"
            fresh = rescued.with_name(rescued.name + ".tmp")
            try:
                # The directory may be gone with the file; there the next start finds what was rescued.
                directory.mkdir(parents=True, exist_ok=True)
                fresh.unlink(missing_ok=True)
                self._sqlite().execute("VACUUM INTO ?", (str(fresh),)).close()
                publish(fresh, rescued)
            except (OSError, sqlite3.Error):
                continue
            return rescued
        return None
