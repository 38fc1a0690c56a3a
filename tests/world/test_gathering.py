"""Gathering: what stands in a realm gives goods to whoever has the tool, until it is empty for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.errands import carries, somebody
from tests.kit.worlds import goes_on, plain_content, plain_world
from world import gathering, hands, holding, life, motion, using
from world.content import ItemTemplate
from world.harvests import Harvest
from world.heading import EAST
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.world import World

ORE = Harvest("mining", "mine", "pickaxe", ("wall",), "ore", "mining", seconds=3.0, store=2, refill=60.0)


def a_world(*walls: tuple[int, int]) -> World:
    plain = plain_content(walls=frozenset(walls))
    items = {
        **plain.items,
        "pickaxe": ItemTemplate("pickaxe", "pickaxe"),
        "ore": ItemTemplate("ore", "lump of ore", stackable=True),
    }
    return plain_world(attrs.evolve(plain, items=items, harvests={"mining": ORE}))


def why(actor: Mobile) -> Refusal:
    with pytest.raises(Cannot) as caught:
        gathering.gather(actor)
    return caught.value.why


def test_a_tile_gives_what_it_has_and_is_full_again_later() -> None:
    world = a_world((11, 10))
    alric = somebody(world)
    pickaxe = carries(alric, "pickaxe")
    assert using.use(alric, pickaxe) is using.Deed.WORKED
    assert why(alric) is Refusal.GATHERING
    goes_on(world, 2)
    assert "ore" not in hands.carried(alric)
    goes_on(world, 2)
    assert hands.carried(alric) == {"pickaxe": 1, "ore": 1}
    gathering.gather(alric)
    goes_on(world, 4)
    assert hands.carried(alric)["ore"] == 2
    assert why(alric) is Refusal.EXHAUSTED
    goes_on(world, 60)
    gathering.gather(alric)
    goes_on(world, 4)
    assert hands.carried(alric)["ore"] == 3


def test_who_cannot_is_told_why() -> None:
    world = a_world((12, 10))
    alric = somebody(world)
    assert why(alric) is Refusal.NOTHING_THERE, "two tiles are out of reach"
    motion.step(alric, EAST)
    assert why(alric) is Refusal.NO_TOOL
    carries(alric, "pickaxe")
    for _ in range(124):
        carries(alric, "candle")
    assert why(alric) is Refusal.FULL
    life.kill(alric)
    assert why(alric) is Refusal.DEAD


def test_who_carries_all_it_can_carries_no_more() -> None:
    world = a_world((11, 10))
    alric = somebody(world)
    carries(alric, "pickaxe")
    carries(alric, "bread", holding.capacity(alric))
    assert why(alric) is Refusal.HEAVY


def test_who_walks_away_dies_or_gives_the_tool_away_has_nothing() -> None:
    world = a_world((11, 10))
    alric = somebody(world)
    pickaxe = carries(alric, "pickaxe")
    gathering.gather(alric)
    alric.x -= 1
    goes_on(world, 4)
    alric.x += 1
    gathering.gather(alric)
    hands.remove(pickaxe)
    goes_on(world, 4)
    assert hands.carried(alric) == {}
    carries(alric, "pickaxe")
    gathering.gather(alric)
    life.kill(alric)
    goes_on(world, 4)
    assert "ore" not in hands.carried(alric)
    assert not [item for item in world.items.values() if item.template.key == "ore"]


def test_two_share_what_a_tile_has() -> None:
    world = a_world((11, 10))
    everybody = [somebody(world, name) for name in ("Alric", "Berta", "Carl")]
    for mobile in everybody:
        carries(mobile, "pickaxe")
        gathering.gather(mobile)
    goes_on(world, 4)
    assert sum(hands.carried(mobile).get("ore", 0) for mobile in everybody) == ORE.store
