"""The browser's door: wsproto as the client, our packets inside; and everybody who is no browser."""

from __future__ import annotations

import random
import struct

import pytest
from eolib import Packet, TalkPlayerServerPacket, TalkReportClientPacket
from hypothesis import given
from hypothesis import strategies as st
from wsproto import ConnectionType, WSConnection
from wsproto.connection import ConnectionState
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Ping,
    Pong,
    Request,
    TextMessage,
)
from wsproto.extensions import PerMessageDeflate

from protocol.endings import WireError
from protocol.eo.codec import EoCodec
from protocol.eo.packets import encode
from protocol.eo.websocket import MOST_IDLE_FRAMES, WebSocketCodec
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from tests.kit.eo_peer import INIT, PING_ANSWER, EolibPeer, eolib_bytes

CHAT = encode(TalkPlayerServerPacket(player_id=300, message="hello"))
UPGRADE = (
    b"GET /eo HTTP/1.1\r\nHost: world.example\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    b"Origin: https://elsewhere.example\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"
    b"Sec-WebSocket-Protocol: chat\r\n\r\n"
)


def codec(role: Role = Role.SERVER) -> WebSocketCodec:
    return WebSocketCodec(CodecArgs(role, random.Random(1).randbytes))


def wire(end: EoCodec) -> bytes:
    return b"".join(end.outgoing(0.0))


class Browser:
    """wsproto's client on the other side of a codec; `heard` collects its events."""

    def __init__(self) -> None:
        self.server = codec()
        self.ws = WSConnection(ConnectionType.CLIENT)
        self.peer = EolibPeer()
        request = Request(host="localhost", target="/", extensions=[PerMessageDeflate()])
        self.say(self.ws.send(request))
        (accepted,) = self.hear()
        assert isinstance(accepted, AcceptConnection)
        assert accepted.extensions == []
        assert accepted.subprotocol is None

    def say(self, data: bytes) -> None:
        self.server.receive(data, 0.0)

    def hear(self) -> list[Event]:
        self.ws.receive_data(wire(self.server))
        return list(self.ws.events())

    def greet(self) -> None:
        self.say(self.ws.send(BytesMessage(self.peer.frame(INIT))))
        assert self.server.next_frame() == eolib_bytes(INIT)
        self.peer.begin(*self.server.greet())


@pytest.fixture
def browser() -> Browser:
    return Browser()


def chat(text: str) -> Packet:
    return TalkReportClientPacket(message=text)


def test_the_answer_of_rfc_6455() -> None:
    """The key and token of RFC 6455 section 1.3; no extension, no subprotocol, any origin."""
    server = codec()
    server.receive(UPGRADE, 0.0)
    answer = wire(server)
    assert answer.startswith(b"HTTP/1.1 101 ")
    assert b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" in answer
    assert b"extensions" not in answer.lower()
    assert b"protocol:" not in answer.lower()
    assert answer.endswith(b"\r\n\r\n")
    assert server.next_frame() is None


def test_packets_both_ways(browser: Browser) -> None:
    browser.greet()
    for text in ("one", "x" * 300, "three"):
        browser.say(browser.ws.send(BytesMessage(browser.peer.frame(chat(text)))))
        assert browser.server.next_frame() == eolib_bytes(chat(text))
    file = b"\xff\xff\x05" + bytes(range(256)) * 240
    for raw in (CHAT, CHAT[:2] + b"y" * 120, file):
        browser.server.send(Body(raw))
    events = browser.hear()
    messages = b""
    for event in events:
        assert isinstance(event, BytesMessage)
        messages += event.data
    assert [event.message_finished for event in events if isinstance(event, BytesMessage)] == [True] * 3
    assert browser.peer.take(messages) == [CHAT, CHAT[:2] + b"y" * 120, file]


