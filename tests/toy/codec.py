"""Frames of the toy, in clear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.wire.framer import LengthFramer
from protocol.wire.stream import StreamCodec

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from protocol.wire.args import CodecArgs
    from protocol.wire.body import Body

WIDTH = 2
LARGEST = 256


class ToyCodec(StreamCodec):
    """One client's bytes."""

    share_key: Hashable = "toy"
    peer_closed = False

    def __init__(self, args: CodecArgs) -> None:
        self._queue: list[bytes] = []
        self._framer = LengthFramer(
            width=WIDTH,
            extra=0,
            smallest=WIDTH + 1,
            largest=LARGEST,
            read_length=lambda head: int.from_bytes(head, "little"),
        )

    def receive(self, data: bytes | memoryview, now: float) -> None:
        """Take what arrived."""
        self._framer.feed(data)

    def next_frame(self) -> bytes | None:
        """The next message without its length. Raises WireError."""
        frame = self._framer.next()
        return None if frame is None else frame[WIDTH:]

    def prepare(self, body: bytes) -> bytes:
        """The whole frame: the same for all clients."""
        return (len(body) + WIDTH).to_bytes(WIDTH, "little") + body

    def send(self, body: Body) -> None:
        """Queue one message."""
        self._queue.append(body.form(self))

    def send_many(self, bodies: Iterable[Body]) -> None:
        """Queue messages."""
        for body in bodies:
            self.send(body)
