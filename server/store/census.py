"""Counting what there is, so that operators and tests can see that nothing appears or vanishes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import attrs
import trio
from sqlalchemy import func, select

from server.store.tables import account, character, item

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from server.store.database import Database

T = TypeVar("T")

CENSUS_SECONDS: Final = 60.0
"""Between two countings of everything."""
CENSUS_PATIENCE: Final = 1.0
"""Seconds for which whoever wants to know waits for a new one."""


def stored_amounts(database: Database) -> Mapping[str, int]:
    """The sum of amounts of each kind (template) of item in the database, wherever they are."""
    query = select(item.c.template, func.sum(item.c.amount)).group_by(item.c.template)
    with database.read() as connection:
        return {kind: int(amount) for kind, amount in connection.execute(query)}


@attrs.frozen
class Counted:
    """Counts of what the database held at a moment."""

    amounts: Mapping[str, int]
    """Of each kind of item."""
    accounts: int
    characters: int
    """Those that await deletion among them."""


def everything(database: Database) -> Counted:
    """Count it all. Long in a big database: it reads every item."""
    with database.read() as connection:
        accounts = connection.execute(select(func.count()).select_from(account)).scalar_one()
        characters = connection.execute(select(func.count()).select_from(character)).scalar_one()
    return Counted(stored_amounts(database), accounts, characters)


class Read(Protocol):
    """`server.store.writer.Storage.read`."""

    def __call__(self, call: Callable[[Database], T]) -> Awaitable[T]: ...


class Census:
    """Counts what the database holds, in a reader's thread while the world goes on, when somebody asks and
    the last time was a minute ago or more."""

    def __init__(
        self,
        read: Read,
        *,
        start: Callable[[Callable[[], Awaitable[None]]], None],
        clock: Callable[[], float],
    ) -> None:
        self.at = -float("inf")
        """When it was taken, by `clock`."""
        self.failures = 0
        self._read = read
        self._start = start
        self._clock = clock
        self._last: Counted | None = None
        self._taking: trio.Event | None = None
        self._next = -float("inf")

    async def latest(self) -> Counted | None:
        """A new one if it is due and is done soon enough, else the last; None before the first."""
        if self._taking is None and self._clock() >= self._next:
            self._taking = trio.Event()
            self._start(self._take)
        if self._taking is not None:
            with trio.move_on_after(CENSUS_PATIENCE):
                await self._taking.wait()
        return self._last

    async def _take(self) -> None:
        began = self._clock()
        try:
            self._last = await self._read(everything)
            self.at = began
        except Exception:
            self.failures += 1
            raise
        finally:
            self._next = began + CENSUS_SECONDS
            if self._taking is not None:
                self._taking.set()
                self._taking = None
