"""Our encryption against eolib's byte loops and its recorded results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict

import eolib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.eo import ciphers as encryption

GOLDEN = Path(__file__).parents[1] / "golden" / "eo"


class Case(TypedDict):
    data: str
    multiple: int
    interleave: str
    deinterleave: str
    flip_msb: str
    swap_multiples: str
    full_encrypt: str


CASES: list[Case] = json.loads((GOLDEN / "encryption.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['data'][:12]}-{case['multiple']}")
def test_recorded_results(case: Case) -> None:
    data, multiple = bytes.fromhex(case["data"]), case["multiple"]
    assert encryption.interleave(data).hex() == case["interleave"]
    assert encryption.deinterleave(data).hex() == case["deinterleave"]
    assert encryption.flip_msb(data).hex() == case["flip_msb"]
    assert encryption.swap_multiples(data, multiple).hex() == case["swap_multiples"]
    assert encryption.encrypt(data, multiple).hex() == case["full_encrypt"]
    assert encryption.decrypt(bytes.fromhex(case["full_encrypt"]), multiple) == data


def eolib_encrypt(data: bytes, multiple: int) -> bytes:
    buffer = bytearray(data)
    eolib.swap_multiples(buffer, multiple)
    eolib.flip_msb(buffer)
    eolib.interleave(buffer)
    return bytes(buffer)


def eolib_decrypt(data: bytes, multiple: int) -> bytes:
    buffer = bytearray(data)
    eolib.deinterleave(buffer)
    eolib.flip_msb(buffer)
    eolib.swap_multiples(buffer, multiple)
    return bytes(buffer)


@pytest.mark.parametrize("multiple", [0, 1, *range(6, 13), 127, 252, 253, 300])
def test_every_length_agrees_with_eolib(multiple: int) -> None:
    """All lengths to 80 and a long one, of data that is rich in runs of divisible bytes."""
    step = max(multiple, 1)
    material = bytes((index * index * step + (index % 5 == 4)) % 256 for index in range(3000))
    for length in (*range(81), 1000, 1001):
        data = material[length : 2 * length]
        cipher = encryption.encrypt(data, multiple)
        assert cipher == eolib_encrypt(data, multiple)
        assert encryption.decrypt(data, multiple) == eolib_decrypt(data, multiple)
        assert encryption.decrypt(cipher, multiple) == data


@given(st.binary(max_size=300), st.integers(0, 255))
def test_any_data_agrees_with_eolib(data: bytes, multiple: int) -> None:
    cipher = encryption.encrypt(data, multiple)
    assert cipher == eolib_encrypt(data, multiple)
    assert encryption.decrypt(cipher, multiple) == data
    assert encryption.decrypt(data, multiple) == eolib_decrypt(data, multiple)
