"""How a session begins: requests, answers, and what both sides agree on."""

from __future__ import annotations

import random

import pytest

from protocol.endings import PeerGone, WireError
from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.ciphers import KEY_REQUEST, key_reply
from protocol.eq2.stream.frames import (
    OUT_OF_SESSION,
    Checksum,
    SessionRequest,
    SessionResponse,
    StatRequest,
    StatResponse,
    new_seed,
)
from protocol.eq2.stream.session import CONNECT_SECONDS
from protocol.eq2.stream.states import State
from protocol.wire.args import Role
from tests.kit.eqstream_frames import REQUEST, STATS, frames_of
from tests.kit.eqstreams import (
    SEALED,
    SEED,
    SESSION,
    TAIL,
    adopted,
    drain,
    exchange,
    handshaken,
    is_closed,
    is_in,
    is_keyed,
    opened,
    stream,
)


def test_the_handshake_step_by_step() -> None:
    client, server = stream(Role.CLIENT, seed=2), stream(Role.SERVER)
    client.connect(0.0)
    assert is_in(client, State.WAIT_CONNECT)
    (request,) = client.outgoing(0.0)
    asked = SessionRequest.decode(request)
    assert asked is not None
    assert asked.max_length == 512
    server.receive(request, 0.0)
    (response,) = server.outgoing(0.0)
    answered = SessionResponse.decode(response)
    assert answered == SessionResponse(asked.session_id, server.seed, 2, 0, 0, 512, 0)
    assert is_in(server, State.CONNECTED)
    assert not is_keyed(server)
    client.receive(response, 0.0)
    assert is_in(client, State.CONNECTED)
    checksum = Checksum(server.seed)
    (first,) = frames_of(client.outgoing(0.0), checksum)
    assert StatRequest.decode(first) is not None
    server.receive(checksum.sealed(first), 0.0)
    second, third = frames_of(server.outgoing(0.0), checksum)
    assert StatResponse.decode(second) is not None
    assert third == b"\0\x09\0\0" + KEY_REQUEST
    client.receive(checksum.sealed(third), 0.0)
    assert is_keyed(client)
    ack, reply = frames_of(client.outgoing(0.0), checksum)
    assert ack == b"\0\x15\0\0"
    assert reply[:4] == b"\0\x09\0\0"
    assert len(reply) - 2 >= 69
    server.receive(checksum.sealed(reply), 0.0)
    assert is_keyed(server)
    assert frames_of(server.outgoing(0.0), checksum) == [b"\0\x15\0\0"]


def test_messages_wait_for_the_key_in_order() -> None:
    client, server = stream(Role.CLIENT, seed=2), stream(Role.SERVER)
    client.send_many([b"\0one"])
    server.send_many([b"\1eins", b"\1zwei"])
    client.connect(0.0)
    client.send_many([b"\0two"])
    exchange(client, server)
    client.send_many([b"\0three"])
    exchange(client, server)
    assert drain(server) == [b"\0one", b"\0two", b"\0three"]
    assert drain(client) == [b"\1eins", b"\1zwei"]


def test_a_repeated_request_gets_the_same_answer_and_changes_nothing() -> None:
    server = stream(Role.SERVER)
    server.receive(REQUEST.encode(), 0.0)
    (answer,) = server.outgoing(0.0)
    server.receive(STATS_OF(server), 0.0)
    server.outgoing(0.0)
    server.receive(Checksum(server.seed).sealed(b"\0\x09\0\0" + key_reply(random.Random(5).randbytes)), 0.0)
    assert is_keyed(server)
    server.outgoing(0.0)
    for _ in range(30):
        server.receive(REQUEST.encode(), 1.0)
        assert server.outgoing(1.0) == [answer]
    assert is_keyed(server)
    assert is_in(server, State.CONNECTED)


def STATS_OF(server: EqStream) -> bytes:
    return Checksum(server.seed).sealed(StatRequest(1).encode())


def test_several_repeated_requests_at_once_get_one_answer() -> None:
    server = stream(Role.SERVER)
    for _ in range(5):
        server.receive(REQUEST.encode(), 0.0)
    assert len(server.outgoing(0.0)) == 1


def test_the_answer_is_alone_in_its_datagram_even_if_there_is_more_to_say() -> None:
    server = adopted(Role.SERVER)
    server.receive(REQUEST.encode(), 0.0)
    server.receive(STATS, 0.0)
    server.send_many([b"\5abc"])
    response, rest = server.outgoing(0.0)
    assert SessionResponse.decode(response) is not None
    assert len(frames_of([rest])) > 1


def test_another_session_id_is_none_of_this_sessions_business() -> None:
    server = adopted(Role.SERVER)
    server.receive(REQUEST._replace(session_id=5).encode(), 0.0)
    assert server.outgoing(0.0) == []
    assert (server.session_id, server.state) == (SESSION, State.CONNECTED)
    assert server.statistics.dropped["request"] == 1


