"""Passwords as argon2id hashes, checked by one worker.

A check costs 12 ms of processor and 16 MiB by design. In Trio's forty default threads a hundred logins at
once would make turns late by seconds; one worker of its own keeps the world on time and answers more logins
per second besides. It also does what else a login may need that is slow (`offload`): Lineage II's RSA. Who
comes when too many wait already is refused as busy, before any work.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import argon2
import trio
from argon2.exceptions import Argon2Error, InvalidHashError

from protocol.denials import Denial, Denied
from server.people import foreign_hashes

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

QUEUE: Final = 128
"""Pieces of work that may wait for the worker: the logins of a hundred players at once, as after a restart,
and a wait of less than two seconds."""


class Passwords(Protocol):
    """The hasher that accounts need; tests with virtual time have one that needs no thread."""

    async def hash(self, password: str) -> str:
        """A hash to store. Raises Denied(BUSY)."""

    async def verify(self, stored: str | None, password: str) -> bool:
        """Whether the password is the one behind the hash; None costs the same work and is False. Raises
        Denied(BUSY)."""

    def outdated(self, stored: str) -> bool:
        """Whether a hash was made with other parameters than those of today."""

    async def offload(self, call: Callable[[], T]) -> T:
        """Run another calculation of a login, in its turn, and return its result. Raises Denied(BUSY) if too
        many wait, and whatever `call` raises."""


class Argon2Passwords:
    """argon2id with t=1, m=16 MiB, p=1: ModernUO's parameters, Argon2PasswordProtection.cs."""

    def __init__(self, *, time_cost: int = 1, memory_kib: int = 16 * 1024, lanes: int = 1) -> None:
        self._hasher = argon2.PasswordHasher(time_cost, memory_kib, lanes)
        self._worker = trio.CapacityLimiter(1)
        self._unknown = _hash_of_nobody(time_cost, memory_kib, lanes)
        """Checked in place of the hash that an unknown account does not have."""

    async def hash(self, password: str) -> str:
        """See Passwords."""
        return await self._work(partial(self._hasher.hash, _bytes(password)))

    async def verify(self, stored: str | None, password: str) -> bool:
        """See Passwords."""
        matches = await self._work(
            partial(self._matches, self._unknown if stored is None else stored, _bytes(password))
        )
        return matches and stored is not None

    def outdated(self, stored: str) -> bool:
        """See Passwords. A hash that was brought along from another server always is."""
        return foreign_hashes.is_foreign(stored) or self._hasher.check_needs_rehash(stored)

    async def offload(self, call: Callable[[], T]) -> T:
        """See Passwords. The event loop runs on meanwhile as far as `call` is C that lets go of Python's
        lock."""
        return await self._work(call)

    def _matches(self, stored: str, password: bytes) -> bool:
        foreign = foreign_hashes.is_foreign(stored)
        try:
            # The work is the same whatever is stored: a quick answer would tell which accounts were imported.
            self._hasher.verify(self._unknown if foreign else stored, password)
        except (Argon2Error, InvalidHashError):
            return foreign and foreign_hashes.matches(stored, password)
        return not foreign or foreign_hashes.matches(stored, password)

    async def _work(self, call: Callable[[], T]) -> T:
        if self._worker.statistics().tasks_waiting >= QUEUE:
            raise Denied(Denial.BUSY, "too many logins wait to be checked")
        return await trio.to_thread.run_sync(call, limiter=self._worker)


def _bytes(password: str) -> bytes:
    """What a client sent may hold halves of surrogate pairs; they are wrong, not an error."""
    return password.encode("utf-8", "surrogatepass")


@cache
def _hash_of_nobody(time_cost: int, memory_kib: int, lanes: int) -> str:
    """Who stands by for a world has it before that ends."""
    return argon2.PasswordHasher(time_cost, memory_kib, lanes).hash("nobody")
