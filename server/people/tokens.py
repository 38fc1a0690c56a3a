"""Logins on their way to a door that may be another world's: rows, where several worlds share a database.

Which world has the door that a client comes to next says a hash of its address, and a network may change
that on the way. So the login is written down before its client hears of it, and whichever world it comes to
takes the row away with the login: that is done once.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol, TypeVar

import trio

from server.people.unavailable import denied_if_it_fails

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from server.store.database import Database
    from server.store.records import AccountRow, TokenRow

T = TypeVar("T")
log = logging.getLogger("accounts")


class SharedStore(Protocol):
    """The part of `server.store.writer.Storage` that tokens need."""

    @property
    def shared(self) -> bool:
        """Whether other worlds may have the same database."""

    async def read(self, call: Callable[[Database], T]) -> T:
        """Ask the database something."""

    async def write(self, call: Callable[[Database], T]) -> T:
        """Have the database do something; it is durable when this returns."""


class Tokens:
    """Implements `protocol.background.SharedLogins`. `start` runs a job that outlives its client. Where there
    is one world nothing is ever written."""

    def __init__(self, store: SharedStore, start: Callable[[Callable[[], Awaitable[None]]], None]) -> None:
        self._store = store
        self._start = start
        self._void: set[int] = set()
        """Accounts whose logins are to be forgotten, before any new one is written down."""
        self._forgetting = trio.Lock()

    @property
    def shared(self) -> bool:
        """Whether a client may come to the door of another world."""
        return self._store.shared

    async def put(
        self,
        game: str,
        key: bytes,
        account_id: int,
        notes: Mapping[str, object],
        *,
        address: str,
        seconds: float,
        alone: bool = False,
    ) -> None:
        """See SharedLogins."""
        await self._forget()
        token = _token(game, key)
        with denied_if_it_fails(log):
            await self._store.write(
                lambda database: database.put_token(
                    token, account_id, game, notes, address, seconds, alone=alone
                )
            )

    async def find(self, game: str, key: bytes) -> TokenRow | None:
        """See SharedLogins."""
        with denied_if_it_fails(log):
            return await self._store.read(lambda database: database.peek_token(_token(game, key), game))

    async def use_up(self, game: str, key: bytes) -> bool:
        """See SharedLogins."""
        with denied_if_it_fails(log):
            row = await self._store.write(lambda database: database.redeem_token(_token(game, key), game))
        return row is not None

    async def owner(self, row: TokenRow) -> AccountRow | None:
        """The account whose login that is, as it is now. Raises Denied."""
        with denied_if_it_fails(log):
            return await self._store.read(lambda database: database.account_by_id(row.account))

    def revoke(self, account_id: int) -> None:
        """Forget the logins of an account that are on their way: its clients have to log in again."""
        if self.shared:
            self._void.add(account_id)
            self._start(self._forget)

    async def _forget(self) -> None:
        """Whoever is about to write one down waits for those who forget: they might forget it, too."""
        async with self._forgetting:
            void, self._void = self._void, set()
            if not void:
                return
            accounts: Iterable[int] = frozenset(void)
            try:
                with denied_if_it_fails(log):
                    await self._store.write(lambda database: database.revoke_tokens(accounts))
            except BaseException:
                self._void |= void
                raise


def _token(game: str, key: bytes) -> str:
    """Keys of two games may be alike."""
    return f"{game}:{key.hex()}"
