"""Too many and too often: requests from nowhere, sessions of one address and of all. R-14, R-21 and R-23 for
EverQuest II, R-14 over real sockets as well, and R-19 with it."""

from __future__ import annotations

import contextlib
import gc
import logging
import random
import socket
import tracemalloc
from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import MockClock

from protocol.eq2.stream.frames import Checksum, Reason, SessionDisconnect
from tests.kit.eq2_actor import Eq2Actor
from tests.kit.eq2_player import Eq2Player
from tests.kit.eq2_town import FAR, MIB, sessions_kept, settled
from tests.kit.games import Witnesses
from tests.kit.process import ServerProcess
from tests.kit.sockets import Ports
from tests.kit.strangers import REQUEST, answered_seed, first_words, strangers
from tests.kit.town import Town
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from protocol.family import Address

pytestmark = pytest.mark.timeout(180)


# a flood of sessions that are none


def latencies(*, flooded: bool) -> tuple[list[float], list[int]]:
    """How long somebody who plays waits for each answer, in virtual time, and what the flood found: bytes
    that were allocated, half open sessions, answers, newcomers during it and after it."""
    waited: list[float] = []
    found: list[int] = []

    async def floods(town: Town) -> None:
        networks = [town.network("eq2", door) for door in ("login", "world")]
        doormen = [town.doors.sockets["eq2", door].doorman for door in ("login", "world")]
        most, crowd = 0, strangers(50_000)
        tracemalloc.start()
        for number, address in enumerate(crowd):
            networks[number % 2].put(REQUEST._replace(session_id=number).encode(), address)
            if number % 50 == 49:
                await trio.sleep(0.01)
                most = max(most, *(doorman.half_open for doorman in doormen))
        for network in networks:
            found.append(sum(len(data) == 21 for data, _ in network.to_nobody))
            network.to_nobody.clear()
        gc.collect()
        found.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        found.append(most)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            town = Town(nursery, seed=14)
            await town.open()
            player = Eq2Player(town)
            await settled(player)
            town.mobile("Anna").access = Access.COUNSELOR  # who speaks as much as it likes
            async with trio.open_nursery() as both:
                if flooded:
                    both.start_soon(floods, town)
                for number in range(60):
                    began, word = trio.current_time(), f"word {number}"
                    await player.end.send_all(player.client.say_bytes(word))
                    assert await player.until(lambda word=word: word in player.client.lines(), 5)  # type: ignore[misc]
                    waited.append(round(trio.current_time() - began, 6))
                    await trio.sleep(0.15)
            await trio.sleep(6)
            for door in ("login", "world"):
                town.network("eq2", door).put(b"", FAR)  # the doorman has no clock but what comes
                await trio.sleep(0.1)
                assert town.doors.sockets["eq2", door].doorman.half_open == 0
            assert len(town.doors.connections) == 1
            assert player.client.faults == []
            late = Eq2Player(town)
            await late.enters("berta", "Berta")
            assert town.here("Berta")
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    return waited, found


def test_r14_fifty_thousand_requests_from_nowhere_disturb_nobody_who_plays() -> None:
    calm, _ = latencies(flooded=False)
    waited, (at_login, at_world, memory, half_open) = latencies(flooded=True)
    assert waited == calm
    assert max(waited) < 0.2
    assert half_open <= 256
    # 10 s of flood: so many are admitted to the handshake, and no more answered.
    assert at_login <= 30 * 12
    assert at_world <= 30 * 12
    assert memory < 12 * MIB, "most of it the addresses of the flood itself"


# too many, too often


async def enters_the_hall(town: Town, addresses: list[Address], door: str = "login") -> int:
    """Sessions from all of these addresses, 25 a second; how many of them were let in."""
    network, before = town.network("eq2", door), len(town.doors.connections)
    most = before
    for address in addresses:
        end = network.client(address)
        network.put(REQUEST.encode(), address)
        await trio.sleep(0.04)
        answer = end.receive_nowait()
        if answer is not None:
            network.put(first_words(answered_seed(answer)), address)
        await trio.sleep(0.001)
        end.close()
        most = max(most, len(town.doors.connections))
    return most - before


