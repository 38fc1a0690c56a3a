"""The client's side of a WebSocket that carries lines, without I/O: what bots and tests speak to the page.

    page = WebSocketClient("/play")
    send(page.opening())             # the request; nothing else may be said before `accepted`
    lines = page.receive(data)       # what the server's text messages hold, joined
    send(page.pongs())               # answers that its pings want, and the answer to its goodbye
    send(page.text(line))            # a text message

It is a program and no browser: no Origin, no cookie, and it offers no compression. Masks and the nonce are
wsproto's, from the operating system.
"""

from __future__ import annotations

from wsproto import ConnectionType, WSConnection
from wsproto.connection import ConnectionState
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    Pong,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.utilities import RemoteProtocolError

GOING_AWAY = 1001


class Refused(Exception):
    """There is no WebSocket; the message says what was answered."""


class WebSocketClient:
    """See the module."""

    def __init__(self, path: str, host: str = "localhost") -> None:
        self.accepted = False
        """Whether the server has said yes."""
        self.code: int | None = None
        """What the server closed it with."""
        self._path = path
        self._host = host
        self._connection = WSConnection(ConnectionType.CLIENT)
        self._answers: list[bytes] = []

    @property
    def closed(self) -> bool:
        """Whether it has ended, from either side."""
        return self.code is not None

    def opening(self) -> bytes:
        """The request to upgrade."""
        return self._connection.send(Request(self._host, self._path))

    def receive(self, data: bytes) -> bytes:
        """Take what came; the text in it. Raises Refused for another answer than a WebSocket, also for one
        that is none."""
        found: list[bytes] = []
        try:
            self._connection.receive_data(data)
            for event in self._connection.events():
                match event:
                    case TextMessage():
                        found.append(event.data.encode())
                    case BytesMessage():
                        found.append(bytes(event.data))
                    case Ping():
                        self._answers.append(self._connection.send(event.response()))
                    case AcceptConnection():
                        self.accepted = True
                    case RejectConnection():
                        raise Refused(f"no WebSocket, but {event.status_code}")
                    case CloseConnection():
                        self._close(event)
        except RemoteProtocolError as error:
            raise Refused(f"what came is no WebSocket: {error}") from None
        return b"".join(found)

    def _close(self, event: CloseConnection) -> None:
        self.code = int(event.code)
        if self._connection.state is ConnectionState.REMOTE_CLOSING:
            self._answers.append(self._connection.send(event.response()))

    def pongs(self) -> bytes:
        """Frames that answer the pings that came."""
        answers, self._answers = self._answers, []
        return b"".join(answers)

    def pong(self) -> bytes:
        """The answer to an empty ping, for whoever reads no further."""
        return b"" if self.closed else self._connection.send(Pong())

    def text(self, line: bytes) -> bytes:
        """A text message; nothing once it has ended."""
        return b"" if self.closed else self._connection.send(TextMessage(line.decode()))

    def goodbye(self) -> bytes:
        """It goes away."""
        if self.closed or not self.accepted:
            return b""
        self.code = GOING_AWAY
        return self._connection.send(CloseConnection(GOING_AWAY))
