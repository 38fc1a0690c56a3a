"""Poison: what it takes, how it ends, and whose blows bring it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import goes_on, person, plain_content, plain_world
from world import ailments, fighting, life, residents
from world.content import Creature, MobileTemplate, Resident
from world.delta import MobileDelta
from world.events import Died
from world.rules.numbers import PoisonRule

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.world import World

RULE = PoisonRule()


@pytest.fixture
def world() -> World:
    """With nobody in it."""
    return plain_world()


def spider_beside(*, venom: int, chance: float = 1.0) -> tuple[World, Mobile, Mobile]:
    """Somebody and a creature beside it, whose every blow that hits may poison."""
    content = plain_content(residents=(Resident("spider", 11, 10),))
    assert isinstance(content.mobiles, dict)
    kind = Creature(level=1, hits=20, armour=0, skill=100.0, least=1, most=1, venom=venom)
    content.mobiles["spider"] = MobileTemplate("spider", "a spider", creature=True, fights=kind)
    world = plain_world(attrs.evolve(content, poison=PoisonRule(chance=chance)))
    residents.settle(world)
    spider = next(iter(world.mobiles.values()))
    return world, person(world), spider


def test_poison_takes_hits_every_few_seconds_and_ends(world: World) -> None:
    mobile = person(world)
    mobile.hits = mobile.hits_max = 200
    assert ailments.poison(mobile, 4)
    assert (mobile.poisoned, mobile.hits) == (True, 200)
    goes_on(world, RULE.seconds + 0.1)
    assert mobile.hits == 196
    goes_on(world, RULE.seconds * RULE.times)
    assert (mobile.poisoned, mobile.poison) == (False, None)
    ended = mobile.hits
    assert 200 - 4 * RULE.times <= ended <= 200
    goes_on(world, 10 * RULE.seconds)
    assert mobile.hits >= ended


def test_viewers_are_told_of_it(world: World) -> None:
    mobile = person(world)
    world.take_changes()
    ailments.poison(mobile, 1)
    assert {thing.serial: flags for thing, flags in world.take_changes().dirty}[
        mobile.serial
    ] & MobileDelta.FLAGS


def test_a_cure_ends_it_and_there_is_nothing_to_cure_afterwards(world: World) -> None:
    mobile = person(world)
    ailments.poison(mobile, 4)
    assert ailments.cure(mobile)
    assert not ailments.cure(mobile)
    goes_on(world, 2 * RULE.seconds)
    assert (mobile.poisoned, mobile.hits) == (False, mobile.hits_max)
    assert len(world.timers) == 0


def test_the_stronger_of_two_works_on_from_the_beginning(world: World) -> None:
    mobile = person(world)
    mobile.hits = mobile.hits_max = 500
    ailments.poison(mobile, 5)
    goes_on(world, RULE.seconds * 3 + 0.1)
    ailments.poison(mobile, 2)
    assert mobile.poison is not None
    assert (mobile.poison.venom, mobile.poison.left) == (5, RULE.times)
    ailments.poison(mobile, 9)
    assert mobile.poison.venom == 9
    assert len([timer for timer in mobile.timers or () if timer is mobile.poison.timer]) == 1


def test_it_kills_once_and_its_timer_ends_with_the_life(world: World) -> None:
    mobile = person(world)
    mobile.hits = 3
    ailments.poison(mobile, 2)
    goes_on(world, RULE.seconds * 2 + 0.2)
    assert mobile.dead
    assert (mobile.poisoned, mobile.poison) == (False, None)
    goes_on(world, RULE.seconds * 3)
    assert sum(isinstance(event, Died) for event in world.events) == 1
    assert not ailments.poison(mobile, 2)


def test_no_poison_is_no_poison(world: World) -> None:
    with pytest.raises(ValueError, match="0"):
        ailments.poison(person(world), 0)


def test_who_poisoned_has_its_part_of_the_kill(world: World) -> None:
    mobile, other = person(world), person(world, "Berta", 11)
    ailments.poison(mobile, 4, other)
    goes_on(world, RULE.seconds + 0.1)
    assert mobile.wounds == {other.serial: 4}
    world.leave(other)
    goes_on(world, RULE.seconds)
    assert mobile.hits < mobile.hits_max - 4


def test_a_blow_with_venom_poisons_whom_it_hits() -> None:
    world, mobile, spider = spider_beside(venom=3)
    fighting.attack(spider, mobile)
    goes_on(world, 10)
    assert mobile.poison is not None
    assert (mobile.poison.venom, mobile.poison.by) == (3, spider.serial)


@pytest.mark.parametrize(("venom", "chance"), [(0, 1.0), (3, 0.0)])
def test_one_without_venom_or_luck_does_not(venom: int, chance: float) -> None:
    world, mobile, spider = spider_beside(venom=venom, chance=chance)
    fighting.attack(spider, mobile)
    goes_on(world, 10)
    assert mobile.hits < mobile.hits_max
    assert not mobile.poisoned


def test_the_dead_are_free_of_it(world: World) -> None:
    mobile = person(world)
    ailments.poison(mobile, 2)
    life.kill(mobile)
    life.resurrect(mobile)
    hits = mobile.hits
    goes_on(world, RULE.seconds + 0.1)
    assert mobile.hits >= hits
