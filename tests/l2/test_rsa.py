"""The RSA block with a client's name and password: recorded bytes, forged ones, all places."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Final, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.l2 import rsa

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "l2"


class Case(TypedDict):
    n: str
    d: str
    scrambled_modulus: str
    plain_block: str
    cipher_block: str


CASE: Final[Case] = json.loads((GOLDEN / "crypto.json").read_text())["rsa"]
MODULUS: Final = int(CASE["n"], 16)
PAIR: Final = rsa.KeyPair(MODULUS, int(CASE["d"], 16))
PLAIN: Final = bytes.fromhex(CASE["plain_block"])
ENCIPHERED: Final = bytes.fromhex(CASE["cipher_block"])


def test_recorded_modulus() -> None:
    assert PAIR.scrambled.hex() == CASE["scrambled_modulus"]
    assert rsa.unscramble(PAIR.scrambled).hex() == CASE["n"]


@given(st.binary(min_size=128, max_size=128))
def test_scrambling_there_and_back(modulus: bytes) -> None:
    assert rsa.unscramble(rsa.scramble(modulus)) == modulus


def test_recorded_block() -> None:
    assert PAIR.decrypt(ENCIPHERED) == PLAIN
    assert rsa.encrypt(PAIR.scrambled, PLAIN) == ENCIPHERED
    assert rsa.credentials(PLAIN) == ("alice", "secret")
    assert rsa.credential_block("alice", "secret") == PLAIN


@pytest.mark.parametrize("size", [0, 1, 127, 129, 256])
def test_a_block_of_another_size(size: int) -> None:
    with pytest.raises(WireError, match="bad_rsa"):
        PAIR.decrypt(bytes(size))
    with pytest.raises(ValueError, match="no RSA block"):
        rsa.encrypt(PAIR.scrambled, bytes(size))


@pytest.mark.parametrize("number", [MODULUS, MODULUS + 1, 2**1024 - 1], ids=("n", "n+1", "ones"))
def test_a_block_beyond_the_modulus(number: int) -> None:
    block = number.to_bytes(128, "big")
    with pytest.raises(WireError, match="beyond the modulus"):
        PAIR.decrypt(block)
    with pytest.raises(ValueError, match="no RSA block"):
        rsa.encrypt(PAIR.scrambled, block)


@pytest.mark.parametrize("number", [0, 1, MODULUS - 1], ids=("0", "1", "n-1"))
def test_the_blocks_at_the_edges(number: int) -> None:
    """Their powers are themselves: 128 bytes come back, leading zeros included."""
    block = number.to_bytes(128, "big")
    assert PAIR.decrypt(block) == block


@given(st.binary(min_size=128, max_size=128).filter(lambda block: int.from_bytes(block, "big") < MODULUS))
def test_any_block_below_the_modulus_is_read_by_somebody(block: bytes) -> None:
    """Garbage deciphers to garbage; no name in it makes anything raise."""
    name, password = rsa.credentials(PAIR.decrypt(block))
    assert name == name.strip("\0 ")
    assert password == password.strip("\0 ")


def test_a_modulus_without_its_topmost_bit() -> None:
    with pytest.raises(ValueError, match="1023 bits"):
        rsa.KeyPair(2**1023 - 1, 3)


# New pairs


def test_a_new_pair_reads_what_was_enciphered_for_it() -> None:
    pair = rsa.generate()
    assert pair.decrypt(rsa.encrypt(pair.scrambled, PLAIN)) == PLAIN
    assert rsa.unscramble(pair.scrambled)[0] >= 0x80


def test_pairs_of_the_same_chance_are_the_same() -> None:
    one, other = (rsa.generate(random.Random(7).randbytes) for _ in range(2))
    assert one.scrambled == other.scrambled


def test_a_pool_makes_each_pair_once() -> None:
    pool = rsa.KeyPool(2, random.Random(1).randbytes)
    first, second = pool.pick(lambda size: b"\0" * size), pool.pick(lambda size: b"\1" * size)
    assert first.scrambled != second.scrambled
    pool.fill()
    assert pool.pick(lambda size: b"\2" * size) is first
    assert pool.pick(lambda size: b"\xff" * size) is second


def test_a_filled_pool_needs_no_more_chance_than_the_choice() -> None:
    dice = random.Random(1)
    pool = rsa.KeyPool(1, dice.randbytes)
    pool.fill()
    before = dice.getstate()
    pool.pick(bytes)
    assert dice.getstate() == before


@pytest.mark.parametrize("size", [0, -1, 257])
def test_a_pool_of_a_silly_size(size: int) -> None:
    with pytest.raises(ValueError, match="pool"):
        rsa.KeyPool(size)


# Where name and password stand

TYPED: Final = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=14)


def block(*parts: tuple[int, bytes]) -> bytes:
    made = bytearray(128)
    for at, part in parts:
        made[at : at + len(part)] = part
    return bytes(made)


@given(TYPED, TYPED)
def test_what_is_typed_comes_back(name: str, password: str) -> None:
    expected = (name.lower(), password)
    assert rsa.credentials(rsa.credential_block(name, password)) == expected
    late = block((0x5E, name.encode()), (0x6E, password.encode()))
    assert rsa.credentials(late) == expected


def test_the_longest_of_both() -> None:
    name, password = "fourteenletter", "sixteen-letters!"
    expected = (name, password)
    assert rsa.credentials(block((0x5E, name.encode()), (0x6C, password.encode()))) == expected
    assert rsa.credentials(block((0x5E, name.encode()), (0x6E, password.encode()))) == expected


def test_marks_and_codes_are_no_part_of_anything() -> None:
    whole = block((0x5B, b"\x24"), (0x5E, b"  Alice "), (0x6C, b"secret  "), (0x7C, b"\1\2\3\4"))
    assert rsa.credentials(whole) == ("alice", "secret")
    full = block((0x5E, b"alice"), (0x6C, b"sixteen-letters!"), (0x7C, b"1234"))
    assert rsa.credentials(full) == ("alice", "sixteen-letters!")


def test_two_blocks() -> None:
    name = "N" * 50 + "ame of 14 more"
    first = block((0x4E, name[:50].encode()))
    second = block((0x4E, name[50:].encode()), (0x5C, b"sixteen-letters!"), (0x6C, b"more"))
    assert rsa.credentials(first, second) == (name.lower(), "sixteen-letters!")
    short = block((0x4E, b"Alice"))
    assert rsa.credentials(short, block((0x5C, b"secret"))) == ("alice", "secret")


def test_letters_beyond_ascii_are_latin_1() -> None:
    assert rsa.credentials(block((0x5E, b"\xc4nne"), (0x6C, b"\xfc\0"))) == ("\xe4nne", "\xfc")


@pytest.mark.parametrize(("name", "password"), [("a" * 15, "x"), ("x", "a" * 17)])
def test_too_long_for_a_client(name: str, password: str) -> None:
    with pytest.raises(ValueError, match="letters"):
        rsa.credential_block(name, password)
