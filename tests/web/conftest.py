"""The town: a whole server in memory, in which nobody goes anywhere without being told to."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.town import Town, shipped_content

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from world.content import Content


@cache
def quiet_content() -> Content:
    """data/ of the repository, but that residents stay at their places."""
    content = shipped_content()
    charts = {
        name: attrs.evolve(chart, residents=[attrs.evolve(one, wander=0) for one in chart.residents])
        for name, chart in content.charts.items()
    }
    return attrs.evolve(content, charts=charts)


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery, content=quiet_content(), games=("web", "uo", "co"))
    await running.open()
    return running
