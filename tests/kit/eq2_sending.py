"""What a test of the sending half of an EQStream sets up and asks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.eq2.stream.sending import Sender
from protocol.eq2.stream.settings import StreamSettings
from protocol.eq2.stream.statistics import Statistics

if TYPE_CHECKING:
    from collections.abc import Iterable


WIDE = StreamSettings(rate_kib=1e6, burst_kib=1e6)
"""A rate that limits nothing."""


def sender(settings: StreamSettings = WIDE, first_sequence: int = 0) -> Sender:
    return Sender(settings, Statistics(), first_sequence)


def sequences(frames: Iterable[bytes]) -> list[int]:
    return [int.from_bytes(frame[2:4], "big") for frame in frames]


def in_flight(number: int, size: int = 20, now: float = 0.0, first_sequence: int = 0) -> Sender:
    """So many packets have left at once; the window is as large as it must be for that."""
    stream = sender(first_sequence=first_sequence)
    stream.congestion.window = max(stream.congestion.window, number * 512)
    for _ in range(number):
        stream.push(bytes(size))
    assert len(stream.take(now)) == number
    return stream


def next_resend(stream: Sender) -> tuple[float, list[bytes]]:
    """Let time pass until something is sent again: when, and what."""
    for _ in range(1000):
        now = stream.deadline()
        assert now is not None
        stream.expire(now)
        if frames := stream.take(now):
            return now, frames
    raise AssertionError("the deadline comes and goes, and nothing is sent")
