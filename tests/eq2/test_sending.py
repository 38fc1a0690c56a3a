"""The sending half of an EQStream: frames, and what is acknowledged."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from protocol.endings import PeerTooSlow
from protocol.eq2.stream.settings import KIB, UNACKNOWLEDGED_BYTES, StreamSettings
from tests.kit.eq2_sending import in_flight, next_resend, sender, sequences

GOLDEN = Path(__file__).parents[1] / "golden/eq2/wire.json"


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
