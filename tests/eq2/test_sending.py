"""The sending half of an EQStream: what leaves, when, and what is done about silence."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from protocol.endings import PeerGone, PeerTooSlow
from protocol.eq2.stream.congestion import Phase
from protocol.eq2.stream.sending import Sender
from protocol.eq2.stream.settings import (
    KIB,
    RESEND_PASS_PACKETS,
    RESEND_PASS_SECONDS,
    UNACKNOWLEDGED_BYTES,
    StreamSettings,
)
from protocol.eq2.stream.statistics import Statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

    from _typeshed import TraceFunction

GOLDEN = Path(__file__).parents[1] / "golden/eq2/wire.json"

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


# Frames


def test_packets_are_numbered_from_0() -> None:
    stream = sender()
    stream.push(b"abc")
    stream.push(b"")
    assert stream.take(0.0) == [b"\x00\x09\x00\x00abc", b"\x00\x09\x00\x01"]


def test_numbers_wrap() -> None:
    stream = in_flight(3, first_sequence=65535)
    stream.acknowledge(0, 0.1)
    assert stream.held == 26
    stream.acknowledge(1, 0.1)
    assert stream.held == 0
    stream.push(b"x")
    assert sequences(stream.take(0.2)) == [2]


def test_fragments_as_the_other_implementation_makes_them() -> None:
    recorded = json.loads(GOLDEN.read_text())["fragments_opcode10_body_lcg3000_maxlen512"]
    frames = [bytes.fromhex(datagram)[:-2] for datagram in recorded]
    payload = frames[0][8:] + b"".join(frame[4:] for frame in frames[1:])
    stream = sender()
    stream.congestion.window = 10_000
    stream.push(payload)
    assert stream.take(0.0) == frames
    assert [len(frame) for frame in frames[:3]] == [8 + 502, 4 + 506, 4 + 506]


@pytest.mark.parametrize("crc_length", [0, 2, 4])
@pytest.mark.parametrize("max_length", [128, 512, 1400])
def test_no_datagram_is_longer_than_allowed_and_totals_are_exact(max_length: int, crc_length: int) -> None:
    dice = random.Random(max_length)
    room = max_length - crc_length - 4
    for length in (0, 1, room, room + 1, 2 * room - 4, 2 * room - 3, 5000):
        stream = sender(StreamSettings(crc_length=crc_length, rate_kib=1e6, burst_kib=1e6))
        stream.max_length = max_length
        stream.congestion.window = 1_000_000
        payload = dice.randbytes(length)
        stream.push(payload)
        frames = stream.take(0.0)
        assert sequences(frames) == list(range(len(frames)))
        if length <= room:
            assert [frame[4:] for frame in frames] == [payload]
            continue
        assert {frame[:2] for frame in frames} == {b"\x00\x0d"}
        assert {len(frame) + crc_length for frame in frames[:-1]} == {max_length}
        assert 4 < len(frames[-1]) <= max_length - crc_length
        assert int.from_bytes(frames[0][4:8], "big") == length
        assert frames[0][8:] + b"".join(frame[4:] for frame in frames[1:]) == payload


def test_more_than_4_mib_for_a_peer_that_takes_nothing_is_too_much() -> None:
    stream = sender()
    for _ in range(15):
        stream.push(bytes(256 * KIB))
    stream.take(0.0)
    with pytest.raises(PeerTooSlow):
        stream.push(bytes(256 * KIB))
    assert UNACKNOWLEDGED_BYTES - 260 * KIB < stream.held <= UNACKNOWLEDGED_BYTES


def test_what_is_acknowledged_is_not_held() -> None:
    stream = in_flight(4)
    assert stream.held == 4 * (20 + 4 + 2)
    stream.acknowledge(1, 0.1)
    stream.acknowledge_one(3, 0.1)
    assert stream.held == 26
    stream.acknowledge(3, 0.2)
    assert stream.held == 0
    assert stream.idle
    assert stream.congestion.outstanding == 0


# Acknowledgements


def test_an_acknowledgement_of_what_was_never_sent_is_counted_and_ignored() -> None:
    stream = in_flight(3)
    stream.push(b"waits")
    for seq in (3, 4, 20_000, 65_535):
        stream.acknowledge(seq, 0.1)
        stream.acknowledge_one(seq, 0.1)
    assert stream.statistics.unsent_acknowledged == 8
    assert stream.held == 3 * 26 + 11


def test_an_acknowledgement_that_comes_again_or_late_is_nothing() -> None:
    stream = in_flight(5, first_sequence=65534)
    stream.acknowledge(0, 0.1)
    held = stream.held
    for seq in (65534, 65535, 0):
        stream.acknowledge(seq, 0.2)
        stream.acknowledge_one(seq, 0.2)
    assert stream.held == held
    assert stream.statistics.unsent_acknowledged == 0


def test_a_selective_acknowledgement_is_of_that_packet_only() -> None:
    stream = in_flight(3)
    stream.acknowledge_one(1, 0.1)
    assert next_resend(stream)[1][0][2:4] == b"\x00\x00"
    stream.acknowledge_one(0, 0.5)
    stream.acknowledge_one(2, 0.5)
    assert stream.idle


def test_acknowledgements_work_across_the_wrap() -> None:
    stream = sender()
    sent = 0
    for _ in range(700):
        for _ in range(100):
            stream.push(b"")
        frames = stream.take(0.0)
        assert sequences(frames) == [(sent + n) % 65536 for n in range(100)]
        sent += 100
        stream.acknowledge((sent - 1) % 65536, 0.0)
    assert sent > 65536
    assert stream.idle
    assert stream.statistics.unsent_acknowledged == 0


# Timeouts


def test_a_packet_is_sent_again_byte_for_byte_after_a_second_without_samples() -> None:
    stream = sender()
    stream.push(b"ciphertext")
    [frame] = stream.take(5.0)
    assert stream.deadline() == 6.0
    stream.expire(5.999)
    assert stream.take(5.999) == []
    stream.expire(6.0)
    assert stream.ready(6.0)
    assert stream.take(6.0) == [frame]
    assert stream.statistics.retransmissions == 1
    assert stream.statistics.timeouts == 1


def test_timeouts_of_one_packet_double_up_to_three_seconds() -> None:
    stream = in_flight(1)
    stream.acknowledge(0, 0.04)
    stream.push(b"")
    stream.take(10.0)
    times = [next_resend(stream)[0] - 10 for _ in range(6)]
    assert times == pytest.approx([0.2, 0.6, 1.4, 3.0, 6.0, 9.0])


def test_a_packet_keeps_its_doubled_timeout_when_others_are_measured() -> None:
    stream = in_flight(1)
    stream.acknowledge(0, 0.04)
    stream.push(b"")
    stream.take(10.0)
    times = []
    for number, sent in ((2, 10.15), (3, 10.55)):
        stream.push(b"")
        stream.take(sent)
        times.append(next_resend(stream)[0])
        stream.acknowledge_one(number, sent + 0.06)
        assert stream.round_trip.rto < 250
    times.append(next_resend(stream)[0])
    assert times == pytest.approx([10.2, 10.6, 11.4])


def test_without_any_acknowledgement_for_ten_seconds_the_peer_is_gone() -> None:
    stream = in_flight(2)
    times = []
    with pytest.raises(PeerGone, match="nothing acknowledged"):  # noqa: PT012
        while True:
            times += [next_resend(stream)[0]]
    assert 7 <= times[-1] < 10
    stream = in_flight(2)
    stream.expire(9.5)
    stream.acknowledge(0, 9.5)
    stream.expire(19.25)
    with pytest.raises(PeerGone, match="nothing acknowledged"):
        stream.expire(19.5)


def test_silence_counts_only_while_something_is_unacknowledged() -> None:
    stream = in_flight(1)
    stream.acknowledge(0, 0.1)
    assert stream.deadline() is None
    stream.push(b"")
    stream.take(1000.0)
    stream.expire(1000.0)
    assert stream.deadline() == pytest.approx(1000.3)


def test_after_ten_resends_of_one_packet_the_peer_is_gone() -> None:
    stream = in_flight(1)
    resends = 0
    now = 0.0
    with pytest.raises(PeerGone, match="after 11 sendings"):  # noqa: PT012
        for _ in range(100):
            # An acknowledgement of anything keeps the rule of ten seconds out of this.
            stream.push(b"")
            frames = stream.take(now)
            resends += sequences(frames).count(0) if now else 0
            for seq in set(sequences(frames)) - {0}:
                stream.acknowledge_one(seq, now)
            now += 0.5
            stream.expire(now)
    assert resends == 10
    assert now < 30


def test_a_packet_that_is_not_acknowledged_for_thirty_seconds_is_too_much() -> None:
    stream = in_flight(2)
    for second in range(29):
        stream.acknowledge_one(1, float(second))
        stream.expire(float(second))
    stream.acknowledge_one(1, 29.999)
    stream.expire(29.999)
    with pytest.raises(PeerGone, match="not acknowledged for 30 s"):
        stream.expire(30.0)


def test_a_timeout_begins_anew_with_one_packet() -> None:
    stream = in_flight(30, size=400)
    window = stream.congestion.window
    now, frames = next_resend(stream)
    assert now == 1.0
    assert sequences(frames) == [0]
    assert stream.congestion.window == 512
    assert stream.congestion.threshold == window // 2
    assert stream.statistics.timeouts == 1


def test_what_was_in_flight_together_reduces_the_window_once() -> None:
    stream = in_flight(1)
    stream.congestion.window = 40_000
    stream.push(b"")
    stream.take(0.1)
    stream.push(b"")
    stream.take(0.2)
    for now in (1.0, 1.1, 1.2):
        stream.expire(now)
    assert stream.congestion.threshold == 20_000


def test_a_peer_that_acknowledges_only_in_order_gets_only_what_it_misses() -> None:
    """Packet 0 of 40 got lost, the peer stored the others and said nothing (eq2emu)."""
    stream = in_flight(40, size=400)
    now, frames = next_resend(stream)
    assert sequences(frames) == [0]
    stream.acknowledge(39, now + 0.05)
    assert stream.idle
    assert stream.take(now + 0.05) == []
    assert stream.statistics.retransmissions == 1


def test_while_acknowledgements_come_in_a_queue_on_the_way_is_no_loss() -> None:
    """40 packets wait in a queue that lets one through every 100 ms; the timeout is 200 ms."""
    stream = in_flight(1)
    stream.acknowledge(0, 0.02)
    for _ in range(40):
        stream.push(bytes(500))
    stream.congestion.window = 40 * 512
    stream.take(1.0)
    for number in range(1, 38):
        now = 1.0 + number / 10
        stream.expire(now)
        assert stream.take(now) == []
        stream.acknowledge(number, now)
    assert stream.statistics.timeouts == 0


def test_with_little_in_flight_the_timeout_counts_from_the_sending() -> None:
    stream = in_flight(1)
    stream.acknowledge(0, 0.05)
    for _ in range(2):
        stream.push(b"")
    stream.take(1.0)
    stream.acknowledge(1, 1.15)
    now, frames = next_resend(stream)
    assert sequences(frames) == [2]
    assert now < 1.15 + 0.2


def test_a_shorter_timeout_holds_for_what_was_sent_before() -> None:
    """Packets 0 to 3 left when a timeout was a second; the peer acknowledges in order only."""
    stream = in_flight(4)
    stream.acknowledge(0, 0.05)
    assert stream.round_trip.rto == 200
    stream.push(b"")
    stream.take(0.06)
    now, frames = next_resend(stream)
    assert now < 0.3
    assert sequences(frames)[0] == 1


# Round trips


def test_a_round_trip_is_measured_and_counted() -> None:
    stream = in_flight(1, now=3.0)
    stream.acknowledge(0, 3.25)
    assert stream.round_trip.srtt == 250
    assert stream.statistics.rtt_last_ms == 250


def test_karn_no_round_trip_is_taken_from_what_was_sent_twice() -> None:
    stream = in_flight(1)
    stream.expire(1.0)
    stream.take(1.0)
    stream.acknowledge(0, 1.01)
    assert stream.idle
    assert stream.round_trip.srtt is None
    assert stream.statistics.rtt_samples == 0


def test_karn_the_doubled_timeout_holds_until_there_is_a_sample() -> None:
    """Else a round trip longer than the timeout is never measured: everything is always sent twice."""
    stream = in_flight(1)
    stream.acknowledge(0, 0.05)
    now = 1.0
    for number in range(1, 6):
        stream.push(b"")
        stream.take(now)
        arrives = now + 1.5
        while (deadline := stream.deadline()) is not None and deadline < arrives:
            stream.expire(deadline)
            stream.take(deadline)
        stream.acknowledge(number, arrives)
        now = arrives + 0.1
    assert stream.round_trip.srtt is not None
    assert stream.round_trip.srtt > 200
    assert stream.round_trip.usual > 1500


def test_a_cumulative_acknowledgement_measures_the_newest_packet_only() -> None:
    stream = in_flight(1)
    stream.push(b"")
    stream.take(0.5)
    stream.acknowledge(1, 0.6)
    assert stream.statistics.rtt_samples == 1
    assert stream.statistics.rtt_last_ms == pytest.approx(100)


def test_karn_holds_for_selective_acknowledgements_too() -> None:
    stream = in_flight(3)
    stream.expire(1.0)
    stream.congestion.window = 10_000
    assert sequences(stream.take(1.0)) == [0, 1, 2]
    stream.acknowledge_one(1, 1.01)
    assert stream.statistics.rtt_samples == 0


def test_what_a_lost_packet_held_up_is_not_measured() -> None:
    stream = in_flight(1)
    stream.push(b"")
    stream.take(0.9)
    stream.expire(1.0)
    stream.take(1.0)
    stream.acknowledge(1, 1.1)
    assert stream.statistics.rtt_samples == 0


# Holes


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
