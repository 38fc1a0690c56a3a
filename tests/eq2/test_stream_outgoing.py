"""What a session puts into the datagrams that go and how much of it, and that it takes quickly what comes."""

from __future__ import annotations

import random
import time

from protocol.eq2.stream.frames import Checksum
from protocol.wire.args import Role
from tests.kit.eqstream_frames import STATS, encrypted, frames_of, packet
from tests.kit.eqstreams import SEALED, adopted, drain, exchange, handshaken, is_pending


def test_small_frames_share_a_datagram_and_acknowledgements_are_one() -> None:
    server = adopted(Role.SERVER)
    for seq, message in enumerate(encrypted(*(b"\5%d" % number for number in range(50)))):
        server.receive(packet(seq, message), 0.0)
    server.receive(packet(55, b"early"), 0.0)
    server.receive(packet(3, b"again"), 0.0)
    server.receive(STATS, 0.0)
    (datagram,) = server.outgoing(0.0)
    frames = frames_of([datagram])
    assert [frame[1] for frame in frames] == [0x08, 0x15, 0x11, 0x11]
    assert frames[1:] == [b"\0\x15\0\x31", b"\0\x11\0\x37", b"\0\x11\0\x03"]


def test_messages_of_one_call_share_a_packet_up_to_the_limit() -> None:
    client, server = handshaken()
    server.send_many([b"\5%d" % number for number in range(200)])
    sent = server.outgoing(0.0)
    assert all(len(datagram) <= 512 for datagram in sent)
    packets = [frame for frame in frames_of(sent, Checksum(server.seed)) if frame[1] == 9]
    assert all(len(frame) <= 4 + 250 for frame in packets)
    assert len(packets) < 8
    for datagram in sent:
        client.receive(datagram, 0.0)
    exchange(client, server)
    assert drain(client) == [b"\5%d" % number for number in range(200)]


def test_one_checksum_and_no_combining_for_a_lone_frame() -> None:
    server = adopted(Role.SERVER)
    server.send_many([b"\5abc"])
    (datagram,) = server.outgoing(0.0)
    assert datagram[:2] == b"\0\x09"


def test_clogged_and_paced() -> None:
    server = adopted(Role.SERVER)
    server.send_many([b"\5" + random.Random(seed).randbytes(400) for seed in range(200)])
    sent = server.outgoing(0.0)
    assert server.clogged
    assert not is_pending(server)
    for frame in frames_of(sent):
        server.receive(SEALED.sealed(b"\0\x15" + frame[2:4]), 0.05)
    assert is_pending(server)
    assert server.outgoing(0.05)


def test_the_short_path_of_receiving_is_short() -> None:
    """An order of magnitude, not a benchmark: 5,000 packets and 5,000 acknowledgements."""
    server = adopted(Role.SERVER)
    datagrams = [packet(seq, message) for seq, message in enumerate(encrypted(*[b"\5abcdefgh"] * 5000))]
    begun = time.process_time()
    for datagram in datagrams:
        server.receive(datagram, 0.0)
        server.next_message()
    server.outgoing(0.0)
    assert time.process_time() - begun < 1.0
