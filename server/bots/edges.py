"""`causeway bench edge`: what the cut between an edge and a world costs and spares.

The same bots do the same against one process and against two, in turns; each row is a game. The processor
time of each process is divided by the moves that were made.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from server.bots.bench import INTERVAL, machine, settled
from server.bots.cells import milliseconds
from server.bots.process import BenchServer, SplitServer, cpu_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COUNTS: Final = (200,)


@attrs.frozen
class Cost:
    """Of one stretch: microseconds a move, and the seconds after which moves were answered."""

    world: float
    edge: float
    answers: Sequence[float]

    @property
    def whole(self) -> float:
        """Of both."""
        return self.world + self.edge


def run(
    games: Sequence[str],
    counts: Sequence[int],
    seconds: float,
    say: Callable[[str], None],
    *,
    interval: float = INTERVAL,
) -> None:
    """Measure each game at each size, in `spread`; the table goes to `say`."""
    say(machine())
    say(
        "| | N | one process us/move | world us/move | edge us/move | world | both | "
        "answer ms p50/95/99: one process | two |"
    )
    say("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="causeway-bench-") as folder:
        for game in games:
            for count in counts or COUNTS:
                place = Path(folder) / f"{game}-{count}"
                one = _cost(place.with_suffix(".one"), BenchServer, game, count, seconds, interval)
                two = _cost(place.with_suffix(".two"), SplitServer, game, count, seconds, interval)
                say(
                    f"| {game} | {count} | {one.world:.0f} | {two.world:.0f} | {two.edge:.0f} | "
                    f"{two.world / one.world:.2f}x | {two.whole / one.world:.2f}x | "
                    f"{milliseconds(one.answers)} | {milliseconds(two.answers)} |"
                )


def _cost(
    place: Path, kind: type[BenchServer], game: str, count: int, seconds: float, interval: float
) -> Cost:
    with settled(place, "spread", game, count, interval=interval, kind=kind) as (server, swarm, _):
        pids = [server.pid, *([server.edge_pid] if isinstance(server, SplitServer) else [])]
        before = [cpu_seconds(pid) for pid in pids]
        tally = swarm.run(seconds)
        spent = [cpu_seconds(pid) - began for pid, began in zip(pids, before, strict=True)]
    world, edge, *_ = (*(1e6 * one / tally.moves for one in spent), 0.0)
    return Cost(world, edge, tally.answers)
