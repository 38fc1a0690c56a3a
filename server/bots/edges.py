"""`causeway bench edge`: what the cut between an edge and a world costs and spares.

The same bots do the same, in `spread`, in front of one process and in front of an edge and a world; with
`--before DIR` in front of one process of that other version, too. Forth and back, so that a machine that gets
slower meanwhile does so for all, and as often as `--rounds` says; what is told of each is of all its
stretches together. Each of them is two: one in which processor time is divided by the moves that were made,
and one in which stages are measured as well (`server.turn.stages`), which costs some time itself.

Meanwhile the one process, or the world, has a core of its own, and bots and edge have the others: what three
processes cost that the system moves about on two cores is not the same twice. With `--anywhere` it may.

world, edge, both  microseconds of processor time for each move of a client, of the whole process
of before, of one  world and both as parts of what one process takes: of the other version, and of this one
flush              microseconds a move that the world's turns spend on sending: on system calls, codecs and
                   ciphers in one process; with an edge on what is handed over to its line. By the clock, so
                   what else runs on that core counts. Of versions that have no such stage: encode and send
sends              to each client in a second
us/send            of whoever has the sockets, by the clock: encode and send
KB/client          resident memory that came with each client, of the world and of the edge
"""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from server.bots.bench import INTERVAL, machine, settled
from server.bots.cells import aligned, milliseconds
from server.bots.process import ROOT, BenchServer, SplitServer, apart, cpu_seconds, resident_bytes
from server.turn.stages import totals

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

COUNTS: Final = (200,)


@attrs.frozen
class Form:
    """A version of the program, in one process or two."""

    name: str
    kind: type[BenchServer]
    root: Path


@attrs.frozen
class Cost:
    """Of one stretch or of several; seconds and bytes."""

    moves: int
    world: float
    """Processor time of the process that has the world."""
    edge: float
    answers: Sequence[float]
    """After how long moves were answered."""
    steps: int
    """Moves while stages were measured."""
    flush: float
    sends: int
    sending: float
    shares: float
    """Clients times the seconds for which stages were measured."""
    world_bytes: float
    """Of memory for each client."""
    edge_bytes: float

    @property
    def both(self) -> float:
        """Microseconds of processor time for each move."""
        return _each(self.world + self.edge, self.moves)

    @property
    def of_world(self) -> float:
        """The same of the world alone."""
        return _each(self.world, self.moves)


def run(
    games: Sequence[str],
    counts: Sequence[int],
    seconds: float,
    say: Callable[[str], None],
    *,
    interval: float = INTERVAL,
    before: Path | None = None,
    rounds: int = 1,
    anywhere: bool = False,
) -> None:
    """Measure each game at each size; progress and the table go to `say`. `before`: where another version
    is. `anywhere`: the system puts processes on cores as it likes."""
    say(machine())
    forms = [Form("one process", BenchServer, ROOT), Form("edge and world", SplitServer, ROOT)]
    if before is not None:
        forms.insert(0, Form("before", BenchServer, before.resolve()))
    rows = [list(HEAD)]
    with tempfile.TemporaryDirectory(prefix="causeway-bench-") as folder:
        for game in games:
            for count in counts or COUNTS:
                found: dict[str, list[Cost]] = {form.name: [] for form in forms}
                for number, form in enumerate([*forms, *forms[::-1]] * rounds):
                    place = Path(folder) / f"{game}-{count}-{number}"
                    cost = measure(place, form, game, count, seconds, interval, anywhere=anywhere)
                    found[form.name].append(cost)
                    say(
                        f"{game}, {count}, {form.name}: {cost.of_world:.0f} us/move, "
                        f"{cost.both:.0f} with the edge, answers {milliseconds(cost.answers)} ms"
                    )
                rows += filled(game, count, {name: together(costs) for name, costs in found.items()})
    for line in aligned(rows):
        say(line)


