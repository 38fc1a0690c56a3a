"""Connections that come too many and too often: R-21 to R-23, for every game of `tests.kit.games`."""

from __future__ import annotations

import logging
import os
import resource
import socket
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from tests.kit.connections import SHAKEN, newest
from tests.kit.games import STREAM_DOORS, Witnesses
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.process import EoSocket, ServerProcess

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trio.testing import MockClock

    from protocol.family import Codec
    from protocol.wire.args import CodecArgs
    from tests.kit.town import Town

pytestmark = pytest.mark.timeout(180)


#

FLOOD = """
[limits]
connections = {connections}
connections_per_address = 5000
"""


@pytest.fixture
def many_files() -> None:
    """This process may open so many sockets itself, or the test makes no sense here."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 3000:
        pytest.skip("this machine allows too few open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 3000), hard))


def flood(address: tuple[str, int], count: int) -> list[socket.socket]:
    """That many connections that say nothing."""
    found = []
    for _ in range(count):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(address)
        found.append(one)
    return found


def is_closed(one: socket.socket) -> bool:
    """Whether the server has closed it."""
    try:
        return one.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


@pytest.mark.usefixtures("many_files")
def test_r21_r22_two_thousand_connections_and_no_descriptors_disturb_nobody(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, FLOOD.format(connections=200))
    sockets: list[socket.socket] = []
    try:
        server.start()
        player = EoSocket(server.address("eo"))
        player.enters("anna", "Anna")
        sockets = flood(server.address("uo"), 1000) + flood(server.address("eo", "websocket"), 1000)
        began = time.monotonic()
        player.place()
        assert time.monotonic() - began < 5
        deadline = time.monotonic() + 15
        while (kept := sum(not is_closed(one) for one in sockets)) > 199:
            assert time.monotonic() < deadline, f"{kept} are kept"
            time.sleep(0.05)
        assert player.place()
        for one in sockets:
            one.close()
        player.close()
        assert "cannot accept" not in server.output()
        late = EoSocket(server.address("eo"))
        late.enters("berta", "Berta")
        late.close()
        if hasattr(resource, "prlimit"):
            stood = without_descriptors(server)
    finally:
        for one in sockets:
            one.close()
        server.close()
    if hasattr(resource, "prlimit"):
        with closing(sqlite3.connect(server.state / "causeway.db")) as database:
            (kept_at,) = database.execute("select x, y from character where name = 'Anna'")
        assert kept_at == stood, "what happened without descriptors is on disk"


def without_descriptors(server: ServerProcess) -> tuple[int, int]:
    """R-22: play and storage go on; where Anna stands when the server is killed then."""
    from eolib import Direction

    assert server.process is not None
    player = EoSocket(server.address("eo"))
    player.enters("anna", "Anna")
    open_files = len(os.listdir(f"/proc/{server.process.pid}/fd"))
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (open_files + 10, open_files + 10))
    sockets = flood(server.address("uo"), 60)
    try:
        deadline = time.monotonic() + 15
        while "cannot accept" not in server.output():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        before = player.place()
        for direction in (Direction.Left, Direction.Right, Direction.Up, Direction.Down):
            player.socket.sendall(player.client.walk(direction))
            time.sleep(0.5)
            if player.place() != before:
                break
        after = player.place()
        assert after != before
        time.sleep(1.5)  # the store's own second, and a moment for the disk
    finally:
        for one in sockets:
            one.close()
    late = EoSocket(server.address("eo"))
    late.enters("carla", "Carla")
    late.close()
    server.kill()
    player.close()
    return after


async def test_r21_beyond_the_limits_nothing_is_made_for_a_connection(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    town.change("limits", connections=50, connections_per_address=1000, connects_per_10s=1000)
    witnesses = Witnesses(town)
    await witnesses.enter()
    caplog.set_level(logging.INFO)
    # Silent ones make room for newer ones when too many wait for a login; here all are of one moment.
    ends = [town.connect(*SHAKEN[n % len(SHAKEN)], peer=f"192.0.2.{n % 250}") for n in range(2000)]
    await trio.sleep(0.5)
    assert len(town.doors.connections) == 50
    beyond = 2000 - (50 - len(witnesses.players))
    assert sum(end.closed or end._in.closed for end in ends) == beyond
    assert sum("50 connections are open" in record.getMessage() for record in caplog.records) == beyond
    await witnesses.are_well()
    await trio.sleep(10)
    assert len(town.doors.connections) == len(witnesses.players)


#


async def test_r23_who_connects_too_often_waits_before_anything_is_computed(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions: list[str] = []
    for game, door in STREAM_DOORS:
        made = town.families_there[game].doors[door]
        original = made.codec

        def counted(args: CodecArgs, original: Callable[[CodecArgs], Codec] = original) -> Codec:
            sessions.append("made")
            return original(args)

        monkeypatch.setitem(town.families_there[game].doors, door, attrs.evolve(made, codec=counted))
    caplog.set_level(logging.INFO)
    work, statements = town.passwords.work, _statements(town)
    for _ in range(10):
        for n in range(200):
            game, door = STREAM_DOORS[n % len(STREAM_DOORS)]
            end = town.connect(game, door, peer="192.0.2.1")
            # To every game the whole of something wrong, so that none keeps the connection to wait for more.
            end.send_nowait(b"\x7f\0\0\1" + b"\x80" + bytes(0x7F - 5) + b"\n")
        await trio.sleep(1)
    limits = town.settings.limits
    assert len(sessions) <= limits.connects_per_10s * 4, "at once, and after 1 s, 2 s and 4 s of back-off"
    refused = sum("connects too often" in record.getMessage() for record in caplog.records)
    assert refused == 2000 - len(sessions)
    assert town.passwords.work - work <= len(sessions)
    assert _statements(town) - statements <= len(sessions) * 3
    # Others are let in meanwhile, and the address itself when it has been calm for a while.
    player = EoPlayer(town)
    await player.enters("anna", "Anna")
    assert town.here("Anna")
    waits = [
        record.getMessage() for record in caplog.records if "connects too often, wait" in record.getMessage()
    ]
    await trio.sleep(int(waits[-1].rpartition("wait ")[2].split()[0]) + 1)
    calm = UoPlayer(town, peer="192.0.2.1")
    assert calm.end
    await trio.sleep(0.1)
    assert newest(town).session.peer == "192.0.2.1"


def _statements(town: Town) -> int:
    return int(town.database._connection.connection.dbapi_connection.total_changes)  # type: ignore[union-attr]
