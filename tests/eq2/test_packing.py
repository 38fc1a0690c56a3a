"""Packed structures: the vectors, both forms, and nothing but WireError for garbage."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.eq2.packing import LONGEST_REACH, pack, pack_front, small, unpack, xor

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "eq2"

STRUCTS: Final = json.loads((GOLDEN / "structs_v546.json").read_text())
MOVEMENT: Final = json.loads((GOLDEN / "movement_v546.json").read_text())

PACKED: Final = [
    (name, bytes.fromhex(row["note"].removeprefix("in=")), bytes.fromhex(row["hex"]))
    for name, row in STRUCTS.items()
    if name.startswith("pack_")
]

# Mostly zeros, as differences are, with runs beyond what one byte can say.
SPARSE: Final = st.lists(st.tuples(st.integers(0, 300), st.binary(max_size=9)), max_size=6).map(
    lambda parts: b"".join(bytes(zeros) + data for zeros, data in parts)
)


def told_byte_by_byte(data: bytes, *, reverse: bool) -> bytes:
    """Packing as it is described: a walk over the source."""
    out = bytearray()
    at = 0
    while at < len(data):
        if data[at] == 0:
            run = 0
            while at < len(data) and data[at] == 0 and run < 127:
                run, at = run + 1, at + 1
            out.append(run)
            continue
        mask, values = 0x80, bytearray()
        for bit, value in enumerate(data[at : at + 7]):
            if value:
                mask |= 1 << bit
                values.append(value)
        out.append(mask)
        out += values[::-1] if reverse else values
        at += 7
    return bytes(out)


def test_there_are_vectors_of_both_forms() -> None:
    assert len(PACKED) >= 18
    assert any(name.endswith("noreverse") for name, _, _ in PACKED)


@pytest.mark.parametrize(("name", "plain", "packed"), PACKED, ids=[row[0] for row in PACKED])
def test_vectors_of_the_original(name: str, plain: bytes, packed: bytes) -> None:
    reverse = not name.endswith("noreverse")
    assert len(packed) - 4 == int.from_bytes(packed[:4], "little")
    assert pack(plain, reverse=reverse) == packed[4:]
    assert unpack(packed[4:], len(plain), reverse=reverse) == plain


def test_the_vector_of_a_difference() -> None:
    old = bytes.fromhex(STRUCTS["pack_mixed"]["note"].removeprefix("in="))
    new = bytearray(old)
    new[2], new[12] = 0x0A, 0
    difference = bytes.fromhex(STRUCTS["xor_delta"]["hex"])
    assert xor(old, bytes(new)) == difference
    assert xor(old, difference) == bytes(new)


def test_movement_of_the_vectors() -> None:
    state1, state2 = bytes.fromhex(MOVEMENT["state1"]), bytes.fromhex(MOVEMENT["state2"])
    difference = bytes.fromhex(MOVEMENT["xor12"])
    assert xor(state1, state2) == difference
    packed = [bytes.fromhex(MOVEMENT[body])[9:] for body in ("body1", "body2")]
    assert [pack(state1), pack(difference)] == packed
    assert unpack(packed[0], 152) == state1
    assert xor(state1, unpack(packed[1], 152)) == state2


@given(SPARSE | st.binary(max_size=400), st.booleans())
def test_packs_as_described_and_back(data: bytes, reverse: bool) -> None:
    packed = pack(data, reverse=reverse)
    assert packed == told_byte_by_byte(data, reverse=reverse)
    assert unpack(packed, len(data), reverse=reverse) == data


@given(st.binary(max_size=300), st.integers(0, 200), st.booleans())
def test_garbage_unpacks_to_the_size_or_raises_wire_error(packed: bytes, size: int, reverse: bool) -> None:
    with contextlib.suppress(WireError):
        assert len(unpack(packed, size, reverse=reverse)) == size


def test_what_packs_end_early_is_filled_up() -> None:
    assert unpack(b"", 88) == bytes(88)
    assert unpack(b"\x02\x81\x07", 12) == b"\0\0\x07" + bytes(9)


@pytest.mark.parametrize(
    "packed",
    [
        pytest.param(b"\x59", id="a run longer than all"),
        pytest.param(b"\x7f" * 1000, id="a bomb"),
        pytest.param(b"\x58\x81\x01", id="a byte behind the end"),
        pytest.param(b"\x57\x83\x02\x01", id="the second byte of a group behind the end"),
        pytest.param(b"\x58\x80\x80", id="empty groups behind the end"),
        pytest.param(b"\x83\x01", id="a group that ends early"),
    ],
)
def test_more_than_the_size_is_refused(packed: bytes) -> None:
    with pytest.raises(WireError):
        unpack(packed, 88)


def test_the_last_group_may_be_short() -> None:
    assert unpack(b"\x57\x81\x09", 88) == bytes(87) + b"\x09"


@given(st.binary(max_size=200), st.data())
def test_xor_takes_itself_back(one: bytes, data: st.DataObject) -> None:
    other = data.draw(st.binary(min_size=len(one), max_size=len(one)))
    assert xor(xor(one, other), other) == one
    assert xor(one, other) == bytes(a ^ b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, "00"),
        (254, "fe"),
        (255, "ffff00"),
        (300, "ff2c01"),
        (0xFFFE, "fffeff"),
        (0xFFFF, "ffffffffff0000"),
        (0x10000, "ffffff00000100"),
    ],
)
def test_small_numbers(number: int, written: str) -> None:
    assert small(number).hex() == written


@given(SPARSE, SPARSE, st.booleans())
def test_what_is_packed_in_two_parts_is_the_same_whole(front: bytes, rest: bytes, reverse: bool) -> None:
    data = front + rest
    packed, taken = pack_front(data[: len(front) + LONGEST_REACH], len(front), reverse=reverse)
    assert len(front) <= taken <= len(front) + LONGEST_REACH
    whole = packed + pack(data[taken:], reverse=reverse)
    assert unpack(whole, len(data), reverse=reverse) == data
