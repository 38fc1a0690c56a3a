"""Copies of an SQLite database that prove themselves.

`VACUUM INTO` copies a consistent state while others write. SQLite's pages carry no checksums, so a flipped
bit inside a value is invisible to its own checks; each backup therefore has its SHA-256 beside it. A backup
only ever has its final name when it is whole.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def back_up(path: Path, directory: Path, label: str) -> Path:
    """Copy the database into `<directory>/<its name>-<label>.db`. Raises sqlite3.Error or OSError."""
    directory.mkdir(parents=True, exist_ok=True)
    final = directory / f"{path.stem}-{label}.db"
    unfinished = final.with_name(final.name + ".tmp")
    unfinished.unlink(missing_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None, timeout=5.0)) as connection:
        connection.execute("VACUUM INTO ?", (str(unfinished),))
    publish(unfinished, final)
    return final


def publish(unfinished: Path, final: Path) -> None:
    """Give a finished copy its hash and then its name. Raises OSError."""
    # The hash comes first: a backup without one never counts, a hash without its backup is harmless.
    _sync(unfinished)
    sidecar = _sidecar(final)
    lines = [f"{_digest(unfinished)}  {final.name}\n"]
    if sidecar.exists():
        # Until it is replaced, the copy that had the name before is as good as it was.
        lines += sidecar.read_text(encoding="utf-8").splitlines(keepends=True)[:1]
    fresh = sidecar.with_name(sidecar.name + ".tmp")
    fresh.write_text("".join(lines), encoding="utf-8")
    _sync(fresh)
    fresh.replace(sidecar)
    unfinished.replace(final)
    _sync(final.parent)


def is_whole(backup: Path) -> bool:
    """Whether the backup is still what was written."""
    try:
        lines = _sidecar(backup).read_text(encoding="utf-8").splitlines()
        return _digest(backup) in [line.partition(" ")[0] for line in lines]
    except (OSError, UnicodeDecodeError):
        return False


def whole_backups(directory: Path, path: Path) -> list[Path]:
    """The verified backups of that database, and what was rescued of it; newest first."""
    candidates = [*directory.glob(f"{path.stem}-*.db"), *rescued_files(path)]
    found = [backup for backup in candidates if is_whole(backup)]
    return sorted(found, key=lambda backup: backup.stat().st_mtime_ns, reverse=True)


def rescued_files(path: Path) -> list[Path]:
    """Copies that a server made whose database was taken away while it ran (`Database.commit_batch`)."""
    found = path.parent.glob(f"{path.name}.rescued-*")
    return sorted(file for file in found if file.suffix not in (".sha256", ".tmp"))


def remove_unfinished(directory: Path, path: Path) -> None:
    """Remove what a backup left behind that was killed half way."""
    for unfinished in directory.glob(f"{path.stem}-*.db.tmp"):
        unfinished.unlink(missing_ok=True)


def _sidecar(backup: Path) -> Path:
    return backup.with_name(backup.name + ".sha256")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
