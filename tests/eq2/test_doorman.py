"""Who is met without a session: proof, amplification, floods, somebody else's address."""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.eq2.doorman import (
    HALF_OPEN_SECONDS,
    MOST_CREDIT,
    MOST_GUESSES,
    MOST_SUSPECTED,
    Eq2Doorman,
)
from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.combining import combine
from protocol.eq2.stream.frames import (
    KEEP_ALIVE,
    OUT_OF_SESSION,
    Checksum,
    Reason,
    SessionDisconnect,
    SessionRequest,
    SessionResponse,
    StatRequest,
    StatResponse,
    respond,
)
from protocol.eq2.stream.states import State
from protocol.family import Knock
from protocol.wire.args import CodecArgs, Role

if TYPE_CHECKING:
    from protocol.eq2.doorman import StreamingCodec
    from protocol.family import Address

HOME: Address = ("192.0.2.7", 40_000)
ELSEWHERE: Address = ("198.51.100.9", 40_000)
REQUEST = SessionRequest(3, 0x11223344, 512)


class Talker:
    """As much of a codec as a doorman asks for."""

    def __init__(self, args: CodecArgs) -> None:
        self.stream = EqStream(args.role, args.entropy, StreamSettings.from_table(args.settings))


def doorman(**settings: object) -> Eq2Doorman:
    args = CodecArgs(Role.SERVER, random.Random(1).randbytes, settings)
    return Eq2Doorman(args, lambda: cast("StreamingCodec", Talker(args)))


