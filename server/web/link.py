"""One accepted connection, and the conversation on it.

Hypercorn reads HTTP/1.1 and WebSocket. What is different here from its own way to run a connection:

- What is sent can be cancelled, and a connection ends whose other end takes nothing. Hypercorn shields what
  it sends: one reader that stops reading would keep the server from stopping for ever.
- WebSockets are not compressed. Every browser offers it, and Hypercorn accepts always: a message of 1.8 KB
  (where a hundred went) then costs 164 us of the world's one thread instead of 4, for 1 KB less, and each
  connection 100 KB of memory. A proxy that wants to spare bytes can do so with its own time.
- No HTTP/2: a proxy speaks HTTP/1.1 to a server behind it, and so does every browser without TLS.
- Answers that Hypercorn gives by itself carry the same headers as all others.
- What browsers send is heard a little at a time, with the world between (`server.web.turnstile`): a hundred
  that ask at once would else hold up a turn by the time that all their answers take.
- Who plays is sent to from within the turn (`Link.say`): on the way through Starlette and Hypercorn a message
  passes two tasks, a lock and ten functions, which took more than half of what a player cost.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import struct
from typing import TYPE_CHECKING, Final, cast

import h11
import trio
from hypercorn.events import Closed, RawData, Updated
from hypercorn.protocol.events import EndBody, Response
from hypercorn.protocol.h11 import H11Protocol, H11WSConnection
from hypercorn.protocol.ws_stream import ASGIWebsocketState, WSStream
from hypercorn.trio.task_group import TaskGroup
from hypercorn.trio.worker_context import TrioSingleTask
from hypercorn.typing import ConnectionState as LifespanCopy
from wsproto.connection import ConnectionState

from server.web.headers import has_security, security_headers

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypercorn.config import Config
    from hypercorn.events import Event
    from hypercorn.protocol.events import Event as StreamEvent
    from hypercorn.trio.worker_context import WorkerContext
    from hypercorn.typing import AppWrapper, H11SendableEvent

    from server.web.turnstile import Turnstiles

log = logging.getLogger("net.web")

LARGEST_READ: Final = 1024
"""Bytes that are read at a time. They may be 170 empty parts of a message, which cost 8 ms of the world's
one thread."""
LARGEST_REST: Final = 65536
"""Bytes of what nobody wants to read any more, at a time."""
SPOKEN_BURST: Final = 32 * 1024
"""Bytes that a WebSocket may be told at once..."""
SPOKEN_RATE: Final = 8 * 1024.0
"""...and in a second. Who plays says a tenth of it."""
ENDING_SECONDS: Final = 5.0
"""How long what a connection began may go on when its other end has gone."""


class Link:
    """One accepted connection; implements `server.web.site.Wire`. `stalled_seconds` is asked each time that
    it has to wait."""

    def __init__(self, sock: socket.socket, stalled_seconds: Callable[[], float]) -> None:
        """Raises OSError if it is gone already."""
        self.peer = str(sock.getpeername()[0]).removeprefix("::ffff:")
        host, port = sock.getsockname()[:2]
        host = host.removeprefix("::ffff:")
        self.local = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.ends_at = float("inf")
        self.closed: Callable[[Link], None] = lambda _: None
        """Told when it is closed, once."""
        self.speaks: Callable[[], bool] = lambda: False
        """Whether a WebSocket is open on it."""
        self._socket = sock
        self._stalled_seconds = stalled_seconds
        self._open = True
        self._sending = trio.Lock()
        self._left = b""
        """What the system has not taken of what was said. It leaves before anything else."""

    def end_by(self, time: float) -> None:
        """See Wire. The front looks for it twice a second."""
        self.ends_at = min(self.ends_at, time)

    async def receive(self) -> bytes:
        """Bytes that came; empty at the end. Raises OSError, and trio.ClosedResourceError after it was
        closed."""
        while True:
            if not self._open:
                raise trio.ClosedResourceError
            await trio.lowlevel.wait_readable(self._socket)
            try:
                return self._socket.recv(LARGEST_READ)
            except BlockingIOError:
                continue

    def say(self, text: bytes) -> bool:
        """See Wire."""
        if not self._open or self._left or self._sending.locked() or not self.speaks():
            return False
        frame = _head(len(text)) + text
        try:
            sent = self._socket.send(frame)
        except BlockingIOError:
            return False
        self._left = frame[sent:]
        return True

    @property
    def said(self) -> bool:
        """See Wire."""
        return not self._left

    async def finish(self) -> None:
        """See Wire."""
        await self.send_all(b"")

    async def send_all(self, data: bytes) -> None:
        """Send, waiting for the other end; one that takes nothing for too long is gone. Whoever is cancelled
        over it has ended the connection: half a message may be out, and nothing can follow it. Raises as
        `receive`."""
        async with self._sending:
            try:
                await self._send(self._left + data)
            except trio.Cancelled:
                self.abort()
                raise

    async def _send(self, data: bytes) -> None:
        self._left = b""
        rest = memoryview(data)
        while rest:
            if not self._open:
                raise trio.ClosedResourceError
            try:
                rest = rest[self._socket.send(rest) :]
            except BlockingIOError:
                with trio.move_on_after(self._stalled_seconds()) as patience:
                    await trio.lowlevel.wait_writable(self._socket)
                if patience.cancelled_caught:
                    log.info("%s takes nothing: hung up", self.peer)
                    self.abort()

    def close(self) -> None:
        """Close it; twice is once. What was sent still arrives: unread input would turn the close into a
        reset."""
        if self._open:
            self._open = False
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_WR)
                for _ in range(16):
                    if not self._socket.recv(LARGEST_REST):
                        break
            self._close()

    def abort(self) -> None:
        """Close it at once; nothing of what waits for the other end is kept."""
        if self._open:
            self._open = False
            with contextlib.suppress(OSError):
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._close()

    def _close(self) -> None:
        trio.lowlevel.notify_closing(self._socket)
        self._socket.close()
        self.closed(self)


class Conversation:
    """All requests of one connection; the place of `hypercorn.trio.tcp_server.TCPServer`."""

    def __init__(
        self, link: Link, app: AppWrapper, config: Config, context: WorkerContext, turnstiles: Turnstiles
    ) -> None:
        self._link = link
        self._turnstiles = turnstiles
        self._allowance = float(SPOKEN_BURST)
        self._allowed_at = 0.0
        self._app = app
        self._config = config
        self._context = context
        self._idle = TrioSingleTask()
        self._tasks = TaskGroup()

    async def run(self) -> None:
        """Until the connection ends."""
        try:
            async with self._tasks:
                self._protocol = _Protocol(
                    self._app,
                    self._config,
                    self._context,
                    self._tasks,
                    LifespanCopy({}),
                    False,
                    None,
                    None,
                    self._send,
                )
                self._link.speaks = lambda: self._protocol.speaks
                await self._idle.restart(self._tasks, self._wait_for_request)
                await self._read()
        finally:
            self._link.close()

    async def _read(self) -> None:
        with contextlib.suppress(OSError, trio.ClosedResourceError):
            while data := await self._link.receive():
                await self._turn(len(data))
                try:
                    await self._protocol.handle(RawData(data))
                except Exception as error:  # what a library cannot read is no fault of ours
                    log.info("%s sent what cannot be read: %s", self._link.peer, type(error).__name__)
                    log.debug("it was", exc_info=error)
                    break
                if self._protocol.parts:
                    self._link.end_by(trio.current_time() + ENDING_SECONDS)
        await self._idle.stop()
        if (nursery := self._tasks._nursery) is not None:
            nursery.cancel_scope.deadline = trio.current_time() + ENDING_SECONDS
        await self._protocol.handle(Closed())
        # What still goes on here (Hypercorn sleeps between its pings) needs no connection.
        self._link.close()

    async def _turn(self, size: int) -> None:
        """Wait until so many bytes may be heard: there are others, and there is the world."""
        if not self._link.speaks():
            await self._turnstiles.requests.enter(1)
            return
        now = trio.current_time()
        allowance = self._allowance + (now - self._allowed_at) * SPOKEN_RATE
        self._allowance, self._allowed_at = min(float(SPOKEN_BURST), allowance) - size, now
        if self._allowance < 0:
            await trio.sleep(-self._allowance / SPOKEN_RATE)
        await self._turnstiles.words.enter(size)

    async def _send(self, event: Event) -> None:
        if isinstance(event, RawData):
            try:
                await self._link.send_all(event.data)
            except (OSError, trio.ClosedResourceError):
                await self._protocol.handle(Closed())
            except trio.Cancelled:
                self._link.abort()
                raise
        elif isinstance(event, Closed):
            self._link.close()
            await self._protocol.handle(Closed())
        elif isinstance(event, Updated):
            if event.idle:
                await self._idle.restart(self._tasks, self._wait_for_request)
            else:
                await self._idle.stop()

    async def _wait_for_request(self) -> None:
        """No whole head of a request comes, or none is wanted any more."""
        with trio.move_on_after(self._config.keep_alive_timeout):
            await self._context.terminated.wait()
        self._link.close()


def _head(size: int) -> bytes:
    """Before so many bytes of a text that is one frame, unmasked: RFC 6455, section 5.2."""
    if size < 126:
        return bytes((_TEXT, size))
    if size < 1 << 16:
        return _TEXT_16.pack(_TEXT, 126, size)
    return _TEXT_64.pack(_TEXT, 127, size)


_TEXT: Final = 0x81
"""The last frame of a message (FIN), which is text (opcode 1)."""
_TEXT_16: Final = struct.Struct("!BBH")
_TEXT_64: Final = struct.Struct("!BBQ")


class _Protocol(H11Protocol):
    @property
    def speaks(self) -> bool:
        """Whether there is a WebSocket, which neither side has begun to close."""
        stream = self.stream
        open_ = isinstance(stream, WSStream) and stream.state is ASGIWebsocketState.CONNECTED
        return open_ and cast("WSStream", stream).connection.state is ConnectionState.OPEN

    @property
    def parts(self) -> bool:
        """Whether a WebSocket was told that it ends (it said too much at once), and has not answered."""
        stream = self.stream
        open_ = isinstance(stream, WSStream) and stream.state is ASGIWebsocketState.CONNECTED
        return open_ and cast("WSStream", stream).connection.state is ConnectionState.LOCAL_CLOSING

    async def _create_stream(self, request: h11.Request) -> None:
        headers = [(name, value) for name, value in request.headers if name != b"sec-websocket-extensions"]
        if len(headers) < len(request.headers):
            request = h11.Request(
                method=request.method,
                target=request.target,
                headers=headers,
                http_version=request.http_version,
            )
        names = {name for name, _ in request.headers}
        if b"transfer-encoding" in names and b"content-length" in names:
            # h11 believes the one; a proxy before it that believes the other sees other requests than we do.
            await self._send_error_response(400)
            await self.send(Closed())
            return
        await super()._create_stream(request)

    async def _check_protocol(self, event: h11.Request) -> None:
        """It stays what it is."""

    async def stream_send(self, event: StreamEvent) -> None:
        if isinstance(event, Response) and not has_security(event.headers):
            headers = [*event.headers, *security_headers()]
            event = Response(stream_id=event.stream_id, headers=headers, status_code=event.status_code)
        await super().stream_send(event)
        if isinstance(event, EndBody) and isinstance(self.connection, H11WSConnection):
            # A WebSocket was refused. What Hypercorn refuses by itself it would leave open for ever.
            await self.send(Closed())

    async def _send_h11_event(self, event: H11SendableEvent) -> None:
        try:
            await super()._send_h11_event(event)
        except h11.LocalProtocolError as error:
            # Hypercorn begins an answer of its own behind one that was cancelled half way.
            log.debug("%s", error)
            await self.send(Closed())

    async def _send_error_response(self, status_code: int) -> None:
        log.debug("a request that cannot be read: %d", status_code)
        headers = [(b"content-length", b"0"), (b"connection", b"close"), *security_headers()]
        headers += self.config.response_headers("h11")
        await self._send_h11_event(h11.Response(status_code=status_code, headers=headers))
        await self._send_h11_event(h11.EndOfMessage())
