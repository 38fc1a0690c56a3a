"""Barter: what two players agreed on changes hands, all of it in one go.

Whether there is room is worked out beforehand, stack by stack, as if what each gives had left its pack before
anything comes. So two full packs can be exchanged for each other, and nothing is begun that cannot be ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import attrs

from world import dealing, hands, holding
from world.containers import MOST_IN_CONTAINER, MOST_IN_STACK, carried_items, within
from world.reach import Refusal
from world.safes import MOST_GOLD
from world.wording import GOLD

if TYPE_CHECKING:
    from world.bargain import Side, Trade
    from world.content import ItemTemplate
    from world.item import Item
    from world.mobile import Mobile

Parts: TypeAlias = "dict[int, tuple[Item, int]]"
"""Things, and how many of each, by serial."""


@attrs.define
class _Pile:
    """A thing as it would lie in a pack."""

    template: ItemTemplate
    hue: int
    name: str
    amount: int

    def takes(self, item: Item, amount: int) -> bool:
        """Whether so many of an item go onto it, as `containers.equal_stack` has it."""
        return (
            self.template is item.template
            and item.template.stackable
            and (self.hue, self.name) == (item.hue, item.name)
            and self.amount + amount <= MOST_IN_STACK
        )


def hindered(trade: Trade[Mobile]) -> tuple[Mobile, Refusal] | None:
    """The one that cannot take all that it would be given when what it gives has left, and why: FULL or
    HEAVY. None if nothing is in the way."""
    of_one, of_other = _parts(trade.first), _parts(trade.second)
    for side, coming, leaving in ((trade.first, of_other, of_one), (trade.second, of_one, of_other)):
        why = _in_the_way(side.mobile, coming, leaving)
        if why is not None:
            return side.mobile, why
    return None


def swap(trade: Trade[Mobile]) -> None:
    """Move what each offers into the other's pack. Nothing may be in the way (`hindered`), and the trade be
    closed: what is taken out would leave the offer."""
    one, other = trade.first, trade.second
    taken = [
        (receiver.mobile.backpack, [hands.take_out(item, amount) for item, amount in _parts(giver).values()])
        for giver, receiver in ((one, other), (other, one))
    ]
    for pack, items in taken:
        assert pack is not None, "there was a pack when it was looked at"
        for item in items:
            hands.put_in(item, pack)


def _parts(side: Side[Mobile]) -> Parts:
    """All that leaves a pack: the things, and gold of stacks that are free, the smallest first so that what
    is left is one stack."""
    offered_things = dealing.things(side)
    parts: Parts = {item.serial: (item, side.offers[item.serial].amount) for item in offered_things}
    bags = [item for item in offered_things if item.template.container]
    left = side.gold
    for item in sorted(carried_items(side.mobile, GOLD), key=lambda item: item.amount):
        offered = parts[item.serial][1] if item.serial in parts else 0
        part = min(left, item.amount - offered)
        if part and not any(dealing.belong_together(item, bag) for bag in bags):
            parts[item.serial] = item, offered + part
            left -= part
    return parts


def _in_the_way(receiver: Mobile, coming: Parts, leaving: Parts) -> Refusal | None:
    pack = receiver.backpack
    if pack is None:
        return Refusal.FULL
    many = sum(1 for _ in within(pack))
    weight = before = holding.weight(receiver)
    gold = holding.gold(receiver)
    for item, amount in leaving.values():
        gold -= _gold_of(item, amount)
        weight -= _stones_less(item, amount)
        if amount == item.amount:
            many -= 1 + sum(1 for _ in within(item))
    piles = [
        _Pile(item.template, item.hue, item.name, left)
        for item in pack.contents.values()
        if (left := item.amount - leaving.get(item.serial, (item, 0))[1])
    ]
    for item, amount in coming.values():
        gold += _gold_of(item, amount)
        pile = next((pile for pile in piles if pile.takes(item, amount)), None)
        if pile is None:
            piles.append(_Pile(item.template, item.hue, item.name, amount))
            weight += holding.weight_of(item, amount)
            many += 1 + sum(1 for _ in within(item))
        else:
            pile.amount += amount
            weight += holding.stones(item.template, pile.amount)
            weight -= holding.stones(item.template, pile.amount - amount)
    if many > MOST_IN_CONTAINER or gold > MOST_GOLD:
        return Refusal.FULL
    return Refusal.HEAVY if before < weight > holding.capacity(receiver) else None


def _gold_of(item: Item, amount: int) -> int:
    """Coins among so many of an item and what is in it."""
    own = amount if item.template.key == GOLD else 0
    return own + sum(inner.amount for inner in within(item) if inner.template.key == GOLD)


def _stones_less(item: Item, amount: int) -> int:
    """Stones by which a pack is lighter without so many of an item."""
    if amount == item.amount:
        return holding.weight_of(item, amount)
    return holding.stones(item.template, item.amount) - holding.stones(item.template, item.amount - amount)
