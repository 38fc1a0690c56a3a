"""Timers: never early, late by no more than promised, and in order, whatever callbacks do to one another.

Every test tells the wheel the time; the ticks are plain lists of numbers.
"""

import gc
import logging
import random
import weakref
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, nextafter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from world.timers import Priority, Timer, TimerWheel, cancel_all

if TYPE_CHECKING:
    from collections.abc import Callable

GRAIN = {
    Priority.EXACT: 0.01,
    Priority.MS50: 0.05,
    Priority.MS250: 0.25,
    Priority.S1: 1.0,
    Priority.S5: 5.0,
    Priority.M1: 60.0,
}
"""Seconds, as the contract names them."""

DAY = 86_400.0


def irregular_ticks(seed: int, until: float) -> list[float]:
    """Ticks from 2 ms to 200 ms apart, with a pause of some seconds now and then."""
    rng = random.Random(seed)
    ticks, now = [], 0.0
    while now < until:
        now += rng.uniform(2.0, 9.0) if rng.random() < 0.005 else rng.uniform(0.002, 0.2)
        ticks.append(now)
    return ticks


class Peasant:
    """The least that owns timers."""

    def __init__(self) -> None:
        self.timers: set[Timer] | None = None


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


# --- priorities ---


@pytest.mark.parametrize("priority", GRAIN)
def test_never_early_and_late_by_at_most_the_grain_and_the_way_to_the_next_tick(priority: int) -> None:
    rng = random.Random(priority)
    ticks = irregular_ticks(seed=7, until=900.0)
    wheel, late = TimerWheel(), list[float]()

    def note(due: float, previous: list[float]) -> None:
        # It ran in the first tick of its slot, so the tick before this one was still within the grain.
        assert wheel.now >= due
        assert previous[0] - due < GRAIN[priority]
        late.append(wheel.now - due)

    last_tick = [0.0]
    for now in ticks:
        wheel.advance(now)
        last_tick[0] = now
        if now < 600.0:
            delay = rng.uniform(0.0, 150.0)
            wheel.after(delay, note, wheel.now + delay, last_tick, priority=priority)
    assert len(late) > 2000
    assert len(wheel) == 0
    longest_gap = max(b - a for a, b in pairwise(ticks))
    assert max(late) <= GRAIN[priority] + longest_gap
    if GRAIN[priority] >= 0.25:
        assert max(late) > GRAIN[priority] * 0.9, "the grain is used, or timers would not share slots"


@pytest.mark.parametrize("priority", GRAIN)
def test_ticks_at_the_deadline_are_late_by_the_grain_alone(priority: int) -> None:
    rng = random.Random(priority)
    wheel, late = TimerWheel(timers_per_tick=10_000), list[float]()
    for _ in range(2000):
        due = rng.uniform(0.0, 200.0)
        wheel.after(due, lambda due: late.append(wheel.now - due), due, priority=priority)
    while (deadline := wheel.deadline()) is not None:
        assert deadline >= wheel.now
        assert wheel.advance(deadline) > 0
    assert len(late) == 2000
    assert min(late) >= 0.0
    assert max(late) <= GRAIN[priority]


@pytest.mark.parametrize(
    ("delay", "priority"),
    [
        (0.0, Priority.EXACT),
        (2.49, Priority.EXACT),
        (2.5, Priority.MS50),
        (4.99, Priority.MS50),
        (5.0, Priority.MS250),
        (9.99, Priority.MS250),
        (10.0, Priority.S1),
        (59.9, Priority.S1),
        (60.0, Priority.S5),
        (599.0, Priority.S5),
        (600.0, Priority.M1),
        (DAY, Priority.M1),
    ],
)
def test_priority_follows_the_delay_as_in_servuo(delay: float, priority: int) -> None:
    """The bounds are those of ServUO's `Timer.ComputePriority`, of which this wheel keeps six."""
    wheel = TimerWheel()
    assert wheel.after(delay, lambda: None).priority == priority
    assert wheel.every(delay, lambda: None).priority == priority
    assert wheel.after(delay, lambda: None, priority=Priority.MS250).priority == Priority.MS250


def test_automatic_priority_goes_by_the_delay_to_each_run() -> None:
    wheel = TimerWheel()
    timer = wheel.every(600.0, lambda: None, delay=1.0)
    assert timer.priority == Priority.EXACT
    assert wheel.advance(1.0) == 1
    assert timer.priority == Priority.M1


