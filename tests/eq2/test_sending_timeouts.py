"""The sending half of an EQStream: timeouts, and the round trips that they are worked out from."""

from __future__ import annotations

import pytest

from protocol.endings import PeerGone
from tests.kit.eq2_sending import in_flight, next_resend, sender, sequences

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
