"""Messages on their way into payloads and back: flags, deflate, RC4, escape, AppCombined."""

from __future__ import annotations

import contextlib
import random
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.eq2.stream.ciphers import KEY_REQUEST, CipherPair, key_reply
from protocol.eq2.stream.combining import APP_COMBINED
from protocol.eq2.stream.messages import Decoder, Encoder, Tail, Tailed
from protocol.eq2.stream.settings import INFLATED_BYTES, StreamSettings
from protocol.eq2.stream.statistics import Statistics
from protocol.wire.args import Role
from tests.kit.eqstreams import TAIL

TEXT = b"The mender says: mind the step, it is older than the house. "


def pair(
    sender: Role = Role.SERVER, settings: StreamSettings | None = None, tail: bytes = TAIL
) -> tuple[Encoder, Decoder]:
    receiver = Role.CLIENT if sender is Role.SERVER else Role.SERVER
    encoder = Encoder(sender, settings or StreamSettings(), Statistics())
    decoder = Decoder(receiver, Statistics())
    encoder.cipher = CipherPair(tail, sender)
    decoder.cipher = CipherPair(tail, receiver)
    return encoder, decoder


def flagged(encoder: Encoder, message: bytes) -> bytes:
    """What `message` is before it is encrypted."""
    return encoder._marked([message])[0]


def through(encoder: Encoder, decoder: Decoder, *batches: list[bytes]) -> list[bytes]:
    for batch in batches:
        for payload in encoder.encode(batch):
            decoder.feed(payload)
    return list(iter(decoder.next, None))


