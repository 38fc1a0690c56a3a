"""The wheel against a naive list: the same calls at the same time, whatever is done to the timers."""

from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from world.timers import Timer, TimerWheel

if TYPE_CHECKING:
    from collections.abc import Callable

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
