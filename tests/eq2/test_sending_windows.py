"""The sending half of an EQStream: windows and rate, what a call costs, and everything at once."""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING

import pytest

from protocol.endings import PeerGone
from protocol.eq2.stream.settings import KIB, RESEND_PASS_PACKETS, RESEND_PASS_SECONDS, StreamSettings
from tests.kit.eq2_sending import in_flight, sender, sequences

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from _typeshed import TraceFunction

# Windows and rate


def test_the_congestion_window_holds_fresh_packets_back() -> None:
    stream = sender()
    for _ in range(10):
        stream.push(bytes(506))
    clogged = [stream.clogged]
    assert len(stream.take(0.0)) == 4
    clogged.append(stream.clogged)
    assert not stream.ready(0.0)
    stream.acknowledge(1, 0.1)
    assert stream.ready(0.1)
    assert len(stream.take(0.1)) == 4
    stream.acknowledge(7, 0.2)
    stream.take(0.2)
    clogged.append(stream.clogged)
    assert clogged == [False, True, False]


def test_fewer_than_2048_packets_are_in_flight() -> None:
    stream = sender()
    stream.congestion.window = 10_000_000
    for _ in range(3000):
        stream.push(b"")
    assert len(stream.take(0.0)) == 2047
    stream.acknowledge_one(1, 0.1)
    assert stream.take(0.1) == []
    stream.acknowledge(1, 0.1)
    assert sequences(stream.take(0.1)) == [2047, 2048]


def test_what_was_acknowledged_early_is_passed_over_once_the_oldest_is() -> None:
    stream = sender(StreamSettings(window=4))
    for _ in range(10):
        stream.push(b"")
    assert sequences(stream.take(0.0)) == [0, 1, 2, 3]
    stream.acknowledge_one(1, 0.1)
    stream.acknowledge_one(2, 0.1)
    assert stream.take(0.1) == []
    stream.acknowledge(0, 0.1)
    assert sequences(stream.take(0.1)) == [4, 5, 6]


def test_tokens_pace_what_leaves_and_the_deadline_says_when() -> None:
    stream = sender(StreamSettings(rate_kib=1.0, burst_kib=1.0))
    for _ in range(4):
        stream.push(bytes(506))
    assert len(stream.take(0.0)) == 2
    assert stream.clogged
    assert stream.deadline() == pytest.approx(0.5)
    assert not stream.ready(0.49)
    assert stream.take(0.49) == []
    assert stream.ready(0.5)
    assert len(stream.take(0.5)) == 1


def test_what_bypasses_the_bucket_is_charged() -> None:
    stream = sender(StreamSettings(rate_kib=1.0, burst_kib=1.0))
    stream.push(bytes(506))
    stream.charge(1024, 0.0)
    assert stream.take(0.0) == []
    assert stream.deadline() == pytest.approx(0.5)


def test_what_is_sent_again_needs_tokens_too() -> None:
    stream = sender(StreamSettings(rate_kib=0.5, burst_kib=0.5))
    stream.push(bytes(506))
    assert len(stream.take(0.0)) == 1
    stream.charge(512, 1.0)
    stream.expire(1.0)
    assert stream.take(1.0) == []
    assert stream.deadline() == pytest.approx(2.0)
    assert len(stream.take(2.0)) == 1