@pytest.mark.parametrize("size", [3, 121, 122, 123, 124, 5000, 64008])
def test_each_packet_is_one_unmasked_binary_message(size: int, browser: Browser) -> None:
    """Our header is the one wsproto writes, for every width of the length."""
    browser.server.send(Body(b"\xff\xff" + b"f" * (size - 2)))
    message = wire(browser.server)
    eo_frame = EoCodec(CodecArgs(Role.SERVER, random.Random(1).randbytes)).prepare(
        b"\xff\xff" + b"f" * (size - 2)
    )
    reference = WSConnection(ConnectionType.SERVER)
    reference.receive_data(UPGRADE)
    list(reference.events())
    reference.send(AcceptConnection())
    assert message == reference.send(BytesMessage(eo_frame))


def test_dribble() -> None:
    """Handshake, fragments, control frames and packets, one byte at a time."""
    client, peer, server = WSConnection(ConnectionType.CLIENT), EolibPeer(), codec()
    frames: list[bytes] = []

    def feed(data: bytes) -> None:
        for at in range(len(data)):
            server.receive(data[at : at + 1], 0.0)
            frames.extend(iter(server.next_frame, None))

    feed(client.send(Request(host="localhost", target="/")))
    client.receive_data(wire(server))
    list(client.events())
    feed(client.send(BytesMessage(peer.frame(INIT))))
    peer.begin(*server.greet())
    packet = peer.frame(chat("in three parts"))
    feed(client.send(BytesMessage(packet[:1], message_finished=False)))
    feed(client.send(Ping(b"between")))
    feed(client.send(BytesMessage(packet[1:7], message_finished=False)))
    feed(client.send(BytesMessage(packet[7:])))
    assert frames == [eolib_bytes(INIT), eolib_bytes(chat("in three parts"))]
    client.receive_data(wire(server))
    assert list(client.events()) == [Pong(b"between")]


def test_messages_with_several_packets_or_a_part(browser: Browser) -> None:
    browser.greet()
    stream = b"".join(browser.peer.frame(chat(text)) for text in ("one", "two", "three"))
    for part in (stream[:20], stream[20:21], stream[21:]):
        browser.say(browser.ws.send(BytesMessage(part)))
    frames = list(iter(browser.server.next_frame, None))
    assert frames == [eolib_bytes(chat(text)) for text in ("one", "two", "three")]


def test_bytes_behind_the_request_are_not_lost() -> None:
    server, peer, client = codec(), EolibPeer(), WSConnection(ConnectionType.CLIENT)
    request = client.send(Request(host="localhost", target="/"))
    other = Browser()
    server.receive(request + other.ws.send(BytesMessage(peer.frame(INIT))), 0.0)
    assert server.next_frame() == eolib_bytes(INIT)


def test_text_ends_the_client(browser: Browser) -> None:
    browser.greet()
    browser.say(
        browser.ws.send(BytesMessage(browser.peer.frame(chat("last words"))))
        + browser.ws.send(TextMessage("hello"))
    )
    assert browser.server.next_frame() == eolib_bytes(chat("last words"))
    for _ in range(2):
        with pytest.raises(WireError, match="text"):
            browser.server.next_frame()
    (answer,) = browser.hear()
    assert isinstance(answer, CloseConnection)
    assert answer.code == 1003


def test_a_message_has_a_bound_even_in_fragments(browser: Browser) -> None:
    browser.greet()
    packets = b"".join(browser.peer.frame(chat("x" * 4000)) for _ in range(17))
    assert len(packets) > 64010
    for at in range(0, 64000, 4000):
        browser.say(browser.ws.send(BytesMessage(packets[at : at + 4000], message_finished=False)))
        assert browser.server.outgoing(0.0) == []
    assert len(list(iter(browser.server.next_frame, None))) == 15
    browser.say(browser.ws.send(BytesMessage(packets[64000:])))
    with pytest.raises(WireError, match="more than 64010"):
        browser.server.next_frame()
    (answer,) = browser.hear()
    assert isinstance(answer, CloseConnection)
    assert answer.code == 1009