def test_order_within_a_tick_is_priority_then_due_slot_then_first_come() -> None:
    wheel, ran = TimerWheel(), list[str]()
    for priority, name in ((5, "m1"), (4, "s5"), (3, "s1"), (2, "ms250"), (1, "ms50"), (0, "exact")):
        for due in (119.0, 61.0):
            for copy in "ab":
                wheel.after(due, ran.append, f"{name} {due:g} {copy}", priority=priority)
    assert wheel.advance(120.0) == 24
    assert ran == [
        f"{name} {due} {copy}"
        for name in ("exact", "ms50", "ms250", "s1", "s5")
        for due in (61, 119)
        for copy in "ab"
    ] + ["m1 119 a", "m1 119 b", "m1 61 a", "m1 61 b"]  # one slot for both: both are rounded up to 120


# --- carry-over ---


def test_too_many_coarse_timers_carry_over_in_order() -> None:
    wheel, ran = TimerWheel(timers_per_tick=500), list[int]()
    for number in range(1200):
        wheel.after(10.0, ran.append, number)
    assert wheel.advance(10.0) == 500
    assert wheel.deadline() == 10.0
    assert wheel.advance(10.05) == 500
    assert wheel.deadline() == 10.05
    assert len(wheel) == 200
    assert wheel.advance(10.1) == 200
    assert wheel.deadline() is None
    assert ran == list(range(1200))


@pytest.mark.parametrize(
    ("priority", "limited"),
    [
        (Priority.EXACT, False),
        (Priority.MS50, False),
        (Priority.MS250, False),
        (Priority.S1, True),
        (Priority.S5, True),
        (Priority.M1, True),
    ],
)
def test_only_the_three_coarsest_are_limited(priority: int, limited: bool) -> None:
    wheel = TimerWheel(timers_per_tick=10)
    for _ in range(25):
        wheel.after(60.0, lambda: None, priority=priority)
    assert wheel.advance(60.0) == (10 if limited else 25)


def test_what_was_carried_over_runs_before_what_is_newly_due() -> None:
    """Even if the new is of a finer coarse priority: nothing starves. Fine timers still come first."""
    wheel, ran = TimerWheel(timers_per_tick=2), list[str]()
    for name in ("m1 a", "m1 b", "m1 c"):
        wheel.after(60.0, ran.append, name, priority=Priority.M1)
    wheel.after(61.0, ran.append, "s1", priority=Priority.S1)
    wheel.after(61.0, ran.append, "exact", priority=Priority.EXACT)
    wheel.advance(60.0)
    assert ran == ["m1 a", "m1 b"]
    wheel.advance(61.0)
    assert ran == ["m1 a", "m1 b", "exact", "m1 c", "s1"]


def test_the_limit_holds_for_all_coarse_priorities_together() -> None:
    wheel = TimerWheel(timers_per_tick=4)
    for priority in (Priority.S1, Priority.S5, Priority.M1):
        for _ in range(3):
            wheel.after(60.0, lambda: None, priority=priority)
    assert [wheel.advance(60.0 + tick) for tick in range(4)] == [4, 4, 1, 0]


def test_carried_over_timers_can_be_cancelled_and_changed() -> None:
    wheel, ran = TimerWheel(timers_per_tick=1), list[str]()
    timers = {name: wheel.after(10.0, ran.append, name) for name in "abcd"}
    wheel.advance(10.0)
    timers["b"].cancel()
    timers["c"].change(delay=1.0)
    assert wheel.advance(10.1) == 1
    assert ran == ["a", "d"]
    assert wheel.deadline() == 11.0
    wheel.advance(11.0)
    assert ran == ["a", "d", "c"]


def test_nothing_is_due_at_once_when_all_that_was_carried_over_is_cancelled() -> None:
    wheel = TimerWheel(timers_per_tick=1)
    timers = [wheel.after(10.0, lambda: None) for _ in range(4)]
    wheel.after(100.0, lambda: None)
    wheel.advance(10.0)
    for timer in timers:
        timer.cancel()
    assert wheel.deadline() == 100.0


# --- deadline ---


def test_deadline_is_the_earliest_and_none_without_timers() -> None:
    wheel = TimerWheel()
    assert wheel.deadline() is None
    late = wheel.after(3.0, lambda: None, priority=Priority.EXACT)
    early = wheel.after(1.0, lambda: None)
    assert wheel.deadline() == 1.0
    early.cancel()
    assert wheel.deadline() == 3.0
    late.cancel()
    assert wheel.deadline() is None


