"""The sending half of an EQStream: holes, which later packets show before a timeout does."""

from __future__ import annotations

import pytest

from protocol.eq2.stream.congestion import Phase
from protocol.eq2.stream.settings import StreamSettings
from tests.kit.eq2_sending import in_flight, sender, sequences


def test_the_third_packet_that_arrives_after_it_shows_a_hole() -> None:
    stream = in_flight(5)
    stream.acknowledge_one(1, 0.1)
    stream.acknowledge_one(2, 0.1)
    assert stream.take(0.1) == []
    stream.acknowledge_one(2, 0.1)
    assert stream.take(0.1) == []
    stream.acknowledge_one(4, 0.1)
    assert sequences(stream.take(0.1)) == [0]
    assert stream.statistics.holes == 1
    assert stream.statistics.timeouts == 0


def test_a_hole_halves_the_window_until_it_is_closed() -> None:
    stream = in_flight(20)
    stream.congestion.window = 20_000
    for seq in (1, 2, 3):
        stream.acknowledge_one(seq, 0.1)
    window = stream.congestion.window
    assert (stream.congestion.phase, window) == (Phase.FAST_RECOVERY, 10_000 + 3 * 26 // 2)
    stream.take(0.1)
    for seq in range(5, 20):
        stream.acknowledge_one(seq, 0.15)
    # Packet 4 was in flight with packet 0: the window is not reduced for it again.
    assert stream.statistics.holes == 2
    assert (stream.congestion.phase, stream.congestion.window) == (Phase.FAST_RECOVERY, window)
    stream.acknowledge(3, 0.2)
    assert (stream.congestion.phase, stream.congestion.window) == (Phase.AVOIDANCE, window)


def test_the_packet_of_a_hole_leaves_however_full_the_reduced_window_is() -> None:
    stream = in_flight(40, size=506)
    stream.congestion.window = 40 * 512
    for seq in (1, 2, 4):
        stream.acknowledge_one(seq, 0.1)
    assert stream.congestion.outstanding > stream.congestion.window
    assert stream.ready(0.1)
    assert sequences(stream.take(0.1)) == [0]
    assert stream.take(0.1) == []


def test_the_packet_of_a_hole_waits_for_tokens_only() -> None:
    stream = sender(StreamSettings(rate_kib=4.0, burst_kib=4.0))
    stream.congestion.window = 4096
    for _ in range(8):
        stream.push(bytes(506))
    assert len(stream.take(0.0)) == 8
    stream.congestion.window = 1024
    for seq in (1, 2, 3):
        stream.acknowledge_one(seq, 0.03)
    assert not stream.congestion.allows(512)
    assert stream.take(0.03) == []
    assert stream.deadline() == pytest.approx(512 / 4096)
    assert sequences(stream.take(512 / 4096)) == [0]


def test_leave_to_pass_the_window_ends_with_the_hole() -> None:
    stream = in_flight(30, size=506)
    for seq in (1, 2, 4):
        stream.acknowledge_one(seq, 0.1)
    # It was only late. The next one to get lost was in flight with it and has to wait for the window.
    stream.acknowledge_one(0, 0.1)
    stream.congestion.window = 1024
    stream.acknowledge_one(5, 0.1)
    stream.acknowledge_one(6, 0.1)
    assert stream.statistics.holes == 2
    assert stream.take(0.1) == []


def test_a_hole_is_not_filled_again_before_something_sent_later_arrives() -> None:
    stream = in_flight(10)
    for seq in range(1, 4):
        stream.acknowledge_one(seq, 0.1)
    assert sequences(stream.take(0.1)) == [0]
    for seq in range(4, 10):
        stream.acknowledge_one(seq, 0.15)
        assert stream.take(0.15) == []
    for _ in range(3):
        stream.push(b"")
    assert sequences(stream.take(0.15)) == [10, 11, 12]
    for seq in (10, 11, 12):
        stream.acknowledge_one(seq, 0.2)
    assert sequences(stream.take(0.2)) == [0]


def test_a_packet_sent_again_proves_nothing_about_what_was_sent_before_that() -> None:
    """Packets 1 to 3 were only late: their acknowledgements do not mean that 0 got lost a second time."""
    stream = in_flight(4)
    stream.expire(1.0)
    stream.congestion.window = 10_000
    assert sequences(stream.take(1.0)) == [0, 1, 2, 3]
    for seq in (1, 2, 3):
        stream.acknowledge_one(seq, 1.01)
    assert stream.take(1.01) == []
    assert stream.statistics.holes == 0


def test_what_is_acknowledged_before_its_turn_is_not_sent_again() -> None:
    stream = in_flight(5)
    for seq in (1, 2, 3):
        stream.acknowledge_one(seq, 0.1)
    stream.acknowledge(3, 0.11)
    assert stream.take(0.11) == []
    assert not stream.ready(0.11)
    assert stream.congestion.outstanding == 26


def test_holes_are_filled_oldest_first_and_before_anything_fresh() -> None:
    stream = in_flight(10)
    stream.push(b"fresh")
    for seq in (3, 7, 8, 9):
        stream.acknowledge_one(seq, 0.1)
    assert sequences(stream.take(0.1)) == [0, 1, 2, 4, 5, 6, 10]


def test_something_fresh_and_small_does_not_overtake_what_was_lost() -> None:
    stream = in_flight(2, size=400)
    stream.push(b"small")
    stream.expire(1.0)
    assert sequences(stream.take(1.0)) == [0]
    assert stream.congestion.allows(11)
    assert stream.take(1.0) == []
    stream.acknowledge(0, 1.1)
    assert sequences(stream.take(1.1)) == [1, 2]
