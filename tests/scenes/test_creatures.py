"""Creatures before a player of each game: they come, chase, strike and go home, and all six see the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from tests.kit.games import Witnesses, session_of
from tests.kit.in_memory import wild_shipped_content
from tests.kit.town import Town
from world import brains, life, spawners
from world.parts import Mood

if TYPE_CHECKING:
    from trio.testing import MockClock

    from world.mobile import Mobile


@pytest.fixture
async def wild_town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server with all the creatures of the shipped realms."""
    running = Town(nursery, content=wild_shipped_content())
    await running.open()
    return running


def believe_what_is_so(witnesses: Witnesses) -> None:
    for game, player, who in witnesses.players:
        assert not player.gone, f"the {game} player was thrown out"
        differing = game.believes(player) ^ game.should_believe(session_of(witnesses.town, who))
        assert not differing, f"the {game} player sees ghosts: {differing}"


async def test_a_wolf_hunts_before_the_eyes_of_all(town: Town, autojump_clock: MockClock) -> None:
    witnesses = Witnesses(town)
    await witnesses.enter()
    world = town.app.world
    people = [town.mobile(who.character) for _, _, who in witnesses.players]

    def come(_: object) -> Mobile:
        for mobile in people:
            mobile.hits = mobile.hits_max = 60_000
        realm, x, y = people[0].realm, people[0].x, people[0].y
        assert realm is not None
        wolf = spawners.spawn(world, realm, "wolf", 1, x + 5, y)[0]
        for mobile in people[1:]:
            world.warp(mobile, realm, x + 4, y + 8)
        return wolf

    wolf = await town.app.in_world(None, come)
    await trio.sleep(20)
    assert wolf.brain is not None
    assert wolf.brain.mood is Mood.CHASE
    hurt = [mobile for mobile in people if mobile.hits < mobile.hits_max]
    assert len(hurt) == 1
    assert abs(wolf.x - hurt[0].x) + abs(wolf.y - hurt[0].y) == 1
    believe_what_is_so(witnesses)

    def flees(_: object) -> None:
        assert wolf.realm is not None
        world.warp(hurt[0], wolf.realm, 55, 88)
        for mobile in people:
            mobile.hidden = True
        life.hurt(wolf, 5, hurt[0])

    await town.app.in_world(None, flees)
    await trio.sleep(15)
    assert (wolf.brain.mood, wolf.hits) == (Mood.IDLE, wolf.hits_max)


async def test_the_realms_are_full_and_asleep(wild_town: Town, autojump_clock: MockClock) -> None:
    world = wild_town.app.world
    creatures = [mobile for mobile in world.mobiles.values() if mobile.brain is not None]
    counts = {
        name: sum(spawner.count for spawner in realm.chart.spawners) for name, realm in world.realms.items()
    }
    for name, count in counts.items():
        assert sum(mobile.realm is world.realms[name] for mobile in creatures) >= count > 0
    assert all(brains.is_asleep(mobile) for mobile in creatures)


async def test_players_of_all_games_go_down_into_the_undercroft(
    wild_town: Town, autojump_clock: MockClock
) -> None:
    witnesses = Witnesses(wild_town)
    await witnesses.enter()
    world = wild_town.app.world
    people = [wild_town.mobile(who.character) for _, _, who in witnesses.players]
    down = {warp.realm: warp for warp in world.realms["confluence"].chart.warps.values()}["undercroft"]

    def go(_: object) -> None:
        for mobile in people:
            mobile.hits = mobile.hits_max = 60_000
            world.warp(mobile, world.realms["undercroft"], down.x, down.y - 7)

    await wild_town.app.in_world(None, go)
    await trio.sleep(20)
    believe_what_is_so(witnesses)
    assert any(mobile.hits < mobile.hits_max for mobile in people), "the cellar is not empty"

    def back(_: object) -> None:
        for mobile in people:
            world.warp(mobile, world.realms["confluence"], 55, 61)

    await wild_town.app.in_world(None, back)
    await trio.sleep(20)
    believe_what_is_so(witnesses)
