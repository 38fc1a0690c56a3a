"""Blowfish with little-endian words, and the checksum inside it, against recorded bytes and plain loops."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Final, TypedDict

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol.l2.blowfish import Blowfish
from protocol.l2.ciphers import guarded, is_intact, padded, unveil, veil, xor_of_words

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "l2"


class Block(TypedDict):
    plain: str
    cipher: str


class Checksum(TypedDict):
    key: str
    padded: str
    with_checksum: str
    wire_without_length: str


class Init(TypedDict):
    body: str
    padded: str
    xor_seed: str
    after_xor_pass: str


class Crypto(TypedDict):
    blowfish: Block
    bridge_blowfish: Block
    checksum: Checksum
    init: Init


CRYPTO: Final[Crypto] = json.loads((GOLDEN / "crypto.json").read_text())

STATIC_KEY: Final = bytes.fromhex("6b60cb5b82ce90b1cc2b6c556c6c6c6c")
BRIDGE_KEY: Final = b"_;v.]05-31!|+-%xT!^[$\0"


@pytest.mark.parametrize(
    ("key", "block"), [(STATIC_KEY, CRYPTO["blowfish"]), (BRIDGE_KEY, CRYPTO["bridge_blowfish"])]
)
def test_recorded_blocks(key: bytes, block: Block) -> None:
    cipher = Blowfish(key)
    plain, enciphered = bytes.fromhex(block["plain"]), bytes.fromhex(block["cipher"])
    assert cipher.encrypt(plain) == enciphered
    assert cipher.decrypt(enciphered) == plain


@given(st.binary(min_size=4, max_size=56), st.lists(st.binary(min_size=8, max_size=8), max_size=40))
def test_every_key_length_there_and_back(key: bytes, blocks: list[bytes]) -> None:
    cipher = Blowfish(key)
    plain = b"".join(blocks)
    enciphered = cipher.encrypt(plain)
    assert cipher.decrypt(enciphered) == plain
    assert enciphered == b"".join(cipher.encrypt(block) for block in blocks)


@pytest.mark.parametrize("size", [1, 4, 7, 9, 12])
def test_only_whole_blocks(size: int) -> None:
    with pytest.raises(ValueError, match=r"multiple|aligned"):
        Blowfish(STATIC_KEY).encrypt(bytes(size))


# The checksum


def test_recorded_checksum() -> None:
    case = CRYPTO["checksum"]
    body = bytes.fromhex(case["padded"])[:21]  # GGAuth: opcode and five numbers
    message = guarded(body)
    assert padded(body, 4).hex() == case["padded"]
    assert message.hex() == case["with_checksum"]
    assert Blowfish(bytes.fromhex(case["key"])).encrypt(message).hex() == case["wire_without_length"]


def one_by_one(data: bytes) -> int:
    total = 0
    for (word,) in struct.iter_unpack("<I", data):
        total ^= word
    return total


@given(st.binary(max_size=300).map(lambda data: data[: len(data) & ~3]))
@example(b"")
@example(b"abcd")
def test_words_on_one_another(data: bytes) -> None:
    assert xor_of_words(data) == one_by_one(data)


@given(st.binary(max_size=300), st.booleans())
def test_a_guarded_body_is_intact_and_begins_with_itself(body: bytes, original: bool) -> None:
    message = guarded(body, original=original)
    assert is_intact(message)
    assert len(message) % 8 == 0
    assert message.startswith(body)
    if original:
        assert not any(message[-4:])
        assert int.from_bytes(message[-8:-4], "little") == one_by_one(message[:-8])
    else:
        assert int.from_bytes(message[-4:], "little") == one_by_one(message[:-4])


@given(st.binary(min_size=1, max_size=100), st.data())
def test_no_changed_bit_goes_unseen(body: bytes, data: st.DataObject) -> None:
    message = bytearray(guarded(body))
    at = data.draw(st.integers(0, 8 * len(message) - 1))
    message[at // 8] ^= 1 << at % 8
    assert not is_intact(bytes(message))


@pytest.mark.parametrize("size", [0, 1, 4, 7, 12, 20])
def test_what_is_no_whole_blocks_is_not_intact(size: int) -> None:
    assert not is_intact(bytes(size))


@pytest.mark.parametrize("size", range(25))
def test_there_is_always_a_byte_of_padding(size: int) -> None:
    message = padded(b"x" * size, 4)
    assert len(message) % 8 == 0
    assert 1 <= len(message) - size - 4 <= 8


# The pass of XOR over Init


def test_recorded_veil() -> None:
    case = CRYPTO["init"]
    message = padded(bytes.fromhex(case["body"]), 8)
    assert message.hex() == case["padded"]
    veiled = veil(message, int(case["xor_seed"], 16))
    assert veiled.hex() == case["after_xor_pass"]
    assert unveil(veiled)[:-8] == message[:-8]


@given(st.binary(max_size=200), st.integers(0, 0xFFFFFFFF))
def test_veil_there_and_back(body: bytes, seed: int) -> None:
    message = padded(body, 8)
    veiled = veil(message, seed)
    assert veiled[:4] == message[:4]
    assert not any(veiled[-4:])
    assert unveil(veiled)[:-8] == message[:-8]
