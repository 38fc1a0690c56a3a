"""The budget of the tests: what is measured, what is compared, and when a run fails for it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.kit import budget

ROOT = Path(__file__).parents[1]
CONFTEST = """
from pathlib import Path
from tests.kit.budget import Plugin, server_started

def pytest_configure(config):
    config.pluginmanager.register(Plugin(config, Path(__file__).with_name("budget.toml")))
"""
SETTINGS = (
    '[pytest]\ntestpaths = suite\nmarkers = soak: long\naddopts = --import-mode=importlib -m "not soak"'
)
CHEAP = "import pytest\n\ndef test_cheap(): pass\n\n@pytest.mark.soak\ndef test_long(): pass\n"
BUSY = """
import subprocess, sys, time
from tests.kit.budget import server_started

CODE = "import time\\nwhile time.process_time() < 0.2: pass"

def test_busy_child():
    server_started()
    subprocess.run([sys.executable, "-S", "-c", CODE], check=True)
"""


def run(folder: Path, *args: str, expensive: float = 100.0, servers: int = 1) -> tuple[int, str]:
    """A suite of two folders, one of which has a child that takes some time; exit code and output."""
    for name, text in (
        ("pytest.ini", SETTINGS),
        ("suite/conftest.py", CONFTEST),
        ("suite/cheap/test_cheap.py", CHEAP),
        ("suite/expensive/test_busy.py", BUSY),
        ("suite/budget.toml", wanted(expensive, servers)),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args],
        cwd=folder,
        # Without the plugins of the tests around it, which take most of a start.
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def wanted(expensive: float, servers: int) -> str:
    """In seconds of a machine that takes 1,000 ms for what none takes more than a few tens for: a
    fifth of a second of this one is far more there."""
    return f"reference_ms = 1000.0\nservers = {servers}\n[folders]\ncheap = 1000\nexpensive = {expensive}\n"


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "2")], ids=["alone", "xdist"])
def test_a_folder_that_costs_more_than_its_budget_fails_a_whole_run(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    code, said = run(tmp_path, *workers, expensive=0.2)
    assert code == 1, said
    assert "OVER BUDGET tests/expensive costs" in said
    assert "tests/cheap" not in said
    assert "1 over budget in" in said, "in the last line, too"


def test_within_the_budget_a_run_says_what_it_cost(tmp_path: Path) -> None:
    code, said = run(tmp_path, expensive=100_000.0)
    assert code == 0, said
    assert "CPU seconds by folder" in said
    assert "servers started: 1 of 1" in said
    assert "over budget" not in said.lower()
    assert "not checked" not in said


@pytest.mark.parametrize(
    "part", [["suite/expensive"], ["-k", "busy"], ["--deselect", "suite/cheap/test_cheap.py::test_cheap"]]
)
def test_of_a_part_of_the_tests_nothing_is_compared(tmp_path: Path, part: list[str]) -> None:
    code, said = run(tmp_path, *part, expensive=0.001)
    assert code == 0, said
    assert "the budget is not checked: not all of the tests ran" in said


def test_a_run_that_fails_has_that_to_say(tmp_path: Path) -> None:
    (tmp_path / "suite/expensive").mkdir(parents=True)
    (tmp_path / "suite/expensive/test_wrong.py").write_text("def test_wrong():\n    assert False\n")
    code, said = run(tmp_path, expensive=0.001)
    assert code == 1
    assert "the budget is not checked: tests failed" in said


def test_what_is_beyond_the_margin_fails_and_what_is_near_is_named() -> None:
    of = budget.Budget(reference_ms=2.0, servers=3, folders={"eo": 10.0, "uo": 10.0})
    assert budget.overruns({"eo": 15.9, "uo": 3.0}, 3, of) == []
    assert budget.overruns({"eo": 16.1, "uo": 3.0}, 3, of) == ["tests/eo costs 16.1 s of 10 s"]
    assert budget.near({"eo": 11.4, "uo": 3.0}, of) == []
    assert budget.near({"eo": 11.6, "uo": 15.9}, of) == [
        "tests/eo costs 11.6 s of 10 s",
        "tests/uo costs 15.9 s of 10 s",
    ]
    assert budget.near({"eo": 16.1, "l2": 3.0}, of) == [], "who fails is not near, too"
    assert budget.overruns({"l2": 0.1}, 4, of) == [
        "tests/l2 has no budget",
        "4 servers were started, 3 may be",
    ]


def test_seconds_of_a_slow_machine_count_less() -> None:
    of = budget.Budget(reference_ms=2.0, servers=0, folders={})
    assert budget.slowness([4.0, 4.0, 90.0], of) == 2.0, "and a hiccup does not count"


def test_the_reference_takes_processor_time_and_not_the_clock_s() -> None:
    begun = time.process_time()
    took = budget.reference()
    assert 0 < took <= (time.process_time() - begun) * 1000


def test_the_reference_is_looked_at_now_and_then_and_for_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def busy() -> float:
        begun = time.process_time()
        while time.process_time() - begun < 0.2:
            pass
        return 200.0

    monkeypatch.setattr(budget, "reference", busy)
    meter = budget.Meter()
    meter.turn_to("eo")
    for now in (5.0, 5.5, 6.9, 7.0, 8.0):
        meter.look(now)
    assert meter.references == [200.0, 200.0], "at 5.0, and two seconds later"
    meter.turn_to(None)
    assert meter.spent["eo"] < 0.2


@pytest.mark.parametrize(
    ("seconds", "failed", "words"),
    [
        (22.0, False, []),
        (24.0, False, ["NEAR ITS BUDGET tests/eo costs 12.0 s of 10 s"]),
        (34.0, True, ["OVER BUDGET tests/eo costs 17.0 s of 10 s"]),
    ],
)
def test_a_folder_near_its_budget_is_named_and_the_run_goes_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, failed: bool, words: list[str]
) -> None:
    monkeypatch.setattr(budget, "_servers", 0)  # those that this process has started so far
    file = tmp_path / "budget.toml"
    file.write_text("reference_ms = 2.0\nservers = 1\n[folders]\neo = 10\n")
    source = SimpleNamespace(args_source=pytest.Config.ArgsSource.TESTPATHS, getoption=lambda name: [])
    plugin = budget.Plugin(cast("pytest.Config", source), file)
    report = {"spent": {"eo": seconds}, "references": [4.0], "servers": 0, "whole": True}
    plugin.pytest_testnodedown(cast("budget._Node", SimpleNamespace(workeroutput={"budget": report})), None)
    session = SimpleNamespace(exitstatus=pytest.ExitCode.OK)
    plugin.pytest_sessionfinish(cast("pytest.Session", session))
    assert (session.exitstatus == pytest.ExitCode.TESTS_FAILED) is failed
    said: list[str] = []
    reporter = SimpleNamespace(write_line=lambda line, **_: said.append(line), stats={})
    plugin.pytest_terminal_summary(cast("pytest.TerminalReporter", reporter))
    assert [line for line in said if "ITS BUDGET" in line or "OVER" in line] == words


def test_the_meter_sees_what_was_started_alive_or_ended() -> None:
    code = "import time\nwhile time.process_time() < 0.2: pass\nprint(flush=True)\ninput()"
    before = budget.spent()
    with subprocess.Popen(
        [sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        alive = budget.spent()
        # In ticks of a hundredth, each process's rounded down.
        assert alive - before >= 0.15
        child.communicate(b"\n")
    assert budget.spent() >= alive - 0.02


def test_every_folder_has_a_budget_and_every_budget_a_folder() -> None:
    tests = ROOT / "tests"
    folders = {budget.folder_of(path) for path in tests.rglob("test_*.py")}
    assert budget.read(budget.FILE).folders.keys() == folders
