"""The ciphers against output of ClassicUO's own classes, cut anywhere; and what detection takes for what."""

import json
from hashlib import md5
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.uo.ciphers import (
    GameCipher,
    LoginCipher,
    LoginKeySearch,
    UnknownCipherError,
    Version,
    detect_game,
    detect_login,
    known_login_keys,
    known_versions,
    login_keys,
)
from protocol.uo.twofish import Twofish

Row = dict[str, str]

CASES: list[Row] = json.loads((Path(__file__).parents[1] / "golden/uo/encryption.json").read_text())["cases"]


def seed_of(row: Row) -> int:
    return int(row["seed"], 16)


def version_of(row: Row) -> Version:
    major, minor, revision, _patch = map(int, row["version"].split("."))
    return major, minor, revision


def rows(*, major: int, scheme: str = "") -> list[object]:
    """The recorded rows of clients from `major` on."""
    return [
        pytest.param(row, id=f"{row['version']}-{row['seed']}")
        for row in CASES
        if version_of(row)[0] >= major and row["scheme"].startswith(scheme)
    ]


# 1.25 has other login ciphers; 1.26 to 2.0.3 have Blowfish in the game: the rows that must not be recognised.
LOGIN_ROWS = rows(major=1, scheme="BLOWFISH")[4:] + rows(major=1, scheme="TWOFISH")
KNOWN_LOGIN_ROWS = rows(major=2)
GAME_ROWS = rows(major=1, scheme="TWOFISH")
TOO_OLD_LOGIN_ROWS = rows(major=1, scheme="OLD") + rows(major=1, scheme="BLOWFISH__1")
TOO_OLD_GAME_ROWS = rows(major=1, scheme="OLD") + rows(major=1, scheme="BLOWFISH")

seeds = st.integers(1, 0xFFFFFFFF)
names = st.text("abcdefghijklmnopqrstuvwxyz0123456789", max_size=16).map(str.encode)


def account_login(name: bytes, password: bytes) -> bytes:
    return b"\x80" + name.ljust(30, b"\0") + password.ljust(30, b"\0") + b"\x5d"


def game_login(key: int, name: bytes = b"tester", password: bytes = b"secret") -> bytes:
    return b"\x91" + key.to_bytes(4, "big") + name.ljust(30, b"\0") + password.ljust(30, b"\0")


