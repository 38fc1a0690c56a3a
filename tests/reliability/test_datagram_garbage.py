"""Garbage, and requests in the name of those who never asked. R-12 and R-13 for EverQuest II."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
import trio

from protocol.endings import Ending
from protocol.eq2.stream.frames import KEEP_ALIVE, Checksum, Reason, SessionDisconnect, SessionRequest
from tests.kit.eq2_player import Eq2Player
from tests.kit.eq2_town import FAR, HOME, address_of, plays_on, settled, stream_of, warnings
from tests.kit.games import Witnesses
from tests.kit.strangers import REQUEST, Rogue, Tap, connection_at, first_words, own_door, strangers

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town

pytestmark = pytest.mark.timeout(180)


# garbage


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("zeros", [0, 1], ids=["any", "frames"])
async def test_r12_random_datagrams_of_strangers_get_no_answer(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, seed: int, zeros: int
) -> None:
    """10,000 of them, or as many that begin like a frame; one that asks for a session by chance is none."""
    player = Eq2Player(town)
    await settled(player)
    networks = [town.network("eq2", door) for door in ("login", "world")]
    taps = [Tap(network) for network in networks]
    dice = random.Random(seed)
    connections = len(town.doors.connections)
    for number, address in enumerate(strangers(10_000, seed)):
        data = bytes(zeros) + dice.randbytes(dice.randrange(600))
        if SessionRequest.decode(data) is None:
            networks[number % 2].put(data, address)
        if number % 500 == 0:
            await trio.sleep(0.1)
    await trio.sleep(1)
    known = address_of(player)
    assert [data for tap in taps for _, data, address in tap.went if address != known] == []
    assert len(town.doors.connections) == connections
    assert sum(town.doors.sockets["eq2", door].doorman.half_open for door in ("login", "world")) == 0
    await plays_on(player)
    assert warnings(caplog) == []


@pytest.mark.parametrize("zeros", [0, 1], ids=["any", "frames"])
async def test_r12_random_datagrams_with_a_live_address_do_its_session_no_harm(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, zeros: int
) -> None:
    """One of 65,536 has the right checksum by chance; that one is left out here."""
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    player = Eq2Player(town)
    address = await settled(player)
    connection = connection_at(town, address, "world")
    network = town.network("eq2", "world")
    checksum = Checksum(player.client.stream.seed)
    await trio.sleep(2)
    tap = Tap(network)
    statistics = stream_of(connection).statistics
    before, dice, sent = statistics.crc_errors, random.Random(12), 0
    while sent < 10_000:
        data = bytes(zeros) + dice.randbytes(dice.randrange(1, 600))
        if checksum.opened(data) is None and data[:2] not in (b"\0\1", b"\0\2", b"\0\x1d"):
            network.put(data, address)
            sent += 1
            if sent % 100 == 0:
                await trio.sleep(0.001)
    await trio.sleep(0.01)
    assert statistics.crc_errors - before == 10_000
    assert tap.went_to(address) == [], "no answer to any of them"
    assert connection.ending is None
    await plays_on(player)
    await witnesses.are_well()
    assert warnings(caplog) == []


@pytest.mark.parametrize("what", ["another id", "wrong checksum", "no checksum", "too short"])
async def test_r12_a_disconnect_that_is_not_the_sessions_is_ignored(
    town: Town, autojump_clock: MockClock, what: str
) -> None:
    player = Eq2Player(town)
    address = await settled(player)
    stream = player.client.stream
    goodbye = SessionDisconnect(stream.session_id, Reason.APPLICATION)
    mine, other = Checksum(stream.seed), Checksum(stream.seed ^ 1)
    datagram = {
        "another id": mine.sealed(goodbye._replace(session_id=stream.session_id ^ 1).encode()),
        "wrong checksum": other.sealed(goodbye.encode()),
        "no checksum": goodbye.encode(),
        "too short": mine.sealed(goodbye.encode()[:-3]),
    }[what]
    for _ in range(20):
        town.network("eq2", "world").put(datagram, address)
    await trio.sleep(5)
    await plays_on(player)


async def test_r12_a_stream_that_lost_its_key_ends_its_client_only(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Unreliable payloads that somebody made up are decrypted with the client's own keystream: from there on
    all it says is noise, which no handler may choke on."""
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    dice = random.Random(4)
    for number in range(12):
        player = Eq2Player(town)
        address = await settled(player)
        connection = connection_at(town, address, "world")
        noise = bytes((1 + number,)) + dice.randbytes(1 + 7 * number)
        town.network("eq2", "world").put(Checksum(player.client.stream.seed).sealed(noise), address)
        for _ in range(30):
            if connection.ending is not None:
                break
            await player.does(player.client.say_bytes("can anybody hear me?"), wait=0.2)
        # Noise may be any message, even the one that somebody wants to leave.
        assert connection.ending is not Ending.OUR_BUG, connection.detail
        player.leaves()
        await trio.sleep(25)
        assert not town.here("Anna")
    await witnesses.are_well()
    assert warnings(caplog) == []


