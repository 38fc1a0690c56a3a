"""Whole sessions: handshake, statistics, silence, ends, unreliable messages, lossy wires, tracing."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.endings import PeerGone, PeerTooSlow, WireError
from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.checksum import Checksum
from protocol.eq2.stream.ciphers import KEY_REQUEST, CipherPair, key_reply
from protocol.eq2.stream.combining import APP_COMBINED, DEEPEST, split, write_length
from protocol.eq2.stream.frames import (
    KEEP_ALIVE,
    OUT_OF_SESSION,
    SessionDisconnect,
    SessionRequest,
    SessionResponse,
    StatRequest,
    StatResponse,
    new_seed,
)
from protocol.eq2.stream.opcodes import Reason
from protocol.eq2.stream.sending import Sender
from protocol.eq2.stream.states import State
from protocol.eq2.stream.stream import (
    CONNECT_SECONDS,
    DOUBT_SECONDS,
    DRAIN_SECONDS,
    RECEIVED_AT_ONCE,
    RECEIVED_PER_SECOND,
)
from protocol.wire.args import Role
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
    is_pending,
    opened,
    stream,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

REQUEST = SessionRequest(3, SESSION, 512)
STATS = SEALED.sealed(StatRequest(0x1234, sent=7, received=9).encode())


def frames_of(datagrams: Iterable[bytes], checksum: Checksum = SEALED) -> list[bytes]:
    """What is in sealed datagrams, Combined taken apart."""
    found: list[bytes] = []
    for datagram in datagrams:
        frame = checksum.opened(datagram)
        assert frame is not None
        if frame.startswith(b"\0\3"):
            inner, whole = split(frame)
            assert whole
            found += inner
        else:
            found.append(frame)
    return found


def packet(seq: int, payload: bytes) -> bytes:
    return SEALED.sealed(b"\0\x09" + seq.to_bytes(2, "big") + payload)


def encrypted(*messages: bytes, role: Role = Role.CLIENT) -> list[bytes]:
    """Messages of a peer with our key, as they are after encryption and escape."""
    cipher = CipherPair(TAIL, role)
    made = [cipher.encrypt(message) for message in messages]
    return [message if message[0] else b"\0" + message for message in made]


# Handshake


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


# The key


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


def test_a_flood_of_what_fits_the_checksum_is_looked_at_so_often_and_no_more() -> None:
    server = adopted(Role.SERVER)
    flood = SEALED.sealed(b"\0\x1e" + bytes(8))  # an opcode that is counted
    for second in range(4):
        for n in range(5000):
            server.receive(flood, second + n / 5000)
    looked_at = server.statistics.unknown_opcodes
    assert looked_at == pytest.approx(RECEIVED_AT_ONCE + 4 * RECEIVED_PER_SECOND, abs=5)
    assert server.statistics.dropped["too many"] == 20_000 - looked_at
    server.receive(SEALED.sealed(StatRequest(1).encode()), 4.5)
    assert server.outgoing(4.5)


def test_a_flood_with_wrong_checksums_keeps_no_client_from_being_heard() -> None:
    server = adopted(Role.SERVER)
    for _ in range(10_000):
        server.receive(b"\0\7garbage", 0.0)
    server.receive(SEALED.sealed(StatRequest(1).encode()), 0.0)
    assert server.outgoing(0.0)


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


# Ends


def test_a_disconnect_is_answered_once() -> None:
    server = adopted(Role.SERVER)
    goodbye = SEALED.sealed(SessionDisconnect(SESSION, 14).encode())
    server.receive(goodbye, 0.0)
    assert server.peer_closed
    assert not is_closed(server)
    assert is_pending(server)
    assert server.outgoing(0.0) == [SEALED.sealed(SessionDisconnect(SESSION, 6).encode())]
    assert is_closed(server)
    server.receive(goodbye, 0.0)
    server.receive(packet(0, b"abc"), 0.0)
    assert not is_pending(server)
    assert server.outgoing(0.0) == []
    assert server.deadline() is None


def test_what_came_before_a_disconnect_is_still_read() -> None:
    server = adopted(Role.SERVER)
    (message,) = encrypted(b"\x05last words")
    frames = (b"\0\x09\0\0" + message, SessionDisconnect(SESSION, 6).encode(), b"\0\x09\0\1late")
    server.receive(SEALED.sealed(b"\0\3" + b"".join(bytes((len(f),)) + f for f in frames)), 0.0)
    assert drain(server) == [b"\x05last words"]
    assert server.peer_closed


def test_nothing_behind_a_disconnect_counts() -> None:
    server = adopted(Role.SERVER)
    frames = (SessionDisconnect(SESSION, 6).encode(), b"\0\x0d\0\0\0\0\0\0data")
    server.receive(SEALED.sealed(b"\0\3" + b"".join(bytes((len(f),)) + f for f in frames)), 0.0)
    assert is_in(server, State.DISCONNECT)
    assert server._receiver.newest == 0xFFFF
    assert frames_of(server.outgoing(0.0)) == [SessionDisconnect(SESSION, 6).encode()]


def test_a_disconnect_of_another_session() -> None:
    server = adopted(Role.SERVER)
    server.receive(SEALED.sealed(SessionDisconnect(SESSION + 1, 6).encode()), 0.0)
    server.receive(SEALED.sealed(SessionDisconnect(SESSION, 6).encode()[:-1]), 0.0)
    assert is_in(server, State.CONNECTED)
    assert not server.peer_closed


@pytest.mark.parametrize(
    ("role", "datagram"),
    [(Role.SERVER, SEALED.sealed(OUT_OF_SESSION)), (Role.CLIENT, OUT_OF_SESSION)],
    ids=["server", "client"],
)
def test_out_of_session_ends_in_silence(role: Role, datagram: bytes) -> None:
    end = adopted(Role.SERVER) if role is Role.SERVER else handshaken()[0]
    end.send_many([b"\5abc"])
    end.receive(datagram, 0.0)
    assert end.peer_closed
    assert is_closed(end)
    assert end.outgoing(0.0) == []


def test_out_of_session_without_a_checksum_is_believed_of_a_client_that_stays_silent() -> None:
    server = adopted(Role.SERVER)
    server.receive(OUT_OF_SESSION, 1.0)
    server.receive(OUT_OF_SESSION, 9.0)
    assert is_in(server, State.CONNECTED)
    assert (server.deadline() or 99) <= 1.0 + DOUBT_SECONDS
    server.expire(1.0 + DOUBT_SECONDS)
    assert server.peer_closed
    assert is_closed(server)
    assert server.outgoing(12.0) == []


def test_out_of_session_without_a_checksum_is_not_believed_of_one_that_is_heard_of() -> None:
    server = adopted(Role.SERVER)
    server.receive(OUT_OF_SESSION, 1.0)
    server.receive(SEALED.sealed(KEEP_ALIVE), 5.0)
    server.expire(1.0 + DOUBT_SECONDS)
    assert server.outgoing(1.0 + DOUBT_SECONDS) == [SEALED.sealed(KEEP_ALIVE)]
    assert is_in(server, State.CONNECTED)
    assert (server.deadline() or 0) > 1.0 + DOUBT_SECONDS


@pytest.mark.parametrize("reason", Reason)
def test_a_close_says_why(reason: Reason) -> None:
    server = adopted(Role.SERVER)
    server.close(reason)
    assert not is_closed(server)
    assert is_pending(server)
    assert server.outgoing(5.0) == [SEALED.sealed(SessionDisconnect(SESSION, reason).encode())]
    assert is_closed(server)
    assert is_in(server, State.DISCONNECT)


def test_a_close_waits_for_acknowledgement() -> None:
    server = adopted(Role.SERVER)
    server.send_many([b"\5goodbye"])
    server.close(Reason.APPLICATION)
    server.send_many([b"\5too late"])
    sent = frames_of(server.outgoing(100.0))
    assert [frame[1] for frame in sent] == [9]
    assert is_in(server, State.DISCONNECTING)
    assert not is_pending(server)
    assert server.outgoing(100.5) == []
    server.receive(SEALED.sealed(b"\0\x15\0\0"), 100.6)
    assert is_pending(server)
    assert frames_of(server.outgoing(100.6)) == [SessionDisconnect(SESSION, 6).encode()]


def test_a_close_waits_two_seconds_and_sends_again_meanwhile() -> None:
    server = adopted(Role.SERVER)
    server.send_many([b"\5goodbye"])
    server.close(Reason.APPLICATION)
    seen = []
    now = 100.0
    while not server.closed:
        seen += [(now, frame[1]) for frame in frames_of(server.outgoing(now))]
        if not server.closed:
            now = server.deadline() or 0.0
            server.expire(now)
    assert [op for _, op in seen] == [9, 9, 5]
    assert seen[-1][0] == 100.0 + DRAIN_SECONDS


def test_the_end_of_a_close_is_announced() -> None:
    """To a driver that only sends when something is pending."""
    server = adopted(Role.SERVER)
    server.send_many([b"\5goodbye"])
    server.outgoing(0.0)
    server.close(Reason.APPLICATION)
    assert is_pending(server)  # the time starts to run
    assert server.outgoing(50.0) == []
    now = 50.0
    while not is_pending(server) or frames_of(server.outgoing(now))[0][1] != 5:
        now = server.deadline() or 0.0
        assert now <= 52.0
        server.expire(now)
    assert is_closed(server)


def test_acknowledgements_are_charged() -> None:
    server = adopted(Role.SERVER, StreamSettings(burst_kib=0.5, rate_kib=1.0))
    for _ in range(20):
        server.receive(STATS, 0.0)
        assert server.outgoing(0.0)
    server.send_many([b"\5abc"])
    assert server.outgoing(0.0) == []
    assert server.clogged
    assert server.outgoing(1.0)


def test_nobody_waits_for_whom_nothing_reaches() -> None:
    server = adopted(Role.SERVER)
    server.send_many([b"\5abc"])
    server.outgoing(0.0)
    server.close(Reason.CORRUPT_PACKET)
    assert frames_of(server.outgoing(0.0)) == [SessionDisconnect(SESSION, 15).encode()]


def test_what_comes_while_ending_is_acknowledged_and_not_read() -> None:
    server = adopted(Role.SERVER)
    server.send_many([b"\5abc"])
    server.close(Reason.APPLICATION)
    server.outgoing(0.0)
    server.receive(packet(0, b"abc"), 0.0)
    assert drain(server) == []
    assert frames_of(server.outgoing(0.0)) == [b"\0\x15\0\0"]


def test_a_close_before_the_session_says_nothing() -> None:
    for end in (stream(Role.SERVER), stream(Role.CLIENT)):
        end.close(Reason.APPLICATION)
        assert is_closed(end)
        assert end.outgoing(0.0) == []


def test_reset_and_a_new_session() -> None:
    client, server = handshaken()
    client.send_many([b"\5before"])
    client.reset(1.0)
    assert is_in(client, State.CLOSED)
    assert not is_keyed(client)
    assert client.outgoing(1.0) == [OUT_OF_SESSION]
    assert is_closed(client)
    server.receive(OUT_OF_SESSION, 1.0)
    server.expire(1.0 + DOUBT_SECONDS)
    assert server.peer_closed
    server.reset(12.0)
    server.outgoing(12.0)
    client.connect(13.0)
    assert not is_closed(client)
    exchange(client, server, 13.0)
    client.send_many([b"\5after"])
    exchange(client, server, 13.0)
    assert drain(server) == [b"\5after"]


def test_a_reset_and_a_connect_leave_in_this_order() -> None:
    client, _ = handshaken()
    client.reset(1.0)
    client.connect(1.0)
    first, second = client.outgoing(1.0)
    assert first == OUT_OF_SESSION
    assert SessionRequest.decode(second) is not None


@pytest.mark.parametrize(
    "bad",
    [
        b"\0\x09\0\0\0\x19\x05ab",
        b"\0\x0d\0\0\0\0\0\0data",
        b"\0\x0d\0\0\0\x10\0\1data",
        b"\0\x0d\0\0\0\0\0\2data",
    ],
)
def test_what_can_only_be_on_purpose_ends_with_reason_15(bad: bytes) -> None:
    server = adopted(Role.SERVER)
    with pytest.raises(WireError):
        server.receive(SEALED.sealed(bad), 0.0)
    assert frames_of(server.outgoing(0.0))[-1] == SessionDisconnect(SESSION, 15).encode()
    assert is_closed(server)
    server.close(Reason.CORRUPT_PACKET)
    assert server.outgoing(0.0) == []


def test_a_message_that_cannot_be_inflated_ends_with_reason_15() -> None:
    client = adopted(Role.CLIENT)
    client.receive(packet(0, *encrypted(b"\1rubbish", role=Role.SERVER)), 0.0)
    with pytest.raises(WireError, match="bad_deflate"):
        client.next_message()
    assert client.next_message() is None
    assert frames_of(client.outgoing(0.0))[-1] == SessionDisconnect(SESSION, 15).encode()


def test_too_much_unacknowledged_ends_with_reason_13() -> None:
    server = adopted(Role.SERVER, StreamSettings(compress_above=1 << 20))
    for _ in range(41):
        server.send_many([bytes(100_000)])
    with pytest.raises(PeerTooSlow):
        server.send_many([bytes(100_000)])
    assert frames_of(server.outgoing(0.0))[-1] == SessionDisconnect(SESSION, 13).encode()


# Garbage


def test_a_bad_checksum_is_counted_and_nothing_else() -> None:
    """R-12."""
    server = adopted(Role.SERVER)
    before = server.deadline()
    dice = random.Random(7)
    for _ in range(10_000):
        datagram = dice.randbytes(dice.randrange(600))
        if datagram[:1] == b"\0" and datagram[1:2] in (b"\1", b"\2", b"\x1d"):
            continue
        server.receive(datagram, 1.0)
        assert not is_pending(server)
    assert server.outgoing(1.0) == []
    assert is_in(server, State.CONNECTED)
    assert server.deadline() == before
    assert server.statistics.crc_errors > 9_000
    (message,) = encrypted(b"\5still here")
    server.receive(packet(0, message), 1.0)
    assert drain(server) == [b"\5still here"]


@given(st.lists(st.binary(max_size=510), max_size=20), st.sampled_from(Role), st.booleans())
def test_anything_with_the_right_checksum(bodies: list[bytes], role: Role, keyed: bool) -> None:
    """R-05: from a peer that knows its session everything may come; only WireError may come of it."""
    end = adopted(role) if keyed else opened(role)
    try:
        for body in bodies:
            end.receive(SEALED.sealed(body), 0.0)
            drain(end)
            end.outgoing(0.0)
    except WireError:
        assert is_in(end, State.DISCONNECT)


@given(st.data(), st.sampled_from(Role))
def test_plausible_frames(data: st.DataObject, role: Role) -> None:
    end = adopted(role)
    opcodes = st.sampled_from([*range(0x20)])
    frame = st.tuples(opcodes, st.binary(max_size=40)).map(lambda made: bytes((0, made[0])) + made[1])
    for body in data.draw(st.lists(frame, max_size=30)):
        try:
            end.receive(SEALED.sealed(body), 0.0)
            drain(end)
        except WireError:
            break
        for datagram in end.outgoing(0.0):
            assert len(datagram) <= 512


@pytest.mark.parametrize("op", [0x0A, 0x0B, 0x0C, 0x0E, 0x12, 0x14, 0x16, 0x17, 0x18, 0x19, 0x1E, 0x1F, 4])
def test_opcodes_nobody_uses_are_counted(op: int) -> None:
    server = adopted(Role.SERVER)
    server.send_many([b"\5abc"])
    server.outgoing(0.0)
    server.receive(SEALED.sealed(bytes((0, op, 0, 0, 1, 2))), 0.0)
    assert server.statistics.unknown_opcodes == 1
    assert server.outgoing(0.0) == []
    assert not server._sender.idle


def test_port_alive_is_no_error() -> None:
    server = adopted(Role.SERVER)
    server.receive(SEALED.sealed(b"\0\x1c"), 0.0)
    assert not server.statistics.unknown_opcodes
    assert not server.statistics.dropped


@pytest.mark.parametrize("frame", [b"\0", b"\0\x09\0", b"\0\x15", b"\0\x0d\0", b"\0\x11\0", b"\0\x1a\0\0"])
def test_frames_cut_off(frame: bytes) -> None:
    server = adopted(Role.SERVER)
    server.receive(SEALED.sealed(frame), 0.0)
    assert server.statistics.dropped["malformed"] == 1
    assert is_in(server, State.CONNECTED)


def nested(frame: bytes, depth: int) -> bytes:
    for _ in range(depth):
        frame = b"\0\3" + bytes((len(frame) & 0xFF,)) + frame
    return frame


def test_containers_in_containers() -> None:
    """R-10."""
    for depth in range(1, 12):
        server = adopted(Role.SERVER)
        (message,) = encrypted(b"\5deep")
        server.receive(SEALED.sealed(nested(b"\0\x09\0\0" + message, depth)), 0.0)
        assert drain(server) == ([b"\5deep"] if depth <= DEEPEST else [])
        assert server.statistics.dropped["nested too deep"] == (depth > DEEPEST)


def test_a_thousand_containers_cost_nothing() -> None:
    server = adopted(Role.SERVER)
    bomb = SEALED.sealed(nested(b"\0\6", 1000))
    wide = SEALED.sealed(nested(b"\0\3\0" * 80, 3))
    begun = time.perf_counter()
    for _ in range(100):
        server.receive(bomb, 0.0)
        server.receive(wide, 0.0)
    assert time.perf_counter() - begun < 1.0
    assert is_in(server, State.CONNECTED)


def test_memoryviews_are_taken() -> None:
    server = adopted(Role.SERVER)
    (message,) = encrypted(b"\5view")
    server.receive(memoryview(packet(0, message)), 0.0)
    assert drain(server) == [b"\5view"]


# Unreliable messages


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


# What goes


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
    begun = time.perf_counter()
    for datagram in datagrams:
        server.receive(datagram, 0.0)
        server.next_message()
    server.outgoing(0.0)
    assert time.perf_counter() - begun < 1.0


# Lossy wires


@pytest.mark.parametrize("loss", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("seed", range(8))
def test_everything_arrives_in_order_over_a_bad_wire(seed: int, loss: float) -> None:
    """Loss, repetition, reordering, broken bits; handshake included; virtual time."""
    dice = random.Random(seed)
    to_server = [dice.randint(1, 2500) for _ in range(dice.randrange(12))]
    to_client = [dice.randint(1, 6000) for _ in range(dice.randrange(25))]
    largest = dice.choice([128, 300, 512])
    client = stream(Role.CLIENT, StreamSettings(), 2)
    server = stream(Role.SERVER, StreamSettings(max_datagram=largest))
    sent = {
        client: [b"\5" + dice.randbytes(size) for size in to_server],
        server: [b"\6" + (b"words and more words %d " % size * size)[:size] for size in to_client],
    }
    for end, messages in sent.items():
        end.send_many(messages[:5])
    rest = {end: messages[5:] for end, messages in sent.items()}
    got: dict[EqStream, list[bytes]] = {client: [], server: []}
    wire: list[tuple[float, int, EqStream, bytes]] = []
    client.connect(0.0)
    now, count = 0.0, 0
    while (len(got[server]), len(got[client])) != (len(to_server), len(to_client)):
        for end, other in ((client, server), (server, client)):
            if end.keyed and rest[end] and not end.clogged:
                end.send_many(rest[end][:3])
                del rest[end][:3]
            for datagram in end.outgoing(now):
                assert len(datagram) <= 512
                for _ in range(2 if dice.random() < 0.1 else 1):
                    if dice.random() < loss:
                        continue
                    if dice.random() < 0.02:
                        at = dice.randrange(len(datagram))
                        if not datagram.startswith((b"\0\1", b"\0\2")):
                            datagram = datagram[:at] + bytes((datagram[at] ^ 1,)) + datagram[at + 1 :]
                            if datagram.startswith(b"\0\x1d"):
                                continue  # what has no checksum cannot be told from the real thing
                    count += 1
                    wire.append((now + 0.02 + 0.1 * dice.random(), count, other, datagram))
        wire.sort()
        moments = [end.deadline() for end in (client, server)]
        if wire:
            moments.append(wire[0][0])
        now = max(now, min(moment for moment in moments if moment is not None))
        assert now < 600
        while wire and wire[0][0] <= now:
            _, _, end, datagram = wire.pop(0)
            end.receive(datagram, now)
            got[end] += drain(end)
        client.expire(now)
        server.expire(now)
    assert got[server] == sent[client]
    assert got[client] == sent[server]


def test_numbers_wrap_in_a_long_session() -> None:
    """From shortly before the wrap on, in both directions, with losses that are noticed across it."""
    client, server = adopted(Role.CLIENT), adopted(Role.SERVER)
    for end in (client, server):
        end._sender = Sender(end.settings, end.statistics, 65_400)
        end._receiver._expected = 65_400
    dice = random.Random(4)
    sent = [b"\5" + number.to_bytes(2, "big") + dice.randbytes(300) for number in range(400)]
    got: dict[EqStream, list[bytes]] = {client: [], server: []}
    now, at = 0.0, 0
    while len(got[client]) + len(got[server]) < 2 * len(sent):
        if not server.clogged and not client.clogged:
            for end in got:
                end.send_many(sent[at : at + 4])
            at += 4
        exchange(client, server, now, lambda datagram: [datagram] * (dice.random() > 0.1))
        for end, messages in got.items():
            messages += drain(end)
        now += 0.05
        assert now < 100
        client.expire(now)
        server.expire(now)
    assert got == {client: sent, server: sent}
    assert server._receiver.newest < 1000


def test_a_small_window_of_ours_is_none_for_the_peer() -> None:
    """What the peer sends far ahead of something lost is kept, and not taken for something old."""
    client, server = adopted(Role.CLIENT), adopted(Role.SERVER, StreamSettings(window=4))
    sent = [b"\5" + bytes((number,)) * 200 for number in range(6)]
    for message in sent:
        client.send_many([message])
    lost, *others = [datagram for _ in range(3) for datagram in client.outgoing(0.0)]
    for datagram in others:
        server.receive(datagram, 0.0)
    assert server.statistics.past_packets == 0
    server.receive(lost, 0.0)
    exchange(client, server)
    assert drain(server) == sent


# Tracing


def test_a_trace_tells_every_stage_and_no_secret() -> None:
    lines: list[str] = []
    client, server = stream(Role.CLIENT, seed=2), stream(Role.SERVER)
    client.trace = server.trace = lines.append
    password = b"open sesame"
    client.send_many([b"\0" + password])
    client.connect(0.0)
    kept: list[bytes] = []

    def carry(datagram: bytes) -> Iterable[bytes]:
        kept.append(datagram)
        yield datagram
        yield datagram

    exchange(client, server, carry=carry)
    client.send_many([b"\1" + password])
    server.send_many([b"\2" + password])
    exchange(client, server, carry=carry)
    assert drain(server) == [b"\0" + password, b"\1" + password]
    assert drain(client) == [b"\2" + password]
    for datagram in kept:  # everything again, the key reply too, after there is a key
        server.receive(datagram, 1.0)
    exchange(client, server, 1.0)
    server.receive(kept[-1][:-1] + b"!", 1.0)
    checksum = Checksum(server.seed)
    sealed = [datagram for datagram in kept if checksum.opened(datagram)]
    replies = {frame for frame in frames_of(sealed, checksum) if frame.startswith(b"\0\x09\0\0\2\x40")}
    (reply,) = replies
    key = reply[-8:]
    text = "\n".join(lines)
    dumped = "".join(line[6:54] for line in lines if line[4:6] == ": ")
    for secret in (key, password, reply[20:28]):
        assert secret.hex(" ") not in text
        assert secret.hex() not in dumped.replace(" ", "")
        assert secret.decode("latin-1") not in text
    for stage in (
        "out opcode=0x0001 SESSION_REQUEST size=14",
        "in opcode=0x0002 SESSION_RESPONSE size=21",
        "opcode=0x0008 SESSION_STAT_RESPONSE",
        "opcode=0x0009 PACKET seq=0",
        "in opcode=0x0003 COMBINED",
        "bad checksum",
        "message in size=12",
        "message out size=12",
    ):
        assert stage in text, stage
    assert any(line.startswith("0000: 00 09 00 01 ") for line in lines)


def test_a_trace_can_be_turned_off() -> None:
    lines: list[str] = []
    server = adopted(Role.SERVER)
    server.trace = lines.append
    server.receive(SEALED.sealed(b"\0\6"), 0.0)
    assert lines
    server.trace = None
    del lines[:]
    server.receive(SEALED.sealed(b"\0\6"), 0.0)
    assert not lines
