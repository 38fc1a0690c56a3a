"""Two worlds of one database of PostgreSQL and an edge before both, in one process: a player crosses as in a
cluster, but for the sockets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import trio
from trio.testing import memory_stream_pair

from protocol.address import Address
from protocol.carrying import divide
from server.boot.beginning import crossings_of, polling
from server.boot.relays import relay_over
from server.content.families import build_families
from server.settings.config import Edge as EdgeTable
from server.settings.world_table import WorldTable
from server.store.database import Database
from server.store.migrate import upgrade
from tests.kit.border import REALMS, Borderland
from tests.kit.in_memory import shipped_content
from tests.kit.split import InMemoryEdge
from tests.kit.town import PORTS, Town, settings_of_a_town

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from server.edge.crossings import Crossings
    from server.edge.worlds import WorldLine
    from tests.kit.exchange import Exchange
    from world.content import Content


class EdgeLand(Borderland):
    """As `Borderland`, with all that a cluster has between the two."""

    def __init__(
        self,
        nursery: trio.Nursery,
        url: str,
        folder: Path,
        *,
        content: Content | None = None,
        realms: Mapping[str, Sequence[str]] | None = None,
        heir: str = "",
        exchange: Exchange | None = None,
    ) -> None:
        """`realms`: those of each of the two worlds, if they are not what these are called by; `heir` takes
        over what nobody has; `exchange` is what they hear one another through."""
        self.content = content or shipped_content()
        self._realms = realms or {realm: [realm] for realm in REALMS}
        self._heir = heir
        self._exchange = exchange
        self.nursery = nursery
        self.towns = {}
        self.carried = []
        self.crossings: list[Crossings] = []
        self._lives: dict[str, trio.Nursery] = {}
        self._url = url
        upgrade(url, folder)

    async def open(self) -> None:
        """Start both, and the edge; everybody comes to the first."""
        for realm in REALMS:
            await self.begins(realm)
        for crossings, town in zip(self.crossings, self.towns.values(), strict=True):
            crossings.owners = await town.app.storage.read(Database.realm_owners)
        first, *_ = self.towns.values()
        worlds = tuple(Address("127.0.0.1", 1 + number) for number in range(len(self.towns)))
        settings = attrs.evolve(first.settings, edge=EdgeTable(worlds=worlds))
        self.edge = edge = InMemoryEdge(first.app, settings, self.content, first.families)
        edge.gateway.ports.update(PORTS)
        edge._line_of = lambda peer: edge.lines[0]  # type: ignore[method-assign] # of this one
        for line, town in zip(edge.lines, self.towns.values(), strict=True):
            await self.joins(line, town)
        self.nursery.start_soon(edge.gateway.sweep)
        edge.attend(self.nursery)
        first.edge = edge

    async def begins(self, realm: str) -> Town:
        """Start the world of a realm, in a process of its own as it were."""
        number = REALMS.index(realm)
        if realm in self.towns:
            self.towns[realm].database.close()
        database = Database(self._url, world=number + 1)
        database.claim_realms(self.content.charts.keys(), self._realms[realm])
        town: Town = await self.nursery.start(self._live, realm, number, database)
        self.towns[realm] = town
        app = town.app
        crossings = crossings_of(app, app.handover)
        app.edges.crossings, app.world.cross = crossings, crossings.border.cross
        app.characters.goes_home = crossings.border.ready
        await app.loop.in_world(None, crossings.keep)
        self.crossings[number : number + 1] = [crossings]
        return town

    async def _live(
        self, realm: str, number: int, database: Database, task_status: trio.TaskStatus[Town]
    ) -> None:
        async with trio.open_nursery() as nursery:
            self._lives[realm] = nursery
            table = WorldTable(number + 1, heir=realm == self._heir)
            town = Town(
                nursery,
                attrs.evolve(settings_of_a_town(), world=table),
                content=self.content,
                seed=1 + number,
                database=database,
                families=build_families(self.content, ("uo", "eo", "eq2", "co", "l2", "web")),
            )
            for family in town.families.values():
                divide(family, number, len(REALMS))
            if self._exchange is not None:
                town.app.relay = relay_over(town.app, self._exchange)
            await town.open()
            town.nursery = self.nursery  # clients are at the edge
            task_status.started(town)

    def hears_orders(self) -> None:
        """The worlds look for what one another has written down for them."""
        for realm, town in self.towns.items():
            self._lives[realm].start_soon(polling(town.app))

    def looks(self) -> None:
        """Both worlds look from now on for who has which realm."""
        for life, crossings in zip(self._lives.values(), self.crossings, strict=True):
            life.start_soon(crossings.look)

    def dies(self, realm: str) -> None:
        """A world's process is killed."""
        self._lives[realm].cancel_scope.cancel()

    async def comes_back(self, realm: str) -> None:
        """A world that has ended begins anew, and the edge reaches it."""
        town = await self.begins(realm)
        town.edge = self.edge
        await self.joins(self.edge.lines[REALMS.index(realm)], town)

    async def joins(self, line: WorldLine, town: Town) -> None:
        """The edge reaches a world."""
        ours, theirs = memory_stream_pair()
        self.nursery.start_soon(line.serve, ours)
        life = next(self._lives[realm] for realm, one in self.towns.items() if one is town)
        life.start_soon(town.app.edges.serve, theirs, life)
        while not line.realms:  # noqa: ASYNC110 # it says so to nobody
            await trio.sleep(0.01)
