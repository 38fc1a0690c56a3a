"""Sequence numbers against eolib's, and the numbers they are made of."""

from __future__ import annotations

import json
import random
from pathlib import Path

import eolib
import pytest
from eolib.packet import InitSequenceStart
from hypothesis import given
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.eo.codec import (
    LARGEST_START,
    Sequence,
    choose_start,
    encode_sequence,
    init_start,
    init_values,
    ping_start,
    ping_values,
)
from protocol.eo.packets.base import decode_length, encode_short

GOLDEN = Path(__file__).parents[1] / "golden" / "eo"
RECORDED = json.loads((GOLDEN / "sequence.json").read_text())
NUMBERS = json.loads((GOLDEN / "numbers.json").read_text())


def test_recorded_starts() -> None:
    for case in RECORDED["starts"]:
        if case["kind"] == "init":
            assert init_start(case["seq1"], case["seq2"]) == case["start"]
        elif case["kind"] == "ping":
            assert ping_start(case["seq1"], case["seq2"]) == case["start"]


def test_recorded_run() -> None:
    """Init_Init counts, and neither a new start nor a ping resets the counter."""
    sequence = Sequence()
    for index, step in enumerate(RECORDED["run"]):
        if index == 1:
            sequence.start = init_start(10, 20)
        if step["note"].startswith("after ping") and sequence.start == 77:
            sequence.upcoming = ping_start(300, 60)
            sequence.switch()
        assert sequence.next() == step["sequence"]


def test_recorded_wire_forms() -> None:
    for case in RECORDED["wire"]:
        assert encode_sequence(case["sequence"]).hex() == case["hex"]


def test_switch_without_a_ping_changes_nothing() -> None:
    sequence = Sequence()
    sequence.start = 7
    sequence.switch()
    assert sequence.start == 7


@pytest.mark.parametrize("start", range(LARGEST_START + 1))
def test_eolib_reads_every_start_back(start: int) -> None:
    dice = random.Random(start)
    for _ in range(10):
        seq1, seq2 = init_values(start, dice.randbytes)
        assert InitSequenceStart.from_init_values(seq1, seq2).value == start
        assert 0 <= seq1 <= 252
        assert 0 <= seq2 <= 252
        seq1, seq2 = ping_values(start, dice.randbytes)
        assert eolib.PingSequenceStart.from_ping_values(seq1, seq2).value == start
        assert 0 <= seq2 <= 252
        assert seq1 <= 64008


def test_every_start_is_drawn_and_none_needs_two_bytes() -> None:
    dice = random.Random(1)
    drawn = {choose_start(dice.randbytes) for _ in range(5000)}
    assert drawn == set(range(LARGEST_START + 1))
    assert len(encode_sequence(LARGEST_START + 9)) == 1


@given(st.integers(0, 64008))
def test_shorts_agree_with_eolib(number: int) -> None:
    assert encode_short(number) == eolib.encode_number(number)[:2]
    assert decode_length(encode_short(number)) == number


@pytest.mark.parametrize("number", [-1, -253, 64009])
def test_a_short_has_bounds(number: int) -> None:
    with pytest.raises(ValueError, match="cannot hold"):
        encode_short(number)


def test_recorded_numbers() -> None:
    for case in NUMBERS["encode"]:
        if case["n"] <= 64008:
            assert encode_short(case["n"]).hex() == case["hex"][:4]


@pytest.mark.parametrize("low", range(256))
def test_every_length_field_agrees_with_eolib_or_is_refused(low: int) -> None:
    for high in range(256):
        field = bytes((low, high))
        if {low, high} & {0x00, 0xFF}:
            with pytest.raises(WireError, match="bad_length"):
                decode_length(field)
        else:
            assert decode_length(field) == eolib.decode_number(field)