def test_a_flood_of_pings_keeps_one_answer(browser: Browser) -> None:
    for number in range(MOST_IDLE_FRAMES):
        browser.say(browser.ws.send(Ping(str(number).encode())))
    assert browser.hear() == [Pong(str(MOST_IDLE_FRAMES - 1).encode())]


IDLE = {
    "pings": b"\x89\x80abcd",
    "pongs": b"\x8a\x80abcd",
    "empty messages": b"\x82\x80abcd",
    "fragments of one byte": b"\x00\x81abcd" + bytes((7 ^ ord("a"),)),
}


@pytest.mark.parametrize("kind", IDLE)
def test_a_flood_of_frames_without_packets_ends_the_client(kind: str, browser: Browser) -> None:
    """And is not read to its end: 64 KiB of them would hold up everybody for a tenth of a second."""
    browser.greet()
    start = b"\x02\x81abcd" + bytes((0xFD ^ ord("a"),)) if kind.startswith("fragments") else b""
    browser.say(start + IDLE[kind] * (65536 // len(IDLE[kind])))
    with pytest.raises(WireError, match="more than 32 frames"):
        browser.server.next_frame()
    assert len(browser.server._waiting) > 50_000
    (answer,) = browser.hear()
    assert isinstance(answer, CloseConnection)
    assert answer.code == 1008


def test_frames_between_packets_are_counted_anew(browser: Browser) -> None:
    browser.greet()
    for _ in range(4):
        for _ in range(MOST_IDLE_FRAMES - 1):
            browser.say(browser.ws.send(Ping(b"")))
        browser.say(browser.ws.send(BytesMessage(browser.peer.frame(chat("still here")))))
        assert browser.server.next_frame() == eolib_bytes(chat("still here"))


def test_what_was_sent_is_read_as_slowly_as_packets_are_taken(browser: Browser) -> None:
    browser.greet()
    packets = [browser.peer.frame(chat("x" * 90)) for _ in range(400)]
    browser.say(b"".join(browser.ws.send(BytesMessage(packet)) for packet in packets))
    left = []
    while browser.server.next_frame() is not None:
        left.append(len(browser.server._waiting))
    assert len(left) == 400
    assert left[0] > left[200] > 10_000
    assert left[-1] == 0


def test_goodbye_is_answered_and_nothing_read_behind_it(browser: Browser) -> None:
    browser.greet()
    last = browser.ws.send(BytesMessage(browser.peer.frame(chat("bye"))))
    browser.say(last + browser.ws.send(CloseConnection(code=1001, reason="tab closed")) + b"garbage")
    browser.say(b"more garbage")
    assert browser.server.next_frame() == eolib_bytes(chat("bye"))
    assert browser.server.next_frame() is None
    assert browser.server.peer_closed
    browser.server.send(Body(CHAT))
    (answer,) = browser.hear()
    assert isinstance(answer, CloseConnection)
    assert answer.code == 1001
    assert browser.ws.state is ConnectionState.CLOSED


@pytest.mark.parametrize(
    "frame",
    [b"\x82\x03abc", b"\x83\x80\x00\x00\x00\x00", b"\xc2\x80\x00\x00\x00\x00", b"\x80\x80\x00\x00\x00\x00"],
    ids=["unmasked", "unknown opcode", "reserved bit", "continuation of nothing"],
)
def test_frames_that_break_rfc_6455(frame: bytes, browser: Browser) -> None:
    browser.say(frame)
    (answer,) = browser.hear()
    assert isinstance(answer, CloseConnection)
    assert answer.code == 1002
    assert not browser.server.peer_closed
    with pytest.raises(WireError, match="bad_message"):
        browser.server.next_frame()


def test_what_is_inside_is_checked_as_on_tcp(browser: Browser) -> None:
    browser.greet()
    browser.peer.frame(PING_ANSWER)  # never sent
    browser.say(browser.ws.send(BytesMessage(browser.peer.frame(PING_ANSWER))))
    with pytest.raises(WireError, match="bad_sequence"):
        browser.server.next_frame()


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc",
        UPGRADE.replace(b"Version: 13", b"Version: 8"),
        UPGRADE.replace(b"Upgrade: websocket", b"Upgrade: h2c"),
        UPGRADE.replace(b"Host: world.example\r\n", b""),
        UPGRADE.replace(b"world.example", b"xn--\xff"),
        b"GET /\xff\xfe HTTP/1.1\r\n\r\n",
        b"GET NONSENSE\r\n\r\n",
    ],
    ids=[
        "page",
        "post",
        "old version",
        "other upgrade",
        "no host",
        "bad host",
        "bad path",
        "nonsense",
    ],
)
def test_other_http_gets_one_answer(request_bytes: bytes) -> None:
    server = codec()
    server.receive(request_bytes, 0.0)
    answer = wire(server)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 426 Upgrade Required\r\n")
    assert b"Content-Length: %d" % len(body) in head
    with pytest.raises(WireError, match="bad_handshake"):
        server.next_frame()
    server.receive(request_bytes, 0.0)
    assert wire(server) == b""


