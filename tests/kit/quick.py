"""Databases, quicker.

A server opens one database, a run of the tests more than a thousand in each process, and most of what that
costs is to make the same tables and to compile the same few statements anew. Here each process makes the
tables once, of which every database in memory is a copy, and compiles once for each kind of database. A new
file is migrated once as well, and the next ones are copies of what came of that. (For those of PostgreSQL see
`tests.kit.postgres.Cluster.migrated`.)
"""

from __future__ import annotations

import sqlite3
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from sqlalchemy import create_engine, event, func, inspect, update
from sqlalchemy.pool import StaticPool

from server.store import connections, engine, migrate
from server.store.connections import start_meta
from server.store.tables import metadata, world

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import URL, Connection, Engine


@cache
def _first() -> Connection:
    """A database in memory with every table, index and first row, made as a server makes one. The others are
    copies of it, page by page: a tenth of what it takes to have SQLite read all that again."""
    connection = create_engine(
        "sqlite://", connect_args={"check_same_thread": False}, poolclass=StaticPool
    ).connect()
    with connection.begin():
        metadata.create_all(connection)
        start_meta(connection)
    return connection


def _copy(connection: sqlite3.Connection, _record: object) -> None:
    first = _first().connection.driver_connection
    assert first is not None
    first.backup(connection)


class Copied:
    """In place of `metadata`: what is in memory is a copy by now."""

    def create_all(self, connection: Connection) -> None:
        """Everything is there."""


def _started(connection: Connection) -> None:
    """In place of `start_meta`: the rows are there, too."""


class Engines:
    """In place of `create_engine`: those of SQLite share what SQLAlchemy has compiled for it. Each would
    compile every query anew otherwise, a login's and an entry's among them: as much work as all the rest that
    a server in memory does until somebody plays."""

    def __init__(self) -> None:
        self._first: Engine | None = None

    def __call__(self, url: str | URL, **options: object) -> Engine:
        """A new engine. What is compiled is kept by dialect, so that is one for all, too."""
        made = create_engine(url, **options)
        if made.dialect.name == "sqlite":
            if self._first is None:
                self._first = made
            made.dialect = self._first.dialect
            made._compiled_cache = self._first._compiled_cache
            if made.url.database is None:
                event.listen(made, "connect", _copy)
        return made


class Upgrades:
    """In place of `alembic.command`: the first empty file is migrated, revision by revision; the others begin
    as copies of it. Whatever has tables already, or other revisions, goes through its own."""

    def __init__(self) -> None:
        self._migrated: sqlite3.Connection | None = None

    def upgrade(self, config: Config, revision: str) -> None:
        """To that revision, which is the newest."""
        connection = config.attributes["connection"]
        raw = connection.connection.driver_connection
        usual = Path(config.get_main_option("script_location") or "") == migrate.MIGRATIONS
        new = usual and isinstance(raw, sqlite3.Connection) and not inspect(connection).get_table_names()
        connection.rollback()
        if new and self._migrated is not None:
            self._migrated.backup(raw)
            with connection.begin():
                # As the revision that made it has it.
                connection.execute(update(world).values(beat=func.now()))
            return
        command.upgrade(config, revision)
        if new:
            connection.commit()
            self._migrated = sqlite3.connect(":memory:", check_same_thread=False)
            raw.backup(self._migrated)


def prepare_upgrades() -> None:
    """The same, with the first file migrated at once: for all children of this process."""
    vars(migrate).update(command=Upgrades())
    with tempfile.TemporaryDirectory() as folder:
        migrate.upgrade(f"sqlite:///{folder}/first.db", Path(folder))


def quicken() -> None:
    """From now on."""
    vars(connections).update(metadata=Copied(), start_meta=_started)
    vars(engine).update(create_engine=Engines())
    vars(migrate).update(command=Upgrades())
