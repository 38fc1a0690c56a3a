"""The exchange of keys of version 5065, by the codecs of both ends."""

from __future__ import annotations

import random
import struct

import pytest

from protocol.co import exchange
from protocol.co.blowfish import CfbDecryption, CfbEncryption
from protocol.co.codec import CfbGameCodec, CoCodec, game_codec
from protocol.co.exchange import ExchangeReply
from protocol.co.versions import CoVersion
from protocol.endings import WireError
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from tests.kit.co_pairs import CONNECT, KEYS, NOW, SAID, agreed, args, drain, game_5065, hear_all, sent


def shake(server: CoCodec, client: CoCodec) -> bytes:
    """The client's reply, as it is on the wire."""
    client.receive(sent(server), NOW)
    reply = sent(client)
    assert reply
    return reply


def test_exchange_step_by_step() -> None:
    server, client = game_5065()
    assert isinstance(server, CfbGameCodec)
    assert isinstance(client, CfbGameCodec)
    assert server.pending
    request = sent(server)
    assert exchange.start_decryption().apply(request).endswith(b"TQServer")
    client.receive(request, NOW)
    assert client.agreed
    assert client.pending
    server.receive(sent(client), NOW)
    frame = server.next_frame()
    assert frame is not None
    server.begin()
    assert sent(server) == b""  # it asked once, and that is all
    assert server.next_frame() is None
    keys = server.keys_of(ExchangeReply.decode(frame))
    assert server.next_frame() is None
    server.adopt(keys)
    assert server.next_frame() is None
    with pytest.raises(ValueError, match="has its keys"):
        server.adopt(keys)


def test_what_is_sent_too_early_waits_for_the_keys() -> None:
    server, client = game_5065()
    server.send(Body(SAID[0]))
    client.send_raw([CONNECT])
    assert not client.pending
    server.receive(shake(server, client), NOW)
    assert not server.pending
    assert drain(server) == [CONNECT]
    client.receive(sent(server), NOW)
    assert drain(client) == [SAID[0]]


def test_packets_behind_the_reply_wait_for_the_keys() -> None:
    server, client = game_5065()
    assert isinstance(server, CfbGameCodec)
    client.send_raw([CONNECT, *SAID])
    server.receive(shake(server, client), NOW)
    reply = server.next_frame()
    assert reply is not None
    assert [server.next_frame() for _ in range(3)] == [None] * 3
    client.send_raw(SAID)
    server.receive(sent(client), NOW)  # while the secret is reckoned out
    assert server.next_frame() is None
    server.adopt(server.keys_of(ExchangeReply.decode(reply)))
    assert drain(server) == [CONNECT, *SAID, *SAID]


def test_nobody_says_much_while_the_secret_is_reckoned_out() -> None:
    server, client = game_5065()
    server.receive(shake(server, client), NOW)
    assert server.next_frame() is not None
    with pytest.raises(WireError, match="before the keys"):
        hear_all(server, bytes(20_000))


def test_the_ivs_of_the_two_directions() -> None:
    server, client = agreed()
    server.send(Body(SAID[0]))
    client.send(Body(SAID[0]))
    assert sent(server) == CfbEncryption(KEYS.cipher, b"server's").apply(SAID[0] + b"TQServer")
    assert sent(client) == CfbEncryption(KEYS.cipher, b"client's").apply(SAID[0] + b"TQClient")


def test_every_packet_has_its_footer() -> None:
    server, client = agreed()
    client.send_raw(SAID)
    plain = CfbDecryption(KEYS.cipher, b"client's").apply(sent(client))
    assert plain == b"".join(said + b"TQClient" for said in SAID)
    server.send_many([Body(said) for said in SAID])
    plain = CfbDecryption(KEYS.cipher, b"server's").apply(sent(server))
    assert plain == b"".join(said + b"TQServer" for said in SAID)


@pytest.mark.parametrize("footer", [b"TQServer", b"TQclient", bytes(8), SAID[0][:8]])
def test_another_footer(footer: bytes) -> None:
    server, _ = agreed()
    server.receive(CfbEncryption(KEYS.cipher, b"client's").apply(SAID[0] + footer), NOW)
    with pytest.raises(WireError, match="bad_footer"):
        server.next_frame()


def test_no_footer() -> None:
    """Then the next packet's first bytes stand there."""
    server, _ = agreed()
    server.receive(CfbEncryption(KEYS.cipher, b"client's").apply(b"".join(SAID)), NOW)
    with pytest.raises(WireError, match="bad_footer"):
        server.next_frame()


@pytest.mark.parametrize("at", [0, 1, *range(16, 32)])
def test_a_changed_byte_near_a_size_or_footer_ends_the_client(at: int) -> None:
    """It spoils its own place and the whole next block. Between them, nobody can tell."""
    server, client = agreed()
    client.send_raw(SAID)
    wire = bytearray(sent(client))
    wire[at] ^= 0x20
    server.receive(bytes(wire), NOW)
    with pytest.raises(WireError):
        drain(server)


def test_what_another_connection_said() -> None:
    """The keys are of one connection, not of a client."""
    first, client = game_5065()
    client.send_raw([CONNECT])
    wire = shake(first, client)
    first.receive(wire, NOW)
    assert drain(first) == [CONNECT]
    second = game_codec(args(Role.SERVER, CoVersion.V5065, seed=2))
    second.begin()
    second.receive(wire, NOW)
    with pytest.raises(WireError):
        drain(second)


def test_no_two_requests_are_alike() -> None:
    chance = random.Random(1).randbytes
    requests = set()
    for _ in range(30):
        server = game_codec(CodecArgs(Role.SERVER, chance, {"patch": 5065}))
        server.begin()
        requests.add(sent(server))
    assert len(requests) == 30


@pytest.mark.parametrize("length", [-(2**31), -1, 0, 12, 506, 2**31 - 1])
def test_lengths_of_a_reply(length: int) -> None:
    """Refused as soon as they are there."""
    server, _ = game_5065()
    head = b"padding" + struct.pack("<i", length)
    server.receive(exchange.start_encryption().apply(head), NOW)
    with pytest.raises(WireError, match="bad_exchange"):
        server.next_frame()


@pytest.mark.parametrize("length", [-(2**31), -1, 0, 12, 1014, 2**31 - 1])
def test_lengths_of_a_request(length: int) -> None:
    client = game_codec(args(Role.CLIENT, CoVersion.V5065))
    head = b"the padding" + struct.pack("<i", length)
    with pytest.raises(WireError, match="bad_exchange"):
        client.receive(exchange.start_encryption().apply(head), NOW)


def test_a_public_key_that_gives_the_secret_away() -> None:
    """Refused by the codec: no handler sees it."""
    server, _ = game_5065()
    parts = struct.pack("<ii", 0, 1) + b"1" + b"TQClient"
    reply = b"padding" + struct.pack("<i", 4 + len(parts)) + parts
    server.receive(exchange.start_encryption().apply(reply), NOW)
    with pytest.raises(WireError, match="gives the secret away"):
        server.next_frame()


def test_a_reply_to_nothing() -> None:
    server, client = game_5065()
    wire = shake(server, client)
    silent = CfbGameCodec(args(Role.SERVER, CoVersion.V5065))
    silent.receive(wire, NOW)
    frame = silent.next_frame()
    assert frame is not None
    with pytest.raises(ValueError, match="nothing was offered"):
        silent.keys_of(ExchangeReply.decode(frame))
