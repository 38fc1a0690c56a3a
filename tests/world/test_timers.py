"""One timer: it runs once, in time, with its state; or again and again.

Every test of the wheel tells it the time; the ticks are plain lists of numbers.
"""

from math import nextafter

import pytest

from world.timers import Priority, TimerWheel

# --- one timer ---


def test_after_calls_once_with_its_state() -> None:
    wheel, calls = TimerWheel(), list[tuple[str, int]]()
    wheel.after(1.0, lambda name, hits: calls.append((name, hits)), "orc", 10)
    assert [wheel.advance(now) for now in (0.5, 0.99, 1.0, 1.5, 9.0)] == [0, 0, 1, 0, 0]
    assert calls == [("orc", 10)]


def test_the_state_arrives_as_it_was_given() -> None:
    """A single argument is kept in another way than several, a tuple or None as one argument among them."""
    wheel, calls = TimerWheel(), list[tuple[object, ...]]()
    states: list[tuple[object, ...]] = [(), (None,), ((),), ((1, 2),), (1, 2)]
    for state in states:
        wheel.after(1.0, lambda *arguments: calls.append(arguments), *state)
    wheel.advance(1.0)
    assert calls == states


def test_delays_count_from_the_time_the_turn_began() -> None:
    wheel, ran = TimerWheel(now=100.0), list[float]()
    wheel.now = 200.0  # nobody advanced for a long time; then a client's packet starts a timer
    timer = wheel.after(1.0, lambda: ran.append(wheel.now))
    assert timer.due == 201.0
    for now in (200.0, 200.99, 201.0):
        wheel.advance(now)
    assert ran == [201.0]


@pytest.mark.parametrize("hundredths", range(1, 250))
def test_a_timer_runs_at_its_very_moment(hundredths: int) -> None:
    """Binary fractions: 1.1 * 100 is more than 110, 0.29 * 100 less than 29."""
    wheel = TimerWheel()
    wheel.after(hundredths / 100, lambda: None, priority=Priority.EXACT)
    assert wheel.deadline() == hundredths / 100
    assert wheel.advance((hundredths - 1) / 100) == 0
    assert wheel.advance(hundredths / 100) == 1


def test_delay_zero_runs_in_the_next_advance_even_at_the_same_moment() -> None:
    wheel = TimerWheel(now=5.003)
    wheel.after(0.0, lambda: None)
    wheel.after(-1.0, lambda: None)
    assert wheel.deadline() == 5.003
    assert wheel.advance(5.003) == 2


def test_delay_zero_just_before_a_slot_begins() -> None:
    """This moment times 100 is rounded up to 17, a slot that has not begun yet."""
    now = nextafter(0.17, 0.0)
    wheel = TimerWheel(now=now)
    wheel.after(0.0, lambda: None)
    assert wheel.advance(now) == 1


def test_time_that_runs_backwards_counts_as_standing_still() -> None:
    wheel = TimerWheel(now=10.0)
    wheel.after(1.0, lambda: None)
    assert wheel.advance(3.0) == 0
    assert wheel.now == 10.0
    assert wheel.advance(11.0) == 1


# --- repeating ---


def test_every_repeats_one_period_after_the_tick_that_ran_it() -> None:
    wheel, ran = TimerWheel(), list[float]()
    wheel.every(1.0, lambda: ran.append(wheel.now))
    for now in (1.0, 1.99, 2.5, 3.0, 3.49, 3.5):
        wheel.advance(now)
    assert ran == [1.0, 2.5, 3.5]


def test_missed_runs_are_not_replayed() -> None:
    wheel = TimerWheel()
    timer = wheel.every(1.0, lambda: None)
    assert wheel.advance(1000.0) == 1
    assert timer.due == 1001.0
    assert wheel.advance(1000.5) == 0
    assert wheel.advance(1001.0) == 1


def test_every_stops_after_its_times() -> None:
    wheel = TimerWheel()
    timer = wheel.every(1.0, lambda: None, times=3)
    assert [wheel.advance(float(now)) for now in range(1, 6)] == [1, 1, 1, 0, 0]
    assert not timer.active
    assert len(wheel) == 0
    assert wheel.deadline() is None


def test_every_may_begin_at_another_time() -> None:
    wheel, ran = TimerWheel(), list[float]()
    wheel.every(2.0, lambda: ran.append(wheel.now), delay=0.5)
    for now in (0.5, 1.0, 2.0, 2.5, 4.5):
        wheel.advance(now)
    assert ran == [0.5, 2.5, 4.5]


@pytest.mark.parametrize("times", [0, -1])
def test_every_refuses_to_run_no_times(times: int) -> None:
    with pytest.raises(ValueError, match="at least once"):
        TimerWheel().every(1.0, lambda: None, times=times)


def test_a_period_of_nothing_is_a_slot() -> None:
    """A spawner with period 0 must neither hang the tick nor keep the world from sleeping."""
    wheel = TimerWheel()
    wheel.every(0.0, lambda: None)
    assert wheel.advance(1.0) == 1
    assert wheel.deadline() == pytest.approx(1.01)
    assert wheel.advance(1.005) == 0
    assert wheel.advance(1.01) == 1
