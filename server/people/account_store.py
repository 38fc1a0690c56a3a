"""The database, as accounts ask it: whatever it stumbles over is Denied(UNAVAILABLE) to whoever waits."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol, TypeVar

from protocol.services import AccountInfo
from server.people.unavailable import denied_if_it_fails
from server.store.records import mark_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.store.database import Database
    from server.store.records import AccountRow

T = TypeVar("T")
log = logging.getLogger("accounts")


class Store(Protocol):
    """The part of `server.store.writer.Storage` that accounts need."""

    async def read(self, call: Callable[[Database], T]) -> T:
        """Ask the database something."""

    async def write(self, call: Callable[[Database], T]) -> T:
        """Have the database do something; it is durable when this returns."""


def info_of(row: AccountRow) -> AccountInfo:
    """An account as whoever has proven its stored password may know it."""
    return AccountInfo(row.id, row.name, row.access, mark_of(row.password))


class AccountStore:
    """A store whose failures are `Denied`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def read(self, call: Callable[[Database], T]) -> T:
        """Ask the database something. Raises Denied if it fails."""
        with denied_if_it_fails(log):
            return await self._store.read(call)

    async def write(self, call: Callable[[Database], T]) -> T:
        """Have the database do something; it is durable when this returns. Raises Denied if it fails."""
        with denied_if_it_fails(log):
            return await self._store.write(call)
