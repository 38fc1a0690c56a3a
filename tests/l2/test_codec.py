"""The codecs against a recorded login, against each other, and against whatever else may come."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.l2.blowfish import Blowfish
from protocol.l2.ciphers import guarded, is_intact, unveil
from protocol.l2.codec import L2GameCodec, L2LoginCodec
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "l2"


class Init(TypedDict):
    body: str
    blowfish_key: str
    xor_seed: str
    wire_without_length: str
    length_field: int


class Game(TypedDict):
    key16: str
    messages: list[str]
    encrypted: list[str]


class Crypto(TypedDict):
    init: Init
    game_cipher: Game


class Step(TypedDict):
    dir: str
    name: str
    plain: str
    raw: str


CRYPTO: Final[Crypto] = json.loads((GOLDEN / "crypto.json").read_text())
TRACE: Final[list[Step]] = json.loads((GOLDEN / "login_session_c6.json").read_text())["packets"]

INIT: Final = bytes.fromhex(CRYPTO["init"]["body"])
INIT_KEY: Final = bytes.fromhex(CRYPTO["init"]["blowfish_key"])
STATIC: Final = Blowfish(bytes.fromhex("6b60cb5b82ce90b1cc2b6c556c6c6c6c"))
GAME_KEY: Final = bytes.fromhex(CRYPTO["game_cipher"]["key16"])[:8]


def args(role: Role, seed: int = 1, **settings: object) -> CodecArgs:
    return CodecArgs(role, random.Random(seed).randbytes, settings)


def framed(body: bytes) -> bytes:
    return (2 + len(body)).to_bytes(2, "little") + body


def sent(codec: L2LoginCodec | L2GameCodec) -> bytes:
    return b"".join(codec.outgoing(0.0))


def drain(codec: L2LoginCodec | L2GameCodec) -> list[bytes]:
    return list(iter(codec.next_frame, None))


def whole(data: bytes) -> Iterable[bytes]:
    yield data


def byte_by_byte(data: bytes) -> Iterable[bytes]:
    return (data[at : at + 1] for at in range(len(data)))


def at_random(data: bytes) -> Iterable[bytes]:
    dice = random.Random(len(data))
    while data:
        size = min(dice.choices((1, 2, 3, 40))[0], len(data))
        yield data[:size]
        data = data[size:]


SPLITS: Final = pytest.mark.parametrize("split", [whole, byte_by_byte, at_random])


def met(*, original: bool = False) -> tuple[L2LoginCodec, L2LoginCodec]:
    """Server and client of a login, Init said and read."""
    server = L2LoginCodec(args(Role.SERVER))
    client = L2LoginCodec(args(Role.CLIENT, 2), original=original)
    server.send(Body(INIT[:153] + server.session_key + b"\0"))
    client.receive(sent(server), 0.0)
    assert drain(client)
    return server, client


# The recorded login


@SPLITS
def test_the_recorded_server(split: Callable[[bytes], Iterable[bytes]]) -> None:
    """All it said, in the client's role: the key comes out of Init by itself."""
    steps = [step for step in TRACE if step["dir"] == "S"]
    client = L2LoginCodec(args(Role.CLIENT))
    frames: list[bytes] = []
    for chunk in split(b"".join(framed(bytes.fromhex(step["raw"])) for step in steps)):
        client.receive(chunk, 0.0)
        frames += drain(client)
    plain = [bytes.fromhex(step["plain"]) for step in steps]
    assert frames[0][:170] == plain[0][:170]
    assert frames[1:] == [message[:-4] for message in plain[1:]]
    assert client.session_key == plain[0][153:169]


@SPLITS
def test_the_recorded_client(split: Callable[[bytes], Iterable[bytes]]) -> None:
    steps = [step for step in TRACE if step["dir"] == "C"]
    server = L2LoginCodec(CodecArgs(Role.SERVER, lambda _: bytes.fromhex(TRACE[0]["plain"])[153:169]))
    frames: list[bytes] = []
    for chunk in split(b"".join(framed(bytes.fromhex(step["raw"])) for step in steps)):
        server.receive(chunk, 0.0)
        frames += drain(server)
    assert frames == [bytes.fromhex(step["plain"])[:-4] for step in steps]


