"""Timers of the world: call something later, or again and again, without a clock and without a task each.

A game server has very many timers (every creature thinks, every wound heals, every item decays) and cancels
most of them before they run. So the structure is the cheapest one that still keeps order: time is cut into
slots of 10 ms, a dict holds six lists of timers for each slot in use, one per priority, and a heap of
slot numbers tells when the next one is due. To schedule is to append to a list. To cancel is to make the
timer itself forget what it would have called, and to count one less: with very many timers every further
object that is touched is one more wait for memory, so the place in the list stays taken. When more places are
taken than timers justify, each further call tidies a little, a slot or two. So neither depends on how many
timers wait, and a day without timers costs no more than a tick. (A cascading wheel moves entries from ring to
ring; in Python that costs more and comes in bursts.)

Nobody asks a clock here. The turn says what time it is, in seconds that never run backwards: it sets
`TimerWheel.now` when it begins, so that a delay counts from this turn, and calls `advance` to run what is
due.

A coarse timer may be late, and that is the point: its due time is rounded up to the grain of its priority, so
that timers nobody watches closely share few slots. A timer is never early, and late by at most its grain,
plus the time until the next tick, plus, for the three coarsest priorities, the ticks it has to wait while
there are too many of them. ServUO has the same idea (`Server/Timer.cs`: one list per priority, each looked at
in its own rhythm).
"""

import logging
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from typing import Final, Protocol, TypeAlias, TypeVarTuple, Unpack, cast

_log = logging.getLogger(__name__)

Ts = TypeVarTuple("Ts")

SLOTS_PER_SECOND: Final = 100
"""A slot is 10 ms: finer than any tick of a loaded server, coarse enough that timers share slots."""

_SPARE: Final = 8
"""Dead places and used-up slot numbers that may always stay: tidying up for fewer costs more than it
frees."""

_TIDY_STEP: Final = 64
"""Places that one call of `TimerWheel._tidy` looks at, if a slot does not hold more."""


class Priority:
    """Precision of a timer, which is also its turn within a tick: the finest run first. Plain integers,
    because they index lists on a hot path."""

    EXACT: Final = 0
    MS50: Final = 1
    MS250: Final = 2
    S1: Final = 3
    S5: Final = 4
    M1: Final = 5


_GRAINS: Final = (1, 5, 25, 100, 500, 6000)
"""Grain of each priority, in slots."""

_COARSER_FROM: Final = (2.5, 5.0, 10.0, 60.0, 600.0)
"""Delays in seconds from which the next coarser priority is chosen: ServUO's `Timer.ComputePriority`, without
its 10 ms and 25 ms lists, which a 10 ms slot and the pace of the ticks make pointless."""


class Owner(Protocol):
    """An object whose timers end with it. `timers` is None while it has none, so that a thing without timers
    carries no set. The wheel keeps it up to date; the code that removes the owner from the world calls
    `cancel_all`."""

    timers: "set[Timer] | None"


class TimerGroup:
    """An owner that is nothing else: timers that are to be changed together."""

    __slots__ = ("timers",)

    def __init__(self) -> None:
        self.timers: set[Timer] | None = None


def cancel_all(owner: Owner) -> None:
    """Cancel every timer of `owner`."""
    timers, owner.timers = owner.timers, None
    for timer in timers or ():
        timer.cancel()


class _Row(list["Timer | None"]):
    """The timers of one slot and priority, in the order they were scheduled.

    A cancelled timer stays in its place until the row is tidied; None is where one was moved away from.
    """

    __slots__ = ("begin",)

    def __init__(self) -> None:
        self.begin = 0  # before this place nothing is alive

    def first(self) -> "Timer | None":
        """The first timer that is not cancelled. Dead places before it are blanked, and passed over from then
        on."""
        for index in range(self.begin, len(self)):
            timer = self[index]
            if timer is None:
                continue
            if timer._call is not None:
                self.begin = index
                return timer
            self[index] = None
        self.begin = len(self)
        return None

    def compact(self) -> int:
        """Close the gaps, and return how many there were."""
        places = len(self)
        self[:] = [timer for timer in self if timer is not None and timer._call is not None]
        self.begin = 0
        if len(self) < places:
            for index, timer in enumerate(self):
                if timer is not None:
                    timer._index = index
        return places - len(self)


