"""When the next turn may begin."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
import trio

from server.turn.pace import DATAGRAMS, EACH, LONGEST, PARTS, WEIGHT, Pace
from tests.kit.stage import Stage, settle
from tests.kit.toys import Say, brook, pebble

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.family import Family
    from protocol.session import Session

GATHER = 0.002


def clients(count: int, family: Family) -> dict[int, Session]:
    """So many of a toy game."""
    return dict.fromkeys(range(count), cast("Session", SimpleNamespace(family=family, door="game")))


ONE = clients(1, brook())


def turns(pace: Pace, took: float, sessions: dict[int, Session] = ONE) -> float:
    """Seconds from the last of some turns to the next, all of which took as long."""
    now = 100.0
    for _ in range(100):
        pace.begin(now)
        now = pace.next_start(took, sessions)
    pace.begin(now)
    return pace.next_start(took, sessions) - now


@pytest.mark.parametrize(
    ("took", "sessions", "between"),
    [
        (0.0, ONE, GATHER),
        (0.0, clients(400, brook()), 400 * EACH),
        (0.0, clients(200, pebble()), 200 * DATAGRAMS * EACH),
        (0.004, ONE, PARTS * 0.004),
        (0.004, clients(400, brook()), PARTS * 0.004),
        (0.1, ONE, LONGEST),
        (0.0, clients(10_000, brook()), LONGEST),
    ],
)
def test_a_turn_has_a_third_of_the_time_within_limits(
    took: float, sessions: dict[int, Session], between: float
) -> None:
    pace = Pace(lambda: 1000 * GATHER)
    assert turns(pace, took, sessions) == pytest.approx(between, rel=0.01)


def test_who_comes_and_goes_counts() -> None:
    pace = Pace(lambda: 1000 * GATHER)
    sessions = clients(400, brook())
    pace.begin(100.0)
    for count in (400, 300, 399):
        some = {key: sessions[key] for key in range(count)}
        assert pace.next_start(0.0, some) == pytest.approx(100.0 + count * EACH)


def test_one_long_turn_is_not_followed_by_as_long_a_rest() -> None:
    pace = Pace(lambda: 1000 * GATHER)
    turns(pace, 0.004)
    pace.begin(200.0)
    usual = 200.0 + PARTS * 0.004
    later = PARTS * WEIGHT * (0.012 - 0.004)
    for _ in range(3):  # however often it is asked
        assert pace.next_start(0.012, ONE) == pytest.approx(usual + later, rel=1e-3)


def test_what_other_processes_send_counts_as_soon_as_it_is_known() -> None:
    pace = Pace(lambda: 1000 * GATHER)
    turns(pace, 0.004)
    pace.begin(200.0)
    before = pace.next_start(0.004, ONE)
    pace.elsewhere = 0.008
    assert pace.next_start(0.004, ONE) - before == pytest.approx(PARTS * WEIGHT * 0.008)
    pace.elsewhere = 0.0
    assert pace.next_start(0.004, ONE) == before


def test_no_turn_begins_before_what_was_promised() -> None:
    pace = Pace(lambda: 1000 * GATHER)
    pace.begin(100.0)
    promised = pace.promise(0.012, ONE)
    assert pace.next_start(0.0, ONE) == promised
    pace.begin(promised)
    assert pace.next_start(0.0, ONE) > promised


async def test_the_loop_takes_its_turns_at_that_pace(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    """By the stopwatch of this stage a turn takes no time at all."""
    stage = Stage(nursery)
    players = [stage.client(brook(), f"Client {number}") for number in range(160)]
    await settle(10)
    before = stage.loop.stats.turns
    for number in range(100):
        players[number].say(Say(b"a"))
        await trio.sleep(0.001)
    assert stage.loop.stats.turns - before == pytest.approx(0.1 / (len(players) * EACH), abs=1.5)
