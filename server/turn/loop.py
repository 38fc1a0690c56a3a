"""The world task: it sleeps until something is due, gathers, and takes one turn.

A turn: inputs (sessions in id order, each in order of arrival, up to the first that comes before its time and
waits; if that is more than a turn may take in (`server.turn.budget`), in fair order and the rest in the next,
`server.turn.line`), timers, changes to the views, one flush per client (which may wait for more where it only
says where others go, and comes behind the inputs for who asked for steps alone, if turns are long:
`server.turn.coalescing`), departures, dirty rows offered to the store. It never awaits. It ticks at once when
it was idle and paces itself under load (`server.turn.pace`).

Why one task, and no locks: rules read and change whatever they like within a turn, and what one turn did
is what all clients see next. Why no fixed rate: twenty turns a second whether anything happens or not
would make everybody wait half of a turn and would never be idle. Why the inboxes are drained and not each
packet run as it comes: what was changed by fifty packets is then told once.

While there is too much to do, what may wait does, oldest first: timers of the coarsest priorities, refreshes
of clients that had lost messages, those who only watch (`observers`). What players did does not.
"""

from __future__ import annotations

import itertools
import logging
import threading
from heapq import heappop, heappush
from typing import TYPE_CHECKING, TypeVar

import trio

from protocol.endings import Ending, Refused, WireError
from protocol.session import Phase
from server.clock import stood_still
from server.counters import Counts
from server.turn.budget import FOR_INPUTS, Budget, fits, viewers_of
from server.turn.calls import Call as Call
from server.turn.calls import SessionGone as SessionGone
from server.turn.coalescing import Coalescer
from server.turn.crowds import Crowds
from server.turn.fanout import NOTHING, Fanout, tell_own_motions
from server.turn.line import Line
from server.turn.observers import Observers
from server.turn.pace import Pace
from server.turn.pulse import INPUTS, Pulse
from server.turn.stages import Stages
from server.turn.stats import TurnStats

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from protocol.dispatch import Entry
    from protocol.session import Session
    from server.settings.config import Network
    from world.world import Changes, World

log = logging.getLogger("world")

T = TypeVar("T")

