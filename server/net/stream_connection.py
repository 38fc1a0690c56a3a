"""A client on a TCP connection, or on a pipe of the tests.

Input: wait until the socket is readable, receive once, decode every whole frame. Output: what a turn queued
is joined and sent by one non-blocking send; what the kernel does not take is kept, and a writer task runs
only until that is gone.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import trio

from protocol.endings import Ending, WireError
from server.net.connection import FAREWELL_SECONDS, LONGEST_KEPT, Connection
from server.net.intake import Intake

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.family import Door
    from protocol.session import Session
    from server.net.connection_settings import ConnectionSettings
    from server.net.tracing import Tracing
    from server.net.transport import Transport
    from server.turn.loop import Loop


@cache
def _receive_buffer(kib: int) -> bytearray:
    """One for all connections: nobody else runs between a `recv` and the codec's copy of what came."""
    return bytearray(kib * 1024)


class StreamConnection(Connection):
    """See `server.net.connection.Connection`."""

    __slots__ = (
        "_progress_at",
        "_remainder",
        "_transport",
    )

    def __init__(
        self,
        session: Session,
        transport: Transport,
        door: Door,
        *,
        loop: Loop,
        settings: ConnectionSettings,
        departed: Callable[[Ending], None],
        now: float,
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
        self._transport = transport
        self._remainder: memoryview | None = None
        self._progress_at = now

    async def _read(self) -> None:
        session, codec, transport = self.session, self.session.codec, self._transport
        stages, intake = self._stages, self._intake
        buffer = _receive_buffer(self._settings.network.receive_buffer_kib)
        view = memoryview(buffer)
        while True:
            await transport.wait_readable()
            size = transport.recv_nowait_into(buffer)
            if size is None:
                continue
            if size == 0:
                self._lost("closed by the client")
                return
            now = trio.current_time()
            intake.received_at = stages.clock() if stages.on else 0.0
            self.bytes_in += size
            codec.receive(view[:size], now)
            if codec.pending:
                self.flush()  # what it answers by itself must leave even if the next frame is bad
            session.last_heard = now
            while (frame := codec.next_frame()) is not None:
                self.frames_in += 1
                session.recent.append(frame[:LONGEST_KEPT])
                await intake.take(frame)
            if session.urgent or codec.pending:  # but not for steps of others that wait for more
                self.flush()
            if codec.peer_closed:
                self._lost("closed by the client")
                return

    def _time(self) -> float:
        # The frames of a stream do not depend on the time; to read it for each flush would be felt.
        return self._loop.world.now

    def _behind(self) -> bool:
        return self._remainder is not None

    def _own_words(self) -> list[bytes]:
        return []

    def _unsent(self) -> int:
        return len(self._remainder) if self._remainder is not None else 0

    def _put(self, frames: list[bytes]) -> None:
        """Into the kernel; what it does not take is left to a writer."""
        data = frames[0] if len(frames) == 1 else b"".join(frames)
        try:
            if self._remainder is not None:
                self._remainder = memoryview(bytes(self._remainder) + data)
                self._check_backlog()
                return
            sent = self._transport.send_nowait(data)
        except OSError as error:
            self._lost(str(error))
            return
        self.bytes_out += sent
        if sent < len(data):
            self._remainder = memoryview(data)[sent:]
            self._progress_at = trio.current_time()
            self._check_backlog()
            if self._nursery is not None and self.ending is None:
                self._nursery.start_soon(self._write)

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

    def check(self, now: float) -> None:
        """Once a second: end what has waited too long; let the codec do what it wanted to do by now."""
        if self._remainder is not None and now - self._progress_at > self._settings.network.stalled_seconds:
            self.end(Ending.TOO_SLOW, "takes nothing")
        super().check(now)
        codec = self.session.codec
        at = codec.deadline()
        if at is not None and at <= now and self.ending is None:
            try:
                codec.expire(now)
            except WireError as error:
                self.end(Ending.TIMED_OUT, str(error))
            self.flush()

    async def _say_farewell(self) -> None:
        """Send what is still queued, unless the peer is gone or takes nothing."""
        if self.ending in (Ending.CONNECTION_LOST, Ending.TOO_SLOW):
            return
        patience = FAREWELL_SECONDS
        if self.ending is Ending.SHUTDOWN:
            patience += self._settings.network.shutdown_wait_seconds
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
