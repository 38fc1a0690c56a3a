"""Those who watch all that happens without being clients of the turn: the live map, promises to be kept.

Each turn lets them know, behind those whom it concerns. While there is too much to do they hear of several
turns at once: the map then compares and sends once for all of these. Nothing is left out, and what happened
first comes first.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from world.world import Changes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

log = logging.getLogger("world")

WATCHED_SECONDS: Final = 1.0
"""While there is too much to do they hear of it no more often than this..."""

MOST_UNTOLD: Final = 20_000
"""...unless so many events and changes wait for them. The map notes these in some 10 ms; more should not come
at once, nor be kept."""


class Observers:
    """Callables that hear of all that happened (`each`), and what they have not heard of yet."""

    def __init__(self) -> None:
        self.each: list[Callable[[Changes], None]] = []
        self._untold: list[Changes] = []
        self._told_at = float("-inf")

    def note(self, changes: Changes) -> None:
        """Keep what happened for the next `tell`."""
        self._untold.append(changes)

    def tell(self, now: float, *, overloaded: bool) -> None:
        """Let them know of what they have not heard of, unless that may wait. One that raises costs the
        others nothing."""
        untold = self._untold
        if not untold or (overloaded and not self._is_due(now)):
            return
        changes = untold[0] if len(untold) == 1 else _merged(untold)
        self._untold, self._told_at = [], now
        for observe in self.each:
            try:
                observe(changes)
            except Exception:
                log.exception("somebody who watches the turns failed")

    def _is_due(self, now: float) -> bool:
        if now >= self._told_at + WATCHED_SECONDS:
            return True
        return sum(len(changes.events) + len(changes.dirty) for changes in self._untold) >= MOST_UNTOLD


def _merged(untold: Sequence[Changes]) -> Changes:
    """Changes of several turns as if of one."""
    return Changes(
        [event for changes in untold for event in changes.events],
        [flagged for changes in untold for flagged in changes.dirty],
    )
