"""The world's turns, as other threads may know of them.

A turn keeps Trio's thread until it ends, so whoever has to speak meanwhile (the admin channel, the watchdog)
is a thread of its own and must not read the world, which may be half changed. So the loop notes here in
which stage it is, and publishes a report at the end of each turn. What is noted is an immutable tuple that is
put in place by one assignment: whoever reads sees the old or the new one, and nobody waits for a lock.
"""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Reversible

    from protocol.dispatch import Entry
    from protocol.session import Session

NAMES_SECONDS: Final = 1.0
"""For so long the list of players serves again: to make it costs by their number."""
RECENT: Final = 20
"""Turns by which a server is judged: the last second of a loaded one."""
RECENT_SECONDS: Final = 10.0
"""Turns longer ago say nothing of now."""
OVERLOAD_SECONDS: Final = 0.1
"""Players notice turns that are longer."""

INPUTS: Final = "inputs"
"""The first stage of a turn."""


class Numbers(Protocol):
    """Those of `server.turn.stats.TurnStats` that are told."""

    turns: int
    over_budget: int
    last_seconds: float
    worst_seconds: float

    @property
    def seconds(self) -> Reversible[float]:
        """Durations of the last turns."""

    @property
    def started(self) -> Reversible[float]:
        """Their beginnings."""


class UnderWay(NamedTuple):
    """A turn that has not ended; times by the pulse's clock."""

    began: float
    stage: str
    stage_began: float


class Report(NamedTuple):
    """The world at the end of a turn."""

    at: float
    """When that was, by the pulse's clock."""
    tick: int = 0
    turns: int = 0
    over_budget: int = 0
    last_seconds: float = 0.0
    worst_seconds: float = 0.0
    connected: int = 0
    players: tuple[str, ...] = ()
    """Names of the characters that clients played then, or a second before."""


class Pulse:
    """Written by the loop, read by any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.report = Report(clock())
        self.under_way: UnderWay | None = None
        self.client: Session | None = None
        """Whose packets were handled last."""
        self.entry: Entry[Session] | None = None
        """What the last of them was; None while something else than a packet is done in their stage."""
        self.longest = (0.0, "")
        """Seconds and name of the longest handler of the turn, once its inputs are done."""
        self._named = -NAMES_SECONDS

    # In the world's thread

    def enter(self, stage: str) -> None:
        """A stage of the turn begins; the turn itself, if none is under way."""
        now, turn = self.clock(), self.under_way
        if turn is None:
            self.entry, self.longest = None, (0.0, "")
        self.under_way = UnderWay(now if turn is None else turn.began, stage, now)

    def rest(self, tick: int, stats: Numbers, sessions: Mapping[int, Session]) -> None:
        """The turn has ended."""
        now, players = self.clock(), self.report.players
        if now - self._named >= NAMES_SECONDS:
            playing = (session.mobile for session in sessions.values())
            self._named, players = now, tuple(mobile.name for mobile in playing if mobile is not None)
        self.report = Report(
            now,
            tick,
            stats.turns,
            stats.over_budget,
            stats.last_seconds,
            stats.worst_seconds,
            len(sessions),
            players,
        )
        self.under_way = self.client = None

    # In any thread

    def seconds(self) -> float:
        """Duration so far of the turn that is under way; 0 if none is."""
        turn = self.under_way
        return 0.0 if turn is None else self.clock() - turn.began

    def standing(self) -> str:
        """The turn that is under way, its stage and what it handles, in words; empty if none is."""
        turn = self.under_way
        if turn is None:
            return ""
        now, entry, client, (longest, name) = self.clock(), self.entry, self.client, self.longest
        text = f"the world has been at one turn for {now - turn.began:.1f} s: {turn.stage}"
        if turn.stage_began > turn.began:
            text += f" for {now - turn.stage_began:.1f} s"
        if turn.stage == INPUTS and entry is not None:
            text += f", {entry.name} of {client!r}"
        return f"{text}, the longest handler took {1000 * longest:.0f} ms ({name})" if name else text


def overload(stats: Numbers, now: float) -> str:
    """Whether the last turns were too long for players, in words; empty if they were not. To be asked within
    a turn; `now` is of the clock of `stats.started`."""
    begun = itertools.takewhile(lambda began: now - began < RECENT_SECONDS, reversed(stats.started))
    ended = sum(1 for _ in begun) - 1
    recent = list(itertools.islice(reversed(stats.seconds), max(0, min(ended, RECENT))))
    long = sum(1 for seconds in recent if seconds > OVERLOAD_SECONDS)
    if not long or 2 * long < len(recent):
        return ""
    return (
        f"overloaded: {long} of the last {len(recent)} turns took more than {1000 * OVERLOAD_SECONDS:.0f} ms"
    )