def test_deadline_is_rounded_to_the_grain() -> None:
    wheel = TimerWheel()
    wheel.after(61.0, lambda: None, priority=Priority.M1)
    assert wheel.deadline() == 120.0


def test_deadline_is_never_in_the_past() -> None:
    wheel = TimerWheel()
    wheel.after(1.0, lambda: None)
    wheel.now = 7.5
    assert wheel.deadline() == 7.5


# --- cancel and change ---


def test_cancel_drops_callback_and_state_at_once() -> None:
    wheel, peasant = TimerWheel(), Peasant()
    gone = weakref.ref(peasant)
    timer = wheel.after(1000.0, lambda who: None, peasant)
    gc.disable()  # reference counting alone must free it
    try:
        del peasant
        held = gone() is not None
        timer.cancel()
        assert (held, gone()) == (True, None)
    finally:
        gc.enable()


def test_a_timer_that_ran_drops_callback_and_state() -> None:
    wheel, peasant = TimerWheel(), Peasant()
    gone = weakref.ref(peasant)
    timer = wheel.after(1.0, lambda who: None, peasant)
    del peasant
    wheel.advance(1.0)
    assert gone() is None
    assert not timer.active


def test_cancelled_timers_do_not_run_and_cancelling_twice_is_harmless() -> None:
    wheel = TimerWheel()
    timer = wheel.after(1.0, lambda: None)
    assert timer.active
    assert len(wheel) == 1
    timer.cancel()
    timer.cancel()
    assert len(wheel) == 0
    assert wheel.advance(2.0) == 0
    assert "over" in repr(timer)


def test_a_cancelled_timer_is_not_active() -> None:
    timer = TimerWheel().after(1.0, lambda: None)
    timer.cancel()
    assert not timer.active


def test_change_moves_a_waiting_timer_sooner_and_later() -> None:
    wheel, ran = TimerWheel(), list[float]()
    timer = wheel.after(2.0, lambda: ran.append(wheel.now))
    wheel.advance(1.0)
    timer.change(delay=0.5)
    assert timer.due == wheel.deadline() == 1.5
    timer.change(delay=2.0)
    assert timer.due == wheel.deadline() == 3.0
    assert len(wheel) == 1
    for now in (1.5, 2.0, 2.99, 3.0, 4.0):
        wheel.advance(now)
    assert ran == [3.0]


def test_changing_to_and_fro_runs_once_and_in_the_new_place() -> None:
    wheel, ran = TimerWheel(), list[str]()
    first = wheel.after(1.0, ran.append, "first")
    wheel.after(1.0, ran.append, "second")
    first.change(delay=5.0)
    first.change(delay=1.0)
    assert wheel.advance(1.0) == 2
    assert ran == ["second", "first"]
    assert wheel.advance(9.0) == 0


def test_change_of_period_holds_from_the_next_run_on() -> None:
    wheel, ran = TimerWheel(), list[float]()
    timer = wheel.every(1.0, lambda: ran.append(wheel.now))
    timer.change(period=2.0)
    for now in (1.0, 2.0, 3.0, 4.0, 5.0):
        wheel.advance(now)
    assert ran == [1.0, 3.0, 5.0]


def test_a_period_makes_a_single_timer_repeat() -> None:
    wheel = TimerWheel()
    timer = wheel.after(1.0, lambda: None)
    timer.change(period=2.0)
    assert [wheel.advance(float(now)) for now in range(1, 8)] == [1, 0, 1, 0, 1, 0, 1]


def test_a_new_period_does_not_add_to_the_times() -> None:
    wheel = TimerWheel()
    wheel.every(1.0, lambda: None, times=2).change(period=2.0)
    assert [wheel.advance(float(now)) for now in range(1, 8)] == [1, 0, 1, 0, 0, 0, 0]


def test_change_of_priority_keeps_the_due_time() -> None:
    wheel = TimerWheel()
    timer = wheel.after(61.0, lambda: None, priority=Priority.M1)
    timer.change(priority=Priority.EXACT)
    assert timer.due == wheel.deadline() == 61.0
    timer.change(priority=Priority.S5)
    assert timer.due == 61.0
    assert wheel.deadline() == 65.0
    timer.change(delay=1.2)
    assert timer.priority == Priority.S5
    assert wheel.deadline() == 5.0


