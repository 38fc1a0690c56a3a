"""A simulated evening: the whole server in memory, many people of all games doing what people do, and
everything going wrong that can. One number, the seed, decides all of it.

    simulate(seed)             # raises Broken, whose message is the whole report

Virtual time, SQL in the calling task, Trio's scheduler and every die seeded: the same seed gives the same
evening, so a failing seed is a complete description of a bug. After every turn what each client should see is
worked out anew and compared with what the server thinks it knows; whenever a client has received everything,
its own picture of the world is compared, too; and every few seconds who holds what, that nothing was made or
lost, and that memory and disk agree (`tests.kit.sight`, `beliefs`, `audits`).

What people do is in `tests.kit.habits`, what goes wrong in `tests.kit.faults`, and what the server runs on in
`tests.kit.site`.
"""

from __future__ import annotations

import hashlib
import logging
import random
import traceback
from collections import Counter, deque
from typing import TYPE_CHECKING, Final

import attrs
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol.eq2.codec import Eq2Codec
from server.net.connection import Connection
from tests.kit import audits, beliefs, sight
from tests.kit.actor import Actor, CannotEnter
from tests.kit.actors import ACTORS, make_actor
from tests.kit.company import deals, is_busy
from tests.kit.counting import counting
from tests.kit.datagrams import Faults
from tests.kit.faults import Faults as Fates
from tests.kit.habits import HABITS
from tests.kit.site import Site, wire_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.session import Session
    from server.boot.app import App
    from world.thing import Surroundings
    from world.world import World

NAMES: Final = (
    "Albrecht",
    "Beatrix",
    "Conrad",
    "Dorothea",
    "Emmerich",
    "Felicia",
    "Gunther",
    "Hedwig",
    "Ottokar",
    "Petronella",
    "Runhild",
    "Sebastian",
)
LAST_ACTIONS: Final = 60
"""Lines of a report."""
SETTLE_SECONDS: Final = 90.0
"""After everybody left: longer than whoever was in a fight lingers (60 s), than a client whose goodbye got
lost is missed (45 s) and lingers, and than any step waits."""
AUDIT_SECONDS: Final = 5.0
BUSY: Final = 0.6
"""How often who trades does nothing else."""
BAD_LINE: Final = Faults(loss=0.03, doubled=0.03, delay=0.02, jitter=0.05)
"""What happens to datagrams in every other evening."""
SHARES: Final = 3
"""Into so many the sessions are divided whose sight is worked out anew after a turn."""


def names(count: int) -> list[str]:
    """So many names, no two of which look alike."""
    letters = "abdefhkmps"
    ends = ["", *(one + other for one in letters for other in letters)]
    return [(name[:6] if end else name) + end for end in ends for name in NAMES][:count]


class Broken(AssertionError):
    """Something is not as it must be. The message is the report: seed, time, what, and what was done last."""


@attrs.frozen
class Plan:
    """What an evening is made of."""

    seconds: float = 120.0
    people: int = 8
    faults: bool = True
    """Whether anything goes wrong but what the people do."""
    pace: tuple[float, float] = (0.1, 1.0)
    """Seconds between two actions of one person."""
    crowd: int = 250
    """Others whom each of them is shown at most."""


@attrs.define(eq=False)
class Person:
    """Somebody with an account, who plays now this game and now that."""

    name: str
    account: str
    dice: random.Random
    actor: Actor
    compared_at: float = 0.0
    heard: int = 0
    """Bytes it had received when it was last compared."""


