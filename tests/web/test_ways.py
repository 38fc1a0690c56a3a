"""Ways that the web client asks for, over a whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from tests.kit.web_scene import anna_and, settled
from world import motion
from world.heading import OFFSETS
from world.paths import Paths
from world.reach import Refusal, has_sight
from world.realm import Realm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio.testing import MockClock

    from tests.kit.town import Town
    from tests.kit.web_fields import Way
    from tests.kit.web_player import WebPlayer
    from world.mobile import Mobile

Tile = tuple[int, int]


def realm_of(mobile: Mobile) -> Realm:
    """Where somebody is."""
    assert mobile.realm is not None
    return mobile.realm


def along(realm: Realm, way: Way) -> Tile:
    """Where a way ends that leads through nothing."""
    x, y = way.start
    for heading in way.headings:
        assert motion.can_step(realm, x, y, heading), f"{way} leads through something at {x}, {y}"
        dx, dy = OFFSETS[heading]
        x, y = x + dx, y + dy
    return x, y


def behind_something(mobile: Mobile) -> Iterator[Tile]:
    """Tiles to which no straight line leads, the nearest first."""
    realm, here = realm_of(mobile), (mobile.x, mobile.y)
    ground = mobile.world.paths.ground(realm.chart)
    around = realm.free_near(*here, 18)
    return (tile for tile in around if tile not in realm.chart.warps and ground.line(here, tile) is None)


async def asks(player: WebPlayer, goal: Tile, within: int = 0) -> Way:
    """For a way; the answer."""
    before = len(player.screen.ways)
    await player.does(player.client.way_bytes(*goal, within))
    assert len(player.screen.ways) == before + 1
    way = player.screen.ways[-1]
    assert (way.start, way.goal) == ((player.screen.x, player.screen.y), goal)
    return way


async def test_a_way_leads_around_what_is_in_between(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    realm = realm_of(mobile)
    goal = next(behind_something(mobile))
    way = await asks(anna, goal)
    assert way.leads
    assert along(realm, way) == goal
    assert len(way.headings) > max(abs(goal[0] - mobile.x), abs(goal[1] - mobile.y))
    for heading in way.headings:
        await anna.steps(heading)
    assert (mobile.x, mobile.y) == goal
    assert not anna.screen.refused
    assert (await asks(anna, goal)).headings == []
    await settled(town, anna)


async def test_a_way_begins_where_its_client_is_and_not_where_it_was(
    town: Town, autojump_clock: MockClock
) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    x, y = mobile.x, mobile.y
    steps = b"".join(anna.client.walk_bytes(2) for _ in range(3))
    asked = anna.client.say_bytes_of("way", x=x + 3, y=y, to_x=x, to_y=y)
    await anna.sends(steps + asked, wait=0.1)
    assert mobile.x < x + 3, "steps wait"
    assert [(way.start, way.headings) for way in anna.screen.ways] == [((x + 3, y), [6, 6, 6])]


async def test_where_one_cannot_get_to_is_approached(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    realm = realm_of(mobile)
    ground = mobile.world.paths.ground(realm.chart)
    wall = next(
        (x, y)
        for y in range(mobile.y - 18, mobile.y + 19)
        for x in range(mobile.x - 18, mobile.x + 19)
        if not realm.walkable(x, y) and realm.walkable(x, y + 1) and ground.around(ground.cell(x, y))
    )
    way = await asks(anna, wall)
    assert not way.leads
    end = along(realm, way)
    assert end == ground.nearest((mobile.x, mobile.y), wall, exits=True)
    assert max(abs(end[0] - wall[0]), abs(end[1] - wall[1])) == 1
    # Who only wants to be near it is there with that.
    way = await asks(anna, wall, within=1)
    assert way.leads
    end = along(realm, way)
    assert max(abs(end[0] - wall[0]), abs(end[1] - wall[1])) == 1
    assert has_sight(realm, *end, *wall)
    # Beyond the map it is its edge.
    end = along(realm, await asks(anna, (0xFFFF, mobile.y), within=3))
    assert end[0] > mobile.x


async def test_a_place_where_it_cannot_be_is_refused(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    await anna.steps(2)
    here = {"to_x": mobile.x, "to_y": mobile.y}
    for x, y in ((mobile.x + 13, mobile.y), (mobile.x, mobile.y - 13), (0xFFFF, 0xFFFF)):
        anna.screen.said.clear()
        await anna.says("way", x=x, y=y, **here)
        assert anna.screen.notices() == [Refusal.FAR.value]
    assert not anna.screen.ways
    # Who was put elsewhere meanwhile did not know.
    anna.screen.said.clear()
    world = town.app.world
    chart = realm_of(mobile).chart
    world.realms["elsewhere"] = Realm(attrs.evolve(chart, name="elsewhere", title="Elsewhere"))
    x, y = mobile.x, mobile.y
    world.warp(mobile, world.realms["elsewhere"], *chart.spawns[-1])
    await anna.says("way", x=x, y=y - 18, **here)
    assert anna.screen.notices() == []
    assert not anna.screen.ways
    await settled(town, anna)


@pytest.mark.parametrize("leaves", [False, True])
async def test_a_way_that_takes_long_is_told_when_it_is_found_unless_its_client_has_left(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, leaves: bool
) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    world = mobile.world
    monkeypatch.setattr(world, "paths", Paths(world.timers, per_turn=1))
    one, other, *_ = behind_something(mobile)
    await anna.sends(anna.client.way_bytes(*one), wait=0.02)
    await anna.sends(anna.client.way_bytes(*other), wait=0.02)
    assert not anna.screen.ways
    assert len(world.paths) > 0
    if leaves:
        await anna.sends(anna.client.leave_bytes(), wait=0.02)
        assert not anna.client.in_world
    await trio.sleep(30.0)
    await anna.sends(b"", wait=0.1)
    assert len(world.paths) == 0
    assert [way.goal for way in anna.screen.ways] == ([] if leaves else [other]), "only the newest counts"
    assert anna.screen.faults == []
