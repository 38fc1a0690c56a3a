"""How a session gets its key, and what comes together with it."""

from __future__ import annotations

import random

import pytest

from protocol.endings import WireError
from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.ciphers import KEY_REQUEST, CipherPair
from protocol.eq2.stream.combining import APP_COMBINED, write_length
from protocol.eq2.stream.frames import SessionDisconnect, SessionResponse
from protocol.wire.args import Role
from tests.kit.eqstream_frames import STATS, encrypted, frames_of, packet
from tests.kit.eqstreams import SEALED, SEED, SESSION, TAIL, drain, is_keyed, opened


def test_the_first_answer_to_statistics_brings_the_key_request_and_no_later_one() -> None:
    server = opened(Role.SERVER)
    assert server.outgoing(0.0) == []
    server.receive(STATS, 0.0)
    assert [frame[1] for frame in frames_of(server.outgoing(0.0))] == [8, 9]
    for _ in range(3):
        server.receive(STATS, 0.0)
        assert [frame[1] for frame in frames_of(server.outgoing(0.0))] == [8]


def test_a_key_in_a_container_with_the_first_message_behind_it() -> None:
    server = opened(Role.SERVER)
    reply = bytes(61) + TAIL
    (message,) = encrypted(b"\0hello")
    payload = APP_COMBINED + b"".join(write_length(len(part)) + part for part in (reply, message))
    server.receive(packet(0, payload), 0.0)
    assert is_keyed(server)
    assert drain(server) == [b"\0hello"]


def test_a_key_and_the_first_messages_in_one_datagram_in_any_order() -> None:
    first, second = encrypted(b"\0one", b"\0two")
    frames = [b"\0\x09\0\0" + bytes(61) + TAIL, b"\0\x09\0\1" + first, b"\0\x09\0\2" + second]
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        server = opened(Role.SERVER)
        combined = b"".join(bytes((len(frames[at]),)) + frames[at] for at in order)
        server.receive(SEALED.sealed(b"\0\3" + combined), 0.0)
        assert drain(server) == [b"\0one", b"\0two"]


def test_a_key_in_fragments() -> None:
    server = opened(Role.SERVER)
    reply = bytes(200) + TAIL
    server.receive(SEALED.sealed(b"\0\x0d\0\0" + len(reply).to_bytes(4, "big") + reply[:100]), 0.0)
    server.receive(SEALED.sealed(b"\0\x0d\0\1" + reply[100:]), 0.0)
    assert is_keyed(server)


def test_what_cannot_be_a_key() -> None:
    server = opened(Role.SERVER)
    server.receive(packet(0, b"1234567"), 0.0)
    assert not is_keyed(server)
    assert server.statistics.dropped["message before the key"] == 1
    with pytest.raises(WireError, match="bad_key"):
        server.receive(packet(1, b"x" * 61 + bytes(8)), 0.0)
    assert frames_of(server.outgoing(0.0)) == [SessionDisconnect(SESSION, 15).encode()]


def test_a_client_takes_nothing_but_a_key_request_for_one() -> None:
    client = opened(Role.CLIENT)
    client.receive(packet(0, b"\1something"), 0.0)
    assert not is_keyed(client)
    client.receive(packet(1, KEY_REQUEST), 0.0)
    assert is_keyed(client)


def test_a_client_that_has_the_key_is_asked_for_it_again() -> None:
    """As eq2emu does for each stat request."""
    client = opened(Role.CLIENT)
    client.receive(packet(0, KEY_REQUEST), 0.0)
    tail = frames_of(client.outgoing(0.0))[-1][-8:]
    client.receive(packet(1, KEY_REQUEST), 0.0)
    cipher = CipherPair(tail, Role.SERVER)
    client.receive(packet(2, cipher.encrypt(b"\0\5hello")), 0.0)
    assert drain(client) == [b"\5hello"]


def test_every_session_has_its_own_key() -> None:
    keys = set()
    dice = random.Random(3)
    for _ in range(1000):
        client = EqStream(Role.CLIENT, dice.randbytes, StreamSettings())
        client.connect(0.0)
        client.receive(SessionResponse(client.session_id, SEED).encode(), 0.0)
        client.receive(packet(0, KEY_REQUEST), 0.0)
        (reply,) = [frame for frame in frames_of(client.outgoing(0.0)) if frame[1] == 9]
        keys.add(reply[-8:])
    assert len(keys) == 1000
