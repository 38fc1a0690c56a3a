"""The sectors in sight, by rings: they are the sectors that the sight reaches, however often it was asked."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.kit.worlds import person, plain_content, plain_world
from world import space
from world.space import SECTOR, Sight

if TYPE_CHECKING:
    from world.mobile import Viewport
    from world.realm import Realm


def sectors_in_sight(realm: Realm, viewport: Viewport) -> dict[int, int]:
    """How many rings of sectors away each sector in sight is, tile by tile; by the sector's identity."""
    viewer, chart = viewport.mobile, realm.chart
    found = {}
    for x in range(max(0, viewport.left), min(chart.width - 1, viewport.right) + 1):
        for y in range(max(0, viewport.top), min(chart.height - 1, viewport.bottom) + 1):
            away = max(abs(x // SECTOR - viewer.x // SECTOR), abs(y // SECTOR - viewer.y // SECTOR))
            found[id(realm.space.at(x, y))] = away
    return found


@pytest.mark.parametrize("kept", [3, 4096])
def test_rings_are_the_sectors_in_sight_by_their_distance(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "MOST_RINGS", kept)
    world, dice = plain_world(plain_content(width=61, height=45)), random.Random(4)
    realm = world.realms["plain"]
    players = [person(world, f"P{number}", 5 * number, 3 * number) for number in range(10)]
    for number, mobile in enumerate(players):
        world.open_viewport(mobile, number + 1, Sight(dice.randrange(1, 25)))
    for _ in range(600):
        mobile = dice.choice(players)
        match dice.randrange(3):
            case 0:
                world.warp(mobile, realm, dice.randrange(61), dice.randrange(45))
            case 1:
                world.set_sight(mobile, Sight(dice.randrange(1, 25)))
        assert mobile.viewport is not None
        rings = realm.space.rings(mobile.viewport)
        told = {id(sector): ring for ring, sectors in enumerate(rings) for sector in sectors}
        assert told == sectors_in_sight(realm, mobile.viewport)
        assert sum(len(sectors) for sectors in rings) == len(told)
    assert len(realm.space._rings) <= kept
