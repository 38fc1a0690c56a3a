"""A process that stands by for a world: it waits until that is free, and takes it over then.

A world whose process has ended is free at once. One whose process is there and does not speak (a machine
that stands still, a cable that swallows) is free when it has been silent for
`server.store.fence.SILENT_SECONDS` by the database's time: its sessions at the database are ended then, and
with them its locks. What it still writes its fence refuses, as ever.
"""

from __future__ import annotations

import logging
import time
from typing import Final

from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from server.store.engine import WRITER_KEY, driver_url
from server.store.errors import DatabaseHeld
from server.store.fence import SILENT
from server.store.lock import ADVISORY_KEY, WorldLock

log = logging.getLogger("store")

AGAIN_SECONDS: Final = 1.0
"""Between two tries to reach a database that is away."""


def try_lock(url: str, world: int) -> WorldLock | None:
    """Lock a world, waiting for some seconds; None if it still is another process's, or the database is
    away."""
    try:
        return WorldLock(url, world)
    except DatabaseHeld:
        if not url.startswith("sqlite"):
            _cut_off_if_silent(url, world)
    except DBAPIError as error:
        log.warning("world %d cannot be locked: %s", world, error)
        time.sleep(AGAIN_SECONDS)
    return None


def _cut_off_if_silent(url: str, world: int) -> None:
    engine = create_engine(driver_url(url), poolclass=NullPool, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            ended = connection.execute(_CUT_OFF, {"which": world}).all()
    except DBAPIError as error:
        log.warning("it is not known whether world %d lives: %s", world, error)
        return
    if ended:
        log.warning("world %d has been silent for too long: its sessions at the database are ended", world)


_CUT_OFF = text(
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
    f" AND classid IN ({ADVISORY_KEY}, {WRITER_KEY}) AND objid = :which"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    f" AND EXISTS (SELECT FROM world WHERE id = :which AND {SILENT})"
)