@pytest.mark.parametrize(
    "data",
    [
        bytes.fromhex("15fefffff6eb0201011d710b31323334353637383930"),
        b"\x16\x03\x01\x02\x00\x01",
        b"\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"PROXY TCP4 192.0.2.1 192.0.2.2 1000 8079\r\n",
    ],
    ids=["original client", "TLS", "blank", "SSH", "a proxy"],
)
def test_what_is_no_http_gets_none(data: bytes) -> None:
    server = codec()
    server.receive(data, 0.0)
    with pytest.raises(WireError, match="is not HTTP"):
        server.next_frame()
    assert wire(server) == b""


def test_a_request_has_a_bound() -> None:
    server = codec()
    server.receive(b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: ", 0.0)
    assert server.next_frame() is None
    server.receive(b"x" * 9000, 0.0)
    with pytest.raises(WireError, match="more than 8192"):
        server.next_frame()


def test_a_broadcast_is_shared_with_the_other_door(browser: Browser) -> None:
    browser.server.begin(7, 9, 0)
    original = EoCodec(CodecArgs(Role.SERVER, random.Random(1).randbytes))
    original.begin(7, 9, 0)
    assert browser.server.share_key == original.share_key == "eo-7"
    body = Body(CHAT)
    for end in (browser.server, original):
        end.send(body)
    (message,) = browser.server.outgoing(0.0)
    assert message[2:] == wire(original)
    assert message[:2] == struct.pack("BB", 0x82, len(message) - 2)


def test_client_role_against_server_role() -> None:
    client, server = codec(Role.CLIENT), codec()
    client.send(Body(encode(INIT)))
    server.receive(wire(client), 0.0)
    assert server.next_frame() is None, "the client waits for the handshake"
    client.receive(wire(server), 0.0)
    server.receive(wire(client), 0.0)
    assert server.next_frame() == encode(INIT)
    server.begin(8, 9, 100)
    client.begin(8, 9, 100)
    client.send(Body(encode(chat("hi"))))
    server.receive(wire(client), 0.0)
    assert server.next_frame() == encode(chat("hi"))
    server.send(Body(CHAT))
    client.receive(wire(server), 0.0)
    assert client.next_frame() == CHAT
    assert client.share_key is None
    assert client.deadline() is None


def test_client_role_is_told_that_it_was_refused() -> None:
    client = codec(Role.CLIENT)
    client.receive(b"HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n", 0.0)
    with pytest.raises(WireError, match="refused"):
        client.next_frame()


@given(st.binary(max_size=120), st.booleans(), st.booleans())
def test_garbage_raises_wire_errors_only(data: bytes, is_open: bool, capital: bool) -> None:
    server = codec()
    if is_open:
        server.receive(UPGRADE, 0.0)
    server.receive((b"G" if capital else b"") + data + b"\r\n\r\n", 0.0)
    wire(server)
    try:
        while server.next_frame() is not None:
            pass
    except WireError:
        pass
