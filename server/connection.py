"""One client's life, from accept to its one Ending: the reader task, and the only function that sends.

Input: the reader waits until the socket is readable, receives once, and decodes every whole frame before it
waits again. HERE packets are handled in this task before the next frame is decoded; WORLD packets go to the
session's bounded inbox, and a full inbox makes the reader wait, which the client feels. Output: `flush` never
awaits. It encodes what is queued, joins it and makes one non-blocking send; what the kernel does not take is
kept, and a writer task runs only until that is gone. While it runs, messages stay un-encoded in the outbox,
where they can still be shed.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, Protocol

import trio

from protocol.endings import Ending, Refused, WireError
from protocol.family import Transport as Kind
from protocol.family import Where
from protocol.services import Denied
from protocol.session import NO_LINK, Phase
from protocol.wire.body import Body
from server.limiter import RateBucket
from server.logs import TRACE, trace

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from protocol.family import Door, Entry
    from protocol.session import Session
    from server.config import Limits, Network
    from server.loop import Loop
    from server.transport import Transport

MOST_LATER_JOBS = 8
FAREWELL_SECONDS = 2.0
"""How long the last words of an ended connection may take; at a shutdown `shutdown_wait_seconds` more."""

LOADING_SECONDS = 60.0
"""How long a client may load a map."""

BOUND_BYTES = 64
"""What a message counts in the backlog whose size is known only when it is bound."""


LONGEST_KEPT = 512
"""Bytes of a frame that are kept for a crash report: chat and all that is short is whole, and nobody can fill
the memory."""


@cache
def _receive_buffer(kib: int) -> bytearray:
    """One for all connections: nobody else runs between a `recv` and the codec's copy of what came."""
    return bytearray(kib * 1024)


class Knobs(Protocol):
    """The parts of the configuration that a connection reads each time it needs them: they may change."""

    @property
    def network(self) -> Network: ...
    @property
    def limits(self) -> Limits: ...


