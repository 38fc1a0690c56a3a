"""What the wheel holds on to: dead entries, empty slots and long jumps cost no more than promised."""

import random

from tests.kit.timers import DAY, GRAIN
from world.timers import Priority, TimerWheel


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
