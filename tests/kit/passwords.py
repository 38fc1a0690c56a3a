"""A hasher for virtual time: no thread, no work, and it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class InlinePasswords:
    """Implements `server.people.passwords.Passwords`. `seconds` of virtual time pass with each piece of
    work."""

    def __init__(self, seconds: float = 0.0, *, version: int = 1) -> None:
        self.seconds = seconds
        self.version = version
        """Stands for the parameters of a real hash."""
        self.checks = 0
        self.hashes = 0

    @property
    def work(self) -> int:
        """Pieces of work so far, of either kind."""
        return self.checks + self.hashes

    async def hash(self, password: str) -> str:
        """A hash that is none."""
        self.hashes += 1
        await trio.sleep(self.seconds)
        return f"{self.version}:{password}"

    async def verify(self, stored: str | None, password: str) -> bool:
        """Compare."""
        self.checks += 1
        await trio.sleep(self.seconds)
        return stored is not None and stored.partition(":")[2] == password

    async def offload(self, call: Callable[[], T]) -> T:
        """At once."""
        await trio.lowlevel.checkpoint()
        return call()

    async def run(self, call: Callable[[], T]) -> T:
        """The same, as `server.turn.beside.Beside`."""
        return await self.offload(call)

    def outdated(self, stored: str) -> bool:
        """Whether it was made with another version."""
        return not stored.startswith(f"{self.version}:")
