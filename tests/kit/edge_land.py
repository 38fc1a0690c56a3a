"""Two worlds of one database of PostgreSQL and an edge before both, in one process: a player crosses as in a
cluster, but for the sockets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from trio.testing import memory_stream_pair

from protocol.address import Address
from protocol.carrying import divide
from server.boot.beginning import crossings_of
from server.content.families import build_families
from server.settings.config import Edge as EdgeTable
from server.store.database import Database
from server.store.migrate import upgrade
from tests.kit.border import REALMS, Borderland
from tests.kit.in_memory import shipped_content
from tests.kit.split import InMemoryEdge
from tests.kit.town import PORTS, Town

if TYPE_CHECKING:
    from pathlib import Path

    import trio

    from server.edge.crossings import Crossings
    from server.edge.worlds import WorldLine


class EdgeLand(Borderland):
    """As `Borderland`, with all that a cluster has between the two."""

    def __init__(self, nursery: trio.Nursery, url: str, folder: Path) -> None:
        self.content = shipped_content()
        self.nursery = nursery
        self.towns = {}
        self.carried = []
        self.crossings: list[Crossings] = []
        upgrade(url, folder)
        names = ("uo", "eo", "eq2", "co", "l2", "web")
        for number, realm in enumerate(REALMS):
            database = Database(url, world=number + 1)
            database.claim_realms(self.content.charts.keys(), [realm])
            town = Town(
                nursery,
                content=self.content,
                seed=1 + number,
                database=database,
                families=build_families(self.content, names),
            )
            for family in town.families.values():
                divide(family, number, len(REALMS))
            self.towns[realm] = town

    async def open(self) -> None:
        """Start both, and the edge; everybody comes to the first."""
        for number, town in enumerate(self.towns.values()):
            await town.open()
            app = town.app
            app.edges._world = number + 1
            crossings = crossings_of(app)
            app.edges.crossings, app.world.cross = crossings, crossings.border.cross
            crossings.owners = await app.storage.read(Database.realms_elsewhere)
            self.crossings.append(crossings)
        first, *_ = self.towns.values()
        worlds = tuple(Address("127.0.0.1", 1 + number) for number in range(len(self.towns)))
        settings = attrs.evolve(first.settings, edge=EdgeTable(worlds=worlds))
        self.edge = edge = InMemoryEdge(first.app, settings, self.content, first.families)
        edge.gateway.ports.update(PORTS)
        edge._line_of = lambda peer: edge.lines[0]  # type: ignore[method-assign] # of this one
        for line, town in zip(edge.lines, self.towns.values(), strict=True):
            await self.joins(line, town)
        self.nursery.start_soon(edge.gateway.sweep)
        self.nursery.start_soon(edge.gateway.deadlines.run)
        first.edge = edge

    async def joins(self, line: WorldLine, town: Town) -> None:
        """The edge reaches a world."""
        ours, theirs = memory_stream_pair()
        reached = self.edge.reached
        self.nursery.start_soon(line.serve, ours)
        self.nursery.start_soon(town.app.edges.serve, theirs, self.nursery)
        await reached.wait()
        self.edge.reached = type(reached)()
