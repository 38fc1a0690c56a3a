"""Lets what tells a client only where others go wait for more of it.

The problem: of what a busy server does for a step, most is to send it to the thirty who see it, a system call
for each, and each of them sees others step in the next turn. The idea: whoever did something has its answer
with its turn, and so does everybody who is told more than steps: words, blows, what becomes of it. Steps, and
who comes into sight and goes out of it by them, wait for more: ten times as long as it took to send them
to everybody, and `network.motion_ms` at most. A server with little to send keeps nothing back, and what was
kept back is sent before whatever its client is told next.

Not done: turns that come less often, as those of a busy server do anyway. Whoever waits for an answer would
wait as long for it as others for steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from protocol.session import Session

TIMES: Final = 10
"""What it took to send steps, times this, is how long the next ones wait: a process spends no more than an
eleventh of its time on that, until they would wait too long."""

LEAST: Final = 0.002
"""Seconds: for less nothing is kept back. `network.gather_ms` is as much."""


class Coalescer:
    """Steps that wait, and until when. The turn has one for the clients of its process; so has an edge."""

    def __init__(self, longest: Callable[[], float], stopwatch: Callable[[], float]) -> None:
        """`longest`: milliseconds that steps wait at most."""
        self._longest = longest
        self._stopwatch = stopwatch
        self._due = -1e9
        self._waits = False
        self._seconds = 0.0

    @property
    def due(self) -> float | None:
        """Time at which what waits is to be sent; None if nothing does."""
        return self._due if self._waits else None

    @property
    def owed(self) -> float:
        """Seconds that it will take to send what waits, by what it took last. They count for the pace of
        turns as if they had been spent: what is spared here is not to be spent on more turns."""
        return self._seconds if self._waits else 0.0

    def send(self, sessions: Iterable[Session], now: float) -> None:
        """Send what is queued for these, who are all that there are: to those who hear of more than steps,
        and to everybody once that is due. What is for an edge is handed over at once, and waits there."""
        due, began, waits = now >= self._due, self._stopwatch(), False
        for session in list(sessions):
            if session.outbox:
                if due or session.urgent or session.multicast is not None:
                    session.link.flush()
                else:
                    waits = True
        self._waits = waits
        if due:
            self._seconds = self._stopwatch() - began
            rest = min(TIMES * self._seconds, self._longest() / 1000)
            self._due = now + rest if rest > LEAST else now
