"""An edge that is told nothing but the database: it finds the world there, and again when that has moved."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.kit.edges import split_server
from tests.kit.process import EoSocket

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kit.process import ServerProcess

SECONDS = 20.0


def until(server: ServerProcess, words: str) -> None:
    """Until its status has such words."""
    deadline = time.monotonic() + SECONDS
    while words not in (told := server.causeway("status").stdout):
        assert time.monotonic() < deadline, told
        time.sleep(0.1)


def play(edge: ServerProcess) -> tuple[int, int]:
    """Where somebody stands who comes in through an edge."""
    client = EoSocket(edge.address("eo"))
    try:
        client.enters("anna123", "Anna")
        return client.place()
    finally:
        client.close()


def test_an_edge_finds_the_world_in_the_database(url: str, tmp_path: Path) -> None:
    world, edge = split_server(tmp_path, url)
    try:
        world.start()
        edge.start()
        until(edge, "is Process")
        place = play(edge)
        world.kill()
        until(edge, "is not reached")
        world.start()
        until(edge, "is Process")
        assert play(edge) == place
        assert edge.stop() == 0
        assert world.stop() == 0
        assert "Traceback" not in edge.output() + world.output()
    finally:
        edge.close()
        world.close()
