"""When the next turn may begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from server.turn.pace import EACH, LONGEST, PARTS, WEIGHT, Pace
from tests.kit.stage import Stage, settle
from tests.kit.toys import Say, brook

if TYPE_CHECKING:
    from trio.testing import MockClock

GATHER = 0.002


def turns(pace: Pace, took: float, *, clients: int = 1, count: int = 40, now: float = 100.0) -> float:
    """Seconds from the last of some turns to the next, all of which took as long."""
    for _ in range(count):
        pace.begin(now)
        now = pace.next_start(took, clients)
    pace.begin(now)
    return pace.next_start(took, clients) - now


@pytest.mark.parametrize(
    ("took", "clients", "between"),
    [
        (0.0, 1, GATHER),
        (0.0, 400, 400 * EACH),
        (0.004, 1, PARTS * 0.004),
        (0.004, 400, PARTS * 0.004),
        (0.1, 1, LONGEST),
        (0.0, 100_000, LONGEST),
    ],
)
def test_a_turn_has_a_third_of_the_time_within_limits(took: float, clients: int, between: float) -> None:
    pace = Pace(lambda: 1000 * GATHER)
    assert turns(pace, took, clients=clients) == pytest.approx(between, rel=0.01)


def test_one_long_turn_is_not_followed_by_as_long_a_rest() -> None:
    pace = Pace(lambda: 1000 * GATHER)
    turns(pace, 0.004)
    pace.begin(200.0)
    usual = 200.0 + PARTS * 0.004
    later = PARTS * WEIGHT * (0.012 - 0.004)
    for _ in range(3):  # however often it is asked
        assert pace.next_start(0.012, 1) == pytest.approx(usual + later, rel=1e-3)


def test_what_other_processes_send_counts_as_soon_as_it_is_known() -> None:
    pace = Pace(lambda: 1000 * GATHER)
    pace.begin(100.0)
    before = pace.next_start(0.004, 1)
    pace.elsewhere = 0.008
    assert pace.next_start(0.004, 1) - before == pytest.approx(PARTS * WEIGHT * 0.008)
    pace.elsewhere = 0.0
    assert pace.next_start(0.004, 1) == before


def test_no_turn_begins_before_what_was_promised() -> None:
    pace = Pace(lambda: 1000 * GATHER)
    pace.begin(100.0)
    promised = pace.promise(0.012, 1)
    assert pace.next_start(0.0, 1) == promised
    pace.begin(promised)
    assert pace.next_start(0.0, 1) > promised


async def test_the_loop_takes_its_turns_at_that_pace(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    """By the stopwatch of this stage a turn takes no time at all."""
    stage = Stage(nursery)
    clients = [stage.client(brook(), f"Client {number}") for number in range(160)]
    await settle(10)
    before = stage.loop.stats.turns
    for number in range(100):
        clients[number].say(Say(b"a"))
        await trio.sleep(0.001)
    assert stage.loop.stats.turns - before == pytest.approx(0.1 / (len(clients) * EACH), abs=1.5)
