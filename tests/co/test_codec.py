"""The codecs against each other, at both doors of both versions, however the stream is cut."""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING, Final, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.co import exchange
from protocol.co.blowfish import Blowfish, CfbDecryption, CfbEncryption
from protocol.co.ciphers import PERIOD, TqCipher
from protocol.co.codec import CfbGameCodec, CoAccountCodec, TqGameCodec, game_codec, version_of
from protocol.co.exchange import ExchangeReply, Keys
from protocol.co.versions import CoVersion
from protocol.endings import WireError
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from protocol.co.codec import CoCodec

Pair: TypeAlias = "tuple[CoCodec, CoCodec]"
"""Server and client of one connection."""

NOW: Final = 0.0


def packet(type_: int, fields: bytes = b"") -> bytes:
    return struct.pack("<HH", 4 + len(fields), type_) + fields


CONNECT: Final = packet(1052, struct.pack("<II", 0xBABE0001, 0xC0FFEE00) + b"\x7b\0En".ljust(16, b"\0"))
SAID: Final = [packet(1010, bytes(20)), packet(1009), packet(1004, b"hello" * 50), packet(1005, b"abcdef")]

KEYS: Final = Keys(Blowfish(bytes(range(64))), b"server's", b"client's")
"""Made once: the exchange is done where it is what is tested."""


def args(role: Role, version: CoVersion = CoVersion.V5017, seed: int = 1) -> CodecArgs:
    return CodecArgs(role, random.Random(f"{role} {seed}").randbytes, {"patch": int(version)})


def sent(codec: CoCodec) -> bytes:
    return b"".join(codec.outgoing(NOW))


def drain(codec: CoCodec) -> list[bytes]:
    """All frames; a server agrees on keys in between, as its handler does."""
    frames: list[bytes] = []
    while (frame := codec.next_frame()) is not None:
        if isinstance(codec, CfbGameCodec) and not codec.agreed:
            codec.adopt(codec.keys_of(ExchangeReply.decode(frame)))
        else:
            frames.append(frame)
    return frames


def hear_all(codec: CoCodec, data: bytes) -> None:
    """Let a codec have bytes in pieces, and take what frames there are."""
    for at in range(0, len(data), 100):
        codec.receive(data[at : at + 100], NOW)
        drain(codec)


def account() -> Pair:
    return CoAccountCodec(args(Role.SERVER)), CoAccountCodec(args(Role.CLIENT))


def account_5065() -> Pair:
    return CoAccountCodec(args(Role.SERVER, CoVersion.V5065)), CoAccountCodec(
        args(Role.CLIENT, CoVersion.V5065)
    )


def game() -> Pair:
    return game_codec(args(Role.SERVER)), game_codec(args(Role.CLIENT))


def game_5065() -> Pair:
    """Before the exchange; `begin` was called."""
    server = game_codec(args(Role.SERVER, CoVersion.V5065))
    server.begin()
    return server, game_codec(args(Role.CLIENT, CoVersion.V5065))


def agreed() -> Pair:
    """A game connection of version 5065 behind its exchange."""
    server, client = (CfbGameCodec(args(role, CoVersion.V5065)) for role in (Role.SERVER, Role.CLIENT))
    for codec in (server, client):
        codec.adopt(KEYS)
    return server, client


def connected() -> Pair:
    """A game connection of version 5017 behind its first packet."""
    server, client = game()
    client.send(Body(CONNECT))
    server.receive(sent(client), NOW)
    assert drain(server) == [CONNECT]
    return server, client


PAIRS: Final[dict[str, Callable[[], Pair]]] = {
    "account 5017": account,
    "account 5065": account_5065,
    "game 5017": game,
    "game 5065": game_5065,
}
READY: Final[dict[str, Callable[[], Pair]]] = {"account": account, "5017": connected, "5065": agreed}

EVERYWHERE: Final = pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
WHEN_READY: Final = pytest.mark.parametrize("pair", READY.values(), ids=READY)


def whole(data: bytes) -> Iterable[bytes]:
    if data:
        yield data