# nothing for those who did not ask, and no more than they sent


@pytest.mark.parametrize("door", ["login", "world"])
async def test_r13_a_request_is_answered_once_and_nothing_is_repeated(
    town: Town, autojump_clock: MockClock, door: str
) -> None:
    network = town.network("eq2", door)
    tap = Tap(network)
    network.put(REQUEST.encode(), FAR)
    await trio.sleep(60)
    assert [(target, len(data)) for _, data, target in tap.went] == [(FAR, 21)]
    for n in range(40):
        network.put(REQUEST._replace(session_id=n).encode(), FAR)
        await trio.sleep(1.5)
    assert len(tap.went) <= 41, "one answer for a datagram"
    assert {len(data) for _, data, _ in tap.went} == {21}
    assert not town.doors.connections


async def test_r13_with_prove_first_less_goes_out_than_came_in_at_any_moment(
    town: Town, autojump_clock: MockClock
) -> None:
    """In all, and for each address alone, until it has proven itself."""
    network = own_door(town, "login", prove_first=True)
    tap = Tap(network)
    dice, crowd = random.Random(13), strangers(40)
    kinds = [REQUEST.encode(), REQUEST.encode(), b"\0\x15\0\1xy", b"\0\7", dice.randbytes(30)]
    for _ in range(1500):
        address = dice.choice(crowd)
        network.put(dice.choices(kinds, (20, 20, 2, 2, 1))[0], address)
        await trio.sleep(dice.choice((0.001, 0.05)))
        assert sum(map(len, tap.went_to(address))) <= sum(map(len, tap.came_from(address)))
    assert tap.bytes_out <= tap.bytes_in
    assert any(len(data) == 21 for _, data, _ in tap.went)
    await trio.sleep(60)
    assert not town.doors.connections
    # A client that repeats its request gets in.
    rogue = Rogue(network, HOME)
    rogue.stream.connect(trio.current_time())
    town.nursery.start_soon(rogue.behaves)
    await trio.sleep(3)
    assert rogue.stream.keyed


async def test_r13_by_default_30_short_answers_a_second_are_more_than_came_in(
    town: Town, autojump_clock: MockClock
) -> None:
    network = own_door(town, "login", new_sessions_per_second=10_000, half_open=100_000)
    tap = Tap(network)
    crowd = strangers(8000)
    for number, address in enumerate(crowd):
        network.put(REQUEST.encode(), address)
        if number % 8 == 7:
            await trio.sleep(0.01)
    await trio.sleep(60)
    assert tap.bytes_out <= tap.bytes_in + (10 + 2) * 30 * 21
    assert len(tap.went) <= len(crowd)


async def test_r13_a_session_that_is_proven_and_left_costs_little_more_than_its_handshake(
    town: Town, autojump_clock: MockClock
) -> None:
    """Whoever read the answer gets a question, some times, until nobody seems to be there."""
    network = town.network("eq2", "login")
    tap = Tap(network)
    rogue = Rogue(network, HOME)
    await rogue.proves_itself()
    connection = connection_at(town, HOME)
    await trio.sleep(60)
    assert connection.ending is Ending.CONNECTION_LOST
    assert tap.bytes_out < 600
    assert max(event for event, _, _ in tap.went) < 12


async def test_r13_two_doors_do_not_answer_each_other(town: Town, autojump_clock: MockClock) -> None:
    """Whoever writes the address of one door on what comes to the other sets nothing going."""
    network, other = town.network("eq2", "login"), town.network("eq2", "world")
    tap, theirs = Tap(network), Tap(other)
    here, there = ("127.0.0.1", 9100), ("127.0.0.1", 9001)
    carry = {id(network): (other, here), id(other): (network, there)}
    for data in (REQUEST.encode(), first_words(1), Checksum(1).sealed(b"\0\x15\0\1"), b"\0\x1d", KEEP_ALIVE):
        for _ in range(3):
            network.put(data, there)
            for _ in range(10):
                await trio.sleep(0.2)
                for wire in (network, other):
                    answers, wire.to_nobody[:] = wire.to_nobody[:], []
                    target, source = carry[id(wire)]
                    for answer, _ in answers:
                        target.put(answer, source)
    assert len(tap.went) <= 9
    assert theirs.went == []
    assert not town.doors.connections
