"""The counter cipher against four other programs, and against the formula byte by byte."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.co.ciphers import PERIOD, TqCipher
from protocol.wire.args import Role

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN: Final = json.loads(
    (Path(__file__).parents[1] / "golden" / "co" / "tq_cipher.json").read_text(encoding="utf-8")
)
SESSIONS: Final[list[dict[str, str]]] = GOLDEN["sessions"]

KEYED: Final = pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session["token_u64_hex"])


def counting(size: int) -> bytes:
    """The bytes 0, 1, 2... which all vectors encipher."""
    return bytes(n & 0xFF for n in range(size))


def numbers(session: dict[str, str]) -> tuple[int, int]:
    return int(session["account_id_field_hex"], 16), int(session["data_field_hex"], 16)


def tables() -> tuple[list[int], list[int]]:
    """K1 and K2, written down another way than in the module."""
    first, second, a, b = [], [], 0x9D, 0x62
    for _ in range(256):
        first.append(a)
        second.append(b)
        a = (a * a * 0xFA + a * 0x0F + 0x13) % 256
        b = (b * 0x79 - b * b * 0x5C + 0x6D) % 256
    return first, second


def byte_by_byte(role: Role, data: bytes, at: int, account: int | None = None, number: int = 0) -> bytes:
    """What the formula says of bytes at a counter; in one's own keys if there is an account."""
    first, second = tables()
    if account is not None:
        seed = (((account + number) % 2**32) ^ 0x4321) ^ number
        square = seed * seed % 2**32
        first = [byte ^ seed >> n % 4 * 8 & 0xFF for n, byte in enumerate(first)]
        second = [byte ^ square >> n % 4 * 8 & 0xFF for n, byte in enumerate(second)]
    out = bytearray()
    for n, byte in enumerate(data, at):
        key = first[n % 256] ^ second[n // 256 % 256]
        taken = byte ^ 0xAB if role is Role.SERVER else byte ^ key
        swapped = taken % 16 * 16 + taken // 16
        out.append(swapped ^ key if role is Role.SERVER else swapped ^ 0xAB)
    return bytes(out)


# The vectors


def test_key_stream_on_zeros() -> None:
    vectors: dict[str, str] = GOLDEN["initial_keystream_on_zero_bytes"]
    stream = TqCipher(Role.SERVER).encrypt(bytes(PERIOD + 8))
    assert stream[:64].hex() == vectors["server_encrypt_of_64_zero_bytes_at_counter_0"]
    assert stream[256:272].hex() == vectors["16_bytes_at_counter_256"]
    assert stream[-16:].hex() == vectors["16_bytes_at_counter_65528_(wraps to 0 after 8)"]


@KEYED
def test_server(session: dict[str, str]) -> None:
    server = TqCipher(Role.SERVER)
    assert server.decrypt(counting(28)).hex() == session["server_decrypt_28_bytes_seq_before_keys"]
    assert server.encrypt(counting(40)).hex() == session["server_encrypt_40_bytes_seq_before_keys"]
    server.rekey(*numbers(session))
    assert server.decrypt(counting(600)).hex() == session["server_decrypt_600_bytes_seq_after_keys"]
    assert server.encrypt(counting(600)).hex() == session["server_encrypt_600_bytes_seq_after_keys"]


@KEYED
def test_client(session: dict[str, str]) -> None:
    client = TqCipher(Role.CLIENT)
    assert client.encrypt(counting(28)).hex() == session["client_wire_of_28_bytes_seq_before_keys"]
    client.rekey(*numbers(session))
    assert client.encrypt(counting(600)).hex() == session["client_wire_of_600_bytes_seq_after_keys"]
    wire = bytes.fromhex(session["server_encrypt_600_bytes_seq_after_keys"])
    assert client.decrypt(wire) == counting(600)


def test_server_of_another_programs_own_test() -> None:
    vector: dict[str, str] = GOLDEN["coemu_unit_test"]
    server = TqCipher(Role.SERVER)
    server.rekey(int(vector["token_u64_hex"], 16) & 0xFFFFFFFF, 0)
    plain = bytes.fromhex(vector["server_encrypt_after_keys_plain"])
    assert server.encrypt(plain).hex() == vector["wire"]


# The formula

WAYS: Final[dict[str, Callable[[TqCipher, bytes], bytes]]] = {
    "encrypt": TqCipher.encrypt,
    "decrypt": TqCipher.decrypt,
}


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("keyed", [False, True])
def test_every_byte_as_the_formula_says_and_the_counter_wraps(role: Role, way: str, keyed: bool) -> None:
    """Two periods and a bit, in pieces that fit neither tables nor period."""
    cipher, apply = TqCipher(role), WAYS[way]
    account, number = 0xBABE0001, 0xC0FFEE00
    before = 28
    if keyed:
        apply(cipher, bytes(before))
        cipher.rekey(account, number)
    own = keyed and (way == "decrypt") is (role is Role.SERVER)
    at = before if own else 0
    data = random.Random(1).randbytes(2 * PERIOD + 300)
    expected = byte_by_byte(role, data, at, account if own else None, number)
    pieces = [apply(cipher, data[start : start + 977]) for start in range(0, len(data), 977)]
    assert b"".join(pieces) == expected


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, PERIOD - 1, PERIOD, PERIOD + 1, 3 * PERIOD + 5])
def test_in_one_piece_as_in_many(role: Role, way: str, keyed: bool, size: int) -> None:
    apply = WAYS[way]
    one, many = TqCipher(role), TqCipher(role)
    for cipher in (one, many):
        apply(cipher, b"first")
        if keyed:
            cipher.rekey(3, 4)
    data = random.Random(size).randbytes(size)
    half = size // 2
    pieces = apply(many, data[:half]) + apply(many, b"") + apply(many, data[half:])
    assert apply(one, data) == pieces
    assert apply(one, b"then") == apply(many, b"then")


