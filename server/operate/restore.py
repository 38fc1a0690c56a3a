"""Putting a backup in the place of the database, or only finding out whether that would work. What was there
is kept beside it, never deleted.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

from server.store.backup import is_whole
from server.store.check import check_database
from server.store.database import Database
from server.store.errors import DatabaseDamaged
from server.store.migrate import upgrade


def restore(backup: Path, path: Path) -> Path | None:
    """Put a copy of `backup` at `path`; where a copy of the replaced file is now, if there was one.

    The caller holds the world's lock. At every moment there is either the old or the new file at `path`,
    whole. Raises DatabaseDamaged if SQLite does not find the backup sound, and OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".tmp")
    shutil.copyfile(backup, unfinished)
    _require_sound(unfinished)
    with unfinished.open("rb") as file:
        os.fsync(file.fileno())
    kept = path.with_name(f"{path.name}.replaced-{time.strftime('%Y%m%d-%H%M%S')}")
    was_there = path.exists()
    if was_there:
        _absorb_log(path)
        shutil.copyfile(path, kept)
    # A log that is left belongs to the replaced file; SQLite must not apply it to the new one.
    for suffix in ("-wal", "-shm"):
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.replace(kept.with_name(kept.name + suffix))
    unfinished.replace(path)
    return kept if was_there else None


def verify(backup: Path, scratch: Path) -> list[str]:
    """Problems of a backup, in lines; none if a server could go on from it.

    A copy of it is brought up in a folder of its own below `scratch`: compared with its hash, checked by
    SQLite, migrated as a start would do, and checked as after a crash. Neither the backup nor any database is
    touched. Raises DatabaseError (if it is newer than this program, for one) and OSError.
    """
    if not is_whole(backup):
        return ["it is not what was written, or has no .sha256 beside it"]
    scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="verify-", dir=scratch) as folder:
        copy = Path(folder) / "copy.db"
        shutil.copyfile(backup, copy)
        _require_sound(copy)
        url = f"sqlite:///{copy}"
        upgrade(url, Path(folder))
        database = Database(url)
        try:
            found = check_database(database)
        finally:
            database.close()
    return [f"{finding.kind} {finding.serial:#x}: {finding.detail}" for finding in found]


def _require_sound(path: Path) -> None:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as connection:
        try:
            lines = [line for (line,) in connection.execute("PRAGMA integrity_check")]
        except sqlite3.DatabaseError as error:
            lines = [str(error)]
    if lines != ["ok"]:
        path.unlink()
        raise DatabaseDamaged(f"the backup is not sound: {lines[0]}")


def _absorb_log(path: Path) -> None:
    """Take what the write-ahead log holds into the file; a damaged one stays as it is."""
    with contextlib.suppress(sqlite3.DatabaseError), closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
