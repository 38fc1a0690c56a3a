"""Characters that are on their way out of memory, or into it, while somebody wants to enter with them.

The problem: the rows of a character are read while the world goes on, and before they are used somebody else
may have come with the same one, or have taken it away. The idea: each departure is counted, and rows that
were read before it are stale; and while one passes to another world, or comes from one, whoever wants to
enter with it waits. A lock for each character was not used: it would be held while a disk is slow.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import attrs
import trio

from protocol.endings import Ending

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAVES_AT_ONCE: Final = frozenset(
    {Ending.CLIENT_LEFT, Ending.BAD_PACKET, Ending.WRONG_PHASE, Ending.KICKED, Ending.BANNED, Ending.SHUTDOWN}
)
"""After these the character goes with its client; after any other (the line went dead) it lingers."""
ENDED_BY_US: Final = frozenset({Ending.KICKED, Ending.BANNED, Ending.SHUTDOWN})
"""After these even one that fights goes."""


@attrs.define(eq=False)
class _Passing:
    """How many are at it, and who waits for the last."""

    count: int = 0
    over: trio.Event = attrs.field(factory=trio.Event)


class Departures:
    """Of one world. Departures are counted only while anybody is entering."""

    def __init__(self) -> None:
        self._entering = 0
        self._counts: dict[int, int] = {}
        """How often each character left memory, or was deleted, meanwhile."""
        self._passing: dict[int, _Passing] = {}

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """While somebody is entering."""
        self._entering += 1
        try:
            yield
        finally:
            self._entering -= 1
            if not self._entering:
                self._counts.clear()

    def count(self, serial: int) -> int:
        """Rows of the character that were read under another count are stale."""
        return self._counts.get(serial, 0)

    def note(self, serial: int) -> None:
        """It has left memory: rows of it that somebody may have read are stale."""
        if self._entering:
            self._counts[serial] = self._counts.get(serial, 0) + 1

    # Between two worlds

    def passing(self, serial: int) -> int:
        """Count those who have it pass from one world to another just now."""
        entry = self._passing.get(serial)
        return 0 if entry is None else entry.count

    async def settled(self, serial: int) -> None:
        """Wait until nobody has; of those who wait and then `begin` at once, only one goes on."""
        while (entry := self._passing.get(serial)) is not None:
            await entry.over.wait()

    def begin(self, serial: int) -> None:
        """It passes from one world to another, until `end` is called as often."""
        self._passing.setdefault(serial, _Passing()).count += 1

    def end(self, serial: int) -> None:
        """See `begin`. Whoever read its rows before that reads them again."""
        entry = self._passing[serial]
        entry.count -= 1
        self.note(serial)
        if not entry.count:
            del self._passing[serial]
            entry.over.set()

    @contextmanager
    def passes(self, serial: int) -> Iterator[None]:
        """From `begin` to `end`."""
        self.begin(serial)
        try:
            yield
        finally:
            self.end(serial)
