"""What a timer costs while few or very many wait: the world's wheel beside a `heapq` with lazy cancel.

    python -m bench.timers [--sizes 1000 100000 1000000] [--seed 1] [--two]

Delays are spread evenly over ten minutes, as thoughts, swings, regeneration and decay are. Every measurement
works in batches of 100 and keeps the number of waiting timers steady, so the sizes differ in nothing else.
Before it, as many timers as wait are cancelled and replaced, so that every size has as many dead entries as a
server that has run for hours, and tidying up is part of the times.

schedule, cancel    take 100 waiting timers at random, cancel them, schedule 100 new ones; what a contestant
                    does about cancelled entries happens within these times
find + cancel       the same, but finding the timers in a list is within the time, too
fire                advance by as much time as makes about 100 timers due, so a step is as full at every size
worst tick          the longest of 1,200 ticks of 50 ms (a minute of the world), refilled between the ticks
plain objects       the control, no queue at all: to schedule is to make an object of a timer's size, to
                    cancel is to set one attribute of it. What this loses between 1,000 and a million is
                    memory out of the processor's caches, which no structure can avoid

All timers call one function with one number. With --two there are also some with two arguments: those have a
tuple, which a cancel has to free, and among a million it waits for that tuple longer than for all else.

Times are CPU seconds of the thread, the median of several groups of batches: other programs take turns away,
and their use of the caches still shows. Everything alive is frozen (`gc.freeze`) once the timers stand, as
the server does after loading the world, and collection is off while the clock runs, for all alike.
"""

import argparse
import gc
import random
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from statistics import median
from time import thread_time
from typing import Protocol

from world.timers import TimerWheel

HORIZON = 600.0
"""Seconds over which the timers are spread."""

BATCH = 100
GROUPS = 7
ROUNDS = 100
"""Batches in a group."""
FIRE_STEPS = 30
TICK = 0.05
TICKS = 1200


class Handle(Protocol):
    """What a scheduled call can be told."""

    def cancel(self) -> None: ...


class Queue(Protocol):
    """What both contestants can do."""

    now: float

    def schedule(self, delay: float, call: Callable[[int], object], number: int) -> Handle: ...

    def advance(self, now: float) -> int: ...


class Wheel(TimerWheel):
    """The world's wheel, choosing priorities by delay."""

    def schedule(self, delay: float, call: Callable[[int], object], number: int) -> Handle:
        return self.after(delay, call, number)


class WheelOfTwo(TimerWheel):
    """The same with a callback of two arguments."""

    def schedule(self, delay: float, call: Callable[[int], object], number: int) -> Handle:
        return self.after(delay, _first, number, call)


def _first(number: int, call: Callable[[int], object]) -> None:
    call(number)


class HeapTimer:
    """An entry of the heap queue; a cancelled one stays until it is due or the heap is tidied."""

    __slots__ = ("call", "queue", "state")

    def __init__(self, queue: "HeapQueue", call: Callable[[int], object], state: tuple[int, ...]) -> None:
        self.queue = queue
        self.call: Callable[[int], object] | None = call
        self.state = state

    def cancel(self) -> None:
        if self.call is not None:
            self.call, self.state = None, ()
            self.queue.cancelled()


class HeapQueue:
    """The usual timer queue: a heap of (due, counter, timer), rebuilt when more than half of it is dead."""

    def __init__(self) -> None:
        self.now = 0.0
        self._heap: list[tuple[float, int, HeapTimer]] = []
        self._counter = 0
        self._dead = 0

    def schedule(self, delay: float, call: Callable[[int], object], number: int) -> Handle:
        timer = HeapTimer(self, call, (number,))
        self._counter += 1
        heappush(self._heap, (self.now + delay, self._counter, timer))
        return timer

    def cancelled(self) -> None:
        self._dead += 1
        if self._dead > 32 and self._dead * 2 > len(self._heap):
            self._heap = [entry for entry in self._heap if entry[2].call is not None]
            heapify(self._heap)
            self._dead = 0

    def advance(self, now: float) -> int:
        self.now = now
        heap = self._heap
        ran = 0
        while heap and heap[0][0] <= now:
            timer = heappop(heap)[2]
            call = timer.call
            if call is None:
                self._dead -= 1
                continue
            state, timer.call, timer.state = timer.state, None, ()
            call(*state)
            ran += 1
        return ran


class Plain:
    """An object as large as a timer."""

    __slots__ = (
        "_call",
        "_index",
        "_left",
        "_owner",
        "_period",
        "_queue",
        "_row",
        "_single",
        "_state",
        "_wanted",
        "due",
        "priority",
    )

    def __init__(self, call: Callable[[int], object], state: int) -> None:
        self._call: Callable[[int], object] | None = call
        self._state = state

    def cancel(self) -> None:
        self._call = None


class PlainQueue:
    """No queue: nothing is ever due."""

    def __init__(self) -> None:
        self.now = 0.0

    def schedule(self, delay: float, call: Callable[[int], object], number: int) -> Handle:
        return Plain(call, number)

    def advance(self, now: float) -> int:
        self.now = now
        return 0


