"""Who holds the attack key and who clicked once do the same to the same creature with the same weapon."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, cast

import attrs
import pytest
import trio
from eolib import Direction

from tests.kit.square import gather
from tests.kit.town import Town
from tests.scenes.test_fight import a_rat_beside, hunting_ground
from world.events import Struck

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.players import EoPlayer
    from world.content import Content
    from world.events import Event

CLICKER: Final = "Anna"
HOLDER: Final = "Bert"
SECONDS: Final = 600
KEY: Final = 0.45
"""Seconds after which the key of Endless Online's client strikes again."""
HITS: Final = 60_000


@cache
def arena() -> Content:
    """The hunting ground, with rats that do not die of it, and nobody who misses, tires or is lucky."""
    content = hunting_ground()
    rat = content.mobiles["rat"]
    assert rat.fights is not None
    tough = attrs.evolve(rat, fights=attrs.evolve(rat.fights, hits=HITS), hits=HITS)
    rule = attrs.evolve(
        content.combat,
        least_chance=1.0,
        most_chance=1.0,
        critical_chance=0.0,
        blow_stamina=0,
        fist_least=4,
        fist_most=4,
    )
    return attrs.evolve(content, mobiles={**content.mobiles, "rat": tough}, combat=rule)


async def test_who_clicked_once_and_who_holds_the_key_do_the_same_damage(
    nursery: trio.Nursery, autojump_clock: MockClock, happened: list[Event]
) -> None:
    town = Town(nursery, content=arena())
    await town.open()
    square = await gather(town, CLICKER, HOLDER)
    clicker, holder = square[CLICKER], square[HOLDER]
    one, other = await a_rat_beside(square, CLICKER), await a_rat_beside(square, HOLDER)
    for guest in (clicker, holder):
        guest.mobile.hits_max = guest.mobile.hits = HITS
    happened.clear()
    began = trio.current_time()
    await clicker.does(clicker.wishes.attack(one))
    while trio.current_time() < began + SECONDS:
        await holder.does(cast("EoPlayer", holder.player).client.attack(Direction.Right), wait=KEY)
    done = {one: 0, other: 0}
    for event in happened:
        if isinstance(event, Struck) and event.target in done:
            done[event.target] += event.damage
    assert done[one] > SECONDS
    assert done[other] == pytest.approx(done[one], rel=0.02)