def noise(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


contents = st.one_of(
    st.binary(min_size=1, max_size=40),
    st.integers(0, 3000).map(lambda size: b"\5" + (TEXT * 60)[:size]),
    st.tuples(st.integers(1, 3000), st.integers()).map(lambda args: noise(*args)),
)


@pytest.mark.parametrize("role", Role)
@given(
    batches=st.lists(st.lists(contents, max_size=6), max_size=6),
    combine_bytes=st.sampled_from([0, 250, 1000, 70_000]),
    tail=st.binary(min_size=8, max_size=8),
)
def test_everything_comes_back(
    role: Role, batches: list[list[bytes]], combine_bytes: int, tail: bytes
) -> None:
    encoder, decoder = pair(role, StreamSettings(combine_bytes=combine_bytes), tail)
    assert through(encoder, decoder, *batches) == [message for batch in batches for message in batch]


def test_the_threshold_counts_flag_type_and_body() -> None:
    encoder, _ = pair()
    assert flagged(encoder, b"\5" + bytes(98))[:1] == b"\0"
    assert encoder._deflate is None
    assert flagged(encoder, b"\5" + bytes(99))[:1] == b"\1"


def test_what_stays_plain_is_not_in_the_deflate_stream() -> None:
    """Only compressed messages, one stream: an inflater that sees just those reads them all."""
    encoder, _ = pair()
    inflater = zlib.decompressobj(13)
    texts = [(TEXT * 4)[seed : seed + 200] for seed in range(30)]
    for seed, text in enumerate(texts):
        for plain in (b"small", noise(600, seed)):
            assert flagged(encoder, plain) == b"\0" + plain
        deflated = flagged(encoder, text)
        assert deflated[0] == 1
        assert inflater.decompress(deflated[1:], 1000) == text
    assert len(deflated) < 20  # it remembers the earlier ones


@given(messages=st.lists(contents, max_size=8), places=st.lists(st.integers(0, 8), min_size=1, max_size=3))
def test_an_end_that_many_are_sent_is_deflated_once_and_fits_any_stream(
    messages: list[bytes], places: list[int]
) -> None:
    """Whatever a stream said before and says after it, and however far that reaches back."""
    tail = Tail(noise(500) + TEXT * 200)
    before = zlib.compressobj
    made: list[int] = []

    def counted(level: int, method: int, bits: int, memory: int) -> zlib._Compress:
        made.append(bits)
        return before(level, method, bits, memory)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(zlib, "compressobj", counted)
        for client in range(3):
            mixed = list(messages)
            for place in places:
                mixed.insert(place, Tailed.of(b"\5%d" % client, tail))
            encoder, decoder = pair()
            assert through(encoder, decoder, *([message] for message in mixed)) == [m for m in mixed if m]
    assert made.count(-13) == 1


def test_random_bytes_that_were_said_before_are_compressed_after_all() -> None:
    """The trial is made with the history, not without."""
    encoder, decoder = pair()
    encoder.tries_first = False
    first = flagged(encoder, noise(600))
    assert len(first) > 600
    encoder.tries_first = True
    again = flagged(encoder, noise(600))
    assert again[0] == 1
    assert len(again) < 50
    after = flagged(encoder, TEXT * 4)
    decoder._messages.extend([first, again, after])
    assert list(iter(decoder.next, None)) == [noise(600), noise(600), TEXT * 4]


def test_what_was_fed_is_sent_compressed_even_if_that_made_it_longer() -> None:
    encoder, decoder = pair()
    message = bytes(0x40 + byte % 64 for byte in noise(101))
    (payload,) = encoder.encode([message])
    assert len(payload) > 1 + len(message)
    decoder.feed(payload)
    assert decoder.next() == message
    assert through(encoder, decoder, [TEXT * 5]) == [TEXT * 5]


def test_clients_have_no_flag_and_never_compress() -> None:
    encoder, decoder = pair(Role.CLIENT)
    message = b"\5" + bytes(5000)
    (payload,) = encoder.encode([message])
    assert len(payload) in (5001, 5002)
    decoder.feed(payload)
    assert decoder.next() == message


def test_escapes() -> None:
    """Of many messages some begin with 00 once encrypted; those, and only those, get one more."""
    encoder, decoder = pair(Role.CLIENT)
    twin = CipherPair(TAIL, Role.CLIENT)
    escaped = 0
    for number in range(2000):
        message = bytes((number & 0xFF, 1, 2))
        (payload,) = encoder.encode([message])
        encrypted = twin.encrypt(message)
        assert payload == (encrypted if encrypted[0] else b"\0" + encrypted)
        escaped += not encrypted[0]
        decoder.feed(payload)
        assert decoder.next() == message
    assert 1 <= escaped <= 30


def test_a_ciphertext_that_looks_like_a_container_is_escaped() -> None:
    encoder, decoder = pair(Role.CLIENT)
    keystream = CipherPair(TAIL, Role.CLIENT).encrypt(bytes(10))
    message = bytes(a ^ b for a, b in zip(keystream, APP_COMBINED + bytes(8), strict=True))
    (payload,) = encoder.encode([message])
    assert payload == b"\0" + APP_COMBINED + bytes(8)
    decoder.feed(payload)
    assert decoder.next() == message


def test_one_call_encrypts_a_batch() -> None:
    encoder, _ = pair()
    calls = []
    cipher = encoder.cipher
    assert cipher is not None
    whole = cipher.encrypt

    def counted(data: bytes) -> bytes:
        calls.append(len(data))
        return whole(data)

    cipher.encrypt = counted
    encoder.encode([b"\5abc"] * 20)
    assert calls == [100]


def test_empty_messages_are_left_out() -> None:
    encoder, decoder = pair()
    assert encoder.encode([]) == []
    assert encoder.encode([b"", b""]) == []
    assert through(encoder, decoder, [b"", b"\5", b""]) == [b"\5"]
    for nothing in (b"", b"\0", APP_COMBINED, APP_COMBINED + b"\0\0\1\0"):
        decoder.feed(nothing)
    assert decoder.next() is None
    assert decoder._statistics.dropped["empty"] == 3
    assert through(encoder, decoder, [b"\6"]) == [b"\6"]


@pytest.mark.parametrize("flag", [2, 3, 0x5A, 0xFF])
def test_an_unknown_flag(flag: int) -> None:
    _, decoder = pair()
    decoder.feed(CipherPair(TAIL, Role.SERVER).encrypt(bytes((flag, 5))).rjust(3, b"\0"))
    with pytest.raises(WireError, match="bad_flag"):
        decoder.next()


def test_a_flag_alone_is_no_message() -> None:
    _, decoder = pair()
    decoder.feed(CipherPair(TAIL, Role.SERVER).encrypt(b"\0"))
    assert decoder.next() is None


def deflated(data: bytes) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, 13, 9)
    return b"\1" + deflate.compress(data) + deflate.flush(zlib.Z_SYNC_FLUSH)