def byte_by_byte(data: bytes) -> Iterable[bytes]:
    return (data[at : at + 1] for at in range(len(data)))


def at_random(data: bytes) -> Iterable[bytes]:
    dice = random.Random(len(data))
    while data:
        size = dice.choices((1, 2, 3, 27, 29, 40))[0]
        yield data[:size]
        data = data[size:]


SPLITS: Final = pytest.mark.parametrize("split", [whole, byte_by_byte, at_random])


# Conversations


@EVERYWHERE
@SPLITS
def test_a_conversation(pair: Callable[[], Pair], split: Callable[[bytes], Iterable[bytes]]) -> None:
    """The client says all it has to say at once, before it has heard anything; the server answers."""
    server, client = pair()
    client.send_raw([CONNECT, *SAID])
    for _ in range(3):
        heard: list[bytes] = []
        told: list[bytes] = []
        for chunk in split(sent(server)):
            client.receive(chunk, NOW)
            told += drain(client)
        for chunk in split(sent(client)):
            server.receive(chunk, NOW)
            heard += drain(server)
        if heard:
            assert heard == [CONNECT, *SAID]
            assert not told
            server.send_many([Body(said) for said in SAID])
            server.send_raw(SAID)
        elif told:
            assert told == SAID * 2
            break
    else:
        pytest.fail("nobody was heard")
    assert not server.pending
    assert not client.pending


@EVERYWHERE
def test_everything_in_one_piece(pair: Callable[[], Pair]) -> None:
    """What comes glued behind the packet or message that changes the keys is in the new ones."""
    server, client = pair()
    client.receive(sent(server), NOW)
    for said in [CONNECT, *SAID]:
        client.send(Body(said))
    server.receive(sent(client), NOW)
    assert drain(server) == [CONNECT, *SAID]


packets = st.builds(packet, st.integers(1, 0xFFFF), st.binary(max_size=300))


@pytest.mark.parametrize("from_server", [False, True])
@WHEN_READY
@given(messages=st.lists(packets, max_size=12), dice=st.randoms())
def test_any_packets_however_they_are_cut(
    pair: Callable[[], Pair], from_server: bool, messages: list[bytes], dice: random.Random
) -> None:
    server, client = pair()
    speaker, hearer = (server, client) if from_server else (client, server)
    if pair is account:
        messages = [message for message in messages if len(message) <= 512]
    frames: list[bytes] = []
    cut = dice.randint(0, len(messages))
    speaker.send_raw(messages[:cut])
    speaker.send_many([Body(message) for message in messages[cut:]])
    wire = sent(speaker)
    while wire:
        size = dice.randint(1, len(wire))
        hearer.receive(memoryview(wire)[:size], NOW)
        frames += drain(hearer)
        wire = wire[size:]
    assert frames == messages


@WHEN_READY
def test_counters_wrap(pair: Callable[[], Pair]) -> None:
    """More than two periods of 64 KiB, both ways."""
    server, client = pair()
    said = [packet(1004, random.Random(n).randbytes(400)) for n in range(340)]
    assert sum(map(len, said)) > 2 * PERIOD
    for speaker, hearer in ((server, client), (client, server)):
        for message in said:
            speaker.send(Body(message))
            hearer.receive(sent(speaker), NOW)
            assert drain(hearer) == [message]


@WHEN_READY
def test_more_than_a_period_at_once(pair: Callable[[], Pair]) -> None:
    server, client = pair()
    said = [packet(1004, random.Random(n).randbytes(1000)) for n in range(70)]
    server.send_raw(said)
    assert len(server.outgoing(NOW)) == 1
    server.send_raw(said)
    server.send_raw([])
    client.receive(b"", NOW)
    assert drain(client) == []
    other_server, other = pair()
    other_server.send_raw(said)
    other.receive(sent(other_server), NOW)
    assert drain(other) == said


