"""What callbacks do to timers, timers that die with their owner, and callbacks that raise."""

import logging

import pytest

from tests.kit.timers import GRAIN, Peasant
from world.timers import Priority, Timer, TimerWheel, cancel_all

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