def strangers(count: int) -> list[Address]:
    return [(f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}", 1024 + n % 60_000) for n in range(count)]


def answered(knock: Knock | None) -> SessionResponse:
    assert knock is not None
    assert knock.codec is None
    response = SessionResponse.decode(knock.reply)
    assert response is not None
    return response


def admitted(knock: Knock | None) -> StreamingCodec:
    assert knock is not None
    assert not knock.reply
    assert knock.codec is not None
    return cast("StreamingCodec", knock.codec)


def first_datagram(seed: int) -> bytes:
    return Checksum(seed).sealed(StatRequest(1).encode())


def session(door: Eq2Doorman, address: Address = HOME, now: float = 0.0) -> StreamingCodec:
    response = answered(door.knock(address, REQUEST.encode(), now, None))
    return admitted(door.knock(address, first_datagram(response.seed), now, None))


def test_a_session_begins_with_the_datagram_that_proves_it() -> None:
    door = doorman()
    response = answered(door.knock(HOME, REQUEST.encode(), 0.0, None))
    assert response == SessionResponse(0x11223344, response.seed)
    assert response.seed
    assert door.half_open == 1
    assert door.concerns(HOME, b"\0\7whatever")
    first = first_datagram(response.seed)
    codec = admitted(door.knock(HOME, first, 0.1, None))
    assert door.half_open == 0
    assert not door.concerns(HOME, b"\0\7whatever")
    stream = codec.stream
    assert (stream.state, stream.session_id, stream.seed) == (State.CONNECTED, 0x11223344, response.seed)
    stream.receive(first, 0.1)
    assert stream.pending
    (datagram,) = stream.outgoing(0.1)
    assert Checksum(response.seed).opened(datagram) is not None


def test_a_repeated_request_gets_the_same_answer() -> None:
    door = doorman()
    answers = {cast("Knock", door.knock(HOME, REQUEST.encode(), 0.1 * at, None)).reply for at in range(20)}
    assert len(answers) == 1
    assert door.half_open == 1


def test_with_another_id_the_seed_stays_so_that_nobody_can_spoil_it() -> None:
    door = doorman()
    seed = answered(door.knock(HOME, REQUEST.encode(), 0.0, None)).seed
    again = answered(door.knock(HOME, REQUEST._replace(session_id=5).encode(), 0.0, None))
    assert again == SessionResponse(5, seed)
    assert door.half_open == 1
    assert admitted(door.knock(HOME, first_datagram(seed), 0.0, None)).stream.session_id == 5


def test_the_seeds_of_two_addresses_differ() -> None:
    door = doorman()
    seeds = {answered(door.knock(at, REQUEST.encode(), 0.0, None)).seed for at in strangers(20)}
    assert len(seeds) == 20


def test_nobody_waits_longer_than_five_seconds() -> None:
    door = doorman()
    seed = answered(door.knock(HOME, REQUEST.encode(), 0.0, None)).seed
    answered(door.knock(HOME, REQUEST.encode(), HALF_OPEN_SECONDS - 0.1, None))  # does not prolong it
    assert door.knock(HOME, first_datagram(seed), HALF_OPEN_SECONDS, None) in (None, Knock(OUT_OF_SESSION))
    assert door.half_open == 0


@pytest.mark.parametrize("wrong", [b"", b"\0\1", REQUEST.encode()[:-1], REQUEST.encode() + b"\0"])
def test_what_is_no_request(wrong: bytes) -> None:
    door = doorman()
    assert door.knock(HOME, wrong, 0.0, None) is None
    assert door.half_open == 0


@pytest.mark.parametrize("prove_first", [False, True])
def test_a_client_comes_in(prove_first: bool) -> None:
    """With `prove_first` at its second request, a second later."""
    door = doorman(prove_first=prove_first)
    client = EqStream(Role.CLIENT, random.Random(2).randbytes, StreamSettings())
    client.connect(0.0)
    client.send_many([b"\0hello"])
    server: EqStream | None = None
    now = 0.0
    while server is None or not server.keyed:
        for datagram in client.outgoing(now):
            if server is None:
                knock = door.knock(HOME, datagram, now, None)
                if knock is None:
                    continue
                if knock.codec is None:
                    client.receive(knock.reply, now)
                    continue
                server = admitted(knock).stream
            server.receive(datagram, now)
        for datagram in server.outgoing(now) if server is not None else ():
            client.receive(datagram, now)
        if not client.pending:
            now += 0.1
            client.expire(now)
        assert now < 3
    for datagram in client.outgoing(now):
        server.receive(datagram, now)
    assert server.next_message() == b"\0hello"
    assert (now >= 1) == prove_first
    assert client.session_id == server.session_id
    assert client.statistics.packets_out == server.statistics.packets_in + prove_first


# garbage, and somebody else


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


# amplification


def test_who_never_proves_itself_gets_one_answer_for_each_request_and_nothing_by_itself() -> None:
    door = doorman()
    answered(door.knock(HOME, REQUEST.encode(), 0.0, None))
    for second in range(1, 61):
        # Time alone makes nothing come: nobody but `knock` answers. Others keep the clock going.
        knock = door.knock(ELSEWHERE, b"", float(second), None)
        assert knock is None
    assert door.half_open == 0


def volume(door: Eq2Doorman, addresses: list[Address], seconds: float) -> tuple[int, int, int]:
    """Bytes in, bytes out and answers while all of them ask twice, spread over the time."""
    in_, out, answers = 0, 0, 0
    for number, address in enumerate(addresses):
        for turn in (0, 1):
            now = seconds * (2 * number + turn) / (2 * len(addresses))
            in_ += len(REQUEST.encode())
            knock = door.knock(address, REQUEST.encode(), now, None)
            if knock is not None:
                assert knock.codec is None
                out += len(knock.reply)
                answers += 1
    return in_, out, answers


def test_with_prove_first_never_more_goes_out_than_came_in() -> None:
    door = doorman(prove_first=True)
    request = REQUEST.encode()
    assert door.knock(HOME, request, 0.0, None) is None
    answer = answered(door.knock(HOME, request, 1.0, None))
    assert door.knock(HOME, request, 1.1, None) == Knock(respond(REQUEST, answer.seed, StreamSettings()))
    assert door.knock(HOME, request, 1.2, None) is None
    admitted(door.knock(HOME, first_datagram(answer.seed), 1.3, None))
    in_, out, answers = volume(doorman(prove_first=True), strangers(300), 20.0)
    assert answers == 300
    assert out <= in_


def test_with_prove_first_each_address_pays_for_itself() -> None:
    door = doorman(prove_first=True)
    in_ = out = 0
    for at in range(100):
        in_ += len(REQUEST.encode())
        knock = door.knock(HOME, REQUEST.encode(), 0.01 * at, None)
        out += len(knock.reply) if knock is not None else 0
        assert out <= in_
    assert out > in_ - 42


def test_an_answer_that_was_not_given_proves_nothing() -> None:
    door = doorman(prove_first=True)
    assert door.knock(HOME, REQUEST.encode(), 0.0, None) is None
    seed = door._half_open[HOME].seed
    assert door.knock(HOME, first_datagram(seed), 0.0, None) is None


def test_without_prove_first_30_answers_a_second_are_more_than_came_in() -> None:
    in_, out, _ = volume(doorman(new_sessions_per_second=1000, half_open=100_000), strangers(3000), 10.0)
    assert out <= in_ + (10 + 1) * 30 * 21


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([0, 1, 2]), st.floats(0, 0.5)), min_size=1, max_size=60
    )
)
def test_never_more_out_than_in(knocks: list[tuple[int, int, float]]) -> None:
    door = doorman(prove_first=True)
    kinds = (REQUEST.encode(), REQUEST._replace(session_id=1).encode(), b"\0\x09\0\0")
    now, in_, out = 0.0, 0, 0
    for who, kind, pause in knocks:
        now += pause
        in_ += len(kinds[kind])
        knock = door.knock((f"192.0.2.{who}", 1), kinds[kind], now, None)
        out += len(knock.reply) if knock is not None else 0
        assert out <= in_


