"""What eq2emu's own code put on the wire, reproduced and read."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import TypedDict

import pytest
from Crypto.Cipher import ARC4

from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.ciphers import KEY_REQUEST, CipherPair
from protocol.eq2.stream.combining import combine
from protocol.eq2.stream.frames import (
    KEEP_ALIVE,
    Checksum,
    SessionDisconnect,
    SessionRequest,
    SessionResponse,
)
from protocol.eq2.stream.messages import Decoder, Encoder
from protocol.eq2.stream.receiving import Receiver
from protocol.eq2.stream.statistics import Statistics
from protocol.wire.args import Role
from tests.kit.eqstreams import SEED, SESSION, TAIL, adopted, reliable_frames

GOLDEN = Path(__file__).parents[1] / "golden" / "eq2"
WIRE: dict[str, list[str] | str] = json.loads((GOLDEN / "wire.json").read_text())
THRESHOLD = 126  # eq2emu compresses when 2 + flag + type + body exceed 128


class CrcCase(TypedDict):
    key: str
    data: str
    crc32_full: str
    trailer_be16: str


class KeyCase(TypedDict):
    last8_bytes_of_key_reply: str
    rc4_key_bytes_server_to_client: str
    rc4_key_bytes_client_to_server: str
    raw_keystream_64_no_drop: str
    server_to_client_keystream_after_drop20: str
    client_to_server_keystream_after_drop20: str


CRCS: list[CrcCase] = json.loads((GOLDEN / "crc16.json").read_text())
KEYS: list[KeyCase] = json.loads((GOLDEN / "rc4.json").read_text())
COMPARED: list[tuple[int, int, str]] = json.loads((GOLDEN / "sequence_compare.json").read_text())["rows"]


def wire(name: str) -> list[bytes]:
    return [bytes.fromhex(line) for line in WIRE[name]]


def pattern(length: int, seed: int) -> bytes:
    return bytes((7 * at + seed) & 0xFF for at in range(length))


def lcg() -> bytes:
    text = WIRE["fragment_body_lcg"]
    assert isinstance(text, str)
    return bytes.fromhex(text)


def type_id(number: int) -> bytes:
    return bytes((number,)) if number < 255 else b"\xff" + number.to_bytes(2, "little")


def encoder(combine_bytes: int = 254) -> Encoder:
    made = Encoder(
        Role.SERVER,
        StreamSettings(compress_above=THRESHOLD, combine_bytes=combine_bytes),
        Statistics(),
    )
    made.cipher = CipherPair(TAIL, Role.SERVER)
    made.tries_first = False
    return made


def datagrams(payloads: list[bytes], skipped: int = 0) -> list[bytes]:
    """As a server sends them after `skipped` earlier ones."""
    return [Checksum(SEED).sealed(frame) for frame in reliable_frames(payloads, skipped)]


@pytest.mark.parametrize("case", CRCS, ids=lambda case: f"{case['key']}-{len(case['data']) // 2}")
def test_checksums(case: CrcCase) -> None:
    seed, data = int(case["key"]), bytes.fromhex(case["data"])
    assert Checksum(seed).sealed(data) == data + bytes.fromhex(case["trailer_be16"])
    assert Checksum(seed, 4).sealed(data) == data + bytes.fromhex(case["crc32_full"])
    for length in (2, 4):
        checksum = Checksum(seed, length)
        assert checksum.opened(checksum.sealed(data)) == data


@pytest.mark.parametrize("case", KEYS, ids=lambda case: str(case["last8_bytes_of_key_reply"]))
def test_keys_and_keystreams(case: KeyCase) -> None:
    tail = bytes.fromhex(case["last8_bytes_of_key_reply"])
    to_client = bytes.fromhex(case["server_to_client_keystream_after_drop20"])
    to_server = bytes.fromhex(case["client_to_server_keystream_after_drop20"])
    server, client = CipherPair(tail, Role.SERVER), CipherPair(tail, Role.CLIENT)
    assert server.encrypt(bytes(len(to_client))) == to_client == client.decrypt(bytes(len(to_client)))
    assert client.encrypt(bytes(len(to_server))) == to_server == server.decrypt(bytes(len(to_server)))
    raw = bytes.fromhex(case["raw_keystream_64_no_drop"])
    assert ARC4.new(bytes.fromhex(case["rc4_key_bytes_server_to_client"])).encrypt(bytes(64)) == raw
    assert raw[20:] == to_client[:44]


def test_session_frames() -> None:
    (response,) = wire("session_response_session11223344_key33624702_maxlen512")
    assert SessionResponse(SESSION, SEED).encode() == response
    assert SessionResponse.decode(response) == SessionResponse(SESSION, SEED)
    (request,) = wire("session_request_note_session_field_replaced")
    assert SessionRequest.decode(request) == SessionRequest(0, 0x5F000001, 512)
    assert SessionRequest(0, 0x5F000001, 512).encode() == request
    (disconnect,) = wire("disconnect_session11223344")
    assert Checksum(SEED).sealed(SessionDisconnect(SESSION, 6).encode()) == disconnect
    (alive,) = wire("keepalive")
    assert Checksum(SEED).sealed(KEEP_ALIVE) == alive
    (ack,) = wire("ack_0x1234")
    assert Checksum(SEED).sealed(b"\0\x15\x12\x34") == ack
    (combined,) = wire("ack5_and_ooo7_combined")
    (joined,) = combine([b"\0\x15\0\5", b"\0\x11\0\7"], 510)
    assert Checksum(SEED).sealed(joined) == combined


def test_acknowledgements_of_the_receiver() -> None:
    receiver = Receiver(Statistics(), 2047)
    for seq in range(6):
        receiver.packet(seq, b"x", 0.0)
    receiver.packet(7, b"x", 0.0)
    (combined,) = wire("ack5_and_ooo7_combined")
    assert [Checksum(SEED).sealed(frame) for frame in combine(receiver.acks(), 510)] == [combined]


def test_key_request() -> None:
    assert datagrams([KEY_REQUEST]) == wire("key_request_seq0")


SINGLE = [
    ("app_opcode4_body_pattern_seed1_len0_first_packet", 4, 0),
    ("app_opcode4_body_pattern_seed1_len1_first_packet", 4, 1),
    ("app_opcode4_body_pattern_seed1_len20_first_packet", 4, 20),
    ("app_opcode4_body_pattern_seed1_len124_first_packet", 4, 124),
    ("app_opcode4_body_pattern_seed1_len125_first_packet", 4, 125),
    ("app_opcode4_body_pattern_seed1_len126_first_packet", 4, 126),
    ("app_opcode4_body_pattern_seed1_len200_first_packet", 4, 200),
    ("app_opcode254_body_pattern_seed1_len10", 254, 10),
    ("app_opcode255_body_pattern_seed1_len10", 255, 10),
    ("app_opcode300_body_pattern_seed1_len10", 300, 10),
]


@pytest.mark.parametrize(("name", "number", "length"), SINGLE)
def test_single_messages(name: str, number: int, length: int) -> None:
    message = type_id(number) + pattern(length, 1)
    assert datagrams(encoder().encode([message])) == wire(name)
    assert read(wire(name)) == [message]


def test_compressed_messages_of_one_stream() -> None:
    """Sent one by one; the C++ then put two packets into one datagram."""
    messages = [b"\x08" + pattern(150 + 10 * at, at) for at in range(3)]
    made = encoder()
    sealed = datagrams([payload for message in messages for payload in made.encode([message])])
    first, rest = wire("three_compressed_in_one_stream_opcode8_len150_160_170_seeds0_1_2_separate")
    assert sealed[0] == first
    frames = [datagram[:-2] for datagram in sealed[1:]]
    assert [Checksum(SEED).sealed(frame) for frame in combine(frames, 510)] == [rest]
    assert read([first, rest]) == messages
    assert read([rest, first]) == messages


def test_app_combined() -> None:
    messages = [b"\x08" + pattern(20 + at, at) for at in range(3)]
    expected = wire("appcombined_opcode8_len20_21_22_seeds0_1_2")
    assert datagrams(encoder().encode(messages)) == expected
    assert read(expected) == messages


def test_fragments() -> None:
    message = b"\x0a" + lcg()
    expected = wire("fragments_opcode10_body_lcg3000_maxlen512")
    assert len(expected) > 5
    first, *others = expected
    # Ours would be deflated in smaller blocks: what is compared is how a payload is cut up.
    payload = first[8:-2] + b"".join(datagram[4:-2] for datagram in others)
    assert datagrams([payload]) == expected
    assert read(expected) == [message]
    assert read(list(reversed(expected))) == [message]
    ours = datagrams(encoder().encode([message]))
    assert len(ours) == len(expected)
    assert read(ours) == [message]


def test_the_deflated_part_is_a_stream_with_a_window_of_8_kib() -> None:
    made = encoder()
    (payload,) = made.encode([b"\x04" + pattern(200, 1)])
    plain = CipherPair(TAIL, Role.CLIENT).decrypt(payload)
    assert plain[:3] == b"\x01\x58\xc3"
    assert zlib.decompressobj(13).decompress(plain[1:], 1000) == b"\x04" + pattern(200, 1)


def test_zero_escape() -> None:
    """A body whose first ciphertext byte comes out 00, at the place in the keystream that eq2emu found."""
    offset = int(str(WIRE["zero_escape_keystream_offset_of_zero"]))
    made = encoder()
    assert made.cipher is not None
    (expected,) = wire("zero_escape_datagram_body_pattern_seed1_len8")
    assert expected[4] == 0
    assert expected[:4] == b"\0\x09\0\5"
    made.cipher.encrypt(bytes(offset))
    message = b"\x04" + pattern(8, 1)
    assert datagrams(made.encode([message]), skipped=5) == [expected]
    decoder = Decoder(Role.CLIENT, Statistics())
    decoder.cipher = CipherPair(TAIL, Role.CLIENT)
    decoder.cipher.decrypt(bytes(offset))
    decoder.feed(expected[4:-2])
    assert decoder.next() == message


def test_order_of_sequence_numbers() -> None:
    """Against the C++ except where it takes far past ones for future ones."""
    deviations = 0
    for expected, seq, verdict in COMPARED:
        ahead = (seq - expected) & 0xFFFF
        ours = "current" if not ahead else "future" if ahead < 2048 else "past"
        receiver = Receiver(Statistics(), 2047)
        receiver._expected = expected
        receiver.packet(seq, b"x", 0.0)
        if ours == "current":
            assert receiver.next() == b"x"
        else:
            assert receiver.next() is None
        assert (seq in receiver._future) is (ours == "future")
        deviations += ours != verdict
    assert len(COMPARED) == 176
    assert deviations == 25


def read(sealed: list[bytes]) -> list[bytes]:
    """What a client makes of a server's first datagrams."""
    client = adopted(Role.CLIENT)
    for datagram in sealed:
        client.receive(datagram, 0.0)
    return list(iter(client.next_message, None))


