"""What can be wrong with a database as a whole. The command that meets one chooses the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class DatabaseError(Exception):
    """The database cannot be used as it is; the message is for the operator."""


class DatabaseHeld(DatabaseError):
    """Another server holds this world."""


class DatabaseNewer(DatabaseError):
    """The schema is newer than this program."""


class DatabaseDamaged(DatabaseError):
    """The file is broken or not ours. `backups` are those whose hash is right, newest first."""

    def __init__(self, message: str, backups: Sequence[Path] = ()) -> None:
        super().__init__(message)
        self.backups = tuple(backups)


class DatabaseReplaced(DatabaseError):
    """The file of an open database was deleted or replaced. `rescued` holds what would have been lost."""

    def __init__(self, message: str, rescued: Path | None = None) -> None:
        super().__init__(message)
        self.rescued = rescued
