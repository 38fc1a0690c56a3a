"""Which tests stay together when several processes run them, and which begin.

Tests of a module share what it set up: a town, a server, a browser. Spread over all processes they would
set it up in each, and a server is the most expensive line a test can have. So a module is run by one
process, and a folder that shares a server, too; what takes longest begins, so that no process is left alone
with it at the end.
"""

from __future__ import annotations

from typing import Final

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

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

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)
