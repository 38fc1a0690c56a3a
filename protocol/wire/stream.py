"""Base of codecs of plain streams: their answers to questions that only datagrams make interesting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from protocol.endings import Ending
    from protocol.wire.args import Plain


class StreamCodec(ABC):
    """Base of codecs over TCP: the system delivers, in order, and nothing waits in the codec. What is sent
    becomes frames in `_queue`."""

    clogged = False
    closed = True
    report = ""
    patience = 0.0
    trace: Callable[[str], None] | None = None
    controls: Collection[str] = ()
    _queue: list[bytes]

    def learnt(self) -> Plain:
        """Nothing that handlers would read."""
        return ()

    def learn(self, learnt: Plain) -> None:  # noqa: B027 # nothing is what it does
        """Do nothing: there is nothing to learn."""

    @abstractmethod
    def send(self, body: Body) -> None:
        """Queue one message."""

    def send_raw(self, messages: Sequence[bytes]) -> None:
        """Queue messages of which nothing can be shared."""
        for message in messages:
            self.send(Body(message))

    def outgoing(self, now: float) -> list[bytes]:
        """All queued frames."""
        frames, self._queue = self._queue, []
        return frames

    @property
    def pending(self) -> bool:
        """Whether anything is queued."""
        return bool(self._queue)

    def deadline(self) -> float | None:
        """None: no time is kept here; pings are the world's business."""
        return None

    def expire(self, now: float) -> None:  # noqa: B027 # nothing is what it does
        """Do nothing: there is no deadline."""

    def close(self, ending: Ending) -> None:  # noqa: B027 # nothing is what it does
        """Do nothing: the end of the stream says it."""
