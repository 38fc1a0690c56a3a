"""Databases in memory, quicker.

A server opens one database, a run of the tests more than a thousand in each process, and most of what that
costs is to compile the same few statements anew. Here each process compiles them once for each kind of
database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import create_engine

from server.store import connections, engine
from server.store.batch import BatchStatements
from server.store.tables import metadata

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Dialect, Engine

_SCHEMA: Final = (
    "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
)


class Schema:
    """In place of `metadata`: SQLAlchemy makes the first database, the others are made as that one says."""

    def __init__(self) -> None:
        self._tables: list[str] = []

    def create_all(self, connection: Connection) -> None:
        """Every table and index, in an empty database of SQLite."""
        if not self._tables:
            metadata.create_all(connection)
            self._tables = list(connection.exec_driver_sql(_SCHEMA).scalars())
            return
        cursor = connection.connection.cursor()
        for sql in self._tables:
            cursor.execute(sql)
        cursor.close()


class Statements:
    """In place of `BatchStatements`: those of each kind of database are compiled once."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], BatchStatements] = {}

    def __call__(self, dialect: Dialect) -> BatchStatements:
        """For this kind of database."""
        kind = dialect.name, dialect.driver
        if kind not in self._made:
            self._made[kind] = BatchStatements(dialect)
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
        return made


def quicken() -> None:
    """From now on."""
    vars(connections).update(metadata=Schema(), BatchStatements=Statements())
    vars(engine).update(create_engine=Engines())
