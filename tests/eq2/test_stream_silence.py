"""What an end tells of its counters, and who is missed when nothing comes."""

from __future__ import annotations

import random

import pytest

from protocol.endings import PeerGone, WireError
from protocol.eq2.stream.frames import Checksum, Reason, SessionDisconnect, StatRequest, StatResponse
from protocol.eq2.stream.states import State
from protocol.wire.args import Role
from tests.kit.eqstream_frames import STATS, frames_of
from tests.kit.eqstreams import SEALED, SESSION, adopted, exchange, handshaken, is_closed, is_pending, opened

# Statistics


def test_the_counters_are_true() -> None:
    client, server = handshaken()
    for number in range(20):
        client.send_many([b"\5%d" % number])
        server.send_many([b"\5" + random.Random(number).randbytes(1500)])
        exchange(client, server)
    server.receive(b"garbage that is counted as well", 1.0)
    before = (server.statistics.packets_out, server.statistics.packets_in)
    asked = StatRequest(0xBEEF, sent=11, received=22)
    server.receive(Checksum(server.seed).sealed(asked.encode()), 4_300_000.5)
    (frame,) = frames_of(server.outgoing(4_300_000.5), Checksum(server.seed))
    answer = StatResponse.decode(frame)
    assert answer == StatResponse(0xBEEF, 4_300_000_500 & 0xFFFFFFFF, 11, 22, before[0], before[1] + 1)
    assert server.statistics.packets_in == client.statistics.packets_out + 2
    assert server.statistics.packets_out == client.statistics.packets_in + 1
    assert server.statistics.bytes_out == client.statistics.bytes_in + 42


def test_the_doormans_answer_is_counted() -> None:
    statistics = opened(Role.SERVER).statistics
    assert (statistics.packets_in, statistics.bytes_in) == (1, 14)
    assert (statistics.packets_out, statistics.bytes_out) == (1, 21)


def test_a_clients_question_tells_its_own() -> None:
    client = opened(Role.CLIENT)
    client.statistics.measured(80.0)
    client.statistics.measured(120.0)
    client.expire(1.5)
    (frame,) = frames_of(client.outgoing(1.5))
    asked = StatRequest.decode(frame)
    assert asked == StatRequest(1500, 120, 100, 80, 120, 0, 2, 1)


def test_a_server_asks_nothing_and_a_client_answers_nothing() -> None:
    client = adopted(Role.CLIENT)
    client.receive(STATS, 0.0)
    assert client.outgoing(0.0) == []
    server = adopted(Role.SERVER)
    server.receive(SEALED.sealed(StatResponse(1, 2, 3, 4, 5, 6).encode()), 0.0)
    assert server.outgoing(0.0) == []
    assert not server.statistics.dropped
    server.receive(SEALED.sealed(StatRequest(1).encode()[:-1]), 0.0)
    assert server.outgoing(0.0) == []
    assert server.statistics.dropped["malformed"] == 1


# Silence


def test_keep_alive_after_silence_and_never_an_echo() -> None:
    server = adopted(Role.SERVER)
    assert server.deadline() == 9.0
    server.expire(8.9)
    assert not is_pending(server)
    server.expire(9.0)
    server.expire(9.0)
    assert is_pending(server)
    assert frames_of(server.outgoing(9.0)) == [b"\0\6"]
    assert server.deadline() == 18.0
    for _ in range(100):
        server.receive(SEALED.sealed(b"\0\6"), 10.0)
    assert not is_pending(server)
    assert server.outgoing(10.0) == []


def test_two_ends_stay_together_for_an_hour_of_silence() -> None:
    client, server = handshaken()
    now = 0.0
    sent = 0
    while now < 3600:
        now = min(end.deadline() or 0.0 for end in (client, server))
        for end, other in ((client, server), (server, client)):
            end.expire(now)
            datagrams = end.outgoing(now)
            sent += len(datagrams)
            for datagram in datagrams:
                other.receive(datagram, now)
    assert client.state is server.state is State.CONNECTED
    assert sent <= 2 * 3600 / 9 + 4


def test_whoever_is_silent_is_gone() -> None:
    server = adopted(Role.SERVER)
    server.receive(SEALED.sealed(b"\0\6"), 3.0)
    server.receive(b"\0\6xx", 40.0)  # does not count: its checksum is wrong
    server.expire(47.9)
    with pytest.raises(PeerGone, match="silent for 45 s"):
        server.expire(48.0)
    assert frames_of(server.outgoing(48.0))[-1] == SessionDisconnect(SESSION, Reason.TIMEOUT).encode()
    assert is_closed(server)


def test_whoever_acknowledges_nothing_is_gone() -> None:
    server = adopted(Role.SERVER)
    server.send_many([b"\5abc"])
    server.outgoing(0.0)
    now = 0.0

    def go_on() -> None:
        nonlocal now
        while now < 40:
            now = server.deadline() or 0.0
            server.receive(SEALED.sealed(b"\0\6"), now)
            server.expire(now)
            server.outgoing(now)

    with pytest.raises(PeerGone):
        go_on()
    assert 8 < now <= 30
    assert frames_of(server.outgoing(now))[-1] == SessionDisconnect(SESSION, 8).encode()


def test_a_payload_that_stays_unfinished_ends_the_session() -> None:
    server = adopted(Role.SERVER)
    server.receive(SEALED.sealed(b"\0\x0d\0\0\0\0\2\0data"), 1.0)
    server.outgoing(1.0)
    server.receive(SEALED.sealed(b"\0\6"), 30.0)
    server.expire(30.9)
    with pytest.raises(WireError, match="bad_fragment"):
        server.expire(31.0)
    assert frames_of(server.outgoing(31.0))[-1] == SessionDisconnect(SESSION, 15).encode()
    assert is_closed(server)