def test_the_longest_message() -> None:
    encoder, decoder = pair()
    message = b"\5" + bytes(INFLATED_BYTES - 1)
    assert through(encoder, decoder, [message]) == [message]
    with pytest.raises(ValueError, match="500001 bytes"):
        encoder.encode([message + b"\0"])


def test_a_bomb_costs_no_more_than_the_longest_message() -> None:
    """R-09."""
    bomb = deflated(bytes(50_000_000))
    assert len(bomb) < 60_000
    _, decoder = pair()
    decoder.feed(CipherPair(TAIL, Role.SERVER).encrypt(bomb))
    tracemalloc.start()
    try:
        with pytest.raises(WireError, match="more than 500000 bytes"):
            decoder.next()
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()


def test_many_messages_of_one_payload_share_the_limit() -> None:
    encoder, decoder = pair(settings=StreamSettings(combine_bytes=10_000))
    part = b"\5" + bytes(199_999)
    (payload,) = encoder.encode([part] * 3)
    decoder.feed(payload)
    assert decoder.next() == part
    assert decoder.next() == part
    with pytest.raises(WireError, match="more than"):
        decoder.next()


def test_the_next_payload_has_the_whole_limit_again() -> None:
    encoder, decoder = pair()
    part = b"\5" + bytes(399_999)
    assert through(encoder, decoder, [part], [part], [part]) == [part] * 3


def test_what_is_no_deflate_stream() -> None:
    for wrong in (b"\1garbage", b"\1\x78\x9c" + noise(50), b"\1" + zlib.compress(bytes(10), 9)):
        _, decoder = pair()
        payload = CipherPair(TAIL, Role.SERVER).encrypt(wrong)
        decoder.feed(payload if payload[0] else b"\0" + payload)
        with pytest.raises(WireError, match="bad_deflate"):
            decoder.next()


def test_a_stream_that_ends() -> None:
    _, decoder = pair()
    deflate = zlib.compressobj(9, zlib.DEFLATED, 13, 9)
    ended = b"\1" + deflate.compress(b"\5abc") + deflate.flush(zlib.Z_FINISH)
    decoder.feed(CipherPair(TAIL, Role.SERVER).encrypt(ended))
    with pytest.raises(WireError, match="the stream ends"):
        decoder.next()


def test_compression_is_counted_at_both_ends() -> None:
    encoder, decoder = pair()
    through(encoder, decoder, [TEXT * 10], [b"\5"], [noise(400)])
    assert encoder._statistics.bytes_before_compression == len(TEXT) * 10
    ratio = encoder._statistics.compression_ratio
    assert 0 < ratio < 0.3
    assert decoder._statistics.compression_ratio == ratio


def test_the_key_request_is_what_clients_take() -> None:
    assert bytes.fromhex("02 3c000000" + "ff" * 60 + "01000000 01") == KEY_REQUEST


def test_a_key_reply_is_long_enough_for_everybody_and_never_zero() -> None:
    reply = key_reply(noise)
    assert reply[0] == 2
    assert 2 + len(reply) >= 69
    assert reply != key_reply(lambda size: noise(size, 2))
    assert any(key_reply(bytes)[-8:])


def test_a_key_has_eight_bytes() -> None:
    with pytest.raises(ValueError, match="8 bytes"):
        CipherPair(bytes(7), Role.SERVER)


@given(st.binary(), st.sampled_from(Role))
def test_any_payload_can_be_fed(payload: bytes, role: Role) -> None:
    decoder = Decoder(role, Statistics())
    decoder.cipher = CipherPair(TAIL, role)
    with contextlib.suppress(WireError):
        decoder.feed(payload)
        while decoder.next() is not None:
            pass
