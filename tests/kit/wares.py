"""A shop of many wares: kinds that are made up of the shipped ones, with looks in every game.

Each has the look of a shipped kind, but for what tells kinds apart at a client: the number in Endless
Online's list is the next free one, and Lineage II's item is another one that its client knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from world.offers import Offers, Shop, Ware

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.content import Content, ItemTemplate

MERCHANT: Final = "greta"

PRICE: Final = 10

_FIRST_OF_L2: Final = 1000
"""Above the weapons, below the quest items of L2JMobius/L2Jmobius_Interlude: dist/game/data/stats/items. Made
up kinds have the numbers from here on, but for those that shipped ones have."""


def with_kinds(content: Content, count: int) -> Content:
    """The content with so many kinds at least that can be sold."""
    shipped = [key for key, kind in content.items.items() if kind.movable and key != "gold"]
    taken = {kind.look["l2"]["item"] for kind in content.items.values()}
    free = (number for number in range(_FIRST_OF_L2, 9000) if number not in taken)
    items = dict(content.items)
    for number in range(count - len(shipped)):
        kind = content.items[shipped[number % len(shipped)]]
        made = _made_up(kind, number, next(free))
        items[made.key] = made
    return attrs.evolve(content, items=items)


def with_wares(content: Content, count: int) -> Content:
    """The content with a merchant who sells so many kinds, of each as many as anybody wants."""
    content = with_kinds(content, count)
    kinds = [key for key, kind in content.items.items() if kind.movable and key != "gold"]
    return selling(content, Shop(tuple(Ware(key, PRICE) for key in kinds[:count])))


def selling(content: Content, shop: Shop) -> Content:
    """The content with a merchant who has that shop."""
    greta = content.mobiles[MERCHANT]
    greta = attrs.evolve(greta, offers=attrs.evolve(greta.offers or Offers(), shop=shop))
    return attrs.evolve(content, mobiles={**content.mobiles, MERCHANT: greta})


def _made_up(kind: ItemTemplate, number: int, l2_item: int) -> ItemTemplate:
    look: dict[str, Mapping[str, object]] = dict(kind.look)
    look["eo"] = {name: value for name, value in look["eo"].items() if name not in ("id", "female_id")}
    look["l2"] = {**look["l2"], "item": l2_item}
    name = f"{kind.name} {number + 1}"
    return attrs.evolve(kind, key=f"{kind.key}_{number + 1}", name=name, plural="", look=look)
