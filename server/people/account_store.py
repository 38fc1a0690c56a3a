"""The database, as accounts ask it: whatever it stumbles over is Denied(UNAVAILABLE) to whoever waits."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol, TypeVar

from server.people.unavailable import denied_if_it_fails

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.store.database import Database

T = TypeVar("T")
log = logging.getLogger("accounts")


class Store(Protocol):
    """The part of `server.store.writer.Storage` that accounts need."""

    async def read(self, call: Callable[[Database], T]) -> T:
        """Ask the database something."""

    async def write(self, call: Callable[[Database], T]) -> T:
        """Have the database do something; it is durable when this returns."""


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
