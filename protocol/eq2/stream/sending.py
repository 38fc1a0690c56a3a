"""The sending half of an EQStream: sequence numbers, fragments, and everything about being acknowledged.

    push                             a payload gets its sequence numbers and waits
    take                             what may leave now: lost packets first, then fresh ones
    acknowledge, acknowledge_one     what the peer says it has
    deadline, expire                 what has to happen if it says nothing

A payload is encoded when it comes here; what is sent again is the stored frame, byte for byte: RC4 and
deflate could not make it again. Frames leave here without their CRC, whose length is only counted.

Sequence numbers are counted without bounds inside and cut to 16 bits on the wire. What a call costs follows
from what it hands out, what is acknowledged or what is taken for lost, never from how much is in flight.

What was lost (`flight` says when) leaves before anything fresh. A peer that keeps what comes early but
acknowledges only in order (eq2emu) gets the one packet it misses and not all that followed: the others are
acknowledged while they wait for their turn. The congestion window is reduced once for what was in flight
together.
"""

from __future__ import annotations

from collections import deque
from struct import Struct
from typing import TYPE_CHECKING, Final

from protocol.endings import PeerGone, PeerTooSlow
from protocol.eq2.stream.congestion import Congestion, RoundTrip, TokenBucket
from protocol.eq2.stream.flight import Flight, Packet
from protocol.eq2.stream.frames import Op
from protocol.eq2.stream.settings import (
    KIB,
    MOST_RESENDS,
    OLDEST_SECONDS,
    RESEND_PASS_BYTES,
    RESEND_PASS_PACKETS,
    RESEND_PASS_SECONDS,
    UNACKNOWLEDGED_BYTES,
)

if TYPE_CHECKING:
    from protocol.eq2.stream.settings import StreamSettings
    from protocol.eq2.stream.statistics import Statistics

_SEQUENCES: Final = 1 << 16
_PACKET_OP: Final = int(Op.PACKET)
_PACKET: Final = Struct(">HH")
_FIRST_FRAGMENT: Final = Struct(">HHI")


