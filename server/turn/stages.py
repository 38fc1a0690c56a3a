"""Times of the server's stages: how often each ran, how long in all, on average and at most.

Switched on and off while the server runs. While it is off it costs each stage one look at an attribute. While
it is on it costs two readings of the clock, about a tenth of a microsecond each, which is most of what it
says of the shortest stages.

receive <name>  one packet of that name, from the `recv` that completed it until it stands in its client's
                inbox: decryption, decoding, and whatever the client's rate makes it wait
decode          one packet, from frame to object
handler <name>  one packet of that name in the world task
timers          once a turn: what fell due
deltas          once a turn: who receives what, and in which packets of the games
encode          one flush of one client: late ids, Huffman, ciphers
send            one flush of one client: into the kernel
sending         once a turn: all of its flushes, in a world with edges what is handed over to their lines
storage         once a turn: handing changed things over; the store's own thread does the rest
turn            all of that, once a turn
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


NARROW = 8
"""Classes to each doubling of time, so that a quantile is right within 6 %."""

LEAST = 1e-9


class Stage:
    """Times of one stage so far, in seconds."""

    __slots__ = ("_classes", "count", "longest", "total")

    def __init__(self) -> None:
        self.count = 0
        self.total = 0.0
        self.longest = 0.0
        self._classes: dict[int, int] = {}

    def add(self, seconds: float) -> None:
        """One more run."""
        self.count += 1
        self.total += seconds
        if seconds > self.longest:
            self.longest = seconds
        # The mantissa lies between 1/2 and 1.
        mantissa, exponent = math.frexp(max(seconds, LEAST))
        number = exponent * NARROW + int(mantissa * 2 * NARROW)
        self._classes[number] = self._classes.get(number, 0) + 1

    def quantile(self, part: float) -> float:
        """The seconds that `part` (0.99, say) of the runs did not exceed, within 6 %; 0 before the first."""
        left = part * self.count
        for number, count in sorted(self._classes.items()):
            left -= count
            if left <= 0:
                exponent, place = divmod(number - NARROW, NARROW)
                return min(math.ldexp((NARROW + place + 0.5) / (2 * NARROW), exponent), self.longest)
        return self.longest


def totals(report: Iterable[str]) -> dict[str, tuple[int, float]]:
    """Read a `Stages.report` again: by stage, how often it ran, and its seconds in all."""
    columns = 2 + len(REPORTED)
    rows = [row for line in report if len(row := line.rsplit(maxsplit=columns)) > columns]
    return {row[0].strip(): (int(row[1]), float(row[2]) / 1e3) for row in rows if row[1].isdigit()}


REPORTED: Final[Mapping[str, Callable[[Stage], float]]] = {
    "mean us": lambda stage: stage.total / stage.count,
    "p50 us": lambda stage: stage.quantile(0.5),
    "p99 us": lambda stage: stage.quantile(0.99),
    "most us": lambda stage: stage.longest,
}
"""Of each stage, in seconds, by its title in the report."""


class Stages:
    """All stages of one server. `on` is what the measured code looks at; `clock` is what it reads."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.on = False
        self.clock = clock
        self.stages: dict[str, Stage] = {}

    def switch(self, on: bool) -> None:
        """Begin anew, or stop and keep what was measured."""
        if on and not self.on:
            self.stages = {}
        self.on = on

    def add(self, name: str, seconds: float) -> None:
        """One more run of a stage."""
        stage = self.stages.get(name)
        if stage is None:
            stage = self.stages[name] = Stage()
        stage.add(seconds)

    def since(self, name: str, began: float) -> None:
        """One more run of a stage, which began at that reading of the clock and ends now."""
        self.add(name, self.clock() - began)

    def report(self) -> list[str]:
        """A table for people, the stage that took most in all first."""
        rows = sorted(self.stages.items(), key=lambda row: -row[1].total)
        return [
            f"{'stage':36}{'count':>10}{'total ms':>10}" + "".join(f"{title:>10}" for title in REPORTED),
            *(
                f"{name:36}{stage.count:>10}{1e3 * stage.total:>10.1f}"
                + "".join(f"{1e6 * read(stage):>10.1f}" for read in REPORTED.values())
                for name, stage in rows
            ),
        ]