def test_change_does_nothing_to_a_timer_that_is_over() -> None:
    wheel = TimerWheel()
    done, cancelled = wheel.after(1.0, lambda: None), wheel.after(1.0, lambda: None)
    cancelled.cancel()
    wheel.advance(1.0)
    for timer in (done, cancelled):
        timer.change(delay=1.0, period=1.0, priority=Priority.S1)
        assert not timer.active
    assert wheel.deadline() is None


# --- what callbacks may do ---


def test_delay_zero_from_a_callback_runs_in_the_next_advance() -> None:
    wheel, ran = TimerWheel(), list[float]()

    def again() -> None:
        ran.append(wheel.now)
        wheel.after(0.0, again)

    wheel.after(1.0, again)
    assert [wheel.advance(now) for now in (1.0, 1.0, 1.001, 1.0015)] == [1, 1, 1, 1]
    assert ran == [1.0, 1.0, 1.001, 1.0015]


@pytest.mark.parametrize("priority", GRAIN)
def test_a_timer_made_for_this_very_slot_by_a_callback_waits_for_the_next_advance(priority: int) -> None:
    wheel = TimerWheel()
    wheel.after(60.0, lambda: wheel.after(0.0, lambda: None, priority=priority), priority=priority)
    assert wheel.advance(60.0) == 1
    assert wheel.deadline() == 60.0
    assert wheel.advance(60.0) == 1


def test_a_timer_cancelled_before_its_turn_in_the_same_advance_does_not_run() -> None:
    wheel, ran, victims = TimerWheel(), list[str](), list[Timer]()

    def strike() -> None:
        ran.append("strike")
        for victim in victims:
            victim.cancel()

    wheel.after(60.0, strike, priority=Priority.EXACT)
    victims.extend(wheel.after(60.0, ran.append, f"victim {p}", priority=p) for p in GRAIN)
    wheel.after(60.0, ran.append, "bystander", priority=Priority.M1)
    assert wheel.advance(60.0) == 2
    assert ran == ["strike", "bystander"]
    assert len(wheel) == 0


def test_a_timer_changed_before_its_turn_in_the_same_advance_runs_at_the_new_time() -> None:
    wheel, ran = TimerWheel(), list[str]()
    wheel.after(1.0, lambda: victim.change(delay=1.0))
    victim: Timer = wheel.after(1.0, ran.append, "victim")
    other = wheel.after(1.0, lambda: sooner.change(delay=0.0))
    sooner: Timer = wheel.after(1.0, ran.append, "sooner")
    assert wheel.advance(1.0) == 2
    assert not other.active
    assert wheel.advance(1.0) == 1
    assert ran == ["sooner"]
    assert wheel.advance(2.0) == 1
    assert ran == ["sooner", "victim"]


def test_a_repeating_timer_may_cancel_itself() -> None:
    wheel, ran = TimerWheel(), list[float]()

    def tick() -> None:
        ran.append(wheel.now)
        if len(ran) == 2:
            timer.cancel()

    timer = wheel.every(1.0, tick)
    assert [wheel.advance(float(now)) for now in range(1, 5)] == [1, 1, 0, 0]
    assert len(wheel) == 0


def test_a_timer_may_change_itself() -> None:
    wheel, ran = TimerWheel(), list[float]()

    def tick() -> None:
        ran.append(wheel.now)
        if len(ran) == 1:
            timer.change(delay=0.5)
        elif len(ran) == 2:
            timer.change(period=3.0)

    timer = wheel.every(1.0, tick)
    for now in (1.0, 1.5, 2.0, 2.5, 4.5, 7.5):
        wheel.advance(now)
    assert ran == [1.0, 1.5, 4.5, 7.5]
    assert len(wheel) == 1


def test_a_single_timer_may_arm_itself_again() -> None:
    wheel, ran = TimerWheel(), list[bool]()

    def swing() -> None:
        ran.append(timer.active)
        if len(ran) < 3:
            timer.change(delay=1.0)
            assert timer.active

    timer = wheel.after(1.0, swing)
    assert [wheel.advance(float(now)) for now in range(1, 6)] == [1, 1, 1, 0, 0]
    assert ran == [False, False, False], "nothing lies ahead of a single timer that is running"
    assert not timer.active


def test_a_repeating_timer_is_active_while_it_runs_but_not_in_its_last_run() -> None:
    wheel, seen = TimerWheel(), list[bool]()
    timer: Timer = wheel.every(1.0, lambda: seen.append(timer.active), times=2)
    for now in (1.0, 2.0):
        wheel.advance(now)
    assert seen == [True, False]


