"""Two EQStreams and the link between them: it loses, doubles, delays and mixes up by a seed, or is thin.

    link = connected(Conditions(loss=0.1, delay=0.05), seed=7)
    link.server.send_many([b"\\x02hello"])
    link.run(10.0)
    link.received[CLIENT]           # [(0.25, b"\\x02hello")]

No sockets, no tasks, no clock: `run` goes from one moment at which something happens to the next. The same
seed gives the same run. `small_message_latency` is what a benchmark asks.
"""

from __future__ import annotations

import heapq
import random
from typing import TYPE_CHECKING, Final

import attrs

from protocol.endings import WireError
from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.sending import Sender
from protocol.wire.args import Role

if TYPE_CHECKING:
    from collections.abc import Callable

SERVER: Final = 0
CLIENT: Final = 1

HEADERS: Final = 28
"""Bytes of the IP and UDP headers, which a thin link carries, too."""
MOST_STEPS_AT_ONCE: Final = 2000
"""With so much happening at one moment two streams keep each other busy for nothing."""


@attrs.frozen
class Conditions:
    """What happens to datagrams, each way: parts of 1, and seconds."""

    loss: float = 0.0
    doubled: float = 0.0
    delay: float = 0.05
    jitter: float = 0.0
    """Up to so much is added to each delay, so that datagrams overtake one another."""
    late: float = 0.0
    """This part comes three delays later than usual."""
    rate: float | None = None
    """Bytes a second that get through; None: any number."""
    queue: int = 0
    """Bytes that wait at most for a link with a rate; what comes when it is full is lost."""


class Way:
    """One direction of a link."""

    def __init__(self, conditions: Conditions, dice: random.Random) -> None:
        self.conditions = conditions
        self.datagrams = 0
        self.bytes = 0
        """What was sent into it."""
        self.lost = 0
        self.overflowed = 0
        """Datagrams for which the queue had no room."""
        self._dice = dice
        self._busy_until = 0.0

    def arrivals(self, datagram: bytes, now: float) -> list[float]:
        """When a datagram sent now arrives: not at all, once or twice."""
        conditions, dice = self.conditions, self._dice
        self.datagrams += 1
        self.bytes += len(datagram)
        moments = []
        for _ in range(2 if dice.random() < conditions.doubled else 1):
            if dice.random() < conditions.loss:
                self.lost += 1
                continue
            leaves = now
            if conditions.rate is not None:
                if (self._busy_until - now) * conditions.rate > conditions.queue:
                    self.overflowed += 1
                    continue
                took = (len(datagram) + HEADERS) / conditions.rate
                self._busy_until = leaves = max(self._busy_until, now) + took
            delay = conditions.delay + conditions.jitter * dice.random()
            if dice.random() < conditions.late:
                delay += 3 * conditions.delay
            moments.append(leaves + delay)
        return moments


