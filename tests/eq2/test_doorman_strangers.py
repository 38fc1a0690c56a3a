"""Who is met without a session: garbage, and somebody else's address (R-12, R-15)."""

from __future__ import annotations

import random

import pytest

from protocol.eq2.doorman import MOST_GUESSES, MOST_SUSPECTED
from protocol.eq2.stream.combining import combine
from protocol.eq2.stream.frames import (
    KEEP_ALIVE,
    OUT_OF_SESSION,
    Checksum,
    Reason,
    SessionDisconnect,
    SessionResponse,
    StatRequest,
    StatResponse,
)
from protocol.eq2.stream.states import State
from protocol.family import Knock
from tests.kit.eq2_doorman import (
    ELSEWHERE,
    HOME,
    REQUEST,
    admitted,
    answered,
    doorman,
    first_datagram,
    session,
    strangers,
)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("origins", [1, 10_000])
def test_random_datagrams_get_no_answer(seed: int, origins: int) -> None:
    """10,000 of them, from one address or from as many."""
    door = doorman()
    dice = random.Random(seed)
    crowd = strangers(origins)
    for number in range(10_000):
        at = crowd[number % origins]
        assert door.knock(at, dice.randbytes(dice.randrange(700)), 0.01 * number, None) is None
    assert door.half_open == 0


def test_noise_that_begins_like_a_frame_gets_no_answer_either() -> None:
    """Whatever the opcode, and right behind another."""
    door = doorman()
    dice = random.Random(6)
    for number, at in enumerate(strangers(50_000)):
        noise = bytes((0, dice.choice((3, 7, 9, 0x0D, 0x11, 0x15, number % 256)))) + dice.randbytes(
            dice.choice((0, 2, 4, 40, dice.randrange(500)))
        )
        knock = door.knock(at, noise, 0.1 * number, None)
        assert knock is None or knock.reply != OUT_OF_SESSION, noise.hex()


def sealed(*frames: bytes) -> bytes:
    (datagram,) = combine(list(frames), 500)
    return Checksum(1).sealed(datagram)


ACK, DATA, QUESTION = b"\0\x15\0\5", b"\0\x09\0\6noise", StatRequest(7, sent=5, received=6).encode()


@pytest.mark.parametrize(
    "datagram",
    [
        sealed(QUESTION),
        sealed(QUESTION, ACK),
        sealed(b"\0\x11\xff\xff", DATA, QUESTION),
    ],
    ids=["alone", "with an ack", "at the end"],
)
def test_a_question_for_statistics_shows_who_was_forgotten(datagram: bytes) -> None:
    assert doorman().knock(HOME, datagram, 0.0, None) == Knock(OUT_OF_SESSION)


FIRST = {
    "ack": sealed(ACK),
    "data": sealed(DATA),
    "both": sealed(DATA, ACK),
    "fragment": sealed(b"\0\x0d\0\7pieces"),
}
SECOND = {"ack": sealed(ACK), "data": sealed(DATA), "before": sealed(b"\0\x11\xff\xff")}


@pytest.mark.parametrize("first", FIRST.values(), ids=FIRST)
@pytest.mark.parametrize("second", SECOND.values(), ids=SECOND)
def test_a_number_near_the_last_one_shows_who_was_forgotten(first: bytes, second: bytes) -> None:
    door = doorman()
    assert door.knock(HOME, first, 0.0, None) is None
    assert door.knock(ELSEWHERE, second, 0.0, None) is None, "somebody else's"
    assert door.knock(HOME, sealed(b"\0\x09\x80\0noise"), 0.0, None) is None, "far away"
    assert door.knock(HOME, first, 0.0, None) is None
    assert door.knock(HOME, second, 0.1, None) == Knock(OUT_OF_SESSION)


