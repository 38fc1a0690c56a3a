"""The real thing: processes, signals, files and sockets."""

from __future__ import annotations

import sqlite3
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from eolib import Direction

from server.store.backup import rescued_files
from tests.kit.process import EoSocket, ServerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind exist on POSIX only"),
    pytest.mark.timeout(120),
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    running = ServerProcess(tmp_path)
    yield running
    running.close()


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[ServerProcess]:
    """One that begins with the interpreter, as an operator starts it."""
    running = ServerProcess(tmp_path, anew=True)
    yield running
    running.close()


def stored_place(server: ServerProcess) -> tuple[int, int]:
    """Where the first character stands according to the database file."""
    with closing(sqlite3.connect(server.state / "causeway.db")) as database:
        place: tuple[int, int] = database.execute("select x, y from character order by serial").fetchone()
        return place


def walk(client: EoSocket, steps: int) -> None:
    """Go back and forth until so many steps were really taken."""
    taken, direction = 0, Direction.Left
    turned = {
        Direction.Left: Direction.Up,
        Direction.Up: Direction.Right,
        Direction.Right: Direction.Down,
        Direction.Down: Direction.Left,
    }
    while taken < steps:
        before = client.place()
        client.socket.sendall(client.client.walk(direction))
        if client.place() != before:
            taken += 1
        else:
            direction = turned[direction]


def test_who_was_killed_stands_where_they_stood(alone: ServerProcess) -> None:
    alone.start()
    client = EoSocket(alone.address("eo"))
    client.enters("annabel", "Annabel")
    start = client.place()
    walk(client, 3)
    stood = client.place()
    assert stood != start
    moved = time.monotonic()
    while stored_place(alone) != stood:
        assert time.monotonic() - moved < 15, "what is older than a second is on disk, busy as the machine is"
        time.sleep(0.02)
    newcomer = EoSocket(alone.address("eo"))
    newcomer.enters("berta", "Berta")
    alone.kill()
    client.close()
    newcomer.close()
    with closing(sqlite3.connect(alone.state / "causeway.db")) as database:
        names = database.execute("select name from character order by name").fetchall()
        assert names == [("Annabel",), ("Berta",)], "a character is durable when its client hears of it"
        assert database.execute("pragma integrity_check").fetchone() == ("ok",)
    assert stored_place(alone) == stood


def test_a_world_whose_file_was_deleted_is_rescued_and_never_empty(server: ServerProcess) -> None:
    """Whatever is still to be saved when it ends."""
    assert server.causeway("account", "create", "bobby", typed="secret1\n").returncode == 0
    server.start()
    for file in server.state.glob("causeway.db*"):
        file.unlink()
    assert server.stop(within=60) == 70, "it tries for a while to save what stands in the realms"
    assert server.spawn().wait(30) == 3
    (rescued,) = rescued_files(server.state / "causeway.db")
    assert f"{rescued}" in server.output()
    assert server.causeway("restore", str(rescued)).returncode == 0
    assert "bobby" in server.causeway("account", "list").stdout


def test_r70_a_bad_configuration_names_every_mistake_and_starts_nothing(alone: ServerProcess) -> None:
    alone.config.write_text('[server]\nnmae = "x"\n[limits]\nconnections = "many"\n[listen.zz]\n')
    process = alone.spawn()
    assert process.wait(30) == 2
    said = alone.output()
    assert "nmae" in said
    assert "name" in said
    assert "limits.connections" in said
    assert "listen.zz" in said
    alone.anew = False
    checked = alone.causeway("check")
    assert checked.returncode == 1
