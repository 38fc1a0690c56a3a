"""Packets that have been sent and not been acknowledged: those on their way, and those taken for lost.

A packet is taken for lost

* after its timeout. That counts from its sending or, while much is in flight, from when the oldest packet was
  last acknowledged: as long as acknowledgements come in, a queue on the way is no loss (RFC 6298, 5.3; the
  exception for little in flight, where it would only cost time, is RFC 7765);
* when three packets that were sent later have been acknowledged one by one.

It then waits for its turn to be sent again, unless it is acknowledged meanwhile.

Every sending has a number, counted over first and repeated sendings alike, because what counts as "later"
is the sending and not the sequence number. No method looks at packets that nothing happened to: two pointers
only ever move forward over the numbers, and the timers are a heap whose outdated entries are dropped when
they come up.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

from protocol.eq2.stream.settings import MOST_RESENDS

if TYPE_CHECKING:
    from protocol.eq2.stream.congestion import Congestion

LATER_ARRIVALS: Final = 3
"""So many packets sent later have to arrive before one is taken for lost."""
LITTLE_IN_FLIGHT: Final = 4
"""With fewer packets in flight no three can arrive after a lost one."""


class Packet:
    """One frame with a sequence number, from when it is encoded until it is acknowledged."""

    __slots__ = (
        "acknowledged",
        "counted",
        "first_number",
        "first_sent",
        "frame",
        "number",
        "rto",
        "sends",
        "sent_at",
        "sequence",
        "size",
    )

    def __init__(self, sequence: int, frame: bytes, size: int) -> None:
        self.sequence = sequence
        self.frame = frame
        self.size = size
        """Bytes of a datagram with this frame alone."""
        self.sends = 0
        self.number = -1
        """Of its latest sending."""
        self.first_number = -1
        self.first_sent = 0.0
        self.sent_at = 0.0
        self.rto = 0.0
        """Milliseconds its latest sending may stay unacknowledged."""
        self.counted = False
        """Whether it is part of `Congestion.outstanding`."""
        self.acknowledged = False


class Flight:
    """The packets between being sent and being acknowledged. Keeps `Congestion.outstanding` right."""

    __slots__ = (
        "_congestion",
        "_latest_arrivals",
        "_lost",
        "_overdue",
        "_packets",
        "_searched",
        "_timers",
        "lost",
        "sendings",
    )

    def __init__(self, congestion: Congestion) -> None:
        self._congestion = congestion
        self.sendings = 0
        """The number of the next sending."""
        self._packets: dict[int, Packet] = {}
        """What is neither acknowledged nor taken for lost, by number."""
        self._searched = 0
        """No sending below this number can be found to be a hole any more."""
        self._overdue = 0
        """No first sending below this number is in flight."""
        self._latest_arrivals: list[int] = []
        """The latest sendings known to have arrived one by one: a heap of at most three."""
        self._timers: list[tuple[float, int, Packet]] = []
        """Heap of (not before, number, packet). Entries outlive what they are about."""
        self._lost: list[tuple[int, Packet]] = []
        """Heap of (sequence, packet) to be sent again. Those acknowledged meanwhile stay until their turn."""
        self.lost = 0
        """Packets that wait to be sent again."""

    def leave(self, packet: Packet, now: float, usual: float) -> None:
        """A packet is sent, for the first time or once more. `usual` is the timeout without doublings, ms."""
        number = packet.number = self.sendings
        packet.sends += 1
        packet.sent_at = now
        packet.counted = True
        self.sendings = number + 1
        self._packets[number] = packet
        rto = packet.rto
        heapq.heappush(self._timers, (now + (min(rto, usual)) / 1000, number, packet))
        self._congestion.outstanding += packet.size

    def arrive(self, packet: Packet) -> None:
        """A packet was acknowledged, whether it was still believed to be on its way or not."""
        packet.acknowledged = True
        if self._packets.pop(packet.number, None) is None:
            self.lost -= 1
        elif packet.counted:
            self._congestion.outstanding -= packet.size

    def holes(self, arrived: Packet) -> list[Packet]:
        """A packet was acknowledged by itself: what is taken for lost after that."""
        # If it was sent more than once, it may have been the first sending that arrived.
        heapq.heappush(self._latest_arrivals, arrived.first_number)
        if len(self._latest_arrivals) > LATER_ARRIVALS:
            heapq.heappop(self._latest_arrivals)
        if len(self._latest_arrivals) < LATER_ARRIVALS:
            return []
        before = self._latest_arrivals[0]
        # What has been sent too often already is left to its timeout, which ends the stream.
        found = [
            packet
            for number in range(self._searched, before)
            if (packet := self._packets.get(number)) is not None and packet.sends <= MOST_RESENDS
        ]
        self._searched = max(self._searched, before)
        for packet in found:
            self._lose(packet)
        return found

    def sends(self, sequence: int) -> int:
        """The number of times the packet with that sequence number was sent; 0 if none of these has it."""
        return next((one.sends for one in self._packets.values() if one.sequence & 0xFFFF == sequence), 0)

    def next_lost(self) -> Packet | None:
        """The oldest packet that waits to be sent again."""
        while self._lost:
            packet = self._lost[0][1]
            if not packet.acknowledged:
                return packet
            heapq.heappop(self._lost)
        return None

    def take_lost(self) -> None:
        """`next_lost` is being sent again."""
        heapq.heappop(self._lost)
        self.lost -= 1

    def deadline(self) -> float | None:
        """The earliest time at which `expire` may have something to do."""
        while self._timers and self._timers[0][1] not in self._packets:
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else None

    def expire(self, now: float, progress: float, usual: float) -> list[Packet]:
        """Take for lost what is overdue, and return it.

        What is left of a doubled timeout after a usual one is waited out, but whatever happened to the
        packet, it is not on its way any more and does not count as outstanding.

        Args:
            progress: when the oldest packet was last acknowledged.
            usual: the timeout without doublings, in milliseconds.
        """
        found: list[Packet] = []
        while self._timers and self._timers[0][0] <= now:
            _, number, packet = self._timers[0]
            if number not in self._packets:
                heapq.heappop(self._timers)
                continue
            since = packet.sent_at
            if len(self._packets) >= LITTLE_IN_FLIGHT:
                since = max(since, progress)
            due = since + packet.rto / 1000
            if due <= now:
                heapq.heappop(self._timers)
                found += self._time_out(packet)
                continue
            gone = since + usual / 1000
            if gone <= now and packet.counted:
                packet.counted = False
                self._congestion.left(packet.size)
            heapq.heapreplace(self._timers, (gone if gone > now else due, number, packet))
        return found

    def _time_out(self, packet: Packet) -> list[Packet]:
        """A packet's time is over, and so is that of all first sendings before it: their own timeouts may be
        longer, from when the round trip was.
        """
        found = [
            earlier
            for number in range(self._overdue, packet.number)
            if (earlier := self._packets.get(number)) is not None and earlier.sends == 1
        ]
        self._overdue = max(self._overdue, packet.number)
        found.append(packet)
        for lost in found:
            self._lose(lost)
        return found

    def _lose(self, packet: Packet) -> None:
        del self._packets[packet.number]
        if packet.counted:
            self._congestion.left(packet.size)
        heapq.heappush(self._lost, (packet.sequence, packet))
        self.lost += 1
