"""Characters that are fetched, all that are asked for at the same time by one claim and one look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from server.store.together import Together

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from server.store.database import Database
    from server.store.records import Wish
    from world.snapshot import CharacterRow, ItemRow

    T = TypeVar("T")

Rows: TypeAlias = "tuple[CharacterRow, list[ItemRow]]"


class Asks(Protocol):
    """Runs calls to the database, each in a transaction of its own."""

    async def __call__(self, call: Callable[[Database], T]) -> T: ...


class Lookups:
    """Fetches characters. `shared`: whether there may be other worlds, so that each is claimed first."""

    def __init__(self, read: Asks, write: Asks, *, shared: bool) -> None:
        self._read = read
        self._write = write
        self._shared = shared
        self._characters: Together[Wish, Rows | None] = Together(self._fetch)

    async def character(self, wish: Wish) -> Rows | None:
        """See `server.store.writer.Storage.character`."""
        return await self._characters.answer(wish)

    async def _fetch(self, wishes: Sequence[Wish]) -> list[Rows | Exception | None]:
        outcomes: Sequence[bool | Exception] = [True] * len(wishes)
        if self._shared:
            outcomes = await self._write(lambda database: database.claim_all(wishes))
        claimed = {wish.serial for wish, outcome in zip(wishes, outcomes, strict=True) if outcome is True}
        found = await self._read(lambda database: database.characters_of(claimed)) if claimed else {}
        return [
            outcome if isinstance(outcome, Exception) else found.get(wish.serial) if outcome else None
            for wish, outcome in zip(wishes, outcomes, strict=True)
        ]
