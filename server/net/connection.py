"""One client's life, from accept to its one Ending: the reader task, and the only function that sends.

Input: the reader waits until something came, and decodes every whole frame before it waits again. HERE
packets are handled in this task before the next frame is decoded; WORLD packets go to the session's bounded
inbox, where those that come too soon wait for their time (`server.turn.loop`), and a full inbox makes the
reader wait, which the client feels. Output: `flush` never awaits. It encodes what is queued and sends it
without blocking; while the peer is behind, messages stay un-encoded in the outbox, where they can still be
shed. A client that lost messages is told what is so once it has caught up (`check`).

What is different between a stream and datagrams is in `server.net.stream_connection` and
`server.net.datagram_connection`.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, Protocol

import trio

from protocol.dispatch import Where
from protocol.endings import Ending, Refused, WireError
from protocol.services import Denied
from protocol.session import NO_LINK, Phase
from protocol.wire.body import Body
from server.logs import TRACE, trace
from server.people.limiter import RateBucket
from server.turn.counters import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from protocol.dispatch import Entry, Interval
    from protocol.family import Door
    from protocol.session import Outgoing, Session
    from server.net.tracing import Tracing
    from server.net.transport import DatagramTransport, Transport
    from server.settings.config import Limits, Network
    from server.turn.loop import Loop

MOST_LATER_JOBS = 8

MOST_UNKNOWN = 16
"""Lines in the log about packets of one client that are not known; then it has said enough."""

FAREWELL_SECONDS = 2.5
"""How long the last words of an ended connection may take; at a shutdown `shutdown_wait_seconds` more for a
stream. A codec of datagrams waits 2 s for acknowledgements by itself, and says goodbye after that."""

LOADING_SECONDS = 180.0
"""How long a client may load a map: the largest read a zone of some hundred MB from a slow disk."""

BOUND_BYTES = 64
"""What a message counts in the backlog whose size is known only when it is bound."""

LONGEST_KEPT = 512
"""Bytes of a frame that are kept for a crash report: chat and all that is short is whole, and nobody can fill
the memory."""


class Knobs(Protocol):
    """The parts of the configuration that a connection reads each time it needs them: they may change."""

    @property
    def network(self) -> Network: ...
    @property
    def limits(self) -> Limits: ...


def _bodies(outbox: list[Outgoing], session: Session) -> list[Body]:
    """Messages finished for their client; those it needs not be told are left out."""
    bodies: list[Body] = []
    for message in outbox:
        if type(message) is Body:
            bodies.append(message)
        elif raw := message.bind(session):  # type: ignore[arg-type, union-attr] # it is no Body
            bodies.append(Body(raw))
    return bodies


def _name_of(message: Outgoing, session: Session) -> str:
    """What a message is called. Whatever goes wrong with it, it is only a name."""
    if not isinstance(message, Body):
        return type(message).__name__
    name_of = session.family.name_of
    try:
        return name_of(session, message.raw) if name_of is not None else f"{message.raw[0]:#04x}"
    except Exception:
        return "unnamed"


def shed_by_class(shed: Counter[str]) -> str:
    """Such numbers in words, the largest first."""
    return ", ".join(f"{name} {number}" for name, number in shed.most_common())


class Connection(ABC):
    """Runs one session over one transport. Implements `protocol.session.Link`."""

    # For the same reason as those of `Session`.
    __slots__ = (
        "_broken",
        "_bucket",
        "_caught_up",
        "_closing",
        "_counted",
        "_departed",
        "_jobs",
        "_knobs",
        "_loading_since",
        "_log",
        "_loop",
        "_nursery",
        "_outside_since",
        "_received_at",
        "_scope",
        "_stages",
        "_stale",
        "_tracing",
        "_unknown",
        "accepted_at",
        "bytes_in",
        "bytes_out",
        "detail",
        "door",
        "ending",
        "frames_in",
        "heard",
        "messages_out",
        "session",
        "shed",
    )

    def __init__(
        self,
        session: Session,
        transport: Transport | DatagramTransport,
        door: Door,
        *,
        loop: Loop,
        knobs: Knobs,
        departed: Callable[[Ending], None],
        now: float,
        tracing: Tracing | None = None,
    ) -> None:
        self.session = session
        self.door = door
        self.accepted_at = now
        self.ending: Ending | None = None
        self.detail = ""
        self.bytes_in = 0
        self.bytes_out = 0
        self.frames_in = 0
        self.messages_out = 0
        self.heard = False
        """Whether anything whole came, be it only the wire's own words."""
        self.shed: Counter[str] = Counter()
        """Messages that were not sent because the client was too slow, by what its game calls them."""
        self._stale = False
        """Whether it lost messages, and was not told since what is so."""
        self._closing = transport.close
        self._loop = loop
        self._stages = loop.stages
        self._counted = loop.counts.packets_in[session.family.name]
        """Frames that came to this game, by name."""
        self._knobs = knobs
        self._departed = departed
        self._tracing = tracing
        self._bucket = RateBucket(knobs.limits.packets_per_second, knobs.limits.packet_burst)
        self._log = logging.getLogger(f"net.{session.family.name}")
        self._unknown: set[str] = set()
        """What was ignored, and said so once."""
        self._received_at = 0.0
        """When the bytes of the packet in hand came, by the stages' clock; 0 while nothing is measured."""
        self._broken = False
        """Whether a message could not be encoded: whatever follows it would be misread."""
        self._loading_since: float | None = None
        self._outside_since = now
        """Since when its client has not been in the world."""
        self._scope = trio.CancelScope()
        self._nursery: trio.Nursery | None = None
        self._jobs = 0
        self._caught_up: trio.Event | None = None
        """For whoever waits until something was taken from the inbox or a job ended."""
        session.link = self
        session.last_heard = now

    # What handlers use (protocol.session.Link)

    def end(self, ending: Ending, detail: str) -> None:
        """End this client; the first ending counts. What is queued is still sent, what it said is
        forgotten."""
        if self.ending is None:
            self.ending, self.detail = ending, detail
            self.session.inbox.clear()
            self._departed(ending)
            self._scope.cancel()

    def later(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job in the client's nursery; the reader decodes no further frame until it ends. It is not
        done for a client that has gone."""
        if self._nursery is None:
            raise RuntimeError("the connection is not running")
        if self._jobs >= MOST_LATER_JOBS:
            raise WireError("too many requests at once")
        try:
            self._nursery.start_soon(self._job, job)
        except RuntimeError:  # it was cancelled: its nursery has closed, and its own task has not run since
            return
        self._jobs += 1

    @property
    def busy(self) -> bool:
        """Whether a job runs, for whose end the inbox has to wait."""
        return self._jobs > 0

    def drained(self) -> None:
        """The world task has taken something from the inbox."""
        if self._caught_up is not None:
            self._caught_up.set()
            self._caught_up = None

    async def _catch_up(self) -> None:
        """Wait until something was taken from the inbox or a job ended."""
        if self._caught_up is None:
            self._caught_up = trio.Event()
        await self._caught_up.wait()

    async def _settle(self) -> None:
        """Wait until all that the client said before has happened."""
        while self.session.inbox or self._jobs:
            await self._catch_up()

    # Its life

    async def run(self) -> None:
        """Serve until it ends; exactly one Ending, one line in the log."""
        try:
            with self._scope:
                try:
                    async with trio.open_nursery() as self._nursery:
                        await self._serve()
                        self._nursery.cancel_scope.cancel()
                except* Exception as group:
                    self._failed(group)
            await self._say_farewell()
        finally:
            self.end(Ending.SHUTDOWN, "")
            self._closing()
            self._report()
            self.session.link = NO_LINK  # they know each other, and nobody needs them any more

    async def _serve(self) -> None:
        try:
            if self.door.opened is not None:
                await self.door.opened(self.session)
                self.flush()
            await self._read()
        except WireError as error:
            self.end(error.ending, str(error))
        except Refused as refusal:
            self.session.refuse(refusal)
        except OSError as error:
            self._lost(str(error))

    @abstractmethod
    async def _read(self) -> None:
        """Receive until the peer has gone, handing each whole frame to `_take`. Raises WireError, OSError."""

    async def _take(self, frame: bytes) -> None:
        """One whole frame: look it up, decode it, handle it here or leave it to the world."""
        session, table = self.session, self.door.table
        entry = table.entry(table.opcode_of_frame(frame))
        self._counted[UNKNOWN if entry is None else entry.name] += 1
        delay = self._bucket.delay(trio.current_time())
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
        if len(session.inbox) >= self._knobs.limits.inbox_frames:
            await self._wait_for_room()
        session.inbox.append((entry, packet))
        if stages.on and self._received_at:
            stages.since(f"receive {entry.name}", self._received_at)
        self._loop.ready(session)

    async def _wait_for_room(self) -> None:
        """Until the world has taken something from the full inbox. The client is not silent meanwhile: it is
        we who do not listen."""
        session = self.session
        while len(session.inbox) >= self._knobs.limits.inbox_frames:
            if session.codec.pending:
                self.flush()  # it may take long, and a peer that hears nothing sends all of it again
            await self._catch_up()
            session.last_heard = trio.current_time()

    async def _wait_for_turn(self, interval: Interval) -> None:
        """Until a packet that is handled here may come again. What follows it waits as well: it is handled in
        their order."""
        session = self.session
        due = session.due(interval)
        if due > trio.current_time():
            await trio.sleep_until(due)
        session.does(interval, trio.current_time())

    async def _handle(self, entry: Entry[Session], packet: object) -> None:
        session = self.session
        await self._settle()
        interval = entry.interval_of(packet)
        if interval is not None and session.phase in entry.phases:
            await self._wait_for_turn(interval)
            await self._settle()
        if session.phase not in entry.phases:
            if session.phase < Phase.MENU:
                self.end(Ending.WRONG_PHASE, f"{entry.name} in phase {session.phase.name}")
                await trio.lowlevel.checkpoint()
            session.ignored += 1
            return
        try:
            handled = entry.handler(session, packet)
            if handled is not None:
                if session.codec.pending:
                    self.flush()  # it may take long, and a peer that hears nothing sends all of it again
                await handled
        except (WireError, Refused):
            raise
        except Denied as denied:
            # The game has no word for it in this place (the database failed, for one).
            self.end(Ending.REFUSED, str(denied))
            await trio.lowlevel.checkpoint()
        except Exception:
            self._log.exception("handler of %s failed for %s", entry.name, entry.shown(packet))
            self.end(Ending.OUR_BUG, f"handler of {entry.name}")
            await trio.lowlevel.checkpoint()
        self.flush()

    async def _job(self, job: Callable[[], Awaitable[None]]) -> None:
        try:
            await job()
        except WireError as error:
            self.end(error.ending, str(error))
        except Refused as refusal:
            self.session.refuse(refusal)
        except Denied as denied:
            self.end(Ending.REFUSED, str(denied))  # as in `_handle`
        except Exception:
            self._log.exception("a job for %r failed", self.session)
            self.end(Ending.OUR_BUG, "job")
        finally:
            self._jobs -= 1
            self.drained()
            if self.session.inbox:
                self._loop.ready(self.session)
        self.flush()

    # Sending

    def flush(self, *, force: bool = False) -> None:
        """The one function that sends. `force` encodes even while older bytes wait, because keys are about to
        change."""
        session = self.session
        behind = not force and self._behind()
        if behind:
            network = self._knobs.network
            if len(session.outbox) > network.drop_threshold and network.drop_packets:
                self._shed()
            self._check_backlog()
        stages = self._stages
        began = stages.clock() if stages.on else 0.0
        frames = self._encode(hold=behind)
        if not frames:
            return
        if stages.on:
            stages.since("encode", began)
            began = stages.clock()
        if self._log.isEnabledFor(TRACE):
            trace(self._log, "%s is sent %d bytes", session.peer, sum(map(len, frames)))
        self._put(frames)
        if stages.on:
            stages.since("send", began)

    @abstractmethod
    def _behind(self) -> bool:
        """Whether the peer has not taken yet what was sent before."""

    @abstractmethod
    def _put(self, frames: list[bytes]) -> None:
        """Send without blocking. What goes wrong ends the client."""

    @abstractmethod
    def _unsent(self) -> int:
        """Bytes that are encoded and still here, as far as they count against `hard_limit_kib`."""

    @abstractmethod
    def _own_words(self) -> list[bytes]:
        """What the codec has to say by itself while the peer is behind."""

    @abstractmethod
    def _time(self) -> float:
        """The time by which a codec sends."""

    def _encode(self, *, hold: bool) -> list[bytes]:
        """Everything queued as frames; with `hold` no more than the codec's own words, the rest stays. What
        cannot be encoded ends this client and nobody else."""
        session = self.session
        outbox: list[Outgoing] = []
        if not hold:
            outbox, session.outbox = session.outbox, outbox
        if self._broken:
            return []
        codec = session.codec
        try:
            if hold:
                return self._own_words()
            if outbox:
                tracer = self._tracing.of_session(session) if self._tracing is not None else None
                if codec.share_key is None and tracer is None:
                    messages = session.finished(outbox)
                    self.messages_out += len(messages)
                    codec.send_raw(messages)
                else:
                    bodies = _bodies(outbox, session)
                    if tracer is not None:
                        for body in bodies:
                            tracer.sent(session, body.raw, secret=body.secret)
                    self.messages_out += len(bodies)
                    codec.send_many(bodies)
            return codec.outgoing(self._time())
        except WireError as error:
            self._broken = True
            self.end(error.ending, str(error))
            return []
        except Exception:
            self._broken = True
            self._log.exception("a message for %r cannot be encoded", session)
            self.end(Ending.OUR_BUG, "a message cannot be encoded")
            return []

    def _shed(self) -> None:
        """Forget the waiting messages that may be lost."""
        kept: list[Outgoing] = []
        for message in self.session.outbox:
            if message.droppable:
                self.shed[_name_of(message, self.session)] += 1
                self._stale = True
            else:
                kept.append(message)
        self.session.outbox = kept

    @property
    def waiting(self) -> int:
        """Bytes that wait for the peer, as they count against `hard_limit_kib`."""
        queued = sum(
            len(message.raw) if isinstance(message, Body) else BOUND_BYTES for message in self.session.outbox
        )
        return queued + self._unsent()

    def _check_backlog(self) -> None:
        waiting = self.waiting
        if waiting > self._knobs.network.hard_limit_kib * 1024:
            self.end(Ending.TOO_SLOW, f"{waiting // 1024} KiB wait")

    def check(self, now: float) -> None:
        """Once a second: end what has waited too long; have a client that lost messages told what is so, once
        it has taken all the others. More often it would cost too much, for somebody who reads by fits and
        starts on purpose."""
        session, limits = self.session, self._knobs.limits
        if self._stale and not (session.outbox or session.loading or self._behind()):
            self._stale = False
            self._loop.refresh(session)
        self._bucket.adjust(limits.packets_per_second, limits.packet_burst)
        self._loading_since = (self._loading_since or now) if session.loading else None
        age, silence = now - self.accepted_at, now - session.last_heard
        if session.phase is Phase.IN_WORLD:
            self._outside_since = now
        if not (self.frames_in or self.heard) and age > limits.first_byte_seconds:
            self.end(Ending.TIMED_OUT, "sent no whole packet")
        elif age > limits.handshake_seconds and (
            session.phase is Phase.GREETING or (session.phase is Phase.LOGIN and not self.door.typed)
        ):
            self.end(Ending.TIMED_OUT, "did not finish the handshake")
        elif session.phase > Phase.GREETING and now - self._outside_since > limits.login_seconds:
            self.end(Ending.TIMED_OUT, "did not enter the world")
        elif self._loading_since is not None and now - self._loading_since > LOADING_SECONDS:
            self.end(Ending.TIMED_OUT, "did not finish loading")
        elif session.phase >= Phase.ENTERING and silence > limits.idle_seconds:
            self.end(Ending.TIMED_OUT, f"silent for {silence:.0f} s")

    # Endings

    def _lost(self, detail: str) -> None:
        ending = self.session.hang_up_means
        outside = self.session.phase < Phase.ENTERING
        if ending is Ending.CONNECTION_LOST and outside and detail == "closed by the client":
            ending = Ending.CLIENT_LEFT
        self.end(ending, detail)

    def _failed(self, group: ExceptionGroup[Exception]) -> None:
        if self.ending is None:
            self._log.error("connection task of %r failed", self.session, exc_info=group)
            self.end(Ending.OUR_BUG, "connection task")

    @abstractmethod
    async def _say_farewell(self) -> None:
        """Send what is still queued, as far as the peer takes it in reasonable time."""

    def _report(self) -> None:
        session = self.session
        report = session.codec.report
        self._log.info(
            "%s ended: %s%s (account %s, %.0f s, %d packets, %d bytes in, %d out, %d shed%s%s%s)",
            session.peer,
            self.ending.value if self.ending else "?",
            f", {self.detail}" if self.detail else "",
            session.account.name if session.account else "-",
            trio.current_time() - self.accepted_at,
            self.frames_in,
            self.bytes_in,
            self.bytes_out,
            self.shed.total(),
            f": {shed_by_class(self.shed)}" if self.shed else "",
            f", {session.ignored} ignored" if session.ignored else "",
            f"; {report}" if report else "",
        )