@pytest.mark.parametrize(
    "datagram",
    [
        b"\0\x09\0\6" + b"ab",  # a packet with nothing in it
        Checksum(1).sealed(ACK + b"\0"),
        Checksum(1).sealed(QUESTION + b"\0"),
        Checksum(1).sealed(QUESTION[:-1]),
        Checksum(1).sealed(StatRequest(7, sent=1 << 40).encode()),
        Checksum(1).sealed(StatResponse(1, 2, 3, 4, 5, 6).encode()),
        Checksum(1).sealed(b"\0\3\4" + ACK + b"\5" + ACK),  # its lengths are wrong
        Checksum(1).sealed(b"\0\3"),
        Checksum(1).sealed(b"\0\3\0"),
        sealed(ACK, KEEP_ALIVE),
        sealed(ACK, SessionDisconnect(1, 6).encode()),
        sealed(ACK, sealed(ACK, ACK)),
        Checksum(1).sealed(b"\0\x1a\0\1noise"),
        Checksum(1).sealed(b"\0\x19\1a\1b"),
        Checksum(1).sealed(b"\0\0noise"),
        Checksum(1).sealed(b"noise"),
    ],
)
def test_what_no_session_sends_is_not_answered_however_often_it_comes(datagram: bytes) -> None:
    door = doorman()
    for at in range(20):
        assert door.knock(HOME, datagram, 0.1 * at, None) is None


def test_who_asked_for_a_session_is_not_told_that_it_has_none() -> None:
    door = doorman()
    answered(door.knock(HOME, REQUEST.encode(), 0.0, None))
    for _ in range(20):
        assert door.knock(HOME, sealed(QUESTION), 0.1, None) is None
        assert door.knock(HOME, sealed(DATA), 0.1, None) is None


def test_one_address_is_told_once_a_second() -> None:
    door = doorman()
    replies = [
        knock
        for at in range(1000)
        if (knock := door.knock(HOME, b"\0\x09\0\0abc", 0.01 * at, None)) is not None
    ]
    assert len(replies) == 10
    assert all(knock.reply == OUT_OF_SESSION for knock in replies)


@pytest.mark.parametrize(
    "datagram",
    [
        b"",
        b"\0",
        b"\0\x09",
        b"abc",
        OUT_OF_SESSION,
        OUT_OF_SESSION + b"\1\2\3",
        Checksum(1).sealed(SessionDisconnect(1, 6).encode()),
        SessionResponse(1, 2).encode(),
    ],
)
def test_what_is_never_answered(datagram: bytes) -> None:
    """Short, or itself an end: two servers could tell each other for ever."""
    assert doorman().knock(HOME, datagram, 0.0, None) is None


def test_a_keep_alive_that_comes_again_is_answered() -> None:
    """Its sender hears nothing else and would believe for long that it is connected."""
    door, datagram = doorman(), Checksum(1).sealed(KEEP_ALIVE)
    assert door.knock(HOME, datagram, 0.0, None) is None
    assert door.knock(HOME, datagram, 9.0, None) == Knock(OUT_OF_SESSION)


@pytest.mark.parametrize(("answers", "measured"), [(1, [150]), (2, [])])
def test_the_answer_that_was_read_is_the_first_round_trip(answers: int, measured: list[int]) -> None:
    door = doorman()
    seed = 0
    for _ in range(answers):
        seed = answered(door.knock(HOME, REQUEST.encode(), 1.0, None)).seed
    statistics = admitted(door.knock(HOME, first_datagram(seed), 1.15, None)).stream.statistics
    assert [round(statistics.rtt_last_ms)] * statistics.rtt_samples == measured


def test_the_memory_of_who_was_told_is_bounded() -> None:
    door = doorman()
    for number, at in enumerate(strangers(50_000)):
        for _ in range(2):
            door.knock(at, b"\0\x09\0\0abc", number / 5000, None)
        assert len(door._rebuffed) <= 60
        assert len(door._suspected) <= MOST_SUSPECTED
    assert len(door._rebuffed) > 20
    door.knock(HOME, b"", 20.0, None)
    assert not door._rebuffed


