"""Putting things away in one call. (`world.stowing`)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.fixed import equip, fixed_world, standing
from tests.kit.worlds import person
from world import hands, holding
from world.reach import Cannot, Refusal
from world.stowing import put

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile


@pytest.fixture
def anna() -> Mobile:
    """With a sack, three loaves and the key of the chest beside her."""
    world = fixed_world()
    anna = person(world, "Anna")
    pack = equip(anna, "sack", "key", "bread")
    bread = next(hands.carried_items(anna, "bread"))
    bread.amount = 3
    assert len(pack.contents) == 3
    return anna


def thing(anna: Mobile, key: str) -> Item:
    return next(hands.carried_items(anna, key))


def test_a_part_goes_into_a_bag_and_onto_what_is_there(anna: Mobile) -> None:
    bread, sack = thing(anna, "bread"), thing(anna, "sack")
    inside = put(anna, sack, bread, 1)
    assert (inside.amount, inside.parent) == (1, sack)
    rest = next(item for item in hands.carried_items(anna, "bread") if item.parent is not sack)
    assert put(anna, sack, rest, 2) is inside
    assert inside.amount == 3


def test_one_puts_into_a_chest_only_what_is_ones_own_and_if_it_opens(anna: Mobile) -> None:
    chest = standing(anna.world, "chest")  # type: ignore[arg-type] # it is the whole world
    bread, key = thing(anna, "bread"), thing(anna, "key")
    assert put(anna, chest, bread, 3).parent is chest
    for item, amount, container, why in (
        (bread, 1, chest, Refusal.NOT_YOURS),
        (key, 2, chest, Refusal.AMOUNT),
        (thing(anna, "sack"), 1, thing(anna, "sack"), Refusal.NESTED),
        (key, 1, key, Refusal.NESTED),
    ):
        before = {one.serial: (one.parent, one.amount) for one in holding.belongings(anna)}
        with pytest.raises(Cannot) as refused:
            put(anna, container, item, amount)
        assert refused.value.why is why
        assert anna.hand is None
        assert {one.serial: (one.parent, one.amount) for one in holding.belongings(anna)} == before
    hands.destroy_kind(anna, "key", 1)
    with pytest.raises(Cannot) as refused:
        put(anna, chest, thing(anna, "sack"), 1)
    assert refused.value.why is Refusal.LOCKED
