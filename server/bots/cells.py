"""Results of one run of `causeway bench`, and the table they become."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from server.bots.swarm import Tally


RECEIVE: Final = "receive "
"""How the names of those stages begin (`server.turn.stages`)."""


@attrs.frozen
class Cell:
    """One size of one scenario."""

    label: str
    count: int
    tally: Tally
    cpu: float
    """Seconds of the server process, in `tally.seconds`."""
    starved: float
    """Seconds for which the world's thread could have run, and another process had the core."""
    resident: int
    """Bytes of the server process, at the end."""
    client_bytes: float
    """Resident bytes that came with each client."""
    turns: Mapping[str, float]
    """See `server.bots.serve.Gauge`."""
    floor: FloorCell | None = None
    note: str = ""
    first: Cell | None = None
    """The smallest of the same scenario and game, with which costs are compared."""

    @property
    def per_move(self) -> float:
        """CPU microseconds for each move of a client: decoding it, and telling all who see it."""
        return 1e6 * self.cpu / self.tally.moves if self.tally.moves else 0.0

    @property
    def per_packet(self) -> float:
        """CPU microseconds for each packet that was delivered."""
        return 1e6 * self.cpu / self.tally.packets if self.tally.packets else 0.0

    @property
    def load(self) -> float:
        """Share of one core that the server took."""
        return self.cpu / self.tally.seconds


@attrs.frozen
class FloorCell:
    """The same job by the C server."""

    load: float
    """Share of one core at 20 turns a second."""
    packets: float
    """Delivered per CPU second, at 20 turns a second."""
    answers: Sequence[float]
    """When it paces its turns as the server does."""


def quantile(values: Iterable[float], part: float) -> float:
    """The value below which that part of them lies; nan if there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else float("nan")


def milliseconds(values: Sequence[float]) -> str:
    """p50 / p95 / p99."""
    if not values:
        return "-"
    return " / ".join(f"{quantile(values, part) * 1000:.1f}" for part in (0.5, 0.95, 0.99))


def _ratio(value: float, floor: float) -> str:
    return f"{value / floor:.1f}x" if floor else "-"


def _beside_the_first(cell: Cell, digits: int, cost: Callable[[Cell], float]) -> str:
    """A cost, and what multiple it is of the same with the fewest clients."""
    first = cost(cell.first) if cell.first is not None else 0.0
    return f"{cost(cell):.{digits}f}" + (f" ({cost(cell) / first:.2f}x)" if first else "")


def _floor_load(cell: Cell) -> str:
    if cell.floor is None:
        return cell.note or "-"
    return f"{cell.floor.load * 100:.0f} ({_ratio(cell.load, cell.floor.load)})"


def _floor_answers(cell: Cell) -> str:
    if cell.floor is None or not cell.floor.answers:
        return "-"
    times = cell.tally.answers or cell.tally.sights
    ratios = [_ratio(quantile(times, part), quantile(cell.floor.answers, part)) for part in (0.5, 0.95, 0.99)]
    return f"{milliseconds(cell.floor.answers)} ({' / '.join(ratios)})"


COLUMNS: Final[Mapping[str, Callable[[Cell], str]]] = {
    "": lambda cell: cell.label,
    "N": lambda cell: str(cell.count),
    "CPU %": lambda cell: f"{cell.load * 100:.0f}",
    "floor CPU %": _floor_load,
    "packets/s": lambda cell: f"{cell.tally.packets / cell.tally.seconds:,.0f}",
    "packets/CPU s": lambda cell: f"{cell.tally.packets / cell.cpu:,.0f}" if cell.cpu else "-",
    "us/move": lambda cell: _beside_the_first(cell, 0, lambda one: one.per_move),
    "us/packet": lambda cell: _beside_the_first(cell, 1, lambda one: one.per_packet),
    "starved %": lambda cell: f"{cell.starved / cell.tally.seconds * 100:.0f}",
    "answer ms p50/95/99": lambda cell: milliseconds(cell.tally.answers),
    "seen ms p50/95/99": lambda cell: milliseconds(cell.tally.sights),
    "floor answer ms": _floor_answers,
    "turns/s": lambda cell: f"{cell.turns['turns'] / cell.tally.seconds:.0f}",
    "late ms p50/99": lambda cell: f"{cell.turns['late_p50_ms']:.1f} / {cell.turns['late_p99_ms']:.1f}",
    "worst turn ms": lambda cell: f"{cell.turns['worst_ms']:.0f}",
    "RSS MB": lambda cell: f"{cell.resident / 1e6:.0f}",
    "KB/client": lambda cell: f"{cell.client_bytes / 1e3:.0f}",
    "bots CPU %": lambda cell: f"{cell.tally.cpu / cell.tally.seconds * 100:.0f}",
    "bots late ms": lambda cell: f"{cell.tally.late * 1000:.0f}",
    "refused": lambda cell: str(cell.tally.refused),
}
"""Title of a column, and how a cell fills it."""


def table(cells: Sequence[Cell]) -> list[str]:
    """As a table in Markdown, columns aligned."""
    return aligned([list(COLUMNS), *([show(cell) for show in COLUMNS.values()] for cell in cells)])


def received(stages: Mapping[tuple[str, int], Mapping[str, Mapping[str, float]]]) -> list[str]:
    """Table of the times from `recv` to the inbox, by packet; `stages` holds what `BenchServer.stages` gave,
    by (game, clients)."""
    head = ["", "N", "packet", "count", "mean us", "p50", "p99", "most"]
    rows = [
        [
            game,
            str(count),
            name.removeprefix(RECEIVE),
            f"{stage['count']:.0f}",
            *(f"{stage[key]:.0f}" for key in ("mean_us", "p50_us", "p99_us", "most_us")),
        ]
        for (game, count), found in stages.items()
        for name, stage in sorted(found.items())
        if name.startswith(RECEIVE)
    ]
    return aligned([head, *rows])


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of words as a table in Markdown; the first is its head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    return [lines[0], "|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|", *lines[1:]]