@pytest.mark.parametrize("cut", [0, 2, 13, 15])
def test_a_request_of_another_length_is_none(cut: int) -> None:
    server = stream(Role.SERVER)
    server.receive((REQUEST.encode() + b"\0")[:cut], 0.0)
    assert server.outgoing(0.0) == []
    assert is_in(server, State.CLOSED)


def test_a_request_that_is_not_answered_is_repeated_and_given_up() -> None:
    client = stream(Role.CLIENT)
    client.connect(0.0)
    requests = client.outgoing(0.0)
    now = 0.0
    while (deadline := client.deadline()) is not None:
        now = deadline
        if now >= CONNECT_SECONDS:
            break
        client.expire(now)
        requests += client.outgoing(now)
    assert len(set(requests)) == 1
    assert len(requests) == 10
    with pytest.raises(PeerGone, match="no answer"):
        client.expire(now)
    assert is_in(client, State.DISCONNECT)
    assert is_closed(client)
    assert client.outgoing(now) == []


def test_lost_statistics_questions_are_asked_again() -> None:
    client = opened(Role.CLIENT)
    assert client.deadline() == 1.0
    client.expire(1.0)
    assert [StatRequest.decode(frame) is not None for frame in frames_of(client.outgoing(1.0))] == [True]
    for second in range(2, 10):
        client.expire(float(second))
    with pytest.raises(PeerGone, match="no key"):
        client.expire(10.0)


def test_an_answer_combined_with_something_is_no_answer() -> None:
    client = stream(Role.CLIENT)
    client.connect(0.0)
    client.outgoing(0.0)
    response = SessionResponse(client.session_id, SEED).encode()
    client.receive(b"\0\3" + bytes((len(response),)) + response, 0.0)
    assert is_in(client, State.WAIT_CONNECT)
    client.receive(SEALED.sealed(response), 0.0)
    assert is_in(client, State.WAIT_CONNECT)
    client.receive(response, 0.0)
    assert is_in(client, State.CONNECTED)


def test_nested_requests_and_responses_mean_nothing() -> None:
    for role in Role:
        end = adopted(role)
        for frame in (REQUEST.encode(), SessionResponse(SESSION, 5).encode(), OUT_OF_SESSION):
            end.receive(SEALED.sealed(b"\0\3" + bytes((len(frame),)) + frame), 0.0)
        assert (end.seed, end.state) == (SEED, State.CONNECTED)
        assert end.outgoing(0.0) == []


def test_a_response_for_somebody_else() -> None:
    client = stream(Role.CLIENT)
    client.connect(0.0)
    client.receive(SessionResponse(client.session_id ^ 1, SEED).encode(), 0.0)
    assert is_in(client, State.WAIT_CONNECT)


@pytest.mark.parametrize(
    "change", [{"first_pass": 1}, {"second_pass": 4}, {"crc_length": 0}, {"crc_length": 3}]
)
def test_a_response_that_wants_what_we_do_not_speak(change: dict[str, int]) -> None:
    client = stream(Role.CLIENT)
    client.connect(0.0)
    with pytest.raises(WireError, match="bad_response"):
        client.receive(SessionResponse(client.session_id, SEED)._replace(**change).encode(), 0.0)
    assert is_in(client, State.DISCONNECT)


def test_repeated_responses_are_ignored() -> None:
    client = adopted(Role.CLIENT)
    client.receive(SessionResponse(SESSION, 0x999).encode(), 0.0)
    assert client.seed == SEED


@pytest.mark.parametrize("crc_length", [2, 4])
def test_the_servers_checksum_length_counts(crc_length: int) -> None:
    client, server = handshaken(StreamSettings(crc_length=crc_length), StreamSettings())
    server.send_many([b"\5" + bytes(5)])
    (datagram,) = server.outgoing(0.0)
    assert Checksum(server.seed, crc_length).opened(datagram) is not None
    client.receive(datagram, 0.0)
    assert drain(client) == [b"\5" + bytes(5)]


@pytest.mark.parametrize(("asked", "agreed"), [(50, 128), (128, 128), (300, 300), (512, 512), (9000, 512)])
def test_the_clients_length_is_honoured(asked: int, agreed: int) -> None:
    server = stream(Role.SERVER)
    server.receive(SessionRequest(3, 1, asked).encode(), 0.0)
    response = SessionResponse.decode(server.outgoing(0.0)[0])
    assert response is not None
    assert response.max_length == server.max_length == agreed
    server._key(TAIL)
    server.send_many([bytes((5,)) + random.Random(1).randbytes(2000)])
    sent = server.outgoing(0.0)
    assert max(map(len, sent)) == agreed


def test_seeds_are_never_zero() -> None:
    assert new_seed(bytes) == 1
    assert new_seed(lambda size: b"\1\2\3\4") == 0x01020304