def measure(
    place: Path, form: Form, game: str, count: int, seconds: float, interval: float, *, anywhere: bool = False
) -> Cost:
    """Two stretches with a server of its own; `anywhere`: see `run`."""
    entered = settled(place, "spread", game, count, interval=interval, kind=form.kind, root=form.root)
    with entered as (server, swarm, world_bytes):
        edge = server if isinstance(server, SplitServer) else None
        pids = [server.pid, *([edge.edge_pid] if edge else [])]
        edge_bytes = resident_bytes(edge.edge_pid) - edge.edge_empty if edge else 0
        with nullcontext() if anywhere else apart(*pids):
            began = [cpu_seconds(pid) for pid in pids]
            tally = swarm.run(seconds)
            spent = [cpu_seconds(pid) - before for pid, before in zip(pids, began, strict=True)]
            server.measure_stages(True)
            steps = swarm.run(seconds)
            server.measure_stages(False)
        stages = totals(server.stages_report())
        sends, sending = sent(totals(edge.edge_report()) if edge else stages)
    return Cost(
        tally.moves,
        spent[0],
        sum(spent[1:]),
        tally.answers,
        steps.moves,
        flushing(stages),
        sends,
        sending,
        count * steps.seconds,
        world_bytes,
        edge_bytes / count,
    )


def sent(stages: Mapping[str, tuple[int, float]]) -> tuple[int, float]:
    """Count what was sent to clients, and the seconds that took, by the stages of whoever has the sockets."""
    count, seconds = stages.get("send", (0, 0.0))
    return count, seconds + stages.get("encode", (0, 0.0))[1]


def flushing(stages: Mapping[str, tuple[int, float]]) -> float:
    """The seconds that a world's turns spent on sending."""
    return stages["sending"][1] if "sending" in stages else sent(stages)[1]


def together(costs: Sequence[Cost]) -> Cost:
    """Several stretches of the same as one; of memory the mean."""
    return Cost(
        sum(cost.moves for cost in costs),
        sum(cost.world for cost in costs),
        sum(cost.edge for cost in costs),
        [answer for cost in costs for answer in cost.answers],
        sum(cost.steps for cost in costs),
        sum(cost.flush for cost in costs),
        sum(cost.sends for cost in costs),
        sum(cost.sending for cost in costs),
        sum(cost.shares for cost in costs),
        sum(cost.world_bytes for cost in costs) / len(costs),
        sum(cost.edge_bytes for cost in costs) / len(costs),
    )


HEAD: Final = (
    "",
    "N",
    "",
    "world us/move",
    "edge us/move",
    "both",
    "world of before",
    "both of before",
    "world of one",
    "both of one",
    "flush us/move",
    "sends",
    "us/send",
    "KB/client",
    "answer ms p50/95/99",
)


def filled(game: str, count: int, costs: Mapping[str, Cost]) -> list[list[str]]:
    """Rows of the table, by form."""
    before, one = costs.get("before"), costs["one process"]
    return [
        [
            game,
            str(count),
            name,
            f"{cost.of_world:.0f}",
            f"{_each(cost.edge, cost.moves):.0f}" if cost.edge else "-",
            f"{cost.both:.0f}",
            *_beside(cost, before),
            *_beside(cost, one),
            f"{_each(cost.flush, cost.steps):.1f}",
            f"{cost.sends / cost.shares:.1f}",
            f"{_each(cost.sending, cost.sends):.1f}",
            f"{cost.world_bytes / 1e3:.0f}" + (f" + {cost.edge_bytes / 1e3:.0f}" if cost.edge else ""),
            milliseconds(cost.answers),
        ]
        for name, cost in costs.items()
    ]


def _beside(cost: Cost, other: Cost | None) -> tuple[str, str]:
    """World and both, as parts of what one process takes."""
    if other is None or not other.both:
        return "-", "-"
    return f"{cost.of_world / other.both:.2f}", f"{cost.both / other.both:.2f}"


def _each(seconds: float, count: int) -> float:
    """Microseconds for each; nan if there was none."""
    return 1e6 * seconds / count if count else float("nan")