_Call: TypeAlias = Callable[[Unpack[tuple[object, ...]]], object]


class Timer:
    """A call that lies ahead. Made by `TimerWheel.after` and `TimerWheel.every`. `due` is the time asked for,
    in the wheel's seconds, before rounding; `priority` is the one in force."""

    __slots__ = (
        "_call",
        "_index",
        "_left",
        "_owner",
        "_period",
        "_row",
        "_single",
        "_state",
        "_wanted",
        "_wheel",
        "due",
        "priority",
    )

    def __init__(
        self,
        wheel: "TimerWheel",
        call: Callable[[*Ts], object],
        state: tuple[*Ts],
        period: float,
        left: int,
        wanted: int | None,
        owner: Owner | None,
    ) -> None:
        self._wheel = wheel
        # The two belong together, which after() and every() have seen to; both None once the timer is over.
        self._call = cast("_Call | None", call)
        # A single argument, which is what most timers have, is kept without its tuple: among a million timers
        # a cancel would wait longer for that tuple than for all else.
        arguments = cast("tuple[object, ...]", state)
        self._single = len(arguments) == 1
        self._state: object = arguments[0] if self._single else arguments
        self._period = period
        self._left = left  # runs left, counted down as a run begins; -1 is for ever
        self._wanted = wanted
        self._owner = owner
        if owner is not None:
            if owner.timers is None:
                owner.timers = {self}
            else:
                owner.timers.add(self)
        self._row: _Row | None = None

    # Set whenever the timer is placed: while it waits, self._row[self._index] is self. A cancelled timer
    # keeps both, because to drop them would be to touch the row.
    _index: int
    due: float
    priority: int

    def __repr__(self) -> str:
        if self._call is None:
            return f"<Timer, over, was due {self.due:.3f}>"
        name = getattr(self._call, "__qualname__", repr(self._call))
        return f"<Timer {name} due {self.due:.3f}>"

    @property
    def active(self) -> bool:
        """Whether a further run lies ahead. During a timer's last run it is False already."""
        return self._call is not None and (self._row is not None or self._left != 0)

    def cancel(self) -> None:
        """Never run (again). At once drops what it would have called; harmless on a timer that is over."""
        if self._call is None:
            return
        self._call = self._state = None
        if self._row is not None:
            wheel = self._wheel
            wheel._live -= 1
            if wheel._places > 4 * wheel._live + _SPARE:
                wheel._tidy()
        owner, self._owner = self._owner, None
        if owner is not None and owner.timers is not None:
            owner.timers.discard(self)
            if not owner.timers:
                owner.timers = None

    def change(
        self, delay: float | None = None, period: float | None = None, priority: int | None = None
    ) -> None:
        """Change what is given and keep the rest. Does nothing on a timer that is over.

        delay: seconds from now to the next run. In its own callback a timer re-arms itself this way, even if
        this was to be the last run.
        period: seconds between the runs after the next one. A timer made by `after` repeats for ever from
        then on.
        priority: replaces the given or automatic one; what waits keeps its due time and is rounded anew.
        """
        if self._call is None:
            return
        if period is not None:
            if not self._period:
                self._left = -1
            self._period = _at_least_a_slot(period)
        if priority is not None:
            self._wanted = priority
        if delay is not None:
            self._take_out()
            self._wheel._arm(self, delay)
        elif priority is not None and self._row is not None:
            self._take_out()
            self._wheel._put(self, _slot_from(self.due, priority), priority)

    def _take_out(self) -> None:
        """Leave the place where this timer waits, if it does."""
        if self._row is not None:
            self._row[self._index] = None
            self._row = None
            self._wheel._live -= 1


