"""Checks of hands: everything that has to be true before an item changes its holder.

`world.hands` asks them before it changes anything; none of them changes anything itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import holding
from world.containers import MOST_IN_STACK, check_room, equal_stack, stacks
from world.ignoring import check_heeded
from world.item import Item
from world.mobile import Mobile
from world.reach import Cannot, Refusal, can_reach, can_reach_tile, can_see, can_take, can_use

if TYPE_CHECKING:
    from world.mobile import Hand
    from world.realm import Realm

NO_ROOM_THERE: Final = "There is no room for that there."
TOO_MUCH_FOR_THEM: Final = "That is too heavy for them."
NO_ROOM_WITH_THEM: Final = "They have no room for that."
"""HEAVY and FULL alone are about the player's own load and pack."""

MOST_IN_SECTOR: Final = 400
"""Items that may lie in one sector of `world.space`."""

MOST_IN_REALM: Final = 50_000
"""Things in one realm beyond which nothing is laid down: Endless Online numbers what lies with 16 bits."""


def check_take(actor: Mobile, item: Item, amount: int) -> None:
    """Check that an actor with an empty hand can lift `amount` of an item. Raises Cannot: BUSY, AMOUNT,
    HEAVY, or as `can_take` says."""
    if actor.hand is not None:
        raise Cannot(Refusal.BUSY)
    refusal = can_take(actor, item)
    if refusal is not None:
        raise Cannot(refusal)
    if not 1 <= amount <= item.amount:
        raise Cannot(Refusal.AMOUNT)
    if item.root is not actor:
        check_weight(actor, holding.weight_of(item, amount))


def check_weight(mobile: Mobile, more: int, words: str = "") -> None:
    """Check that a mobile can carry so many stones more. Raises Cannot(HEAVY), with `words` if given."""
    if more and holding.weight(mobile) + more > holding.capacity(mobile):
        raise Cannot(Refusal.HEAVY, words)


def check_tile(actor: Mobile, x: int, y: int) -> Realm:
    """Check that an item can be put on a tile; returns its realm. Raises Cannot: FAR, BLOCKED or FULL."""
    realm = actor.realm
    if realm is None or not realm.inside(x, y):
        raise Cannot(Refusal.BLOCKED)
    if not can_reach_tile(actor, x, y):
        raise Cannot(Refusal.FAR)
    if not realm.walkable(x, y):
        raise Cannot(Refusal.BLOCKED)
    lying = sum(isinstance(thing, Item) for thing in realm.space.at(x, y).things.values())
    if lying >= MOST_IN_SECTOR or realm.space.population >= MOST_IN_REALM:
        raise Cannot(Refusal.FULL, NO_ROOM_THERE)
    return realm


def check_use(actor: Mobile, container: Item) -> None:
    """Check that an actor can open a container or put something into it. Raises Cannot, as `can_use` says."""
    refusal = can_use(actor, container)
    if refusal is not None:
        raise Cannot(refusal)


def check_wearable(actor: Mobile, item: Item) -> None:
    """Check that an actor can put an item on. Raises Cannot(MISFIT)."""
    layer = item.template.layer
    if not layer or layer in actor.worn or actor.dead or item.amount != 1:
        raise Cannot(Refusal.MISFIT)


def check_beside(actor: Mobile, other: Mobile) -> None:
    """Check that an actor sees and reaches another mobile. Raises Cannot: UNSEEN or FAR."""
    if not can_see(actor, other):
        raise Cannot(Refusal.UNSEEN)
    if not can_reach(actor, other):
        raise Cannot(Refusal.FAR)


def check_gift(actor: Mobile, other: Mobile, item: Item) -> Item:
    """Check that another mobile can be given an item; returns its pack. Raises Cannot: UNSEEN, FAR,
    NOT_YOURS, UNWANTED, IGNORED, HEAVY or FULL."""
    check_beside(actor, other)
    pack = other.backpack
    if pack is None or other.dead or not (other is actor or other.online):
        raise Cannot(Refusal.NOT_YOURS)
    if other is not actor:
        if not other.takes_gifts:
            raise Cannot(Refusal.UNWANTED)
        check_heeded(other, actor)
        check_weight(other, holding.weight_of(item, item.amount), TOO_MUCH_FOR_THEM)
    try:
        check_room(pack, item, merges=equal_stack(pack, item) is not None)
    except Cannot as cannot:
        theirs = other is not actor and cannot.why is Refusal.FULL
        raise Cannot(cannot.why, NO_ROOM_WITH_THEM if theirs else "") from cannot
    return pack


def still_takes(actor: Mobile, parent: Item | Mobile | None, item: Item, *, merges: bool) -> bool:
    """Whether a lifted item can go back to its old place, unless others have taken that away since."""
    if isinstance(parent, Mobile):
        return parent is actor and item.template.layer not in parent.worn
    if parent is None or parent.world.items.get(parent.serial) is not parent:
        return False
    root = parent.root
    lies_or_is_own = root is actor or (
        isinstance(root, Item) and (root.realm is not None or root.keeper == actor.serial)
    )
    return lies_or_is_own and has_room(parent, item, merges=merges)


def has_room(container: Item, item: Item, *, merges: bool = False) -> bool:
    """Whether an item goes into a container (`check_room`)."""
    try:
        check_room(container, item, merges=merges)
    except Cannot:
        return False
    return True


def is_untouched(rest: Item, hand: Hand) -> bool:
    """Whether the rest of a split stack is as and where it was, and the hand's part fits onto it."""
    item = hand.item
    if rest.world.items.get(rest.serial) is not rest or not stacks(item, rest):
        return False
    if item.amount + rest.amount > MOST_IN_STACK:
        return False
    if hand.realm is not None:
        return rest.realm is hand.realm and (rest.x, rest.y) == (hand.x, hand.y)
    return rest.parent is hand.parent
