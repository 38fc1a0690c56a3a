"""The town: a whole server in memory."""

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
