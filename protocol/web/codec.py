"""Lines of JSON, one message each.

A browser's connection carries them in text messages of WebSocket (`server.web`), several in one where a turn
has several to say; without WebSocket around them, as in the tests, they are a plain stream. Nothing depends
on where the pieces are cut.

Whoever says what cannot be read is told why before its connection ends, and that is told here: a line is
decoded before it is handed out, so that nothing else can be wrong with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.endings import WireError
from protocol.web.packets import PACKETS_BY_NAME
from protocol.web.packets.base import name_of_line
from protocol.web.packets.entering import Goodbye
from protocol.wire.args import CodecArgs, Plain, Role
from protocol.wire.body import Body, forms

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Sequence

    from protocol.endings import Ending

LONGEST_FROM_CLIENT: Final = 4096
"""Bytes of a line; what clients send has at most some hundred."""
LONGEST_FROM_SERVER: Final = 4 * 1024 * 1024


class WebCodec:
    """Implements `protocol.family.Codec`, for both roles."""

    patience = float("inf")
    peer_closed = False
    clogged = False
    closed = True
    report = ""
    share_key: Hashable = "web"
    controls: Collection[str] = ()

    def __init__(self, args: CodecArgs) -> None:
        self.settings = args.settings
        self.trace: Callable[[str], None] | None = None
        self._serves = args.role is Role.SERVER
        self._longest = LONGEST_FROM_CLIENT if self._serves else LONGEST_FROM_SERVER
        self._received = bytearray()
        self._searched = 0
        """Bytes of it in which no newline was found."""
        self._queued: list[bytes] = []
        self._farewell: list[bytes] = []

    def learnt(self) -> Plain:
        """Nothing that handlers would read."""
        return ()

    def learn(self, learnt: Plain) -> None:
        """Do nothing: there is nothing to learn."""

    def receive(self, data: bytes | memoryview, now: float) -> None:
        """Take bytes."""
        self._received += data

    def next_frame(self) -> bytes | None:
        """The next line, without its newline; empty ones are passed over. Raises WireError."""
        try:
            line = self._next_line()
            if line is not None and self._serves:
                _check(line)
        except WireError as error:
            if self._serves:
                self._farewell = [
                    self.prepare(Goodbye(f"Your client said what cannot be read: {error}").encode())
                ]
            raise
        return line

    def _next_line(self) -> bytes | None:
        received = self._received
        while True:
            end = received.find(b"\n", self._searched)
            if max(end, len(received) if end < 0 else 0) > self._longest:
                raise WireError(f"bad_length: a line of more than {self._longest} bytes")
            if end < 0:
                self._searched = len(received)
                return None
            line = bytes(received[:end]).strip()
            del received[: end + 1]
            self._searched = 0
            if line:
                return line

    def send(self, body: Body) -> None:
        """Queue one message."""
        self._queued.append(body.form(self))

    def send_many(self, bodies: Iterable[Body]) -> None:
        """Queue messages."""
        self._queued += forms(bodies, self)

    def send_raw(self, messages: Sequence[bytes]) -> None:
        """Queue messages that are not shared."""
        self._queued += map(self.prepare, messages)

    def prepare(self, body: bytes) -> bytes:
        """The line with its newline."""
        return body + b"\n"

    def outgoing(self, now: float) -> list[bytes]:
        """The lines that are queued, and behind them all a farewell."""
        queued, self._queued = self._queued + self._farewell, []
        self._farewell = []
        return queued

    @property
    def pending(self) -> bool:
        """Whether any are."""
        return bool(self._queued or self._farewell)

    def deadline(self) -> float | None:
        """None: nothing has to be done at any time."""
        return None

    def expire(self, now: float) -> None:
        """Do nothing: there is no deadline."""

    def close(self, ending: Ending) -> None:
        """Say nothing: there are no words for it on this level."""


def _check(line: bytes) -> None:
    """Raises WireError for what is no message of a client."""
    kind = PACKETS_BY_NAME.get(name_of_line(line))
    if kind is None:
        raise WireError("there is no such message")
    kind.decode(line)
