"""The door for browsers: the same packets, each in one binary WebSocket message.

A browser client (eoweb) opens a WebSocket and puts every packet, length prefix included, into a message of
its own; it reads messages as Blobs, so text is never used. There is no subprotocol and no compression:
ciphertext does not shrink, and compressed it could not be shared. Handshake, masks and control frames are
wsproto's; all of it stays inside this codec, so that the rest of the server sees an Endless Online client
like any other.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from wsproto import ConnectionType, WSConnection
from wsproto.connection import ConnectionState
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Ping,
    Pong,
    RejectConnection,
    RejectData,
    Request,
    TextMessage,
)
from wsproto.frame_protocol import CloseReason

from protocol.endings import WireError
from protocol.eo.codec import LARGEST_FRAME, EoCodec
from protocol.wire.args import CodecArgs, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from protocol.wire.body import Body

# A browser's request for the upgrade is below 1 KiB, cookies aside; web servers usually stop at 8 KiB.
_LARGEST_REQUEST = 8192

# RFC 9110, section 9.3, and PATCH (RFC 5789).
_METHODS = (b"GET ", b"HEAD ", b"POST ", b"PUT ", b"DELETE ", b"CONNECT ", b"OPTIONS ", b"TRACE ", b"PATCH ")

_END_OF_REQUEST = b"\r\n\r\n"

_NOT_A_WEB_PAGE = b"This port speaks WebSocket: game clients connect here.\n"
_UPGRADE_REQUIRED = (
    b"HTTP/1.1 426 Upgrade Required\r\n"
    b"Upgrade: websocket\r\n"
    b"Connection: Upgrade, close\r\n"
    b"Sec-WebSocket-Version: 13\r\n"
    b"Content-Type: text/plain\r\n"
    b"Content-Length: %d\r\n"
    b"\r\n" % len(_NOT_A_WEB_PAGE)
) + _NOT_A_WEB_PAGE

MOST_IDLE_FRAMES = 32
"""Frames (pings, pongs, empty ones, fragments) that may lie between two packets. Browsers send a packet in
one frame, and nothing else."""

# wsproto unmasks byte by byte; what comes after an offence is not worth that.
_PIECE = 4096

_BINARY_MESSAGE = 0x82  # FIN and opcode 2 (RFC 6455, section 5.2)


class WebSocketCodec(EoCodec):
    """An `EoCodec` whose frames travel in WebSocket messages.

    Messages that hold several packets or part of one are taken too: their contents are one stream. The
    request's Origin is not looked at: a page from anywhere may bring a client, which has to log in like any
    other.

    The client's side exists for tests; wsproto draws its masks and nonce from the operating system, not from
    `entropy`.
    """

    def __init__(self, args: CodecArgs, *, host: str = "localhost", path: str = "/") -> None:
        super().__init__(args)
        server = args.role is Role.SERVER
        self._ws = WSConnection(ConnectionType.SERVER if server else ConnectionType.CLIENT)
        self._open = False
        self._request = bytearray()
        self._handshake: list[bytes] = []
        self._control = b""
        self._waiting = bytearray()
        """Bytes that wsproto has not been given yet."""
        self._events: Iterator[Event] = iter(())
        self._now = 0.0
        self._idle_frames = 0
        """Frames of the WebSocket since the last packet."""
        self._message_size = 0
        self._offence: str | None = None
        if not server:
            self._handshake.append(self._ws.send(Request(host=host, target=path)))

    def receive(self, data: bytes | memoryview, now: float) -> None:
        """Take bytes of the stream. What they break is raised by `next_frame`, after the frames before it."""
        if not data or self._offence is not None or self.peer_closed:
            return
        if self._is_server and not self._open:
            data = self._take_request(bytes(data))
        self._now = now
        self._waiting += data
        self._go_on()

    def next_frame(self) -> bytes | None:
        """The next packet. Raises WireError also for what is no WebSocket, text messages and oversized
        messages."""
        while (frame := super().next_frame()) is None and self._go_on():
            pass
        if frame is not None:
            self._idle_frames = 0
        elif self._offence is not None:
            raise WireError(self._offence)
        return frame

    def outgoing(self, now: float) -> list[bytes]:
        """Answers of the handshake, control frames, then the packets."""
        frames, self._handshake = self._handshake, []
        if self._control:
            frames.append(self._control)
            self._control = b""
        if self.peer_closed or self._offence is not None:
            return frames  # nothing may follow a close frame
        if self._is_server:
            return frames + super().outgoing(now)
        if self._open:
            frames += [self._ws.send(BytesMessage(frame)) for frame in super().outgoing(now)]
        return frames

    @property
    def pending(self) -> bool:
        """Whether anything is queued, or to be answered."""
        return bool(self._handshake or self._control or super().pending)

    def send(self, body: Body) -> None:
        """Queue a packet. Server: in a message, whose contents are shared with clients of the TCP door."""
        if self._is_server:
            frame = body.form(self)
            self._queue.append(_message_header(len(frame)) + frame)
        else:
            super().send(body)

    def send_many(self, bodies: Iterable[Body]) -> None:
        """Queue packets, each in a message of its own."""
        for body in bodies:
            self.send(body)

    def _take_request(self, data: bytes) -> bytes:
        """Collect the HTTP request and answer it; returns what came behind it."""
        request = self._request
        request += data
        end = request.find(_END_OF_REQUEST)
        if not _may_be_http(request):
            self._offence = f"bad_handshake: {bytes(request[:16]).hex()} is not HTTP"
        elif (len(request) if end < 0 else end) > _LARGEST_REQUEST:
            self._offence = f"bad_handshake: request of more than {_LARGEST_REQUEST} bytes"
        if end < 0 or self._offence is not None:
            return b""
        end += len(_END_OF_REQUEST)
        rest = bytes(request[end:])
        try:
            self._ws.receive_data(bytes(request[:end]))
            list(self._ws.events())
            self._handshake.append(self._ws.send(AcceptConnection()))
        # Two HTTP parsers work on a stranger's bytes here; whatever they raise is about those bytes.
        except Exception as refusal:
            self._handshake.append(_UPGRADE_REQUIRED)
            self._offence = f"bad_handshake: {refusal}"
            return b""
        self._open = True
        request.clear()
        return rest

    def _go_on(self) -> bool:
        """Read until bytes came that belong to packets; False if there are none.

        No further: what a client has sent is read as slowly as its packets are taken, so whatever limits
        those limits the work on this, too.
        """
        while self._offence is None and not self.peer_closed:
            event = next(self._events, None)
            if event is not None:
                if self._take(event):
                    return True
            elif self._waiting:
                self._ws.receive_data(bytes(self._waiting[:_PIECE]))
                del self._waiting[:_PIECE]
                self._events = self._ws.events()
            else:
                break
        return False

    def _take(self, event: Event) -> bool:
        """One event of the WebSocket; True if it brought bytes of packets."""
        match event:
            case BytesMessage():
                self._message_size += len(event.data)
                if self._message_size > LARGEST_FRAME:
                    self._refuse(CloseReason.MESSAGE_TOO_BIG, f"more than {LARGEST_FRAME} bytes")
                    return False
                if event.message_finished:
                    self._message_size = 0
                if event.frame_finished and not self._count_frame():
                    return False
                super().receive(bytes(event.data), self._now)
                return bool(event.data)
            case Ping():
                if self._count_frame():
                    # Only the latest ping has to be answered (RFC 6455, section 5.5.3), so a flood of them
                    # from a client that reads nothing cannot fill our memory.
                    self._control = self._ws.send(event.response())
            case Pong():
                self._count_frame()
            case TextMessage():
                self._refuse(CloseReason.UNSUPPORTED_DATA, "text instead of binary")
            case CloseConnection():
                self._take_close(event)
            case AcceptConnection():
                self._open = True
            case RejectConnection() | RejectData():
                self._offence = "bad_handshake: the server refused"
        return False

    def _count_frame(self) -> bool:
        """One more frame; False if it is one too many."""
        self._idle_frames += 1
        if self._idle_frames <= MOST_IDLE_FRAMES:
            return True
        self._refuse(CloseReason.POLICY_VIOLATION, f"more than {MOST_IDLE_FRAMES} frames without a packet")
        return False

    def _refuse(self, code: CloseReason, why: str) -> None:
        self._offence = f"bad_message: {why}"
        self._control = self._ws.send(CloseConnection(code, why))

    def _take_close(self, event: CloseConnection) -> None:
        """Answer a close frame. wsproto reports what breaks RFC 6455 in the same way, with the reason."""
        if self._ws.state is ConnectionState.REMOTE_CLOSING:
            self.peer_closed = True
        else:
            self._offence = f"bad_message: {event.reason}"
        self._control = self._ws.send(event.response())


def _may_be_http(data: bytearray) -> bool:
    """Whether this is how a request begins, as far as it goes. An original client at the wrong door does not,
    and neither do SSH and a proxy's header, which begin with capitals too."""
    return any(data.startswith(method[: len(data)]) for method in _METHODS)


def _message_header(size: int) -> bytes:
    """The frame header of an unmasked binary message of `size` bytes, at most 65,535."""
    if size < 126:
        return bytes((_BINARY_MESSAGE, size))
    return struct.pack(">BBH", _BINARY_MESSAGE, 126, size)
