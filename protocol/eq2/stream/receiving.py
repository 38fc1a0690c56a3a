"""Reliable delivery, the receiving half: order, acknowledgements owed, reassembly.

A number is compared with the one expected next, modulo 65536: 0 ahead is that one, up to the window ahead is
from the future and kept, everything else is from the past and was delivered before. What came in order is
acknowledged together, by the last of it; what came early or again is acknowledged one by one (the document's
ack_future and ack_past are both that frame), because eq2emu takes nothing else for its oldest packet.

Fragments have no index and no name: a payload's first one tells its size, and the next ones in order are the
rest of it. So at most one payload is unfinished at a time, and a packet in between is an error.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from protocol.endings import WireError
from protocol.eq2.stream.settings import REASSEMBLY_BYTES, REASSEMBLY_SECONDS

if TYPE_CHECKING:
    from protocol.eq2.stream.statistics import Statistics

_MOST_FUTURE_BYTES: Final = 1 << 20  # beyond that, what comes early is not kept and has to come again
_MOST_SINGLE_ACKS: Final = 512  # owed at a time; whoever is not told sends again, and is told then
_TOTAL_SIZE: Final = 4


class Receiver:
    """Takes reliable frames as they come and hands out payloads in order."""

    __slots__ = (
        "_expected",
        "_future",
        "_future_bytes",
        "_in_order",
        "_partial",
        "_ready",
        "_reassembly_ends",
        "_single",
        "_statistics",
        "_total",
        "_window",
        "acks_owed",
    )

    def __init__(self, statistics: Statistics, window: int) -> None:
        self.acks_owed = False
        """Whether `acks` has something to say."""
        self._statistics = statistics
        self._window = window
        self._expected = 0
        self._in_order = False  # whether an acknowledgement of what came in order is owed
        self._single: dict[int, None] = {}
        self._ready: deque[bytes] = deque()
        self._future: dict[int, tuple[bool, bytes]] = {}  # number: whether a fragment, contents
        self._future_bytes = 0
        self._partial = bytearray()
        self._total = 0  # bytes of the payload being put together; 0: none is
        self._reassembly_ends = 0.0

    @property
    def newest(self) -> int:
        """The number of the last frame that came in order."""
        return (self._expected - 1) & 0xFFFF

    def packet(self, seq: int, payload: bytes, now: float) -> None:
        """A whole payload. WireError: it comes between the fragments of another."""
        if seq == self._expected:
            self._accept(payload)
            if self._future:
                self._drain(now)
        else:
            self._out_of_order(seq, False, payload)

    def fragment(self, seq: int, data: bytes, now: float) -> None:
        """A piece of a payload; the first begins with the whole's size. WireError: sizes that cannot be."""
        if seq == self._expected:
            self._accept_fragment(data, now)
            if self._future:
                self._drain(now)
        else:
            self._out_of_order(seq, True, data)

    def standing(self, seq: int) -> str:
        """The fate of a frame with that number, in a word or two; empty if it is the next in order."""
        if seq == self._expected:
            return ""
        if (seq - self._expected) & 0xFFFF > self._window or seq in self._future:
            return "duplicate"
        return "future, stored" if self._future_bytes < _MOST_FUTURE_BYTES else "future, no room"

    def next(self) -> bytes | None:
        """The next payload in order."""
        return self._ready.popleft() if self._ready else None

    def acks(self) -> list[bytes]:
        """The frames owed since the last call: one for all that came in order, one for each that did not."""
        frames = [b"\0\x11" + seq.to_bytes(2, "big") for seq in self._single]
        if self._in_order:
            frames.insert(0, b"\0\x15" + self.newest.to_bytes(2, "big"))
        self._single.clear()
        self._in_order = self.acks_owed = False
        return frames

    def deadline(self) -> float | None:
        """The time at which a payload that is being put together has to be whole."""
        return self._reassembly_ends if self._total else None

    def expire(self, now: float) -> None:
        """Check that the payload that is being put together is not late. Raises WireError if it is; what
        there was of it is forgotten."""
        if self._total and now >= self._reassembly_ends:
            had, total = len(self._partial), self._total
            self.forget()
            raise WireError(f"bad_fragment: {had} of {total} bytes after {REASSEMBLY_SECONDS:.0f} s")

    def forget(self) -> None:
        """Drop everything that is kept."""
        self._partial = bytearray()
        self._total = 0
        self._future.clear()
        self._future_bytes = 0
        self._ready.clear()

    def ack_future(self, seq: int) -> None:
        """Owe the acknowledgement of a packet that came early."""
        self._acknowledge_one(seq)

    def ack_past(self, seq: int) -> None:
        """Owe the acknowledgement of a packet that came again."""
        self._acknowledge_one(seq)

    def _acknowledge_one(self, seq: int) -> None:
        if len(self._single) < _MOST_SINGLE_ACKS:
            self._single[seq] = None
            self.acks_owed = True

    def _accept(self, payload: bytes) -> None:
        if self._total:
            raise WireError(f"bad_fragment: a packet after {len(self._partial)} of {self._total} bytes")
        self._expected = (self._expected + 1) & 0xFFFF
        self._in_order = self.acks_owed = True
        self._ready.append(payload)

    def _accept_fragment(self, data: bytes, now: float) -> None:
        partial = self._partial
        if self._total:
            partial += data
        else:
            total = int.from_bytes(data[:_TOTAL_SIZE], "big")
            if len(data) <= _TOTAL_SIZE or not 1 <= total <= REASSEMBLY_BYTES:
                raise WireError(f"bad_fragment: {total} bytes announced, {len(data)} there")
            self._total = total
            self._reassembly_ends = now + REASSEMBLY_SECONDS
            partial += data[_TOTAL_SIZE:]
        if len(partial) > self._total:
            raise WireError(f"bad_fragment: {len(partial)} bytes of {self._total}")
        self._expected = (self._expected + 1) & 0xFFFF
        self._in_order = self.acks_owed = True
        if len(partial) == self._total:
            self._ready.append(bytes(partial))
            self._partial = bytearray()
            self._total = 0

    def _out_of_order(self, seq: int, fragment: bool, data: bytes) -> None:
        if (seq - self._expected) & 0xFFFF > self._window:
            self._statistics.past_packets += 1
            self.ack_past(seq)
            return
        self._statistics.future_packets += 1
        if seq not in self._future:
            if self._future_bytes + len(data) > _MOST_FUTURE_BYTES:
                return
            self._future[seq] = fragment, data
            self._future_bytes += len(data)
        self.ack_future(seq)

    def _drain(self, now: float) -> None:
        """Deliver what came early and is in order now."""
        while (early := self._future.pop(self._expected, None)) is not None:
            fragment, data = early
            self._future_bytes -= len(data)
            if fragment:
                self._accept_fragment(data, now)
            else:
                self._accept(data)
