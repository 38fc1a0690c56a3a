"""The password's cipher against other programs' blocks."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.co import rc5

GOLDEN: Final = json.loads(
    (Path(__file__).parents[1] / "golden" / "co" / "rc5_password.json").read_text(encoding="utf-8")
)
PASSWORDS: Final = [(case["password"], case["cipher16"]) for case in GOLDEN["encrypt"]]


def test_the_expanded_key() -> None:
    assert [f"{word:08x}" for word in rc5._WORDS] == GOLDEN["expanded_key_26_words_hex"]


@pytest.mark.parametrize(("password", "block"), PASSWORDS)
def test_recorded_passwords(password: str, block: str) -> None:
    assert rc5.encipher_password(password).hex() == block
    assert rc5.read_password(bytes.fromhex(block)) == password


@given(st.binary(max_size=64))
def test_whole_blocks_come_back(data: bytes) -> None:
    whole = data[: len(data) // 8 * 8]
    enciphered = rc5.encrypt(whole)
    assert len(enciphered) == len(whole)
    assert rc5.decrypt(enciphered) == whole
    assert rc5.encrypt(rc5.decrypt(whole)) == whole


@given(st.binary(min_size=8, max_size=8), st.binary(min_size=8, max_size=8))
def test_each_block_for_itself(one: bytes, other: bytes) -> None:
    assert rc5.encrypt(one + other) == rc5.encrypt(one) + rc5.encrypt(other)


LETTERS: Final = bytes(range(1, 256)).decode("cp1252", "ignore")


@given(st.text(LETTERS, max_size=16))
def test_any_password(password: str) -> None:
    block = rc5.encipher_password(password)
    assert len(block) == rc5.PASSWORD_SIZE
    assert rc5.read_password(block) == password


@given(st.binary(min_size=16, max_size=16))
def test_any_block_is_some_password(block: bytes) -> None:
    assert "\0" not in rc5.read_password(block)


def test_what_stands_behind_the_end_is_not_read() -> None:
    """As a client leaves there what its buffer had."""
    assert rc5.read_password(rc5.encrypt(b"test\0leftover\0\0\0")) == "test"


@pytest.mark.parametrize("password", ["x" * 17, "a\0b", "\N{SNOWMAN}"])
def test_what_is_no_password(password: str) -> None:
    with pytest.raises(ValueError, match=r"password|encode"):
        rc5.encipher_password(password)


@pytest.mark.parametrize("size", [1, 7, 15, 17])
def test_what_is_no_block(size: int) -> None:
    for call in (rc5.encrypt, rc5.decrypt, rc5.read_password):
        with pytest.raises(struct.error):
            call(bytes(size))