class Load:
    """One contestant with `size` timers waiting."""

    def __init__(self, queue: Queue, size: int, seed: int) -> None:
        self.queue = queue
        self.rng = random.Random(seed)
        self.fired: list[int] = []
        self.call = self.fired.append  # made once: a bound method each would be one more object to free
        self.numbers = list(range(size))  # the state of the calls; like a creature, it outlives its timers
        self.handles = [
            queue.schedule(self.rng.uniform(0.0, HORIZON), self.call, number) for number in self.numbers
        ]
        for _ in range(size // BATCH):
            self._batch()
        gc.collect()
        gc.freeze()

    def _batch(self, *, find: bool = False) -> tuple[float, float]:
        """Seconds to cancel a batch, finding it included or not, and to schedule one."""
        schedule, call = self.queue.schedule, self.call
        chosen = self.rng.sample(self.numbers, BATCH)
        handles = self.handles
        old = [] if find else [handles[number] for number in chosen]
        new = [(self.rng.uniform(0.0, HORIZON), number) for number in chosen]
        begin = thread_time()
        for handle in old:
            handle.cancel()
        if find:
            for number in chosen:
                handles[number].cancel()
        between = thread_time()
        made = [schedule(delay, call, number) for delay, number in new]
        end = thread_time()
        for number, handle in zip(chosen, made, strict=True):
            handles[number] = handle
        return between - begin, end - between

    def schedule_and_cancel(self) -> tuple[float, float, float]:
        """Seconds for one schedule, for one cancel, and for one with finding it."""
        at_hand, found = self._groups(find=False), self._groups(find=True)
        return at_hand[1], at_hand[0], found[0]

    def _groups(self, *, find: bool) -> tuple[float, float]:
        groups = []
        for _ in range(GROUPS):
            batches = [self._batch(find=find) for _ in range(ROUNDS)]
            groups.append([sum(part) / ROUNDS / BATCH for part in zip(*batches, strict=True)])
        return median(group[0] for group in groups), median(group[1] for group in groups)

    def tick(self, step: float) -> float:
        """Advance by `step` seconds, refill, and return the seconds that advancing took."""
        now = self.queue.now + step
        begin = thread_time()
        self.queue.advance(now)
        return thread_time() - begin

    def refill(self) -> int:
        """Schedule every timer that ran anew, and return how many that were."""
        count = len(self.fired)
        for number in self.fired:
            delay = self.rng.uniform(0.0, HORIZON)
            self.handles[number] = self.queue.schedule(delay, self.call, number)
        self.fired.clear()
        return count

    def fire(self) -> float:
        """Seconds for one timer that runs."""
        groups = []
        for _ in range(GROUPS):
            took, count = 0.0, 0
            for _ in range(FIRE_STEPS):
                took += self.tick(HORIZON / 2 * BATCH / len(self.handles))
                count += self.refill()
            groups.append(took / count if count else 0.0)
        return median(groups)

    def worst_tick(self) -> float:
        """Seconds of the longest tick."""
        worst = 0.0
        for _ in range(TICKS):
            worst = max(worst, self.tick(TICK))
            self.refill()
        return worst


def measure(make: Callable[[], Queue], size: int, seed: int) -> tuple[float, ...]:
    """Seconds to schedule, to cancel, to find and cancel, to fire, and of the worst tick."""
    gc.collect()
    gc.disable()
    try:
        load = Load(make(), size, seed)
        return *load.schedule_and_cancel(), load.fire(), load.worst_tick()
    finally:
        gc.unfreeze()
        gc.enable()


def main() -> None:
    parser = argparse.ArgumentParser(description="Cost of timers: the world's wheel beside a heap.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 100_000, 1_000_000])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--two", action="store_true", help="also timers of two arguments")
    arguments = parser.parse_args()
    contestants: list[tuple[str, Callable[[], Queue]]] = [
        ("wheel", Wheel),
        ("heapq", HeapQueue),
        ("plain objects", PlainQueue),
    ]
    if arguments.two:
        contestants.append(("wheel, two arguments", WheelOfTwo))
    print("us per operation; (ratio to the first size); worst tick in ms")
    titles = "".join(f"{title:>16}" for title in ("schedule", "cancel", "find + cancel", "fire"))
    print(f"{'':20}{'waiting':>10}{titles}{'worst tick':>12}")
    for name, make in contestants:
        first: tuple[float, ...] = ()
        for size in arguments.sizes:
            *costs, worst = measure(make, size, arguments.seed)
            first = first or tuple(costs)
            cells = "".join(
                f"{cost * 1e6:>9.2f} ({cost / base:4.2f})" if base else f"{'-':>16}"
                for cost, base in zip(costs, first, strict=True)
            )
            print(f"{name:20}{size:>10,}{cells}{worst * 1e3:>12.2f}", flush=True)


if __name__ == "__main__":
    main()
