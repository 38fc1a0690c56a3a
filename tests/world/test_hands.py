"""Things change hands: who may take what from where, and where it goes."""

from __future__ import annotations

from functools import partial

import pytest

from tests.kit.hands import dressed, lying, of, pack, refused
from tests.kit.worlds import plain_content, plain_world
from world import checks, containers, hands, holding, life
from world.containers import MOST_IN_CONTAINER, MOST_IN_STACK
from world.events import Bounced, Left, Taken
from world.item import Layer
from world.reach import Cannot, Refusal, can_reach, can_see, can_take
from world.space import Sight


def test_a_lifted_item_is_in_the_hand_and_nowhere_else() -> None:
    world = plain_world()
    anna = dressed(world)
    dagger = of(anna, "dagger")
    hands.lift(anna, dagger)
    assert anna.held is dagger
    assert dagger.parent is anna
    assert dagger.layer == 0
    assert dagger.serial not in pack(anna).contents
    assert dagger not in anna.worn.values()
    assert holding.weight(anna) > 0
    [taken] = [m for m in world.take_changes().events if isinstance(m, Taken)]
    assert taken.thing is dagger
    assert taken.holder is anna


def test_what_is_laid_down_is_there_for_all() -> None:
    world = plain_world()
    anna = dressed(world)
    hands.drop(anna, of(anna, "gold"), 40, 11, 12)
    [heap] = [item for item in world.items.values() if item.realm is not None]
    assert (heap.x, heap.y, heap.amount) == (11, 12, 40)
    assert hands.carried(anna)["gold"] == 60


def test_hands_reach_two_tiles_and_not_through_walls() -> None:
    walls = frozenset({(11, 10)})
    world = plain_world(plain_content(walls=walls))
    anna = dressed(world)
    refused(Refusal.FAR, lambda: hands.take(anna, lying(world, "bread", 13, 10)))
    refused(Refusal.FAR, lambda: hands.take(anna, lying(world, "bread", 12, 10)))
    hands.take(anna, lying(world, "bread", 12, 11))
    hands.take(anna, lying(world, "bread", 12, 12))
    refused(Refusal.FAR, lambda: hands.drop(anna, of(anna, "dagger"), 1, 12, 10))
    refused(Refusal.BLOCKED, lambda: hands.drop(anna, of(anna, "dagger"), 1, 11, 10))
    refused(Refusal.FAR, lambda: hands.drop(anna, of(anna, "dagger"), 1, 10, 13))
    refused(Refusal.BLOCKED, lambda: hands.drop(anna, of(anna, "dagger"), 1, -1, 10))


def test_what_others_have_is_theirs() -> None:
    world = plain_world()
    anna, bert = dressed(world), dressed(world, "Bert")
    for item in (of(bert, "dagger"), bert.worn[Layer.SHIRT]):
        refused(Refusal.NOT_YOURS, lambda item=item: hands.lift(anna, item))  # type: ignore[misc]
    held = hands.lift(bert, of(bert, "gold"))
    refused(Refusal.NOT_YOURS, lambda: hands.lift(anna, held))
    hands.lift(anna, of(anna, "dagger"))
    refused(Refusal.NOT_YOURS, lambda: hands.stow(anna, pack(bert)))
    refused(Refusal.NOT_YOURS, lambda: hands.stack(anna, of(bert, "bread")))


def test_the_dead_take_nothing_and_what_they_held_goes_back() -> None:
    world = plain_world()
    anna = dressed(world)
    dagger = hands.lift(anna, of(anna, "dagger"))
    life.kill(anna)
    assert anna.held is None
    assert dagger.parent is pack(anna)
    refused(Refusal.DEAD, lambda: hands.lift(anna, dagger))


def test_nobody_sees_what_is_hidden_or_out_of_sight() -> None:
    world = plain_world()
    anna, bert = dressed(world), dressed(world, "Bert", 12, 10)
    world.open_viewport(anna, 1, Sight(5))
    assert can_see(anna, bert)
    assert can_see(anna, bert.worn[Layer.SHIRT])
    bert.hidden = True
    assert not can_see(anna, bert)
    assert not can_reach(anna, bert)
    far = lying(world, "bread", 16, 10)
    assert can_take(anna, far) is Refusal.UNSEEN
    world.delete(far)
    assert can_take(anna, far) is Refusal.GONE


