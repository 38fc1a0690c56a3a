"""Unreliable messages: bare, escaped, in order or too late."""

from __future__ import annotations

import pytest

from protocol.eq2.stream.ciphers import CipherPair
from protocol.eq2.stream.states import State
from protocol.wire.args import Role
from tests.kit.eqstream_frames import encrypted, frames_of, packet
from tests.kit.eqstreams import SEALED, TAIL, adopted, drain, exchange, handshaken, is_in, opened


def test_unreliable_messages_of_all_forms_in_the_order_of_their_arrival() -> None:
    server = adopted(Role.SERVER)
    cipher = CipherPair(TAIL, Role.CLIENT)
    escaped = bytes((CipherPair(TAIL, Role.CLIENT).encrypt(bytes(15))[14], 7))  # 00 once encrypted
    names = [b"\5reliable", b"\5bare", escaped, b"\5ordered", b"\5ordered two", b"\5end"]
    first, bare, zero, ordered, ordered_2, end = (cipher.encrypt(name) for name in names)
    server.receive(packet(0, first), 0.0)
    server.receive(SEALED.sealed(bare if bare[0] else b"\0" + bare), 0.0)
    assert zero[0] == 0
    server.receive(SEALED.sealed(b"\0" + zero), 0.0)
    server.receive(SEALED.sealed(b"\0\x1a\0\7" + ordered), 0.0)
    server.receive(SEALED.sealed(b"\0\x1b\0\1" + ordered_2), 0.0)
    server.receive(packet(1, end), 0.0)
    assert drain(server) == names
    assert frames_of(server.outgoing(0.0)) == [b"\0\x15\0\1"]


def test_bare_messages_of_a_client_end() -> None:
    client, server = handshaken()
    for number in range(600):
        client.send_unreliable(bytes((number & 0xFF, 1)))
        exchange(client, server)
        assert drain(server) == [bytes((number & 0xFF, 1))]


@pytest.mark.parametrize(
    ("numbers", "delivered"),
    [
        ([5, 6, 9], [5, 6, 9]),
        ([5, 5, 4, 6], [5, 6]),
        ([65535, 0, 65534, 1], [65535, 0, 1]),
        ([40000, 10, 40001], [40000, 10]),
    ],
)
def test_older_ordered_ones_are_dropped(numbers: list[int], delivered: list[int]) -> None:
    server = adopted(Role.SERVER)
    cipher = CipherPair(TAIL, Role.CLIENT)
    newest = None
    for number in numbers:
        kept = number in delivered and number != newest
        body = cipher.encrypt(b"\5" + number.to_bytes(2, "big")) if kept else b"old"
        before = server.statistics.dropped["ordered too late"]
        server.receive(SEALED.sealed(b"\0\x1a" + number.to_bytes(2, "big") + body), 0.0)
        assert server.statistics.dropped["ordered too late"] - before == (not kept)
        newest = number if kept else newest
    assert [int.from_bytes(message[1:], "big") for message in drain(server)] == delivered


def test_the_two_ordered_channels_count_apart() -> None:
    server = adopted(Role.SERVER)
    one, two = encrypted(b"\5one", b"\5two")
    server.receive(SEALED.sealed(b"\0\x1a\0\x09" + one), 0.0)
    server.receive(SEALED.sealed(b"\0\x1b\0\x01" + two), 0.0)
    assert drain(server) == [b"\5one", b"\5two"]


def test_before_the_key_they_are_dropped() -> None:
    server = opened(Role.SERVER)
    for body in (b"\5bare", b"\0\0bare", b"\0\x1a\0\1bare", b"\0\x1b\0\1bare"):
        server.receive(SEALED.sealed(body), 0.0)
    assert server.statistics.dropped["unreliable without key"] == 4
    server.receive(packet(0, bytes(61) + TAIL), 0.0)
    (message,) = encrypted(b"\5first")
    server.receive(packet(1, message), 0.0)
    assert drain(server) == [b"\5first"]


def test_what_a_lost_one_does() -> None:
    """Its bytes of the keystream are gone: whatever follows is noise, and nothing raises."""
    server = adopted(Role.SERVER)
    cipher = CipherPair(TAIL, Role.CLIENT)
    names = [b"\5before", b"\5lost", *(b"\5after %d" % number for number in range(5))]
    before, _, *after = (cipher.encrypt(name) for name in names)
    server.receive(packet(0, before), 0.0)
    for seq, message in enumerate(after, 1):
        server.receive(packet(seq, message if message[0] else b"\0" + message), 0.0)
    first, *noise = drain(server)
    assert first == b"\5before"
    assert len(noise) == 5
    assert all(message not in names for message in noise)
    assert is_in(server, State.CONNECTED)
    assert server.statistics.crc_errors == 0
