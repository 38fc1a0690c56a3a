"""Chests: keys, what is taken, and when it is there again. (`world.locks`, `world.reach`)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.fixed import equip, fixed_world, standing
from tests.kit.worlds import goes_on, person
from world import chests, dialogs, hands, holding, looting, stowing, using
from world.containers import MOST_IN_CONTAINER
from world.dialogs import Choice
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


def reply(actor: Mobile, button: int, given: dict[str, int | list[int]]) -> None:
    """Answer what is asked."""
    (asked,) = actor.dialogs.values()
    assert dialogs.answer(actor, asked.serial, asked.type_id, button, given)


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


def test_what_is_put_in_comes_out_of_all_stacks_and_lies_on_the_equal_one(chest: Item, anna: Mobile) -> None:
    pack = anna.backpack
    assert pack is not None
    for _ in range(2):
        holding.put(pack, holding.make(anna.world, "gold", amount=40))
    anna.world.register(pack)
    stowing.put_kind(anna, chest, "gold", 70)
    assert (amounts(chest)["gold"], hands.carried(anna)["gold"]) == (90, 10)
    assert len([item for item in chest.contents.values() if item.template.key == "gold"]) == 1
    rest = next(hands.carried_items(anna, "gold"))
    stowing.put(anna, chest, rest, 4)
    assert (amounts(chest)["gold"], hands.carried(anna)["gold"]) == (94, 6)


def test_what_does_not_go_in_stays_where_it_is(world: World, chest: Item, anna: Mobile) -> None:
    bert = person(world, "Bert")
    equip(bert, "sack", "dagger", "dagger")
    dagger = next(hands.carried_items(bert, "dagger"))
    gold = next(item for item in chest.contents.values() if item.template.key == "gold")
    while len(chest.contents) < MOST_IN_CONTAINER - 1:
        holding.put(chest, holding.make(anna.world, "dagger"))
    chest.world.register(chest)
    holding.put(anna.backpack or chest, holding.make(anna.world, "gold", amount=5))
    for deed, why in (
        (lambda: stowing.put(bert, chest, dagger), Refusal.LOCKED),
        (lambda: stowing.put_kind(bert, chest, "dagger", 2), Refusal.LOCKED),
        (lambda: stowing.put(anna, chest, dagger), Refusal.NOT_YOURS),
        (lambda: stowing.put(anna, chest, gold), Refusal.NOT_YOURS),
        (lambda: stowing.put_kind(anna, chest, "dagger", 1), Refusal.AMOUNT),
        (lambda: stowing.put_kind(anna, chest, "gold", 6), Refusal.AMOUNT),
        (lambda: stowing.put_kind(anna, chest, "gold", 0), Refusal.AMOUNT),
    ):
        before = amounts(chest)
        with pytest.raises(Cannot) as refused:
            deed()
        assert refused.value.why is why
        assert amounts(chest) == before
    holding.put(bert.backpack or chest, holding.make(anna.world, "key"))
    bert.world.register(bert.backpack or chest)
    with pytest.raises(Cannot) as refused:
        stowing.put_kind(bert, chest, "dagger", 2)
    assert refused.value.why is Refusal.FULL
    assert hands.carried(bert)["dagger"] == 2, "one alone would have found room"
    stowing.put_kind(bert, chest, "dagger", 1)


def test_of_a_kind_all_is_taken_that_can_be_carried(chest: Item, anna: Mobile) -> None:
    assert looting.take_kind(anna, chest, "dagger") == (2, None)
    room = holding.capacity(anna) - holding.weight(anna)
    for _ in range(2):
        holding.put(chest, holding.make(anna.world, "bread", amount=room))
    chest.world.register(chest)
    taken, refusal = looting.take_kind(anna, chest, "bread")
    assert (taken, refusal and refusal.why) == (room, Refusal.HEAVY)
    with pytest.raises(Cannot) as refused:
        looting.take_kind(anna, chest, "bread")
    assert refused.value.why is Refusal.HEAVY
    with pytest.raises(Cannot) as refused:
        looting.take_kind(anna, chest, "dagger")
    assert refused.value.why is Refusal.GONE


def test_a_chest_asks_what_to_put_in_and_how_many(chest: Item, anna: Mobile) -> None:
    anna.windows = frozenset()
    holding.put(anna.backpack or chest, holding.make(anna.world, "bread", amount=3))
    anna.world.register(anna.backpack or chest)
    using.use(anna, chest)
    reply(anna, chests.PUT, {})
    (asked,) = anna.dialogs.values()
    choice = asked.inputs[0]
    assert isinstance(choice, Choice)
    (bread,) = [option.number for option in choice.options if "bread" in option.label]
    reply(anna, 1, {"thing": [bread], "amount": 2})
    assert (amounts(chest)["bread"], hands.carried(anna)["bread"]) == (2, 1)
    (asked,) = anna.dialogs.values()
    assert "2 " in asked.text, "and shows what is in it now"
