"""People with things, for the tests of things that change hands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.worlds import person
from world import holding, newcomers
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.item import Item
    from world.mobile import Mobile
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
