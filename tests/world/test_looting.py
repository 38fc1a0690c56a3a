"""Taking all that there is."""

from __future__ import annotations

import attrs

from tests.world.test_corpses import corpse_of, hunt, packed
from world import hands, life, looting
from world.events import Said
from world.holding import gold
from world.reach import Cannot, Refusal
from world.space import Sight


def test_all_of_a_corpse_is_taken_in_one_go_and_told_in_one_line() -> None:
    world, hero, wolf = hunt(seed=3)
    life.hurt(wolf, wolf.hits, hero)
    corpse = corpse_of(world)
    had = sum(item.amount for item in corpse.contents.values())
    before = sum(hands.carried(hero).values())
    world.open_viewport(hero, hero.serial, Sight(18))
    world.take_changes()
    assert looting.take_all(hero, corpse) == []
    assert not corpse.contents
    assert sum(hands.carried(hero).values()) == before + had
    (line,) = (event for event in world.take_changes().events if isinstance(event, Said))
    assert line.text.startswith("You take ")
    assert f"{gold(hero)} gold" in line.text
    assert looting.take_all(hero, corpse) == []
    (line,) = (event for event in world.take_changes().events if isinstance(event, Said))
    assert line.text == looting.EMPTY


def test_who_may_not_loot_takes_nothing() -> None:
    world, hero, wolf = hunt()
    stranger = packed(world, "Berta", 10, 11)
    life.hurt(wolf, wolf.hits, hero)
    corpse = corpse_of(world)
    inside = dict(corpse.contents)
    try:
        refusals = looting.take_all(stranger, corpse)
    except Cannot as cannot:
        refusals = [cannot]
    assert [refusal.why for refusal in refusals] == [Refusal.NOT_YOUR_KILL]
    assert corpse.contents == inside


def test_what_is_too_heavy_stays_and_its_reason_is_told_once() -> None:
    world, hero, wolf = hunt(seed=3)
    life.hurt(wolf, wolf.hits, hero)
    corpse = corpse_of(world)
    total = sum(item.amount for item in corpse.contents.values())
    for item in corpse.contents.values():
        if item.template.key == "shirt":
            item.template = attrs.evolve(item.template, weight=10_000)
    refusals = looting.take_all(hero, corpse)
    assert [item.template.key for item in corpse.contents.values()] == ["shirt", "shirt"]
    assert [refusal.why for refusal in refusals] == [Refusal.HEAVY]
    assert sum(hands.carried(hero).values()) == total - 2
