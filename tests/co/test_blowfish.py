"""Blowfish against other programs' bytes, and against a library's as far as that takes the keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import pytest
from Crypto.Cipher import Blowfish as LibraryBlowfish
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.co.blowfish import Blowfish, CfbDecryption, CfbEncryption
from tests.kit import blowfish_rounds

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from Crypto.Cipher._mode_cfb import CfbMode

GOLDEN: Final = json.loads(
    (Path(__file__).parents[1] / "golden" / "co" / "blowfish_dh_5065.json").read_text(encoding="utf-8")
)
START, SESSION, LONG = GOLDEN["cfb"]
COUNTING: Final = bytes(range(256))
IV: Final = bytes.fromhex("a0a1a2a3a4a5a6a7")

KEY: Final = Blowfish(bytes.fromhex(SESSION["key"]))

Stream = CfbEncryption | CfbDecryption
STREAMS: Final = pytest.mark.parametrize("stream", [CfbEncryption, CfbDecryption])


# Other programs' bytes


def test_the_start_key() -> None:
    assert bytes.fromhex(START["key"]).decode("ascii") == GOLDEN["default_key_ascii"]
    cipher = Blowfish(bytes.fromhex(START["key"]))
    sent = CfbEncryption(cipher, bytes.fromhex(START["iv_enc"]))
    received = CfbDecryption(cipher, bytes.fromhex(START["iv_dec"]))
    assert sent.apply(COUNTING[:64]).hex() == START["encrypt_seq64"]
    assert received.apply(COUNTING[:64]).hex() == START["decrypt_seq64"]


def test_a_key_of_64_bytes_that_goes_on_in_the_middle_of_a_block() -> None:
    sent = CfbEncryption(KEY, bytes.fromhex(SESSION["iv_enc"]))
    assert sent.apply(COUNTING[:13]).hex() == SESSION["encrypt_first_13_of_seq13"]
    assert sent.apply(COUNTING[:51]).hex() == SESSION["then_encrypt_51_of_seq51_continuing"]
    received = CfbDecryption(KEY, bytes.fromhex(SESSION["iv_dec"]))
    assert received.apply(COUNTING[:64]).hex() == SESSION["decrypt_seq64"]


def test_of_a_longer_key_72_bytes_count() -> None:
    key = bytes.fromhex(LONG["key"])
    iv = bytes.fromhex(LONG["iv_enc"])
    for taken in (key, key[:72], key[:72] + b"more"):
        assert CfbEncryption(Blowfish(taken), iv).apply(COUNTING[:16]).hex() == LONG["encrypt_seq16"]
    assert CfbEncryption(Blowfish(key[:71]), iv).apply(COUNTING[:16]).hex() != LONG["encrypt_seq16"]


@settings(max_examples=20, deadline=None)
@given(st.binary(min_size=4, max_size=56), st.binary(min_size=8, max_size=8), st.binary(max_size=200))
def test_a_librarys_stream(key: bytes, iv: bytes, data: bytes) -> None:
    whole = data[: len(data) // 8 * 8]  # it takes no less in one call
    cipher = Blowfish(key)

    def library() -> CfbMode:
        cipher = LibraryBlowfish.new(key, LibraryBlowfish.MODE_CFB, iv=iv, segment_size=64)
        return cast("CfbMode", cipher)

    assert CfbEncryption(cipher, iv).apply(whole) == library().encrypt(whole)
    assert CfbDecryption(cipher, iv).apply(whole) == library().decrypt(whole)


@settings(max_examples=20, deadline=None)
@given(
    st.binary(min_size=1, max_size=80),
    st.binary(min_size=8, max_size=8),
    st.lists(st.binary(max_size=60), max_size=5),
)
def test_the_rounds_written_from_the_paper(key: bytes, iv: bytes, pieces: list[bytes]) -> None:
    """For keys of every length, also those that no other library takes."""
    ours, theirs = Blowfish(key), blowfish_rounds.Blowfish(key)
    sent, also_sent = CfbEncryption(ours, iv), blowfish_rounds.CfbEncryption(theirs, iv)
    heard, also_heard = CfbDecryption(ours, iv), blowfish_rounds.CfbDecryption(theirs, iv)
    for piece in pieces:
        assert sent.apply(piece) == also_sent.apply(piece)
        assert heard.apply(piece) == also_heard.apply(piece)


# Streams


@STREAMS
@given(data=st.binary(max_size=400), dice=st.randoms())
def test_however_the_stream_is_cut(stream: type[Stream], data: bytes, dice: random.Random) -> None:
    whole = stream(KEY, IV).apply(data)
    cut = stream(KEY, IV)
    pieces = b""
    while data:
        size = dice.choice((0, 1, 3, 7, 8, 9, 24, 100))
        pieces += cut.apply(data[:size])
        data = data[size:]
    assert pieces == whole


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_both_ends(messages: list[bytes]) -> None:
    sent, received = CfbEncryption(KEY, IV), CfbDecryption(KEY, IV)
    for message in messages:
        assert received.apply(sent.apply(message)) == message


def test_streams_of_one_key_know_nothing_of_each_other() -> None:
    first, second = CfbEncryption(KEY, IV), CfbEncryption(KEY, IV)
    assert first.apply(b"hello") == second.apply(b"hello")
    first.apply(bytes(100))
    assert CfbDecryption(KEY, IV).apply(CfbEncryption(KEY, IV).apply(b"hello")) == b"hello"
    assert CfbEncryption(KEY, bytes(8)).apply(b"hello") != CfbEncryption(KEY, IV).apply(b"hello")


def test_a_changed_byte_spoils_its_block_and_the_next() -> None:
    """It does not end by itself: the codec's footers and sizes have to notice."""
    data = bytes(64)
    wire = bytearray(CfbEncryption(KEY, IV).apply(data))
    wire[20] ^= 1
    heard = CfbDecryption(KEY, IV).apply(bytes(wire))
    assert heard[:20] == data[:20]
    assert heard[20] == 1
    assert heard[24:32] != data[24:32]
    assert heard[32:] == data[32:]


# Keys


@pytest.mark.parametrize("at", [0, 31, 63])
def test_every_byte_of_a_key_counts(at: int) -> None:
    key = bytearray.fromhex(SESSION["key"])
    key[at] ^= 1
    assert CfbEncryption(Blowfish(bytes(key)), IV).apply(IV) != CfbEncryption(KEY, IV).apply(IV)


def test_no_key() -> None:
    with pytest.raises(ValueError, match="no bytes"):
        Blowfish(b"")


@STREAMS
@pytest.mark.parametrize("size", [0, 7, 9])
def test_an_iv_that_is_no_block(stream: Callable[[Blowfish, bytes], Stream], size: int) -> None:
    with pytest.raises(ValueError, match=r"nonce|IV"):
        stream(KEY, bytes(size))
