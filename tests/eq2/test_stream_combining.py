"""Several frames in a datagram, several messages in a payload."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.eq2.stream.combining import (
    APP_COMBINED,
    DEEPEST,
    MOST_MESSAGES,
    combine,
    combine_run,
    read_length,
    split,
    split_messages,
    write_length,
)

LENGTHS = [
    (0, "00"),
    (1, "01"),
    (0xFD, "fd"),
    (0xFE, "ff00fe"),
    (0xFF, "ff00ff"),
    (0x100, "ff0100"),
    (0xFFFE, "fffffe"),
    (0xFFFF, "ffffff0000ffff"),
    (0x10000, "ffffff00010000"),
    (0xFFFFFFFF, "ffffffffffffff"),
]


@pytest.mark.parametrize(("length", "written"), LENGTHS)
def test_lengths_of_messages(length: int, written: str) -> None:
    assert write_length(length).hex() == written
    assert read_length(bytes.fromhex("77" + written), 1) == (length, 1 + len(written) // 2)


def test_a_plain_fe_is_read_as_a_length() -> None:
    assert read_length(b"\xfe", 0) == (0xFE, 1)


@pytest.mark.parametrize("cut", ["ff", "ff00", "ffffff", "ffffff000000"])
def test_a_length_that_is_cut_off(cut: str) -> None:
    with pytest.raises(WireError, match="cut off"):
        read_length(bytes.fromhex(cut), 0)


def combined(sent: list[bytes], limit: int) -> list[bytes]:
    return combine_run(b"".join(sent), [len(message) for message in sent], limit)


messages = st.lists(st.binary(min_size=1, max_size=300).map(lambda text: b"\5" + text), min_size=1)


@given(messages, st.integers(2, 2000))
def test_messages_come_back_and_the_limit_holds(sent: list[bytes], limit: int) -> None:
    payloads = combined(sent, limit)
    back = []
    for payload in payloads:
        if payload.startswith(APP_COMBINED):
            inner = split_messages(payload)
            assert len(inner) > 1
            assert len(payload) <= limit
            back += inner
        else:
            back.append(payload)
    assert back == sent


@pytest.mark.parametrize("size", [0xFD, 0xFE, 0xFF, 0x100, 0xFFFE, 0xFFFF, 0x10000])
def test_long_messages_share_a_payload_where_the_limit_allows(size: int) -> None:
    sent = [b"a" * size, b"b"]
    (payload,) = combined(sent, 1 << 20)
    assert split_messages(payload) == sent
    exact = len(payload)
    assert len(combined(sent, exact)) == 1
    assert combined(sent, exact - 1) == sent


def test_a_message_that_is_alone_stays_bare() -> None:
    assert combined([b"alone"], 250) == [b"alone"]
    assert combined([], 250) == []


def test_what_begins_with_a_zero_gets_another_one() -> None:
    assert combined([b"\0alone"], 250) == [b"\0\0alone"]
    (payload,) = combined([b"\0a", b"b"], 250)
    assert payload.hex() == "0019 03 000061 01 62".replace(" ", "")


@pytest.mark.parametrize("payload", ["0019ff", "001905aa", "0019ff000201", "0019ffffff0000000201"])
def test_a_length_that_lies_ends_the_session(payload: str) -> None:
    with pytest.raises(WireError, match="bad_combined"):
        split_messages(bytes.fromhex(payload))


def test_empty_messages_are_left_out() -> None:
    assert split_messages(bytes.fromhex("0019000161")) == [b"a"]
    assert split_messages(APP_COMBINED) == []


def test_too_many_messages() -> None:
    assert len(split_messages(APP_COMBINED + b"\1a" * MOST_MESSAGES)) == MOST_MESSAGES
    with pytest.raises(WireError, match="more than"):
        split_messages(APP_COMBINED + b"\1a" * (MOST_MESSAGES + 1))


def nested(payload: bytes, depth: int) -> bytes:
    for _ in range(depth):
        payload = APP_COMBINED + write_length(len(payload)) + payload
    return payload


def test_messages_nest_four_deep_and_no_deeper() -> None:
    assert split_messages(nested(b"a", DEEPEST)) == [b"a"]
    for depth in (DEEPEST + 1, 1000):
        with pytest.raises(WireError, match="deep"):
            split_messages(nested(b"a", depth))


frames = st.lists(st.binary(min_size=2, max_size=400))


@given(frames, st.integers(420, 510))
def test_frames_come_back_in_order_and_fit(sent: list[bytes], limit: int) -> None:
    back = []
    for datagram in combine(sent, limit):
        assert len(datagram) <= limit
        if len(datagram) > 2 and datagram not in sent:
            inner, whole = split(datagram)
            assert whole
            assert len(inner) > 1
            assert all(len(frame) < 255 for frame in inner)
            back += inner
        else:
            back.append(datagram)
    assert back == sent


def test_frames_of_255_bytes_and_more_stay_alone() -> None:
    small, large = b"\0\x15\0\1", b"\0\x09\0\1" + bytes(251)
    assert combine([small, large, small], 510) == [small, large, small]
    (both,) = combine([small, large[:-1]], 510)
    assert split(both) == ([small, large[:-1]], True)


def test_a_datagram_is_filled_to_the_last_byte_and_no_further() -> None:
    frames = [b"\0\x09" + bytes(size) for size in (100, 200, 100)]
    full = 2 + sum(1 + len(frame) for frame in frames)
    assert [len(datagram) for datagram in combine(frames, full)] == [full]
    assert [len(datagram) for datagram in combine(frames, full - 1)] == [2 + 103 + 203, 102]


@pytest.mark.parametrize(
    ("combined", "inner", "whole"),
    [
        ("0003", [], True),
        ("000300", [], True),
        ("00030161", ["61"], True),
        ("0003016102", ["61"], False),
        ("000301610262", ["61"], False),
        ("0003ff", [], False),
    ],
)
def test_whatever_a_peer_calls_combined(combined: str, inner: list[str], whole: bool) -> None:
    assert split(bytes.fromhex(combined)) == ([bytes.fromhex(frame) for frame in inner], whole)


@given(st.binary())
def test_any_bytes_can_be_taken_apart(data: bytes) -> None:
    split(b"\0\3" + data)
    with contextlib.suppress(WireError):
        split_messages(APP_COMBINED + data)
