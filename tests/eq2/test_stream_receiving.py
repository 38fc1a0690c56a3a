"""Order, acknowledgements, reassembly of the receiving half."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.eq2.stream.receiving import Receiver
from protocol.eq2.stream.settings import REASSEMBLY_BYTES, REASSEMBLY_SECONDS
from protocol.eq2.stream.statistics import Statistics
from tests.kit.eqstreams import reliable_frames

if TYPE_CHECKING:
    import random

WINDOW = 2047


def receiver(window: int = WINDOW, expected: int = 0) -> Receiver:
    made = Receiver(Statistics(), window)
    made._expected = expected
    return made


def payloads(end: Receiver) -> list[bytes]:
    return list(iter(end.next, None))


def acks(end: Receiver) -> list[tuple[int, int]]:
    return [(frame[1], int.from_bytes(frame[2:], "big")) for frame in end.acks()]


def first(seq: int, total: int, data: bytes, end: Receiver, now: float = 0.0) -> None:
    end.fragment(seq, total.to_bytes(4, "big") + data, now)


def test_in_order() -> None:
    end = receiver()
    for seq in range(3):
        end.packet(seq, b"%d" % seq, 0.0)
    assert payloads(end) == [b"0", b"1", b"2"]
    assert [end.acks_owed, acks(end), end.acks_owed] == [True, [(0x15, 2)], False]
    assert acks(end) == []


def test_early_late_and_again() -> None:
    end = receiver()
    end.packet(2, b"2", 0.0)
    end.packet(1, b"1", 0.0)
    end.packet(2, b"2", 0.0)
    assert payloads(end) == []
    assert acks(end) == [(0x11, 2), (0x11, 1)]
    end.packet(0, b"0", 0.0)
    assert payloads(end) == [b"0", b"1", b"2"]
    assert acks(end) == [(0x15, 2)]
    end.packet(1, b"other", 0.0)
    assert payloads(end) == []
    assert acks(end) == [(0x11, 1)]
    assert end._statistics.past_packets == 1
    assert end._statistics.future_packets == 3


def test_the_documents_two_names_are_one_frame() -> None:
    for name in ("ack_future", "ack_past"):
        end = receiver()
        getattr(end, name)(0x1234)
        assert end.acks() == [b"\0\x11\x12\x34"]


def test_numbers_wrap() -> None:
    end = receiver(expected=65533)
    order = [65535, 0, 65534, 65533, 2, 1, 65535]
    for seq in order:
        end.packet(seq, b"%d" % seq, 0.0)
    assert payloads(end) == [b"65533", b"65534", b"65535", b"0", b"1", b"2"]
    assert acks(end) == [(0x15, 2), (0x11, 65535), (0x11, 0), (0x11, 65534), (0x11, 2)]


@pytest.mark.parametrize("expected", [0, 1, 30_000, 63_500, 65_535])
@pytest.mark.parametrize("window", [1, 100, WINDOW])
def test_the_window(expected: int, window: int) -> None:
    for ahead in (1, window, window + 1, 2048, 32_767, 32_768, 65_535):
        end = receiver(window, expected)
        end.packet((expected + ahead) & 0xFFFF, b"early", 0.0)
        kept = bool(end._future)
        assert kept == (ahead <= window)
        assert end._statistics.future_packets == kept
        assert end._statistics.past_packets == (not kept)


def test_what_comes_early_is_bounded() -> None:
    end = receiver()
    for seq in range(1, WINDOW + 1):
        end.packet(seq, bytes(2040), 0.0)
    assert end._future_bytes <= 1 << 20
    assert len(end.acks()) <= 512
    assert not any(seq not in end._future for _, seq in acks(end))
    end.packet(0, b"", 0.0)
    assert end._future_bytes == 0
    assert len(payloads(end)) == 1 + (1 << 20) // 2040


def test_acknowledgements_owed_are_bounded() -> None:
    end = receiver(expected=5000)
    for seq in range(5000):
        end.packet(seq, b"old", 0.0)
    assert len(end.acks()) == 512


def test_fragments() -> None:
    end = receiver()
    first(0, 6, b"ab", end)
    end.fragment(2, b"ef", 0.0)
    end.packet(3, b"next", 0.0)
    assert payloads(end) == []
    assert end.deadline() == REASSEMBLY_SECONDS
    end.fragment(1, b"cd", 0.0)
    assert payloads(end) == [b"abcdef", b"next"]
    assert end.deadline() is None
    assert acks(end) == [(0x15, 3), (0x11, 2), (0x11, 3)]


def test_one_fragment_may_be_everything() -> None:
    end = receiver()
    first(0, 2, b"ab", end)
    first(1, 1, b"c", end)
    assert payloads(end) == [b"ab", b"c"]


@pytest.mark.parametrize("total", [0, REASSEMBLY_BYTES + 1, 0xFFFFFFFF])
def test_sizes_that_cannot_be(total: int) -> None:
    with pytest.raises(WireError, match="bad_fragment"):
        first(0, total, b"ab", receiver())


@pytest.mark.parametrize("data", [b"", b"\0\0\0", b"\0\0\0\5"])
def test_a_first_fragment_without_data(data: bytes) -> None:
    with pytest.raises(WireError, match="bad_fragment"):
        receiver().fragment(0, data, 0.0)


def test_more_than_was_announced() -> None:
    end = receiver()
    first(0, 3, b"ab", end)
    with pytest.raises(WireError, match="bad_fragment: 4 bytes of 3"):
        end.fragment(1, b"cd", 0.0)
    with pytest.raises(WireError, match="bad_fragment: 4 bytes of 3"):
        first(0, 3, b"abcd", receiver())


def test_a_packet_between_fragments() -> None:
    end = receiver()
    first(0, 3, b"ab", end)
    with pytest.raises(WireError, match="a packet after 2 of 3"):
        end.packet(1, b"x", 0.0)


def test_an_error_that_waited_in_the_store() -> None:
    end = receiver()
    end.packet(1, b"x", 0.0)
    with pytest.raises(WireError, match="a packet after"):
        first(0, 3, b"ab", end)


def test_never_finished() -> None:
    end = receiver()
    first(0, 600, b"ab", end, 5.0)
    for seq in range(1, 30):
        end.fragment(seq, b"x", 5.0 + seq)
    end.expire(34.9)
    with pytest.raises(WireError, match="31 of 600 bytes after 30 s"):
        end.expire(35.0)
    assert not end._partial
    assert end.deadline() is None
    end.expire(99.0)


def test_nothing_is_reserved_for_what_is_announced() -> None:
    end = receiver()
    first(0, REASSEMBLY_BYTES, b"a", end)
    assert len(end._partial) == 1


def test_ten_thousand_sessions_with_one_fragment_each() -> None:
    """R-11: what none of them finishes is gone after 30 s."""
    ends = [receiver() for _ in range(10_000)]
    for end in ends:
        first(0, REASSEMBLY_BYTES, bytes(490), end)
    gone = 0
    for end in ends:
        assert end.deadline() == REASSEMBLY_SECONDS
        try:
            end.expire(REASSEMBLY_SECONDS)
        except WireError:
            gone += 1
    assert gone == 10_000
    assert sum(len(end._partial) for end in ends) == 0


@given(
    st.lists(st.binary(min_size=1, max_size=700), min_size=1, max_size=25),
    st.integers(0, 65_535),
    st.randoms(use_true_random=False),
    st.integers(128, 512),
)
def test_any_order_and_any_repetition(
    sent: list[bytes], start: int, dice: random.Random, length: int
) -> None:
    """Frames of a real sender, shuffled, repeated, in pieces: the same payloads in the same order, and what
    is acknowledged in the end is everything."""
    frames = reliable_frames(sent, start, length)
    shuffled = [*frames, *dice.choices(frames, k=len(frames))]
    dice.shuffle(shuffled)
    end = receiver(expected=start)
    got: list[bytes] = []
    acknowledged: set[int] = set()
    for frame in shuffled:
        seq = int.from_bytes(frame[2:4], "big")
        (end.fragment if frame[1] == 0x0D else end.packet)(seq, frame[4:], 0.0)
        if dice.random() < 0.3:
            got += payloads(end)
            acknowledged.update(seq for _, seq in acks(end))
    got += payloads(end)
    acknowledged.update(seq for _, seq in acks(end))
    assert got == sent
    assert (start + len(frames) - 1) & 0xFFFF in acknowledged
    assert end.newest == (start + len(frames) - 1) & 0xFFFF
    assert not end._future
    assert end._future_bytes == 0
    assert end.deadline() is None
