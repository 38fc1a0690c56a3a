"""The table of `causeway bench edge`: who is measured, in which order, and what is made of it. What
is measured is invented here; nothing is started."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from server.__main__ import main
from server.bots import edges, process
from server.bots.edges import HEAD, Cost, Form, flushing, sent, together
from server.bots.process import ROOT, BenchServer, SplitServer
from server.exits import REFUSED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def a_cost(world: float, edge: float = 0.0, *, flush: float = 0.0, answers: Sequence[float] = ()) -> Cost:
    """Of 100 moves, and of 50 more while ten clients were sent something 400 times in 2 s."""
    return Cost(100, world, edge, answers, 50, flush, 400, 0.002, 20.0, 30_000, 10_000 if edge else 0.0)


COSTS = {
    "before": a_cost(0.04, flush=0.0025, answers=[0.01]),
    "one process": a_cost(0.03, flush=0.002, answers=[0.02]),
    "edge and world": a_cost(0.02, 0.016, flush=0.0003, answers=[0.03]),
}


def ran(monkeypatch: pytest.MonkeyPatch, **options: Path | int) -> tuple[list[Form], list[dict[str, str]]]:
    """The forms in the order in which they were measured, and the table's rows by their titles."""
    forms: list[Form] = []
    places: set[Path] = set()

    def measured(
        place: Path, form: Form, game: str, count: int, seconds: float, interval: float, *, anywhere: bool
    ) -> Cost:
        assert (game, count, seconds, interval, anywhere) == ("uo", 10, 4.0, 0.2, False)
        forms.append(form)
        places.add(place)
        return COSTS[form.name]

    monkeypatch.setattr(edges, "measure", measured)
    said: list[str] = []
    edges.run(["uo"], [10], 4.0, said.append, interval=0.2, **options)  # type: ignore[arg-type]
    assert len(places) == len(forms), "each has a directory of its own"
    head, _, *rows = (
        [cell.strip() for cell in line.split("|")[1:-1]] for line in said if line.startswith("|")
    )
    assert head == list(HEAD)
    named = [name or str(place) for place, name in enumerate(head)]
    return forms, [dict(zip(named, row, strict=True)) for row in rows]


def test_all_forms_are_measured_forth_and_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forms, _ = ran(monkeypatch, before=tmp_path, rounds=2)
    forth = [
        Form("before", BenchServer, tmp_path.resolve()),
        Form("one process", BenchServer, ROOT),
        Form("edge and world", SplitServer, ROOT),
    ]
    assert forms == [*forth, *forth[::-1]] * 2
    forms, _ = ran(monkeypatch)
    assert forms == [*forth[1:], *forth[:0:-1]]


def test_each_form_is_compared_with_the_version_before(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, rows = ran(monkeypatch, before=tmp_path)
    assert [(row["0"], row["N"], row["2"]) for row in rows] == [("uo", "10", name) for name in COSTS]
    before, one, two = rows
    assert (before["world us/move"], before["edge us/move"], before["both"]) == ("400", "-", "400")
    assert (one["world of before"], one["both of before"], one["both of one"]) == ("0.75", "0.75", "1.00")
    assert (two["world us/move"], two["edge us/move"], two["both"]) == ("200", "160", "360")
    assert (two["world of before"], two["both of before"]) == ("0.50", "0.90")
    assert (two["world of one"], two["both of one"]) == ("0.67", "1.20")
    assert [row["flush us/move"] for row in rows] == ["50.0", "40.0", "6.0"]
    assert {(row["sends"], row["us/send"]) for row in rows} == {("20.0", "5.0")}
    assert [row["KB/client"] for row in rows] == ["30", "30", "30 + 10"]
    assert [row["answer ms p50/95/99"] for row in rows] == [
        "10.0 / 10.0 / 10.0",
        "20.0 / 20.0 / 20.0",
        "30.0 / 30.0 / 30.0",
    ]


def test_without_another_version_one_process_is_what_is_compared_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, (one, two) = ran(monkeypatch)
    assert one["world of before"] == two["both of before"] == "-"
    assert (two["world of one"], two["both of one"]) == ("0.67", "1.20")


def test_stretches_are_put_together_by_their_moves_and_not_by_their_means() -> None:
    whole = together(
        [
            Cost(100, 0.04, 0.01, [0.1], 50, 0.002, 10, 0.0001, 20.0, 30_000, 8_000),
            Cost(300, 0.04, 0.03, [0.2, 0.3], 150, 0.002, 30, 0.0001, 60.0, 40_000, 6_000),
        ]
    )
    assert whole == Cost(400, 0.08, 0.04, [0.1, 0.2, 0.3], 200, 0.004, 40, 0.0002, 80.0, 35_000.0, 7_000.0)
    assert whole.of_world == pytest.approx(200)
    assert whole.both == pytest.approx(300)


@pytest.mark.parametrize(
    ("stages", "flush"),
    [
        pytest.param({"sending": (10, 0.5), "send": (100, 0.25), "encode": (110, 0.125)}, 0.5, id="this"),
        pytest.param({"send": (100, 0.25), "encode": (110, 0.125)}, 0.375, id="a version without that stage"),
    ],
)
def test_what_turns_spend_on_sending(stages: Mapping[str, tuple[int, float]], flush: float) -> None:
    assert flushing(stages) == flush
    assert sent(stages) == (100, 0.375)


class _Started(Exception):
    """A process would run now."""


def test_another_version_is_started_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, object] = {}

    def popen(command: Sequence[str], **options: object) -> None:
        asked.update(options, program=command[1:3])
        raise _Started

    monkeypatch.setattr(process, "subprocess", SimpleNamespace(Popen=popen))
    there = tmp_path / "older"
    with pytest.raises(_Started):
        BenchServer(tmp_path / "place", "uo", 40, 1, root=there)
    env = asked["env"]
    assert isinstance(env, dict)
    assert (asked["program"], asked["cwd"], env["PYTHONPATH"]) == (
        ["-m", "server.bots.serve"],
        there,
        str(there),
    )
    assert subprocess.PIPE not in asked.values(), "nobody reads what it says"


@pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2, reason="there are no two cores to keep apart"
)
def test_who_is_measured_has_a_core_of_its_own() -> None:
    cores = os.sched_getaffinity(0)
    with subprocess.Popen(["sleep", "60"]) as world, subprocess.Popen(["sleep", "60"]) as edge:
        try:
            with process.apart(world.pid, edge.pid):
                alone, others = os.sched_getaffinity(world.pid), os.sched_getaffinity(edge.pid)
                assert len(alone) == 1
                assert others == os.sched_getaffinity(0) == cores - alone
            assert os.sched_getaffinity(0) == cores
        finally:
            world.kill()
            edge.kill()


def test_where_no_version_lies_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "edge", "--before", str(tmp_path)]) == REFUSED
    assert f"--before {tmp_path}: no checkout" in capsys.readouterr().err


@pytest.mark.parametrize("rounds", ["0", "-1"])
def test_rounds_are_one_at_least(rounds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["bench", "edge", "--rounds", rounds])
    assert "must be 1 at least" in capsys.readouterr().err
