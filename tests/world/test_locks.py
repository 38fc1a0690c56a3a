"""Chests: keys, what is taken, and when it is there again. (`world.locks`, `world.reach`)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.fixed import equip, fixed_world, standing
from tests.kit.worlds import goes_on, person
from world import hands, holding, looting
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile
    from world.world import World


@pytest.fixture
def world() -> World:
    return fixed_world()


@pytest.fixture
def chest(world: World) -> Item:
    return standing(world, "chest")


@pytest.fixture
def anna(world: World) -> Mobile:
    """With the key, in a bag."""
    anna = person(world, "Anna")
    pack = equip(anna, "sack")
    (sack,) = pack.contents.values()
    holding.put(sack, holding.make(world, "key"))
    world.register(sack)
    return anna


def amounts(chest: Item) -> dict[str, int]:
    found: dict[str, int] = {}
    for item in chest.contents.values():
        found[item.template.key] = found.get(item.template.key, 0) + item.amount
    return found


FULL = {"gold": 20, "dagger": 2}


def test_without_the_key_it_is_locked_for_all_that_hands_do(world: World, chest: Item) -> None:
    bert = person(world, "Bert")
    equip(bert, "bread")
    gold = next(iter(chest.contents.values()))
    bread = next(hands.carried_items(bert))
    hands.lift(bert, bread)
    for deed in (lambda: looting.look_into(bert, chest), lambda: hands.stow(bert, chest)):
        with pytest.raises(Cannot) as refused:
            deed()
        assert refused.value.why is Refusal.LOCKED
    hands.bounce(bert)
    with pytest.raises(Cannot) as refused:
        hands.take(bert, gold)
    assert refused.value.why is Refusal.LOCKED
    assert amounts(chest) == FULL


def test_who_has_the_key_takes_what_is_in_it_and_keeps_the_key(chest: Item, anna: Mobile) -> None:
    assert not looting.take_all(anna, chest)
    assert amounts(chest) == {}
    assert {"gold", "dagger", "key"} <= {item.template.key for item in hands.carried_items(anna)}


def test_it_is_filled_again_after_its_time_and_no_fuller(world: World, chest: Item, anna: Mobile) -> None:
    hands.take(anna, next(iter(chest.contents.values())))
    goes_on(world, 30)
    looting.take_all(anna, chest)
    goes_on(world, 29)
    assert amounts(chest) == {}
    goes_on(world, 10)
    assert amounts(chest) == FULL
    goes_on(world, 200)
    assert amounts(chest) == FULL


def test_two_want_the_same_thing_and_one_gets_it(world: World, chest: Item, anna: Mobile) -> None:
    bert = person(world, "Bert")
    equip(bert, "key")
    gold = next(item for item in chest.contents.values() if item.template.key == "gold")
    hands.take(anna, gold)
    with pytest.raises(Cannot):
        hands.take(bert, gold)
    assert gold.root is anna


def test_a_chest_itself_stays(chest: Item, anna: Mobile) -> None:
    with pytest.raises(Cannot) as refused:
        hands.lift(anna, chest)
    assert refused.value.why is Refusal.FIXED
