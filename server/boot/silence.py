"""A world among others that does not reach its database any more ends, much as if it had crashed.

The problem: after 5 s without a beat other worlds call it dead and may have all it has, so that nobody may
come in any more, and nobody play for long. But without the database most of what an end in order waits for
never comes: rows that get to disk, and threads that have asked something over a wire that says nothing.

The idea: all are let go at once, as a crash lets them go. Edges are hung up on and keep their clients for
whoever has the realms next, who finds in the database what these were. Then there are some seconds in which
what is not written yet may still be, should the database be there again; if somebody else has the world by
then the fence refuses it. After these nobody waits for the database any more, and what was not written is
lost. Last of all, a thread ends the process, whatever that is at: not everything that waits can be told.

Not done: to let everybody go in order, with what they are by now. That may be done with rows on disk alone,
else there are two truths about a player, at its edge and in the database.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

from server.exits import CRASHED, HELD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from server.store.writer import Storage

log = logging.getLogger("server")

ALONE_SECONDS: Final = 10.0
"""After which a world among others stops without its database (issue 22)."""
LAST_SECONDS: Final = 4.0
"""For which it still tries to write then."""
FINISH_SECONDS: Final = 30.0
"""The same at any other end."""
END_SECONDS: Final = 2.0
"""After those, until the process is ended."""


class Silence:
    """Watches how long the database of a world has said nothing."""

    def __init__(
        self, storage: Storage, stopping: Callable[[], bool], let_go: Sequence[Callable[[], None]]
    ) -> None:
        """`stopping` says whether the server ends already, for whatever reason; `let_go` are called in turn:
        they begin to end it, and let everybody go who plays."""
        self.end_within: Callable[[float, int], object] = lambda seconds, code: None
        """Ends the process after so many seconds with an exit code, whatever happens."""
        self._storage = storage
        self._stopping = stopping
        self._let_go = let_go
        self._until: float | None = None
        """When nobody waits for the database any more; None as long as it is there."""

    @property
    def patience(self) -> float:
        """Seconds for which the end of the server may still wait for the database."""
        return FINISH_SECONDS if self._until is None else max(0.0, self._until - trio.current_time())

    async def watch(self) -> None:
        """Once a second look how long it has been silent, until cancelled."""
        while (within := self._within()) is None:  # noqa: ASYNC110 # time itself is what is waited for
            await trio.sleep(1)
        self._until = trio.current_time() + within
        self.end_within(within + END_SECONDS, HELD if self._storage.lost else CRASHED)
        for part in self._let_go:
            part()
        self._storage.give_up(writes=False)
        await trio.sleep_until(self._until)
        self._storage.give_up(writes=True)

    def _within(self) -> float | None:
        """If it has been silent for too long: for how many seconds it is still tried to write."""
        storage, health = self._storage, self._storage.health
        if health.silent_seconds > ALONE_SECONDS and not storage.lost:
            log.critical("the database has said nothing for %.0f s: stopping", health.silent_seconds)
            return LAST_SECONDS
        if storage.shared and self._stopping() and health.unheard_seconds > ALONE_SECONDS:
            # Nobody else has what this one has; but its end would wait for ever.
            log.critical("the database has said nothing for %.0f s", health.unheard_seconds)
            return LAST_SECONDS if storage.lost else FINISH_SECONDS
        return None
