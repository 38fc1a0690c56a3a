"""The admin channel in a thread of its own, which answers while the world keeps Trio's.

The problem: a turn never awaits, so for as long as one takes, whoever asks from outside how the server is
doing would hear nothing, just when it matters most. The idea: the channel is served by a second run of Trio
in a thread beside, with sockets and deadlines of its own; nothing of the world is touched there. Commands are
handed to the world's thread and carried out as ever. What has no answer after `PATIENCE` although the world
should have given one is answered here, with a line that begins with `overloaded:` and says what the world is
at: `status` and `who` by what the loop published last (`server.turn.pulse`), other questions by "ask again".
An order that would change something is not given up: under load that would be to lose `kick` and `shutdown`
when they are needed. It waits, is carried out exactly once, and those given later come after it.

What was not done: an answer for each order from this thread by a lock around the world (every step of the
world would pay for it); giving up orders as well (whoever gives one again could have it done twice, unless a
lock decided between here and there, and each try would have to hit the moment between two turns).
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from typing import TYPE_CHECKING, Final, Protocol

import attrs
import trio

from server.commands.machinery import Answer, CommandError
from server.operate.admin import AdminChannel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from server.commands.machinery import Arguments, Command
    from server.operate.place import Place

log = logging.getLogger("admin")

LOOK: Final = 0.1
"""Seconds between two looks at whether a command is late. They are counted as one look each, however long
they took: a process that was stopped is not late for that."""
PATIENCE: Final = 6
"""Looks after which a command is late that was not begun, or of which the world's thread shows no sign of
life, so that whoever asks has an answer within a second."""
LONG: Final = 0.5
"""Seconds of a turn for whose end nobody waits."""
MOST_WAITING: Final = 64
"""Orders that wait for the world, and questions that it has not come to."""
BEHIND_SECONDS: Final = 60.0
"""How long an order waits for those before it that were late, too: one that hangs must not bar `shutdown`."""


class Carrier(Protocol):
    """Carries out commands in the world's thread: `server.commands.machinery.Commands`."""

    async def run(self, who: str, command: str, args: Mapping[str, str] | None = None) -> Answer:
        """Carry out a command."""

    def meant(self, command: str, args: Mapping[str, str] | None = None) -> tuple[Command, Arguments]:
        """The command that is meant, in any thread. Raises CommandError."""


@attrs.define(eq=False)
class Errand:
    """A command on its way between the threads. Each attribute is written by one of them; `lock` holds them
    apart where one decides by what the other wrote."""

    who: str
    command: str
    args: Mapping[str, str] | None
    name: str
    """That of the command, for people: the whole line may hold a password."""
    detailed: bool
    """Whether the answer is to tell where the world's thread stands."""
    waits: bool
    """Whether it is carried out however late."""
    given: float
    asked: float
    """When the world's thread was last asked for a sign of life."""
    lock: threading.Lock = attrs.field(factory=threading.Lock)
    # By the admin channel's thread:
    late: bool = False
    """It was answered before its end."""
    heard: trio.Event = attrs.field(factory=trio.Event)
    # By the world's:
    alive: bool = False
    """Whether there was one since."""
    begun: bool = False
    ended: bool = False
    answer: Answer | None = None
    error: Exception | None = None
    over: trio.Event = attrs.field(factory=trio.Event)

    def show_life(self) -> None:
        """The world's thread has time for it."""
        self.alive = True

    def begin(self) -> bool:
        """Whether it is still wanted; from now on it is under way."""
        with self.lock:
            self.begun = self.waits or not self.late
            return self.begun

    def put_off(self) -> bool:
        """Whether it is to be answered before its end; else that has come. What has not begun by now, and
        does not wait, never will."""
        with self.lock:
            self.late = not self.ended
            return self.late

    def end(self) -> bool:
        """Whether it was answered before this, its end."""
        with self.lock:
            self.ended = True
            return self.late


