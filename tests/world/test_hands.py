"""Things change hands: one holder each, amounts conserved, everything checked before anything changes."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.kit.worlds import person, plain_content, plain_world
from world import checks, containers, hands, holding, life, motion, newcomers
from world.containers import MOST_IN_CONTAINER, MOST_IN_STACK
from world.events import Left, Taken
from world.item import Item, Layer
from world.mobile import Mobile
from world.reach import Cannot, Refusal, can_reach, can_see, can_take
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.world import World


def dressed(world: World, name: str = "Alric", x: int = 10, y: int = 10) -> Mobile:
    """Somebody with what every newcomer has."""
    mobile = person(world, name, x, y)
    newcomers.outfit(mobile)
    world.register(mobile)
    world.take_changes()
    return mobile


def pack(mobile: Mobile) -> Item:
    assert mobile.backpack is not None
    return mobile.backpack


def of(mobile: Mobile, template: str) -> Item:
    """The first of a kind in its pack."""
    return next(item for item in pack(mobile).contents.values() if item.template.key == template)


def lying(world: World, template: str, x: int, y: int, amount: int = 1) -> Item:
    """Something on the plain."""
    item = holding.make(world, template, amount=amount, stored=False)
    world.enter(item, world.realms["plain"], x, y)
    return item


def refused(why: Refusal, call: Callable[[], object], words: str = "") -> None:
    """It cannot be done, for that reason, and in these words, if any."""
    with pytest.raises(Cannot) as caught:
        call()
    assert caught.value.why is why
    assert not words or str(caught.value) == words


def everything(world: World) -> dict[int, tuple[object, ...]]:
    """Where every item is and how many it is: what a refused act must leave as it was."""
    return {
        item.serial: (
            item.parent.serial if item.parent is not None else None,
            item.layer,
            item.amount,
            item.realm,
            item.x,
            item.y,
            tuple(item.contents),
        )
        for item in world.items.values()
    }


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


class Market(RuleBasedStateMachine):
    """Three people do anything with anything, possible or not."""

    def __init__(self) -> None:
        super().__init__()
        self.world = plain_world(plain_content(width=8, height=8), seed=3)
        self.people = [dressed(self.world, name, x, 3) for name, x in (("Anna", 2), ("Bert", 3), ("Carl", 6))]
        for _ in range(2):
            lying(self.world, "backpack", 3, 3)
            lying(self.world, "gold", 4, 3, 500)
        self.total = self.census()

    def census(self) -> Counter[str]:
        """Amounts of every kind over all roots: the ground, people, hands."""
        found: Counter[str] = Counter()
        queue = [thing for thing in self.world.items.values() if thing.realm is not None]
        for mobile in self.people:
            queue += mobile.worn.values()
            if mobile.held is not None:
                queue.append(mobile.held)
        while queue:
            item = queue.pop()
            found[item.template.key] += item.amount
            queue += item.contents.values()
        return found

    @rule(
        act=st.sampled_from(
            [
                "lift",
                "lay",
                "stow",
                "stack",
                "wear",
                "give",
                "bounce",
                "take",
                "drop",
                "kind",
                "off",
                "on",
                "go",
            ]
        ),
        who=st.integers(0, 2),
        whom=st.integers(0, 2),
        pick=st.integers(0, 1 << 16),
        amount=st.integers(-1, 70_000) | st.integers(1, 5),
        x=st.integers(-1, 8),
        y=st.integers(2, 4),
    )
    def act(self, act: str, who: int, whom: int, pick: int, amount: int, x: int, y: int) -> None:
        world, actor, other = self.world, self.people[who], self.people[whom]
        items = sorted(world.items.values(), key=lambda item: item.serial)
        item = random.Random(pick).choice(items)
        acts: dict[str, Callable[[], object]] = {
            "lift": lambda: hands.lift(actor, item, amount),
            "lay": lambda: hands.lay(actor, x, y),
            "stow": lambda: hands.stow(actor, item, merge=bool(pick % 2)),
            "stack": lambda: hands.stack(actor, item),
            "wear": lambda: hands.wear(actor),
            "give": lambda: hands.hand_over(actor, other),
            "bounce": lambda: hands.bounce(actor),
            "take": lambda: hands.take(actor, item),
            "drop": lambda: hands.drop(actor, item, amount, x, y),
            "kind": lambda: hands.drop_kind(actor, item.template.key, amount, x, y),
            "off": lambda: hands.take_off(actor, item.template.layer),
            "on": lambda: hands.put_on(actor, item),
            "go": lambda: world.warp(actor, world.realms["plain"], max(0, min(7, x)), y),
        }
        before = everything(world)
        try:
            acts[act]()
        except Cannot:
            assert everything(world) == before

    @invariant()
    def amounts_are_conserved(self) -> None:
        assert self.census() == self.total

    @invariant()
    def everything_is_in_one_place(self) -> None:
        for item in self.world.items.values():
            places = (item.realm is not None) + (item.parent is not None)
            assert places == 1, f"{item} is in {places} places"
            assert 0 < item.amount <= MOST_IN_STACK
            holder = item.parent
            if isinstance(holder, Item):
                assert holder.contents[item.serial] is item
            elif isinstance(holder, Mobile):
                assert (holder.worn.get(item.layer) if item.layer else holder.held) is item
            else:
                assert item.realm is not None
                assert item.realm.space.at(item.x, item.y).things[item.serial] is item


Market.TestCase.settings = settings(max_examples=60, stateful_step_count=60, deadline=None)
TestMarket = Market.TestCase


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