def test_the_recorded_init_made_again() -> None:
    """Its key and its seed are the codec's whole chance."""
    chance = {16: INIT_KEY, 4: bytes.fromhex(CRYPTO["init"]["xor_seed"])[::-1]}
    server = L2LoginCodec(CodecArgs(Role.SERVER, chance.__getitem__))
    assert server.session_key == INIT_KEY
    server.send(Body(INIT))
    wire = sent(server)
    assert int.from_bytes(wire[:2], "little") == CRYPTO["init"]["length_field"]
    assert wire[2:].hex() == CRYPTO["init"]["wire_without_length"]


@pytest.mark.parametrize(("size", "wire"), [(21, 34), (49, 58), (9, 18), (2, 10)])
def test_sizes_as_public_servers_have_them(size: int, wire: int) -> None:
    """GGAuth, LoginOk, PlayOk and LoginFail, with their lengths."""
    server, _ = met()
    server.send(Body(bytes(size)))
    assert len(sent(server)) == wire


# A login


@pytest.mark.parametrize("original", [False, True])
def test_both_ends_of_a_login(original: bool) -> None:
    server, client = met(original=original)
    assert client.session_key == server.session_key
    for number in range(1, 40):
        said = bytes((number,)) * number
        client.send(Body(said))
        server.receive(sent(client), 0.0)
        (frame,) = drain(server)
        assert frame.startswith(said)
        assert not any(frame[len(said) : -4])
        server.send_raw([said, said + b"!"])
        client.receive(sent(server), 0.0)
        assert [frame.rstrip(b"\0") for frame in drain(client)] == [said, said + b"!"]


def test_where_the_original_client_puts_its_checksum() -> None:
    for original in (False, True):
        server, client = met(original=original)
        client.send(Body(b"\7" + bytes(20)))
        message = Blowfish(server.session_key).decrypt(sent(client)[2:])
        assert is_intact(message)
        assert any(message[-4:]) is not original
        assert any(message[-8:-4]) is original


def test_the_first_message_and_no_other_is_in_the_key_that_everybody_knows() -> None:
    server = L2LoginCodec(args(Role.SERVER))
    server.send_raw([INIT, INIT])
    first, second = server.outgoing(0.0)
    assert unveil(STATIC.decrypt(first[2:])).startswith(INIT)
    assert not unveil(STATIC.decrypt(second[2:])).startswith(INIT)
    assert Blowfish(server.session_key).decrypt(second[2:]) == guarded(INIT)


def test_no_two_connections_share_a_key() -> None:
    entropy = random.Random(1).randbytes
    keys = {L2LoginCodec(CodecArgs(Role.SERVER, entropy)).session_key for _ in range(1000)}
    assert len(keys) == 1000
    assert {len(key) for key in keys} == {16}


def test_a_client_says_nothing_before_init() -> None:
    client = L2LoginCodec(args(Role.CLIENT))
    assert client.session_key == b""
    with pytest.raises(ValueError, match="before Init"):
        client.send(Body(b"\7"))


@pytest.mark.parametrize("size", [8, 16, 176])
def test_what_is_no_init(size: int) -> None:
    client = L2LoginCodec(args(Role.CLIENT))
    client.receive(framed(bytes(size)), 0.0)
    with pytest.raises(WireError, match="bad_init"):
        client.next_frame()
    assert client.session_key == b""


def test_a_changed_byte_ends_the_client() -> None:
    for at in range(2, 34):
        server, client = met()
        client.send(Body(bytes(21)))
        wire = bytearray(sent(client))
        wire[at] ^= 0x20
        server.receive(bytes(wire), 0.0)
        with pytest.raises(WireError, match="bad_checksum"):
            server.next_frame()


def test_another_key_ends_the_client() -> None:
    """What the connection before said, said again on this one."""
    server, _ = met()
    server.receive(framed(Blowfish(INIT_KEY).encrypt(guarded(b"\7" + bytes(20)))), 0.0)
    with pytest.raises(WireError, match="bad_checksum"):
        server.next_frame()


@pytest.mark.parametrize("size", [1, 4, 7, 9, 20])
def test_a_body_that_is_no_whole_blocks(size: int) -> None:
    server, _ = met()
    server.receive(framed(bytes(size)), 0.0)
    with pytest.raises(WireError, match="bad_length"):
        server.next_frame()


# A game connection


def playing() -> tuple[L2GameCodec, L2GameCodec]:
    """Server and client, enciphered."""
    server, client = L2GameCodec(args(Role.SERVER)), L2GameCodec(args(Role.CLIENT))
    for codec in (server, client):
        codec.encipher(GAME_KEY)
        assert codec.enciphered
    return server, client


