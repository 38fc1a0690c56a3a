"""A whole server in memory, for the faults of tests/reliability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.town import Town

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    await running.open()
    return running


@pytest.fixture
async def easy_town(town: Town) -> Town:
    """One that counts neither connections nor packets nor failed logins."""
    town.change(
        "limits",
        exempt=("127.0.0.0/8",),
        packets_per_second=100_000.0,
        packet_burst=100_000,
        login_failures_per_address=1_000_000,
        login_failures_per_account=1_000_000,
    )
    return town
