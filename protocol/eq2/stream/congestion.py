"""Congestion control: the window, the timeout of what is in flight, and the rate.

The usual algorithms, in bytes: slow start, avoidance and fast recovery (Jacobson 1988, RFC 5681). Two
mistakes of the EQStream document are not made: in avoidance it adds `acked * acked / cwnd`, which is 0 for
every acknowledgement of a small packet, so that the window stops growing; and after a loss it sets the window
to 1 byte, into which no packet fits any more.

The timeout is that of Jacobson and Karels, "Congestion Avoidance and Control" (1988), in milliseconds. Two
rules are Karn's: no sample comes from a packet that was sent more than once (the caller sees to that), and
the doubled timeout stays in force until there is a sample again; without the second a round trip that has
become longer than the timeout would never be measured.
"""

from __future__ import annotations

import enum
from typing import Final

INITIAL_SEGMENTS: Final = 4
INITIAL_THRESHOLD: Final = 65536
FIRST_RTO: Final = 1000.0
"""Before any sample (RFC 6298, 2.1)."""


class Phase(enum.Enum):
    """Ways in which the window grows."""

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
        """Go on: what `hole_found` was about has arrived."""
        if self.phase is Phase.FAST_RECOVERY:
            self.phase = Phase.AVOIDANCE

    def _halved(self) -> int:
        return max(self.window // 2, 2 * self._segment)


class RoundTrip:
    """Smoothed round trip time and the timeout that follows from it, in milliseconds."""

    __slots__ = ("_largest", "_smallest", "rto", "rttvar", "srtt", "usual")

    def __init__(self, smallest: float, largest: float) -> None:
        """Bounds of the timeout."""
        self._smallest = smallest
        self._largest = largest
        self.srtt: float | None = None
        """Smoothed round trip; None before any sample."""
        self.rttvar = 0.0
        """Smoothed deviation from it."""
        self.usual = self.rto = self._clamped(FIRST_RTO)
        """Timeout of a packet that is sent for the first time."""

    def sample(self, measured: float) -> None:
        """A packet that was sent once was acknowledged after so many milliseconds."""
        if self.srtt is None:
            self.srtt = measured
            self.rttvar = measured / 2
        else:
            # The deviation first: it is meant from the estimate this sample has not touched yet.
            self.rttvar = (3 * self.rttvar + abs(measured - self.srtt)) / 4
            self.srtt = (7 * self.srtt + measured) / 8
        self.usual = self.rto = self._clamped(self.srtt + 4 * self.rttvar)

    def timed_out(self) -> None:
        """A timeout was too short or a packet got lost, which one cannot tell: the next ones are longer."""
        self.rto = self.doubled(self.rto)

    def doubled(self, rto: float) -> float:
        """The timeout of a packet's next sending."""
        return self._clamped(2 * rto)

    def _clamped(self, rto: float) -> float:
        if rto < self._smallest:
            return self._smallest
        return min(rto, self._largest)


class TokenBucket:
    """Full at time 0. Holds one number: when it will be full again.

    `tokens(now) = burst - rate * (full_at - now)`, so nothing has to be updated while time passes, and `when`
    and `allows` cannot disagree by a rounding error.
    """

    __slots__ = ("_burst", "_full_at", "_rate")

    def __init__(self, rate: float, burst: float) -> None:
        """`rate` in bytes a second, `burst` in bytes; both above 0."""
        self._rate = rate
        self._burst = burst
        self._full_at = 0.0

    def when(self, size: int) -> float:
        """From when on so many bytes may leave; more than a burst may leave when the bucket is full."""
        return self._full_at - max(0.0, self._burst - size) / self._rate

    def allows(self, size: int, now: float) -> bool:
        """Whether so many bytes may leave now."""
        return now >= self._full_at or now >= self.when(size)

    def charge(self, size: int, now: float) -> None:
        """So many bytes leave, allowed or not: what may not wait (an acknowledgement) makes the rest wait."""
        self._full_at = max(self._full_at, now) + size / self._rate

    def tokens(self, now: float) -> float:
        """Bytes that may leave now; below 0 after something that did not wait."""
        return self._burst - max(0.0, self._full_at - now) * self._rate
