"""The measurements of bench/ that play whole fights and trades: that they run, at a tiny size. Nothing is
asserted about time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("script", "arguments", "last"),
    [
        ("trades", "--players 12 --rate 6 --seconds 1 --rounds 1", r"one trade adds -?[\d.]+ ms of CPU"),
        ("parties", "--parties 2 --rounds 1 --seconds 0.5", r"[\d.]+ times as much with bars.*"),
    ],
)
def test_it_runs(script: str, arguments: str, last: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"bench.{script}", *arguments.split()],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(last, done.stdout.splitlines()[-1]), done.stdout
