"""Databases in memory, quicker.

A server opens one database, a run of the tests more than a thousand in each process, and most of what that
costs is to make the same tables and to compile the same few statements anew. Here each process makes the
tables once, of which every database in memory is a copy, and compiles once for each kind of database.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import create_engine, event
from sqlalchemy.pool import StaticPool

from server.store import connections, engine
from server.store.batch import BatchStatements
from server.store.connections import start_meta
from server.store.tables import metadata

if TYPE_CHECKING:
    import sqlite3

    from sqlalchemy import URL, Connection, Dialect, Engine


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


class Statements:
    """In place of `BatchStatements`: those of each kind of database are compiled once."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str, int], BatchStatements] = {}

    def __call__(self, dialect: Dialect, world: int) -> BatchStatements:
        """For this kind of database."""
        kind = dialect.name, dialect.driver, world
        if kind not in self._made:
            self._made[kind] = BatchStatements(dialect, world)
        return self._made[kind]


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


def quicken() -> None:
    """From now on."""
    vars(connections).update(metadata=Copied(), start_meta=_started, BatchStatements=Statements())
    vars(engine).update(create_engine=Engines())
