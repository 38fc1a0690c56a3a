"""A pytest plugin that keeps the tests within a budget: CPU seconds for each folder of tests/.

A suite gets slow a second at a time, and nobody sees which. So `tests/budget.toml` says what each folder may
cost, and a whole run prints what each did cost. Beyond 115 % of it a folder is named as near its budget; the
run fails beyond 160 %. In between is what the same tests were seen to differ by between two runs: seconds of
processor time depend on the neighbours, even corrected as below, and a check that fails for the weather is
soon believed by nobody. A folder that grew is seen at 115 % by whoever reads the last lines, and whoever adds
tests that cost more than is left raises the number, in a change that says so, or makes others cheaper.

What counts is processor time, user and system, of the processes that run tests and of all that they started:
servers, browsers, the template they are forked from, whether or not they have ended. It is not the clock,
because a busy machine is not a failing test. A database server that detaches itself is nobody's child and
is not seen. Time between two tests belongs to the folder of the first: what a folder set up for all of its
tests is taken down there.

Machines differ, and one that others use as well does less with a second: so each process measures a piece of
fixed work between two tests, every other second (`reference`), and what is compared with the budget is
seconds of a machine that takes `reference_ms` for it. Part of the work fits into the innermost caches, and
the larger part does not, like that of the tests: neighbours take away shared caches and memory as well as
turns of a core, and a loop alone was seen to run undisturbed while the tests took a third more. It is
measured in processor time, too, and its median taken, so neither waiting nor a hiccup counts.

The budget is for whole runs. If some of the tests were left out (paths, -k, -m, --lf and the like), or
failed, or a process died, nothing is compared, and a line says so. Under xdist the workers report to the
controller.

Servers are counted as well, each time that one has opened its doors: to start one is the most expensive line
a test can have.
"""

from __future__ import annotations

import functools
import itertools
import os
import random
import time
import tomllib
from pathlib import Path
from statistics import median
from textwrap import wrap
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final, Protocol, TypedDict

import attrs
import cattrs
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

TESTS: Final = Path(__file__).resolve().parents[1]

FILE: Final = TESTS / "budget.toml"

NEAR: Final = 1.15
"""Beyond so much of its budget a folder is named."""

MARGIN: Final = 1.6
"""Beyond so much of its budget a folder fails the run."""

ROUNDS: Final = 20_000
"""Of the reference loop: about a quarter of the whole."""

THINGS: Final = 120_000
"""What is walked over, some 20 MB: more than a core has of caches for itself."""

STEPS: Final = 40_000
"""Of a walk; the next one goes on from there."""

SECONDS: Final = 2.0
"""From one look at the reference to the next, at least: it takes about a hundredth of the time."""

OUTSIDE: Final = "."
"""What the files beside the folders are called in the budget."""

_servers = 0


def server_started() -> None:
    """Count one server process more."""
    global _servers
    _servers += 1


@attrs.frozen
class Budget:
    """What `tests/budget.toml` says."""

    reference_ms: float
    """How long the reference takes on the machine whose seconds the budget is in."""
    servers: int
    """How many server processes a run may start."""
    folders: dict[str, float]
    """CPU seconds by folder of tests/."""


class Report(TypedDict):
    """What one process that ran tests has to say."""

    spent: dict[str, float]
    references: list[float]
    servers: int
    whole: bool
    """Whether it knows of no test that was left out."""


class _Node(Protocol):
    """A worker of xdist, as its controller sees it."""

    workeroutput: dict[str, object]


def read(path: Path) -> Budget:
    """Read a budget file."""
    return cattrs.Converter(forbid_extra_keys=True).structure(
        tomllib.loads(path.read_text(encoding="utf-8")), Budget
    )


@functools.cache
def _things() -> itertools.cycle[list[str]]:
    """Small objects in an order that has nothing to do with where they lie in memory."""
    things = [[str(number), "x" * (number % 7)] for number in range(THINGS)]
    random.Random(1).shuffle(things)
    return itertools.cycle(things)


def reference() -> float:
    """How many milliseconds of processor time a fixed piece of work takes: dicts, small objects and calls in
    the innermost caches, then a walk over many things that are somewhere in memory."""
    things = _things()
    begun = time.thread_time()
    seen: dict[int, tuple[int, str]] = {}
    for number in range(ROUNDS):
        key = number * 7919 & 0x3FF
        seen[key] = (number, str(seen.get(key, (0, ""))[0]))
    length = 0
    for thing in itertools.islice(things, STEPS):
        length += len(thing[1])
    return (time.thread_time() - begun) * 1000


def folder_of(path: Path, root: Path = TESTS) -> str:
    """The folder of tests/ that a test counts for."""
    inside = path.relative_to(root).parts if path.is_relative_to(root) else ()
    return inside[0] if len(inside) > 1 else OUTSIDE


def spent() -> float:
    """CPU seconds of this process and all it has started, the living and those that have ended."""
    own = os.times()
    return own.user + own.system + own.children_user + own.children_system + _descendants()