class Link:
    """A server's stream, a client's, and what is between them."""

    def __init__(self, conditions: Conditions, seed: int, settings: StreamSettings) -> None:
        self.now = 0.0
        self.server = EqStream(Role.SERVER, random.Random(seed).randbytes, settings)
        self.client = EqStream(Role.CLIENT, random.Random(seed + 1).randbytes, settings)
        self.streams = (self.server, self.client)
        self.ways = (
            Way(conditions, random.Random(seed + 2)),
            Way(conditions, random.Random(seed + 3)),
        )
        """From the server, from the client."""
        self.received: tuple[list[tuple[float, bytes]], list[tuple[float, bytes]]] = ([], [])
        """When which message came, at the server, at the client."""
        self.ended: dict[int, tuple[float, WireError]] = {}
        """Which end gave up, when and why; it is left alone from then on."""
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._scheduled = 0
        self._steps = 0

    def at(self, moment: float, call: Callable[[], None]) -> None:
        """Do something when that time has come."""
        heapq.heappush(self._events, (moment, self._scheduled, call))
        self._scheduled += 1

    def conditions(self, conditions: Conditions) -> None:
        """From here on the link is like that."""
        for way in self.ways:
            way.conditions = conditions

    def run(self, seconds: float, done: Callable[[], bool] = lambda: False) -> bool:
        """Let time pass, so much of it at most, until something is so; whether it is."""
        end = self.now + seconds
        self._flush()
        while not done():
            moment = min((self._next_event(), *map(self._deadline, (SERVER, CLIENT))))
            if moment > end:
                self.now = end
                return False
            self._step(max(moment, self.now))
        return True

    def idle(self) -> bool:
        """Whether everything that was sent has arrived and been acknowledged."""
        return all(_sender(stream).idle for stream in self.streams)

    def _next_event(self) -> float:
        return self._events[0][0] if self._events else float("inf")

    def _deadline(self, end: int) -> float:
        moment = None if end in self.ended else self.streams[end].deadline()
        return float("inf") if moment is None else moment

    def _step(self, now: float) -> None:
        self._steps = self._steps + 1 if now == self.now else 0
        assert self._steps < MOST_STEPS_AT_ONCE, f"the streams keep each other busy at {now}"
        self.now = now
        while self._next_event() <= now:
            heapq.heappop(self._events)[2]()
        for end, stream in enumerate(self.streams):
            if self._deadline(end) <= now:
                try:
                    stream.expire(now)
                except WireError as error:
                    self.ended[end] = now, error
        self._flush()

    def _flush(self) -> None:
        for end, stream in enumerate(self.streams):
            for datagram in stream.outgoing(self.now):
                for moment in self.ways[end].arrivals(datagram, self.now):
                    self.at(moment, _Arrival(self, 1 - end, datagram))

    def arrive(self, end: int, datagram: bytes) -> None:
        """A datagram is there."""
        if end in self.ended:
            return
        stream = self.streams[end]
        try:
            stream.receive(datagram, self.now)
            while (message := stream.next_message()) is not None:
                self.received[end].append((self.now, message))
        except WireError as error:
            self.ended[end] = self.now, error


@attrs.frozen
class _Arrival:
    link: Link
    end: int
    datagram: bytes

    def __call__(self) -> None:
        self.link.arrive(self.end, self.datagram)


def connected(
    conditions: Conditions,
    seed: int = 1,
    settings: StreamSettings | None = None,
    *,
    first_sequence: int = 0,
) -> Link:
    """A link whose ends have each other's key, after a quiet beginning.

    `first_sequence`: both directions go on with this sequence number.
    """
    link = Link(Conditions(delay=conditions.delay), seed, settings or StreamSettings())
    link.client.connect(link.now)
    assert link.run(10.0, lambda: link.server.keyed and link.client.keyed and link.idle())
    if first_sequence:
        for stream, peer in (link.streams, link.streams[::-1]):
            max_length = _sender(stream).max_length
            stream._sender = Sender(stream.settings, stream.statistics, first_sequence)
            stream._sender.max_length = max_length
            peer._receiver._expected = first_sequence
    link.conditions(conditions)
    return link


def _sender(stream: EqStream) -> Sender:
    return stream._sender


@attrs.frozen
class Latency:
    """From sending to arrival, in seconds."""

    p50: float
    p95: float
    worst: float


def small_message_latency(
    loss: float, *, messages: int = 1000, every: float = 0.05, delay: float = 0.05, seed: int = 1
) -> Latency:
    """How long a message of 32 bytes takes from the server to the client, one every 50 ms."""
    link = connected(Conditions(loss=loss, delay=delay), seed)
    start = link.now

    def send(number: int) -> None:
        link.server.send_many([b"\x22" + number.to_bytes(4, "big") + bytes(27)])
        if number + 1 < messages:
            link.at(start + (number + 1) * every, lambda: send(number + 1))

    link.at(start, lambda: send(0))
    if not link.run(messages * every + 60, lambda: len(link.received[CLIENT]) == messages):
        raise RuntimeError(f"not everything arrived: {link.ended}")
    took = sorted(
        moment - (start + int.from_bytes(message[1:5], "big") * every)
        for moment, message in link.received[CLIENT]
    )
    return Latency(took[len(took) // 2], took[len(took) * 95 // 100], took[-1])