@pytest.mark.parametrize(("size", "most"), [(20, RESEND_PASS_PACKETS), (506, 140 * KIB // 512)])
def test_one_pass_sends_a_bounded_amount_again(size: int, most: int) -> None:
    stream = in_flight(700, size)
    # What arrives after all of them, so that they all are holes at once.
    for _ in range(3):
        stream.push(b"")
    stream.congestion.window = 10_000_000
    stream.take(0.0)
    for seq in (700, 701, 702):
        stream.acknowledge_one(seq, 0.1)
    assert len(stream.take(0.1)) == most
    assert stream.take(0.1) == []
    assert stream.deadline() == pytest.approx(0.1 + RESEND_PASS_SECONDS)
    assert sequences(stream.take(0.1 + RESEND_PASS_SECONDS))[0] == most


# What it costs


class Lines:
    """Counts the lines of Python that run."""

    def __init__(self) -> None:
        self.counted = 0

    def trace(self, frame: FrameType, event: str, argument: object) -> TraceFunction:
        self.counted += event == "line"
        return self.trace


def lines(call: Callable[[], object]) -> int:
    """Lines of Python that run in a call."""
    counter = Lines()
    before = sys.gettrace()
    sys.settrace(counter.trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return counter.counted


def test_what_a_call_costs_does_not_depend_on_what_is_in_flight() -> None:
    costs = []
    for number in (50, 2000):
        stream = in_flight(number)
        stream.push(b"")
        costs.append(
            [
                lines(lambda: stream.acknowledge(9, 0.1)),  # noqa: B023
                lines(lambda: stream.acknowledge_one(20, 0.1)),  # noqa: B023
                lines(lambda: stream.take(0.1)),  # noqa: B023
                lines(stream.deadline),
                lines(lambda: stream.expire(0.1)),  # noqa: B023
            ]
        )
    # A line or two for what phase the window is in.
    assert costs[0] == pytest.approx(costs[1], abs=2)


def test_what_a_stream_costs_grows_with_what_it_sends_only() -> None:
    """Window after window, all acknowledged: twice as many packets, twice the work."""

    def cost(number: int) -> int:
        stream = sender()

        def run() -> None:
            now = 0.0
            sent = 0
            for _ in range(number):
                stream.push(b"")
            while not stream.idle:
                sent += len(stream.take(now))
                stream.deadline()
                now += 0.05
                stream.expire(now)
                stream.acknowledge((sent - 1) % 65536, now)

        return lines(run)

    small, large = cost(2000), cost(8000)
    assert large < 4.2 * small


# Everything at once


@pytest.mark.parametrize(
    ("loss", "selective"), [(0.0, True), (0.0, False), (0.1, True), (0.1, False), (0.3, True)]
)
def test_everything_arrives_over_a_link_that_loses(loss: float, selective: bool) -> None:
    """A peer in a few lines: it stores what comes early and acknowledges it at once, or only in order."""
    dice = random.Random(7)
    stream = sender(StreamSettings(), first_sequence=65000)
    payloads = [number.to_bytes(4, "big") * dice.choice((1, 10, 100)) for number in range(1000)]
    for payload in payloads:
        stream.push(payload)
    expected = 65000
    stored: dict[int, bytes] = {}
    delivered: list[bytes] = []
    now = 0.0
    arrivals: list[tuple[float, bytes]] = []
    while not stream.idle:
        assert now < 300
        frames = [frame for frame in stream.take(now) if dice.random() >= loss]
        arrivals += [(now + 0.05, frame) for frame in frames]
        events = [stream.deadline(), arrivals[0][0] if arrivals else None]
        now = min(event for event in events if event is not None)
        while arrivals and arrivals[0][0] <= now:
            frame = arrivals.pop(0)[1]
            seq = int.from_bytes(frame[2:4], "big")
            if (seq - expected) % 65536 < 2048:
                stored[seq] = frame[4:]
            early = seq != expected % 65536
            while expected % 65536 in stored:
                delivered.append(stored.pop(expected % 65536))
                expected += 1
            if dice.random() < loss:
                continue
            if not early:
                stream.acknowledge((expected - 1) % 65536, now)
            elif selective or seq not in stored:
                stream.acknowledge_one(seq, now)
        stream.expire(now)
    assert delivered == payloads
    assert stream.congestion.outstanding == 0
    assert stream.held == 0


@pytest.mark.parametrize("seed", range(10))
def test_no_peer_can_make_the_books_wrong(seed: int) -> None:
    """Acknowledgements of anything, at any time: what counts as outstanding and as held stays right."""
    dice = random.Random(seed)
    stream = sender(StreamSettings(window=64), first_sequence=65500)
    now = 0.0
    newest = 65500
    for _ in range(1500):
        stream.push(bytes(dice.choice((0, 20, 300, 1500))))
        newest += len(stream.take(now))
        near = (newest - dice.randrange(100)) % 65536
        for _ in range(dice.randrange(4)):
            seq = near if dice.random() < 0.9 else dice.randrange(65536)
            acknowledge = stream.acknowledge if dice.random() < 0.2 else stream.acknowledge_one
            acknowledge(seq, now)
        now += dice.choice((0.0, 0.01, 0.1))
        deadline = stream.deadline()
        if deadline is not None and dice.random() < 0.5:
            now = max(now, min(deadline, now + 1))
        try:
            stream.expire(now)
        except PeerGone:
            break
        assert 0 <= stream.congestion.outstanding <= stream.held
    while not stream.idle:
        newest += len(stream.take(now))
        stream.acknowledge((newest + 70) % 65536, now)
        for behind in range(200):
            stream.acknowledge_one((newest - behind) % 65536, now)
        now += 0.5
    assert (stream.congestion.outstanding, stream.held) == (0, 0)