class Sender:
    """Reliable packets of channel 0, in one direction."""

    __slots__ = (
        "_crc_length",
        "_first",
        "_flight",
        "_fresh",
        "_heard",
        "_held",
        "_hole",
        "_hole_may_leave",
        "_max_length",
        "_next_fresh",
        "_next_pass",
        "_next_sequence",
        "_oldest",
        "_patience",
        "_progress",
        "_reduced_at",
        "_timed_out_at",
        "_unacknowledged",
        "_window",
        "bucket",
        "clogged",
        "congestion",
        "round_trip",
        "statistics",
    )

    def __init__(self, settings: StreamSettings, statistics: Statistics, first_sequence: int = 0) -> None:
        """`first_sequence` is 0 for every known peer."""
        self.statistics = statistics
        self.bucket = TokenBucket(settings.rate_kib * KIB, settings.burst_kib * KIB)
        self._patience = settings.unacknowledged_seconds
        self.round_trip = RoundTrip(settings.rto_min_ms, settings.rto_max_ms)
        self._crc_length = settings.crc_length
        self._window = settings.window
        self._max_length = settings.max_datagram
        self.congestion = Congestion(self._max_length, self._window * self._max_length)
        self._flight = Flight(self.congestion)

        self._first = first_sequence
        self._next_sequence = first_sequence
        """The number that the next packet pushed gets."""
        self._next_fresh = first_sequence
        """The next one to be sent for the first time."""
        self._oldest = first_sequence
        """The oldest that is not acknowledged, or `_next_fresh`."""
        self._fresh: deque[Packet] = deque()
        self._unacknowledged: dict[int, Packet] = {}
        """Everything sent and not acknowledged, by sequence."""
        self._held = 0
        """Bytes of both."""

        self._hole: Packet | None = None
        """The packet whose loss began the fast recovery."""
        self._hole_may_leave = False
        """The packet that was lost is sent at once, whatever the reduced window says."""
        self._reduced_at = 0
        self._timed_out_at = 0
        """Sendings below these numbers are what the window was reduced for already."""

        self._progress = 0.0
        """Time at which the oldest packet was last acknowledged."""
        self._heard = 0.0
        """The last acknowledgement, or the first sending after everything had been acknowledged."""
        self._next_pass = 0.0
        """After so much was sent again that the rest has to wait: until when."""
        self.clogged = False
        """Whether the last `take` had to leave fresh packets waiting, for the window or for tokens."""

    # What waits

    @property
    def max_length(self) -> int:
        """Bytes of the longest datagram, CRC included."""
        return self._max_length

    @max_length.setter
    def max_length(self, length: int) -> None:
        self._max_length = length
        if not self._flight.sendings:
            self.congestion = Congestion(length, self._window * length)
            self._flight = Flight(self.congestion)

    @property
    def waits(self) -> bool:
        """Whether something waits to be sent, for the first time or again."""
        return bool(self._fresh or self._flight.lost)

    @property
    def idle(self) -> bool:
        """Whether everything has been sent and acknowledged."""
        return not self._fresh and not self._unacknowledged

    @property
    def held(self) -> int:
        """Bytes that wait to be sent or to be acknowledged."""
        return self._held

    def push(self, payload: bytes) -> None:
        """Take an encoded payload and number it; in fragments if one datagram cannot hold it.

        Raises:
            PeerTooSlow: too much waits already.
        """
        if self._held + len(payload) > UNACKNOWLEDGED_BYTES:
            raise PeerTooSlow(f"{self._held} bytes wait for acknowledgement")
        room = self._max_length - self._crc_length - _PACKET.size
        if len(payload) <= room:
            self._push(_PACKET.pack(_PACKET_OP, self._next_sequence % _SEQUENCES) + payload)
            return
        view = memoryview(payload)
        # Only the first one says how much there is in all.
        end = self._max_length - self._crc_length - _FIRST_FRAGMENT.size
        head = _FIRST_FRAGMENT.pack(Op.FRAGMENT, self._next_sequence % _SEQUENCES, len(payload))
        self._push(b"".join((head, view[:end])))
        for start in range(end, len(payload), room):
            head = _PACKET.pack(Op.FRAGMENT, self._next_sequence % _SEQUENCES)
            self._push(b"".join((head, view[start : start + room])))

    def _push(self, frame: bytes) -> None:
        packet = Packet(self._next_sequence, frame, len(frame) + self._crc_length)
        self._next_sequence += 1
        self._held += packet.size
        self._fresh.append(packet)

    # What leaves

    def take(self, now: float) -> list[bytes]:
        """The frames that may leave now: what was lost first, oldest first, then fresh ones in order."""
        frames = self._take_lost(now) if self._flight.lost else []
        fresh, unacknowledged = self._fresh, self._unacknowledged
        while fresh and self._may_send(fresh[0], now):
            packet = fresh.popleft()
            if not unacknowledged:
                self._heard = self._progress = now
            sequence = packet.sequence
            unacknowledged[sequence] = packet
            self._next_fresh = sequence + 1
            packet.first_number, packet.first_sent = self._flight.sendings, now
            packet.rto = self.round_trip.rto
            frames.append(self._leave(packet, now))
        self.clogged = bool(fresh)
        return frames

    def _take_lost(self, now: float) -> list[bytes]:
        frames: list[bytes] = []
        packets_left, bytes_left = RESEND_PASS_PACKETS, RESEND_PASS_BYTES
        while (packet := self._flight.next_lost()) is not None and self._may_resend(packet, now):
            if not packets_left or packet.size > bytes_left:
                self._next_pass = now + RESEND_PASS_SECONDS
                break
            packets_left -= 1
            bytes_left -= packet.size
            self._flight.take_lost()
            self._hole_may_leave = False
            frames.append(self._resend(packet, now))
        return frames

    def ready(self, now: float) -> bool:
        """Whether `take` would hand out something now."""
        if self._flight.lost:
            lost = self._flight.next_lost()
            if lost is not None and self._may_resend(lost, now):
                return True
        fresh = self._fresh
        return bool(fresh) and self._may_send(fresh[0], now)

    def charge(self, size: int, now: float) -> None:
        """So many bytes left that may not wait (acknowledgements and the like): the rest waits for them."""
        self.bucket.charge(size, now)

    def _may_resend(self, packet: Packet, now: float) -> bool:
        return (
            (self._hole_may_leave or self.congestion.allows(packet.size))
            and now >= self._next_pass
            and self.bucket.allows(packet.size, now)
        )

    def _may_send(self, packet: Packet, now: float) -> bool:
        size, congestion = packet.size, self.congestion
        if congestion.outstanding + size <= congestion.window and not self._flight.lost:
            # As nearly always: without further questions, each of which would be asked for every datagram.
            return packet.sequence - self._oldest < self._window and self.bucket.allows(size, now)
        return self._window_allows(packet) and self.bucket.allows(size, now)

    def _window_allows(self, packet: Packet) -> bool:
        """Fresh packets wait for lost ones, and for both windows."""
        return (
            not self._flight.lost
            and packet.sequence - self._oldest < self._window
            and self.congestion.allows(packet.size)
        )

    def _resend(self, packet: Packet, now: float) -> bytes:
        self.statistics.retransmissions += 1
        packet.rto = max(self.round_trip.rto, self.round_trip.doubled(packet.rto))
        return self._leave(packet, now)

    def _leave(self, packet: Packet, now: float) -> bytes:
        self.statistics.reliable_sent += 1
        self._flight.leave(packet, now, self.round_trip.usual)
        self.bucket.charge(packet.size, now)
        return packet.frame

    def sends(self, seq: int) -> int:
        """The number of times the packet of that number has left that waits for its acknowledgement; 0: none
        does."""
        return self._flight.sends(seq)

    # What arrives

    def acknowledge(self, seq: int, now: float) -> None:
        """The peer has everything up to this sequence number (opcode 15)."""
        sequence = self._sent_sequence(seq)
        if sequence is None:
            return
        self._heard = now
        if sequence < self._oldest:
            return
        unacknowledged, flight = self._unacknowledged, self._flight
        sample: Packet | None = None
        resent = False
        acknowledged = 0
        for number in range(self._oldest, sequence + 1):
            packet = unacknowledged.pop(number, None)
            if packet is not None:
                flight.arrive(packet)
                acknowledged += packet.size
                sample = packet
                resent = resent or packet.sends > 1
        self._held -= acknowledged
        if not flight.lost:
            self._hole_may_leave = False
        self._grow(acknowledged)
        # One that was sent again held up the others: then the time says nothing about the way.
        if sample is not None and not resent:
            self._measure(sample, now)
        self._advance(sequence + 1, now)

    def acknowledge_one(self, seq: int, now: float) -> None:
        """The peer has the packet of this sequence number, early or once more (opcode 11)."""
        sequence = self._sent_sequence(seq)
        if sequence is None:
            return
        self._heard = now
        packet = self._unacknowledged.pop(sequence, None)
        if packet is None:
            return
        self._flight.arrive(packet)
        self._held -= packet.size
        if not self._flight.lost:
            self._hole_may_leave = False
        self._grow(packet.size)
        if packet.sends == 1:
            self._measure(packet, now)
        if sequence == self._oldest:
            self._advance(sequence + 1, now)
        for lost in self._flight.holes(packet):
            self.statistics.holes += 1
            if lost.number >= self._reduced_at:
                self._reduced_at = self._flight.sendings
                self._hole = lost
                self._hole_may_leave = True
                self.congestion.hole_found()

    def _sent_sequence(self, seq: int) -> int | None:
        """The whole number of a sequence number on the wire; None, and counted, if it was never sent."""
        sequence = self._oldest + (seq - self._oldest) % _SEQUENCES
        if sequence >= self._oldest + _SEQUENCES // 2:
            sequence -= _SEQUENCES
        if self._first <= sequence < self._next_fresh:
            return sequence
        self.statistics.unsent_acknowledged += 1
        return None

    def _grow(self, acknowledged: int) -> None:
        self.congestion.acknowledged(acknowledged)
        if self._hole is not None and self._hole.acknowledged:
            self._hole = None
            self.congestion.hole_closed()

    def _advance(self, oldest: int, now: float) -> None:
        while oldest < self._next_fresh and oldest not in self._unacknowledged:
            oldest += 1
        self._oldest = oldest
        self._progress = now

    def _measure(self, packet: Packet, now: float) -> None:
        self.measured((now - packet.sent_at) * 1000)

    def measured(self, milliseconds: float) -> None:
        """There was an answer after so long, and only one question that it can belong to."""
        self.round_trip.sample(milliseconds)
        self.statistics.measured(milliseconds)

    # What has to happen if nothing arrives

    def deadline(self) -> float | None:
        """The earliest time at which `expire` has to be called or `take` has something (again); a time that
        has passed means now, None never.
        """
        # Asked for after nearly every datagram, each way.
        soonest = self._flight.deadline()
        if self._unacknowledged:
            patience = self._heard + self._patience
            oldest = self._unacknowledged.get(self._oldest)
            if oldest is not None:
                patience = min(patience, oldest.first_sent + OLDEST_SECONDS)
            if soonest is None or patience < soonest:
                soonest = patience
        if self._fresh or self._flight.lost:
            may_leave = self._next_leaves()
            if may_leave is not None and (soonest is None or may_leave < soonest):
                soonest = may_leave
        return soonest

    def _next_leaves(self) -> float | None:
        """The time at which the next of those that wait may leave; None if an acknowledgement has to come
        first."""
        lost = self._flight.next_lost()
        if lost is not None:
            if self._hole_may_leave or self.congestion.allows(lost.size):
                return max(self._next_pass, self.bucket.when(lost.size))
        elif self._fresh and self._window_allows(self._fresh[0]):
            return self.bucket.when(self._fresh[0].size)
        return None

    def expire(self, now: float) -> None:
        """Take for lost what was not acknowledged in time. Harmless when nothing is due.

        Raises:
            PeerGone: there is no answer, or not to one packet however often it was sent.
        """
        if self._unacknowledged and now >= self._heard + self._patience:
            raise PeerGone(f"nothing acknowledged for {now - self._heard:.0f} s")
        oldest = self._unacknowledged.get(self._oldest)
        if oldest is not None and now >= oldest.first_sent + OLDEST_SECONDS:
            raise PeerGone(f"a packet not acknowledged for {now - oldest.first_sent:.0f} s")
        overdue = self._flight.expire(now, self._progress, self.round_trip.usual)
        self.statistics.timeouts += bool(overdue)
        for packet in overdue:
            if packet.sends > MOST_RESENDS:
                raise PeerGone(f"a packet not acknowledged after {packet.sends} sendings")
            if packet.number >= self._timed_out_at:
                self._timed_out_at = self._reduced_at = self._flight.sendings
                self._hole = None
                self._hole_may_leave = True
                self.congestion.timed_out()
                self.round_trip.timed_out()