def test_a_fixed_thing_stays() -> None:
    world = plain_world(plain_content())
    anna = dressed(world)
    object.__setattr__(pack(anna).template, "movable", False)
    refused(Refusal.FIXED, lambda: hands.lift(anna, pack(anna)))


def test_one_thing_in_one_hand() -> None:
    world = plain_world()
    anna = dressed(world)
    hands.lift(anna, of(anna, "dagger"))
    refused(Refusal.BUSY, lambda: hands.lift(anna, of(anna, "gold")))
    refused(Refusal.BUSY, lambda: hands.take(anna, of(anna, "gold")))
    hands.wear(anna)
    refused(Refusal.EMPTY, lambda: hands.lay(anna, 10, 10))
    refused(Refusal.EMPTY, lambda: hands.wear(anna))


def test_too_heavy() -> None:
    world = plain_world()
    anna = dressed(world)
    room = holding.capacity(anna) - holding.weight(anna)
    heap = lying(world, "bread", 10, 10, room + 1)
    refused(Refusal.HEAVY, lambda: hands.take(anna, heap))
    hands.take(anna, heap, room)
    assert heap.amount == room
    assert holding.weight(anna) == holding.capacity(anna)


def test_a_bag_does_not_go_into_itself() -> None:
    world = plain_world()
    anna = dressed(world)
    bag = holding.make(world, "backpack", stored=False)
    inner = holding.make(world, "backpack", stored=False)
    holding.put(bag, inner)
    world.enter(bag, world.realms["plain"], 10, 10)
    hands.lift(anna, bag)
    refused(Refusal.NESTED, lambda: hands.stow(anna, bag))
    refused(Refusal.NESTED, lambda: hands.stow(anna, inner))
    hands.stow(anna, pack(anna))
    assert bag.parent is pack(anna)


def test_r66_bags_in_bags_end_somewhere() -> None:
    world = plain_world()
    anna = dressed(world)
    anna.strength = 1000
    holder = pack(anna)
    for _ in range(containers.DEEPEST - 1):
        bag = hands.lift(anna, lying(world, "backpack", 10, 10))
        hands.stow(anna, holder)
        holder = bag
    hands.lift(anna, lying(world, "backpack", 10, 10))
    refused(Refusal.NESTED, lambda: hands.stow(anna, holder))


def test_r66_a_pack_is_full_with_all_that_is_in_its_bags() -> None:
    world = plain_world()
    anna = dressed(world)
    bag = lying(world, "backpack", 10, 10)
    hands.take(anna, bag)
    inside = len(pack(anna).contents)
    for _ in range(MOST_IN_CONTAINER - inside):
        hands.lift(anna, lying(world, "candle", 10, 10))
        anna.strength = 1000
        hands.stow(anna, bag)
    refused(Refusal.FULL, lambda: hands.take(anna, lying(world, "candle", 10, 10)), Refusal.FULL.value)
    bert = dressed(world, "Bert", 11, 11)
    refused(
        Refusal.FULL,
        lambda: hands.give(bert, of(bert, "dagger"), 1, anna),
        "They have no room for that.",
    )
    assert not any(isinstance(event, Bounced) for event in world.take_changes().events), (
        "no client had shown it in its hand, and one that is told to let go takes back what it put down last"
    )


def test_a_hand_over_needs_somebody_near_who_can_carry_it() -> None:
    world = plain_world()
    anna, bert, far = dressed(world), dressed(world, "Bert", 12, 12), dressed(world, "Carl", 20, 20)
    hands.lift(anna, of(anna, "gold"), 60)
    refused(Refusal.FAR, lambda: hands.hand_over(anna, far))
    bert.online = False
    refused(Refusal.NOT_YOURS, lambda: hands.hand_over(anna, bert))
    bert.online = True
    hands.hand_over(anna, bert)
    assert hands.carried(bert)["gold"] == 160
    assert len([item for item in pack(bert).contents.values() if item.template.key == "gold"]) == 1
    anna.strength = 1000
    hands.lift(anna, lying(world, "bread", 10, 10, holding.capacity(bert) - holding.weight(bert) + 1))
    refused(Refusal.HEAVY, lambda: hands.hand_over(anna, bert), "That is too heavy for them.")


