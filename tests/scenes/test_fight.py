"""A fight on the square: one of each game strikes a creature down, and all see the same."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, cast

import attrs
import pytest
import trio

from tests.kit.square import FIRST, gather
from tests.kit.town import Town, shipped_content
from world import holding, life, motion, residents
from world.content import Chart, Creature, Resident
from world.events import Advanced, Died, Engaged, Event, Gained, Struck
from world.heading import EAST

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.square import Square
    from world.content import Content
    from world.mobile import Mobile

HITS: Final = 12
PREY: Final = Creature(level=1, hits=HITS, armour=0, skill=10.0, least=1, most=2)


@cache
def hunting_ground() -> Content:
    """The shipped content, with rats that can be fought, and nobody but those who come."""
    content = shipped_content()
    rat = attrs.evolve(content.mobiles["rat"], name="a rat", fights=PREY, hits=HITS)
    charts: dict[str, Chart] = {
        name: attrs.evolve(chart, residents=(), spawners=(), regions=())
        for name, chart in content.charts.items()
    }
    return attrs.evolve(content, mobiles={**content.mobiles, "rat": rat}, charts=charts)


@pytest.fixture
async def square(nursery: trio.Nursery, autojump_clock: MockClock) -> Square:
    """One of each game on open ground."""
    town = Town(nursery, content=hunting_ground())
    await town.open()
    return await gather(town, *FIRST)


async def a_rat_beside(square: Square, name: str) -> Mobile:
    """A creature to the east of somebody, who looks at it."""
    hunter = square[name].mobile
    assert hunter.realm is not None
    rat = residents.place(square.town.app.world, hunter.realm, Resident("rat", hunter.x + 1, hunter.y))
    motion.turn(hunter, EAST, forced=True)
    await square.changed(2)
    return rat


@pytest.mark.parametrize("name", FIRST)
async def test_one_of_each_game_hunts_and_all_see_it(
    square: Square, happened: list[Event], autojump_clock: MockClock, name: str
) -> None:
    hunter = square[name]
    rat = await a_rat_beside(square, name)
    for guest in square:
        assert rat.serial in guest.session.known, f"{guest} does not see the rat"
    before = hunter.mobile.experience
    happened.clear()
    for _ in range(40):
        if rat.dead:
            break
        await hunter.does(hunter.wishes.attack(rat), wait=2.0)
    assert rat.dead
    blows = [event for event in happened if isinstance(event, Struck)]
    assert {event.thing for event in blows} == {hunter.mobile}
    assert sum(event.damage for event in blows) == HITS
    assert len([event for event in happened if isinstance(event, Died)]) == 1
    assert hunter.mobile.experience > before
    assert len([event for event in happened if isinstance(event, Gained)]) == 1
    for guest in square:
        assert rat.serial not in guest.session.known, f"{guest} still sees the rat"
    square.is_well()


async def test_six_share_one_kill_by_what_each_did(
    square: Square, happened: list[Event], autojump_clock: MockClock
) -> None:
    rat = await a_rat_beside(square, "Anna")
    rat.hits = rat.hits_max = 60
    for guest in square:
        square.town.app.world.warp(guest.mobile, square.realm, rat.x - 1, rat.y)
    await square.changed(2)
    for guest in square:
        life.hurt(rat, 9, guest.mobile)
    gained = {guest.name: guest.mobile.experience for guest in square}
    life.hurt(rat, 6, square["Anna"].mobile)
    await square.changed(2)
    assert rat.dead
    for guest in square:
        gained[guest.name] = guest.mobile.experience - gained[guest.name]
    assert gained["Anna"] == round(90 * 15 / 60)
    assert {gained[name] for name in FIRST if name != "Anna"} == {round(90 * 9 / 60)}
    square.is_well()


async def test_a_level_is_seen_by_all(
    square: Square, happened: list[Event], autojump_clock: MockClock
) -> None:
    rat = await a_rat_beside(square, "Anna")
    anna = square["Anna"].mobile
    anna.experience = 1064
    life.hurt(rat, HITS, anna)
    await square.changed(2)
    (advanced,) = (event for event in happened if isinstance(event, Advanced))
    assert (advanced.level, anna.level) == (2, 2)
    assert len({viewport.key for viewport in advanced.viewers}) == len(FIRST)
    square.is_well()


@pytest.mark.parametrize("name", FIRST)
async def test_one_of_each_game_dies_by_a_creature_and_comes_back(
    square: Square, autojump_clock: MockClock, name: str
) -> None:
    victim = square[name]
    rat = await a_rat_beside(square, name)
    before = victim.mobile.experience = 500
    life.hurt(victim.mobile, victim.mobile.hits, rat)
    await square.changed(3)
    assert victim.mobile.dead
    assert victim.mobile.experience == before - round(0.04 * (1065 - 133))
    square.all_see(name)
    square.is_well()
    await victim.does(victim.wishes.attack(rat), wait=2.0)
    assert rat.hits == HITS, "ghosts strike nobody"
    life.resurrect(victim.mobile)
    await square.changed(3)
    assert victim.mobile.hits > 0
    square.all_see(name)
    square.is_well()


@pytest.mark.parametrize("name", FIRST)
async def test_r45_who_leaves_in_a_fight_stays_for_a_minute_and_can_be_struck(
    square: Square, autojump_clock: MockClock, name: str
) -> None:
    coward = square[name]
    mobile = coward.mobile
    rat = await a_rat_beside(square, name)
    life.hurt(mobile, 1, rat)
    await coward.leaves()
    await trio.sleep(50)
    assert square.town.app.world.mobiles.get(mobile.serial) is mobile
    assert not mobile.online
    before = mobile.hits
    life.hurt(mobile, 5, rat)
    assert mobile.hits == before - 5
    await trio.sleep(12)
    assert mobile.serial not in square.town.app.world.mobiles
    square.is_well(*(other for other in FIRST if other != name))


@pytest.mark.parametrize("name", FIRST)
async def test_a_thing_cannot_be_attacked_and_that_is_said(
    square: Square, happened: list[Event], autojump_clock: MockClock, name: str
) -> None:
    guest = square[name]
    hunter = guest.mobile
    apple = holding.make(hunter.world, "apple")
    assert hunter.realm is not None
    hunter.world.enter(apple, hunter.realm, hunter.x, hunter.y)
    await square.changed(2)
    happened.clear()

    def told() -> int:
        lines = [*guest.game.heard(guest.player), *guest.wishes.notices()]
        return len(lines) + len(guest.wishes.refusals())

    before = told()
    await guest.does(guest.wishes.attack(cast("Mobile", apple)), wait=2.0)
    assert not any(isinstance(event, Struck | Engaged) for event in happened)
    assert told() == before + 1
    square.is_well()
