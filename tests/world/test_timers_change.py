"""When the wheel wants to be called, and timers that are cancelled and changed."""

import gc
import weakref

from tests.kit.timers import Peasant
from world.timers import Priority, TimerWheel

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
