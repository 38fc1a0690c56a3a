"""Stacks are split and put together: amounts are conserved, and none grows beyond the largest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.hands import dressed, everything, lying, of, pack, refused
from tests.kit.worlds import plain_world
from world import hands, holding, motion
from world.containers import MOST_IN_CONTAINER, MOST_IN_STACK
from world.events import Taken
from world.reach import Refusal

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile
    from world.world import World


def test_of_a_split_stack_the_lifted_part_keeps_its_serial() -> None:
    world = plain_world()
    anna = dressed(world)
    gold = of(anna, "gold")
    hands.lift(anna, gold, 30)
    assert gold.amount == 30
    rest = of(anna, "gold")
    assert rest is not gold
    assert rest.amount == 70
    assert world.items[rest.serial] is rest
    assert (rest.slot_x, rest.slot_y) == (gold.slot_x, gold.slot_y)


@pytest.mark.parametrize("amount", [0, -1, 101, 1 << 40])
def test_r63_a_stack_is_split_only_into_what_there_is(amount: int) -> None:
    world = plain_world()
    anna = dressed(world)
    before = everything(world)
    refused(Refusal.AMOUNT, lambda: hands.lift(anna, of(anna, "gold"), amount))
    refused(Refusal.AMOUNT, lambda: hands.drop_kind(anna, "gold", amount, 10, 10))
    assert everything(world) == before


def test_r63_no_stack_grows_beyond_what_a_client_can_show() -> None:
    world = plain_world()
    anna = dressed(world)
    anna.strength = 1000
    heap = lying(world, "gold", 10, 11, MOST_IN_STACK - 50)
    hands.lift(anna, of(anna, "gold"))
    refused(Refusal.FULL, lambda: hands.stack(anna, heap))
    assert anna.held is not None
    hands.bounce(anna)
    taken = hands.take(anna, heap)
    assert taken is heap, "beside the other stack, not onto it"
    assert hands.carried(anna)["gold"] == MOST_IN_STACK + 50


LARGEST = 60_000
"""Of one stack: a number of its own, not the program's."""


def coins(world: World, mobile: Mobile, *amounts: int) -> list[Item]:
    """Somebody strong enough has these stacks of gold in its pack, and no other."""
    mobile.strength = 10_000
    world.delete(of(mobile, "gold"))
    made = [holding.make(world, "gold", amount=amount) for amount in amounts]
    for item in made:
        world.register(item)
        holding.put(pack(mobile), item)
    world.take_changes()
    return made


def heaps(world: World) -> list[int]:
    """The amounts of all stacks of gold."""
    return sorted(item.amount for item in world.items.values() if item.template.key == "gold")


@pytest.mark.parametrize("one", [1, 2, 30_000, LARGEST - 1])
def test_two_stacks_become_the_largest_but_never_one_more_by_hand(one: int) -> None:
    world = plain_world()
    anna = dressed(world)
    held, full = coins(world, anna, one + 1, LARGEST - one)
    hands.lift(anna, held)
    refused(Refusal.FULL, lambda: hands.stack(anna, full))
    assert anna.held is held, "what does not fit stays in the hand"
    hands.bounce(anna)
    assert heaps(world) == sorted([one + 1, LARGEST - one])
    assert {item.parent for item in (held, full)} == {pack(anna)}
    hands.lift(anna, held, one)
    assert hands.stack(anna, full) is full
    assert heaps(world) == sorted([1, LARGEST])


@pytest.mark.parametrize("one", [1, 2, 30_000, LARGEST - 1])
@pytest.mark.parametrize("way", ["stow", "take", "give"])
def test_two_stacks_become_the_largest_but_never_one_more_in_a_pack(one: int, way: str) -> None:
    world = plain_world()
    anna, bert = dressed(world), dressed(world, "Bert", 11, 10)
    owner = bert if way == "give" else anna
    (full,) = coins(world, owner, LARGEST - one)
    anna.strength = 10_000
    other = bert if owner is anna else anna
    world.delete(of(other, "gold"))

    def gets(item: Item) -> Item:
        if way == "take":
            return hands.take(anna, item)
        hands.lift(anna, item)
        return hands.stow(anna, pack(anna)) if way == "stow" else hands.hand_over(anna, bert)

    more = lying(world, "gold", 10, 10, one + 1)
    assert gets(more) is more, "beside it, not onto it"
    assert more.parent is full.parent is pack(owner)
    assert heaps(world) == sorted([one + 1, LARGEST - one])
    world.delete(more)
    assert gets(lying(world, "gold", 10, 10, one)) is full
    assert heaps(world) == [LARGEST]


