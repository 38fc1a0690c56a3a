"""The exchange of keys: its two messages byte by byte, other programs' numbers, and what is refused."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.co import exchange
from protocol.co.blowfish import Blowfish, CfbEncryption
from protocol.co.exchange import GENERATOR, PRIME, ExchangeReply, Keys, Offer
from protocol.co.versions import CoVersion
from protocol.endings import WireError

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN: Final[dict[str, str]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "co" / "blowfish_dh_5065.json").read_text(encoding="utf-8")
)["dh"]
PRIVATE: Final = bytes.fromhex(GOLDEN["server_private_hex"])
PUBLIC: Final = int(GOLDEN["server_public_hex"], 16)
SECRET: Final = bytes.fromhex(GOLDEN["shared_hex_64_bytes"])

OFFER: Final = Offer(int.from_bytes(PRIVATE, "big"), PUBLIC, b"server's", b"client's")


def entropy(seed: int = 1) -> Callable[[int], bytes]:
    return random.Random(seed).randbytes


def is_keyed_with(keys: Keys, key: bytes) -> bool:
    return stream(keys.cipher) == stream(Blowfish(key))


def stream(cipher: Blowfish) -> bytes:
    """How the stream of a key begins."""
    return CfbEncryption(cipher, bytes(8)).apply(bytes(16))


def part(raw: bytes) -> bytes:
    return struct.pack("<i", len(raw)) + raw


def reply(
    public: bytes = GOLDEN["client_public_hex"].encode(),
    *,
    junk: bytes = b"some junk",
    footer: bytes = b"TQClient",
) -> bytes:
    """As the game's client lays it out."""
    parts = part(junk) + part(public) + footer
    return b"padding" + struct.pack("<i", 4 + len(parts)) + parts


# Other programs' numbers


