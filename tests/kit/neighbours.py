"""Two worlds that share their players: whole servers in memory, and what they hear one another through.

from tests.kit.neighbours import two as two
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from server.boot.relays import relay_over
from tests.kit.exchange import Exchange
from tests.kit.square import Square
from tests.kit.town import Town, settings_of_a_town

if TYPE_CHECKING:
    from trio.testing import MockClock

SERIALS_APART = 4_000
"""Characters of two worlds have different serials, for which their database cares when they share one."""


@attrs.frozen
class Two:
    """Two worlds, and the way between."""

    exchange: Exchange
    north: Town
    south: Town

    async def gather(self, here: tuple[str, ...], there: tuple[str, ...]) -> tuple[Square, Square]:
        """Some of the cast come into one world, and some into the other; all of them know of one another."""
        squares = Square(self.north, here), Square(self.south, there)
        for square in squares:
            await square.enter()
        await trio.sleep(3)
        return squares


@pytest.fixture
async def two(nursery: trio.Nursery, autojump_clock: MockClock) -> Two:
    """They run, and hear one another."""
    exchange = Exchange()
    towns = []
    for number in (1, 2):
        settings = settings_of_a_town()
        settings = attrs.evolve(settings, world=attrs.evolve(settings.world, id=number))
        town = Town(nursery, settings, seed=number)
        town.app.world.serials.next_mobile += SERIALS_APART * (number - 1)
        town.app.relay = relay_over(town.app, exchange)
        await town.open()
        towns.append(town)
    return Two(exchange, *towns)