def test_one_more_than_the_largest_stack_has_no_place_in_a_full_pack() -> None:
    world = plain_world()
    anna = dressed(world)
    (full,) = coins(world, anna, LARGEST)
    while len(pack(anna).contents) < MOST_IN_CONTAINER:
        holding.put(pack(anna), holding.make(world, "dagger"))
    world.register(pack(anna))
    coin = lying(world, "gold", 10, 10)
    before = everything(world)
    refused(Refusal.FULL, lambda: hands.take(anna, coin))
    assert everything(world) == before
    hands.lift(anna, coin)
    refused(Refusal.FULL, lambda: hands.stow(anna, pack(anna)))
    refused(Refusal.FULL, lambda: hands.stack(anna, full))
    hands.bounce(anna)
    assert everything(world) == before


def test_a_split_stack_whose_rest_has_grown_to_the_largest_stays_split() -> None:
    """Somebody adds to the rest while its other part is in a hand: together they would be one too many."""
    world = plain_world()
    anna, bert = dressed(world), dressed(world, "Bert", 11, 10)
    anna.strength = bert.strength = 10_000
    for mobile in (anna, bert):
        world.delete(of(mobile, "gold"))
    heap, more = lying(world, "gold", 10, 11, 100), lying(world, "gold", 11, 11, LARGEST - 99)
    hands.lift(anna, heap, 1)
    rest = next(item for item in world.items.values() if item.template.key == "gold" and item.amount == 99)
    hands.lift(bert, more, LARGEST - 99)
    assert hands.stack(bert, rest) is rest
    assert rest.amount == LARGEST
    hands.bounce(anna)
    assert anna.held is None
    assert (heap.x, heap.y, heap.amount) == (10, 11, 1)
    assert heaps(world) == [1, LARGEST]


def test_one_more_than_the_largest_stack_cannot_be_dropped_as_one() -> None:
    world = plain_world()
    anna = dressed(world)
    coins(world, anna, LARGEST, 1)
    before = everything(world)
    refused(Refusal.AMOUNT, lambda: hands.drop_kind(anna, "gold", LARGEST + 1, 10, 10))
    assert everything(world) == before
    assert hands.drop_kind(anna, "gold", LARGEST, 10, 10).amount == LARGEST
    assert heaps(world) == [1, LARGEST]


def test_a_bounce_puts_a_split_stack_together_again() -> None:
    world = plain_world()
    anna = dressed(world)
    gold = hands.lift(anna, of(anna, "gold"), 30)
    rest = of(anna, "gold")
    world.take_changes()
    hands.bounce(anna)
    assert [item.serial for item in pack(anna).contents.values() if item.template.key == "gold"] == [
        gold.serial
    ]
    assert gold.amount == 100
    assert rest.serial not in world.items
    assert [m.thing for m in world.take_changes().events if isinstance(m, Taken)] == [rest]


def test_a_bounce_does_not_follow_the_rest_into_a_strangers_pack() -> None:
    world = plain_world()
    anna, bert = dressed(world), dressed(world, "Bert")
    heap = lying(world, "gold", 10, 10, 50)
    hands.lift(anna, heap, 20)
    [rest] = [item for item in world.items.values() if item.realm is not None]
    hands.take(bert, rest)
    hands.bounce(anna)
    assert heap.realm is not None
    assert heap.amount == 20
    assert hands.carried(bert)["gold"] == 130


def test_a_bounce_takes_nothing_out_of_a_bag_that_others_have_taken_away() -> None:
    world = plain_world()
    anna, bert = dressed(world), dressed(world, "Bert")
    bag = lying(world, "backpack", 10, 11)
    hands.lift(anna, of(anna, "gold"))
    hands.stow(anna, bag)
    [heap] = bag.contents.values()
    hands.lift(bert, heap, 1)
    hands.take(anna, bag)
    hands.bounce(bert)
    assert hands.carried(bert)["gold"] == 101
    assert hands.carried(anna)["gold"] == 99


def test_a_bounce_from_afar_puts_back_and_carries_nothing_away() -> None:
    world = plain_world()
    bert = dressed(world, "Bert")
    bag = lying(world, "backpack", 10, 11)
    heap = holding.make(world, "bread", amount=500, stored=False)
    world.register(heap)
    holding.put(bag, heap)
    hands.lift(bert, heap, 1)
    weight = holding.weight(bert)
    motion.go(bert, 30, 30, 0)
    hands.bounce(bert)
    assert heap.parent is bag
    assert heap.amount == 500
    assert holding.weight(bert) == weight - 1


def test_a_bounce_fills_no_pack_beyond_its_measure() -> None:
    world = plain_world()
    anna, bert = dressed(world), dressed(world, "Bert")
    bag = lying(world, "backpack", 10, 11)
    loaf = holding.make(world, "candle", stored=False)
    world.register(loaf)
    holding.put(bag, loaf)
    hands.lift(anna, loaf)
    hands.take(bert, bag)
    while len(pack(anna).contents) < MOST_IN_CONTAINER:
        more = holding.make(world, "candle", stored=False)
        world.register(more)
        holding.put(pack(anna), more)
    hands.bounce(anna)
    assert (loaf.realm, loaf.x, loaf.y) == (anna.realm, anna.x, anna.y)
