"""Other worlds of the same database, as accounts and characters ask for them.

One account is played in one world, and in one session there: the rule is that of one process (the newest
login wins), and what it needs of the others is in here. What asks them is `server.cluster.logins`; where
there is one world nobody is asked, and `Alone` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import trio

from server.store.errors import Elsewhere, Outplayed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from server.store.writer import Storage
    from world.snapshot import CharacterRow, ItemRow

Rows: TypeAlias = "tuple[CharacterRow, list[ItemRow]]"
"""A character, and all that it has."""

TRIES: Final = 3
"""How often a character is fetched from other worlds, if it goes on to a third one meanwhile."""

ENDED_TRIES: Final = 6
ENDED_SECONDS: Final = 0.5
"""How often, and after how long, one is asked for again whose player is about to be ended: a world finds that
out within a second (`server.cluster.logins.LOOK_SECONDS`)."""

FORGO_SECONDS: Final = 10.0
"""For which it is tried to give up a character that was to enter and did not. A world among others that does
not reach its database for as long ends anyway."""


class Neighbours(Protocol):
    """The other worlds."""

    async def begins(self, account_id: int) -> int:
        """Begin a login of an account and return its number, above those of all earlier ones, in whichever
        world they are. Raises what the database raises."""

    def login_of(self, account_id: int) -> int:
        """The number of the login by which an account is played here; 0 if it has none."""

    def outplay(self, account_id: int, login: int) -> bool:
        """See `server.people.accounts.AccountService.outplay`."""

    async def fetch(self, serial: int, world: int, login: int) -> bool:
        """Ask a living world to let go of a character, for a player whose login has that number. Whether it
        has; False also if it does not answer."""


class Alone:
    """There are none. All logins have the number 0."""

    async def begins(self, account_id: int) -> int:
        """See Neighbours."""
        return 0

    def login_of(self, account_id: int) -> int:
        """See Neighbours."""
        return 0

    def outplay(self, account_id: int, login: int) -> bool:
        """See Neighbours."""
        return False

    async def fetch(self, serial: int, world: int, login: int) -> bool:
        """See Neighbours."""
        return False


ALONE: Final = Alone()


async def all_here(storage: Storage, neighbours: Neighbours, account_id: int, serials: Iterable[int]) -> None:
    """Make characters this world's whose players all worlds are about to end. Raises Elsewhere if a living
    one keeps such a character."""
    for serial in serials if neighbours is not ALONE else ():
        for tries in range(ENDED_TRIES, -1, -1):
            try:
                await claimed(storage, neighbours, account_id, serial, 0, anywhere=True)
                break
            except Elsewhere:
                if not tries:
                    raise
            await trio.sleep(ENDED_SECONDS)


async def claimed(
    storage: Storage, neighbours: Neighbours, account_id: int, serial: int, login: int, *, anywhere: bool
) -> Rows | None:
    """Read a character that is to enter; where there are other worlds it is this one's then. A living world
    that has it is asked to let go. Raises Elsewhere if it does not, and what `Storage.character` raises."""
    tries = TRIES
    while True:
        tries -= 1
        try:
            return await storage.character(
                serial, account_id=account_id, session=login or None, anywhere=anywhere
            )
        except Elsewhere as error:
            there = error.world
            if not tries or there is None or not await neighbours.fetch(serial, there, login):
                raise
        except Outplayed:
            neighbours.outplay(account_id, login + 1)
            raise
