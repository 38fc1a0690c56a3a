"""Frames that are neither data nor acknowledgement, the checksum, and how they are shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.eq2.stream.dump import describe
from protocol.eq2.stream.frames import (
    KEEP_ALIVE,
    OUT_OF_SESSION,
    Checksum,
    Op,
    Reason,
    SessionDisconnect,
    SessionRequest,
    SessionResponse,
    StatRequest,
    StatResponse,
    session_length,
)

u8, u16, u32, u64 = (st.integers(0, (1 << bits) - 1) for bits in (8, 16, 32, 64))

FRAMES = st.one_of(
    st.builds(SessionRequest, u32, u32, u32),
    st.builds(SessionResponse, u32, u32, u8, u8, u8, u32, u32),
    st.builds(SessionDisconnect, u32, u16),
    st.builds(StatRequest, u16, u32, u32, u32, u32, u32, u64, u64),
    st.builds(StatResponse, u16, u32, u64, u64, u64, u64),
)

EXAMPLES = [
    (SessionRequest(3, 0x11223344, 512), 14, 0),
    (SessionResponse(0x11223344, 0x33624702), 21, 0),
    (SessionDisconnect(0x11223344, 6), 10, 2),
    (StatRequest(1, 2, 3, 4, 5, 6, 7, 8), 42, 2),
    (StatResponse(1, 2, 3, 4, 5, 6), 42, 2),
]


@given(FRAMES)
def test_frames_come_back(
    frame: SessionRequest | SessionResponse | SessionDisconnect | StatRequest | StatResponse,
) -> None:
    assert type(frame).decode(frame.encode()) == frame


@pytest.mark.parametrize(("frame", "size", "trailer"), EXAMPLES, ids=lambda value: type(value).__name__)
def test_sizes_and_cuts(
    frame: SessionRequest | SessionResponse | SessionDisconnect | StatRequest | StatResponse,
    size: int,
    trailer: int,
) -> None:
    encoded = frame.encode()
    assert len(encoded) + trailer == size
    for cut in range(len(encoded)):
        assert type(frame).decode(encoded[:cut]) is None


def test_statistics_frames_byte_for_byte() -> None:
    assert StatRequest(1, 2, 3, 4, 5, 6, 7, 8).encode().hex() == (
        "0007 0001 00000002 00000003 00000004 00000005 00000006 0000000000000007 0000000000000008"
    ).replace(" ", "")
    assert StatResponse(1, 2, 3, 4, 5, 6).encode().hex() == (
        "0008 0001 00000002 0000000000000003 0000000000000004 0000000000000005 0000000000000006"
    ).replace(" ", "")


def test_request_and_response_are_exactly_as_long_as_they_are() -> None:
    assert SessionRequest.decode(SessionRequest(3, 1, 512).encode() + b"\0") is None
    assert SessionResponse.decode(SessionResponse(3, 1).encode() + b"\0") is None
    assert SessionRequest.decode(b"\0\2" + bytes(12)) is None
    assert SessionResponse.decode(b"\0\1" + bytes(19)) is None


@pytest.mark.parametrize(
    ("asked", "largest", "agreed"),
    [
        (512, 512, 512),
        (0, 512, 128),
        (127, 512, 128),
        (1400, 512, 512),
        (0xFFFFFFFF, 1400, 1400),
        (300, 512, 300),
    ],
)
def test_the_agreed_length(asked: int, largest: int, agreed: int) -> None:
    assert session_length(asked, largest) == agreed


def test_numbers_of_opcodes_and_reasons() -> None:
    assert [int(op) for op in Op] == [
        1,
        2,
        3,
        5,
        6,
        7,
        8,
        9,
        0xD,
        0x11,
        0x15,
        0x19,
        0x1A,
        0x1B,
        0x1C,
        0x1D,
        0x1E,
    ]
    assert [int(reason) for reason in Reason] == list(range(17))
    assert KEEP_ALIVE == b"\0\6"
    assert OUT_OF_SESSION == b"\0\x1d"


@given(st.binary(min_size=1, max_size=600), u32, st.sampled_from([2, 4]), st.data())
def test_a_flipped_bit_is_noticed(body: bytes, seed: int, length: int, data: st.DataObject) -> None:
    checksum = Checksum(seed, length)
    sealed = checksum.sealed(body)
    assert checksum.opened(sealed) == body
    bit = data.draw(st.integers(0, 8 * len(sealed) - 1))
    flipped = bytearray(sealed)
    flipped[bit // 8] ^= 1 << bit % 8
    assert checksum.opened(bytes(flipped)) is None


@pytest.mark.parametrize("length", [2, 4])
def test_too_short_for_a_checksum(length: int) -> None:
    for size in range(length + 1):
        assert Checksum(1, length).opened(bytes(size)) is None


@pytest.mark.parametrize("length", [0, 1, 3, 8])
def test_other_lengths_do_not_exist(length: int) -> None:
    with pytest.raises(ValueError, match="2 or 4"):
        Checksum(1, length)


def test_a_trailer_of_zeros_is_no_pass() -> None:
    """eq2emu takes it for valid, and anything with 00 19 behind the number."""
    assert Checksum(0x33624702).opened(b"\0\6\0\0") is None
    assert Checksum(0x33624702).opened(b"\0\x09\0\x19\0\0") is None


@pytest.mark.parametrize(
    ("frame", "line"),
    [
        (b"\0\x09\1\2abc", "in opcode=0x0009 PACKET seq=258 size=7"),
        (b"\0\x15\0\1", "in opcode=0x0015 ACK seq=1 size=4"),
        (b"\0\6", "in opcode=0x0006 KEEP_ALIVE size=2"),
        (b"\0\x16\0\1", "in opcode=0x0016 unknown size=4"),
        (b"\0\x09", "in opcode=0x0009 PACKET size=2"),
        (b"abc", "in unreliable size=3"),
        (b"\0\0abc", "in unreliable size=5"),
        (b"", "in unreliable size=0"),
    ],
)
def test_lines(frame: bytes, line: str) -> None:
    assert describe("in", frame) == line