def test_recorded_game_messages() -> None:
    case = CRYPTO["game_cipher"]
    messages = [bytes.fromhex(text) for text in case["messages"]]
    enciphered = [framed(bytes.fromhex(text)) for text in case["encrypted"]]
    server, client = playing()
    server.send_raw(messages)
    assert server.outgoing(0.0) == enciphered
    client.send_many([Body(message) for message in messages])
    assert client.outgoing(0.0) == enciphered
    for codec in (server, client):
        codec.receive(b"".join(enciphered), 0.0)
        assert drain(codec) == messages


@SPLITS
def test_the_cipher_begins_between_two_frames_of_one_chunk(
    split: Callable[[bytes], Iterable[bytes]],
) -> None:
    """KeyPacket and what follows come together: nothing may be deciphered ahead."""
    server, client = L2GameCodec(args(Role.SERVER)), L2GameCodec(args(Role.CLIENT))
    server.send(Body(b"\0\1" + GAME_KEY))
    server.encipher(GAME_KEY)  # what was sent before stays plain
    server.send(Body(b"after"))
    wire = sent(server)
    assert wire.startswith(framed(b"\0\1" + GAME_KEY))
    assert b"after" not in wire
    frames: list[bytes] = []
    for chunk in split(wire):
        client.receive(chunk, 0.0)
        while (frame := client.next_frame()) is not None:
            frames.append(frame)
            if not client.enciphered:
                client.encipher(frame[2:10])
    assert frames == [b"\0\1" + GAME_KEY, b"after"]


def test_plain_until_it_is_not() -> None:
    server = L2GameCodec(args(Role.SERVER))
    assert not server.enciphered
    server.send_many([Body(b"\x13one"), Body(b"\x15")])
    assert server.outgoing(0.0) == [framed(b"\x13one"), framed(b"\x15")]
    server.receive(framed(b"\0\xea\2\0\0") + framed(b"\x08"), 0.0)
    assert drain(server) == [b"\0\xea\2\0\0", b"\x08"]


@given(st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=12), st.randoms())
def test_any_messages_however_they_are_cut(messages: list[bytes], dice: random.Random) -> None:
    server, client = playing()
    client.send_raw(messages)
    wire = sent(client)
    frames: list[bytes] = []
    while wire:
        size = dice.randint(1, len(wire))
        server.receive(wire[:size], 0.0)
        frames += drain(server)
        wire = wire[size:]
    assert frames == messages


def test_a_message_that_is_missing_spoils_what_follows() -> None:
    """The cipher proves nothing, so the codec cannot tell; the table then meets an opcode that is none."""
    server, client = playing()
    client.send_raw([b"\x38first", b"\x01" * 20])
    _, second = client.outgoing(0.0)
    server.receive(second, 0.0)
    assert drain(server) != [b"\x01" * 20]


def test_a_message_sent_twice_spoils_what_follows() -> None:
    server, client = playing()
    client.send(Body(b"\x01" * 20))
    (wire,) = client.outgoing(0.0)
    server.receive(wire + wire, 0.0)
    first, second = drain(server)
    assert first == b"\x01" * 20
    assert second != first


@pytest.mark.parametrize("size", [0, 7, 16])
def test_a_game_key_of_another_size(size: int) -> None:
    codec = L2GameCodec(args(Role.SERVER))
    with pytest.raises(ValueError, match="8 bytes"):
        codec.encipher(bytes(size))
    assert not codec.enciphered


# Frames


CODECS: Final = pytest.mark.parametrize("codec", [L2LoginCodec, L2GameCodec])


@CODECS
@pytest.mark.parametrize("length", [0, 1, 513, 0x0316, 0x2000, 0xFFFF])
def test_impossible_lengths(codec: type[L2LoginCodec | L2GameCodec], length: int) -> None:
    server = codec(args(Role.SERVER))
    server.receive(length.to_bytes(2, "little"), 0.0)
    with pytest.raises(WireError, match="bad_length"):
        server.next_frame()


FOREIGN: Final = {
    "http": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "tls": bytes.fromhex("1603010200010001fc0303") + bytes(64),
    "ssh": b"SSH-2.0-OpenSSH_9.6\r\n",
    "proxy": b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
    "proxy 2": b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes(12),
}