# --- owners ---


def test_timers_die_with_their_owner() -> None:
    wheel, ran, peasant = TimerWheel(timers_per_tick=1), list[str](), Peasant()
    wheel.after(1.0, ran.append, "mine", owner=peasant)
    wheel.every(1.0, ran.append, "mine too", owner=peasant)
    wheel.after(1.0, ran.append, "free")
    cancel_all(peasant)
    assert peasant.timers is None
    assert len(wheel) == 1
    wheel.advance(10.0)
    assert ran == ["free"]


def test_an_owner_without_timers_carries_nothing() -> None:
    wheel, peasant = TimerWheel(), Peasant()
    cancel_all(peasant)
    once = wheel.after(1.0, lambda: None, owner=peasant)
    more = wheel.every(1.0, lambda: None, owner=peasant)
    assert peasant.timers == {once, more}
    wheel.advance(1.0)
    assert peasant.timers == {more}
    more.cancel()
    assert peasant.timers is None


def test_an_owner_may_die_in_the_callback_of_its_own_timer() -> None:
    wheel, ran, peasant = TimerWheel(), list[str](), Peasant()
    wheel.every(1.0, cancel_all, peasant, owner=peasant)
    wheel.after(1.0, ran.append, "later in the same tick", owner=peasant)
    assert wheel.advance(1.0) == 1
    assert ran == []
    assert len(wheel) == 0


# --- errors ---


def break_something(what: str) -> None:
    raise RuntimeError(what)


def test_a_raising_timer_is_reported_and_dropped_and_the_others_run() -> None:
    errors, ran, peasant = list[tuple[Timer, str]](), list[str](), Peasant()
    wheel = TimerWheel(on_error=lambda timer, error: errors.append((timer, str(error))))
    bad = wheel.every(1.0, break_something, "leg", owner=peasant)
    wheel.after(1.0, ran.append, "good")
    wheel.after(1.0, ran.append, "coarse", priority=Priority.S1)
    assert wheel.advance(1.0) == 3
    assert errors == [(bad, "leg")]
    assert ran == ["good", "coarse"]
    assert not bad.active
    assert peasant.timers is None
    assert wheel.advance(5.0) == 0


def test_the_report_names_the_callback() -> None:
    names = list[str]()
    wheel = TimerWheel(on_error=lambda timer, error: names.append(repr(timer)))
    wheel.after(1.0, break_something, "leg")
    wheel.advance(1.0)
    assert names == ["<Timer break_something due 1.000>"]


def test_a_timer_that_arms_itself_again_and_then_raises_is_dropped() -> None:
    wheel = TimerWheel(on_error=lambda timer, error: None)

    def rearm_and_raise() -> None:
        timer.change(delay=1.0)
        raise RuntimeError

    timer = wheel.every(1.0, rearm_and_raise)
    wheel.advance(1.0)
    assert not timer.active
    assert wheel.deadline() is None


def test_without_on_error_errors_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    wheel = TimerWheel()
    wheel.after(1.0, break_something, "leg")
    with caplog.at_level(logging.ERROR):
        assert wheel.advance(1.0) == 1
    assert "break_something" in caplog.text
    assert "RuntimeError: leg" in caplog.text


# --- bounds ---


def places(wheel: TimerWheel) -> tuple[int, int]:
    """How many places the slots hold, dead or alive, and how many slot numbers the heap holds."""
    entries = sum(len(row) for slot in wheel._slots.values() for row in slot if row)
    return entries, len(wheel._heap)


def test_dead_entries_of_one_slot_stay_below_three_times_the_live_ones_and_a_few() -> None:
    wheel, ran = TimerWheel(), list[int]()
    kept = [wheel.after(600.0, ran.append, number) for number in range(100)]
    for _ in range(20_000):
        wheel.after(600.0, ran.append, -1).cancel()
        assert places(wheel)[0] <= 4 * len(kept) + 40
    kept[50].cancel()  # places moved when the slot was tidied: the right one must go
    for now in range(600, 610):
        wheel.advance(float(now))
    assert ran == [number for number in range(100) if number != 50]


def test_tidying_a_slot_keeps_the_order_and_the_places_of_those_who_stay() -> None:
    wheel, ran = TimerWheel(), list[int]()
    timers = [wheel.after(600.0, ran.append, number) for number in range(1000)]
    for number, timer in enumerate(timers):
        if number % 10:
            timer.cancel()
    assert places(wheel)[0] <= 4 * 100 + 40
    timers[500].cancel()
    timers[990].change(priority=Priority.EXACT)
    wheel.advance(600.0)
    assert ran == [990, *(number for number in range(0, 990, 10) if number != 500)]


