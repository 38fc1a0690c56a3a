"""R-26, R-27: kill -9 at each step of a trade, round after round over one database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.bargains import Bargains
from tests.kit.doomed import POINTS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("rounds", [20, pytest.param(200, marks=pytest.mark.soak)])
async def test_r27_who_trades_has_all_of_it_or_nothing(tmp_path: Path, rounds: int) -> None:
    bargains = Bargains(tmp_path)
    for number in range(rounds):
        assert await bargains.round(number) == []
    assert sum(bargains.died.values()) == rounds
    assert all(bargains.died[point] for point in POINTS)
    assert bargains.told
