"""The server's clock passes over the time in which the server stood still."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from server.clock import STILL_SECONDS, SteadyClock, stood_still
from server.people.limiter import ConnectionLimiter
from server.settings.config import Limits
from tests.kit.stops import StoppingClock

if TYPE_CHECKING:
    from trio.testing import MockClock


class Watch:
    """A monotonic clock that somebody turns."""

    def __init__(self) -> None:
        self.reading = 5.0

    def __call__(self) -> float:
        return self.reading


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def clock(watch: Watch) -> SteadyClock:
    made = SteadyClock(watch, 0.0)
    assert made.current_time() == 5.0
    return made


def test_time_passes_while_the_clock_is_asked(clock: SteadyClock, watch: Watch) -> None:
    for _ in range(10):
        watch.reading += STILL_SECONDS
        assert clock.current_time() == watch.reading
    assert clock.stopped == 0


@pytest.mark.parametrize("seconds", [2.0, 12.0, 30.0, 86_400.0])
def test_what_ran_for_too_long_or_was_stopped_took_no_time(
    clock: SteadyClock, watch: Watch, seconds: float
) -> None:
    watch.reading += seconds
    assert clock.current_time() == 5.0
    assert clock.stopped == seconds
    watch.reading += 0.5
    assert clock.current_time() == 5.5
    assert clock.stopped == seconds


def test_a_long_sleep_is_no_stop_and_who_oversleeps_wakes_when_it_wanted_to(
    clock: SteadyClock, watch: Watch
) -> None:
    assert clock.deadline_to_sleep_time(65.0) == 60.0
    watch.reading += 60.1
    assert clock.current_time() == pytest.approx(65.1)
    assert clock.deadline_to_sleep_time(75.1) == pytest.approx(10.0)
    watch.reading += 22.0
    assert clock.current_time() == pytest.approx(75.1)
    assert clock.stopped == pytest.approx(12.0)


def test_who_was_woken_before_its_time_is_expected_sooner(clock: SteadyClock, watch: Watch) -> None:
    clock.deadline_to_sleep_time(100.0)
    watch.reading += 1.0
    assert clock.current_time() == 6.0
    watch.reading += 12.0
    assert clock.current_time() == 6.0
    assert clock.stopped == 12.0


def test_whoever_sleeps_for_ever_may(clock: SteadyClock, watch: Watch) -> None:
    assert clock.deadline_to_sleep_time(float("inf")) == float("inf")
    watch.reading += 5000.0
    assert clock.current_time() == 5005.0
    assert clock.deadline_to_sleep_time(5000.0) == -5.0, "it has passed: nobody sleeps"
    watch.reading += 3.0
    assert clock.current_time() == 5005.0


def test_trio_lives_by_it() -> None:
    async def run() -> float:
        began = trio.current_time()
        await trio.sleep(0.01)
        assert stood_still() == 0
        return trio.current_time() - began

    assert 0.01 <= trio.run(run, clock=SteadyClock()) < STILL_SECONDS


async def test_another_clock_tells_of_no_stops(autojump_clock: MockClock) -> None:
    await trio.sleep(100)
    assert stood_still() == 0


def test_a_deadline_within_a_stop_is_met_with_all_its_time() -> None:
    """Whoever waits for an answer with a timeout has what was left of it."""
    clock = StoppingClock()

    async def run() -> None:
        answered = trio.Event()
        with trio.move_on_after(5) as patience:
            await clock.stops(30)
            await trio.sleep(4)
            answered.set()
        assert not patience.cancelled_caught
        assert answered.is_set()
        assert stood_still() == pytest.approx(30)
        assert trio.current_time() == pytest.approx(4, abs=0.01)

    trio.run(run, clock=clock)


def test_who_waited_at_the_door_meanwhile_did_not_come_at_once() -> None:
    limits = Limits(exempt=(), connections_per_address=1000)
    limiter = ConnectionLimiter(lambda: limits)
    most = limits.connects_per_10s
    limiter.stood_still(30.0, 1000.0)
    refused = [limiter.admit(number, "192.0.2.7", 1000.0).limit for number in range(4 * most + 1)]
    assert refused == [""] * (4 * most) + ["connects_per_10s"]
    assert not limiter.admit(900, "192.0.2.8", 1011.0).refusal
    late = [limiter.admit(1000 + number, "192.0.2.9", 1011.0).limit for number in range(most + 1)]
    assert late == [""] * most + ["connects_per_10s"], "later it is as ever"
