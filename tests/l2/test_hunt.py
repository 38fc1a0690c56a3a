"""A hunt over a whole server in memory: one client kills a creature by two clicks, another looks on."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import attrs
import trio

from tests.kit.l2_player import L2Player
from tests.kit.square import gather
from tests.kit.town import Town, shipped_content
from world import motion, residents
from world.content import Creature, Resident
from world.heading import EAST
from world.rules.growth import least_experience

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.square import Square
    from world.content import Content

HITS: Final = 12
YOU_HIT, EARNED = 35, 95


@cache
def hunting_ground() -> Content:
    """The shipped content with a rat that bears little, and nobody but those who come."""
    content = shipped_content()
    weak = Creature(level=1, hits=HITS, armour=0, skill=10.0, least=1, most=2)
    rat = attrs.evolve(content.mobiles["rat"], name="a rat", fights=weak, hits=HITS)
    charts = {
        name: attrs.evolve(chart, residents=(), spawners=(), regions=())
        for name, chart in content.charts.items()
    }
    return attrs.evolve(content, mobiles={**content.mobiles, "rat": rat}, charts=charts)


async def pair(nursery: trio.Nursery) -> Square:
    """Two of this game side by side."""
    town = Town(nursery, content=hunting_ground())
    await town.open()
    return await gather(town, "Dora", "Emma")


async def test_two_clicks_kill_and_both_see_it(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    square = await pair(nursery)
    dora, emma = (square.player(name, L2Player).client for name in ("Dora", "Emma"))
    hunter = square["Dora"].mobile
    assert hunter.realm is not None
    rat = residents.place(square.town.app.world, hunter.realm, Resident("rat", hunter.x + 1, hunter.y))
    motion.turn(hunter, EAST, forced=True)
    await square.changed(2)
    before = hunter.experience
    for _ in range(2):
        await square["Dora"].does(dora.click_bytes(rat.serial))
    assert dora.screen.target == rat.serial
    for _ in range(60):
        if rat.dead:
            break
        await trio.sleep(1)
    await square.changed(1)
    assert rat.dead
    for client in (dora, emma):
        blows = [blow for blow in client.screen.blows if blow[0] == hunter.serial]
        assert {target for _, target, *_ in blows} == {rat.serial}
        assert sum(damage for _, _, damage, _ in blows) == HITS
    numbers = dict(dora.screen.notices)
    assert numbers[EARNED] == (hunter.experience - before, 0)
    told = [parameters[0] for number, parameters in dora.screen.notices if number == YOU_HIT]
    assert sum(amount for amount in told if isinstance(amount, int)) == HITS
    assert EARNED not in dict(emma.screen.notices)
    assert hunter.experience < least_experience(2, square.town.content.growth)
    assert emma.screen.people[hunter.serial].fighting
    await trio.sleep(16)
    await square.changed(1)
    for client in (dora, emma):
        assert not client.screen.everybody()[hunter.serial].fighting, "the stance ends some time after it"
    square.all_see("Dora")
    square.is_well()