words = st.integers(0, 2**32 - 1)


@given(words, words, st.lists(st.binary(max_size=700), max_size=8), st.randoms())
def test_both_ends_however_the_stream_is_cut(
    account: int, number: int, messages: list[bytes], dice: random.Random
) -> None:
    for sender, receiver in ((Role.SERVER, Role.CLIENT), (Role.CLIENT, Role.SERVER)):
        one, other = TqCipher(sender), TqCipher(receiver)
        assert other.decrypt(one.encrypt(b"hello")) == b"hello"
        one.rekey(account, number)
        other.rekey(account, number)
        wire = b"".join(map(one.encrypt, messages))
        heard = b""
        while wire:
            size = dice.randint(1, len(wire))
            heard += other.decrypt(wire[:size])
            wire = wire[size:]
        assert heard == b"".join(messages)


def test_no_end_understands_its_own_kind() -> None:
    for role in Role:
        assert TqCipher(role).decrypt(TqCipher(role).encrypt(b"hello")) != b"hello"


def test_what_a_server_says_is_the_same_for_all_clients() -> None:
    said = set()
    for account in range(100):
        server = TqCipher(Role.SERVER)
        server.rekey(account, 1)
        said.add(server.encrypt(b"hello"))
    assert len(said) == 1


def test_what_a_client_says_is_in_keys_of_its_own() -> None:
    dice = random.Random(1)
    said = set()
    for _ in range(1000):
        client = TqCipher(Role.CLIENT)
        client.rekey(dice.getrandbits(32), dice.getrandbits(32))
        said.add(client.encrypt(bytes(300)))
    assert len(said) == 1000


def test_a_client_costs_no_table_of_its_own() -> None:
    """64 KiB for each of a thousand clients would be most of what they cost at all."""
    tracemalloc.start()
    try:
        ciphers = [TqCipher(Role.SERVER) for _ in range(100)]
        for number, cipher in enumerate(ciphers):
            cipher.rekey(number, number)
            cipher.decrypt(bytes(1000))
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size / len(ciphers) < 2048
