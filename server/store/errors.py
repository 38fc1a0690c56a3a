"""Errors of a database as a whole. The command that meets one chooses the exit code."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import SQLAlchemyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path


class DatabaseError(Exception):
    """The database cannot be used as it is; the message is for the operator."""


class DatabaseHeld(DatabaseError):
    """Another server holds this world."""


class WorldLost(DatabaseHeld):
    """This server had the world, and another one has taken it over: nothing was written, and nothing ever
    will be by this one."""


class CharacterElsewhere(WorldLost):
    """A batch had rows of characters that are not this world's: none of it was written. What this server has
    in memory is not what is true."""

    def __init__(self, serials: Sequence[int]) -> None:
        super().__init__(
            "not this world's: the characters " + ", ".join(f"{serial:#x}" for serial in serials)
        )
        self.serials = tuple(serials)


class ParcelSettled(WorldLost):
    """A batch had a parcel that was sent or taken before: none of it was written."""


class RealmHeld(DatabaseHeld):
    """Another living world has a realm that this one should have."""

    def __init__(self, realm: str, world: int, address: str | None) -> None:
        at = "" if address is None else f" at {address}"
        super().__init__(f"the realm {realm} belongs to world {world}{at}, which is alive")
        self.realm = realm
        self.world = world


class Elsewhere(Exception):
    """A character is not for this world to have. `world` is the living one that has it or its realm, and
    `address` where edges find that; both None: its realm belongs to no world that lives, so far."""

    def __init__(self, world: int | None, address: str | None) -> None:
        super().__init__("in no world that lives" if world is None else f"in world {world} at {address}")
        self.world = world
        self.address = address


class Outplayed(Exception):
    """The account has logged in anew since."""

    def __init__(self, account: int) -> None:
        super().__init__(f"account {account} has logged in anew")
        self.account = account


class DatabaseGivenUp(OSError):
    """The process is about to end without its database, and waits for it no more: what was asked of it may
    be done there or not."""


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


STORAGE_ERRORS: Final = (OSError, sqlite3.Error, SQLAlchemyError, ImportError)
"""What comes out of a disk or a database that cannot be used; ImportError is a missing driver."""


def is_damage(error: BaseException) -> bool:
    """Whether SQLite says that the file itself is broken: "malformed", or "not a database"."""
    # Everything else it reports (full, read-only, locked, no such file) has a class of its own.
    return type(getattr(error, "orig", error)) is sqlite3.DatabaseError


def explained(error: BaseException, backups: Sequence[Path] = ()) -> DatabaseError:
    """One of STORAGE_ERRORS as one line for the operator; `backups` are named if it is damage."""
    line = str(getattr(error, "orig", None) or error).partition("\n")[0]
    if is_damage(error):
        return DatabaseDamaged(f"the database is damaged: {line}", backups)
    if isinstance(error, ImportError):
        return DatabaseError(f"the driver of this database is not installed: {line}")
    return DatabaseError(f"the storage cannot be used: {line}")


@contextlib.contextmanager
def storage_explained(backups: Callable[[], Sequence[Path]] = list) -> Iterator[None]:
    """Turn STORAGE_ERRORS into DatabaseError; `backups` finds those to name if it is damage."""
    try:
        yield
    except BrokenPipeError:
        raise  # that is no storage
    except STORAGE_ERRORS as error:
        raise explained(error, backups() if is_damage(error) else ()) from error
