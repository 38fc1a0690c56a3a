"""The same seed is the same evening, to the last byte that any client receives: in another process, and
however that one orders its sets of strings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.simulation import Plan, simulate

SEED, SECONDS = 3, 20
ROOT = Path(__file__).parents[2]
PLAY = f"""
from tests.kit.simulation import Plan, simulate
print(simulate({SEED}, Plan(seconds={SECONDS})).report())
"""


def report_of_another_process(hash_seed: int) -> str:
    """With strings hashed in its own way."""
    done = subprocess.run(
        [sys.executable, "-c", PLAY],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.timeout(180)
def test_another_process_reports_the_same_whatever_its_hashes_are() -> None:
    here = simulate(SEED, Plan(seconds=SECONDS)).report()
    assert "all that was done and received" in here
    other = 2 if os.environ.get("PYTHONHASHSEED") == "1" else 1
    assert report_of_another_process(other) == here


def test_the_number_in_the_report_tells_evenings_apart() -> None:
    """Else the one above could not fail for what happened before the last actions."""
    one, other = (simulate(seed, Plan(seconds=10, people=3)).fingerprint for seed in (SEED, SEED + 1))
    assert one != other