def test_garbage_from_a_waiting_address_is_neither_answered_nor_believed() -> None:
    door = doorman()
    seed = answered(door.knock(HOME, REQUEST.encode(), 0.0, None)).seed
    for _ in range(MOST_GUESSES - 1):
        assert door.knock(HOME, b"\0\7garbage", 0.0, None) is None
    assert door.knock(ELSEWHERE, first_datagram(seed), 0.0, None) == Knock(OUT_OF_SESSION)
    admitted(door.knock(HOME, first_datagram(seed), 0.0, None))


def test_two_bytes_cannot_be_found_by_trying() -> None:
    door = doorman()
    seed = answered(door.knock(HOME, REQUEST.encode(), 0.0, None)).seed
    body = StatRequest(1).encode()
    right = Checksum(seed).sealed(body)
    for trailer in range(65_536):
        datagram = body + trailer.to_bytes(2, "big")
        if datagram != right:
            assert door.knock(HOME, datagram, 0.0, None) is None
    assert door.knock(HOME, right, 0.0, None) is None
    later = answered(door.knock(HOME, REQUEST.encode(), 6.0, None))
    assert later.seed != seed
    admitted(door.knock(HOME, first_datagram(later.seed), 6.0, None))


def test_a_request_at_the_address_of_a_session_leaves_it_alone() -> None:
    """A spoofed one kills nobody: only whoever reads the answer replaces the session."""
    door = doorman()
    live = session(door)
    new = REQUEST._replace(session_id=9)
    assert door.concerns(HOME, new.encode())
    seed = answered(door.knock(HOME, new.encode(), 1.0, live)).seed
    assert live.stream.state is State.CONNECTED
    ours = Checksum(live.stream.seed).sealed(KEEP_ALIVE)
    assert door.concerns(HOME, ours)
    for _ in range(2 * MOST_GUESSES):
        assert door.knock(HOME, ours, 1.0, live) is None
    assert door.knock(HOME, b"\0\x09\0\0garbage", 1.0, live) is None
    codec = admitted(door.knock(HOME, first_datagram(seed), 1.0, live))
    assert codec is not live
    assert codec.stream.session_id == 9
    assert not door.concerns(HOME, ours)


def test_what_fits_the_living_session_proves_no_other() -> None:
    """Two bytes: to one datagram of 65,536 it happens that both fit."""
    door = doorman()
    live = session(door)
    ours = Checksum(live.stream.seed).sealed(KEEP_ALIVE)
    twin = next(seed for seed in range(1, 1 << 20) if Checksum(seed).opened(ours) is not None)
    door._entropy = lambda size: twin.to_bytes(size, "big")
    assert answered(door.knock(HOME, REQUEST._replace(session_id=9).encode(), 1.0, live)).seed == twin
    assert door.knock(HOME, ours, 1.0, live) is None
    live.stream.close(Reason.APPLICATION)
    live.stream.outgoing(1.0)
    admitted(door.knock(HOME, ours, 1.0, live))


def test_the_sessions_own_request_is_the_sessions_business() -> None:
    door = doorman()
    live = session(door)
    assert door.knock(HOME, REQUEST.encode(), 1.0, live) is None
    assert door.half_open == 0
    live.stream.receive(REQUEST.encode(), 1.0)
    (answer,) = live.stream.outgoing(1.0)
    assert SessionResponse.decode(answer) == SessionResponse(0x11223344, live.stream.seed)


def test_a_session_that_is_over_does_not_keep_its_address() -> None:
    door = doorman()
    live = session(door)
    live.stream.close(Reason.APPLICATION)
    live.stream.outgoing(0.5)
    assert live.stream.state is State.DISCONNECT
    assert door.knock(HOME, b"\0\x09\0\0abc", 1.0, live) is None
    answered(door.knock(HOME, REQUEST.encode(), 1.0, live))