def test_what_is_worn_lies_on_one_layer() -> None:
    world = plain_world()
    anna = dressed(world)
    hands.put_on(anna, of(anna, "dagger"))
    assert anna.worn[Layer.ONE_HANDED].template.key == "dagger"
    hands.lift(anna, lying(world, "dagger", 10, 10))
    refused(Refusal.MISFIT, lambda: hands.wear(anna))
    hands.stow(anna, pack(anna))
    refused(Refusal.MISFIT, lambda: hands.put_on(anna, of(anna, "bread")))
    hands.take_off(anna, Layer.ONE_HANDED)
    assert Layer.ONE_HANDED not in anna.worn
    assert hands.carried(anna)["dagger"] == 2


def test_a_part_of_the_ground_takes_only_so_much() -> None:
    world = plain_world()
    anna = dressed(world)
    for number in range(checks.MOST_IN_SECTOR):
        lying(world, "candle", 8 + number % 8, 8 + number // 8 % 8)
    refused(
        Refusal.FULL,
        lambda: hands.drop(anna, of(anna, "dagger"), 1, 10, 10),
        "There is no room for that there.",
    )


def test_a_warp_leaves_what_was_held_behind() -> None:
    world = plain_world()
    anna = dressed(world)
    bread = lying(world, "bread", 10, 11)
    hands.lift(anna, bread)
    world.warp(anna, world.realms["cave"], 3, 3)
    assert (bread.realm, bread.x, bread.y) == (world.realms["plain"], 10, 11)


def test_what_ceases_to_exist_in_a_hand_leaves_it_empty() -> None:
    world = plain_world()
    anna = dressed(world)
    gold = hands.lift(anna, of(anna, "gold"))
    world.delete(gold)
    assert anna.hand is None
    assert gold.serial not in world.items
    hands.lift(anna, of(anna, "dagger"))


def test_kinds_are_gathered_from_all_stacks() -> None:
    world = plain_world()
    anna = dressed(world)
    second = lying(world, "gold", 10, 10, MOST_IN_STACK - 10)
    anna.strength = 1000
    hands.take(anna, second)
    heap = hands.drop_kind(anna, "gold", MOST_IN_STACK, 10, 10)
    assert heap.amount == MOST_IN_STACK
    assert hands.carried(anna)["gold"] == 90
    refused(Refusal.AMOUNT, lambda: hands.drop_kind(anna, "gold", 91, 10, 10))
    refused(Refusal.AMOUNT, lambda: hands.drop_kind(anna, "robe", 1, 10, 10))


def test_those_who_saw_it_lie_are_told_that_it_left() -> None:
    world = plain_world()
    anna, bert = dressed(world), dressed(world, "Bert")
    viewport = world.open_viewport(bert, 7, Sight(18))
    bread = lying(world, "bread", 10, 11)
    world.take_changes()
    hands.lift(anna, bread)
    [left] = [m for m in world.take_changes().events if isinstance(m, Left)]
    assert viewport in left.viewers


def test_what_one_has_can_be_destroyed_and_nothing_else() -> None:
    world = plain_world()
    mobile, other = dressed(world), dressed(world, "Berta", 11, 10)
    gold, dagger = of(mobile, "gold"), of(mobile, "dagger")
    hands.destroy(mobile, gold, 30)
    assert (gold.amount, gold.parent) == (70, pack(mobile)), "the rest keeps its serial"
    for amount in (0, -1, 71):
        refused(Refusal.AMOUNT, partial(hands.destroy, mobile, gold, amount))
    hands.destroy(mobile, gold, 70)
    assert gold.serial not in world.items
    hands.destroy(mobile, dagger, 1)
    assert dagger.serial not in pack(mobile).contents
    shirt = mobile.worn[Layer.SHIRT]
    hands.destroy(mobile, shirt, 1)
    assert Layer.SHIRT not in mobile.worn
    assert shirt.serial not in world.items
    refused(Refusal.NOT_YOURS, lambda: hands.destroy(mobile, of(other, "dagger"), 1))
    refused(Refusal.NOT_YOURS, lambda: hands.destroy(mobile, lying(world, "bread", 10, 10), 1))
    with pytest.raises(Cannot):
        hands.destroy(mobile, pack(mobile), 1)
