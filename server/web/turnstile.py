"""The share of one thread that browsers get beside the world.

Trio runs, in each pass of its scheduler, every task that is ready: with two hundred connections that have
something to say, a turn of the world would wait for all two hundred. So each of them passes a turnstile with
what it has read; that lets through a little in each pass, and the others wait, first come, first served.
"""

from __future__ import annotations

from typing import Final

import attrs
import trio

REQUESTS_PER_PASS: Final = 2
"""A page takes half a millisecond."""
WORDS_PER_PASS: Final = 1024
"""Bytes of WebSockets: twenty steps of players, or, from somebody who means harm, 8 ms of work."""


class Turnstile:
    """Lets `budget` through in each pass. What is heavier passes, too; those behind it wait for longer."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._left = budget
        self._waiting: dict[trio.Event, int] = {}
        """Their weights, the first one first."""
        self._used = trio.Event()

    async def enter(self, weight: int) -> None:
        """Wait for one's turn; at once if there is room and nobody waits."""
        self._used.set()
        if self._left > 0 and not self._waiting:
            self._left -= weight
            return
        turn = trio.Event()
        self._waiting[turn] = weight
        try:
            await turn.wait()
        finally:
            self._waiting.pop(turn, None)

    async def run(self) -> None:
        """Turn, for ever: one pass of the scheduler, one budget. Sleeps while nobody comes."""
        while True:
            await self._used.wait()
            await trio.lowlevel.checkpoint()
            self._left = min(self._budget, self._left + self._budget)
            while self._waiting and self._left > 0:
                turn = next(iter(self._waiting))
                self._left -= self._waiting.pop(turn)
                turn.set()
            if self._left == self._budget:
                self._used = trio.Event()


@attrs.frozen
class Turnstiles:
    """Those of one page. Who plays does not wait behind those who ask for pages."""

    requests: Turnstile = attrs.field(factory=lambda: Turnstile(REQUESTS_PER_PASS))
    words: Turnstile = attrs.field(factory=lambda: Turnstile(WORDS_PER_PASS))
