"""Which tests stay together when several processes run them, and which begin.

Tests of a module share what it set up: a town, a server, a browser. Spread over all processes they would
set it up in each, and a server is the most expensive line a test can have. So a module is run by one
process, and a folder that shares a server, too; what takes longest begins, so that no process is left alone
with it at the end.

Some tests wait: for servers to start and to be killed, for leases to end, for seconds in which somebody
stands still. Two such at once leave two cores with nothing to do, and that was a sixth of a whole run. Three
processes that all compute are no help: they share caches, and each takes a third more. So if there are more
processes than two, the third has what waits, all of it, one after the other, and ends with it; what it waits
for costs little, and the others compute meanwhile.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT: Final = Path(__file__).resolve().parents[2]

FOLDERS: Final = ("tests/browser/",)
"""Folders whose modules share a server."""

ALONE: Final = ("tests/simulation/", "tests/reliability/test_fuzz.py", "tests/reliability/test_wire.py")
"""Where no test shares anything with the next: each may run anywhere."""

FIRST: Final = (
    "tests/reliability/test_kill.py",
    "tests/browser/",
    "tests/reliability/test_process.py",
    "tests/reliability/test_fence.py",
    "tests/simulation/",
    "tests/reliability/",
    "tests/server/test_bots.py",
    "tests/server/test_bridge_processes.py",
)
"""What begins, in this order; the rest follows as it was collected."""

WAIT: Final = (
    "tests/reliability/test_kill",
    "tests/reliability/test_process.py",
    "tests/reliability/test_fence.py",
    "tests/reliability/test_stops.py",
    "tests/reliability/test_postgresql.py",
    "tests/server/test_bots.py",
    "tests/server/test_bots_l2.py",
    "tests/server/test_bridge_processes.py",
    "tests/server/test_process.py",
    "tests/cluster/test_bus_valkey.py",
    "tests/cluster/test_cable.py",
    "tests/cluster/test_claims.py",
    "tests/cluster/test_command.py",
    "tests/cluster/test_edges.py",
    "tests/cluster/test_failover.py",
    "tests/cluster/test_faults.py",
    "tests/cluster/test_halting.py",
    "tests/cluster/test_standby.py",
    "tests/cluster/test_worlds.py",
    "tests/edge/test_processes.py",
)
"""Modules that wait for longer than they compute, most of them for other processes."""

THIRD: Final = 2
"""The number of the process that waits, from 0, in the order in which they have collected."""


class Node(Protocol):
    """A test process, as its controller has it."""

    @property
    def shutting_down(self) -> bool:
        """Whether it ends after what it has been given."""

    def shutdown(self) -> None:
        """Have it end then."""


def unit_of(nodeid: str) -> str:
    """What stays together with this test."""
    for folder in FOLDERS:
        if nodeid.startswith(folder):
            return folder
    if nodeid.startswith(ALONE):
        return nodeid
    return nodeid.partition("::")[0]


def rank(nodeid: str) -> int:
    """How early it begins."""
    return next((at for at, start in enumerate(FIRST) if nodeid.startswith(start)), len(FIRST))


class Together(LoadScopeScheduling):  # type: ignore[misc] # pytest-xdist has no types
    """Hands whole units to the processes of pytest-xdist, in the order of collection."""

    _some_wait = False

    def add_node_collection(self, node: Node, collection: Sequence[str]) -> None:
        """Take note of what a process has collected."""
        self._some_wait = any(nodeid.startswith(WAIT) for nodeid in collection)
        super().add_node_collection(node, collection)

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def _is_waiting(self, node: Node) -> bool:
        """Whether a process is the one for what waits."""
        return self._some_wait and list(self.registered_collections)[THIRD : THIRD + 1] == [node]

    def _assign_work_unit(self, node: Node) -> None:
        """Hand over the next unit of its kind, or of the other one if there is no more of that."""
        kind = self._is_waiting(node)
        units = [scope for scope in self.workqueue if scope.startswith(WAIT) is kind]
        if units:
            self.workqueue.move_to_end(units[0], last=False)
        super()._assign_work_unit(node)

    def _reschedule(self, node: Node) -> None:
        """The one that waits ends when nothing is left to wait for."""
        if self._is_waiting(node) and not any(scope.startswith(WAIT) for scope in self.workqueue):
            if not node.shutting_down:
                node.shutdown()
            return
        super()._reschedule(node)