def test_dead_entries_of_many_slots_stay_below_the_live_ones_and_a_few() -> None:
    """Cancelled at random and replaced, as in a fight: a place is tidied before it is due."""
    wheel, rng = TimerWheel(), random.Random(1)
    timers = [wheel.after(rng.uniform(0.0, 600.0), lambda: None) for _ in range(2000)]
    most = 0
    for _ in range(40_000):
        which = rng.randrange(len(timers))
        timers[which].cancel()
        timers[which] = wheel.after(rng.uniform(0.0, 600.0), lambda: None)
        most = max(most, wheel._places)
    assert places(wheel)[0] == wheel._places
    assert len(wheel) == 2000
    assert most <= 2 * 2000 + 200
    assert sum(wheel.advance(float(now)) for now in range(701)) == 2000
    assert wheel._places == 0


def test_when_nearly_all_are_cancelled_nearly_all_places_are_freed() -> None:
    wheel, rng = TimerWheel(), random.Random(1)
    timers = [wheel.after(rng.uniform(0.0, 600.0), lambda: None) for _ in range(5000)]
    rng.shuffle(timers)
    for timer in timers[10:]:
        timer.cancel()
    assert len(wheel) == 10
    assert places(wheel)[0] <= 4 * 10 + 100


def test_a_cancelled_timer_that_somebody_keeps_keeps_no_other() -> None:
    wheel = TimerWheel()
    kept = [wheel.after(60.0, lambda: None, priority=priority) for priority in GRAIN]
    for priority in GRAIN:
        wheel.after(60.0, lambda: None, priority=priority)
    for timer in kept:
        timer.cancel()
    wheel.advance(60.0)
    assert not any(any(timer._row or ()) for timer in kept)


def test_asking_for_the_deadline_passes_over_dead_timers_once() -> None:
    wheel = TimerWheel()
    timers = [wheel.after(100.0, lambda: None) for _ in range(1000)]
    for timer in timers[:500]:
        timer.cancel()
        assert wheel.deadline() == 100.0
    row = timers[999]._row
    assert row is not None
    assert row.begin == 500
    timers[700].change(delay=1.0)
    assert wheel.deadline() == 1.0
    assert wheel.advance(100.0) == 500


def test_deadlines_stay_in_order_after_many_slots_came_and_went() -> None:
    wheel, seen = TimerWheel(), list[float]()
    for number in range(200, 0, -1):
        wheel.after(float(number), lambda: None, priority=Priority.EXACT)
    for number in range(2000):
        wheel.after(300.0 + number, lambda: None, priority=Priority.EXACT).cancel()
    while (deadline := wheel.deadline()) is not None:
        seen.append(deadline)
        wheel.advance(deadline)
    assert seen == [float(number) for number in range(1, 201)]


def test_slots_whose_timers_were_all_cancelled_do_not_stay() -> None:
    wheel = TimerWheel()
    keep = wheel.after(5000.0, lambda: None)
    for number in range(20_000):
        wheel.after(10.0 + number / 100, lambda: None, priority=Priority.EXACT).cancel()
        if number % 100 == 0:
            entries, heap = places(wheel)
            assert entries <= 40
            assert heap <= 40
    assert len(wheel) == 1
    assert wheel.deadline() == keep.due + 40.0  # 5040 s is a whole minute


def test_a_timer_that_is_changed_for_ever_leaves_nothing_behind() -> None:
    wheel = TimerWheel()
    timer = wheel.after(5.0, lambda: None, priority=Priority.EXACT)
    for number in range(20_000):
        wheel.now = number / 50
        timer.change(delay=5.0)
    entries, heap = places(wheel)
    assert len(wheel) == 1
    assert entries <= 40
    assert heap <= 40


def test_a_jump_of_a_day_runs_what_is_due_and_visits_no_empty_slot() -> None:
    """A day has 8,640,000 slots; the wheel must only touch the two in use."""
    wheel, ran = TimerWheel(timers_per_tick=500), list[str]()
    wheel.every(1.0, ran.append, "second")
    wheel.after(3600.0, ran.append, "hour")
    assert wheel.advance(DAY) == 2
    assert ran == ["second", "hour"]
    for year in range(1, 300):
        assert wheel.advance(year * 365 * DAY) == 1
    assert places(wheel) == (1, 1)


