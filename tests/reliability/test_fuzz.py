"""R-05 by numbers, at codec, table, handler and turn; 250 frames through real connections are in
tests/scenes/test_fuzz.py. `make test` sends a quarter of the 10^5 frames that the list of faults asks for
every change, `make soak` all of them, and 10^7.

`CAUSEWAY_FUZZ_FRAMES` and `CAUSEWAY_FUZZ_SEED` choose other numbers; a failure says the seed.
"""

from __future__ import annotations

import logging
import os

import pytest
import trio
from trio.testing import MockClock

from server.store.check import check_database
from tests.kit.fuzzing import Count, fuzz, pool_of
from tests.kit.games import GAMES
from tests.kit.situations import SITUATIONS
from tests.kit.split import ONE_PROCESS
from tests.kit.town import Town

FRAMES = int(os.environ.get("CAUSEWAY_FUZZ_FRAMES", "100000"))
SEED = int(os.environ.get("CAUSEWAY_FUZZ_SEED", "1"))
QUARTERS = 4
"""Runs of a game that make the 10^5, each in a world of its own, with another seed;
`make test` has the first."""

SOAK_PARTS = 100

STIRRED = 8
"""Of some 150 situations so many, at least, are another after the frames that came in them: in Endless
Online, whose packets are short and name kinds and players, about twice as many."""

KEPT_BLOCKS, KEPT_OBJECTS = 25_000, 2_500
"""What may be in use more after all of the frames than after half of them: caches that fill, lists of the
newest lines and turns, creatures that look for a way, and whoever happens to be in sight. Two blocks or a
fifth of an object a frame would be as much, in a quarter of the 10^5."""


def run(game: str, frames: int, seed: int, caplog: pytest.LogCaptureFixture) -> Count:
    """One world, one hostile client."""
    counts: list[Count] = []
    pool = pool_of(GAMES[game])

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            town = Town(nursery, seed=seed)
            await town.open()
            counts.append(await fuzz(town, game, clock, frames=frames, seed=seed, pool=pool))
            await trio.sleep(15)
            assert check_database(town.database) == []
            nursery.cancel_scope.cancel()

    clock = MockClock(autojump_threshold=0)
    with caplog.at_level(logging.ERROR):
        trio.run(main, clock=clock)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
    return counts[0]


@ONE_PROCESS
@pytest.mark.timeout(180)
@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=pytest.mark.soak) for n in range(1, QUARTERS))])
@pytest.mark.parametrize("game", GAMES)
def test_r05_a_hundred_thousand_frames(caplog: pytest.LogCaptureFixture, game: str, part: int) -> None:
    seed = SEED * 1000 + part
    count = run(game, FRAMES // QUARTERS, seed, caplog)
    assert count.frames >= FRAMES // QUARTERS * 0.95, f"seed {seed}"
    assert len(count.handled) >= GAMES[game].kinds, "frames reach the handlers"
    assert sum(count.handled.values()) > count.frames * 0.3
    assert count.situations.keys() == SITUATIONS.keys()
    trades = sum(often for name, often in count.stirred.items() if "trade" in name)
    assert trades, f"nothing that is sent changes anything about a trade: {count.stirred}"
    assert count.stirred.total() >= STIRRED, count.stirred
    assert count.kept_blocks < KEPT_BLOCKS, f"seed {seed}: {count.blocks}"
    assert count.kept_objects < KEPT_OBJECTS, f"seed {seed}: {count.objects}"


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("part", range(SOAK_PARTS))
@pytest.mark.parametrize("game", GAMES)
def test_r05_ten_million_frames(caplog: pytest.LogCaptureFixture, game: str, part: int) -> None:
    seed = SEED * 1_000_000 + part
    count = run(game, FRAMES, seed, caplog)
    assert count.kept_blocks < KEPT_BLOCKS, f"seed {seed}: {count.blocks}"
    assert count.kept_objects < KEPT_OBJECTS, f"seed {seed}: {count.objects}"
