"""R-43: a turn of ten seconds. A shorter one is in test_process.py, where a server runs anyway."""

from __future__ import annotations

import re
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.kit.faulty import FaultyProcess
from tests.kit.responsive import answered, soon

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is a template to fork servers from")


@pytest.fixture
def faulty(tmp_path: Path) -> Iterator[FaultyProcess]:
    running = FaultyProcess(tmp_path)
    yield running
    running.close()


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["turn", "calculation"])
def test_r43_a_turn_of_ten_seconds_keeps_nobody_from_an_answer(faulty: FaultyProcess, kind: str) -> None:
    """Whether it sleeps or calculates."""
    (faulty.folder / "patient").touch()
    faulty.start()
    began = time.monotonic()
    answered(faulty, f"fault {kind} 10")
    while time.monotonic() < began + 9:
        assert "overloaded" in answered(faulty, "status")[1]
        assert "overloaded" in answered(faulty, "who")[-1]
    soon(lambda: "fault, late by" in faulty.output())
    assert re.search(r"nothing has moved for [56] seconds \(the world has been at one turn", faulty.output())
    assert "overloaded" not in " ".join(answered(faulty, "who"))
