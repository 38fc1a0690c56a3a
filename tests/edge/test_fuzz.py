"""Hostile bytes at an edge hurt nobody but their sender, on either side of the cut: R-05 through two
processes' worth of program (by the hundred thousand and in one process: tests/reliability/test_fuzz.py)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import MockClock

from protocol.endings import Ending
from server.store.check import check_database
from tests.kit import split
from tests.kit.edge_fuzzing import fuzz_edge
from tests.kit.games import GAMES
from tests.kit.town import Town

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.kit.edge_fuzzing import Count

FRAMES = 100
"""Of each game, in `make test`."""
SOAK_FRAMES = 5_000

LEAST_KINDS = 20
"""Packets of a game that frames are, at least, when they reach the world."""


@pytest.fixture(autouse=True)
def _split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(split.SWITCH, "1")


def run(
    games: Sequence[str], frames: int, caplog: pytest.LogCaptureFixture, *, quick: bool = False
) -> dict[str, Count]:
    """One world and its edge, and hostile clients of these games one after the other."""
    counts: dict[str, Count] = {}

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            town = Town(nursery, seed=frames)
            await town.open()
            counts.update(await fuzz_edge(town, games, frames=frames, seed=frames, quick=quick))
            await trio.sleep(15)
            assert check_database(town.database) == []
            nursery.cancel_scope.cancel()

    with caplog.at_level(logging.ERROR):
        trio.run(main, clock=MockClock(autojump_threshold=0))
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
    return counts


def reached(count: Count, frames: int) -> None:
    """Raises AssertionError if too few of the frames have crossed for this to prove anything."""
    assert count.frames >= frames * 0.9
    assert count.crossed > frames * 0.3, count
    assert count.kinds >= LEAST_KINDS, count
    assert count.endings[Ending.BAD_PACKET] + count.endings[Ending.WRONG_PHASE], count


@pytest.mark.timeout(300)
def test_r05_hundreds_of_frames_of_each_game_cost_their_sender_only(caplog: pytest.LogCaptureFixture) -> None:
    for count in run(list(GAMES), FRAMES, caplog, quick=True).values():
        reached(count, FRAMES)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("game", GAMES)
def test_r05_thousands_of_frames_cost_their_sender_only(caplog: pytest.LogCaptureFixture, game: str) -> None:
    reached(run([game], SOAK_FRAMES, caplog)[game], SOAK_FRAMES)
