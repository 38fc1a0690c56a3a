"""The numbers of an edge: what it has in common with a world by the same names, and the worlds it reaches."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from prometheus_client.core import GaugeMetricFamily, Metric

from protocol.session import Phase
from server.web.collector import ServerCollector

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ONLY: Final = ("causeway_edge_world_up", "causeway_edge_world_clients")
"""Metrics that no world has."""


class EdgeCollector(ServerCollector):
    """Reads the state of one edge. What only a world knows (turns, its people, the database) is not here."""

    def collect(self) -> Iterator[Metric]:
        """See ServerCollector."""
        yield from self._server()
        yield from self._players()
        yield from self._traffic()
        yield from self._queues()
        yield from self._datagrams()
        yield from self._streams()
        yield from self._web()
        yield from self._worlds()

    def _playing(self) -> Mapping[str, int]:
        sessions = (connection.session for connection in self._app.gateway.connections.values())
        return Counter(session.family.name for session in sessions if session.phase is Phase.IN_WORLD)

    def _worlds(self) -> Iterator[Metric]:
        up = GaugeMetricFamily(ONLY[0], "1 while a world is reached, by world.", labels=["world"])
        clients = GaugeMetricFamily(ONLY[1], "Clients here that are in a world, by world.", labels=["world"])
        for world in self._app.worlds or ():
            up.add_metric([world.label], float(world.open))
            clients.add_metric([world.label], world.clients)
        yield up
        yield clients
