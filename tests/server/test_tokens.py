"""Logins that are written down for another world, while others of the same account are forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

import trio

from server.people.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio.testing import MockClock

    from server.store.database import Database

T = TypeVar("T")


class Slow:
    """A database of which the first transaction takes the longest."""

    shared = True

    def __init__(self) -> None:
        self.done: list[str] = []
        self._patience = 1.0

    async def read(self, call: Callable[[Database], T]) -> T:
        """Never asked."""
        raise NotImplementedError

    async def write(self, call: Callable[[Database], T]) -> T:
        """Done when it is its time."""
        patience, self._patience = self._patience, 0.0
        await trio.sleep(patience)
        return call(cast("Database", self))

    def revoke_tokens(self, accounts: object) -> None:
        """Forget logins."""
        self.done.append("forgotten")

    def put_token(self, *_: object, **__: object) -> None:
        """Write one down."""
        self.done.append("written")


async def test_a_login_is_written_down_when_those_before_it_are_forgotten(autojump_clock: MockClock) -> None:
    store = Slow()
    async with trio.open_nursery() as nursery:
        tokens = Tokens(store, nursery.start_soon)
        tokens.revoke(1)
        await trio.sleep(0.1)
        await tokens.put("eq2", b"key", 1, {}, address="127.0.0.1", seconds=10)
    assert store.done == ["forgotten", "written"]