REFRESHED = 4
"""Clients that had lost messages and are told all anew in one turn, while there is too much to do."""
RELIEF_SECONDS = 0.1
"""Meanwhile there is a turn at least so often, if only to find that it is over."""


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
        self.budget = Budget()
        self.at_rest = threading.Event()
        """For other threads: set while no turn is taken."""
        self.at_rest.set()
        self.pulse = Pulse()
        self._observers = Observers()
        self.observers: list[Callable[[Changes], None]] = self._observers.each
        """Who hears of all that happened in a turn, behind those whom it concerns; of several turns at once
        while there is too much to do."""
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
        self.coalescer = Coalescer(lambda: network().motion_ms, stopwatch)
        self.crowds = Crowds()
        world.crowd = network().crowd
        self._stale: dict[int, Session] = {}
        """Sessions that lost messages and have caught up."""
        self._calls: list[tuple[int, Call[object]]] = []
        self._departures: list[Callable[[World], None]] = []
        self.pace = Pace(lambda: network().gather_ms)
        self.last_call: Callable[[], Awaitable[None]] | None = None
        """Waited for before each turn: what came by then is to be taken in with it."""
        self.turn_over: Callable[[], None] = lambda: None  # called behind each turn
        self._stood_still = 0.0  # seconds for which the server did before this turn
        self._longest: tuple[float, str] = (0.0, "")  # seconds and name of this turn's longest handler
        self._work = self._taken = 0
        """Inputs that this turn has taken in, and what they did times those who may see it."""
        self._until = 0.0
        """By the stopwatch: when this turn takes in no more."""
        self._late = False  # whether that time has come
        self._told: AbstractSet[int] = NOTHING  # of this turn's events: see `tell_own_motions`
        self._line = Line()
        """Those whose inputs an earlier turn could not take."""

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
        stopped = stood_still()
        while True:
            now = trio.current_time()
            wanted = self._next_due()
            if not self._wake.is_set() and wanted > now:
                with trio.move_on_at(wanted):
                    await self._wake.wait()
            asked = trio.current_time() if self._wake.is_set() else max(wanted, now)
            start = max(asked, self.pace.next_start(self._took, self.sessions))
            await trio.sleep_until(start)
            self.pace.begin(trio.current_time())
            if self.last_call is not None:
                await self.last_call()
            self._wake = trio.Event()
            last_start = trio.current_time()
            self.stats.last_lateness = last_start - start
            self.stats.lateness.append(last_start - start)
            self.stats.all_lateness.observe(last_start - start)
            self.stats.started.append(last_start)
            before, stopped = stopped, stood_still()
            self._stood_still = stopped - before
            self.turn(last_start)
            self.turn_over()

    @property
    def _took(self) -> float:
        """Seconds that the last turn took, and would have for part of what waits for more."""
        return self.stats.last_seconds + self.coalescer.owed

    def rest(self) -> tuple[float, float]:
        """Seconds until the next turn may begin (below 0: it may), and those that the last one took."""
        start = self.pace.promise(self._took, self.sessions)
        return start - trio.current_time(), self.stats.last_seconds

    def _next_due(self) -> float:
        timer = self.world.timers.deadline()
        offer = self._offer_due(self.world)
        alarm = self._alarms[0][0] if self._alarms else None
        relief = self.world.now + RELIEF_SECONDS if self.budget.overloaded else None
        times = (timer, offer, self.crowds.due(), alarm, relief, self.coalescer.due)
        return min((time for time in times if time is not None), default=1e18)

    def turn(self, now: float) -> None:
        """One turn."""
        self.at_rest.clear()
        self.pulse.enter(INPUTS)
        try:
            self._turn(now)
        finally:
            self.pulse.rest(self.world.tick, self.stats, self.sessions)
            self.at_rest.set()

    def _turn(self, now: float) -> None:
        stopwatch, world = self._stopwatch, self.world
        self._longest = (0.0, "")
        times = [stopwatch()]
        if world.crowd != (crowd := self.crowds.room.of(self._network().crowd)):
            world.crowd = crowd
            self.crowds.full.update(self.sessions)  # each has to look whom there is room for now
        self._work = self._taken = 0
        self._late = False
        self._until = times[0] + FOR_INPUTS * self.budget.stretch * self._network().turn_ms / 1000
        world.begin(now)
        if self._stood_still:
            world.stood_still(self._stood_still)
            self._stood_still = 0.0
        served = self._inputs()
        hasty = self.coalescer.hasty(served, self.stats.last_seconds)
        self._told = tell_own_motions(hasty, world.events)
        answered = self.coalescer.answer_early(hasty, now)
        times.append(stopwatch())
        self.pulse.longest = self._longest
        self.pulse.enter("timers")
        world.run_timers(self.budget.share)
        times.append(stopwatch())
        self.pulse.enter("views")
        woken = [s for s in served if s.blind and s.viewport is not None and not s.loading]
        stale = self._take_stale()
        again = list(self.crowds.looking(world, self.sessions, self._network().crowd, self.budget.share))
        if woken or stale or again or world.stirred:
            self.tell(woken, stale, again)
        self._observers.tell(now, overloaded=self.budget.overloaded)
        times.append(stopwatch())
        self.pulse.enter("sending")
        # Those who did something wait for their answers, if only for the wire's own; then all who hear of it.
        self.coalescer.answer((one for one in served if one.id not in answered), now)
        self.coalescer.send(self.sessions.values(), now)
        times.append(stopwatch())
        self.pulse.enter("the rest")
        departures, self._departures = self._departures, []
        for depart in departures:
            depart(world)
        if departures and world.stirred:
            self._wake.set()
        self._offer(world, now)
        times.append(stopwatch())
        self._account(times)

    def tell(
        self, woken: Iterable[Session] = (), stale: Iterable[Session] = (), again: Sequence[Session] = ()
    ) -> None:
        """Queue what has happened so far for everybody: once a turn (`Fanout.run`), and before somebody is
        taken off the map who has to hear of it."""
        changes = self.world.take_changes()
        told, self._told = self._told, NOTHING
        Fanout(self.sessions, changes, self.crowds, self.world.crowd, told).run(woken, stale, again)
        self._observers.note(changes)

    def _inputs(self) -> list[Session]:
        """Run all calls, and take in what came, or as much of it as this turn may; the sessions that
        sent something or are called for, and those that had waited and were served."""
        by_session = self._calls_due()
        self.coalescer.patient.update(by_session)
        self._wake_the_due()
        ready, self._ready = self._ready, {}
        # Whatever a turn left is taken in fair order, too: by id the same would be left again.
        whole = not self._line and fits(ready.values(), self.budget.allowance, len(self.sessions))
        served: list[Session] = []
        drained = 0
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
                served.append(session)
                if whole and not self._late:
                    self._drain(session)
                    drained += 1
        if not whole:
            served += self._take_fairly(served)
        elif self._late:
            self._leave([*served[drained:], *served[:drained]])
        if self._line:
            self._wake.set()
        return served

    def _calls_due(self) -> dict[int, list[Call[object]]]:
        """Take the calls that wait, by session; of those that join the world only so many."""
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
        return by_session

    def _take_fairly(self, sessions: list[Session]) -> Iterable[Session]:
        """Let these stand in line, and take one packet of each in it, then around again, as far as this turn
        may; those of which something was taken."""
        for session in sessions:
            if not session.inbox:
                session.link.drained()
        self._leave(sessions)
        allowance = self.budget.allowance
        taken: dict[int, Session] = {}

        def goes_on(sure: bool) -> bool:
            return not self._late and (sure or self._work < allowance)

        for session in self._line.served(allowance, goes_on):
            if session.id in self.sessions and session.inbox:
                taken[session.id] = session
                if self._take(session):
                    self._leave([session])
        for session in taken.values():
            session.link.drained()
        return taken.values()

    def _leave(self, sessions: Iterable[Session]) -> None:
        """Let those wait in line who have something in their inboxes, but not what waits for something
        else."""
        for session in sessions:
            if session.inbox and not session.link.busy and session.id not in self._waiting:
                self._line.join(session)

    def _take_stale(self) -> list[Session]:
        """The sessions that are to be told all anew, those that have waited longest first; a few, if there is
        too much to do."""
        if not self._stale:
            return []
        most = REFRESHED if self.budget.overloaded else len(self._stale)
        taken = [self._stale.pop(number) for number in list(itertools.islice(self._stale, most))]
        if self._stale:
            self._wake.set()
        return taken

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
        self.pulse.entry = None
        try:
            call.result = call.run(self.world)
        except Exception as error:
            call.error = error
        call.done.set()

    def _drain(self, session: Session) -> None:
        """Take all that a session sent, as far as it may be handled now."""
        inbox = session.inbox
        held = len(inbox)
        while inbox and self._take(session) and not self._late:
            pass
        if len(inbox) < held or not inbox:
            session.link.drained()

    def _take(self, session: Session) -> bool:
        """Take the first packet of an inbox, if it may be handled now; whether the next may be, too."""
        inbox, world, stopwatch = session.inbox, self.world, self._stopwatch
        # A handler that ends its client empties the inbox; one that starts a job keeps the rest waiting.
        if not inbox or session.link.busy:
            return False
        entry, packet, _ = inbox[0]
        legal = session.phase in entry.phases
        if legal and entry.interval is not None and not self._is_due(session, entry, packet):
            return False
        inbox.popleft()
        self._work += 1
        self._taken += 1
        if not entry.is_prompt(packet):
            self.coalescer.patient.add(session.id)
        if not legal:
            self._waiting.pop(session.id, None)  # it may have waited for its time in another phase
            if session.phase < Phase.MENU:
                session.end(Ending.WRONG_PHASE, f"{entry.name} before login")
            else:
                session.ignored += 1
            return True
        viewers, done = viewers_of(session), len(world.events) + len(world.changed)
        self.pulse.client, self.pulse.entry = session, entry
        began = stopwatch()
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
        ended = stopwatch()
        took = ended - began
        self._work += viewers * (len(world.events) + len(world.changed) - done)
        self._late = ended > self._until
        if took > self._longest[0]:
            self._longest = (took, f"{entry.name} of {session!r}")
        if self.stages.on:
            self.stages.add(f"handler {entry.name}", took)
        return True

    def _account(self, times: list[float]) -> None:
        """`times`: when the turn began, and when its inputs, timers, views, flushes and the rest were
        done."""
        stats, seconds, network = self.stats, times[-1] - times[0], self._network()
        inputs, timers, views, sending, rest = (after - before for before, after in itertools.pairwise(times))
        stats.took((inputs, timers, views, sending, rest))
        waiting = len(self._line)
        part = waiting / max(1, len(self.sessions))
        costing = (self._work + self._line.cost) / max(1, self._taken + waiting)
        taken, limit = inputs + views + sending, network.turn_ms / 1000
        light = self._line.lighter()
        self.budget.note(taken, limit, self._work, waiting=part, costing=costing, lighter=light)
        self.crowds.room.note(self.world.now, seconds, left=waiting > 0, crowded=bool(self.crowds.full))
        stats.waiting, stats.allowance, stats.crowd = waiting, self.budget.allowance, self.world.crowd
        stats.overloaded = self.budget.overloaded
        if self.stages.on:
            names = ("timers", "deltas", "sending", "storage", "turn")
            for name, took in zip(names, (timers, views, sending, rest, seconds), strict=True):
                self.stages.add(name, took)
        if seconds * 1000 > network.tick_budget_ms:
            stats.over_budget += 1
            log.warning(
                "a turn took %.0f ms (budget %.0f): inputs %.0f (longest: %.0f, %s), timers %.0f, "
                "views %.0f, sending %.0f, the rest %.0f",
                *(seconds * 1000, network.tick_budget_ms),
                inputs * 1000,
                self._longest[0] * 1000,
                self._longest[1] or "none",
                *(1000 * part for part in (timers, views, sending, rest)),
            )
