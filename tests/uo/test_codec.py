"""The codec: recorded logins of seven versions cut anywhere, every cipher, and everything that is not a
client."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.uo.ciphers import GameCipher, LoginCipher, login_keys
from protocol.uo.codec import LARGEST_PACKET, UoClientCodec, UoCodec, make_codec
from protocol.uo.huffman import compress
from protocol.uo.packets.login import AccountLogin, Features, GameLogin, Relay, SelectServer
from protocol.uo.packets.misc import Ping
from protocol.uo.packets.motion import WalkAccepted
from protocol.uo.versions import VersionNumber
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from tests.kit.uo_client import UoClient

GOLDEN = Path(__file__).parents[1] / "golden/uo"
SESSIONS = {path.stem: json.loads(path.read_text()) for path in sorted((GOLDEN / "sessions").glob("*.json"))}
CIPHERS = [
    case
    for case in json.loads((GOLDEN / "encryption.json").read_text())["cases"]
    if case["scheme"] == "TWOFISH_MD5"
]
NAME, PASSWORD = "somebody", "secret12"
LOGIN = AccountLogin(NAME, PASSWORD, 0x5D).encode()


def server() -> UoCodec:
    codec = make_codec(CodecArgs(Role.SERVER, Random(1).randbytes))
    assert isinstance(codec, UoCodec)
    return codec


def client(version: VersionNumber = (7, 0, 102, 3), *, encrypted: bool = False) -> UoClientCodec:
    args = CodecArgs(Role.CLIENT, Random(1).randbytes, {"version": version, "encrypted": encrypted})
    codec = make_codec(args)
    assert isinstance(codec, UoClientCodec)
    return codec


def frames(codec: UoCodec | UoClientCodec) -> list[bytes]:
    found = []
    while (frame := codec.next_frame()) is not None:
        found.append(frame)
    return found


def dribble(codec: UoCodec | UoClientCodec, data: bytes, sizes: list[int]) -> list[bytes]:
    """Feed pieces of these sizes, then the rest at once."""
    found, at = [], 0
    for size in [*sizes, len(data)]:
        codec.receive(data[at : at + size], 0.0)
        found += frames(codec)
        at += size
    return found


def parts(session: dict[str, list[dict[str, str]]]) -> tuple[list[bytes], list[bytes]]:
    """What the client sent: on the login connection, on the game connection; seeds included."""
    sent = [bytes.fromhex(step["packet"]) for step in session["steps"] if step["dir"] == "client"]
    split = next(place for place, packet in enumerate(sent) if packet[0] == 0x91) - 1
    return sent[:split], sent[split:]


def version_of(session: dict[str, str]) -> VersionNumber:
    major, minor, revision, patch = map(int, session["client_version"].split("."))
    return major, minor, revision, patch


CUTS = {"byte by byte": [1] * 5000, "sevens": [7] * 700, "at once": []}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", SESSIONS)
def test_recorded_sessions_give_the_same_packets_however_they_are_cut(name: str, cut: str) -> None:
    session = SESSIONS[name]
    login, game = parts(session)
    codec = server()
    found = dribble(codec, b"".join(login), CUTS[cut])
    assert found == [packet for packet in login if len(packet) != 4]
    assert not codec.encrypted
    assert codec.version == (version_of(session) if login[0][0] == 0xEF else None)
    assert codec.share_key == "uo-plain"

    codec = server()
    codec.know_version(version_of(session))
    assert dribble(codec, b"".join(game), CUTS[cut]) == game[1:]
    assert codec.share_key == "uo-h"


@given(st.lists(st.integers(1, 90), max_size=60))
def test_a_login_may_be_cut_anywhere(sizes: list[int]) -> None:
    login, _ = parts(SESSIONS["login_7.0.15.1"])
    assert dribble(server(), b"".join(login), sizes) == login


def test_what_the_server_says_is_compressed_as_servuo_does() -> None:
    codec = server()
    codec.receive(b"\x80\xdd\x25\xbc" + GameLogin(b"\x80\xdd\x25\xbc", NAME, PASSWORD).encode(), 0.0)
    assert len(frames(codec)) == 1
    count = 0
    for step in SESSIONS["actor_7.0.102.3"]["steps"]:
        if "wire" in step:
            codec.send(Body(bytes.fromhex(step["packet"])))
            assert codec.outgoing(0.0) == [bytes.fromhex(step["wire"])]
            count += 1
    assert count > 100


def test_the_login_connection_is_plain_both_ways() -> None:
    codec = server()
    codec.receive(b"\x7f\0\0\1" + LOGIN, 0.0)
    assert frames(codec) == [LOGIN]
    codec.send(Body(b"\x82\x03"))
    assert codec.outgoing(0.0) == [b"\x82\x03"]


@pytest.mark.parametrize("case", CIPHERS, ids=lambda case: f"{case['version']} {case['seed']}")
def test_encrypted_clients_as_classicuo_enciphers(case: dict[str, str]) -> None:
    major, minor, revision, patch = map(int, case["version"].split("."))
    seed = bytes.fromhex(case["seed"])
    announced = b"\xef" + seed + b"".join(part.to_bytes(4, "big") for part in (major, minor, revision, patch))
    stream = bytes.fromhex(case["login_0x80_cipher"] + case["then_select_server_cipher"])
    expected = [bytes.fromhex(case["login_0x80_plain"]), bytes.fromhex(case["then_select_server_plain"])]
    if seed[0] != 0xEF:
        for opening in (announced, seed):
            codec = server()
            found = dribble(codec, opening + stream, [1] * 200)
            assert found == ([announced, *expected] if opening is announced else expected)
            assert codec.encrypted

        codec = server()
        game = bytes.fromhex(case["game_0x91_cipher"])
        assert dribble(codec, seed + game, [3] * 30) == [bytes.fromhex(case["game_0x91_plain"])]
        assert codec.encrypted
        codec.send(Body(b"\x55"))
        plain = compress(b"\x55")
        key = bytes.fromhex(case["server_to_client_xor_first_40"])
        assert b"".join(codec.outgoing(0.0)) == bytes(a ^ b for a, b in zip(plain, key, strict=False))


@pytest.mark.parametrize("encrypted", [False, True])
@pytest.mark.parametrize(
    "version",
    [(7, 0, 102, 3), (7, 0, 35, 0), (7, 0, 15, 1), (7, 0, 9, 0), (6, 0, 14, 2), (5, 0, 9, 1), (2, 0, 4, 0)],
)
def test_both_ends_understand_one_another(version: VersionNumber, encrypted: bool) -> None:
    here, there = server(), client(version, encrypted=encrypted)
    there.open_login(0x0A00002A)
    for packet in (LOGIN, SelectServer(0).encode()):
        there.send(Body(packet))
    here.receive(b"".join(there.outgoing(0.0)), 0.0)
    assert frames(here)[-2:] == [LOGIN, SelectServer(0).encode()]
    assert here.encrypted is encrypted
    relay = Relay(b"\x7f\0\0\1", 2593, b"\x12\x34\x56\x78").encode()
    here.send(Body(relay))
    there.receive(b"".join(here.outgoing(0.0)), 0.0)
    assert frames(there) == [relay]

    here, there = server(), client(version, encrypted=encrypted)
    there.open_game(b"\x12\x34\x56\x78")
    login = GameLogin(b"\x12\x34\x56\x78", NAME, PASSWORD).encode()
    there.send(Body(login))
    for number in range(300):
        there.send(Body(Ping(number % 256).encode()))
    here.receive(b"".join(there.outgoing(0.0)), 0.0)
    assert frames(here) == [login, *(Ping(number % 256).encode() for number in range(300))]
    assert here.encrypted is encrypted
    answers = [WalkAccepted(number % 256, 1).encode() for number in range(300)]
    for answer in answers:
        here.send(Body(answer))
    stream = b"".join(here.outgoing(0.0))
    assert dribble(there, stream, [5] * 20) == answers


def test_the_independent_client_reads_what_the_codec_says() -> None:
    for encrypted in (False, True):
        here, there = server(), UoClient(encrypted=encrypted)
        here.receive(there.login_bytes(NAME, PASSWORD), 0.0)
        assert len(frames(here)) == 2
        here.send(Body(Relay(b"\x7f\0\0\1", 2593, b"\x12\x34\x56\x78").encode()))
        there.feed(b"".join(here.outgoing(0.0)))
        assert there.relay == ("127.0.0.1", 2593, b"\x12\x34\x56\x78")
        here = server()
        here.receive(there.game_bytes(NAME, PASSWORD), 0.0)
        assert frames(here) == [GameLogin(b"\x12\x34\x56\x78", NAME, PASSWORD).encode()]
        here.send(Body(Features(0x805F).encode()))
        assert there.feed(b"".join(here.outgoing(0.0))) == [Features(0x805F).encode()]


def test_a_client_in_the_world_shares_its_compressed_packets() -> None:
    codecs = []
    for seed in (b"\x11\x22\x33\x44", b"\x55\x66\x77\x88"):
        codec = server()
        codec.receive(seed + GameLogin(seed, NAME, PASSWORD).encode(), 0.0)
        frames(codec)
        codecs.append(codec)
    body = Body(b"\x1d\0\0\0\7")
    assert body.form(codecs[0]) is body.form(codecs[1])


def test_the_game_login_switches_compression_on_before_its_answer() -> None:
    codec = server()
    keys = [codec.share_key]
    codec.receive(b"\x11\x22\x33\x44" + GameLogin(b"\x11\x22\x33\x44", NAME, PASSWORD).encode(), 0.0)
    keys.append(codec.share_key)
    frames(codec)
    keys.append(codec.share_key)
    assert keys == ["uo-plain", "uo-plain", "uo-h"]


def test_sizes_follow_the_version_from_the_moment_it_is_known() -> None:
    codec = server()
    codec.receive(b"\x11\x22\x33\x44" + GameLogin(b"\x11\x22\x33\x44", NAME, PASSWORD).encode(), 0.0)
    drop = bytes.fromhex("08400007d60db00a0e0000ffffffff")
    codec.receive(drop + Ping(1).encode(), 0.0)
    assert codec.next_frame() is not None
    codec.know_version((7, 0, 102, 3))
    assert frames(codec) == [drop, Ping(1).encode()]


def test_the_relays_key_may_also_come_in_a_seed_packet() -> None:
    codec = server()
    opening = b"\xef\x11\x22\x33\x44" + b"".join(part.to_bytes(4, "big") for part in (7, 0, 102, 3))
    login = GameLogin(b"\x11\x22\x33\x44", NAME, PASSWORD).encode()
    codec.receive(opening + login, 0.0)
    assert frames(codec) == [opening, login]
    assert codec.share_key == "uo-h"


def test_hardware_information_may_precede_the_login() -> None:
    codec = server()
    hardware = b"\xa4" + bytes(148)
    codec.receive(b"\x7f\0\0\1" + hardware + LOGIN, 0.0)
    assert frames(codec) == [hardware, LOGIN]


def failure(data: bytes) -> str:
    codec = server()
    codec.receive(data, 0.0)
    with pytest.raises(WireError) as caught:
        frames(codec)
    return str(caught.value)


def test_a_seed_of_zero_is_refused() -> None:
    assert "seed" in failure(bytes(4))
    assert "seed" in failure(b"\xef" + bytes(20))


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"GET / HTTP/1.1\r\nHost: somewhere\r\n\r\n", "HTTP"),
        (b"POST /login HTTP/1.0\r\n", "HTTP"),
        (bytes.fromhex("16030100f8010000f40303") + bytes(200), "TLS"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "SSH"),
        (b"PROXY TCP4 192.0.2.1 192.0.2.2 56324 2593\r\n", "PROXY"),
        (b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes(12), "PROXY"),
    ],
)
def test_other_protocols_are_recognised(data: bytes, word: str) -> None:
    assert word in failure(data)
    for size in (1, 4, 5, 9):
        codec = server()
        with pytest.raises(WireError, match=word):
            dribble(codec, data, [size] * (len(data) // size))


@pytest.mark.parametrize("head", [b"GET ", b"\x16\x03\x01\x00", b"SSH-", b"POST"])
def test_a_seed_that_only_looks_like_another_protocol_is_a_seed(head: bytes) -> None:
    codec = server()
    assert dribble(codec, head + LOGIN, [4]) == [LOGIN]


def test_a_client_whose_key_does_not_fit_is_told_apart() -> None:
    seed = 0x0A00002A
    cipher = LoginCipher(seed, *login_keys(7, 0, 55))
    opening = b"\xef" + seed.to_bytes(4, "big") + b"".join(part.to_bytes(4, "big") for part in (7, 0, 102, 3))
    text = failure(opening + cipher.apply(LOGIN) + cipher.apply(bytes(3)))
    assert "7.0.102.3" in text
    assert "encryption" in text


def test_a_game_login_under_another_key_is_refused() -> None:
    cipher = GameCipher(0x01020304)
    assert "encryption" in failure(
        b"\x11\x22\x33\x44" + cipher.client_encrypt(GameLogin(bytes(4), "", "").encode())
    )


def test_encryption_can_be_switched_off() -> None:
    for encrypted in (False, True):
        there = client(encrypted=encrypted)
        there.open_login(0x0A00002A)
        there.send(Body(LOGIN))
        here = UoCodec(CodecArgs(Role.SERVER, Random(1).randbytes, {"encryption": "plain"}))
        here.receive(b"".join(there.outgoing(0.0)), 0.0)
        assert here.next_frame() is not None
        if encrypted:
            with pytest.raises(WireError, match="encryption_off"):
                here.next_frame()
        else:
            assert here.next_frame() == LOGIN


def test_unknown_opcodes_and_bad_sizes_are_refused() -> None:
    start = b"\x7f\0\0\1" + LOGIN
    assert "unknown_opcode: 0x3f" in failure(start + b"\x3f")
    assert "bad_length: 2" in failure(start + b"\xbf\0\2")
    assert f"bad_length: {LARGEST_PACKET + 1}" in failure(
        start + b"\xad" + (LARGEST_PACKET + 1).to_bytes(2, "big")
    )


@given(st.binary(max_size=300), st.lists(st.integers(1, 50), max_size=20))
@settings(max_examples=200)
def test_garbage_is_a_wire_error_or_nothing(data: bytes, sizes: list[int]) -> None:
    try:
        dribble(server(), data, sizes)
    except WireError:
        return


@given(st.binary(max_size=300), st.lists(st.integers(1, 50), max_size=20))
@settings(max_examples=200)
def test_garbage_behind_a_login_is_a_wire_error_or_packets(data: bytes, sizes: list[int]) -> None:
    codec = server()
    codec.receive(b"\x11\x22\x33\x44" + GameLogin(b"\x11\x22\x33\x44", NAME, PASSWORD).encode(), 0.0)
    frames(codec)
    try:
        dribble(codec, data, sizes)
    except WireError:
        return


def test_the_clients_end_refuses_what_its_version_does_not_read() -> None:
    there = client((5, 0, 9, 1))
    there.open_game(b"\x11\x22\x33\x44")
    there.receive(compress(Features(0x805F).encode()), 0.0)
    with pytest.raises(WireError, match="bad_length"):
        there.next_frame()


def test_nothing_here_needs_a_clock() -> None:
    for codec in (server(), client()):
        assert codec.deadline() is None
        assert not codec.peer_closed
