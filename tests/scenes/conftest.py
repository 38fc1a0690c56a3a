"""The town, a whole server in memory, and what happens in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.town import Town
from world.world import World

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from world.events import Event
    from world.world import Changes


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    await running.open()
    return running


@pytest.fixture
def happened(monkeypatch: pytest.MonkeyPatch) -> list[Event]:
    """All events of all worlds."""
    events: list[Event] = []
    take = World.take_changes

    def keep(world: World) -> Changes:
        changes = take(world)
        events.extend(changes.events)
        return changes

    monkeypatch.setattr(World, "take_changes", keep)
    return events
