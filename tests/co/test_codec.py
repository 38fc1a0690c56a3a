"""The codecs against each other, at both doors of both versions, however the stream is cut."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.co.ciphers import PERIOD, TqCipher
from protocol.co.codec import CfbGameCodec, CoAccountCodec, TqGameCodec, game_codec, version_of
from protocol.co.exchange import ExchangeReply
from protocol.co.versions import CoVersion
from protocol.endings import WireError
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from tests.kit.co_pairs import (
    CONNECT,
    EVERYWHERE,
    NOW,
    SAID,
    SPLITS,
    WHEN_READY,
    Pair,
    account,
    agreed,
    args,
    connected,
    drain,
    game,
    hear_all,
    packet,
    say,
    sent,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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
