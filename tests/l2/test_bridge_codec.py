"""The bridge on the wire: golden bytes, the two keys, and what no game server sends."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.l2.blowfish import Blowfish
from protocol.l2.bridge.codec import FIRST_KEY, LARGEST_GREETING, BridgeCodec, BridgeKeys
from protocol.l2.bridge.packets import (
    FROM_GAME,
    FROM_LOGIN,
    AccountName,
    AuthRequest,
    AuthResponse,
    BlowFishKey,
    BridgeMessage,
    HostEntry,
    InitLS,
    KickPlayer,
    LoginServerFail,
    PlayerAuthRequest,
    PlayerAuthResponse,
    PlayerInGame,
    PlayerLogout,
    ReplyCharacters,
    RequestCharacters,
    ServerStatus,
    Status,
    decode,
)
from protocol.l2.ciphers import guarded
from protocol.wire.args import Role

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/l2/crypto.json").read_text())

KEYS = BridgeKeys(random.Random(5).randbytes)

FROM_THERE = [
    AuthRequest(1, 0, 1, 7777, 2000, b"sixteen bytes...", (HostEntry("0.0.0.0/0", "192.0.2.7"),)),
    PlayerInGame((AccountName("alric"), AccountName("berta"))),
    PlayerInGame(()),
    PlayerLogout("alric"),
    PlayerAuthRequest("alric", 1, 0xFFFFFFFF, 3, 4),
    PlayerAuthRequest("alric", 1, 2, 3, 4, "192.0.2.9"),
    ServerStatus((Status(1, 0), Status(4, 2000))),
    ReplyCharacters("alric", 3, (1_700_000_000_123,)),
]
FROM_HERE = [
    LoginServerFail(3),
    AuthResponse(1, "Bartz"),
    PlayerAuthResponse("alric", 1),
    KickPlayer("alric"),
    RequestCharacters("alric"),
]


def pair(seed: int = 1) -> tuple[BridgeCodec, BridgeCodec]:
    """A login server's end and a game server's, before anything was said."""
    dice = random.Random(seed)
    login_server = BridgeCodec(Role.SERVER, keys=KEYS, entropy=dice.randbytes)
    return login_server, BridgeCodec(Role.CLIENT, entropy=dice.randbytes)


def agreed(seed: int = 1) -> tuple[BridgeCodec, BridgeCodec]:
    """The same when both have the key."""
    login_server, game_server = pair(seed)
    game_server.receive(login_server.outgoing())
    assert game_server.next_message() is None
    login_server.receive(game_server.outgoing())
    assert login_server.next_message() is None
    assert login_server.ready
    assert game_server.ready
    return login_server, game_server


def all_of(codec: BridgeCodec) -> list[BridgeMessage]:
    """What has come so far."""
    found = []
    while (message := codec.next_message()) is not None:
        found.append(message)
    return found


def framed(body: bytes, key: bytes = FIRST_KEY) -> bytes:
    """A frame as a peer makes it."""
    sealed = Blowfish(key).encrypt(guarded(body))
    return (len(sealed) + 2).to_bytes(2, "little") + sealed


def test_the_first_key_is_that_of_l2j() -> None:
    block = GOLDEN["bridge_blowfish"]
    assert len(FIRST_KEY) == 22
    assert Blowfish(FIRST_KEY).encrypt(bytes.fromhex(block["plain"])).hex() == block["cipher"]
    assert Blowfish(FIRST_KEY).decrypt(bytes.fromhex(block["cipher"])).hex() == block["plain"]


def test_the_login_server_speaks_first() -> None:
    login_server, _ = pair()
    data = login_server.outgoing()
    assert int.from_bytes(data[:2], "little") == len(data)
    body = Blowfish(FIRST_KEY).decrypt(data[2:])
    init = InitLS.decode(body)
    assert init.revision == 0x0106
    assert init.modulus == KEYS.modulus
    assert (len(init.modulus), init.modulus[0]) == (65, 0)


def test_the_bytes_of_messages() -> None:
    """By hand, from the public notes: numbers little-endian, texts UTF-16 with a zero."""
    assert KickPlayer("al").encode().hex() == "0461006c000000"
    assert PlayerAuthResponse("a", 1).encode().hex() == "036100000001"
    assert AuthResponse(7, "B").encode().hex() == "020742000000"
    assert ServerStatus((Status(1, 4),)).encode().hex() == "06010000000100000004000000"
    assert PlayerInGame((AccountName("a"),)).encode().hex() == "02010061000000"
    assert (
        PlayerAuthRequest("a", 1, 2, 3, 4).encode().hex()
        == "0561000000" + "".join(f"{number:02x}000000" for number in (1, 2, 3, 4)) + "0000"
    )
    assert AuthRequest(1, 0, 1, 7777, 100, b"\xab\xcd", (HostEntry("x", "y"),)).encode().hex() == (
        "01010001611e6400000002000000abcd010000007800000079000000"
    )
    assert ReplyCharacters("a", 2, (5,)).encode().hex() == "08610000000201" + "0500000000000000"


def test_a_player_is_asked_about_as_l2j_does_it_too() -> None:
    """Whose message ends with the keys: no address, whatever the padding is."""
    for pad in range(9):
        raw = PlayerAuthRequest("alric", 1, 2, 3, 4).encode()[:-2] + bytes(pad)
        assert decode(raw, FROM_GAME) == PlayerAuthRequest("alric", 1, 2, 3, 4)


@pytest.mark.parametrize("size", range(1, 12))
def test_messages_of_every_length_come_through(size: int) -> None:
    login_server, game_server = agreed(size)
    login_server.send([KickPlayer("a" * size)])
    game_server.send([PlayerLogout("b" * size)])
    game_server.receive(login_server.outgoing())
    login_server.receive(game_server.outgoing())
    assert game_server.next_message() == KickPlayer("a" * size)
    assert login_server.next_message() == PlayerLogout("b" * size)


def test_both_directions_have_all_their_messages() -> None:
    login_server, game_server = agreed()
    game_server.send(FROM_THERE)
    login_server.send(FROM_HERE)
    login_server.receive(game_server.outgoing())
    game_server.receive(login_server.outgoing())
    assert all_of(login_server) == FROM_THERE
    assert all_of(game_server) == FROM_HERE
    assert {type(message) for message in FROM_THERE} | {BlowFishKey} == set(FROM_GAME.values())
    assert {type(message) for message in FROM_HERE} | {InitLS} == set(FROM_LOGIN.values())


@given(st.lists(st.integers(1, 9), max_size=60), st.integers(0, 9))
@settings(max_examples=20, deadline=None)
def test_bytes_may_come_in_any_pieces(pieces: list[int], seed: int) -> None:
    login_server, game_server = pair(seed)
    game_server.receive(login_server.outgoing())
    assert game_server.next_message() is None
    game_server.send(FROM_THERE)
    data, found = game_server.outgoing(), []
    for size in [*pieces, len(data)]:
        login_server.receive(data[:size])
        data = data[size:]
        found += all_of(login_server)
    assert found == FROM_THERE


def test_every_connection_has_a_key_of_its_own() -> None:
    said = set()
    for seed in range(20):
        login_server, _ = agreed(seed)
        login_server.send([KickPlayer("alric")])
        said.add(login_server.outgoing())
    assert len(said) == 20


@pytest.mark.parametrize("length", [0, 1])
@pytest.mark.parametrize("early", [True, False])
def test_a_length_below_its_own_size_ends_it(length: int, early: bool) -> None:
    login_server, _ = pair() if early else agreed()
    login_server.receive(length.to_bytes(2, "little") + bytes(20))
    with pytest.raises(WireError, match="bad_length"):
        login_server.next_message()


def test_an_empty_frame_means_nothing() -> None:
    login_server, game_server = agreed()
    game_server.send([PlayerLogout("alric")])
    login_server.receive(b"\x02\0" * 1000 + game_server.outgoing() + b"\x02\0")
    assert all_of(login_server) == [PlayerLogout("alric")]


@pytest.mark.parametrize("greeting", [b"GET / HTTP/1.1\r\n\r\n", b"SSH-2.0-OpenSSH_9.6\r\n", b"PROXY TCP4 "])
def test_other_protocols_are_noticed_at_once(greeting: bytes) -> None:
    login_server, _ = pair()
    login_server.receive(greeting)
    with pytest.raises(WireError, match="bad_length"):
        login_server.next_message()


def test_tls_is_noticed_when_its_first_frame_is_there() -> None:
    login_server, _ = pair()
    login_server.receive(bytes.fromhex("16030100c8010000c40303") + bytes(2000))
    with pytest.raises(WireError):
        login_server.next_message()


def test_a_stranger_cannot_announce_much() -> None:
    login_server, game_server = agreed()
    for codec in (login_server, game_server):
        codec.receive((LARGEST_GREETING + 1).to_bytes(2, "little"))
        with pytest.raises(WireError, match="bad_length"):
            codec.next_message()
    login_server, game_server = agreed()
    login_server.trust()
    names = tuple(AccountName(f"person{number}") for number in range(500))
    game_server.send([PlayerInGame(names)])
    login_server.receive(game_server.outgoing())
    assert login_server.next_message() == PlayerInGame(names)


@pytest.mark.parametrize("damage", [0, 5, 17, -1])
def test_a_flipped_bit_is_a_wrong_checksum(damage: int) -> None:
    login_server, game_server = agreed()
    game_server.send([PlayerLogout("alricalric")])
    data = bytearray(game_server.outgoing())
    data[damage if damage < 0 else 2 + damage] ^= 4
    login_server.receive(bytes(data))
    with pytest.raises(WireError, match="bad_checksum"):
        login_server.next_message()


def test_what_is_no_whole_block_is_refused() -> None:
    login_server, _ = agreed()
    login_server.receive(b"\x09\0" + bytes(7))
    with pytest.raises(WireError, match="whole blocks"):
        login_server.next_message()


@pytest.mark.parametrize(
    "message", [message for message in FROM_THERE if not isinstance(message, BlowFishKey)], ids=repr
)
def test_nothing_counts_before_the_key(message: BridgeMessage) -> None:
    login_server, _ = pair()
    login_server.receive(framed(message.encode()))
    with pytest.raises(WireError, match="key"):
        login_server.next_message()
    assert not login_server.ready


@pytest.mark.parametrize(
    "block",
    [b"", bytes(64), b"\xff" * 64, b"\xff" * 128, (1).to_bytes(64, "big"), bytes(65)],
    ids=["empty", "zero", "beyond", "long", "one", "zeros"],
)
def test_a_key_that_cannot_be_one_ends_it(block: bytes) -> None:
    login_server, _ = pair()
    login_server.receive(framed(BlowFishKey(block).encode()))
    with pytest.raises(WireError):
        login_server.next_message()


def test_there_is_one_key() -> None:
    login_server, game_server = pair()
    game_server.receive(login_server.outgoing())
    assert game_server.next_message() is None
    first = game_server.outgoing()
    login_server.receive(first)
    assert login_server.next_message() is None
    game_server.send([BlowFishKey(bytes(64))])
    login_server.receive(game_server.outgoing())
    with pytest.raises(WireError, match="a second time"):
        login_server.next_message()


@pytest.mark.parametrize(
    "init", [InitLS(0x0101, KEYS.modulus), InitLS(0x0106, b"\0" * 65), InitLS(0x0106, b"\x11" * 16)]
)
def test_a_login_server_that_cannot_be_one(init: InitLS) -> None:
    _, game_server = pair()
    game_server.receive(framed(init.encode()))
    with pytest.raises(WireError):
        game_server.next_message()


def test_nothing_is_sent_without_a_key() -> None:
    login_server, game_server = pair()
    for codec in (login_server, game_server):
        with pytest.raises(ValueError, match="no key"):
            codec.send([KickPlayer("alric")])


@pytest.mark.parametrize("message", FROM_THERE + FROM_HERE, ids=repr)
def test_a_message_cut_anywhere_is_an_error_or_another_message(message: BridgeMessage) -> None:
    raw = message.encode()
    for size in range(1, len(raw)):
        try:
            type(message).decode(raw[:size])
        except WireError:
            continue


@given(st.binary(min_size=1, max_size=300))
@settings(max_examples=300, deadline=None)
def test_garbage_raises_nothing_else(data: bytes) -> None:
    for direction in (FROM_GAME, FROM_LOGIN):
        try:
            decode(data, direction)
        except WireError:
            continue
    login_server, _ = agreed()
    login_server.receive(data)
    try:
        all_of(login_server)
    except WireError:
        return


def test_a_count_beyond_the_message_allocates_nothing() -> None:
    for raw in (
        b"\x06\xff\xff\xff\x7f",
        b"\x02\xff\xff",
        b"\x01" + bytes(9) + b"\xff\xff\xff\xff",
        b"\0\xff\xff\xff\xff",
    ):
        with pytest.raises(WireError):
            decode(raw, FROM_GAME)
    with pytest.raises(WireError):
        decode(b"\x08a\0\0\0\x01\xff" + bytes(8), FROM_GAME)


def test_what_l2j_says_beyond_is_skipped() -> None:
    """ChangeAccessLevel, PlayerTracert, TempBan, ChangePassword."""
    login_server, game_server = agreed()
    for opcode in (0x04, 0x07, 0x0A, 0x0B):
        assert decode(bytes((opcode, 1, 2, 3)), FROM_GAME) is None
    game_server.send([PlayerLogout("alric")])
    login_server.receive(game_server.outgoing())
    assert login_server.next_message() == PlayerLogout("alric")


def test_secrets_are_marked() -> None:
    for kind in (AuthRequest, BlowFishKey, PlayerAuthRequest):
        assert kind.secret
