"""An independent version-546 client fights a creature and loots it, and another one looks on: both go by the
sheet of facts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.eq2.independent.messages import Blow, Death, DeathWindow, DefaultVerb, Loot, LootOver, Resurrected
from tests.eq2.independent.person import Person
from tests.kit.eq2_visit import gather, into_the_world, is_well, until
from tests.kit.town import Town
from world import holding, learning, life
from world.mobile import Mobile

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time, with two players side by side."""
    running = Town(nursery)
    await running.open()
    return running


async def hunters(town: Town) -> tuple[Person, Person]:
    """Two who stand side by side."""
    cora, dora = Person(town, "cora"), Person(town, "dora", seed=2)
    await into_the_world(cora, "Cora")
    await into_the_world(dora, "Dora")
    gather(town, "Cora", "Dora")
    await until(lambda: bool(cora.teleports()) and bool(dora.teleports()))
    return cora, dora


def prey(town: Town, name: str, hits: int = 20) -> Mobile:
    """A rat beside somebody."""
    hunter, world = town.mobile(name), town.app.world
    realm = hunter.realm
    assert realm is not None
    tile = next(spot for spot in realm.free_near(hunter.x, hunter.y, 1) if spot != (hunter.x, hunter.y))
    kind = world.content.mobiles["rat"]
    rat = Mobile(world.serials.mobile(), world, kind.name, template=kind, hits=hits, hits_max=hits)
    world.enter(rat, realm, *tile)
    town.app.loop.wake()
    return rat


async def test_two_see_the_same_fight(town: Town, autojump_clock: MockClock) -> None:
    cora, dora = await hunters(town)
    me, rat = town.mobile("Cora"), prey(town, "Cora")
    await until(lambda: all(one.ghosts.by_id(rat.serial) is not None for one in (cora, dora)))
    ghost = cora.ghosts.by_id(rat.serial)
    assert ghost is not None
    assert (ghost.attackable, ghost.corpse, ghost.hits, ghost.fights) == (True, False, 100, False)
    assert ghost.arrow == 3, "both are of level 1"
    assert not cora.strikes()
    cora.targets(ghost.index)
    cora.types_command("autoattack", "1")
    await until(lambda: cora.strikes())
    seen = dora.ghosts.by_id(me.serial)
    await until(lambda: seen is not None and seen.fights)
    await until(lambda: bool(cora.all(Death)), 120)
    await until(lambda: bool(dora.all(Death)))
    for person in (cora, dora):
        blows = [blow for blow in person.all(Blow) if blow.attacker == me.serial]
        assert blows
        assert {blow.defender for blow in blows} == {rat.serial}
        assert sum(blow.damage for blow in blows) == 20, "the numbers are those of the world"
        assert person.all(Death) == [Death(me.serial, rat.serial)]
        left = person.ghosts.by_id(rat.serial)
        await until(lambda left=left: left is not None and left.corpse)  # type: ignore[misc] # of this turn
        assert left is not None
        assert (left.hits, left.attackable, left.name) == (0, False, "corpse of a rat")
    assert cora.ghosts.by_id(rat.serial) is ghost, "the dead is its own corpse"
    (verb,) = cora.all(DefaultVerb)
    assert (verb.id, verb.command) == (rat.serial, "loot")
    assert cora.all(Blow) == dora.all(Blow)
    await until(lambda: not cora.strikes())
    assert seen is not None
    assert not seen.fights
    # From 133 on the next level takes 932 more; the rat gave some of that.
    part = (me.experience - 133) / 932
    assert cora.experience() == (int(part * 100), int(part * 1000) % 100)
    assert me.experience > 133
    is_well(cora)
    is_well(dora)


async def test_what_it_leaves_is_looted_once(town: Town, autojump_clock: MockClock) -> None:
    cora, dora = await hunters(town)
    me, rat = town.mobile("Cora"), prey(town, "Cora")
    life.hurt(rat, 100, me)
    corpse = next(item for item in town.app.world.items.values() if item.remains is not None)
    for item in list(corpse.contents.values()):
        town.app.world.delete(item)
    bread = holding.make(town.app.world, "bread", amount=3)
    town.app.world.register(bread)
    holding.put(corpse, bread)
    town.app.loop.wake()
    await until(lambda: all(one.ghosts.by_id(corpse.serial) is not None for one in (cora, dora)))
    ghost = cora.ghosts.by_id(corpse.serial)
    assert ghost is not None
    assert (ghost.corpse, ghost.hits, ghost.attackable) == (True, 0, False)
    before = sum(item.amount for item in holding.belongings(me) if item.template.key == "bread")
    cora.targets(ghost.index)
    cora.types_command("loot")
    window = await cora.next(Loot)
    (thing,) = window.things
    assert (window.corpse, window.display) == (ghost.id, 1)
    assert (thing.count, thing.weight) == (3, bread.template.weight)
    assert "3 " in thing.name
    cora.loots(window.corpse, thing.number)
    await cora.next(LootOver)
    assert not corpse.contents
    after = sum(item.amount for item in holding.belongings(me) if item.template.key == "bread")
    assert after == before + 3
    told = len(cora.shown())
    cora.loots(window.corpse)
    await until(lambda: len(cora.shown()) > told)
    assert sum(item.amount for item in holding.belongings(me) if item.template.key == "bread") == after
    assert not dora.all(Loot), "the window is that of who looked"
    is_well(cora)
    is_well(dora)


async def test_who_dies_is_asked_where_to_go(town: Town, autojump_clock: MockClock) -> None:
    cora, dora = await hunters(town)
    me = town.mobile("Cora")
    life.hurt(me, me.hits, town.mobile("Dora"))
    town.app.loop.wake()
    window = await cora.next(DeathWindow)
    (way,) = window.ways
    assert not dora.all(DeathWindow)
    assert cora.all(Death) == dora.all(Death) == [Death(town.mobile("Dora").serial, me.serial)]
    came = len(cora.teleports())
    cora.types_command("select_junction", str(way.number))
    await until(lambda: len(cora.teleports()) > came)
    life.resurrect(me)
    town.app.loop.wake()
    await cora.next(Resurrected)
    is_well(cora)
    is_well(dora)


async def test_a_level_is_seen(town: Town, autojump_clock: MockClock) -> None:
    cora, dora = await hunters(town)
    me, rat = town.mobile("Cora"), prey(town, "Cora")
    await until(lambda: all(one.ghosts.by_id(rat.serial) is not None for one in (cora, dora)))
    learning.gain(me, 20_000)
    town.app.loop.wake()
    await until(lambda: cora.about_me()[1] == me.level)
    assert me.level > 3
    arrows = [one.ghosts.by_id(rat.serial) for one in (cora, dora)]
    await until(lambda: [ghost.arrow for ghost in arrows if ghost is not None] == [2, 3])
    assert any(f"level {me.level}" in line for line in dora.shown())
    is_well(cora)
    is_well(dora)
