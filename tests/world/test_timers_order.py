"""How late timers may be, in which order they run, and which wait for a later tick when too many are due."""

import random
from itertools import pairwise

import pytest

from tests.kit.timers import DAY, GRAIN
from world.timers import Priority, TimerWheel


def irregular_ticks(seed: int, until: float) -> list[float]:
    """Ticks from 2 ms to 200 ms apart, with a pause of some seconds now and then."""
    rng = random.Random(seed)
    ticks, now = [], 0.0
    while now < until:
        now += rng.uniform(2.0, 9.0) if rng.random() < 0.005 else rng.uniform(0.002, 0.2)
        ticks.append(now)
    return ticks


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


@pytest.mark.parametrize(("share", "ran"), [(1.0, 10), (0.5, 5), (0.19, 1), (0.0, 1)])
def test_a_tick_with_too_much_else_to_do_runs_a_part_of_them_but_one_at_least(share: float, ran: int) -> None:
    wheel, order = TimerWheel(timers_per_tick=10), list[int]()
    for number in range(12):
        wheel.after(10.0, order.append, number)
    exact = wheel.after(10.0, order.append, -1, priority=Priority.EXACT)
    assert wheel.advance(10.0, share) == 1 + ran
    assert not exact.active
    assert wheel.deadline() == 10.0
    wheel.advance(10.1)
    wheel.advance(10.2)
    assert order == [-1, *range(12)]


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
