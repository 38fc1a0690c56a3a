"""Corpses: what is in them, who may take it, when things fall, and that nothing is made or lost by it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import goes_on, person, plain_content, plain_world
from world import corpses, decay, hands, holding, life, looting, residents, using
from world.companions import Party
from world.content import Creature, ItemTemplate, Loot, MobileTemplate, Resident
from world.events import Died, Entered, Left, Why
from world.mobile import Mobile, Notoriety
from world.reach import Cannot, Refusal
from world.rules.numbers import LawRule

if TYPE_CHECKING:
    from world.content import Content
    from world.item import Item
    from world.world import World

LAW = LawRule()
LATE = 10
"""Seconds by which timers of minutes may be late: `world.timers`."""
LOOT = (Loot("gold", 20, 40), Loot("bread", 1, 2, 0.5), Loot("shirt", 2, 2))
CORPSE = ItemTemplate("corpse", "corpse", container=True, movable=False)


def content(drops: str = "pack") -> Content:
    """The plain with a wolf at 11, 10 that has gold, perhaps bread, and two shirts."""
    plain = plain_content(residents=(Resident("wolf", 11, 10, respawn=5),))
    assert isinstance(plain.items, dict)
    assert isinstance(plain.mobiles, dict)
    plain.items["corpse"] = CORPSE
    kind = Creature(level=1, hits=20, armour=0, skill=20.0, least=1, most=1, loot=LOOT)
    plain.mobiles["wolf"] = MobileTemplate("wolf", "a wolf", hits=20, creature=True, fights=kind)
    return attrs.evolve(plain, law=attrs.evolve(LAW, drops=drops))


def hunt(*, seed: int = 1, drops: str = "pack") -> tuple[World, Mobile, Mobile]:
    """A world, somebody with a pack, and the wolf beside."""
    world = plain_world(content(drops), seed=seed)
    residents.settle(world)
    return world, packed(world, "Alric"), wolf_of(world)


def wolf_of(world: World) -> Mobile:
    return next(mobile for mobile in world.mobiles.values() if mobile.template.key == "wolf")


def packed(world: World, name: str, x: int = 10, y: int = 10, gold: int = 0) -> Mobile:
    """Somebody with a pack, and with gold in it."""
    mobile = person(world, name, x, y)
    mobile.strength = 100
    pack = holding.make(world, "backpack")
    holding.wear(mobile, pack)
    if gold:
        holding.put(pack, holding.make(world, "gold", amount=gold))
    world.register(pack)
    return mobile


def corpse_of(world: World) -> Item:
    """The one corpse there is."""
    (corpse,) = (item for item in world.items.values() if item.remains is not None)
    return corpse


def within(corpse: Item) -> Counter[str]:
    return Counter({item.template.key: item.amount for item in corpse.contents.values()})


def lying(world: World) -> list[Item]:
    """What lies on the ground, corpses left out."""
    return [item for item in world.items.values() if item.realm is not None and item.remains is None]


def gold_in(world: World) -> int:
    """All coins there are."""
    return sum(item.amount for item in world.items.values() if item.template.key == "gold")


def refused(actor: Mobile, item: Item) -> Refusal:
    with pytest.raises(Cannot) as caught:
        hands.lift(actor, item)
    return caught.value.why


# What is left


def test_a_creature_leaves_its_loot_in_a_corpse_where_it_stood() -> None:
    world, hunter, wolf = hunt()
    world.take_changes()
    life.hurt(wolf, 99, hunter)
    corpse = corpse_of(world)
    assert (corpse.x, corpse.y, corpse.label, corpse.stored) == (11, 10, "corpse of a wolf", True)
    assert corpse.remains is not None
    assert (corpse.remains.template, corpse.remains.owner) == ("wolf", 0)
    found = within(corpse)
    assert 20 <= found["gold"] <= 40
    assert sum(item.template.key == "shirt" for item in corpse.contents.values()) == 2
    assert all(item.stored for item in corpse.contents.values())
    assert world.items.keys() >= corpse.contents.keys()


def test_the_corpse_comes_first_then_the_death_then_the_creature_is_gone() -> None:
    world, hunter, wolf = hunt()
    world.take_changes()
    life.hurt(wolf, 99, hunter)
    corpse = corpse_of(world)
    order = [event for event in world.events if isinstance(event, Entered | Died | Left)]
    entered, died, left = order
    assert isinstance(entered, Entered)
    assert entered.thing is corpse
    assert isinstance(died, Died)
    assert (died.thing, died.corpse, died.by) == (wolf, corpse, hunter)
    assert isinstance(left, Left)
    assert (left.thing, left.why) == (wolf, Why.DIED)


def test_the_dice_say_what_there_is() -> None:
    amounts = set()
    for seed in range(40):
        world, hunter, wolf = hunt(seed=seed)
        life.hurt(wolf, 99, hunter)
        found = within(corpse_of(world))
        amounts.add((found["gold"], found["bread"]))
    assert {gold for gold, _ in amounts} <= set(range(20, 41))
    assert {bread for _, bread in amounts} == {0, 1, 2}


@pytest.mark.parametrize(
    ("drops", "in_corpse", "worn"),
    [("keep", {}, True), ("pack", {"gold": 70}, True), ("all", {"gold": 70, "shirt": 1}, False)],
)
def test_a_player_loses_what_the_law_says(drops: str, in_corpse: dict[str, int], worn: bool) -> None:
    world, _, _ = hunt(drops=drops)
    victim = packed(world, "Berta", 20, 20, gold=70)
    shirt = holding.make(world, "shirt")
    holding.wear(victim, shirt)
    world.register(shirt)
    life.kill(victim)
    corpse = corpse_of(world)
    assert dict(within(corpse)) == in_corpse
    assert (shirt.layer in victim.worn) == worn
    assert victim.backpack is not None
    assert corpse.remains is not None
    assert corpse.remains.owner == victim.serial


def test_what_was_in_the_hand_is_in_the_corpse() -> None:
    world, _, _ = hunt()
    victim = packed(world, "Berta", 20, 20, gold=70)
    pack = victim.backpack
    assert pack is not None
    hands.lift(victim, next(iter(pack.contents.values())), 30)
    life.kill(victim)
    assert dict(within(corpse_of(world))) == {"gold": 70}
    assert victim.held is None


def test_without_serials_one_dies_all_the_same() -> None:
    world, hunter, wolf = hunt()
    world.serials.item_mark = world.serials.next_item + 1
    life.hurt(wolf, 99, hunter)
    assert wolf.dead
    assert not any(item.remains for item in world.items.values())


# Who may take it


def test_who_did_most_may_loot_alone_for_a_while() -> None:
    world, hunter, wolf = hunt()
    late = packed(world, "Berta", 12, 10)
    life.hurt(wolf, 12, hunter)
    life.hurt(wolf, 99, late)
    corpse = corpse_of(world)
    gold = next(item for item in corpse.contents.values() if item.template.key == "gold")
    assert refused(late, gold) is Refusal.NOT_YOUR_KILL
    with pytest.raises(Cannot) as caught:
        looting.look_into(late, corpse)
    assert caught.value.why is Refusal.NOT_YOUR_KILL
    assert gold in looting.look_into(hunter, corpse)
    goes_on(world, LAW.rights_seconds - 1)
    assert refused(late, gold) is Refusal.NOT_YOUR_KILL
    goes_on(world, 1.5)
    hands.take(late, gold)
    assert holding.gold(late) == gold.amount


def test_a_party_counts_as_one_and_loots_as_one() -> None:
    world, hunter, wolf = hunt()
    ally, other = packed(world, "Berta", 12, 10), packed(world, "Cato", 12, 11)
    idle = packed(world, "Dora", 10, 11)
    wolf.hits = 50
    hunter.party = ally.party = idle.party = Party([hunter.serial, ally.serial, idle.serial])
    life.hurt(wolf, 15, hunter)
    life.hurt(wolf, 15, ally)
    life.hurt(wolf, 20, other)
    corpse = corpse_of(world)
    assert corpse.remains is not None
    assert corpse.remains.rights == {hunter.serial, ally.serial, idle.serial}
    assert looting.look_into(idle, corpse)
    with pytest.raises(Cannot):
        looting.look_into(other, corpse)


def test_a_corpse_is_opened_from_two_tiles_and_not_carried_away() -> None:
    world, hunter, wolf = hunt()
    life.hurt(wolf, 99, hunter)
    corpse = corpse_of(world)
    assert refused(hunter, corpse) is Refusal.FIXED
    world.warp(hunter, world.realms["plain"], 9, 10)
    assert using.use(hunter, corpse) is using.Deed.OPENED
    world.warp(hunter, world.realms["plain"], 8, 10)
    with pytest.raises(Cannot) as caught:
        using.use(hunter, corpse)
    assert caught.value.why is Refusal.FAR


def test_ghosts_open_nothing_not_even_their_own() -> None:
    world, _, _ = hunt()
    victim = packed(world, "Berta", 20, 20, gold=70)
    life.kill(victim)
    corpse = corpse_of(world)
    with pytest.raises(Cannot) as caught:
        looting.look_into(victim, corpse)
    assert caught.value.why is Refusal.DEAD
    life.resurrect(victim)
    hands.take(victim, next(iter(corpse.contents.values())))
    assert (holding.gold(victim), victim.notoriety) == (70, Notoriety.INNOCENT)


def test_looting_an_innocent_is_a_crime_but_not_to_its_party() -> None:
    world, thief, _ = hunt()
    victim = packed(world, "Berta", 11, 11, gold=70)
    friend = packed(world, "Cato", 12, 11)
    victim.party = friend.party = Party([victim.serial, friend.serial])
    life.kill(victim)
    (gold,) = corpse_of(world).contents.values()
    hands.lift(friend, gold, 10)
    hands.bounce(friend)
    assert friend.notoriety == Notoriety.INNOCENT
    hands.lift(thief, gold, 10)
    assert thief.notoriety == Notoriety.CRIMINAL


def test_looking_alone_is_no_crime_and_a_criminals_corpse_is_free() -> None:
    world, looter, _ = hunt()
    victim = packed(world, "Berta", 11, 11, gold=70)
    victim.notoriety = Notoriety.CRIMINAL
    life.kill(victim)
    corpse = corpse_of(world)
    (gold,) = looting.look_into(looter, corpse)
    hands.take(looter, gold)
    assert looter.notoriety == Notoriety.INNOCENT


# What falls


def test_a_corpse_decays_and_its_things_fall_around_it() -> None:
    world, hunter, wolf = hunt()
    life.hurt(wolf, 99, hunter)
    corpse = corpse_of(world)
    things = set(corpse.contents)
    goes_on(world, LAW.corpse_seconds - 1)
    assert corpse.serial in world.items
    assert lying(world) == []
    goes_on(world, 1 + LATE)
    assert corpse.serial not in world.items
    assert corpse.serial in world.deleted
    assert {item.serial for item in lying(world)} == things
    assert all(max(abs(item.x - 11), abs(item.y - 10)) <= 1 for item in lying(world))
    goes_on(world, LAW.ground_seconds + LATE)
    assert lying(world) == []
    assert world.deleted >= things


def test_it_falls_at_once_where_the_killer_opens_no_corpses_and_is_still_its_own() -> None:
    world, hunter, wolf = hunt()
    other = packed(world, "Berta", 12, 10)
    hunter.opens_corpses = False
    life.hurt(wolf, 99, hunter)
    corpse = corpse_of(world)
    assert len(corpse.contents) == 0
    gold = next(item for item in lying(world) if item.template.key == "gold")
    died = next(at for at, event in enumerate(world.events) if isinstance(event, Died))
    fell = [at for at, event in enumerate(world.events) if isinstance(event, Entered) and event.thing is gold]
    assert fell > [died]
    assert refused(other, gold) is Refusal.NOT_YOUR_KILL
    hands.take(hunter, gold)
    hands.drop(hunter, gold, gold.amount, 11, 10)
    hands.take(other, gold)  # whoever has taken it up has given up the right


def test_the_things_of_a_player_whose_game_opens_no_corpses_fall_and_are_still_its() -> None:
    world, thief, _ = hunt()
    victim = packed(world, "Berta", 11, 11, gold=70)
    victim.opens_corpses = False
    life.kill(victim)
    (gold,) = lying(world)
    hands.lift(thief, gold, 20)
    assert thief.notoriety == Notoriety.CRIMINAL
    hands.bounce(thief)
    friend = packed(world, "Cato", 12, 11)
    hands.take(friend, gold)
    assert friend.notoriety == Notoriety.CRIMINAL


def test_where_there_is_no_room_things_stay_in_the_corpse(monkeypatch: pytest.MonkeyPatch) -> None:
    world, hunter, wolf = hunt()
    life.hurt(wolf, 99, hunter)
    corpse = corpse_of(world)
    monkeypatch.setattr(decay, "MOST_IN_REALM", 1)
    goes_on(world, LAW.corpse_seconds + 1)
    assert corpse.serial in world.items
    monkeypatch.undo()
    goes_on(world, decay.NO_ROOM_SECONDS + LATE)
    assert corpse.serial not in world.items
    assert len(lying(world)) > 0


def test_what_was_dropped_decays_unless_it_is_taken_up() -> None:
    world, hunter, _ = hunt()
    pack = hunter.backpack
    assert pack is not None
    for name in ("", "a keepsake"):
        item = holding.make(world, "shirt")
        item.name = name
        holding.put(pack, item)
        world.register(item)
    dropped, named = list(pack.contents.values())
    hands.drop(hunter, named, 1, 10, 10)
    hands.drop(hunter, dropped, 1, 10, 10)
    goes_on(world, LAW.ground_seconds - 1)
    hands.take(hunter, dropped)
    goes_on(world, 5)
    assert dropped.parent is pack
    hands.drop(hunter, dropped, 1, 10, 10)
    goes_on(world, LAW.ground_seconds - 1)
    assert dropped.realm is not None
    goes_on(world, 1 + LATE)
    assert dropped.serial not in world.items
    assert named.realm is not None


# That nothing is made or lost


def test_gold_is_made_by_deaths_alone_and_taken_once() -> None:
    world, hunter, _ = hunt(seed=7)
    other = packed(world, "Berta", 12, 10, gold=500)
    other.opens_corpses = False
    made, dice = gold_in(world), world.random
    for _ in range(30):
        wolf = wolf_of(world)
        killer = dice.choice((hunter, other))
        before = gold_in(world)
        life.hurt(wolf, 99, killer)
        made += gold_in(world) - before
        assert 20 <= gold_in(world) - before <= 40
        for item in list(world.items.values()):
            if item.template.key == "gold" and item.root not in (hunter, other) and dice.random() < 0.7:
                for actor in (hunter, other):
                    try:
                        hands.take(actor, item, dice.randint(1, item.amount))
                    except Cannot:
                        continue
        assert gold_in(world) == made
        goes_on(world, 6)
    assert holding.gold(hunter) + holding.gold(other) > 500
    for item in world.items.values():
        holders = [item.realm is not None, item.parent is not None]
        assert holders.count(True) == 1


def test_victors_are_none_where_creatures_did_it() -> None:
    world, _, wolf = hunt()
    victim = packed(world, "Berta", 20, 20, gold=70)
    life.hurt(victim, 99, wolf)
    corpse = corpse_of(world)
    assert corpse.remains is not None
    assert corpse.remains.rights == frozenset()
    assert corpse.template.key == corpses.CORPSE
