"""Claims: which world may have a character in memory, and how it passes to another one.

What is true is in the rows (`server.store.ownership`); this is how a server asks for it. With one world, or
on SQLite, everything is granted.

A crossing, seen from both sides:

    A  begin_transfer     its last rows and "it is B's" are one batch, under an id that A made
    A  tells B by way of the edge, and waits
    B  accept(id)         it is B's alone from here on: load it, and let it enter
    A  take_back(id)      instead, if B says nothing for `BACK_SECONDS`: it is A's again

Exactly one of the two last ones is granted, whatever was lost, doubled or stopped in between. Whoever does
not hear the answer asks again, and is answered the same. Who is not granted may read the character
(`Storage.character`), which claims it or says where it is.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from server.store.database import Database

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from server.store.records import Seen, Standing, WorldRow
    from server.store.writer import Storage
    from world.mobile import Mobile
    from world.world import World

BACK_SECONDS: Final = 3.0
"""For which the world that sent a character waits for the other one to take it in."""


class Claims:
    """Asks for and gives up characters for this world. `entropy` is random bytes, for ids.

    Every method but `begin_transfer` is one transaction, and durable when it returns. All raise what the
    database raises, and WorldLost if this world is another process's by now.
    """

    def __init__(self, storage: Storage, *, entropy: Callable[[int], bytes]) -> None:
        self._storage = storage
        self._entropy = entropy

    async def raise_session(self, account_id: int) -> int:
        """Begin a new session of an account; see `Ownership.raise_session`."""
        call: Callable[[Database], int] = partial(Database.raise_session, account_id=account_id)
        return await self._storage.write(call)

    async def changed(self, seen: Collection[Seen], now: float) -> list[Standing]:
        """Accounts that are not what is known of them; see `Accounts.changed_accounts`."""
        call: Callable[[Database], list[Standing]] = partial(Database.changed_accounts, seen=seen, now=now)
        return await self._storage.read(call)

    async def release(self, serial: int) -> bool:
        """Give up a character that was claimed and did not enter; False if it was not this world's. One that
        leaves is given up with its last rows."""
        call: Callable[[Database], bool] = partial(Database.release, serial=serial)
        return await self._storage.write(call)

    def begin_transfer(self, world: World, mobile: Mobile, to_world: int) -> str:
        """In the world's task: give a character to another world with its last rows, and return the id of the
        transfer. The world may forget it right after; it is sent when `Storage.wait_durable` returns."""
        transfer_id = self._entropy(16).hex()
        self._storage.send_away(world, mobile, to_world, transfer_id)
        return transfer_id

    async def accept(self, transfer_id: str) -> int | None:
        """Take in a character that was sent here; see `Ownership.accept`."""
        call: Callable[[Database], int | None] = partial(Database.accept, transfer_id=transfer_id)
        return await self._storage.write(call)

    async def take_back(self, transfer_id: str) -> bool:
        """Have a character again that was sent away; see `Ownership.take_back`."""
        call: Callable[[Database], bool] = partial(Database.take_back, transfer_id=transfer_id)
        return await self._storage.write(call)

    async def worlds(self) -> Sequence[WorldRow]:
        """All worlds of the database, by id."""
        return await self._storage.read(Database.worlds)
