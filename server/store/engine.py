"""Connections: how SQLite has to be opened so that a commit is a commit.

Python's sqlite3 starts transactions by itself and late; here it never does (`isolation_level` None), and
every SQLAlchemy transaction opens with BEGIN IMMEDIATE on a writing connection, so that waiting for another
writer happens at the start, within the busy timeout, and never in the middle. WAL lets readers read
meanwhile.

PostgreSQL is spoken to through psycopg. There a writing connection holds the advisory lock of its world for
as long as it lives: when the database server was away, whoever comes back first is the one writer, and nobody
takes over a world that is alive. A lock is free again when its last owner has gone; that a server which comes
back later still writes nothing is what `Database` has epochs for.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypedDict

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.pool import QueuePool, StaticPool

from server.store.errors import DatabaseHeld

if TYPE_CHECKING:
    import sqlite3

    from sqlalchemy.engine.interfaces import DBAPIConnection


class _PostgresqlOptions(TypedDict):
    """What both engines have in common, as `create_engine` names it."""

    paramstyle: Literal["format"]
    max_overflow: int
    connect_args: dict[str, object]


WRITER_KEY: Final = 0x_4A05_E3A8
"""Advisory lock of the connection that writes, with the id of its world beside it: any number of 31 bits, the
same for all servers of one database."""
LOCK_SECONDS: Final = 2
"""For which a lock is waited for."""
_LOCK_NOT_AVAILABLE: Final = "55P03"
"""PostgreSQL, appendix A: Error Codes."""
_DEAD_SECONDS: Final = 15
"""After which a connection counts as dead whose other end does not answer (libpq's tcp_user_timeout)."""


def database_path(url: str) -> Path | None:
    """The SQLite file of a URL; None for a database in memory and for other servers."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    return Path(str(parsed.database))


def driver_url(url: str) -> URL:
    """The URL with the driver this program is tested with, where none is named."""
    parsed = make_url(url)
    return parsed.set(drivername="postgresql+psycopg") if parsed.drivername == "postgresql" else parsed


def is_lock_timeout(error: BaseException) -> bool:
    """Whether PostgreSQL says that it waited for a lock in vain."""
    return getattr(getattr(error, "orig", error), "sqlstate", None) == _LOCK_NOT_AVAILABLE


def require_driver(url: str) -> None:
    """Raises ImportError or SQLAlchemyError if no module here speaks to this kind of database."""
    driver_url(url).get_dialect().import_dbapi()


def writing_engine(
    url: str,
    *,
    synchronous: str = "full",
    busy_seconds: float = 5.0,
    world: int | None = 1,
    idle_seconds: float | None = None,
) -> Engine:
    """An engine over one single connection that may write. `synchronous` is SQLite's: full or normal.

    On PostgreSQL it holds the lock of that world; with None, of a guest or for a migration, it writes beside
    the world servers and does without. Who says nothing for `idle_seconds` in the midst of a transaction has
    it undone there: others would wait for a process that was stopped for as long as that takes.
    """
    pragma = f"PRAGMA synchronous={_level(synchronous)}"
    if make_url(url).get_backend_name() != "sqlite":
        return _postgresql_writing(url, world, idle_seconds)
    return _engine(url, "BEGIN IMMEDIATE", pragma, busy_seconds, readers=0)


def reading_engine(url: str, *, readers: int = 4, busy_seconds: float = 5.0) -> Engine:
    """An engine over at most `readers` connections that cannot write."""
    if make_url(url).get_backend_name() != "sqlite":
        return _postgresql_reading(url, readers)
    return _engine(url, "BEGIN", "PRAGMA query_only=ON", busy_seconds, readers=readers)


def _level(synchronous: str) -> str:
    if synchronous not in ("full", "normal"):
        raise ValueError(f"synchronous is full or normal, not {synchronous!r}")
    return synchronous


def _engine(url: str, begin: str, pragma: str, busy_seconds: float, *, readers: int) -> Engine:
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


def _postgresql_writing(url: str, world: int | None, idle_seconds: float | None) -> Engine:
    engine = create_engine(driver_url(url), pool_size=1, **_postgresql_options(idle_seconds))
    if world is None:
        return engine

    def connected(connection: DBAPIConnection, _record: object) -> None:
        cursor = connection.cursor()
        try:
            # The lock of a connection that was closed just now is free a moment later.
            cursor.execute(f"SET lock_timeout = '{LOCK_SECONDS}s'")
            cursor.execute("SELECT pg_advisory_lock(%s, %s)", (WRITER_KEY, world))
            cursor.execute("RESET lock_timeout")
            connection.commit()
        except Exception as error:
            if is_lock_timeout(error):
                raise DatabaseHeld("another server writes to this database") from error
            raise
        finally:
            cursor.close()

    event.listen(engine, "connect", connected)
    return engine


def _postgresql_reading(url: str, readers: int) -> Engine:
    # Several statements of one look at the database have to see the same state of it; and what a restart of
    # the database server has cut is replaced before anybody stumbles over it.
    engine = create_engine(
        driver_url(url),
        pool_size=readers,
        pool_pre_ping=True,
        isolation_level="REPEATABLE READ",
        **_postgresql_options(),
    )
    return engine.execution_options(postgresql_readonly=True)


def _postgresql_options(idle_seconds: float | None = None) -> _PostgresqlOptions:
    patience = (
        "" if idle_seconds is None else f" -c idle_in_transaction_session_timeout={int(1000 * idle_seconds)}"
    )
    # "format" makes parameters positional, so that batches of tuples need no names.
    return {
        "paramstyle": "format",
        "max_overflow": 0,
        "connect_args": {
            "connect_timeout": 5,
            "tcp_user_timeout": _DEAD_SECONDS * 1000,
            "keepalives_idle": _DEAD_SECONDS,
            # The same for the other side: else it would hold a dead connection's lock for hours.
            "options": f"-c tcp_keepalives_idle={_DEAD_SECONDS} -c tcp_keepalives_interval=5"
            f" -c tcp_keepalives_count=3{patience}",
            "application_name": "causeway",
        },
    }