# floods


def test_a_flood_of_spoofed_requests() -> None:
    """50,000 in ten seconds: bounded memory, bounded answers, and somebody who plays notices nothing."""
    door = doorman()
    live = session(door, ELSEWHERE)
    ours = Checksum(live.stream.seed).sealed(KEEP_ALIVE)
    answers = 0
    most = 0
    for number, address in enumerate(strangers(50_000)):
        now = number / 5000
        knock = door.knock(address, REQUEST.encode(), now, None)
        if knock is not None:
            assert knock.codec is None
            answers += 1
        most = max(most, door.half_open)
        if number % 500 == 0:
            assert not door.concerns(ELSEWHERE, ours)
            live.stream.receive(ours, now)
    assert answers <= 30 + 10 * 30
    assert most <= 256
    assert len(door._rebuffed) == 0
    assert door._credit <= MOST_CREDIT
    assert live.stream.statistics.crc_errors == 0
    assert sys.getsizeof(door._half_open) < 100_000
    door.knock(HOME, b"", 100.0, None)
    assert door.half_open == 0


def test_half_open_sessions_have_a_limit_of_their_own() -> None:
    door = doorman(new_sessions_per_second=10_000, half_open=7)
    for address in strangers(100):
        door.knock(address, REQUEST.encode(), 0.0, None)
    assert door.half_open == 7
    answered(door.knock(strangers(1)[0], REQUEST.encode(), 0.0, None))


def test_the_rate_of_new_sessions_has_a_limit_of_its_own() -> None:
    door = doorman(new_sessions_per_second=5)
    answers = [door.knock(address, REQUEST.encode(), 0.0, None) for address in strangers(20)]
    assert sum(knock is not None for knock in answers) == 5
    assert door.knock(HOME, REQUEST.encode(), 0.1, None) is None
    answered(door.knock(HOME, REQUEST.encode(), 0.2, None))


@pytest.mark.parametrize(
    ("key", "value"),
    [("half_open", 0), ("half_open", "many"), ("new_sessions_per_second", -1), ("half_open", True)],
)
def test_settings_that_cannot_be(key: str, value: object) -> None:
    with pytest.raises(ValueError, match=key):
        doorman(**{key: value})


def test_without_checksums_nobody_could_prove_anything() -> None:
    with pytest.raises(ValueError, match=r"2 or 4 bytes|crc_length"):
        doorman(crc_length=0)
