"""Characters that are fetched: what is asked for at the same time is one look at the database.

The problem: after a restart hundreds of players go on within a second, and for each its world has to take the
character and to read it, a dozen statements and a commit. The idea: who comes while the database is busy
with others waits, and all who wait are one claim and one look. Somebody alone waits for nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import attrs
import trio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from server.store.database import Database
    from server.store.records import Wish
    from world.snapshot import CharacterRow, ItemRow

    T = TypeVar("T")

MOST_AT_ONCE: Final = 256
"""Characters of one look: others want something of the database as well."""


class Asks(Protocol):
    """Runs calls to the database, each in a transaction of its own."""

    async def __call__(self, call: Callable[[Database], T]) -> T: ...


@attrs.define(eq=False)
class _Asked:
    wish: Wish
    found: tuple[CharacterRow, list[ItemRow]] | None = None
    error: Exception | None = None
    done: bool = False


class Lookups:
    """Fetches characters. `shared`: whether there may be other worlds, so that each is claimed first."""

    def __init__(self, read: Asks, write: Asks, *, shared: bool) -> None:
        self._read = read
        self._write = write
        self._shared = shared
        self._asked: list[_Asked] = []
        self._turn = trio.Lock()

    async def character(self, wish: Wish) -> tuple[CharacterRow, list[ItemRow]] | None:
        """See `server.store.writer.Storage.character`."""
        one = _Asked(wish)
        self._asked.append(one)
        try:
            async with self._turn:
                if not one.done:
                    # Those who are first in the list are those who waited for this turn the longest.
                    some = self._asked[:MOST_AT_ONCE]
                    await self._fetch(some if one in some else [one])
        finally:
            if one in self._asked:
                self._asked.remove(one)
        if one.error is not None:
            raise one.error
        return one.found

    async def _fetch(self, some: Sequence[_Asked]) -> None:
        """Whatever fails for all is raised to the one who asks; the others ask for themselves then."""
        claimed = some
        if self._shared:
            outcomes = await self._write(lambda database: database.claim_all([one.wish for one in some]))
            claimed = []
            for one, outcome in zip(some, outcomes, strict=True):
                if isinstance(outcome, Exception):
                    one.error = outcome
                elif outcome:
                    claimed.append(one)
        serials = {one.wish.serial for one in claimed}
        found = await self._read(lambda database: database.characters_of(serials)) if serials else {}
        for one in claimed:
            one.found = found.get(one.wish.serial)
        for one in some:
            one.done = True