@EVERYWHERE
def test_nothing_to_say(pair: Callable[[], Pair]) -> None:
    for codec in pair():
        codec.outgoing(NOW)
        codec.send_raw([])
        codec.send_many([])
        assert sent(codec) == b""
        assert not codec.pending
        assert codec.deadline() is None
        assert codec.share_key is None
        assert not codec.peer_closed


@EVERYWHERE
def test_a_truncated_packet_is_waited_for(pair: Callable[[], Pair]) -> None:
    server, client = pair()
    client.receive(sent(server), NOW)
    client.send(Body(CONNECT))
    wire = sent(client)
    server.receive(wire[:-1], NOW)
    assert drain(server) == []
    server.receive(wire[-1:], NOW)
    assert drain(server) == [CONNECT]


# Bad packets


def say(codec: CoCodec, raw: bytes) -> None:
    """Let a client say what is no packet."""
    codec.send_raw([raw])


@WHEN_READY
@pytest.mark.parametrize("size", [0, 1, 2, 3, 1025, 2000, 0x7FFF, 0xFFFF])
def test_sizes_that_end_a_client(pair: Callable[[], Pair], size: int) -> None:
    server, client = pair()
    if pair is agreed:  # until it has said something it is nobody
        client.send(Body(CONNECT))
        server.receive(sent(client), NOW)
        drain(server)
    say(client, size.to_bytes(2, "little"))
    server.receive(sent(client), NOW)
    with pytest.raises(WireError, match="bad_length"):
        server.next_frame()


def test_how_much_a_client_may_say() -> None:
    long, longer = packet(1004, bytes(1020)), packet(1004, bytes(1021))
    for pair in (connected, agreed):
        server, client = pair()
        client.send_raw([SAID[0], long])
        server.receive(sent(client), NOW)
        assert drain(server) == [SAID[0], long]
        client.send_raw([longer])
        server.receive(sent(client), NOW)
        with pytest.raises(WireError, match="bad_length: 10"):
            server.next_frame()


@pytest.mark.parametrize("pair", [account, agreed])
def test_how_much_a_stranger_may_say(pair: Callable[[], Pair]) -> None:
    long, longer = packet(1051, bytes(508)), packet(1051, bytes(509))
    server, client = pair()
    client.send(Body(long))
    server.receive(sent(client), NOW)
    assert drain(server) == [long]
    server, client = pair()
    client.send(Body(longer))
    server.receive(sent(client), NOW)
    with pytest.raises(WireError, match="bad_length"):
        server.next_frame()


def test_an_account_connection_stays_a_strangers() -> None:
    server, client = account()
    client.send_raw([SAID[0], packet(1051, bytes(509))])
    server.receive(sent(client), NOW)
    assert server.next_frame() == SAID[0]
    with pytest.raises(WireError, match="bad_length"):
        server.next_frame()


@WHEN_READY
def test_a_server_may_say_more(pair: Callable[[], Pair]) -> None:
    server, client = pair()
    long = packet(1004, bytes(0xFFFF - 4))
    server.send_raw([long, SAID[0]])
    client.receive(sent(server), NOW)
    assert drain(client) == [long, SAID[0]]


@WHEN_READY
def test_nobody_passes_on_an_exchange_of_his_own(pair: Callable[[], Pair]) -> None:
    """Type 0 is what the codec hands out itself, once."""
    server, client = pair()
    client.send(Body(ExchangeReply(public_key="2").encode(CoVersion.V5065)))
    server.receive(sent(client), NOW)
    with pytest.raises(WireError, match="bad_type"):
        server.next_frame()


FOREIGN: Final = {
    "http": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + bytes(500),
    "tls": bytes.fromhex("1603010200010001fc0303") + bytes(500),
    "ssh": b"SSH-2.0-OpenSSH_9.6\r\n" + bytes(500),
    "proxy": b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + bytes(500),
    "zeros": bytes(600),
}


@EVERYWHERE
@pytest.mark.parametrize("what", FOREIGN)
def test_other_protocols_are_turned_away(pair: Callable[[], Pair], what: str) -> None:
    server, _ = pair()
    server.receive(FOREIGN[what], NOW)
    with pytest.raises(WireError):
        drain(server)


