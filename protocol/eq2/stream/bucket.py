"""The token bucket: so many bytes a second in the long run, and a burst of so many at once."""

from __future__ import annotations


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