class Errors(logging.Handler):
    """What the server complains about that nothing in a simulation excuses: exceptions in handlers, views,
    timers, tasks."""

    def __init__(self, broken: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self.broken = broken

    def emit(self, record: logging.LogRecord) -> None:
        """Errors with a traceback; a failing disk has none."""
        if record.exc_info and record.exc_info[1] is not None:
            self.broken(f"the server logged: {record.getMessage()}\n{_traced(record.exc_info[1])}")


def _traced(error: BaseException) -> str:
    """The innermost tracebacks: what task groups wrap around them says nothing."""
    if isinstance(error, BaseExceptionGroup):
        return "".join(_traced(inner) for inner in error.exceptions)
    return "".join(traceback.format_exception(error))


class Simulation:
    """One evening."""

    def __init__(self, seed: int, plan: Plan) -> None:
        self.seed = seed
        self.plan = plan
        self.actions = 0
        self.turns = 0
        self.compared = 0
        """How often a client's whole belief was held against the world."""
        self.entered = 0
        self.verbs: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        """How often things came into being or ceased to exist, by the words of `tests.kit.counting`."""
        self._trace: deque[str] = deque(maxlen=LAST_ACTIONS)
        self._all = hashlib.sha256()
        """Of all that was done and all that clients received."""
        self._idle: Counter[str] = Counter()
        """The tasks of a server that nobody has connected to."""
        self._fault = ""
        self._scope = trio.CancelScope()
        self._turned = trio.Event()
        self.closing = False
        self.people: list[Person] = []

    @property
    def commits(self) -> int:
        """How often the disk took something."""
        return self.site.database.commits

    @property
    def fingerprint(self) -> str:
        """A number for all that was done and all that clients received so far."""
        return self._all.hexdigest()[:16]

    # The frame

    async def run(self) -> None:
        """Play it. Raises Broken."""
        errors = Errors(self.broken)
        root = logging.getLogger()
        root.addHandler(errors)
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    await self._evening(nursery)
                    nursery.cancel_scope.cancel()
        except Exception as error:
            self.broken(_traced(error))
        finally:
            root.removeHandler(errors)
        if self._fault:
            raise Broken(self.report())

    async def _evening(self, nursery: trio.Nursery) -> None:
        line = BAD_LINE if self.plan.faults and self.seed % 2 else None
        self.site = Site(nursery, self.seed, self.broken, self._all.update, line, self.plan.crowd)
        self.site.turned = self._after_turn
        await self.site.start()
        await wait_all_tasks_blocked()
        self._idle = self.site.tasks()
        nursery.start_soon(self._watch_beliefs)
        for number, name in enumerate(names(self.plan.people)):
            dice = random.Random(f"{name} {self.seed}")
            actor = make_actor(dice.choice(list(ACTORS)), self.site)
            self.people.append(Person(name, f"account{number}", dice, actor))
        async with trio.open_nursery() as acting:
            for person in self.people:
                acting.start_soon(self._lives, person)
            acting.start_soon(self._audits)
            if self.plan.faults:
                acting.start_soon(Fates(self).happen)
            await trio.sleep(self.plan.seconds)
            self.closing = True
            acting.cancel_scope.deadline = trio.current_time() + SETTLE_SECONDS
        await self._close()

    async def _close(self) -> None:
        """Everybody leaves, then the server; what remains is looked at."""
        self.note("-", "closing time")
        for person in self.people:
            person.actor.leaves()
        if self.site.app is None:
            await self.site.start()
        app = self.site.app
        assert app is not None
        self.site.disk.failing = False
        await trio.sleep(SETTLE_SECONDS)
        if app.loop.sessions:
            self.broken(f"sessions are left: {list(app.loop.sessions.values())}")
        left = [mobile.name for mobile in app.world.mobiles.values() if mobile.is_character]
        if left:
            self.broken(f"characters are left: {left}")
        if app.gateway.connections:
            self.broken(f"{len(app.gateway.connections)} connections are left")
        for task in sorted((running := self.site.tasks()).keys() | self._idle.keys()):
            if running[task] != self._idle[task]:
                self.broken(f"{running[task]} tasks {task} are left, an idle server has {self._idle[task]}")
        self.look_at_world(app)
        await self._look_at_disk()
        if await self.site.stop() != 0:
            self.broken(f"exit code {self.site.exit_code}")
        if not self.site.database.meta().clean:
            self.broken("the database was not marked clean")
        self.look_at_database(app.world)

    def note(self, who: str, what: str) -> None:
        self.actions += 1
        line = f"{trio.current_time():9.3f}  {who:12} {what}"
        self._trace.append(line)
        self._all.update(line.encode())

    def broken(self, what: str) -> None:
        """The first fault ends the evening."""
        if not self._fault:
            self._fault = f"at {trio.current_time():.3f} s: {what}"
            self._scope.cancel()

    def report(self) -> str:
        """All there is to know."""
        return "\n".join(
            [
                f"seed {self.seed}, {self._fault}",
                f"{self.plan}, {self.turns} turns, {self.entered} logins, {self.compared} comparisons",
                f"all that was done and received, as a number: {self.fingerprint}",
                "the last of what was done:",
                *self._trace,
                f"to see it again: pytest tests/simulation --seed {self.seed}",
            ]
        )

    # Looking

    def _after_turn(self, app: App) -> None:
        self.turns += 1
        self._turned.set()
        for fault in audits.stale_faults(app.world):
            self.broken(fault)
        if app.world.stirred:
            return  # the next turn tells it
        # What a session wrongly knows it goes on knowing, so that a few of them each turn will do.
        asked = [s for s in app.loop.sessions.values() if s.id % SHARES == self.turns % SHARES]
        placed = sight.placed_things(app.world) if asked else []
        for session in asked:
            for fault in sight.sight_faults(session, placed, app.loop.crowds.full):
                self.broken(fault)

    async def _watch_beliefs(self) -> None:
        """When everything that a turn sent has been received: what do the clients believe?"""
        while True:
            await self._turned.wait()
            self._turned = trio.Event()
            await wait_all_tasks_blocked()
            app = self.site.app
            if app is None or app.world.stirred:
                continue
            by_peer = {session.peer: session for session in app.loop.sessions.values()}
            for person in self.people:
                if not self._worth_comparing(person):
                    continue
                session = self._settled(person.actor, by_peer)
                if session is not None:
                    self.compared += 1
                    person.compared_at, person.heard = trio.current_time(), len(person.actor.player.raw)
                    lagged = wire_of(person.actor.player).lagged
                    for fault in beliefs.belief_faults(person.actor, session, lagged=lagged):
                        self.broken(fault)

    def _worth_comparing(self, person: Person) -> bool:
        """A wrong belief stays, so it is enough to ask now and then."""
        silent = trio.current_time() - person.compared_at
        return silent >= (1.0 if person.heard == len(person.actor.player.raw) else 0.25)

    def _settled(self, actor: Actor, by_peer: dict[str, Session]) -> Session | None:
        """An actor's session, if nothing is under way between the two."""
        if not actor.online or actor.in_flight():
            return None
        wire = wire_of(actor.player)
        session = by_peer.get(wire.peer)
        if session is None or session.mobile is None or not wire.idle or wire.spoilt:
            return None
        link = session.link
        if isinstance(link, Connection) and link._outbox.stale:
            return None  # what it lost is told within a second
        waits = session.inbox or session.outbox or session.loading or session.blind
        if isinstance(session.codec, Eq2Codec) and not session.codec.stream.settled:
            return None  # what was lost is under way again
        return None if waits or session.mobile.gait.queue else session

    async def _audits(self) -> None:
        while not self.closing:
            await trio.sleep(AUDIT_SECONDS)
            app = self.site.app
            if app is not None:
                self.look_at_world(app)
                await self._look_at_disk()

    def look_at_world(self, app: App) -> None:
        for fault in audits.holder_faults(app.world):
            self.broken(fault)

    async def _look_at_disk(self) -> None:
        """At a moment when all is on disk: does it say what memory says?"""
        for _ in range(5):
            app = self.site.app
            if app is None or self.site.disk.failing:
                return
            with trio.move_on_after(2):
                await app.durable()
            world = app.world
            quiet = not (world.dirty or world.deleted or world.stirred)
            if self.site.app is app and quiet and app.storage.durable_tick == world.tick:
                for fault in audits.durable_faults(self.site.database, world):
                    self.broken(fault)
                return

    def noted(self, world: Surroundings, kind: str, amount: int) -> None:
        """So many more of a kind there may be from this turn on, or fewer."""
        self.site.database.changed.append((world.tick, kind, amount))

    def look_at_database(self, world: World) -> None:
        for fault in audits.stored_faults(self.site.database, world):
            self.broken(fault)
        for fault in audits.census_faults(
            audits.stored_census(self.site.database), self.site.database.expected
        ):
            self.broken(f"there is {fault}")

    # People

    async def _lives(self, person: Person) -> None:
        dice = person.dice
        while not self.closing:
            if not person.actor.online:
                await trio.sleep(dice.uniform(0.2, 3.0))
                await self.arrives(person)
                continue
            await trio.sleep(dice.uniform(*self.plan.pace))
            if person.actor.online:
                verb, does = dice.choices(*HABITS)[0]
                if is_busy(person.actor) and dice.random() < BUSY:
                    verb, does = "trade", deals
                said = await does(person.actor, dice) if verb in person.actor.can else ""
                if said:
                    self.verbs[verb] += 1
                    self.note(person.name, f"{person.actor.game} {said}")

    async def arrives(self, person: Person) -> None:
        """Log in, as likely as not in another game than before."""
        actor = make_actor(person.dice.choice(list(ACTORS)), self.site)
        self.note(person.name, f"{actor.game} logs in")
        before, person.actor = person.actor, actor
        try:
            await actor.enters(person.account, person.name)
            self.entered += 1
        except CannotEnter as refusal:
            self.note(person.name, f"cannot enter: {refusal}")
        before.leaves()


def simulate(seed: int, plan: Plan | None = None) -> Simulation:
    """Play one evening; Broken if anything is not as it must be. What it was like is in what it returns."""
    scheduler = trio._core._run
    before = scheduler._ALLOW_DETERMINISTIC_SCHEDULING
    evening = Simulation(seed, plan or Plan())
    scheduler._ALLOW_DETERMINISTIC_SCHEDULING = True  # type: ignore[misc] # Trio's own tests set it, too
    scheduler._r.seed(seed)
    try:
        with counting(evening.noted, evening.broken) as evening.done:
            trio.run(evening.run, clock=MockClock(autojump_threshold=0))
    finally:
        scheduler._ALLOW_DETERMINISTIC_SCHEDULING = before  # type: ignore[misc]
    return evening


def found_by(plan: Plan, *, first: int = 0) -> tuple[int, str]:
    """The first seed that finds something, and its report. `first`: where it takes the others too long.
    Raises AssertionError if five find nothing."""
    for seed in range(first, first + 5):
        try:
            simulate(seed, plan)
        except Broken as broken:
            return seed, str(broken)
    raise AssertionError("nobody noticed")
