"""Whose datagrams they are: recordings that are played again, and what is said in somebody else's name. R-06
and R-15 for EverQuest II; the doorman alone is in tests/eq2/test_doorman*.py."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
import trio

from protocol.endings import Ending
from protocol.eq2.stream.frames import KEEP_ALIVE, OUT_OF_SESSION, Checksum, Reason, SessionDisconnect
from tests.kit.eq2_player import Eq2Player
from tests.kit.eq2_town import FAR, HOME, a_rogue, ending_of, plays_on, settled, warnings
from tests.kit.strangers import REQUEST, Tap, answered_seed, connection_at, first_words
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio.testing import MockClock

    from protocol.family import Address
    from tests.kit.town import Town

pytestmark = pytest.mark.timeout(180)


# the same again


async def test_r06_every_datagram_twice_and_an_old_one_again_change_nothing(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    town = easy_town
    networks = town.network("eq2", "login"), town.network("eq2", "world")
    taps = [Tap(network) for network in networks]
    for network in networks:
        put = network.put

        def twice(data: bytes, address: Address, put: Callable[[bytes, Address], None] = put) -> None:
            put(data, address)
            put(data, address)

        network.put = twice  # type: ignore[method-assign] # of this one
    player = Eq2Player(town)
    address = await settled(player)
    mobile = town.mobile("Anna")
    said = "once and no more"
    await player.does(player.client.say_bytes(said))
    assert player.client.lines().count(said) == 1
    await player.walks(2)
    place = mobile.x, mobile.y
    recorded = [data for data in taps[1].came_from(address) if data[0] == 0]
    assert len(recorded) > 10
    for data in recorded:
        networks[1].put(data, address)
        await trio.sleep(0.01)
    await trio.sleep(1)
    assert player.client.lines().count(said) == 1
    assert (mobile.x, mobile.y) == place
    await plays_on(player)
    assert warnings(caplog) == []


async def test_r06_somebody_elses_recording_lets_nobody_in(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """From the recorded address and from another, while its session lives and afterwards."""
    town = easy_town
    taps = {door: Tap(town.network("eq2", door)) for door in ("login", "world")}
    player = Eq2Player(town)
    await settled(player)
    recordings = {door: list(tap.came) for door, tap in taps.items()}
    for alive in (True, False):
        if not alive:
            player.leaves()
            await trio.sleep(15)
            assert not town.here("Anna")
        before = len(town.doors.connections)
        for door, recording in recordings.items():
            for address in {FAR, *(source for _, _, source in recording)}:
                for _, data, _ in recording:
                    town.network("eq2", door).put(data, address)
                    await trio.sleep(0.02)
        assert len(town.doors.connections) == before
        assert town.here("Anna") is alive
    assert warnings(caplog) == []


# somebody else's session


async def test_r15_what_a_session_sends_counts_from_its_own_address_only(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    town.change("limits", exempt=("127.0.0.0/8",))
    player = Eq2Player(town)
    address = await settled(player)
    stream, network = player.client.stream, town.network("eq2", "world")
    tap, connections = Tap(network), len(town.doors.connections)
    checksum, word = Checksum(stream.seed), "this was never said"
    numbered = b"\0\x09" + (stream._sender._next_sequence & 0xFFFF).to_bytes(2, "big")
    for source in (FAR, (address[0], address[1] + 1), ("192.0.2.1", address[1])):
        for datagram in (
            checksum.sealed(KEEP_ALIVE),
            checksum.sealed(SessionDisconnect(stream.session_id, Reason.APPLICATION).encode()),
            checksum.sealed(numbered + word.encode()),
            OUT_OF_SESSION,
        ):
            network.put(datagram, source)
            await trio.sleep(1.1)
    assert {data for _, data, target in tap.went if target != address} <= {OUT_OF_SESSION}
    assert len(town.doors.connections) == connections
    assert word not in player.client.lines()
    await plays_on(player)
    assert warnings(caplog) == []


async def test_r15_a_request_in_somebodys_name_kills_nobody(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever else follows that does not prove that its answer was read."""
    town.change("limits", exempt=("127.0.0.0/8",))
    player = Eq2Player(town)
    address = await settled(player)
    connection, network = connection_at(town, address, "world"), town.network("eq2", "world")
    checksum, dice = Checksum(player.client.stream.seed), random.Random(15)
    for number in range(60):
        network.put(REQUEST._replace(session_id=number).encode(), address)
        for _ in range(20):
            guess = dice.randbytes(1 + dice.randrange(50))
            if checksum.opened(guess) is None:
                network.put(guess, address)
        await trio.sleep(0.5)
    assert connection.ending is None
    assert connection_at(town, address, "world") is connection
    await plays_on(player)
    assert warnings(caplog) == []


async def test_r15_the_words_of_a_session_do_not_prove_another_at_its_address(
    town: Town, autojump_clock: MockClock
) -> None:
    """What fits the living session is its own, even if it fits the one that somebody asks for as well: with
    two bytes that happens to one datagram of 65,536."""
    player = Eq2Player(town)
    address = await settled(player)
    connection, network = connection_at(town, address, "world"), town.network("eq2", "world")
    ours = Checksum(player.client.stream.seed).sealed(KEEP_ALIVE)
    twin = next(seed for seed in range(1, 1 << 20) if Checksum(seed).opened(ours) is not None)
    doorman = town.doors.sockets["eq2", "world"].doorman
    doorman._entropy = lambda size: twin.to_bytes(size, "big")  # type: ignore[attr-defined] # of EQ2's
    network.put(REQUEST.encode(), address)
    await trio.sleep(0.1)
    assert doorman.half_open == 1
    for _ in range(20):
        network.put(ours, address)
        await trio.sleep(0.01)
    assert connection.ending is None
    await plays_on(player)


async def test_r15_the_word_that_there_is_no_session_is_believed_of_somebody_who_is_silent(
    town: Town, autojump_clock: MockClock
) -> None:
    rogue, connection = await a_rogue(town)
    rogue.stops()
    began = trio.current_time()
    rogue.sends(OUT_OF_SESSION)
    town.change("limits", handshake_seconds=600.0)
    assert await ending_of(connection, 100) is Ending.CLIENT_LEFT
    assert trio.current_time() - began <= 12


@pytest.mark.parametrize("times", [1, 50])
async def test_r15_the_word_that_there_is_no_session_is_not_believed_of_somebody_who_speaks(
    town: Town, autojump_clock: MockClock, times: int
) -> None:
    """1D carries no checksum: anybody could say it in anybody's name."""
    player = Eq2Player(town)
    address = await settled(player)
    town.mobile("Anna").access = Access.COUNSELOR  # who speaks as much as it likes
    network = town.network("eq2", "world")
    for _ in range(times):
        network.put(OUT_OF_SESSION, address)
        await plays_on(player)


async def test_r15_who_begins_anew_replaces_its_session_when_it_has_proven_itself(
    town: Town, autojump_clock: MockClock
) -> None:
    rogue, connection = await a_rogue(town)
    rogue.stops()
    network = town.network("eq2", "login")
    network.put(REQUEST.encode(), HOME)
    await trio.sleep(0.2)
    assert connection.ending is None
    (answer,) = [data for data in rogue.receives() if data[:2] == b"\0\2"]
    network.put(first_words(answered_seed(answer) ^ 1), HOME)
    await trio.sleep(0.2)
    assert connection.ending is None
    network.put(first_words(answered_seed(answer)), HOME)
    assert await ending_of(connection, 0.5) is not None
    assert "began anew" in connection.detail
    assert connection_at(town, HOME) is not connection
