"""Statistics of the turns: how long they took and where their time went, how late they began, what waits."""

from __future__ import annotations

import itertools
from collections import deque
from typing import TYPE_CHECKING, Final

import attrs

from server.counters import TURN_BOUNDS, Histogram
from server.turn.budget import FULL

if TYPE_CHECKING:
    from collections.abc import Iterable

RECENT_TURNS = 4096
"""Turns that are remembered one by one: the last three minutes and a half of a loaded server."""

STAGES: Final = ("inputs", "timers", "views", "sending", "the rest")
"""The parts of a turn, in their order. The rest is departures, and what is handed over to the store."""


def _quantile(samples: Iterable[float], part: float) -> float:
    ranked = sorted(samples)
    return ranked[min(len(ranked) - 1, int(part * len(ranked)))] if ranked else 0.0


@attrs.define
class TurnStats:
    """Statistics of the turns so far, for operators and tests. Times are in seconds."""

    turns: int = 0
    last_seconds: float = 0.0
    parts: tuple[float, ...] = (0.0,) * len(STAGES)
    """What each of `STAGES` took in the last turn."""
    allowance: float = FULL
    """Work that the next turn may take in, see `server.turn.budget`."""
    overloaded: bool = False
    """Whether more comes in than turns of the right length can do."""
    crowd: int = 0
    """Others whom each client is shown at most; 0 if there is no limit."""
    waiting: int = 0
    """Clients of whom the last turn left something for the next one."""
    worst_seconds: float = 0.0
    over_budget: int = 0
    last_lateness: float = 0.0
    """Real start minus the start the pacing rule asked for."""
    seconds: deque[float] = attrs.field(factory=lambda: deque(maxlen=RECENT_TURNS), repr=False)
    """How long each of the last turns took."""
    lateness: deque[float] = attrs.field(factory=lambda: deque(maxlen=RECENT_TURNS), repr=False)
    """How late each of the last turns began."""
    started: deque[float] = attrs.field(factory=lambda: deque(maxlen=RECENT_TURNS), repr=False)
    """When each of the last turns began, by the monotonic clock."""
    all_seconds: Histogram = attrs.field(factory=lambda: Histogram(TURN_BOUNDS), repr=False)
    """How long all turns took."""
    all_lateness: Histogram = attrs.field(factory=lambda: Histogram(TURN_BOUNDS), repr=False)
    """How late all of them began."""

    def took(self, parts: tuple[float, ...]) -> None:
        """Count a turn: what each of `STAGES` took."""
        seconds = sum(parts)
        self.turns += 1
        self.last_seconds, self.parts = seconds, parts
        self.seconds.append(seconds)
        self.all_seconds.observe(seconds)
        self.worst_seconds = max(self.worst_seconds, seconds)

    def seconds_quantile(self, part: float) -> float:
        """The duration that `part` (0.99, say) of the last turns did not exceed; 0 before the first."""
        return _quantile(self.seconds, part)

    def lateness_quantile(self, part: float) -> float:
        """The same of their lateness."""
        return _quantile(self.lateness, part)

    def per_second(self, now: float, seconds: float = 10.0) -> float:
        """Turns in a second, over the last so many."""
        recent = itertools.takewhile(lambda began: began > now - seconds, reversed(self.started))
        return sum(1 for _ in recent) / seconds

    def load(self) -> str:
        """A line for people: whether there is more to do than fits, and where the last turn's time went."""
        parts = ", ".join(f"{name} {1000 * part:.1f}" for name, part in zip(STAGES, self.parts, strict=True))
        state = "less is taken in than comes: " if self.overloaded else ""
        return (
            f"{state}the last turn took {1000 * self.last_seconds:.1f} ms ({parts}) and left something of "
            f"{self.waiting} clients for the next, which may take in {self.allowance:,.0f} of work"
            + (f"; each client is shown {self.crowd} others at most" if self.crowd else "")
        )
