"""The way of one client's frames: from the codec to a handler, or to the inbox where they wait for the world.

What a client sends is handled in the order it was sent, whatever it has to wait for: its rate, an interval,
room in the inbox, a job that runs. The reader waits in place of a queue, so that a stream's client feels it
and nothing grows; to put aside what is early and go on with the rest would be quicker, and would let a packet
overtake another.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import trio

from protocol.denials import Denied
from protocol.dispatch import Where
from protocol.endings import Ending, Refused, WireError
from protocol.session import Phase
from server.counters import UNKNOWN
from server.logs import TRACE, trace
from server.people.limiter import RateBucket

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from protocol.dispatch import Entry, Interval
    from protocol.family import Door
    from protocol.session import Session
    from server.net.connection_settings import ConnectionSettings
    from server.net.tracing import Tracing
    from server.settings.config import Limits
    from server.turn.loop import Loop

MOST_LATER_JOBS = 8

MOST_UNKNOWN = 16
"""Lines in the log about packets of one client that are not known; then it has said enough."""


class Waiting:
    """Somebody who may wait until a little more has been done."""

    __slots__ = ("caught_up",)

    caught_up: trio.Event | None
    """For whoever waits."""

    def drained(self) -> None:
        """Something was done, such as to take a packet from the inbox or to end a job."""
        if self.caught_up is not None:
            self.caught_up.set()
            self.caught_up = None

    async def _catch_up(self) -> None:
        """Wait until something was done."""
        if self.caught_up is None:
            self.caught_up = trio.Event()
        await self.caught_up.wait()


class Intake(Waiting):
    """The receiving half of one session. A wrong packet raises, or ends the session."""

    __slots__ = (
        "_bucket",
        "_counted",
        "_log",
        "_loop",
        "_owed",
        "_session",
        "_settings",
        "_stages",
        "_table",
        "_tracing",
        "_unknown",
        "jobs",
        "received_at",
    )

    def __init__(
        self,
        session: Session,
        door: Door,
        *,
        loop: Loop,
        settings: ConnectionSettings,
        tracing: Tracing | None,
    ) -> None:
        self._session = session
        self._table = door.table
        self._loop = loop
        self._stages = loop.stages
        self._settings = settings
        self._tracing = tracing
        self._counted = loop.counts.packets_in[session.family.name]
        """Frames that came to this game, by name."""
        self._bucket = RateBucket(settings.limits.packets_per_second, settings.limits.packet_burst)
        self._log = logging.getLogger(f"net.{session.family.name}")
        self._unknown: set[str] = set()
        """What was ignored, and said so once."""
        self._owed = 0.0
        """Seconds that the frame in hand has to wait, if that is known."""
        self.received_at = 0.0
        """When the bytes of the packet in hand came, by the stages' clock; 0 while nothing is measured."""
        self.jobs = 0
        """How many run, for whose end the inbox has to wait."""
        self.caught_up = None

    def adjust(self, limits: Limits) -> None:
        """The configuration may have changed."""
        self._bucket.adjust(limits.packets_per_second, limits.packet_burst)

    # What comes

    def take_at_once(self, frame: bytes) -> bool:
        """Leave one whole frame to the world, if nothing of it is to be waited for, written down or ended;
        else it is for `take`, as if nothing had been."""
        session, table = self._session, self._table
        entry = table.entry(table.opcode_of_frame(frame))
        if (
            entry is None
            or entry.where is Where.HERE
            or (session.inbox and len(session.inbox) >= self._settings.limits.inbox_frames)
            or self._stages.on
            or (self._tracing is not None and self._tracing.of_session(session) is not None)
            or self._log.isEnabledFor(TRACE)
        ):
            return False
        try:
            packet = entry.decode(frame)
        except WireError:
            return False
        self._owed = self._bucket.delay(trio.current_time())
        if self._owed > 0:
            return False
        self._counted[entry.name] += 1
        session.inbox.append((entry, packet, frame))
        self._loop.ready(session)
        return True

    async def take(self, frame: bytes) -> None:
        """Look one whole frame up, decode it, and handle it here or leave it to the world. Raises WireError
        if it is unknown to a strict table or cannot be decoded."""
        session, table = self._session, self._table
        entry = table.entry(table.opcode_of_frame(frame))
        self._counted[UNKNOWN if entry is None else entry.name] += 1
        delay = self._owed or self._bucket.delay(trio.current_time())
        self._owed = 0.0
        if delay > 0:
            # Too many packets: the client is heard at the rate it may send. Nothing is lost, nobody else
            # notices.
            await trio.sleep(delay)
        tracer = self._tracing.of_session(session) if self._tracing is not None else None
        if tracer is not None:
            tracer.received(session, entry, frame)
        if entry is None:
            detail = table.unknown(frame)
            if not table.tolerant:
                raise WireError(detail)
            session.ignored += 1
            if len(self._unknown) < MOST_UNKNOWN and detail not in self._unknown:
                # Not its bytes: what is unknown may be another version's way to send a password.
                self._log.info("%s from %s is ignored, %d bytes", detail, session.peer, len(frame))
                self._unknown.add(detail)
            return
        stages = self._stages
        began = stages.clock() if stages.on else 0.0
        try:
            packet = entry.decode(frame)
        except WireError as error:
            self._log.debug("bad %s: %s", entry.name, entry.shown(frame[:256]))
            raise WireError(f"{entry.name}: {error}") from None
        if stages.on:
            stages.since("decode", began)
        if self._log.isEnabledFor(TRACE):
            trace(self._log, "%s sent %s", session.peer, entry.shown(packet))
        if entry.where is Where.HERE:
            await self._handle(entry, packet)
            return
        if len(session.inbox) >= self._settings.limits.inbox_frames:
            await self._wait_for_room()
        session.inbox.append((entry, packet, frame))
        if stages.on and self.received_at:
            stages.since(f"receive {entry.name}", self.received_at)
        self._loop.ready(session)

    async def _wait_for_room(self) -> None:
        """Until the world has taken something from the full inbox. The client is not silent meanwhile: it is
        we who do not listen."""
        session = self._session
        while len(session.inbox) >= self._settings.limits.inbox_frames:
            if session.codec.pending:
                session.link.flush()  # it may take long, and a peer that hears nothing sends all of it again
            await self._catch_up()
            session.last_heard = trio.current_time()

    async def _wait_for_turn(self, interval: Interval) -> None:
        """Until a packet that is handled here may come again. What follows it waits as well: it is handled in
        their order."""
        session = self._session
        due = session.due(interval)
        if due > trio.current_time():
            await trio.sleep_until(due)
        session.does(interval, trio.current_time())

    async def _handle(self, entry: Entry[Session], packet: object) -> None:
        session = self._session
        await self._settle()
        interval = entry.interval_of(packet)
        if interval is not None and session.phase in entry.phases:
            await self._wait_for_turn(interval)
            await self._settle()
        if session.phase not in entry.phases:
            if session.phase < Phase.MENU:
                session.end(Ending.WRONG_PHASE, f"{entry.name} in phase {session.phase.name}")
                await trio.lowlevel.checkpoint()
            session.ignored += 1
            return
        try:
            handled = entry.handler(session, packet)
            if handled is not None:
                if session.codec.pending:
                    session.link.flush()  # it may take long; a peer that hears nothing sends all of it again
                await handled
        except (WireError, Refused):
            raise
        except Denied as denied:
            # The game has no word for it in this place (the database failed, for one).
            session.end(Ending.REFUSED, str(denied))
            await trio.lowlevel.checkpoint()
        except Exception:
            self._log.exception("handler of %s failed for %s", entry.name, entry.shown(packet))
            session.end(Ending.OUR_BUG, f"handler of {entry.name}")
            await trio.lowlevel.checkpoint()
        session.link.flush()

    # What is waited for

    def begin(self, nursery: trio.Nursery, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job in the client's nursery, for whose end what follows waits. It is not done for a client
        that has gone. Raises WireError if too many run already."""
        if self.jobs >= MOST_LATER_JOBS:
            raise WireError("too many requests at once")
        try:
            nursery.start_soon(self._run, job)
        except RuntimeError:  # it was cancelled: its nursery has closed, and its own task has not run since
            return
        self.jobs += 1

    async def _run(self, job: Callable[[], Awaitable[None]]) -> None:
        try:
            await job()
        except WireError as error:
            self._session.end(error.ending, str(error))
        except Refused as refusal:
            self._session.refuse(refusal)
        except Denied as denied:
            self._session.end(Ending.REFUSED, str(denied))  # as in `_handle`
        except Exception:
            self._log.exception("a job for %r failed", self._session)
            self._session.end(Ending.OUR_BUG, "job")
        finally:
            self.jobs -= 1
            self.drained()
            if self._session.inbox:
                self._loop.ready(self._session)
        self._session.link.flush()

    async def _settle(self) -> None:
        """Wait until all that the client said before has happened."""
        while self._session.inbox or self.jobs:
            await self._catch_up()
