"""What the codec of a plain stream answers to the questions that only datagrams make interesting."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.endings import Ending


class StreamCodec:
    """Base of codecs over TCP: the system delivers, in order, and nothing waits in the codec."""

    clogged = False
    closed = True
    report = ""
    trace: Callable[[str], None] | None = None

    def close(self, ending: Ending) -> None:
        """Nothing: the end of the stream says it."""
