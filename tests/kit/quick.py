"""Databases in memory, quicker.

A server opens one database, a run of the tests more than a thousand in each process, and most of what that
costs is to compile the same few statements anew. Here each process compiles them once for each kind of
database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from server.store import database
from server.store.batch import BatchStatements
from server.store.tables import metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection, Dialect

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
        for sql in self._tables:
            connection.exec_driver_sql(sql)


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


def quicken() -> None:
    """From now on."""
    vars(database).update(metadata=Schema(), BatchStatements=Statements())