@CODECS
@pytest.mark.parametrize("what", FOREIGN)
def test_other_protocols_are_turned_away_at_once(codec: type[L2LoginCodec | L2GameCodec], what: str) -> None:
    """Their first two bytes name more than any greeting has: nobody waits for the rest of it."""
    server = codec(args(Role.SERVER))
    server.receive(FOREIGN[what], 0.0)
    with pytest.raises(WireError, match="bad_length"):
        server.next_frame()


@given(st.sampled_from([L2LoginCodec, L2GameCodec]), st.sampled_from(Role), st.binary(max_size=600))
def test_garbage_is_frames_or_a_wire_error(
    codec: type[L2LoginCodec | L2GameCodec], role: Role, garbage: bytes
) -> None:
    end = codec(args(role))
    end.receive(garbage, 0.0)
    try:
        frames = drain(end)
    except WireError:
        return
    assert all(frames)


@given(st.binary(min_size=1, max_size=300))
def test_garbage_behind_a_login_is_a_wire_error(garbage: bytes) -> None:
    """One in 2^32 has a checksum that fits; none of these."""
    server, _ = met()
    server.receive(framed(garbage), 0.0)
    with pytest.raises(WireError, match=r"bad_length|bad_checksum"):
        server.next_frame()


def test_empty_frames_mean_nothing() -> None:
    """And leave the key as it is: a public server sends one now and then."""
    server, client = playing()
    empty = framed(b"")
    client.send_raw([b"\x01one", b"\x01two"])
    first, second = client.outgoing(0.0)
    server.receive(empty + first + empty * 3 + second + empty, 0.0)
    assert drain(server) == [b"\x01one", b"\x01two"]
    login, other = met()
    other.send(Body(b"\7"))
    login.receive(empty + sent(other), 0.0)
    assert len(drain(login)) == 1


@CODECS
def test_nothing_but_empty_frames_ends_the_client(codec: type[L2LoginCodec | L2GameCodec]) -> None:
    server = codec(args(Role.SERVER))
    server.receive(framed(b"") * 1000, 0.0)
    with pytest.raises(WireError, match="empty"):
        server.next_frame()


def test_a_truncated_frame_is_waited_for() -> None:
    server, client = met()
    client.send(Body(b"\7" + bytes(20)))
    wire = sent(client)
    for end in range(len(wire)):
        other = L2LoginCodec(args(Role.SERVER))
        other.receive(wire[:end], 0.0)
        assert other.next_frame() is None
    server.receive(wire, 0.0)
    assert server.next_frame() is not None


def test_a_client_in_the_world_may_say_more_than_a_stranger() -> None:
    server, _ = playing()
    server.encipher(GAME_KEY)
    server.receive(framed(bytes(4)), 0.0)
    assert server.next_frame() is not None
    server.receive(framed(bytes(8000)), 0.0)
    assert server.next_frame() is not None
    server.receive(framed(bytes(8191)), 0.0)
    with pytest.raises(WireError, match="bad_length"):
        server.next_frame()


def test_the_longest_message() -> None:
    server, client = playing()
    server.send(Body(bytes(65_533)))
    client.receive(sent(server), 0.0)
    assert client.next_frame() == bytes(65_533)
    with pytest.raises(ValueError, match="does not fit"):
        server.send(Body(bytes(65_534)))
    login, _ = met()
    with pytest.raises(ValueError, match="does not fit"):
        login.send(Body(bytes(65_530)))


def test_a_message_that_does_not_fit_leaves_the_others_readable() -> None:
    """Whoever goes on after the ValueError has a cipher that still agrees with the client's."""
    server, client = playing()
    with pytest.raises(ValueError, match="does not fit"):
        server.send(Body(bytes(70_000)))
    server.send(Body(b"\x4ahello"))
    client.receive(sent(server), 0.0)
    assert drain(client) == [b"\x4ahello"]


@CODECS
def test_the_quiet_part_of_the_contract(codec: type[L2LoginCodec | L2GameCodec]) -> None:
    server = codec(args(Role.SERVER, show_licence=False))
    assert server.settings == {"show_licence": False}
    assert server.deadline() is None
    server.expire(0.0)
    assert server.share_key is None
    assert server.prepare(b"x") == b"x"
    assert not server.peer_closed
    assert server.outgoing(0.0) == []
    pending = [server.pending]
    server.send(Body(INIT))
    pending.append(server.pending)
    server.outgoing(0.0)
    assert [*pending, server.pending] == [False, True, False]
