"""The bank: one vault for each character, whole before and after every deed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.kit.worlds import goes_on, plain_content, plain_world
from tests.world.test_corpses import packed
from tests.world.test_shops import put
from world import hands, holding, life, residents, safes, speech, vaults, visits
from world.content import Resident
from world.events import Asked, Said, VaultOpened
from world.item import Layer
from world.newcomers import all_items, kept_items
from world.reach import Cannot, Refusal
from world.snapshot import character_row, item_row, restore_character
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile
    from world.world import World


def bank(gold: int = 100) -> tuple[World, Mobile, Mobile]:
    """A world, its banker, and a customer with that much gold."""
    world = plain_world(plain_content(residents=(Resident("banker", 11, 10),)))
    residents.settle(world)
    (banker,) = world.mobiles.values()
    customer = packed(world, "Alric", 10, 10, gold)
    world.open_viewport(customer, 1, Sight(18))
    customer.windows = frozenset({"vault"})
    world.take_changes()
    return world, banker, customer


def refused(why: Refusal, mobile: Mobile, deed: Callable[[], object]) -> None:
    before = hands.carried(mobile), safes.gold(mobile), [item.amount for item in safes.things(mobile)]
    with pytest.raises(Cannot) as caught:
        deed()
    assert caught.value.why is why
    after = hands.carried(mobile), safes.gold(mobile), [item.amount for item in safes.things(mobile)]
    assert after == before


def test_gold_goes_in_and_out_and_is_told_when_it_is_kept() -> None:
    world, banker, customer = bank()
    vaults.visit(customer, banker)
    vaults.deposit_gold(customer, banker, 70)
    vaults.withdraw_gold(customer, banker, 30)
    assert (holding.gold(customer), safes.gold(customer)) == (60, 40)
    shown = [one for one in world.take_changes().events if isinstance(one, VaultOpened)]
    assert [(one.gold, one.anew) for one in shown] == [(0, False), (70, True), (40, True)]
    assert world.promises[1][1] == "You take 30 gold coins out of the bank; 40 gold coins lie there."
    refused(Refusal.POOR, customer, lambda: vaults.withdraw_gold(customer, banker, 41))
    refused(Refusal.POOR, customer, lambda: vaults.deposit_gold(customer, banker, 61))
    for amount in (0, -5):
        refused(Refusal.AMOUNT, customer, partial(vaults.deposit_gold, customer, banker, amount))
        refused(Refusal.AMOUNT, customer, partial(vaults.withdraw_gold, customer, banker, amount))
    stack = safes.gold_stack(customer)
    assert stack is not None
    stack.amount = safes.MOST_GOLD
    refused(Refusal.FULL, customer, lambda: vaults.deposit_gold(customer, banker, 1))
    refused(Refusal.HEAVY, customer, lambda: vaults.withdraw_gold(customer, banker, 5_000_000))


def test_things_go_in_and_out_whole_or_in_part() -> None:
    world, banker, customer = bank()
    bread, dagger = put(world, customer, "bread", 5), put(world, customer, "dagger")
    vaults.visit(customer, banker)
    vaults.deposit(customer, banker, bread, 3)
    vaults.deposit(customer, banker, bread, 1)
    vaults.deposit(customer, banker, dagger, 1)
    assert [(item.template.key, item.amount) for item in safes.things(customer)] == [
        ("bread", 4),
        ("dagger", 1),
    ]
    (kept, _) = safes.things(customer)
    vaults.withdraw(customer, banker, kept, 4)
    assert hands.carried(customer) == {"gold": 100, "bread": 5}
    assert [item.amount for item in hands.carried_items(customer, "bread")] == [5]
    worn = customer.backpack
    assert worn is not None
    refused(Refusal.FIXED, customer, lambda: vaults.deposit(customer, banker, worn, 1))
    refused(Refusal.NOT_YOURS, customer, lambda: vaults.withdraw(customer, banker, bread, 1))
    refused(Refusal.AMOUNT, customer, lambda: vaults.deposit(customer, banker, bread, 6))


def test_a_kind_goes_in_out_of_all_stacks_or_not_at_all() -> None:
    world, banker, customer = bank()
    for amount in (40_000, 40_000):
        put(world, customer, "bread", amount)
    put(world, customer, "dagger")
    bag = put(world, customer, "sack")
    put(world, customer, "sack")
    apple = holding.make(world, "apple")
    world.register(apple)
    holding.put(bag, apple)
    for amount in (0, -1, 80_001):
        refused(Refusal.AMOUNT, customer, partial(vaults.deposit_kind, customer, banker, "bread", amount))
    refused(Refusal.OPEN_BAG, customer, partial(vaults.deposit_kind, customer, banker, "sack", 2))
    vaults.deposit_kind(customer, banker, "bread", 50_000)
    vaults.deposit_kind(customer, banker, "sack", 1)
    vaults.deposit_kind(customer, banker, "gold", 60)
    assert hands.carried(customer) == {"gold": 40, "bread": 30_000, "dagger": 1, "sack": 1, "apple": 1}
    assert sum(item.amount for item in safes.things(customer)) == 50_001
    assert safes.gold(customer) == 60
    vaults.deposit_kind(customer, banker, "sack", 1)  # a single one goes in with what is in it
    assert "apple" not in hands.carried(customer)
    vaults.receive(customer, "dagger", 119)
    put(world, customer, "dagger")
    refused(Refusal.FULL, customer, partial(vaults.deposit_kind, customer, banker, "dagger", 2))
    vaults.deposit_kind(customer, banker, "dagger", 1)


def test_the_banker_near_is_the_nearest_with_whom_one_can_talk() -> None:
    world, banker, customer = bank()
    assert vaults.banker_near(customer) is banker
    nearer = residents.place(world, world.realms["plain"], Resident("banker", 10, 10))
    assert vaults.banker_near(customer) is nearer
    world.warp(customer, world.realms["plain"], 40, 40)
    with pytest.raises(Cannot, match="no banker near") as caught:
        vaults.banker_near(customer)
    assert caught.value.why is Refusal.NO_BANK


def test_a_hand_reaches_into_the_open_vault_only() -> None:
    world, banker, customer = bank()
    bread = put(world, customer, "bread", 5)
    vaults.visit(customer, banker)
    hands.lift(customer, bread)
    hands.stow(customer, safes.box(customer))
    gold = next(hands.carried_items(customer, "gold"))
    hands.lift(customer, gold, 40)
    hands.stow(customer, safes.box(customer))
    assert (safes.gold(customer), [item.amount for item in safes.things(customer)]) == (40, [5])
    hands.lift(customer, bread, 2)
    hands.bounce(customer)
    assert [item.amount for item in safes.things(customer)] == [5]
    thief = packed(world, "Berta", 10, 11)
    vaults.visit(thief, banker)
    refused(Refusal.NOT_YOURS, thief, lambda: hands.lift(thief, bread))
    refused(Refusal.NOT_YOURS, thief, lambda: vaults.withdraw(thief, banker, bread, 1))
    world.warp(customer, world.realms["plain"], 40, 40)
    refused(Refusal.FAR, customer, lambda: hands.lift(customer, bread))
    refused(Refusal.FAR, customer, lambda: vaults.withdraw_gold(customer, banker, 1))
    world.warp(customer, world.realms["plain"], 10, 10)
    visits.leave(customer)
    refused(Refusal.FAR, customer, lambda: hands.lift(customer, bread))


def test_it_outlives_its_owner_and_its_day() -> None:
    world, banker, customer = bank()
    customer.endow()
    vaults.visit(customer, banker)
    vaults.deposit_gold(customer, banker, 70)
    vaults.deposit(customer, banker, put(world, customer, "sack"), 1)
    life.kill(customer)
    refused(Refusal.DEAD, customer, lambda: vaults.withdraw_gold(customer, banker, 1))
    assert (safes.gold(customer), len(safes.things(customer))) == (70, 1)
    assert customer.vault not in all_items(customer)
    rows = [item_row(item) for item in kept_items(customer)]
    (box,) = [row for row in rows if row.layer == Layer.BANK]
    assert box.parent == customer.serial
    restored = restore_character(character_row(customer), rows, plain_world())
    assert restored.mobile is not None
    assert not restored.damaged
    assert (safes.gold(restored.mobile), len(safes.things(restored.mobile))) == (70, 1)
    assert Layer.BANK not in restored.mobile.worn


def test_what_finds_no_room_elsewhere_is_received() -> None:
    _, _, customer = bank()
    vaults.receive(customer, "gold", 200_000)
    vaults.receive(customer, "bread", 3)
    assert (safes.gold(customer), [item.amount for item in safes.things(customer)]) == (200_000, [3])
    vaults.receive(customer, "dagger", 123)
    refused(Refusal.FULL, customer, lambda: vaults.receive(customer, "dagger", 1))


def test_words_are_enough() -> None:
    world, _, customer = bank()
    for words in ("deposit 30, please", "withdraw 10", "deposit", "withdraw 1000"):
        speech.say(customer, words)
        goes_on(world, 1)
    assert (holding.gold(customer), safes.gold(customer)) == (0, 100)
    told = [one.text for one in world.take_changes().events if isinstance(one, Said) and one.thing is None]
    assert told == [Refusal.POOR.value]
    customer.windows = frozenset()
    speech.say(customer, "bank")
    goes_on(world, 1)
    (question,) = [one.dialog for one in world.take_changes().events if isinstance(one, Asked)]
    assert question.text == "I keep 100 gold coins for you."


def test_what_hands_do_in_a_vault_is_shown_and_its_gold_has_a_ceiling() -> None:
    world, banker, customer = bank()
    vaults.visit(customer, banker)
    box = safes.box(customer)
    for _ in range(2):
        hands.lift(customer, put(world, customer, "apple", 3))
        hands.stow(customer, box, 20, 110)
    first, second = safes.things(customer)
    world.take_changes()
    hands.lift(customer, first)
    hands.stack(customer, second)
    hands.lift(customer, second, 2)
    hands.bounce(customer)
    shown = [event for event in world.take_changes().events if isinstance(event, VaultOpened)]
    assert len(shown) == 4, "each time"
    assert [item.amount for item in safes.things(customer)] == [6]
    vaults.deposit_gold(customer, banker, 1)
    stack = safes.gold_stack(customer)
    assert stack is not None
    stack.amount = safes.MOST_GOLD - 1
    (gold,) = hands.carried_items(customer, "gold")
    hands.lift(customer, gold, 2)
    refused(Refusal.FULL, customer, lambda: hands.stow(customer, box))
    hands.bounce(customer)
    world.promises.clear()
    hands.lift(customer, gold, 1)
    hands.stow(customer, box)
    [(_, line)] = world.promises
    assert line.startswith("You put 1 gold")
    assert safes.gold(customer) == safes.MOST_GOLD
