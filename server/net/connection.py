"""One client's life, from accept to its one Ending: the reader task, and the only function that sends.

The problem: thousands of clients, each with a task that reads, and one world task that has something to say
to most of them at the end of each turn. If the world waited for a client, the slowest would set the pace of
all; if each client had a queue and a task that sends, a turn would wake thousands of tasks.

The idea: the reader waits until something came, and decodes every whole frame before it waits again
(`server.net.intake`): HERE packets are handled in this task before the next frame is decoded, WORLD packets
go to the session's bounded inbox, where those that come too soon wait for their time (`server.turn.loop`),
and a full inbox makes the reader wait, which the client feels. `flush` never awaits. It encodes what is
queued and sends it without blocking; while the peer is behind, messages stay un-encoded in the outbox, where
they can still be shed (`server.net.outbox`). A client that lost messages is sent the current state once it
has caught up (`check`), and one that takes too long for anything is ended (`server.net.patience`).

What was not done: a memory channel between world and client (it wakes a task per message), a task that sends
for each client (only while the kernel takes nothing), and encoding at once (what is encoded can be shed no
more).

What is different between a stream and datagrams is in `server.net.stream_connection` and
`server.net.datagram_connection`.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import trio

from protocol.endings import Ending, Refused, WireError
from protocol.session import NO_LINK, Phase
from server.logs import TRACE, trace
from server.net.intake import Intake
from server.net.outbox import Outbox, shed_by_class
from server.net.patience import Patience

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Awaitable, Callable

    from protocol.family import Door
    from protocol.session import Session
    from server.net.connection_settings import ConnectionSettings
    from server.net.tracing import Tracing
    from server.net.transport import DatagramTransport, Transport
    from server.turn.loop import Loop

FAREWELL_SECONDS = 2.5
"""How long the last words of an ended connection may take; at a shutdown `shutdown_wait_seconds` more for a
stream. A codec of datagrams waits 2 s for acknowledgements by itself, and says goodbye after that."""

LONGEST_KEPT = 512
"""Bytes of a frame that are kept for a crash report: chat and all that is short is whole, and nobody can fill
the memory."""


class Connection(ABC):
    """Runs one session over one transport. Implements `protocol.session.Link`.

    Why it is one class of this size, with two heirs: what is left is one life. Whatever happens in it,
    reading, sending or a handler, may end it, and whichever comes first has to find the rest in the same
    place.
    """

    # For the same reason as those of `Session`.
    __slots__ = (
        "_closing",
        "_departed",
        "_early",
        "_intake",
        "_log",
        "_loop",
        "_nursery",
        "_outbox",
        "_patience",
        "_scope",
        "_settings",
        "_stages",
        "bytes_in",
        "bytes_out",
        "detail",
        "door",
        "ending",
        "frames_in",
        "heard",
        "session",
    )

    def __init__(
        self,
        session: Session,
        transport: Transport | DatagramTransport,
        door: Door,
        *,
        loop: Loop,
        settings: ConnectionSettings,
        departed: Callable[[Ending], None],
        now: float,
        tracing: Tracing | None = None,
        intake: type[Intake] = Intake,
    ) -> None:
        self.session = session
        self.door = door
        self.ending: Ending | None = None
        self.detail = ""
        self.bytes_in = 0
        self.bytes_out = 0
        self.frames_in = 0
        self.heard = False
        """Whether anything whole came, be it only the wire's own words."""
        self._outbox = Outbox(session, tracing)
        self._intake = intake(session, door, loop=loop, settings=settings, tracing=tracing)
        self._patience = Patience(now, typed=door.typed)
        self._closing = transport.close
        self._loop = loop
        self._stages = loop.stages
        self._settings = settings
        self._departed = departed
        self._log = logging.getLogger(f"net.{session.family.name}")
        self._scope = trio.CancelScope()
        self._nursery: trio.Nursery | None = None
        self._early: list[Callable[[], Awaitable[None]]] = []
        """Jobs for then: who came over a border is in the world before its connection runs."""
        session.link = self
        session.last_heard = now

    # What is counted of it

    @property
    def accepted_at(self) -> float:
        """Time at which it was accepted, in the loop's seconds."""
        return self._patience.accepted_at

    @property
    def messages_out(self) -> int:
        """Messages that were encoded for it."""
        return self._outbox.messages_out

    @property
    def shed(self) -> Counter[str]:
        """Messages that were not sent because the client was too slow, by what its game calls them."""
        return self._outbox.shed

    @property
    def waiting(self) -> int:
        """Bytes that wait for the peer, as they count against `hard_limit_kib`."""
        return self._outbox.queued + self._unsent()

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
        """Run a job in the client's nursery, as soon as there is one; the reader decodes no further frame
        until it ends. It is not run for a client that has gone. Raises WireError if too many run already."""
        if self._nursery is None:
            self._early.append(job)
        else:
            self._intake.begin(self._nursery, job)

    @property
    def busy(self) -> bool:
        """Whether a job runs, for whose end the inbox has to wait."""
        return self._intake.jobs > 0

    def drained(self) -> None:
        """The world task has taken something from the inbox."""
        if self._intake.caught_up is not None:
            self._intake.drained()

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
            early, self._early = self._early, []
            for job in early:
                self.later(job)
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
        """Receive until the peer has gone, handing each whole frame to `Intake.take`. Raises WireError,
        OSError."""

    # Sending

    def flush(self, *, force: bool = False) -> None:
        """The one function that sends. `force` encodes even while older bytes wait, because keys are about to
        change."""
        session = self.session
        behind = not force and self._behind()
        if behind:
            session.urgent = bool(session.outbox)  # it leaves as soon as there is room
            network = self._settings.network
            if len(session.outbox) > network.drop_threshold and network.drop_packets:
                self._outbox.relieve()
            self._check_backlog()
        stages = self._stages
        began = stages.clock() if stages.on else 0.0
        outbox = self._outbox
        try:
            if not behind:
                outbox.encode()
            if outbox.broken:
                return
            frames = self._own_words() if behind else session.codec.outgoing(self._time())
        except Exception as error:
            self._cannot_encode(error)
            return
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

    def _cannot_encode(self, error: Exception) -> None:
        """What cannot be encoded ends this client and nobody else."""
        self._outbox.broken = True
        if isinstance(error, WireError):
            self.end(error.ending, str(error))
        else:
            self._log.error("a message for %r cannot be encoded", self.session, exc_info=error)
            self.end(Ending.OUR_BUG, "a message cannot be encoded")

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

    def _check_backlog(self) -> None:
        waiting = self.waiting
        if waiting > self._settings.network.hard_limit_kib * 1024:
            self.end(Ending.TOO_SLOW, f"{waiting // 1024} KiB wait")

    def check(self, now: float) -> None:
        """Once a second: end what has waited too long; have the current state sent to a client that lost
        messages, once it has taken all the others. More often it would cost too much, for somebody who reads
        by fits and starts on purpose."""
        session, limits = self.session, self._settings.limits
        if self._outbox.stale and not (session.loading or self._behind()):
            self.flush()  # of what waits for more, too
        if self._outbox.stale and not (session.outbox or session.loading or self._behind()):
            self._outbox.stale = False
            self._loop.refresh(session)
        self._intake.adjust(limits)
        spent = self._patience.spent(session, limits, now, heard=bool(self.frames_in or self.heard))
        if spent:
            self.end(Ending.TIMED_OUT, spent)

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
