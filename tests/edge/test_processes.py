"""A world and an edge in processes of their own, over real sockets: one of them ends, the other goes on."""

from __future__ import annotations

import signal
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from eolib import WarpAgreeServerPacket

from server.bots.bench import make_bots, step
from server.bots.swarm import Swarm
from tests.kit.edges import split_server
from tests.kit.process import EoSocket

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.kit.process import ServerProcess

SECONDS = 20.0


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[ServerProcess, ServerProcess]]:
    world, edge = split_server(tmp_path)
    yield world, edge
    edge.close()
    world.close()


def status(server: ServerProcess) -> str:
    """What `causeway status` tells of it."""
    return server.causeway("status").stdout


def until(server: ServerProcess, words: str) -> None:
    """Until its status has such words."""
    deadline = time.monotonic() + SECONDS
    while words not in (told := status(server)):
        assert time.monotonic() < deadline, told
        time.sleep(0.1)


@pytest.fixture
def enter() -> Iterator[Callable[[ServerProcess], EoSocket]]:
    """Makes connections to a server, and closes them."""
    with ExitStack() as stack:

        def connect(server: ServerProcess) -> EoSocket:
            client = EoSocket(server.address("eo"))
            stack.callback(client.close)
            return client

        yield connect


def test_clients_of_an_edge_play_and_one_process_survives_the_other(
    both: tuple[ServerProcess, ServerProcess], enter: Callable[[ServerProcess], EoSocket]
) -> None:
    world, edge = both
    world.start()
    edge.start()
    until(edge, "is Process")
    anna = enter(edge)
    anna.enters("anna123", "Anna")
    place = anna.place()
    beside = enter(world)
    beside.enters("berta12", "Berta")
    assert "edge Edge: 1 clients" in status(world)

    for game in ("uo", "co_5065", "l2", "eq2"):
        (bot,) = make_bots(game, 1)
        door = {"eq2": "login", "co_5065": "account", "l2": "login"}.get(game, "game")
        swarm = Swarm(edge.address(game, door), [bot], step, probes=1)
        try:
            swarm.enter(SECONDS)
            assert swarm.run(1.0).answers, game
        finally:
            swarm.close()

    edge.kill()
    until(world, "1 clients")
    assert "the edge Edge is gone" in world.output()
    assert beside.place()
    edge.start()
    until(edge, "is Process")
    again = enter(edge)
    again.enters("anna123", "Anna")
    assert again.place() == place

    assert world.stop(signal.SIGTERM) == 0
    until(edge, "1 clients wait")
    world.start()
    until(edge, "is Process")
    again.waits(WarpAgreeServerPacket)
    assert again.place() == place
    assert edge.stop(signal.SIGTERM) == 0
    assert "Traceback" not in edge.output()
    assert "Traceback" not in world.output()