def test_the_prime() -> None:
    assert f"{PRIME:0128x}" == GOLDEN["p_hex"].lower()
    assert int(GOLDEN["g_hex"], 16) == GENERATOR
    for base in (2, 3, 7):  # as the module says of it
        assert pow(base, PRIME - 1, PRIME) == 1
        assert pow(base, PRIME // 2 - 1, PRIME // 2) == 1


def test_recorded_public_key() -> None:
    offer = Offer.draw(lambda size: PRIVATE if size == len(PRIVATE) else bytes(size))
    assert offer.public == PUBLIC
    assert offer.private == int.from_bytes(PRIVATE, "big")


def test_recorded_secret() -> None:
    keys = OFFER.keys(ExchangeReply(public_key=GOLDEN["client_public_hex"]))
    assert is_keyed_with(keys, SECRET)
    assert (keys.server_iv, keys.client_iv) == (b"server's", b"client's")
    assert len(SECRET) == 64
    assert SECRET[0] == 1  # half a byte that is easily lost


# The messages


def test_request_byte_by_byte() -> None:
    request = OFFER.request(lambda size: b"\xee" * size)
    expected = b"\xee" * 11 + struct.pack("<i", len(request) - 11)
    expected += part(b"\xee" * 12) + part(b"server's") + part(b"client's")
    expected += part(GOLDEN["p_hex"].upper().encode()) + part(b"05")
    expected += part(GOLDEN["server_public_hex"].upper().encode()) + b"TQServer"
    assert request == expected
    assert len(request) == 333


def test_answer_byte_by_byte() -> None:
    data, keys = exchange.answer(OFFER.request(entropy()), lambda size: b"\xee" * size)
    public = pow(GENERATOR, int.from_bytes(b"\xee" * 32, "big"), PRIME)
    expected = b"\xee" * 7 + struct.pack("<i", len(data) - 7)
    expected += part(b"\xee" * 12) + part(b"%0128X" % public) + b"TQClient"
    assert data == expected
    assert (keys.server_iv, keys.client_iv) == (b"server's", b"client's")


def test_both_ends_come_to_the_same_key() -> None:
    for seed in range(5):
        offer = Offer.draw(entropy(seed))
        data, client = exchange.answer(offer.request(entropy(seed + 100)), entropy(seed + 200))
        server = offer.keys(exchange.read_reply(data))
        assert stream(server.cipher) == stream(client.cipher)
        assert server.server_iv == client.server_iv == offer.server_iv
        assert server.client_iv == client.client_iv == offer.client_iv
        assert server.server_iv != server.client_iv


def test_zeros_in_front_of_a_secret_are_no_part_of_the_key() -> None:
    """One in 256 has them: such a client could not play."""
    dice = random.Random(1)
    while True:
        private = dice.getrandbits(256)
        secret = pow(PUBLIC, private, PRIME)
        if secret >> 504 == 0:
            break
    public = f"{pow(GENERATOR, private, PRIME):X}"
    key = secret.to_bytes(64, "big").lstrip(b"\0")
    assert len(key) == 63
    assert is_keyed_with(OFFER.keys(ExchangeReply(public_key=public)), key)


@pytest.mark.parametrize("junk", [0, 1, 12, 200])
def test_reply_with_any_junk(junk: int) -> None:
    read = exchange.read_reply(reply(junk=bytes(junk)))
    assert read == ExchangeReply(public_key=GOLDEN["client_public_hex"])


@pytest.mark.parametrize("digits", ["abc", "ABC", "0abc", "2", "5" * 127, "0" * 128 + "2"])
def test_any_way_to_write_a_number(digits: str) -> None:
    """OpenSSL leaves zeros in front away, others do not."""
    assert exchange.read_reply(reply(digits.encode())).public_key == digits


def test_the_footer_of_a_reply_is_not_looked_at() -> None:
    assert exchange.read_reply(reply(footer=b"whatever")) == exchange.read_reply(reply())


def test_the_frame_of_a_reply() -> None:
    read = exchange.read_reply(reply())
    for version in CoVersion:
        frame = read.encode(version)
        assert frame[2:4] == b"\0\0"
        assert ExchangeReply.decode(frame) == read


def test_no_two_connections_share_anything() -> None:
    """A thousand of them; the key follows from what differs here."""
    chance = entropy()
    offers = [Offer.draw(chance) for _ in range(1000)]
    assert len({offer.private for offer in offers}) == 1000
    assert len({offer.public for offer in offers}) == 1000
    ivs = {iv for offer in offers for iv in (offer.server_iv, offer.client_iv)}
    assert len(ivs) == 2000
    assert min(offer.private.bit_length() for offer in offers) == 256


def test_nothing_secret_is_shown() -> None:
    keys = OFFER.keys(exchange.read_reply(reply()))
    assert str(OFFER.private) not in repr(OFFER)
    assert "cipher" not in repr(keys)


# What is refused

NO_KEY: Final = {
    "0": 0,
    "1": 1,
    "p - 1": PRIME - 1,
    "p": PRIME,
    "p + 1": PRIME + 1,
    "p + 5": PRIME + 5,
    "far beyond p": PRIME << 500,
}


@pytest.mark.parametrize("what", NO_KEY)
def test_keys_that_give_the_secret_away(what: str) -> None:
    text = f"{NO_KEY[what]:X}"
    with pytest.raises(WireError, match="bad_exchange"):
        exchange.read_reply(reply(text.encode()))
    with pytest.raises(WireError, match="bad_exchange"):
        OFFER.keys(ExchangeReply(public_key=text))
    request = OFFER.request(entropy()).replace(b"%0128X" % PUBLIC, (text.zfill(128)[-128:]).encode())
    if NO_KEY[what] < 1 << 512:
        with pytest.raises(WireError, match="bad_exchange"):
            exchange.answer(request, entropy())


NO_NUMBER: Final = [b"", b"xyz", b"0x12", b"1_2", b" 12", b"12\0", b"-5", b"+5", b"\xff", b"2" * 257]


@pytest.mark.parametrize("text", NO_NUMBER)
def test_what_is_no_number(text: bytes) -> None:
    with pytest.raises(WireError, match="bad_exchange"):
        exchange.read_reply(reply(text))
    with pytest.raises(WireError, match="bad_exchange"):
        OFFER.keys(ExchangeReply(public_key=text.decode("latin-1")))


@pytest.mark.parametrize("length", [-(2**31), -1, 500, 2**31 - 1])
@pytest.mark.parametrize("at", [11, 24])
def test_lengths_inside_a_reply(length: int, at: int) -> None:
    """Of the junk, and of the public key behind it."""
    data = bytearray(reply())
    struct.pack_into("<i", data, at, length)
    with pytest.raises(WireError, match=f"a part of {length} bytes"):
        exchange.read_reply(bytes(data))


@pytest.mark.parametrize("length", [4, 11, 12, 500])
def test_a_public_key_that_reaches_into_the_footer(length: int) -> None:
    data = bytearray(reply(b"abc", footer=b"01234567"))
    assert exchange.read_reply(bytes(data)).public_key == "abc"
    struct.pack_into("<i", data, 24, length)
    with pytest.raises(WireError, match=f"a part of {length} bytes"):
        exchange.read_reply(bytes(data))


def test_short_replies() -> None:
    whole = reply()
    for size in range(len(whole)):
        with pytest.raises(WireError, match="bad_exchange"):
            exchange.read_reply(whole[:size][: -exchange.FOOTER_SIZE] + b"TQClient")


@pytest.mark.parametrize("size", [0, 7, 9, 16])
def test_requests_with_other_ivs(size: int) -> None:
    for wrong in (
        Offer(OFFER.private, OFFER.public, bytes(size), bytes(8)),
        Offer(OFFER.private, OFFER.public, bytes(8), bytes(size)),
    ):
        with pytest.raises(WireError, match="no block"):
            exchange.answer(wrong.request(entropy()), entropy())


@pytest.mark.parametrize("prime", [0, 1, 2, 3, 4])
def test_requests_with_a_prime_that_is_none(prime: int) -> None:
    request = OFFER.request(entropy()).replace(b"%0128X" % PRIME, b"%0128X" % prime)
    with pytest.raises(WireError, match="bad_exchange"):
        exchange.answer(request, entropy())


def test_a_request_that_leads_to_no_secret() -> None:
    """Powers of 16, modulo a power of 2, are 0 before long."""
    request = OFFER.request(entropy()).replace(b"%0128X" % PRIME, b"%0128X" % (1 << 500))
    request = request.replace(b"%0128X" % PUBLIC, b"%0128X" % 16)
    with pytest.raises(WireError, match="no secret"):
        exchange.answer(request, entropy())


@pytest.mark.parametrize("padding", [exchange.REPLY_PADDING, exchange.REQUEST_PADDING])
def test_the_size_of_a_message(padding: int) -> None:
    def head(length: int) -> bytes:
        return bytes(padding) + struct.pack("<i", length)

    assert exchange.size_of(head(100), padding, 512) == padding + 100
    assert exchange.size_of(head(512 - padding), padding, 512) == 512
    for length in (-(2**31), -1, 0, 4, 11, 12, 513 - padding, 2**31 - 1):
        with pytest.raises(WireError, match="bad_exchange"):
            exchange.size_of(head(length), padding, 512)


@given(st.binary(max_size=400))
def test_garbage_is_a_wire_error(garbage: bytes) -> None:
    with pytest.raises(WireError):
        exchange.read_reply(garbage)
    with pytest.raises(WireError):
        exchange.answer(garbage, entropy())


@given(st.data())
def test_a_changed_message_is_read_or_a_wire_error(data: st.DataObject) -> None:
    changed = bytearray(reply())
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    try:
        read = exchange.read_reply(bytes(changed))
    except WireError:
        return
    assert 1 < int(read.public_key, 16) < PRIME - 1
