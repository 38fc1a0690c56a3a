"""Connections: how SQLite has to be opened so that a commit is a commit.

Python's sqlite3 starts transactions by itself and late; here it never does (`isolation_level` None), and
every SQLAlchemy transaction opens with BEGIN IMMEDIATE on a writing connection, so that waiting for another
writer happens at the start, within the busy timeout, and never in the middle. WAL lets readers read
meanwhile.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.pool import QueuePool, StaticPool

if TYPE_CHECKING:
    import sqlite3


def database_path(url: str) -> Path | None:
    """The SQLite file of a URL; None for a database in memory and for other servers."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    return Path(str(parsed.database))


def require_driver(url: str) -> None:
    """Raises ImportError or SQLAlchemyError if no module here speaks to this kind of database."""
    make_url(url).get_dialect().import_dbapi()


def writing_engine(url: str, *, synchronous: str = "full", busy_seconds: float = 5.0) -> Engine:
    """An engine over one single connection that may write. `synchronous` is SQLite's: full or normal."""
    return _engine(
        url, "BEGIN IMMEDIATE", f"PRAGMA synchronous={_level(synchronous)}", busy_seconds, readers=0
    )


def reading_engine(url: str, *, readers: int = 4, busy_seconds: float = 5.0) -> Engine:
    """An engine over at most `readers` connections that cannot write."""
    return _engine(url, "BEGIN", "PRAGMA query_only=ON", busy_seconds, readers=readers)


def _level(synchronous: str) -> str:
    if synchronous not in ("full", "normal"):
        raise ValueError(f"synchronous is full or normal, not {synchronous!r}")
    return synchronous


def _engine(url: str, begin: str, pragma: str, busy_seconds: float, *, readers: int) -> Engine:
    if make_url(url).get_backend_name() != "sqlite":
        # "format" makes parameters positional, so that batches of tuples need no names.
        engine = create_engine(url, paramstyle="format", pool_size=readers or 1, max_overflow=0)
        return engine.execution_options(postgresql_readonly=True) if readers else engine
    arguments = {"check_same_thread": False, "timeout": busy_seconds}
    if readers:
        engine = create_engine(
            url, connect_args=arguments, poolclass=QueuePool, pool_size=readers, max_overflow=0
        )
    else:
        engine = create_engine(url, connect_args=arguments, poolclass=StaticPool)

    def connected(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        if not readers:
            connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute(pragma)

    def begun(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", begun)
    return engine
