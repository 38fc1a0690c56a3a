"""Who is met without a session: amplification and floods (R-13, R-14)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from protocol.eq2.doorman import MOST_CREDIT, Eq2Doorman
from protocol.eq2.stream import StreamSettings
from protocol.eq2.stream.frames import KEEP_ALIVE, Checksum, respond
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

if TYPE_CHECKING:
    from protocol.family import Address

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
