"""Connections that are too slow or silent: R-18 to R-20, for every game of `tests.kit.games`."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from protocol.endings import Ending
from server.net.gateway import Gateway
from tests.kit.co_player import CoPlayer
from tests.kit.connections import SHAKEN, newest
from tests.kit.games import GAMES, STREAMS, Person, Witnesses
from tests.kit.pipe import End
from tests.kit.town import Town

if TYPE_CHECKING:
    from trio.testing import MockClock

    from server.net.connection import Connection

pytestmark = pytest.mark.timeout(180)


@pytest.mark.parametrize(("game", "door"), SHAKEN, ids=[f"{g}-{d}" for g, d in SHAKEN])
async def test_r18_a_byte_every_four_seconds_is_no_handshake(
    town: Town, autojump_clock: MockClock, game: str, door: str
) -> None:
    """Neither without a whole packet nor after the first one; counted from accept, not from the last byte."""
    record = GAMES[game]
    variant = {"websocket": "websocket"}.get(door, "")
    limits = town.settings.limits
    for whole, most in ((False, limits.first_byte_seconds), (True, limits.handshake_seconds)):
        if whole and (game, door) == ("co", "game"):
            variant = "5065"  # the other ones' first packet leads in, or out again
        player = record.player(town, variant)
        record.introduce(player, Person(1))
        data = await record.first_words(player, door)
        if whole and game == "eo":
            await player.sends(data)
            data = record.steps[1].send(player)
        elif whole and game == "l2":
            await player.sends(record.wire(player, b"\xfd\0\0"))  # both doors skip what they do not know
        elif whole and isinstance(player, CoPlayer):
            if door == "account":
                player.turns_to(door)
                await player.sends(record.wire(player, record.unknown[0]))
                data = player.client.login_bytes("nobody", "nothing")
        elif whole:
            await player.sends(data[:21])
            data = data[21:]
        assert player.end
        await trio.sleep(0.01)
        connection, began = newest(town), newest(town).accepted_at
        for at in range(len(data)):
            if connection.ending is not None:
                break
            await player.sends(data[at : at + 1], wait=4)
        assert connection.ending is Ending.TIMED_OUT
        assert most - 1 <= trio.current_time() - began <= most + 6
        await trio.sleep(5)


async def test_r18_a_browser_that_only_dribbles_has_as_long_as_a_person_who_types(
    town: Town, autojump_clock: MockClock
) -> None:
    record = GAMES["web"]
    player = record.player(town)
    data = await record.first_words(player, "http")
    assert player.end
    await trio.sleep(0.01)
    connection = newest(town)
    for at in range(len(data) - 10):
        await player.sends(data[at : at + 1], wait=4)
        assert connection.ending is None
    await trio.sleep(town.settings.limits.login_seconds - trio.current_time() - 5)
    assert connection.ending is None
    await trio.sleep(10)
    assert connection.ending is Ending.TIMED_OUT


#


@pytest.mark.parametrize("game", STREAMS)
@pytest.mark.parametrize("way", ["swallows", "takes nothing"])
async def test_r19_a_peer_whose_plug_was_pulled_is_missed_in_time(
    easy_town: Town, autojump_clock: MockClock, game: str, way: str
) -> None:
    record, town = GAMES[game], easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    player, who = record.player(town), Person(1)
    await record.enters(player, who)
    connection = newest(town)
    record.silences(player)
    if way == "takes nothing":
        assert isinstance(player.end, End)
        player.end.window = 0
    for second in range(200):
        if second % 3 == 0:
            await witnesses.are_well()
        await trio.sleep(1)
        if connection.ending is not None:
            break
    age = trio.current_time() - connection.session.last_heard
    if way == "swallows":
        assert connection.ending is Ending.TIMED_OUT
        assert age <= 135, "two pings, or the longest silence"
    else:
        assert connection.ending is Ending.TOO_SLOW
        assert age <= 30
    await trio.sleep(town.settings.limits.linger_seconds + 1)
    assert not town.here(who.character)
    await witnesses.are_well()


async def test_r19_real_sockets_give_up_by_themselves() -> None:
    server = socket.create_server(("127.0.0.1", 0))
    with server, socket.create_connection(server.getsockname()) as client:
        accepted, _ = server.accept()
        gateway = Gateway.__new__(Gateway)
        gateway._settings = Town.__new__(Town)  # type: ignore[assignment] # only `network.nodelay` is read
        gateway._settings.network = attrs.make_class("Network", {"nodelay": attrs.field(default=True)})()  # type: ignore[misc]
        transport = gateway._admit(accepted)
        assert transport is not None
        assert accepted.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
        if sys.platform == "linux":
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 30_000
        transport.close()
        assert client.recv(1) == b""


#


@pytest.mark.parametrize("others", [18, pytest.param(50, marks=pytest.mark.soak)])
@pytest.mark.parametrize("game", STREAMS)
async def test_r20_who_does_not_read_delays_nobody_and_is_cut_off(
    easy_town: Town, autojump_clock: MockClock, game: str, others: int
) -> None:
    """With three others of each game around; with fifty in `make soak`."""
    record, town = GAMES[game], easy_town
    town.change("network", stalled_seconds=12.0, hard_limit_kib=64)
    town.change("limits", idle_seconds=600.0)
    slow, who = record.player(town), Person(0)
    await record.enters(slow, who)
    connection = newest(town)
    games = list(GAMES.values()) * 50
    crowd = [(one, one.player(town), Person(1 + n)) for n, one in enumerate(games[:others])]
    for one, player, somebody in crowd:
        await one.enters(player, somebody)
    assert isinstance(slow.end, End)
    slow.end.window = 0
    record.silences(slow)
    waiting, steps = 0, 0
    for second in range(20):
        for n, (one, player, _) in enumerate(crowd):
            await player.end.send_all(one.steps_to(player, (2, 6, 0, 4)[(second // 2 + n) % 4]))
            steps += 1
        await trio.sleep(1)
        waiting = max(waiting, _waiting(connection))
        assert town.app.loop.stats.last_lateness < 0.001
    assert connection.ending is Ending.TOO_SLOW
    assert waiting <= 64 * 1024 + 16 * 1024, "the limit, and what one turn may add"
    await trio.sleep(15)
    assert not town.here(who.character)
    for one, player, somebody in crowd:
        assert not player.gone
        mobile = town.mobile(somebody.character)
        session = next(s for s in town.app.sessions() if s.mobile is mobile)
        assert one.believes(player) == one.should_believe(session)


def _waiting(connection: Connection) -> int:
    outbox = sum(len(getattr(message, "raw", b"") or b"") for message in connection.session.outbox)
    return outbox + connection._unsent()
