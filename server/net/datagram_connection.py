"""A client that sends datagrams.

There is no connection but the one that the codec makes of them: it acknowledges, sends again, and gives up.
Its deadlines are kept by `server.net.deadlines`. While the peer has not acknowledged what it was sent before,
the codec is clogged and messages stay un-encoded in the outbox, as with a stream whose peer does not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from protocol.endings import Ending, WireError
from server.net.connection import FAREWELL_SECONDS, LONGEST_KEPT, Connection
from server.net.deadlines import NEVER
from server.net.intake import Intake

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.family import Codec, Door
    from protocol.session import Session
    from server.net.connection_settings import ConnectionSettings
    from server.net.deadlines import Deadlines
    from server.net.tracing import Tracing
    from server.net.transport import DatagramTransport
    from server.turn.loop import Loop

LAST_WORDS_ONLY = frozenset({Ending.CONNECTION_LOST, Ending.TOO_SLOW, Ending.TIMED_OUT})
"""After these the peer takes nothing more: it is sent its end once, and nobody waits."""


class DatagramConnection(Connection):
    """See `server.net.connection.Connection`. Implements `server.net.deadlines.Sleeper`."""

    __slots__ = (
        "_deadlines",
        "_error",
        "_frame",
        "_now",
        "_transport",
        "noted_for",
    )

    def __init__(
        self,
        session: Session,
        transport: DatagramTransport,
        door: Door,
        *,
        loop: Loop,
        settings: ConnectionSettings,
        departed: Callable[[Ending], None],
        now: float,
        deadlines: Deadlines,
        tracing: Tracing | None = None,
        intake: type[Intake] = Intake,
    ) -> None:
        super().__init__(
            session,
            transport,
            door,
            loop=loop,
            settings=settings,
            departed=departed,
            now=now,
            tracing=tracing,
            intake=intake,
        )
        self.noted_for = NEVER
        self._transport = transport
        self._deadlines = deadlines
        self._frame: bytes | None = None
        """The first of the frames that came while the reader waited."""
        self._now = now
        """When it sent last."""
        self._error: Exception | None = None
        """What was wrong with what came then."""
        transport.glance = self._glance

    @property
    def codec(self) -> Codec | None:
        """None when it ended."""
        return self.session.codec if self.ending is None else None

    async def _read(self) -> None:
        session, codec, transport = self.session, self.session.codec, self._transport
        stages = self._stages
        while True:
            await transport.wait_readable()
            self._intake.received_at = stages.clock() if stages.on else 0.0
            await self._take_all()
            if self._error is not None:
                raise self._error
            while (datagram := transport.receive_nowait()) is not None:
                self._receive(datagram, trio.current_time())
                await self._take_all()
            if session.inbox and not (self.busy or self._loop.waits(session)):
                pass  # the turn is near, and what has to be acknowledged leaves with what it says
            elif session.urgent or codec.pending:
                self.flush()
            else:
                self._note(trio.current_time())
            if codec.peer_closed:
                self._lost("closed by the client")
                return
            if transport.replaced:
                self._lost("the client began anew")
                return

    def _receive(self, datagram: bytes, now: float) -> None:
        """Let the codec have a datagram. Raises WireError."""
        session = self.session
        self.heard = True
        self.bytes_in += len(datagram)
        session.codec.receive(datagram, now)
        session.last_heard = now

    async def _take_all(self) -> None:
        """Every frame that is whole."""
        session = self.session
        frame, self._frame = self._frame, None
        while frame is not None or (frame := session.codec.next_frame()) is not None:
            self.frames_in += 1
            session.recent.append(frame[:LONGEST_KEPT])
            await self._intake.take(frame)
            frame = None

    def _glance(self, datagram: bytes, now: float) -> bool:
        """A datagram has come while the reader waits; whether it has nothing to do."""
        session = self.session
        codec = session.codec
        self.heard = True
        self.bytes_in += len(datagram)
        try:
            codec.receive(datagram, now)
            session.last_heard = now
            self._frame = codec.next_frame()
        except Exception as error:
            # Whatever it is, it ends this client and not the task that reads for all of them.
            self._error = error
            return False
        if self._frame is not None or codec.pending or codec.peer_closed or session.urgent:
            return False
        if codec.clogged:
            # It may have made room for what waits, after a moment. Apart from that what comes only moves
            # deadlines on, and the one that is noted comes first: no need to ask.
            self._deadlines.note(self)
        return True

    def _time(self) -> float:
        self._now = now = trio.current_time()
        return now

    def _behind(self) -> bool:
        return self.session.codec.clogged

    def _own_words(self) -> list[bytes]:
        return self.session.codec.outgoing(self._time())

    def _unsent(self) -> int:
        return 0  # what awaits acknowledgement has limits of its own, in the codec

    def _put(self, frames: list[bytes]) -> None:
        """Into the kernel; what it does not take is lost like anything else on the way, and sent again."""
        send = self._transport.send_nowait
        try:
            for frame in frames:
                self.bytes_out += send(frame)
        except OSError as error:
            self._lost(str(error))
            return
        self._note(self._now)

    def _note(self, now: float) -> None:
        """The codec's deadline may be nearer than before."""
        if self.noted_for > now + self.session.codec.patience:
            self._deadlines.note(self)

    def expired(self, now: float) -> None:
        """The codec's deadline has come. What came while the reader was busy is looked at first: there may
        be acknowledgements in it."""
        codec = self.session.codec
        try:
            while (datagram := self._transport.receive_nowait()) is not None:
                self._receive(datagram, now)
            codec.expire(now)
        except WireError as error:
            self.end(error.ending, str(error))
            return
        except Exception:
            # Whatever it is, it ends this client and not the task that wakes all of them.
            self._log.exception("the codec of %r failed", self.session)
            self.end(Ending.OUR_BUG, "codec")
            return
        if codec.pending or self.session.urgent:
            self.flush()
        if codec.peer_closed:
            self._lost("closed by the client")

    async def _say_farewell(self) -> None:
        """Until all that was queued is acknowledged and the goodbye is out, as long as there is patience.
        That is the same at a shutdown: after two seconds the codec says goodbye whatever was not."""
        codec, transport = self.session.codec, self._transport
        transport.glance = None
        if self.ending in LAST_WORDS_ONLY:
            self.session.outbox.clear()
        with trio.CancelScope(shield=True, deadline=trio.current_time() + FAREWELL_SECONDS):
            self.flush(force=True)
            codec.close(self.ending or Ending.SHUTDOWN)
            while True:  # the codec's own words leave even if a message could not be encoded
                now = trio.current_time()
                try:
                    at = codec.deadline()
                    if at is not None and at <= now:
                        codec.expire(now)
                    self._put(codec.outgoing(now))
                    if codec.closed or codec.peer_closed or transport.replaced:
                        return
                    with trio.move_on_at(at if at is not None and at > now else now + 0.05):
                        await transport.wait_readable()
                    while (datagram := transport.receive_nowait()) is not None:
                        codec.receive(datagram, now)
                        while codec.next_frame() is not None:
                            pass  # it has ended: what it still says is not heard
                except (WireError, OSError, trio.ClosedResourceError):
                    return
