"""The game cipher against recorded bytes and against the loop that it is."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Final, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.l2.ciphers import RollingXor

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "l2"


class Case(TypedDict):
    key16: str
    messages: list[str]
    encrypted: list[str]
    decrypted: list[str]


CASE: Final[Case] = json.loads((GOLDEN / "crypto.json").read_text())["game_cipher"]
KEY: Final = bytes.fromhex(CASE["key16"])[:8]


class Loop:
    """The cipher byte by byte, as public servers have it."""

    def __init__(self, sent_key: bytes) -> None:
        self.key = bytearray(sent_key + bytes.fromhex("c8279301a16c3197"))

    def encrypt(self, body: bytes) -> bytes:
        before, out = 0, bytearray()
        for at, byte in enumerate(body):
            before = byte ^ self.key[at & 15] ^ before
            out.append(before)
        self.advance(len(body))
        return bytes(out)

    def decrypt(self, body: bytes) -> bytes:
        before, out = 0, bytearray()
        for at, byte in enumerate(body):
            out.append(byte ^ self.key[at & 15] ^ before)
            before = byte
        self.advance(len(body))
        return bytes(out)

    def advance(self, size: int) -> None:
        counter = int.from_bytes(self.key[8:12], "little") + size
        self.key[8:12] = (counter % 2**32).to_bytes(4, "little")


def test_recorded_messages() -> None:
    outgoing, incoming = RollingXor(KEY), RollingXor(KEY)
    for plain, encrypted, decrypted in zip(
        CASE["messages"], CASE["encrypted"], CASE["decrypted"], strict=True
    ):
        assert outgoing.encrypt(bytes.fromhex(plain)).hex() == encrypted
        assert incoming.decrypt(bytes.fromhex(plain)).hex() == decrypted


@given(st.binary(min_size=8, max_size=8), st.lists(st.binary(max_size=400), max_size=12))
def test_any_messages_as_the_loop_does_it(key: bytes, messages: list[bytes]) -> None:
    ours, theirs = RollingXor(key), Loop(key)
    back, plainly = RollingXor(key), Loop(key)
    for message in messages:
        enciphered = ours.encrypt(message)
        assert enciphered == theirs.encrypt(message)
        assert back.decrypt(enciphered) == plainly.decrypt(enciphered) == message


@given(st.lists(st.binary(max_size=400), max_size=12))
def test_messages_of_one_flush_are_enciphered_one_after_the_other(messages: list[bytes]) -> None:
    ours, theirs = RollingXor(KEY), Loop(KEY)
    for flush in (messages, [b"once more", *messages]):
        frames = [theirs.encrypt(message) for message in flush]
        assert ours.framed(flush) == [(len(one) + 2).to_bytes(2, "little") + one for one in frames]


def test_a_flush_that_fits_no_frame_leaves_the_key_alone() -> None:
    one, other = RollingXor(KEY), RollingXor(KEY)
    with pytest.raises(OverflowError):
        one.framed([b"hello", bytes(65_534)])
    assert one.encrypt(b"hello") == other.encrypt(b"hello")


@pytest.mark.parametrize("size", [*range(40), 127, 128, 129, 255, 256, 257, 4096, 65_533])
def test_every_length_as_the_loop_does_it(size: int) -> None:
    message = random.Random(size).randbytes(size)
    assert RollingXor(KEY).encrypt(message) == Loop(KEY).encrypt(message)
    assert RollingXor(KEY).decrypt(message) == Loop(KEY).decrypt(message)


def test_the_counter_wraps_around() -> None:
    """After some 4 GB, so the counter is set close to its end first."""
    ours, theirs = RollingXor(KEY), Loop(KEY)
    ours._counter = 2**32 - 3
    theirs.key[8:12] = (2**32 - 3).to_bytes(4, "little")
    for message in (b"before", b"after it went round", bytes(40)):
        assert ours.encrypt(message) == theirs.encrypt(message)
    assert ours._counter == len(b"before" + b"after it went round") + 40 - 3


def test_an_empty_message_changes_nothing() -> None:
    one, other = RollingXor(KEY), RollingXor(KEY)
    assert one.encrypt(b"") == b""
    assert one.encrypt(b"hello") == other.encrypt(b"hello")


@pytest.mark.parametrize("size", [0, 7, 9, 16])
def test_a_key_of_another_size(size: int) -> None:
    with pytest.raises(ValueError, match="8 bytes of the key"):
        RollingXor(bytes(size))
