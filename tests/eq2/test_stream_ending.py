"""How a session ends: by a word of either side, by a new one, by what cannot be forgiven."""

from __future__ import annotations

import pytest

from protocol.endings import PeerTooSlow, WireError
from protocol.eq2.stream import StreamSettings
from protocol.eq2.stream.frames import KEEP_ALIVE, OUT_OF_SESSION, Reason, SessionDisconnect
from protocol.eq2.stream.states import State
from protocol.eq2.stream.stream import DOUBT_SECONDS, DRAIN_SECONDS
from protocol.wire.args import Role
from tests.kit.eqstream_frames import STATS, encrypted, frames_of, packet
from tests.kit.eqstreams import (
    SEALED,
    SESSION,
    adopted,
    drain,
    handshaken,
    is_closed,
    is_in,
    is_pending,
    stream,
)


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
