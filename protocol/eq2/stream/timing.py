"""How long an acknowledgement may take: Jacobson and Karels, "Congestion Avoidance and Control" (1988).

All times in milliseconds. Two rules are Karn's: no sample comes from a packet that was sent more than once
(the caller sees to that), and the doubled timeout stays in force until there is a sample again; without the
second a round trip that has become longer than the timeout would never be measured.
"""

from __future__ import annotations

from typing import Final

FIRST_RTO: Final = 1000.0
"""Before any sample (RFC 6298, 2.1)."""


class RoundTrip:
    """Smoothed round trip time and the timeout that follows from it."""

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
