"""The world task: it sleeps until something is due, gathers, and takes one turn.

A turn: inputs (sessions in id order, each in order of arrival, up to the first that comes before its time and
waits), timers, changes to the views, one flush per client, departures, dirty rows offered to the store. It
never awaits. The task ticks at once when it was idle and paces itself under load, so that a burst becomes one
turn: at least `pace` = 3 x the duration of the last turn, between `gather_ms` and 50 ms, lies between two
turns. That settles near 20 turns a second by itself.

Why one task, and no locks: rules read and change whatever they like within a turn, and what one turn did
is what all clients see next. Why no fixed rate: twenty turns a second whether anything happens or not
would make everybody wait half of a turn and would never be idle. Why the inboxes are drained and not each
packet run as it comes: what was changed by fifty packets is then told once.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections import deque
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Generic, TypeVar

import attrs
import trio

from protocol.endings import Ending, Refused, WireError
from protocol.session import Phase
from server.counters import TURN_BOUNDS, Counts, Histogram
from server.turn.fanout import Fanout
from server.turn.stages import Stages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from protocol.dispatch import Entry
    from protocol.session import Session
    from server.settings.config import Network
    from world.world import Changes, World

log = logging.getLogger("world")

T = TypeVar("T")

LONGEST_PACE = 0.05
"""Seconds: 20 turns a second is what a loaded server settles at."""


RECENT_TURNS = 4096
"""Turns that are remembered one by one: the last three minutes and a half of a loaded server."""


def _quantile(samples: Iterable[float], part: float) -> float:
    ranked = sorted(samples)
    return ranked[min(len(ranked) - 1, int(part * len(ranked)))] if ranked else 0.0


def _let_see(observe: Callable[[Changes], None], changes: Changes) -> None:
    try:
        observe(changes)
    except Exception:
        log.exception("somebody who watches the turns failed")


class SessionGone(Exception):
    """A call came for a client that is no part of the world any more."""


@attrs.define(eq=False)
class Call(Generic[T]):
    """Something to run in the world task, and somebody who waits for its result."""

    run: Callable[[World], T]
    join: bool = False
    """Whether it brings a character into the world; only so many of these are taken per turn."""
    done: trio.Event = attrs.field(factory=trio.Event)
    result: T | None = None
    error: BaseException | None = None
    withdrawn: bool = False


@attrs.define
class TurnStats:
    """Statistics of the turns so far, for operators and tests. Times are in seconds."""

    turns: int = 0
    last_seconds: float = 0.0
    worst_seconds: float = 0.0
    over_budget: int = 0
    last_lateness: float = 0.0
    """Real start minus the start the pacing rule asked for."""
    seconds: deque[float] = attrs.field(factory=lambda: deque(maxlen=RECENT_TURNS), repr=False)
    """How long each of the last turns took."""
    lateness: deque[float] = attrs.field(factory=lambda: deque(maxlen=RECENT_TURNS), repr=False)
    """How late each of the last turns began."""
    started: deque[float] = attrs.field(factory=lambda: deque(maxlen=RECENT_TURNS), repr=False)
    """When each of the last turns began, by the monotonic clock."""
    all_seconds: Histogram = attrs.field(factory=lambda: Histogram(TURN_BOUNDS), repr=False)
    """How long all turns took."""
    all_lateness: Histogram = attrs.field(factory=lambda: Histogram(TURN_BOUNDS), repr=False)
    """How late all of them began."""

    def seconds_quantile(self, part: float) -> float:
        """The duration that `part` (0.99, say) of the last turns did not exceed; 0 before the first."""
        return _quantile(self.seconds, part)

    def lateness_quantile(self, part: float) -> float:
        """The same of their lateness."""
        return _quantile(self.lateness, part)

    def per_second(self, now: float, seconds: float = 10.0) -> float:
        """Turns in a second, over the last so many."""
        recent = itertools.takewhile(lambda began: began > now - seconds, reversed(self.started))
        return sum(1 for _ in recent) / seconds


class Loop:
    """Owns the world task. `stopwatch` measures turns (a constant one makes virtual time deterministic).

    Why it is one class of this size: when a turn is taken depends on what waits (inboxes, calls, alarms), and
    what waits is changed by the turn. Each turn passes all of it, and nothing else in the program does.
    """

    def __init__(
        self,
        world: World,
        *,
        network: Callable[[], Network],
        joins_per_tick: Callable[[], int],
        offer: Callable[[World, float], None],
        offer_due: Callable[[World], float | None],
        stopwatch: Callable[[], float],
        counts: Counts | None = None,
    ) -> None:
        self.world = world
        self.counts = counts or Counts()
        self.sessions: dict[int, Session] = {}
        self.stats = TurnStats()
        self.stages = Stages()
        self.at_rest = threading.Event()
        """For other threads: set while no turn is taken."""
        self.at_rest.set()
        self.observers: list[Callable[[Changes], None]] = []
        """Who hears of all that happened in a turn, behind those whom it concerns."""
        self._network = network
        self._joins_per_tick = joins_per_tick
        self._offer = offer
        self._offer_due = offer_due
        self._stopwatch = stopwatch
        self._wake = trio.Event()
        self._ready: dict[int, Session] = {}
        """Sessions with something in their inbox."""
        self._waiting: dict[int, float] = {}
        """When the first packet in the inbox of a session is due, if that is later, by session."""
        self._alarms: list[tuple[float, int]] = []
        """The same as a heap, with what is not true any more."""
        self._stale: dict[int, Session] = {}
        """Sessions that lost messages and have caught up."""
        self._calls: list[tuple[int, Call[object]]] = []
        self._departures: list[Callable[[World], None]] = []
        self._longest: tuple[float, str] = (0.0, "")
        """Seconds and name of this turn's longest handler."""

    def wake(self) -> None:
        """Something wants a turn."""
        self._wake.set()

    def ready(self, session: Session) -> None:
        """A session has something in its inbox."""
        self._ready[session.id] = session
        self._wake.set()

    def waits(self, session: Session) -> bool:
        """Whether what is in the inbox of a session is not due yet: the next turn will not take it."""
        return session.id in self._waiting

    def refresh(self, session: Session) -> None:
        """A client that lost messages has caught up: the next turn tells it what is so."""
        self._stale[session.id] = session
        self._wake.set()

    def depart(self, call: Callable[[World], None]) -> None:
        """Run at the end of the next turn, after its flush: a client is gone."""
        self._departures.append(call)
        self._wake.set()

    async def in_world(self, session: Session | None, run: Callable[[World], T], *, join: bool = False) -> T:
        """Run a call as one input of the next turn, at the session's place in id order (0: before all
        sessions).

        Whatever it raises is raised here, and SessionGone if the session has departed. If the caller is
        cancelled before it ran, it does not run.
        """
        call: Call[T] = Call(run, join)
        self._calls.append((session.id if session is not None else 0, call))  # type: ignore[arg-type]
        self._wake.set()
        try:
            await call.done.wait()
        except trio.Cancelled:
            call.withdrawn = True
            raise
        error, call.error = call.error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # its traceback holds this frame and those of the turn: a ring, and a big one
        return call.result  # type: ignore[return-value] # set whenever there is no error

    async def run(self) -> None:
        """The world task. Whatever leaves a turn is fatal and leaves here."""
        last_start = -1e9
        while True:
            now = trio.current_time()
            wanted = self._next_due()
            if not self._wake.is_set() and wanted > now:
                with trio.move_on_at(wanted):
                    await self._wake.wait()
            asked = trio.current_time() if self._wake.is_set() else max(wanted, now)
            pace = min(max(3 * self.stats.last_seconds, self._network().gather_ms / 1000), LONGEST_PACE)
            start = max(asked, last_start + pace)
            await trio.sleep_until(start)
            self._wake = trio.Event()
            last_start = trio.current_time()
            self.stats.last_lateness = last_start - start
            self.stats.lateness.append(last_start - start)
            self.stats.all_lateness.observe(last_start - start)
            self.stats.started.append(last_start)
            self.turn(last_start)

    def _next_due(self) -> float:
        timer = self.world.timers.deadline()
        offer = self._offer_due(self.world)
        alarm = self._alarms[0][0] if self._alarms else 1e18
        return min(timer if timer is not None else 1e18, offer if offer is not None else 1e18, alarm)

    def turn(self, now: float) -> None:
        """One turn."""
        self.at_rest.clear()
        try:
            self._turn(now)
        finally:
            self.at_rest.set()

    def _turn(self, now: float) -> None:
        stopwatch, world = self._stopwatch, self.world
        self._longest = (0.0, "")
        times = [stopwatch()]
        world.begin(now)
        touched = self._inputs()
        times.append(stopwatch())
        world.run_timers()
        times.append(stopwatch())
        woken = [s for s in touched if s.blind and s.viewport is not None and not s.loading]
        stale, self._stale = self._stale, {}
        if woken or stale or world.stirred:
            changes = world.take_changes()
            Fanout(self.sessions, changes).run(woken, stale.values())
            for observe in self.observers:
                _let_see(observe, changes)
        times.append(stopwatch())
        # Those who did something wait for their answers, if only for the wire's own that it arrived; then
        # everybody who has to hear of it.
        for session in touched:
            if session.outbox or session.codec.pending:
                session.link.flush()
        for session in list(self.sessions.values()):
            if session.outbox:
                session.link.flush()
        times.append(stopwatch())
        departures, self._departures = self._departures, []
        for depart in departures:
            depart(world)
        if departures and world.stirred:
            self._wake.set()
        self._offer(world, now)
        times.append(stopwatch())
        self._account(times)

    def _inputs(self) -> list[Session]:
        """Drain calls and inboxes in session order; the sessions that had any."""
        calls, self._calls = self._calls, []
        joins = self._joins_per_tick()
        by_session: dict[int, list[Call[object]]] = {}
        for number, call in calls:
            if call.withdrawn:
                continue
            if call.join and joins <= 0:
                self._calls.append((number, call))
                self._wake.set()
                continue
            joins -= call.join
            by_session.setdefault(number, []).append(call)
        self._wake_the_due()
        ready, self._ready = self._ready, {}
        touched = []
        for number in sorted({*by_session, *ready}):
            if number and number not in self.sessions:
                for call in by_session.get(number, ()):
                    call.error = SessionGone(f"session {number} has departed")
                    call.done.set()
                continue
            for call in by_session.get(number, ()):
                self._run_call(call)
            session = ready.get(number) or self.sessions.get(number)
            if session is not None:
                self._drain(session)
                touched.append(session)
        return touched

    def _wake_the_due(self) -> None:
        """Sessions whose next packet has waited long enough are ready."""
        alarms, now = self._alarms, self.world.now
        while alarms and alarms[0][0] <= now:
            at, number = heappop(alarms)
            if self._waiting.get(number) == at:
                del self._waiting[number]
                if number in self.sessions:
                    self._ready[number] = self.sessions[number]

    def _is_due(self, session: Session, entry: Entry[Session], packet: object) -> bool:
        """Whether the first packet in the inbox may be handled now. It waits there if not, and what is behind
        it as well, but for more of its kind that replace it."""
        interval = entry.interval_of(packet)
        if interval is None:
            return True
        due, now, inbox = session.due(interval), self.world.now, session.inbox
        if due <= now:
            session.does(interval, now)
            return True
        while (
            interval.coalesced
            and len(inbox) > 1
            and inbox[1][0] is entry
            and entry.interval_of(inbox[1][1]) is interval
        ):
            inbox.popleft()
        if self._waiting.get(session.id) != due:
            self._waiting[session.id] = due
            heappush(self._alarms, (due, session.id))
        return False

    def _run_call(self, call: Call[object]) -> None:
        try:
            call.result = call.run(self.world)
        except Exception as error:
            call.error = error
        call.done.set()

    def _drain(self, session: Session) -> None:
        inbox = session.inbox
        stopwatch = self._stopwatch
        held = len(inbox)
        # A handler that ends its client empties the inbox; one that starts a job keeps the rest waiting.
        while inbox and not session.link.busy:
            entry, packet = inbox[0]
            legal = session.phase in entry.phases
            if legal and entry.interval is not None and not self._is_due(session, entry, packet):
                break
            inbox.popleft()
            began = stopwatch()
            if not legal:
                if session.phase < Phase.MENU:
                    session.end(Ending.WRONG_PHASE, f"{entry.name} before login")
                else:
                    session.ignored += 1
                continue
            try:
                entry.handler(session, packet)
            except Refused as refusal:
                session.refuse(refusal)
            except WireError as error:
                session.end(Ending.BAD_PACKET, f"{entry.name}: {error}")
            except Exception:
                log.exception(
                    "handler of %s %s failed for %s", session.family.name, entry.name, entry.shown(packet)
                )
                session.end(Ending.OUR_BUG, f"handler of {entry.name}")
            took = stopwatch() - began
            if took > self._longest[0]:
                self._longest = (took, f"{entry.name} of {session!r}")
            if self.stages.on:
                self.stages.add(f"handler {entry.name}", took)
        if len(inbox) < held or not inbox:
            session.link.drained()

    def _account(self, times: list[float]) -> None:
        """`times`: when the turn began, and when its inputs, timers, views, flushes and the rest were
        done."""
        stats, seconds = self.stats, times[-1] - times[0]
        stats.turns += 1
        stats.last_seconds = seconds
        stats.seconds.append(seconds)
        stats.all_seconds.observe(seconds)
        stats.worst_seconds = max(stats.worst_seconds, seconds)
        if self.stages.on:
            _, timers, deltas, _, storage = (after - before for before, after in itertools.pairwise(times))
            self.stages.add("timers", timers)
            self.stages.add("deltas", deltas)
            self.stages.add("storage", storage)
            self.stages.add("turn", seconds)
        budget = self._network().tick_budget_ms
        if seconds * 1000 > budget:
            stats.over_budget += 1
            parts = [1000 * (after - before) for before, after in itertools.pairwise(times)]
            log.warning(
                "a turn took %.0f ms (budget %.0f): inputs %.0f (longest: %.0f, %s), timers %.0f, "
                "views %.0f, sending %.0f, the rest %.0f",
                seconds * 1000,
                budget,
                parts[0],
                self._longest[0] * 1000,
                self._longest[1] or "none",
                *parts[1:],
            )
