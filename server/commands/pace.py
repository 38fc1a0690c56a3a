"""The rate at which a player may give commands.

A command may cost more than a step or a word: `who` looks at everybody, `give` waits for the disk. Whoever
sends them in a stream is told to wait; what was refused does not count.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from world.mobile import Mobile

MOST: Final = 3
"""Commands in so many seconds:"""
SECONDS: Final = 5.0


class Pace:
    """Remembers the last commands of everybody in the world. It goes with the mobile, so that logging in
    again does not make anybody faster."""

    def __init__(self) -> None:
        self._recent: WeakKeyDictionary[Mobile, deque[tuple[float, str]]] = WeakKeyDictionary()
        """When it gave which command, the last MOST of them."""

    def takes(self, actor: Mobile, command: str, every: float, now: float) -> bool:
        """Whether it may give that command now, which is at most once in `every` seconds (no more than
        SECONDS); if so, it has. `now` in seconds, monotonic."""
        recent = self._recent.setdefault(actor, deque(maxlen=MOST))
        if len(recent) == MOST and now - recent[0][0] < SECONDS:
            return False
        if any(given == command and now - at < every for at, given in recent):
            return False
        recent.append((now, command))
        return True