def test_a_whole_handshake_is_answered_with_these_bytes() -> None:
    server = EqStream(Role.SERVER, lambda size: SEED.to_bytes(4, "big")[:size], StreamSettings())
    server.receive(SessionRequest(3, SESSION, 512).encode(), 0.0)
    assert server.outgoing(0.0) == wire("session_response_session11223344_key33624702_maxlen512")


CAPTURED = [
    "app_opcode4_body_pattern_seed1_len200_first_packet",
    "three_compressed_in_one_stream_opcode8_len150_160_170_seeds0_1_2_separate",
    "appcombined_opcode8_len20_21_22_seeds0_1_2",
    "fragments_opcode10_body_lcg3000_maxlen512",
]


@pytest.mark.parametrize("name", CAPTURED)
def test_replayed_datagrams_say_nothing_twice(name: str) -> None:
    """R-06."""
    sealed = wire(name)
    assert read([*sealed, *sealed]) == read(sealed) == read([copy for copy in sealed for _ in range(3)])


@pytest.mark.parametrize("name", [*CAPTURED, "ack5_and_ooo7_combined", "disconnect_session11223344"])
def test_datagrams_cut_anywhere_are_nothing(name: str) -> None:
    """R-01."""
    client = adopted(Role.CLIENT)
    cut = [datagram[:at] for datagram in wire(name) for at in range(len(datagram))]
    for datagram in cut:
        client.receive(datagram, 0.0)
    assert client.statistics.crc_errors == len(cut)
    assert client.next_message() is None
    assert client.outgoing(0.0) == []
