"""The watchdog ends the process, whatever else fails meanwhile.

What it writes about a real server that stands still is tested in tests/reliability/test_process.py.
"""

from __future__ import annotations

import faulthandler
import re
import threading
from typing import TYPE_CHECKING

import pytest

from server.exits import CRASHED, STALLED
from server.operate import watchdog
from server.operate.watchdog import Watchdog

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def ended_with(directory: Path, where: Callable[[], str] = str) -> list[int]:
    """The exit codes with which a server ends that never beats. Raises what would have killed the watcher."""
    codes: list[int] = []
    dog = Watchdog(
        directory, report_after=0.04, end_after=0.08, beat=0.01, where=where, end_process=codes.append
    )
    dog._watch()
    return codes


def test_the_stacks_are_written_before_the_end(tmp_path: Path) -> None:
    assert ended_with(tmp_path) == [STALLED]
    (report,) = tmp_path.iterdir()
    assert report.read_text().count("without a beat") == 2
    assert "_watch" in report.read_text()


def test_the_log_says_where_it_stands_before_anything_else_happens(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ended_with(tmp_path, lambda: "the world has been at one turn for ever: views")
    first, second, third = caplog.messages
    for line in (first, second, third):
        assert re.match(r"nothing has moved for \d seconds \(.* for ever: views\): ", line)
    assert "the process ends after" in first
    assert "all stacks are in" in second
    assert "ending with exit code 71" in third
    assert [record.levelname for record in caplog.records] == ["WARNING", "CRITICAL", "CRITICAL"]


def test_it_ends_also_where_nobody_knows_where(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> str:
        raise RuntimeError("broken")

    assert ended_with(tmp_path, fail) == [STALLED]
    assert "nobody knows where" in caplog.text


@pytest.mark.parametrize(
    ("broken", "error"),
    [
        *(("file", error) for error in (OSError, ValueError, MemoryError)),
        *(("stacks", error) for error in (OSError, ValueError, RuntimeError, AttributeError)),
        ("thread", RuntimeError),
    ],
)
def test_whatever_fails_the_end_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str, error: type[Exception]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error("broken")

    if broken == "file":
        monkeypatch.setattr(watchdog, "new_file", fail)
    elif broken == "stacks":
        monkeypatch.setattr(faulthandler, "dump_traceback", fail)
    else:
        monkeypatch.setattr(threading.Thread, "start", fail)
    assert ended_with(tmp_path) == [STALLED]


def test_an_end_that_takes_too_long_is_ended(caplog: pytest.LogCaptureFixture) -> None:
    ended, codes = threading.Event(), list[int]()

    def end(code: int) -> None:
        codes.append(code)
        ended.set()

    watchdog.end_within(0.01, CRASHED, end)
    assert ended.wait(60)
    assert codes == [CRASHED]
    assert "ending with exit code 70" in caplog.text