async def test_r21_an_address_has_its_share_of_sessions_and_no_more(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    town.change("limits", connects_per_10s=1000, accounts_per_address_per_day=100)
    witnesses = Witnesses(town)
    await witnesses.enter()
    crowd = [("203.0.113.5", 1024 + n) for n in range(60)]
    assert await enters_the_hall(town, crowd) == town.settings.limits.connections_per_address
    assert "10 connections from one address" in caplog.text
    socket_ = town.doors.sockets["eq2", "login"]
    assert len(socket_.peers) == 10, "nothing is kept of the others"
    assert socket_.counters.refused == 50
    late = Eq2Player(town)
    await late.enters("berta", "Berta")
    assert town.here("Berta")
    await witnesses.are_well()
    await trio.sleep(30)
    assert await enters_the_hall(town, crowd[20:40]) == 10, "and again, when the first have gone"


async def test_r21_all_addresses_together_have_their_share(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    witnesses = Witnesses(town)
    await witnesses.enter()
    town.change("limits", connections=50)
    room = 50 - len(town.doors.connections)
    assert await enters_the_hall(town, strangers(150)) == room
    assert "50 connections are open" in caplog.text
    await witnesses.are_well()
    await trio.sleep(30)
    assert len(town.doors.connections) == len(witnesses.players)


async def test_r21_those_who_do_not_log_in_make_room_for_those_who_come(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("limits", unauthenticated=20, handshake_seconds=600.0)
    assert await enters_the_hall(town, strangers(100)) <= 21
    player = Eq2Player(town)
    await player.enters("anna", "Anna")
    assert town.here("Anna")


async def test_r23_who_begins_too_often_waits_before_anything_is_computed(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    limits = town.settings.limits
    town.change("limits", connections_per_address=10_000)
    await trio.sleep(10)  # what stands in the realms from the beginning has been saved
    work, statements = town.passwords.work, _statements(town)
    let_in = 0
    for turn in range(10):
        let_in += await enters_the_hall(town, [("203.0.113.6", 2000 + 100 * turn + n) for n in range(25)])
    assert let_in <= limits.connects_per_10s * 4, "at once, and after 1 s, 2 s and 4 s"
    refused = sum("connects too often" in record.getMessage() for record in caplog.records)
    assert refused == 250 - let_in
    assert (town.passwords.work, _statements(town)) == (work, statements)
    player = Eq2Player(town)
    await player.enters("anna", "Anna")
    assert town.here("Anna")


async def test_r23_sessions_that_end_at_once_leave_nothing_behind(
    easy_town: Town, autojump_clock: MockClock
) -> None:
    town = easy_town
    town.change("limits", exempt=("0.0.0.0/0",))
    network = town.network("eq2", "login")
    base = 0
    tracemalloc.start()
    try:
        for number, address in enumerate(strangers(700)):
            if number == 100:
                base = tracemalloc.get_traced_memory()[0]
            end = network.client(address)
            network.put(REQUEST.encode(), address)
            await trio.sleep(0.04)
            seed = answered_seed(await end.receive())
            network.put(first_words(seed), address)
            await trio.sleep(0.1)
            goodbye = SessionDisconnect(REQUEST.session_id, Reason.APPLICATION)
            network.put(Checksum(seed).sealed(goodbye.encode()), address)
            await trio.sleep(0.01)
            end.close()
        await trio.sleep(1)
        network.to_nobody.clear()
        assert not town.doors.connections
        gc.collect()
        ends = 1 if town.edge is None else 2
        assert sessions_kept() <= ends, "the last one that somebody looked at"
        assert tracemalloc.get_traced_memory()[0] - base < MIB // 2
    finally:
        tracemalloc.stop()


def _statements(town: Town) -> int:
    return int(town.database._connection.connection.dbapi_connection.total_changes)  # type: ignore[union-attr]


# With real sockets


def noise(addresses: list[tuple[str, int]], ends: trio.Event) -> Callable[[], Awaitable[None]]:
    """Requests and garbage from many addresses of this machine's own, as many as it likes, until it ends."""

    async def run() -> None:
        dice, sockets = random.Random(1), []
        try:
            for number in range(40):
                one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                one.setblocking(False)
                one.bind((f"127.0.1.{number + 1}", 0))
                sockets.append(one)
            while not ends.is_set():
                for one in sockets:
                    for address in addresses:
                        data = dice.choice((REQUEST.encode(), dice.randbytes(dice.randrange(500)), b"\0\x1d"))
                        with contextlib.suppress(OSError):
                            one.sendto(data, address)
                await trio.sleep(0.01)
        finally:
            for one in sockets:
                one.close()

    return run


async def test_r14_r19_over_real_sockets_noise_is_nothing_and_who_is_gone_is_missed(
    tmp_path: Path,
) -> None:
    """When nothing answers any more, the other sees the character leave."""
    soon = "keep_alive_seconds = 1.0\nidle_seconds = 6.0\n"
    server = ServerProcess(tmp_path, f"{soon}[limits]\nlinger_seconds = 0.0\n")
    try:
        await trio.to_thread.run_sync(server.start)
        addresses = server.addresses()
        with trio.fail_after(120):
            async with trio.open_nursery() as nursery:
                ports, ends = Ports(nursery, addresses), trio.Event()
                player, late = Eq2Actor(ports), Eq2Actor(ports)
                await player.enters("anna", "Anna")
                nursery.start_soon(noise([addresses["eq2", door] for door in ("login", "world")], ends))
                for number in range(8):
                    word = f"word {number}"
                    await player.say(word)
                    assert await player.until(lambda word=word: word in player.client.lines(), 5)  # type: ignore[misc]
                ends.set()
                await late.enters("berta", "Berta")
                assert await player.until(lambda: player.client.by_name("Berta") is not None, 5)
                assert isinstance(late.player, Eq2Player)
                late.player.vanishes()
                for heading in (2, 6) * 40:
                    await player.step(heading)
                    await player.until(lambda: player.client.by_name("Berta") is None, 0.5)
                    if player.client.by_name("Berta") is None:
                        break
                assert player.client.by_name("Berta") is None
                ports.hang_up()
                nursery.cancel_scope.cancel()
        assert await trio.to_thread.run_sync(server.stop) == 0
        assert "Traceback" not in server.output()
    finally:
        server.close()