@EVERYWHERE
@given(garbage=st.binary(max_size=1500), role=st.sampled_from(Role))
def test_garbage_is_frames_or_a_wire_error(pair: Callable[[], Pair], garbage: bytes, role: Role) -> None:
    server, client = pair()
    end = server if role is Role.SERVER else client
    try:
        end.receive(garbage, NOW)
        assert all(len(frame) >= 4 for frame in drain(end))
    except WireError:
        return


@WHEN_READY
@given(garbage=st.binary(max_size=1500))
def test_garbage_in_the_world_is_frames_or_a_wire_error(pair: Callable[[], Pair], garbage: bytes) -> None:
    for end in pair():
        try:
            end.receive(garbage, NOW)
            assert all(len(frame) >= 4 for frame in drain(end))
        except WireError:
            continue


@EVERYWHERE
def test_nobody_makes_a_server_keep_much(pair: Callable[[], Pair]) -> None:
    """What never becomes a packet ends the client instead of being kept."""
    server, _ = pair()
    with pytest.raises(WireError):
        hear_all(server, random.Random(1).randbytes(100_000))


# The first packet of a game connection, version 5017


@pytest.mark.parametrize(
    "first",
    [packet(1051, bytes(48)), packet(1052, bytes(23)), packet(1052, bytes(25)), packet(1010, bytes(24))],
)
def test_another_first_packet(first: bytes) -> None:
    """Refused by its first four bytes."""
    server, client = game()
    with pytest.raises(ValueError, match="MsgConnect"):
        client.send(Body(first))
    server.receive(TqCipher(Role.CLIENT).encrypt(first)[:4], NOW)
    with pytest.raises(WireError, match="bad_connect"):
        server.next_frame()


def test_a_client_that_did_not_change_keys_is_not_understood() -> None:
    server, _ = game()
    client = TqCipher(Role.CLIENT)
    server.receive(client.encrypt(CONNECT), NOW)
    assert drain(server) == [CONNECT]
    with pytest.raises(WireError):  # most sizes are none
        hear_all(server, client.encrypt(SAID[0] * 1000))


def test_what_a_server_said_before_counts_no_more() -> None:
    """It says nothing before, but for a farewell; a client begins to count when it has said who it is."""
    server, client = game()
    server.send(Body(SAID[0]))
    client.receive(sent(server), NOW)
    assert drain(client) == [SAID[0]]
    client.send(Body(CONNECT))
    server.receive(sent(client), NOW)
    assert drain(server) == [CONNECT]
    server.send_raw(SAID)
    wire = sent(server)
    assert wire == TqCipher(Role.SERVER).encrypt(b"".join(SAID))
    client.receive(wire, NOW)
    assert drain(client) == SAID


def test_a_missing_byte_is_not_made_up_for() -> None:
    server, client = connected()
    client.send_raw(SAID * 30)
    with pytest.raises(WireError):
        hear_all(server, sent(client)[1:])


# The exchange, version 5065


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


# Settings


def test_the_codec_of_a_version() -> None:
    assert type(game_codec(args(Role.SERVER))) is TqGameCodec
    assert type(game_codec(args(Role.SERVER, CoVersion.V5065))) is CfbGameCodec
    assert type(game_codec(CodecArgs(Role.SERVER, bytes))) is TqGameCodec
    for version in CoVersion:
        for make in (CoAccountCodec, game_codec):
            codec = make(args(Role.SERVER, version))
            assert codec.version is version
            assert codec.settings == {"patch": version}


@pytest.mark.parametrize("version", [5064, 0, "5017", None])
def test_a_version_that_is_not_spoken(version: object) -> None:
    with pytest.raises(ValueError, match=r"[Vv]ersion"):
        version_of(CodecArgs(Role.SERVER, bytes, {"patch": version}))


def test_only_one_kind_of_server_speaks_first() -> None:
    for codec in (*account(), *game(), CfbGameCodec(args(Role.CLIENT, CoVersion.V5065))):
        codec.begin()
        assert not codec.pending