def cut(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = sorted(min(edge, len(data)) for edge in cuts)
    return [data[start:end] for start, end in zip([0, *edges], [*edges, len(data)], strict=True)]


# --- streams ---


@pytest.mark.parametrize("row", rows(major=1))
def test_login_keys(row: Row) -> None:
    assert login_keys(*version_of(row)) == (int(row["key2"], 16), int(row["key3"], 16))


@pytest.mark.parametrize("row", LOGIN_ROWS)
def test_login_stream(row: Row) -> None:
    plain = bytes.fromhex(row["login_0x80_plain"] + row["then_select_server_plain"])
    enciphered = bytes.fromhex(row["login_0x80_cipher"] + row["then_select_server_cipher"])
    keys = login_keys(*version_of(row))
    assert LoginCipher(seed_of(row), *keys).apply(plain) == enciphered
    dribble = LoginCipher(seed_of(row), *keys)
    assert b"".join(dribble.apply(bytes([byte])) for byte in enciphered) == plain


@pytest.mark.parametrize("row", GAME_ROWS)
def test_game_stream_from_the_client(row: Row) -> None:
    first, zeros = (
        bytes.fromhex(row["game_0x91_cipher"]),
        bytes.fromhex(row["game_then_600_zero_bytes_cipher"]),
    )
    server = GameCipher(seed_of(row))
    assert server.decrypt(first) == bytes.fromhex(row["game_0x91_plain"])
    assert server.decrypt(zeros) == bytes(600)
    last = bytes.fromhex(row["game_then_24000_zero_bytes_last_32_cipher"])
    assert server.decrypt(bytes(24000 - 32) + last)[-32:] == bytes(32)


@pytest.mark.parametrize("row", GAME_ROWS)
def test_game_stream_from_the_server(row: Row) -> None:
    expected = bytes.fromhex(row["server_to_client_xor_first_40"])
    assert GameCipher(seed_of(row)).encrypt(bytes(40)) == expected
    dribble = GameCipher(seed_of(row))
    assert b"".join(dribble.encrypt(bytes(1)) for _ in range(40)) == expected


def naive_game_streams(seed: int, from_client: bytes, to_client: bytes) -> tuple[bytes, bytes]:
    """Byte by byte, as the client does it."""
    twofish = Twofish(seed.to_bytes(4, "big") * 4)
    table = twofish.encrypt_blocks(bytes(range(256)))
    digest = md5(table).digest()
    plain, position = bytearray(), 0
    for byte in from_client:
        if position == 256:
            table, position = twofish.encrypt_blocks(table), 0
        plain.append(byte ^ table[position])
        position += 1
    return bytes(plain), bytes(byte ^ digest[i & 15] for i, byte in enumerate(to_client))


@given(seeds, st.binary(max_size=700), st.binary(max_size=700), st.lists(st.integers(0, 700), max_size=9))
def test_game_streams_agree_with_single_bytes_for_any_cut(
    seed: int, from_client: bytes, to_client: bytes, cuts: list[int]
) -> None:
    plain, enciphered = naive_game_streams(seed, from_client, to_client)
    server, client = GameCipher(seed), GameCipher(seed)
    assert b"".join(map(server.decrypt, cut(from_client, cuts))) == plain
    assert b"".join(map(server.encrypt, cut(to_client, cuts))) == enciphered
    assert client.client_encrypt(plain) == from_client
    assert client.client_decrypt(enciphered) == to_client


@pytest.mark.parametrize("sizes", [(256, 1), (255, 1, 1), (512, 512), (1, 256, 255), (0, 256, 0, 256, 0)])
def test_game_stream_where_the_table_ends(sizes: tuple[int, ...]) -> None:
    plain, _ = naive_game_streams(0x7F000001, bytes(sum(sizes)), b"")
    server = GameCipher(0x7F000001)
    assert b"".join(server.decrypt(bytes(size)) for size in sizes) == plain


@given(seeds, st.binary(max_size=120), st.lists(st.integers(0, 120), max_size=6))
def test_login_stream_for_any_cut(seed: int, data: bytes, cuts: list[int]) -> None:
    keys = login_keys(7, 0, 15)
    enciphered = LoginCipher(seed, *keys).apply(data)
    pieces = LoginCipher(seed, *keys)
    assert b"".join(map(pieces.apply, cut(enciphered, cuts))) == data


# --- detection of the login cipher ---


@pytest.mark.parametrize("row", LOGIN_ROWS)
def test_login_detected_with_the_version(row: Row) -> None:
    enciphered = bytes.fromhex(row["login_0x80_cipher"])
    cipher = detect_login(enciphered, seed_of(row), version_of(row))
    assert cipher is not None
    assert cipher.apply(enciphered).hex() == row["login_0x80_plain"]


@pytest.mark.parametrize("row", KNOWN_LOGIN_ROWS)
def test_login_detected_without_the_version(row: Row) -> None:
    enciphered = bytes.fromhex(row["login_0x80_cipher"])
    cipher = detect_login(enciphered, seed_of(row), None)
    assert cipher is not None
    then = bytes.fromhex(row["then_select_server_cipher"])
    assert cipher.apply(enciphered + then).hex() == row["login_0x80_plain"] + row["then_select_server_plain"]


@pytest.mark.parametrize("row", TOO_OLD_LOGIN_ROWS)
def test_oldest_login_ciphers_are_not_recognised(row: Row) -> None:
    for version in (version_of(row), None):
        with pytest.raises(UnknownCipherError):
            detect_login(bytes.fromhex(row["login_0x80_cipher"]), seed_of(row), version)


@pytest.mark.parametrize("version", [(7, 0, 102), None])
def test_plain_login_is_plain(version: Version | None) -> None:
    assert detect_login(account_login(b"tester", b"secret"), 0x7F000001, version) is None


@pytest.mark.parametrize("version", [(7, 0, 102), None])
def test_plain_login_with_fields_full_to_the_end_is_plain(version: Version | None) -> None:
    assert detect_login(account_login(b"n" * 30, b"p" * 30), 0x7F000001, version) is None


@given(seeds, st.sampled_from(list(known_versions())), names, names)
def test_login_of_any_known_version_is_deciphered(
    seed: int, version: Version, name: bytes, password: bytes
) -> None:
    plain = account_login(name, password)
    enciphered = LoginCipher(seed, *login_keys(*version)).apply(plain)
    for told in (version, None):
        cipher = detect_login(enciphered, seed, told)
        assert cipher is not None
        assert cipher.apply(enciphered) == plain


def test_no_two_known_versions_can_be_taken_for_one_another() -> None:
    # Keys that differ, and key streams that differ at the places which the search looks at.
    versions = list(known_versions())
    assert len({login_keys(*version) for version in versions}) == len(versions) == len(known_login_keys())


def test_known_versions_cover_2_0_0_to_7_0_110() -> None:
    versions = set(known_versions())
    assert {(2, 0, 0), (3, 0, 8), (4, 0, 11), (5, 0, 9), (6, 0, 14), (7, 0, 0), (7, 0, 110)} <= versions


def test_search_is_limited_to_the_versions_it_was_made_of() -> None:
    enciphered = LoginCipher(99, *login_keys(5, 0, 9)).apply(account_login(b"tester", b"secret"))
    assert detect_login(enciphered, 99, None, LoginKeySearch([(5, 0, 9)])) is not None
    with pytest.raises(UnknownCipherError):
        detect_login(enciphered, 99, None, LoginKeySearch([(5, 0, 8)]))


def test_wrong_version_is_not_taken() -> None:
    enciphered = LoginCipher(99, *login_keys(7, 0, 102)).apply(account_login(b"tester", b"secret"))
    with pytest.raises(UnknownCipherError):
        detect_login(enciphered, 99, (7, 0, 35))


def test_noise_is_never_taken_for_a_login() -> None:
    dice = Random(62)
    for attempt in range(3000):
        packet = dice.randbytes(62)
        if attempt % 3 == 0:
            packet = b"\x80" + packet[1:]  # plain at first sight
        with pytest.raises(UnknownCipherError):
            detect_login(packet, dice.getrandbits(32), None if attempt % 2 else (7, 0, dice.randrange(110)))


def test_noise_that_begins_right_is_not_taken_for_an_old_login() -> None:
    # The keystream's first byte needs no keys, so anyone can make a packet that passes the first check.
    dice = Random(80)
    for _ in range(3000):
        seed = dice.getrandbits(32)
        start = LoginCipher(seed, 0, 0).apply(b"\x80")
        with pytest.raises(UnknownCipherError):
            detect_login(start + dice.randbytes(61), seed, None)


@pytest.mark.parametrize("version", [(5, 0, 9), None])
def test_another_packet_under_the_right_keys_is_not_taken(version: Version | None) -> None:
    enciphered = LoginCipher(99, *login_keys(5, 0, 9)).apply(b"\x81" + bytes(61))
    with pytest.raises(UnknownCipherError):
        detect_login(enciphered, 99, version)


@pytest.mark.parametrize("row", GAME_ROWS)
def test_a_game_login_is_not_taken_for_a_login(row: Row) -> None:
    for packet in (row["game_0x91_plain"], row["game_0x91_cipher"]):
        for version in (version_of(row), None):
            with pytest.raises(UnknownCipherError):
                detect_login(bytes.fromhex(packet), seed_of(row), version)


@pytest.mark.parametrize("size", [0, 61])
def test_too_few_bytes_for_a_login(size: int) -> None:
    with pytest.raises(ValueError, match="62"):
        detect_login(bytes(size), 1, None)


def test_any_numbers_of_a_seed_packet_are_taken() -> None:
    keys = login_keys(0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
    assert all(0 <= key <= 0xFFFFFFFF for key in keys)
    with pytest.raises(UnknownCipherError):
        detect_login(bytes(62), 0xFFFFFFFF, (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF))


# --- detection of the game cipher ---


@pytest.mark.parametrize("row", GAME_ROWS)
def test_game_cipher_detected(row: Row) -> None:
    enciphered = bytes.fromhex(row["game_0x91_cipher"])
    cipher = detect_game(enciphered, seed_of(row))
    assert cipher is not None
    assert cipher.decrypt(enciphered).hex() == row["game_0x91_plain"]
    assert cipher.encrypt(bytes(40)).hex() == row["server_to_client_xor_first_40"]


@pytest.mark.parametrize("row", TOO_OLD_GAME_ROWS)
def test_blowfish_is_not_recognised(row: Row) -> None:
    with pytest.raises(UnknownCipherError):
        detect_game(bytes.fromhex(row["game_0x91_cipher"]), seed_of(row))


def test_plain_game_login_is_plain() -> None:
    assert detect_game(game_login(0x01020304), 0x01020304) is None


def test_plain_game_login_with_another_key_is_plain() -> None:
    assert detect_game(game_login(0x01020304), 0x05060708) is None


@given(seeds)
def test_game_login_of_any_seed_is_deciphered(seed: int) -> None:
    plain = game_login(seed)
    enciphered = GameCipher(seed).client_encrypt(plain)
    cipher = detect_game(enciphered, seed)
    assert cipher is not None
    assert cipher.decrypt(enciphered) == plain


def test_game_login_for_another_key_is_not_taken() -> None:
    enciphered = GameCipher(7).client_encrypt(game_login(8))
    with pytest.raises(UnknownCipherError):
        detect_game(enciphered, 7)


def test_noise_is_never_taken_for_a_game_login() -> None:
    dice = Random(65)
    for _ in range(300):
        packet, seed = dice.randbytes(65), dice.getrandbits(32)
        if packet[0] == 0x91:
            assert detect_game(packet, seed) is None
        else:
            with pytest.raises(UnknownCipherError):
                detect_game(packet, seed)


@pytest.mark.parametrize("size", [0, 64])
def test_too_few_bytes_for_a_game_login(size: int) -> None:
    with pytest.raises(ValueError, match="65"):
        detect_game(bytes(size), 1)