class Connection:
    """Runs one session over one transport. Implements `protocol.session.Link`."""

    def __init__(
        self,
        session: Session,
        transport: Transport,
        door: Door,
        *,
        loop: Loop,
        knobs: Knobs,
        departed: Callable[[Ending], None],
        now: float,
    ) -> None:
        self.session = session
        self.door = door
        self.accepted_at = now
        self.ending: Ending | None = None
        self.detail = ""
        self.bytes_in = 0
        self.bytes_out = 0
        self.frames_in = 0
        self.shed = 0
        self._transport = transport
        self._loop = loop
        self._stages = loop.stages
        self._datagrams = door.transport is Kind.DATAGRAM
        self._knobs = knobs
        self._departed = departed
        self._bucket = RateBucket(knobs.limits.packets_per_second, knobs.limits.packet_burst)
        self._next_of: dict[int, float] = {}
        """When the next packet may be taken, by opcode, of those that may not come often."""
        self._postponed: dict[int, object] = {}
        """The newest of each that came too soon."""
        self._log = logging.getLogger(f"net.{session.family.name}")
        self._remainder: memoryview | None = None
        self._received_at = 0.0
        """When the bytes of the packet in hand came, by the stages' clock; 0 while nothing is measured."""
        self._progress_at = now
        self._broken = False
        """Whether a message could not be encoded: whatever follows it would be misread."""
        self._loading_since: float | None = None
        self._scope = trio.CancelScope()
        self._nursery: trio.Nursery | None = None
        self._jobs = 0
        self._caught_up: trio.Event | None = None
        """For whoever waits until the inbox was emptied or a job ended."""
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
        """Run a job in the client's nursery; the reader decodes no further frame until it ends."""
        if self._nursery is None:
            raise RuntimeError("the connection is not running")
        if self._jobs >= MOST_LATER_JOBS:
            raise WireError("too many requests at once")
        self._jobs += 1
        self._nursery.start_soon(self._job, job)

    @property
    def busy(self) -> bool:
        """Whether a job runs, for whose end the inbox has to wait."""
        return self._jobs > 0

    def drained(self) -> None:
        """The world task has emptied the inbox."""
        if self._caught_up is not None:
            self._caught_up.set()
            self._caught_up = None

    async def _catch_up(self) -> None:
        """Wait until the inbox was emptied or a job ended."""
        if self._caught_up is None:
            self._caught_up = trio.Event()
        await self._caught_up.wait()

    # Its life

    async def run(self) -> None:
        """Serve until it ends; exactly one Ending, one line in the log."""
        try:
            with self._scope:
                try:
                    async with trio.open_nursery() as self._nursery:
                        if self._datagrams:
                            self._nursery.start_soon(self._keep_deadlines)
                        await self._serve()
                        self._nursery.cancel_scope.cancel()
                except* Exception as group:
                    self._failed(group)
            await self._say_farewell()
        finally:
            self.end(Ending.SHUTDOWN, "")
            self._transport.close()
            self._report()
            self.session.link = NO_LINK  # they know each other, and nobody needs them any more

    async def _serve(self) -> None:
        try:
            if self.door.opened is not None:
                await self.door.opened(self.session)
                self.flush()
            await self._read()
        except WireError as error:
            self.end(Ending.BAD_PACKET, str(error))
        except Refused as refusal:
            self.session.refuse(refusal)
        except OSError as error:
            self._lost(str(error))

    async def _read(self) -> None:
        session, codec, transport = self.session, self.session.codec, self._transport
        stages = self._stages
        buffer = _receive_buffer(self._knobs.network.receive_buffer_kib)
        view = memoryview(buffer)
        while True:
            await transport.wait_readable()
            size = transport.recv_nowait_into(buffer)
            if size is None:
                continue
            if size == 0 and not self._datagrams:
                self._lost("closed by the client")
                return
            now = trio.current_time()
            self._received_at = stages.clock() if stages.on else 0.0
            self.bytes_in += size
            codec.receive(view[:size], now)
            if codec.pending:
                self.flush()  # what it answers by itself must leave even if the next frame is bad
            session.last_heard = now
            while (frame := codec.next_frame()) is not None:
                self.frames_in += 1
                session.recent.append(frame[:LONGEST_KEPT])
                await self._take(frame)
            if session.outbox or codec.pending:
                self.flush()
            if codec.peer_closed:
                self._lost("closed by the client")
                return

    async def _take(self, frame: bytes) -> None:
        """One whole frame: look it up, decode it, handle it here or leave it to the world."""
        session, table = self.session, self.door.table
        entry = table.entry(table.opcode_of_frame(frame))
        delay = self._bucket.delay(trio.current_time())
        if delay > 0:
            # Too many packets: the client is heard at the rate it may send. Nothing is lost, nobody else
            # notices.
            await trio.sleep(delay)
        if entry is None:
            detail = f"unknown opcode {table.opcode_of_frame(frame):#06x}"
            if not table.tolerant:
                raise WireError(detail)
            session.ignored += 1
            # Not its bytes: what is unknown may be another version's way to send a password.
            self._log.debug("%s from %s ignored, %d bytes", detail, session.peer, len(frame))
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
        while len(session.inbox) >= self._knobs.limits.inbox_frames:
            await self._catch_up()
        if entry.every and self._put_off(entry, packet):
            return
        session.inbox.append((entry, packet))
        if stages.on and self._received_at:
            stages.since(f"receive {entry.name}", self._received_at)
        self._loop.ready(session)

    def _put_off(self, entry: Entry[Session], packet: object) -> bool:
        """Whether a packet of a kind that costs by the crowd comes too soon after the last. The newest such
        one is kept and handled when its time comes; what follows it does not wait."""
        now = trio.current_time()
        due = self._next_of.get(entry.opcode, now)
        if due <= now:
            self._next_of[entry.opcode] = now + entry.every
            return False
        waits = entry.opcode in self._postponed
        self._postponed[entry.opcode] = packet
        if not waits and self._nursery is not None:
            self._nursery.start_soon(self._take_up, entry, due)
        return True

    async def _take_up(self, entry: Entry[Session], due: float) -> None:
        await trio.sleep_until(due)
        self._next_of[entry.opcode] = due + entry.every
        self.session.inbox.append((entry, self._postponed.pop(entry.opcode)))
        self._loop.ready(self.session)

    async def _handle(self, entry: Entry[Session], packet: object) -> None:
        session = self.session
        while session.inbox or self._jobs:
            await self._catch_up()
        if session.phase not in entry.phases:
            if session.phase < Phase.MENU:
                self.end(Ending.WRONG_PHASE, f"{entry.name} in phase {session.phase.name}")
                await trio.lowlevel.checkpoint()
            session.ignored += 1
            return
        try:
            handled = entry.handler(session, packet)
            if handled is not None:
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
            self.end(Ending.BAD_PACKET, str(error))
        except Refused as refusal:
            self.session.refuse(refusal)
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
        network = self._knobs.network
        if len(session.outbox) > network.drop_threshold and network.drop_packets:
            kept = [message for message in session.outbox if not message.droppable]
            self.shed += len(session.outbox) - len(kept)
            session.outbox = kept
        if self._remainder is not None and not force:
            self._check_backlog()
            return
        stages = self._stages
        began = stages.clock() if stages.on else 0.0
        frames = self._encode()
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

    def _put(self, frames: list[bytes]) -> None:
        """Into the kernel; what it does not take is left to a writer."""
        try:
            if self._datagrams:
                for frame in frames:
                    self.bytes_out += self._transport.send_nowait(frame)
                return
            data = frames[0] if len(frames) == 1 else b"".join(frames)
            if self._remainder is not None:
                self._remainder = memoryview(bytes(self._remainder) + data)
                self._check_backlog()
                return
            sent = self._transport.send_nowait(data)
            self.bytes_out += sent
        except OSError as error:
            self._lost(str(error))
            return
        if sent < len(data):
            self._remainder = memoryview(data)[sent:]
            self._progress_at = trio.current_time()
            self._check_backlog()
            if self._nursery is not None and self.ending is None:
                self._nursery.start_soon(self._write)

    def _encode(self) -> list[bytes]:
        """Everything queued as frames. What cannot be encoded ends this client and nobody else."""
        session = self.session
        outbox, session.outbox = session.outbox, []
        if self._broken:
            return []
        codec = session.codec
        try:
            if outbox:
                codec.send_many(
                    [
                        message if type(message) is Body else Body(message.bind(session))  # type: ignore[union-attr]
                        for message in outbox
                    ]
                )
            # The frames of a stream do not depend on the time; to read it for each flush would be felt.
            return codec.outgoing(trio.current_time() if self._datagrams else self._loop.world.now)
        except Exception:
            self._broken = True
            self._log.exception("a message for %r cannot be encoded", session)
            self.end(Ending.OUR_BUG, "a message cannot be encoded")
            return []

    async def _write(self) -> None:
        """Send the remainder as the peer takes it; then everything that was queued meanwhile."""
        try:
            while self._remainder is not None:
                await self._transport.wait_writable()
                sent = self._transport.send_nowait(self._remainder)
                if sent:
                    self.bytes_out += sent
                    self._progress_at = trio.current_time()
                    rest = self._remainder[sent:]
                    self._remainder = rest if len(rest) else None
        except (OSError, trio.ClosedResourceError) as error:
            self._lost(str(error))
            return
        self.flush()

    def _check_backlog(self) -> None:
        waiting = sum(
            len(message.raw) if isinstance(message, Body) else BOUND_BYTES for message in self.session.outbox
        )
        waiting += len(self._remainder) if self._remainder is not None else 0
        if waiting > self._knobs.network.hard_limit_kib * 1024:
            self.end(Ending.TOO_SLOW, f"{waiting // 1024} KiB wait")

    async def _keep_deadlines(self) -> None:
        """For datagrams: retransmission and keep-alive, at the moment the codec asks for."""
        codec = self.session.codec
        while True:
            at = codec.deadline()
            with trio.move_on_at(
                min(at, trio.current_time() + 0.05) if at is not None else trio.current_time() + 0.05
            ):
                await trio.sleep_forever()
            if at is not None and trio.current_time() >= at:
                try:
                    codec.expire(trio.current_time())
                except WireError as error:
                    self.end(Ending.TIMED_OUT, str(error))
                self.flush()

    def check(self, now: float) -> None:
        """Once a second: end what has waited too long."""
        session, limits = self.session, self._knobs.limits
        self._bucket.adjust(limits.packets_per_second, limits.packet_burst)
        self._loading_since = (self._loading_since or now) if session.loading else None
        age, silence = now - self.accepted_at, now - session.last_heard
        if self._remainder is not None and now - self._progress_at > self._knobs.network.stalled_seconds:
            self.end(Ending.TOO_SLOW, "takes nothing")
        elif not self.frames_in and age > limits.first_byte_seconds:
            self.end(Ending.TIMED_OUT, "sent no whole packet")
        elif session.phase is Phase.GREETING and age > limits.handshake_seconds:
            self.end(Ending.TIMED_OUT, "did not finish the handshake")
        elif Phase.GREETING < session.phase < Phase.IN_WORLD and age > limits.login_seconds:
            self.end(Ending.TIMED_OUT, "did not enter the world")
        elif self._loading_since is not None and now - self._loading_since > LOADING_SECONDS:
            self.end(Ending.TIMED_OUT, "did not finish loading")
        elif session.phase >= Phase.ENTERING and silence > limits.idle_seconds:
            self.end(Ending.TIMED_OUT, f"silent for {silence:.0f} s")
        codec = session.codec
        at = codec.deadline()
        if at is not None and at <= now and not self._datagrams and self.ending is None:
            try:
                codec.expire(now)
            except WireError as error:
                self.end(Ending.TIMED_OUT, str(error))
            self.flush()

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

    async def _say_farewell(self) -> None:
        """Send what is still queued, unless the peer is gone or takes nothing."""
        if self.ending in (Ending.CONNECTION_LOST, Ending.TOO_SLOW):
            return
        patience = FAREWELL_SECONDS
        if self.ending is Ending.SHUTDOWN:
            patience += self._knobs.network.shutdown_wait_seconds
        with trio.CancelScope(shield=True, deadline=trio.current_time() + patience):
            self.flush(force=True)
            while self._remainder is not None:
                try:
                    await self._transport.wait_writable()
                    sent = self._transport.send_nowait(self._remainder)
                except (OSError, trio.ClosedResourceError):
                    return
                self.bytes_out += sent
                self._remainder = self._remainder[sent:] if sent < len(self._remainder) else None

    def _report(self) -> None:
        session = self.session
        self._log.info(
            "%s ended: %s%s (account %s, %.0f s, %d packets, %d bytes in, %d out, %d shed)",
            session.peer,
            self.ending.value if self.ending else "?",
            f", {self.detail}" if self.detail else "",
            session.account.name if session.account else "-",
            trio.current_time() - self.accepted_at,
            self.frames_in,
            self.bytes_in,
            self.bytes_out,
            self.shed,
        )