def _descendants() -> float:
    """CPU seconds of all processes below this one that still run, and of the children these have outlived."""
    children: dict[int, list[tuple[int, int]]] = {}
    for entry in os.scandir("/proc") if os.path.isdir("/proc") else ():
        if entry.name.isdigit():
            try:
                # The name, in brackets, may hold anything: the fields begin after its end.
                fields = Path(entry.path, "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue  # it has just ended
            # utime, stime, cutime and cstime: fields 14 to 17 of proc(5); here the third is the first.
            ticks = sum(int(field) for field in fields[11:15])
            children.setdefault(int(fields[1]), []).append((int(entry.name), ticks))
    total, below = 0, [os.getpid()]
    while below:
        for pid, ticks in children.get(below.pop(), ()):
            total += ticks
            below.append(pid)
    return total / os.sysconf("SC_CLK_TCK")


class Meter:
    """Spends what the clock of processor time goes on by on the folder whose tests run."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self.references: list[float] = []
        self._folder: str | None = None
        self._since = 0.0
        self._looked: float | None = None

    def turn_to(self, folder: str | None) -> None:
        """From now on it is for this one; None when all tests are over."""
        if folder == self._folder:
            return
        now = spent()
        if self._folder is not None:
            self.spent[self._folder] = self.spent.get(self._folder, 0.0) + now - self._since
        self._folder, self._since = folder, spent()

    def look(self, now: float) -> None:
        """Measure the reference if the last time is long enough ago; what that takes is for no folder."""
        if self._looked is None or now - self._looked >= SECONDS:
            begun = time.process_time()
            self.references.append(reference())
            self._looked = now
            self._since += time.process_time() - begun


def slowness(references: list[float], budget: Budget) -> float:
    """How many seconds of this machine are one of the machine of the budget."""
    return median(references) / budget.reference_ms


def overruns(costs: Mapping[str, float], servers: int, budget: Budget) -> list[str]:
    """What is beyond the budget, in words. `costs`: in seconds of the machine of the budget."""
    wrong = []
    for folder, cost in sorted(costs.items()):
        allowed = budget.folders.get(folder)
        if allowed is None:
            wrong.append(f"tests/{folder} has no budget")
        elif cost > allowed * MARGIN:
            wrong.append(_words(folder, cost, allowed))
    if servers > budget.servers:
        wrong.append(f"{servers} servers were started, {budget.servers} may be")
    return wrong


def near(costs: Mapping[str, float], budget: Budget) -> list[str]:
    """What costs more than its budget, but not so much that the run fails, in words."""
    shares = {
        folder: cost / allowed for folder, cost in costs.items() if (allowed := budget.folders.get(folder))
    }
    return [
        _words(folder, costs[folder], budget.folders[folder])
        for folder, share in sorted(shares.items())
        if NEAR < share <= MARGIN
    ]


def _words(folder: str, cost: float, allowed: float) -> str:
    return f"tests/{folder} costs {cost:.1f} s of {allowed:g} s"


class Plugin:
    """One per process: measures where tests run, and compares where pytest reports."""

    def __init__(self, config: pytest.Config, file: Path = FILE) -> None:
        self._config = config
        self._file = file
        self._meter = Meter()
        self._reports: list[Report] = []
        self._whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.getoption(
            "ignore"
        )
        self._wrong: list[str] = []
        self._lines: list[str] = []

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Note that tests are left out which a whole run has."""
        if any(item.get_closest_marker("soak") is None for item in items):
            self._whole = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self) -> None:
        """Make what the reference walks over now: before tests/conftest.py takes all that is there out of
        garbage collection."""
        _things()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """The time from here on is for the folder of this test."""
        self._meter.turn_to(folder_of(item.path, self._file.parent))
        self._meter.look(time.monotonic())
        return (yield)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: _Node, error: object) -> None:
        """Take the report of a worker; one that died has left none."""
        report = getattr(node, "workeroutput", {}).get("budget")
        if report is None:
            self._whole = False
        else:
            self._reports.append(cattrs.structure(report, Report))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Report to the controller; there, compare."""
        self._meter.turn_to(None)
        mine = Report(
            spent=self._meter.spent,
            references=self._meter.references,
            servers=_servers,
            whole=self._whole,
        )
        output: dict[str, object] | None = getattr(self._config, "workeroutput", None)
        if output is not None:
            output["budget"] = mine
            return
        self._reports.append(mine)
        if any(report["references"] for report in self._reports):
            self._compare(session)

    def _compare(self, session: pytest.Session) -> None:
        budget = read(self._file)
        slow = slowness([took for report in self._reports for took in report["references"]], budget)
        costs: dict[str, float] = {}
        for report in self._reports:
            for folder, seconds in report["spent"].items():
                costs[folder] = costs.get(folder, 0.0) + seconds / slow
        servers = sum(report["servers"] for report in self._reports)
        shown = [f"{folder} {cost:.0f}/{budget.folders.get(folder, 0):g}" for folder, cost in costs.items()]
        self._lines += wrap("CPU seconds by folder, of those it may cost: " + ", ".join(sorted(shown)), 110)
        self._lines.append(
            f"CPU seconds in total: {sum(costs.values()):.0f} of {sum(budget.folders.values()):g};"
            f" servers started: {servers} of {budget.servers};"
            f" one second of the budget is {slow:.2f} here"
        )
        if not all(report["whole"] for report in self._reports):
            self._lines.append("the budget is not checked: not all of the tests ran")
        elif session.exitstatus != pytest.ExitCode.OK:
            self._lines.append("the budget is not checked: tests failed")
        else:
            self._lines += [f"NEAR ITS BUDGET {words}" for words in near(costs, budget)]
            self._wrong = overruns(costs, servers, budget)
            if self._wrong:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print what it came to."""
        for line in self._lines:
            terminalreporter.write_line(line)
        for line in self._wrong:
            terminalreporter.write_line(f"OVER BUDGET {line}", red=True)
        if self._wrong:
            # Its last line counts them beside the tests that passed.
            terminalreporter.stats["over budget"] = [SimpleNamespace(words=words) for words in self._wrong]
