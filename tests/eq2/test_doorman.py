"""Who is met without a session: how it proves itself and comes in."""

from __future__ import annotations

import random
from typing import cast

import pytest

from protocol.eq2.doorman import HALF_OPEN_SECONDS
from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.frames import OUT_OF_SESSION, Checksum, SessionResponse
from protocol.eq2.stream.states import State
from protocol.family import Knock
from protocol.wire.args import Role
from tests.kit.eq2_doorman import HOME, REQUEST, admitted, answered, doorman, first_datagram, strangers


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
