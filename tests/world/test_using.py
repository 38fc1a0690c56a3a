"""What one eats, drinks, lights and applies, and what stands written on signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import goes_on, person, plain_content, plain_world
from world import ailments, hands, holding, life, signs, using
from world.content import ItemTemplate, Remedy, Sign
from world.events import Mended
from world.item import Layer
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile
    from world.world import World

BREAD = Remedy("eat", hits=3, stamina=10, seconds=2)


def eater() -> tuple[World, Mobile, Item]:
    """Somebody with four loaves."""
    content = plain_content()
    assert isinstance(content.items, dict)
    content.items["bread"] = attrs.evolve(content.items["bread"], remedy=BREAD)
    world = plain_world(content)
    mobile = person(world)
    pack = holding.make(world, "backpack", stored=False)
    holding.wear(mobile, pack)
    bread = holding.make(world, "bread", amount=4, stored=False)
    holding.put(pack, bread)
    world.register(pack)
    return world, mobile, bread


def refused(mobile: Mobile, item: Item) -> Refusal:
    with pytest.raises(Cannot) as caught:
        using.use(mobile, item)
    return caught.value.why


def test_bread_feeds_and_heals_and_is_gone() -> None:
    world, mobile, bread = eater()
    life.hurt(mobile, 5)
    life.spend(mobile, stamina=mobile.stam)
    assert using.use(mobile, bread) is using.Deed.TAKEN
    assert (mobile.hits_max - mobile.hits, mobile.stam, bread.amount) == (2, min(10, mobile.stam_max), 3)
    assert refused(mobile, bread) is Refusal.SOON
    goes_on(world, BREAD.seconds)
    using.use(mobile, bread)
    assert (mobile.hits, bread.amount) == (mobile.hits_max, 2)


def test_nobody_wastes_it() -> None:
    _, mobile, bread = eater()
    assert refused(mobile, bread) is Refusal.USELESS
    assert bread.amount == 4


def test_the_last_one_is_gone() -> None:
    _, mobile, bread = eater()
    bread.amount = 1
    life.hurt(mobile, 5)
    using.use(mobile, bread)
    assert bread.serial not in mobile.world.items


def test_what_one_does_not_have_one_does_not_eat() -> None:
    _, mobile, _ = eater()
    life.hurt(mobile, 5)
    other = holding.make(mobile.world, "bread", stored=False)
    mobile.world.enter(other, mobile.world.realms["plain"], 11, 10)
    assert refused(mobile, other) is Refusal.NOT_YOURS
    mobile.dead = True
    assert refused(mobile, other) is Refusal.DEAD


def reader(*found: Sign) -> Mobile:
    content = plain_content()
    assert isinstance(content.charts, dict)
    content.charts["plain"] = attrs.evolve(content.charts["plain"], signs=found)
    return person(plain_world(content))


BANK, INN = Sign(12, 10, "Bank", "Your gold stays yours."), Sign(15, 10, "The Rivers", "")


def test_the_nearest_sign_is_read() -> None:
    mobile = reader(INN, BANK)
    assert signs.read(mobile) == "Bank: Your gold stays yours."
    assert signs.read(mobile, (15, 10)) == "The Rivers"


@pytest.mark.parametrize(
    ("x", "place", "why"),
    [(40, None, Refusal.NO_SIGN), (40, (12, 10), Refusal.FAR), (10, (9, 9), Refusal.NO_SIGN)],
)
def test_what_cannot_be_read(x: int, place: tuple[int, int] | None, why: Refusal) -> None:
    mobile = reader(BANK)
    mobile.world.warp(mobile, mobile.world.realms["plain"], x, 10)
    with pytest.raises(Cannot) as caught:
        signs.read(mobile, place)
    assert caught.value.why is why


# What burns, and what is drunk


def bearer(
    remedy: Remedy | None = None, *, layer: int = 0, light: bool = False
) -> tuple[World, Mobile, Item]:
    """Somebody with one thing of a kind in the pack."""
    content = plain_content()
    assert isinstance(content.items, dict)
    content.items["thing"] = ItemTemplate("thing", "thing", layer=layer, light=light, remedy=remedy)
    world = plain_world(content)
    mobile = person(world)
    pack, item = holding.make(world, "backpack"), holding.make(world, "thing")
    holding.wear(mobile, pack)
    holding.put(pack, item)
    world.register(pack)
    return world, mobile, item


def test_a_light_is_lit_as_it_is_put_on_and_put_out_and_lit_again() -> None:
    world, mobile, torch = bearer(layer=Layer.TWO_HANDED, light=True)
    world.take_changes()
    world.dirty.clear()
    assert using.use(mobile, torch) is using.Deed.WORN
    assert (torch.lit, torch.parent) == (True, mobile)
    assert torch in [thing for thing, _ in world.take_changes().dirty]
    assert torch.serial in world.dirty
    assert [using.use(mobile, torch), torch.lit] == [using.Deed.LIT, False]
    assert [using.use(mobile, torch), torch.lit] == [using.Deed.LIT, True]


def test_a_light_on_the_ground_is_lit_by_whoever_reaches_it() -> None:
    world, mobile, torch = bearer(layer=Layer.TWO_HANDED, light=True)
    hands.drop(mobile, torch, 1, 11, 10)
    assert [using.use(mobile, torch), torch.lit] == [using.Deed.LIT, True]
    world.warp(mobile, world.realms["plain"], 20, 10)
    assert refused(mobile, torch) is Refusal.FAR
    assert torch.lit


def test_what_does_not_burn_is_not_lit() -> None:
    _, mobile, thing = bearer(layer=Layer.TWO_HANDED)
    using.use(mobile, thing)
    assert refused(mobile, thing) is Refusal.USELESS
    assert not thing.lit


def test_a_cure_is_for_the_poisoned_and_poison_for_the_foolish() -> None:
    _, mobile, cure = bearer(Remedy("drink", cures=True))
    assert refused(mobile, cure) is Refusal.USELESS
    ailments.poison(mobile, 3)
    assert using.use(mobile, cure) is using.Deed.TAKEN
    assert not mobile.poisoned
    assert cure.serial not in mobile.world.items
    _, fool, potion = bearer(Remedy("drink", venom=3))
    using.use(fool, potion)
    assert fool.poison is not None
    assert fool.poison.venom == 3


def test_nothing_but_bandages_is_for_others() -> None:
    world, mobile, potion = bearer(Remedy("drink", hits=30))
    other = person(world, "Berta", 11)
    for one in (mobile, other):
        life.hurt(one, 10)
    with pytest.raises(Cannot) as caught:
        using.use(mobile, potion, other)
    assert caught.value.why is Refusal.USELESS
    assert potion.serial in world.items
    using.use(mobile, potion, mobile)
    assert mobile.hits == mobile.hits_max
    (mended,) = (event for event in world.events if isinstance(event, Mended))
    assert (mended.thing, mended.hits) == (mobile, 10)
