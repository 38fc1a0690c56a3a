"""An edge before a server in memory: the same tests, with two processes' worth of program between client and
world. `CAUSEWAY_SPLIT=1` in the environment asks for it (`make test-split`)."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Final

import attrs
import pytest
from trio.testing import memory_stream_pair

from protocol.address import Address
from server.boot.edge_server import Edge
from server.edge.remote import Remote, RemoteConnection
from server.people.limiter import ConnectionLimiter
from server.settings.config import Edge as EdgeTable
from tests.kit.passwords import InlinePasswords

if TYPE_CHECKING:
    from collections.abc import Mapping

    import trio

    from protocol.family import Family
    from protocol.session import Session
    from server.net.connection import Connection
    from server.settings.config import Settings
    from tests.kit.in_memory import InMemory
    from tests.kit.town import Town
    from world.content import Content


SWITCH: Final = "CAUSEWAY_SPLIT"


def wanted() -> bool:
    """Whether tests are to run so."""
    return os.environ.get(SWITCH) == "1"


ONE_PROCESS: Final = pytest.mark.skipif(
    wanted(),
    reason="asks for what one process has: log lines of sockets, how long a shutdown waits, or a codec beside"
    " its session",
)
"""For tests that are wrong about two processes by design."""


class InMemoryEdge(Edge):
    """An edge without sockets; its configuration is the world's as it is now."""

    def __init__(
        self, world: InMemory, settings: Settings, content: Content, families: Mapping[str, Family]
    ) -> None:
        chance = random.Random(3)
        self.world_app = world
        super().__init__(
            settings,
            content,
            families,
            world.database,
            world.storage._runner,
            passwords=(passwords := InlinePasswords()),
            beside=passwords,
            entropy=chance.randbytes,
            wall=world.wall_time,
        )
        self.current = world.current
        self.clients.coalescer._stopwatch = lambda: 0.0  # as that of the world in memory
        self.gateway._settings = world
        self.gateway._limiter = ConnectionLimiter(world.current.limits)

    def stop(self, code: int) -> None:
        """The world's end is its end."""
        self._stopping.set()


def socket_of(town: Town, session: Session) -> Connection:
    """The connection that has the socket of a session's client."""
    connection = town.app.gateway.connections[session.id]
    if town.edge is None or not isinstance(connection, RemoteConnection):
        return connection
    remote = connection._transport
    assert isinstance(remote, Remote)
    return town.edge.gateway.connections[remote.client]


async def before(
    world: InMemory,
    nursery: trio.Nursery,
    settings: Settings,
    content: Content,
    families: Mapping[str, Family],
) -> InMemoryEdge:
    """An edge that has reached that world; both run in `nursery`."""
    known = attrs.evolve(settings, edge=EdgeTable(worlds=(Address("127.0.0.1", 1),)))
    edge = InMemoryEdge(world, known, content, families)
    ours, theirs = memory_stream_pair()
    edge.gateway.ports.update(world.gateway.ports)
    (line,) = edge.lines
    reached = edge.reached
    nursery.start_soon(line.serve, ours)
    nursery.start_soon(world.edges.serve, theirs, nursery)
    nursery.start_soon(edge.gateway.sweep)
    edge.attend(nursery)
    await reached.wait()
    return edge