class Desk:
    """Made, and served, in the world's thread."""

    def __init__(self, commands: Carrier, place: Place, *, name: str) -> None:
        """`name` is that of the server, `place` tells of the thread that carries out the commands."""
        self._commands = commands
        self._place = place
        self._name = name
        self._waiting: dict[Errand, None] = {}
        """Of the channel's thread: those that are not over."""
        self._running: dict[Errand, None] = {}
        """Of the world's: those that it has taken and not ended, in the order in which they came."""
        self._nursery: trio.Nursery | None = None
        self._world: trio.lowlevel.TrioToken | None = None
        self._here: trio.lowlevel.TrioToken | None = None
        self._end = trio.CancelScope()
        self._closing = False

    # In the world's thread

    async def serve(
        self, state_dir: Path, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Serve the channel until cancelled; started when admin.json is there. The thread has ended when this
        returns, and ends with the process in any case."""
        self._world = trio.lowlevel.current_trio_token()
        listening = trio.Event()

        async def tell() -> None:
            await listening.wait()
            task_status.started()

        try:
            async with trio.open_nursery() as self._nursery:
                self._nursery.start_soon(tell)
                self._nursery.start_soon(self._close_at_the_end)
                # Trio's threads are daemons. One that is not abandoned is waited for after a cancellation.
                await trio.to_thread.run_sync(
                    trio.run,
                    self._live,
                    state_dir,
                    listening.set,
                    thread_name="admin",
                    limiter=trio.CapacityLimiter(1),
                )
        finally:
            self._nursery = None

    async def _close_at_the_end(self) -> None:
        try:
            await trio.sleep_forever()
        finally:
            self._closing = True
            if self._here is not None:
                with contextlib.suppress(trio.RunFinishedError):
                    self._here.run_sync_soon(self._end.cancel)

    def _take(self, errand: Errand) -> None:
        errand.show_life()
        if self._nursery is None or self._closing:
            self._finish(errand)
            return
        before = [other for other in self._running if other.late]
        self._running[errand] = None
        self._nursery.start_soon(self._carry_out, errand, before)

    async def _carry_out(self, errand: Errand, before: list[Errand]) -> None:
        try:
            with trio.move_on_after(BEHIND_SECONDS):
                for other in before:
                    await other.over.wait()
            if errand.begin():
                errand.answer = await self._commands.run(errand.who, errand.command, errand.args)
        except Exception as error:
            errand.error = error
        finally:
            del self._running[errand]
            errand.over.set()
            self._finish(errand)

    def _finish(self, errand: Errand) -> None:
        if errand.end() and errand.waits:
            self._note(errand)
        if self._here is not None:
            with contextlib.suppress(trio.RunFinishedError):
                self._here.run_sync_soon(self._hear, errand)

    def _note(self, errand: Errand) -> None:
        """What came of an order whose answer nobody waits for any more."""
        waited = time.monotonic() - errand.given
        if errand.answer is not None:
            done = "was done" if errand.answer.ok else "was refused"
            lines = " ".join(errand.answer.lines)
            log.warning("%s: %s, late by %.1f s, %s: %s", errand.who, errand.name, waited, done, lines)
        elif errand.error is not None:
            log.error("%s: %s, late, failed", errand.who, errand.name, exc_info=errand.error)
        else:
            log.warning("%s: %s was late, and the server ended before it", errand.who, errand.name)

    # In the channel's thread

    async def _live(self, state_dir: Path, listening: Callable[[], None]) -> None:
        self._here = trio.lowlevel.current_trio_token()
        with self._end:
            if self._closing:
                return
            async with trio.open_nursery() as nursery:
                await nursery.start(AdminChannel(self.run, state_dir).serve)
                self._to_world(listening)

    async def run(self, who: str, command: str, args: Mapping[str, str] | None) -> Answer:
        """The answer to a command within a second, unless it takes longer and the world goes on meanwhile.
        Raises whatever the command did."""
        errand = self._errand(who, command, args)
        if not await self._has_room():
            errand.waits = False
            return self._stand_in(errand)
        self._waiting[errand] = None
        self._to_world(lambda: self._take(errand))
        if await self._is_late(errand):
            return self._stand_in(errand)
        if errand.error is not None:
            raise errand.error
        answer = errand.answer or Answer(False, [f"the server has ended; {errand.name} was not begun"])
        return self._detailed(errand, answer)

    async def _has_room(self) -> bool:
        for _ in range(PATIENCE):
            if len(self._waiting) < MOST_WAITING:
                return True
            await trio.sleep(LOOK)
        return False

    async def _is_late(self, errand: Errand) -> bool:
        """Wait for the end of it, or until it has to be answered before."""
        looks = silent = 0
        while not errand.heard.is_set():
            with trio.move_on_after(LOOK):
                await errand.heard.wait()
                break
            looks, silent = looks + 1, silent + 1
            if errand.alive:
                silent, errand.alive, errand.asked = 0, False, time.monotonic()
                self._to_world(errand.show_life)
            waited = looks if not errand.begun else silent
            if (waited >= PATIENCE or self._place.pulse.seconds() >= LONG) and errand.put_off():
                return True
        return False

    def _errand(self, who: str, command: str, args: Mapping[str, str] | None) -> Errand:
        name, waits, detailed = "it", False, False
        # What is no command is told by whoever would carry it out.
        with contextlib.suppress(CommandError):
            row, bound = self._commands.meant(command, args)
            name, waits = row.name, row.changes(bound) and not row.attests
            detailed = name == "status" and bool(bound)
        now = time.monotonic()
        return Errand(who, command, args, name, detailed, waits, now, now)

    def _to_world(self, call: Callable[[], None]) -> None:
        # A run that has finished cancels this one, too.
        if self._world is not None:
            with contextlib.suppress(trio.RunFinishedError):
                self._world.run_sync_soon(call)

    def _hear(self, errand: Errand) -> None:
        self._waiting.pop(errand, None)
        errand.heard.set()

    def _stand_in(self, errand: Errand) -> Answer:
        """An answer before the end."""
        begun, why = errand.begun, self._why(errand)
        if errand.name == "status":
            return self._detailed(errand, Answer(True, self._status(why)))
        if errand.name == "who":
            report = self._place.pulse.report
            names = sorted(report.players)
            return Answer(True, [f"{len(names)} online", *names, f"{why}; {self._age()}"])
        if errand.waits:
            text = "is under way" if begun else "waits, and will be done as soon as the world comes to it"
            once = f"{errand.name} {text}; do not give it again. The log will have the answer"
            return Answer(True, [why, once])
        text = "has no answer yet" if begun else "was not begun"
        return Answer(False, [why, f"{errand.name} {text}: ask again later"])

    def _why(self, errand: Errand) -> str:
        place = self._place
        if place.pulse.under_way is not None:
            return f"overloaded: {place.line()}"
        if errand.alive:
            return "overloaded: the world has not come to what it was told before"
        oldest = min((other.asked for other in self._waiting if not other.alive), default=errand.asked)
        busy = f"something else than a turn has kept the world for {time.monotonic() - oldest:.1f} s"
        return f"overloaded: {busy}, at {place.calls()}"

    def _status(self, why: str) -> list[str]:
        report = self._place.pulse.report
        orders = sum(1 for errand in self._waiting if errand.waits and errand.late)
        return [
            f"{self._name}: tick {report.tick}, {report.connected} connected, {len(report.players)} online",
            why,
            f"{report.turns} turns, the worst took {1000 * report.worst_seconds:.1f} ms, "
            f"{report.over_budget} were over budget; the last took {1000 * report.last_seconds:.1f} ms",
            self._age() + (f"; {orders} orders wait" if orders else ""),
        ]

    def _age(self) -> str:
        pulse = self._place.pulse
        return f"so it was {pulse.clock() - pulse.report.at:.1f} s ago"

    def _detailed(self, errand: Errand, answer: Answer) -> Answer:
        if not (errand.detailed and answer.ok):
            return answer
        calls = [f"  {call}" for call in self._place.stack()]
        return Answer(True, [*answer.lines, "the world's thread is in, the innermost first:", *calls])
