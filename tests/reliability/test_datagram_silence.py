"""Too slow to begin, nobody there, or nobody who listens. R-18, R-19 and R-20 for EverQuest II; R-19 over
real sockets is in `test_datagram_floods`."""

from __future__ import annotations

import random
import tracemalloc
from typing import TYPE_CHECKING

import pytest
import trio

from protocol.endings import Ending
from protocol.eq2 import packets as eq2
from protocol.eq2.stream.frames import KEEP_ALIVE, Reason
from protocol.eq2.stream.settings import UNACKNOWLEDGED_BYTES
from protocol.wire.body import Body
from tests.kit.eq2_player import Eq2Player, newest_version
from tests.kit.eq2_town import HOME, MIB, a_rogue, address_of, ending_of, settled, stream_of
from tests.kit.games import Witnesses
from tests.kit.players import PASSWORD
from tests.kit.strangers import Rogue, Tap, connection_at, reasons

if TYPE_CHECKING:
    from trio.testing import MockClock

    from server.net.connection import Connection
    from tests.kit.town import Town

pytestmark = pytest.mark.timeout(180)


# too slow to begin


async def test_r18_a_login_that_takes_long_is_acknowledged_at_once(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that hears nothing would send it again and again, and give up."""
    rogue, connection = await a_rogue(town)

    async def login(*_: object) -> None:
        await trio.sleep(60)

    monkeypatch.setattr(type(town.app.accounts), "login", login)
    rogue.says(newest_version().encode(eq2.LoginRequest(user="anna", password=PASSWORD, version=546)))
    await trio.sleep(0.1)
    assert rogue.stream.settled
    await trio.sleep(30)
    assert connection.ending is None
    assert rogue.stream.statistics.retransmissions == 0


async def test_r18_a_session_without_a_key_ends_20_seconds_after_it_began(
    town: Town, autojump_clock: MockClock
) -> None:
    """Whatever it says meanwhile, and it hears why."""
    rogue = Rogue(town.network("eq2", "login"), HOME)
    await rogue.proves_itself()
    connection, began = connection_at(town, HOME), trio.current_time()
    town.nursery.start_soon(_acknowledges_everything, rogue)
    while connection.ending is None:
        rogue.frame(KEEP_ALIVE)
        await trio.sleep(4)
    assert connection.ending is Ending.TIMED_OUT
    assert trio.current_time() - began <= town.settings.limits.handshake_seconds + 5
    assert rogue.reasons == [Reason.TIMEOUT]


async def _acknowledges_everything(rogue: Rogue) -> None:
    """Whatever number it has."""
    while True:
        rogue.frame(b"\0\x15\0\0")
        await trio.sleep(1)


@pytest.mark.parametrize("door", ["login", "world"])
async def test_r18_a_session_with_a_key_that_says_nothing_is_no_handshake(
    town: Town, autojump_clock: MockClock, door: str
) -> None:
    rogue, connection = await a_rogue(town, door=door)
    began = trio.current_time()
    assert await ending_of(connection, 100) is Ending.TIMED_OUT
    assert "handshake" in connection.detail
    assert trio.current_time() - began <= town.settings.limits.handshake_seconds + 2
    await trio.sleep(1)
    assert rogue.reasons == [Reason.TIMEOUT]


async def test_r18_who_stays_at_the_list_of_characters_has_ten_minutes(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("limits", exempt=("127.0.0.0/8",))
    player = Eq2Player(town)
    await player.logs_in("anna")
    connection, tap = connection_at(town, address_of(player)), Tap(town.network("eq2", "login"))
    address, seed = address_of(player), player.client.stream.seed
    await trio.sleep(town.settings.limits.login_seconds - 10)
    assert connection.ending is None
    assert await ending_of(connection, 15) is Ending.TIMED_OUT
    await trio.sleep(3)
    assert reasons(tap.went_to(address), seed) == [Reason.TIMEOUT]
    assert player.gone


# nobody there, or nobody who listens


async def test_r19_a_peer_that_swallows_everything_is_missed_in_ten_seconds(
    easy_town: Town, autojump_clock: MockClock
) -> None:
    """There is something that it does not acknowledge, for others move about."""
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    player = Eq2Player(town)
    address = await settled(player)
    connection, tap = connection_at(town, address, "world"), Tap(town.network("eq2", "world"))
    player.vanishes()
    began = trio.current_time()
    while connection.ending is None:
        await witnesses.are_well()
    assert connection.ending is Ending.CONNECTION_LOST
    assert trio.current_time() - began < 25
    await trio.sleep(0.1)  # it has ended; its goodbye is a matter of its own task
    assert set(reasons(tap.went_to(address), player.client.stream.seed)) == {Reason.UNACKNOWLEDGED_TIMEOUT}
    await trio.sleep(town.settings.limits.linger_seconds + 1)
    assert not town.here("Anna")
    await witnesses.are_well()


async def test_r19_a_peer_that_acknowledges_nothing_is_told_the_end_all_the_same(
    town: Town, autojump_clock: MockClock
) -> None:
    rogue, connection = await a_rogue(town)
    rogue.stops()
    connection.session.queue(Body(b"\6something to acknowledge"))
    connection.end(Ending.KICKED, "for the test")
    await trio.sleep(4)
    assert rogue.reasons == [Reason.APPLICATION]
    assert not town.doors.connections


async def test_r19_a_peer_that_is_silent_is_missed_in_45_seconds(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("limits", handshake_seconds=600.0)
    rogue, connection = await a_rogue(town)
    rogue.stops()
    began = trio.current_time()
    assert await ending_of(connection, 100) is Ending.CONNECTION_LOST
    assert trio.current_time() - began <= 47
    assert rogue.reasons == [Reason.TIMEOUT]


@pytest.mark.parametrize("way", ["nothing", "the same", "garbage"])
async def test_r20_a_peer_that_speaks_and_never_acknowledges_is_cut_off(
    easy_town: Town, autojump_clock: MockClock, way: str
) -> None:
    """It keeps alive, and says at most what it said before."""
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    player = Eq2Player(town)
    await settled(player)
    rogue = Rogue.instead_of(player)
    connection = connection_at(town, rogue.address, "world")
    last = (rogue.stream._receiver.newest).to_bytes(2, "big")
    began = trio.current_time()
    town.nursery.start_soon(_walks_about, town, witnesses)
    while connection.ending is None:
        rogue.frame({"nothing": KEEP_ALIVE, "the same": b"\0\x15" + last, "garbage": b"\0\x15\x40\0"}[way])
        assert town.app.loop.stats.last_lateness < 0.001
        await trio.sleep(0.5)
    assert connection.ending is Ending.CONNECTION_LOST
    assert trio.current_time() - began < 40
    await trio.sleep(1)
    assert rogue.reasons == [Reason.UNACKNOWLEDGED_TIMEOUT]
    await trio.sleep(town.settings.limits.linger_seconds + 1)
    assert not town.here("Anna")
    await witnesses.are_well()


async def _walks_about(town: Town, witnesses: Witnesses) -> None:
    """So that there is always something to tell."""
    for number in range(200):
        for game, player, _ in witnesses.players:
            if not player.gone:
                await player.end.send_all(game.steps_to(player, (2, 6)[number % 2]))
        await trio.sleep(0.7)


def _chat(seed: int) -> Body:
    """A line of 400 letters that no deflate makes shorter by much."""
    text = random.Random(seed).randbytes(400).decode("latin-1").replace("\0", "?")
    return Body(newest_version().encode(eq2.DisplayText(channel=0, text=text)))


async def is_cut_off_as_too_slow(town: Town, rogue: Rogue, connection: Connection) -> None:
    """The server says so, and its character leaves the world."""
    assert connection.ending is Ending.TOO_SLOW, connection.detail
    await trio.sleep(1)
    assert rogue.reasons == [Reason.RELIABLE_OVERFLOW]
    await trio.sleep(town.settings.limits.linger_seconds + 1)
    assert not town.here("Anna")


async def test_r20_a_peer_that_takes_a_little_now_and_then_is_too_slow(
    easy_town: Town, autojump_clock: MockClock
) -> None:
    """It acknowledges one packet a second while there is far more to tell."""
    town = easy_town
    town.change("network", hard_limit_kib=64, drop_packets=False)
    witnesses = Witnesses(town)
    await witnesses.enter()
    player = Eq2Player(town)
    await settled(player)
    rogue = Rogue.instead_of(player)
    connection = connection_at(town, rogue.address, "world")
    sender, waiting = stream_of(connection)._sender, 0
    tracemalloc.start()
    try:
        for turn in range(600):
            if connection.ending is not None:
                break
            if turn % 5 == 0:
                rogue.frame(b"\0\x15" + (sender._oldest & 0xFFFF).to_bytes(2, "big"))
            connection.session.queue(*map(_chat, range(8)))
            connection.flush()
            backlog = sum(len(m.raw) for m in connection.session.outbox if isinstance(m, Body))
            waiting = max(waiting, sender.held + backlog)
            assert town.app.loop.stats.last_lateness < 0.001
            await trio.sleep(0.2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert waiting < 128 * 1024, "the limit, what is in flight, and what one turn may add"
    assert peak < 2 * MIB
    await is_cut_off_as_too_slow(town, rogue, connection)
    await witnesses.are_well()


async def test_r20_more_at_once_than_may_wait_for_anybody_is_too_much(
    easy_town: Town, autojump_clock: MockClock
) -> None:
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    player = Eq2Player(town)
    await settled(player)
    rogue = Rogue.instead_of(player)
    connection = connection_at(town, rogue.address, "world")
    await trio.sleep(1)
    assert connection.ending is None
    connection.session.queue(*[_chat(number % 50) for number in range(1 + UNACKNOWLEDGED_BYTES // 400)])
    connection.flush()
    await is_cut_off_as_too_slow(town, rogue, connection)
    assert "wait for acknowledgement" in connection.detail
    await witnesses.are_well()