class TimerWheel:
    """All timers of one world.

    now: the time in seconds that delays count from.
    timers_per_tick: how many callbacks of the three coarsest priorities one `advance` may run; the rest carry
    over and run first next time, in order. So a crowd of decay and respawn timers that fall due together is
    spread over ticks.
    on_error: told of each timer whose callback raised, before it is dropped; None logs it.
    """

    def __init__(
        self,
        now: float = 0.0,
        timers_per_tick: int = 500,
        on_error: Callable[[Timer, Exception], None] | None = None,
    ) -> None:
        self.now = now
        self._timers_per_tick = timers_per_tick
        self._on_error = on_error if on_error is not None else _log_error
        self._slots: dict[int, list[_Row | None]] = {}  # six rows each, by priority
        self._heap: list[int] = []  # the numbers of all slots in use, and some of slots that emptied since
        self._live = 0
        self._places = 0  # in the rows of _slots, dead ones included
        self._untidied: list[int] = []  # the numbers of the slots that this round of tidying has yet to visit
        self._coarse: deque[_Row] = deque()  # what is due of the three coarsest, in order

    def __len__(self) -> int:
        """Number of timers that wait. One that is just running does not."""
        return self._live

    def after(
        self,
        delay: float,
        call: Callable[[*Ts], object],
        *state: *Ts,
        priority: int | None = None,
        owner: Owner | None = None,
    ) -> Timer:
        """Call `call(*state)` once, `delay` seconds from now.

        A delay of 0 or less means the next `advance`, never the one that is running. priority None goes by
        the delay.
        """
        timer = Timer(self, call, state, 0.0, 1, priority, owner)
        self._arm(timer, delay)
        return timer

    def every(
        self,
        period: float,
        call: Callable[[*Ts], object],
        *state: *Ts,
        times: int | None = None,
        delay: float | None = None,
        priority: int | None = None,
        owner: Owner | None = None,
    ) -> Timer:
        """Call `call(*state)` every `period` seconds, `times` times or for ever, first after `delay` or one
        period.

        The next run is one period after the tick that ran this one: runs that were missed are not made up
        for, and the rounding of the priority adds to each period. A period below a slot (10 ms) counts as a
        slot. priority None goes by the delay to each run. Raises ValueError if `times` is less than 1.
        """
        if times is not None and times < 1:
            raise ValueError(f"a timer runs at least once, not {times} times")
        period = _at_least_a_slot(period)
        timer = Timer(self, call, state, period, -1 if times is None else times, priority, owner)
        self._arm(timer, period if delay is None else delay)
        return timer

    def deadline(self) -> float | None:
        """Time at which to call `advance` next, or None while nothing waits.

        Never before `now`: it is `now` itself, "at once", while carried-over timers wait. At the time it
        returns, `advance` always finds something to run.
        """
        if self._next_coarse() is not None:
            return self.now
        heap, slots = self._heap, self._slots
        while heap:
            slot = slots.get(heap[0])
            if slot is not None:
                if any(row is not None and row.first() is not None for row in slot):
                    return max(heap[0] / SLOTS_PER_SECOND, self.now)
                self._drop(heap[0])
            heappop(heap)
        return None

    def advance(self, now: float, share: float = 1.0) -> int:
        """Run what is due at `now` and return how many callbacks ran. A `now` before the last one counts as
        the last. `share`: the part, 0 to 1, of `timers_per_tick` that may run this time, but at least one,
        for a tick that has too much else to do.

        Callbacks run by priority, then by due slot, then in the order they were scheduled. They may schedule,
        cancel and change any timer: one cancelled or moved before its turn does not run, one that is new or
        moved runs in a later `advance`, however short its delay. A callback that raises is reported and its
        timer dropped.
        """
        self.now = now = max(now, self.now)
        due: list[list[_Row]] = [[], [], [], [], [], []]
        heap = self._heap
        while heap and heap[0] / SLOTS_PER_SECOND <= now:
            for rows, row in zip(due, self._drop(heappop(heap)), strict=False):
                if row is not None:
                    rows.append(row)
        for rows in due[Priority.S1 :]:
            self._coarse.extend(rows)
        ran = 0
        for rows in due[: Priority.S1]:
            for row in rows:
                for timer in row:
                    if timer is not None and timer._call is not None:
                        self._fire(timer, timer._call)
                        ran += 1
                row.clear()  # somebody may keep a cancelled timer, and that its row
        for _ in range(max(1, int(share * self._timers_per_tick))):
            timer = self._next_coarse()
            if timer is None or timer._call is None:
                break
            # Blanked one by one, or the end of a long row would free thousands of timers in a single tick.
            row = self._coarse[0]
            row[row.begin] = None
            self._fire(timer, timer._call)
            ran += 1
        return ran

    def _next_coarse(self) -> Timer | None:
        """The first timer of `_coarse` that was not cancelled meanwhile."""
        coarse = self._coarse
        while coarse:
            timer = coarse[0].first()
            if timer is not None:
                return timer
            coarse.popleft()
        return None

    def _fire(self, timer: Timer, call: _Call) -> None:
        """Run one timer, then arm it again or let it go."""
        timer._row = None
        self._live -= 1
        if timer._left > 0:
            timer._left -= 1
        try:
            if timer._single:
                call(timer._state)
            else:
                call(*cast("tuple[object, ...]", timer._state))
        except Exception as error:
            self._on_error(timer, error)
            timer.cancel()
            return
        if timer._row is not None or timer._call is None:
            return  # the callback re-armed or cancelled its own timer
        if timer._left != 0:
            self._arm(timer, timer._period)
        else:
            timer.cancel()

    def _arm(self, timer: Timer, delay: float) -> None:
        priority = timer._wanted
        if priority is None:
            priority = bisect_right(_COARSER_FROM, delay)
        if delay > 0.0:
            timer.due = due = self.now + delay
            number = _slot_from(due, priority)
        else:
            timer.due = due = self.now
            number = _slot_at(due) if priority == Priority.EXACT else _slot_from(due, priority)
        self._put(timer, number, priority)

    def _put(self, timer: Timer, number: int, priority: int) -> None:
        slot = self._slots.get(number)
        if slot is None:
            slot = self._slots[number] = [None] * len(_GRAINS)
            heap = self._heap
            heappush(heap, number)
            if len(heap) > 2 * len(self._slots) + _SPARE:
                heap[:] = self._slots
                heapify(heap)
        row = slot[priority]
        if row is None:
            row = slot[priority] = _Row()
        timer.priority = priority
        timer._row = row
        timer._index = len(row)
        row.append(timer)
        self._live = live = self._live + 1
        self._places = places = self._places + 1
        if places > 2 * live + _SPARE:
            self._tidy()

    def _drop(self, number: int) -> Sequence[_Row | None]:
        """Take a slot out of use; its rows, or nothing if it is not in use."""
        slot = self._slots.pop(number, ())
        for row in slot:
            if row is not None:
                self._places -= len(row)
        return slot

    def _tidy(self) -> None:
        """Compact the next slot, or several small ones.

        A round goes over all slots, so that whatever is dead when it begins is gone when it ends, and no
        single call takes long.
        """
        slots = self._slots
        if not self._untidied:
            self._untidied = list(slots)
        seen = 0
        while self._untidied and seen < _TIDY_STEP:
            number = self._untidied.pop()
            slot = slots.get(number)
            if slot is None:
                continue
            for priority, row in enumerate(slot):
                if row is not None:
                    seen += len(row)
                    self._places -= row.compact()
                    if not row:
                        slot[priority] = None
            if not any(slot):
                del slots[number]


def _log_error(timer: Timer, error: Exception) -> None:
    _log.error("%r raised and was dropped", timer, exc_info=error)


def _at_least_a_slot(period: float) -> float:
    return max(period, 1 / SLOTS_PER_SECOND)


def _slot_from(due: float, priority: int) -> int:
    """The first slot of this priority's grain that does not begin before `due`.

    The comparison decides, not the product: 1.1 * 100 is a little more than 110, but 110 / 100 is 1.1.
    """
    number = int(due * SLOTS_PER_SECOND)
    if number / SLOTS_PER_SECOND < due:
        number += 1
    grain = _GRAINS[priority]
    return -(-number // grain) * grain


def _slot_at(now: float) -> int:
    """The slot that has begun at `now`."""
    number = int(now * SLOTS_PER_SECOND)
    return number if number / SLOTS_PER_SECOND <= now else number - 1