def test_after_a_jump_the_long_timers_are_spread_over_ticks() -> None:
    wheel = TimerWheel()  # 500 a tick unless told otherwise
    for number in range(3000):
        wheel.after(60.0 + number, lambda: None)
    assert [wheel.advance(DAY + tick / 20) for tick in range(7)] == [500] * 6 + [0]


# --- against a naive model ---

UNIT = 1024
"""The model counts in 1/1024 s, which floats hold exactly: float and fraction must agree to the letter."""


class NaiveTimer:
    def __init__(self, number: int, period: int | None, left: int, wanted: int | None) -> None:
        self.number, self.period, self.left, self.wanted = number, period, left, wanted
        self.arming = -1  # which arming is valid; -1 = waits for nothing
        self.run_at = Fraction(0)
        self.order = (0, Fraction(0), 0)
        self.due = 0
        self.over = False


class NaiveWheel:
    """The same promises, with one list that is sorted whenever somebody looks."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.now = 0
        self.armings = 0
        self.timers: list[NaiveTimer] = []
        self.carried: list[tuple[NaiveTimer, int]] = []
        self.fire: Callable[[int], bool] = lambda number: True

    def arm(self, timer: NaiveTimer, delay: int) -> None:
        timer.due = self.now + max(delay, 0)
        limits = [2.5, 5, 10, 60, 600]
        automatic = sum(delay / UNIT >= limit for limit in limits)
        self.place(timer, automatic if timer.wanted is None else timer.wanted, rounded=delay > 0)

    def place(self, timer: NaiveTimer, priority: int, rounded: bool) -> None:
        due = Fraction(timer.due, UNIT)
        grain = Fraction([10, 50, 250, 1000, 5000, 60000][priority], 1000)
        whole = ceil(due / grain) if rounded or priority else floor(due / grain)
        timer.run_at = whole * grain
        self.armings += 1
        timer.arming = self.armings
        timer.order = (priority, timer.run_at, self.armings)

    def add(self, number: int, delay: int, period: int | None, left: int, wanted: int | None) -> None:
        timer = NaiveTimer(number, period, left, wanted)
        self.timers.append(timer)
        self.arm(timer, delay)

    def cancel(self, number: int) -> None:
        self.timers[number].arming, self.timers[number].over = -1, True

    def change(self, number: int, delay: int | None, period: int | None, priority: int | None) -> None:
        timer = self.timers[number]
        if timer.over:
            return
        if period is not None:
            timer.left = -1 if timer.period is None else timer.left
            timer.period = period
        timer.wanted = timer.wanted if priority is None else priority
        if delay is not None:
            self.arm(timer, delay)
        elif priority is not None and timer.arming != -1:
            self.place(timer, priority, rounded=True)

    def waiting(self) -> list[NaiveTimer]:
        return [timer for timer in self.timers if timer.arming != -1]

    def valid_carried(self) -> list[tuple[NaiveTimer, int]]:
        return [(timer, arming) for timer, arming in self.carried if timer.arming == arming]

    def deadline(self) -> Fraction | None:
        now = Fraction(self.now, UNIT)
        if self.valid_carried():
            return now
        return max(now, min(timer.run_at for timer in self.waiting())) if self.waiting() else None

    def advance(self, now: int) -> int:
        self.now = now
        ran = 0
        already = {timer.number for timer, _ in self.valid_carried()}
        due = [t for t in self.waiting() if t.run_at <= Fraction(now, UNIT) and t.number not in already]
        due.sort(key=lambda timer: timer.order)
        fine = [(timer, timer.arming) for timer in due if timer.order[0] < 3]
        self.carried += [(timer, timer.arming) for timer in due if timer.order[0] >= 3]
        for timer, arming in fine:
            if timer.arming == arming:
                self.run(timer)
                ran += 1
        for _ in range(self.limit):
            self.carried = self.valid_carried()
            if not self.carried:
                break
            self.run(self.carried.pop(0)[0])
            ran += 1
        return ran

    def run(self, timer: NaiveTimer) -> None:
        timer.arming = -1
        timer.left -= timer.left > 0
        good = self.fire(timer.number)
        if not good:
            self.cancel(timer.number)
        elif timer.arming == -1 and not timer.over:
            if timer.left and timer.period is not None:
                self.arm(timer, timer.period)
            else:
                timer.over = True


class Both:
    """The wheel and the model under one interface in units, so that a story can be told to either."""

    def __init__(self, limit: int, real: bool) -> None:
        self.log: list[object] = []
        self.reactions: list[tuple[str, int, int]] = []
        self.model = None if real else NaiveWheel(limit)
        self.wheel = TimerWheel(timers_per_tick=limit, on_error=lambda timer, error: None)
        self.handles: list[Timer] = []
        if self.model is not None:
            self.model.fire = self.fire

    def add(
        self,
        delay: int,
        period: int | None,
        times: int | None,
        priority: int | None,
        react: tuple[str, int, int],
    ) -> None:
        number = len(self.reactions)
        self.reactions.append(react)
        if self.model is not None:
            left = 1 if period is None else -1 if times is None else times
            self.model.add(number, delay, period, left, priority)
        elif period is None:
            self.handles.append(self.wheel.after(delay / UNIT, self.call, number, priority=priority))
        else:
            self.handles.append(
                self.wheel.every(
                    period / UNIT, self.call, number, times=times, delay=delay / UNIT, priority=priority
                )
            )

    def cancel(self, which: int) -> None:
        if self.reactions:
            number = which % len(self.reactions)
            self.handles[number].cancel() if self.model is None else self.model.cancel(number)

    def change(self, which: int, delay: int | None, period: int | None, priority: int | None) -> None:
        if not self.reactions:
            return
        number = which % len(self.reactions)
        if self.model is not None:
            self.model.change(number, delay, period, priority)
        else:
            self.handles[number].change(
                None if delay is None else delay / UNIT, None if period is None else period / UNIT, priority
            )

    def call(self, number: int) -> None:
        if not self.fire(number):
            raise RuntimeError

    def fire(self, number: int) -> bool:
        """What the callback of a timer does: note that it ran, then its reaction. False: it raises."""
        self.log.append(number)
        what, which, delay = self.reactions[number]
        if what == "cancel":
            self.cancel(which)
        elif what == "change":
            self.change(which, delay, None, None)
        elif what == "myself":
            self.change(number, delay, None, None)
        elif what == "add" and len(self.reactions) < 60:
            self.add(delay, None, None, None, ("", 0, 0))
        return what != "raise"

    def advance(self, now: int) -> None:
        if self.model is not None:
            ran = self.model.advance(now)
            alive, deadline = len(self.model.waiting()), self.model.deadline()
        else:
            ran = self.wheel.advance(now / UNIT)
            alive, deadline = len(self.wheel), None
        when = self.wheel.deadline() if self.model is None else None if deadline is None else float(deadline)
        self.log.append(("ran", ran, "alive", alive, "deadline", when))


spans = st.one_of(st.integers(-5, 300), st.integers(0, 20).map(lambda n: n * 256), st.integers(0, 700 * UNIT))
periods = st.one_of(st.integers(11, 3000), st.integers(11, 700 * UNIT))  # 11 units: just over a slot
priorities = st.one_of(st.none(), st.integers(0, 5))
reactions = st.tuples(
    st.sampled_from(["", "", "", "cancel", "change", "myself", "add", "raise"]), st.integers(0, 30), spans
)
steps = st.one_of(
    st.tuples(
        st.just("add"), spans, st.none() | periods, st.none() | st.integers(1, 3), priorities, reactions
    ),
    st.tuples(st.just("cancel"), st.integers(0, 30)),
    st.tuples(st.just("change"), st.integers(0, 30), st.none() | spans, st.none() | periods, priorities),
    st.tuples(st.just("advance"), st.one_of(st.integers(0, 200), st.integers(0, 100 * UNIT))),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(steps, max_size=60), st.integers(1, 4))
def test_the_wheel_does_what_a_naive_list_does(
    story: list[
        tuple[str, int, int | None, int | None, int | None, tuple[str, int, int]]
        | tuple[str, int, int | None, int | None, int | None]
        | tuple[str, int]
    ],
    limit: int,
) -> None:
    told = []
    for real in (True, False):
        both, now = Both(limit, real), 0
        for step in story:
            if len(step) == 6:
                both.add(*step[1:])
            elif len(step) == 5:
                both.change(*step[1:])
            elif step[0] == "cancel":
                both.cancel(step[1])
            else:
                now += step[1]
                both.advance(now)
        for _ in range(5):
            now += 300 * UNIT
            both.advance(now)
        told.append(both.log)
    assert told[0] == told[1]
