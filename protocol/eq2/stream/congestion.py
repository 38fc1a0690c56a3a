"""The congestion window: how many bytes may be on their way. Slow start, avoidance and fast recovery.

The usual algorithms (Jacobson 1988, RFC 5681), in bytes. Two mistakes of the EQStream document are not made:
in avoidance it adds `acked * acked / cwnd`, which is 0 for every acknowledgement of a small packet, so that
the window stops growing; and after a loss it sets the window to 1 byte, into which no packet fits any more.
"""

from __future__ import annotations

import enum
from typing import Final

INITIAL_SEGMENTS: Final = 4
INITIAL_THRESHOLD: Final = 65536


class Phase(enum.Enum):
    """How the window grows."""

    SLOW_START = "slow start"
    AVOIDANCE = "avoidance"
    FAST_RECOVERY = "fast recovery"


# Looked up for every acknowledgement; a name of the module costs a tenth of a member of an enumeration.
_SLOW_START, _AVOIDANCE = Phase.SLOW_START, Phase.AVOIDANCE


class Congestion:
    """One direction's window. The sender says what leaves, arrives and gets lost."""

    __slots__ = ("_largest", "_segment", "outstanding", "phase", "threshold", "window")

    def __init__(self, segment: int, largest: int) -> None:
        """`segment` is the largest datagram, `largest` bounds the window; both in bytes."""
        self._segment = segment
        self._largest = largest
        self.window = INITIAL_SEGMENTS * segment
        """Called cwnd elsewhere."""
        self.threshold = INITIAL_THRESHOLD
        """Called ssthresh elsewhere."""
        self.outstanding = 0
        """Bytes on their way as far as one can tell: sent, and neither acknowledged nor taken for lost."""
        self.phase = Phase.SLOW_START

    def allows(self, size: int) -> bool:
        """Whether so many bytes more may be on their way. One packet always may, however small the window."""
        return self.outstanding + size <= self.window or not self.outstanding

    def sent(self, size: int) -> None:
        """So many bytes are on their way."""
        self.outstanding += size

    def left(self, size: int) -> None:
        """So many bytes are not on their way any more: arrived or lost."""
        self.outstanding -= size

    def acknowledged(self, size: int) -> None:
        """So many bytes were acknowledged: the window grows."""
        window = self.window
        if window == self._largest:
            return
        if self.phase is _SLOW_START:
            window += size
            if window >= self.threshold:
                self.phase = _AVOIDANCE
        elif self.phase is _AVOIDANCE:
            window += max(1, self._segment * size // window)
        self.window = min(window, self._largest)

    def timed_out(self) -> None:
        """A packet was not acknowledged in time: begin anew with one packet."""
        self.threshold = self._halved()
        self.window = self._segment
        self.phase = Phase.SLOW_START

    def hole_found(self) -> None:
        """A packet got lost, but later ones arrive: half as much, until `hole_closed`."""
        self.threshold = self._halved()
        self.window = self.threshold
        self.phase = Phase.FAST_RECOVERY

    def hole_closed(self) -> None:
        """What `hole_found` was about has arrived."""
        if self.phase is Phase.FAST_RECOVERY:
            self.phase = Phase.AVOIDANCE

    def _halved(self) -> int:
        return max(self.window // 2, 2 * self._segment)
