"""Lifting, putting down, splitting, stacking, wearing, handing over.

An item is in exactly one place at any time: on the ground, worn, in a container or in somebody's hand. Each
of these functions checks everything first and raises `Cannot` before it has changed anything; then it changes
holder and amounts in one go. Nothing is made but the rest of a split stack, and nothing ceases to exist but a
stack that became part of another, so amounts are conserved.

Ultima Online's client lifts and puts down in two packets, with the item in its hand meanwhile; Endless
Online's does both in one, and names kinds and amounts instead of things. Both go through here.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from world import audience, holding
from world.containers import MOST_IN_STACK, check_room, counted, enough, equal_stack, stacks, within
from world.delta import MobileDelta
from world.item import Item
from world.mobile import Hand, Mobile
from world.moments import Bounced, Taken
from world.reach import Cannot, Refusal, can_reach, can_reach_tile, can_see, can_take, can_use
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from world.realm import Realm

NO_ROOM_THERE: Final = "There is no room for that there."
TOO_MUCH_FOR_THEM: Final = "That is too heavy for them."
NO_ROOM_WITH_THEM: Final = "They have no room for that."
"""HEAVY and FULL alone are about the player's own load and pack."""

MOST_IN_SECTOR: Final = 400
"""Items that may lie in one sector of `world.space`."""

MOST_IN_REALM: Final = 50_000
"""Things in one realm beyond which nothing is laid down: Endless Online numbers what lies with 16 bits."""


# In two steps: lifting and putting down


def lift(actor: Mobile, item: Item, amount: int | None = None) -> Item:
    """Take an item, or `amount` of a stack, into the hand. The lifted part keeps its serial; what stays
    behind is a new item."""
    amount = item.amount if amount is None else amount
    if actor.hand is not None:
        raise Cannot(Refusal.BUSY)
    _check_take(actor, item, amount)
    rest = _split(item, amount) if amount < item.amount else None
    actor.hand = _hand(item, rest)
    _detach(item)
    item.parent = actor
    if rest is not None:
        _put_back(rest, actor.hand)
    item.touch()
    actor.mark(MobileDelta.WEIGHT)
    return item


def lay(actor: Mobile, x: int, y: int) -> Item:
    """Put what is held on a tile."""
    item = _held(actor)
    realm = _check_tile(actor, x, y)
    _release(actor)
    item.world.enter(item, realm, x, y, actor.z)
    return item


def stow(
    actor: Mobile, container: Item, x: int | None = None, y: int | None = None, *, merge: bool = True
) -> Item:
    """Put what is held into a container, in a slot or anywhere; with `merge` onto an equal stack if there is
    one. Returns the item it is, or became part of, now."""
    item = _held(actor)
    _check_use(actor, container)
    target = equal_stack(container, item) if merge and x is None else None
    check_room(container, item, merges=target is not None)
    _release(actor)
    if target is not None:
        return _merge(item, target)
    holding.put(container, item, x, y)
    return item


def stack(actor: Mobile, target: Item) -> Item:
    """Put what is held onto an equal stack, which grows."""
    item = _held(actor)
    refusal = can_take(actor, target)
    if refusal is not None:
        raise Cannot(refusal)
    if not stacks(item, target):
        raise Cannot(Refusal.NESTED)
    if item.amount + target.amount > MOST_IN_STACK:
        raise Cannot(Refusal.FULL)
    _release(actor)
    return _merge(item, target)


def wear(actor: Mobile) -> Item:
    """Put on what is held."""
    item = _held(actor)
    _check_wearable(actor, item)
    _release(actor)
    holding.wear(actor, item)
    return item


def hand_over(actor: Mobile, other: Mobile) -> Item:
    """Give what is held to somebody near, whose player is told. Returns the item it is, or became part of."""
    item = _held(actor)
    pack = _check_gift(actor, other, item)
    label = counted(item)
    _release(actor)
    target = equal_stack(pack, item)
    if target is not None:
        item = _merge(item, target)
    else:
        holding.put(pack, item)
    if other is not actor:
        notice(other, f"{actor.name} gives you {label}.")
    return item


def give(actor: Mobile, item: Item, amount: int, other: Mobile) -> Item:
    """Lift an item, or a part of a stack, and give it to somebody near. Raises Cannot, and then all is as it
    was. Returns the item it is, or became part of."""
    _check_take(actor, item, amount)
    if other is actor:
        raise Cannot(Refusal.ONESELF)
    _check_beside(actor, other)
    lift(actor, item, amount)
    try:
        return hand_over(actor, other)
    except Cannot:
        bounce(actor)
        raise


def bounce(actor: Mobile, *, let_go: bool = False) -> None:
    """Put what is held back where it came from; if that is gone into the pack, else at the feet. Never
    fails. `let_go`: its client knows already that its hand is empty."""
    hand = actor.hand
    if hand is None:
        return
    item, rest = hand.item, hand.rest
    if not let_go:
        item.world.moments.append(Bounced(actor, item, audience.one(actor)))
    _release(actor)
    pack = actor.backpack
    whole = rest is not None and _is_untouched(rest, hand)
    if hand.realm is not None or _still_takes(actor, hand.parent, item, merges=whole):
        if rest is not None and whole:
            # As if it had never been split. It is the rest that goes: the item keeps the serial its client
            # knows.
            item.amount += rest.amount
            _detach(rest)
            rest.world.delete(rest)
        _put_back(item, hand)
    elif pack is not None and (actor.realm is None or _has_room(pack, item)):
        holding.put(pack, item)
    elif actor.realm is not None:
        item.world.enter(item, actor.realm, actor.x, actor.y, actor.z)
    else:
        raise RuntimeError(f"{actor.name} is nowhere, has no pack and holds {item.label}")


# In one step


def take(actor: Mobile, item: Item, amount: int | None = None) -> Item:
    """Lift an item and put it into one's pack, onto an equal stack if there is one."""
    pack = _pack(actor)
    _check_take(actor, item, item.amount if amount is None else amount)
    check_room(pack, item, merges=equal_stack(pack, item) is not None)
    lift(actor, item, amount)
    return stow(actor, pack)


def portable(actor: Mobile, item: Item) -> int:
    """How many of a stack can be carried more; all, if not even one can."""
    room = max(0, holding.capacity(actor) - holding.weight(actor))
    if not item.template.stackable or holding.weight_of(item, item.amount) <= room:
        return item.amount
    fitting = bisect_right(range(1, item.amount), room, key=lambda amount: holding.weight_of(item, amount))
    return fitting or item.amount


def drop(actor: Mobile, item: Item, amount: int, x: int, y: int) -> Item:
    """Lift an item, or a part of a stack, and put it on a tile."""
    _check_take(actor, item, amount)
    _check_tile(actor, x, y)
    lift(actor, item, amount)
    return lay(actor, x, y)


def drop_kind(actor: Mobile, template: str, amount: int, x: int, y: int) -> Item:
    """Put `amount` of a kind on a tile, gathered from all stacks in the pack. What does not stack goes one at
    a time."""
    found = list(carried_items(actor, template))
    if not 1 <= amount <= min(sum(item.amount for item in found), MOST_IN_STACK):
        raise Cannot(Refusal.AMOUNT)
    if amount > 1 and not found[0].template.stackable:
        raise Cannot(Refusal.AMOUNT)
    _check_tile(actor, x, y)
    # One stack that is enough, or one to which others are added: those of another hue are left out.
    whole = next((item for item in found if item.amount >= amount), None)
    if whole is not None:
        return drop(actor, whole, amount, x, y)
    first, equal = enough(found, amount)
    lift(actor, first)
    for other in equal:
        part = min(other.amount, amount - first.amount)
        if part == other.amount:
            _merge(other, first)
        elif part:
            other.amount -= part
            first.amount += part
    return lay(actor, x, y)


def destroy_kind(actor: Mobile, template: str, amount: int) -> None:
    """Make `amount` of a kind in the pack cease to exist; what is in a bag that does stays in its place."""
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    found = [item for item in carried_items(actor, template) if item.template.movable]
    if not 1 <= amount <= sum(item.amount for item in found):
        raise Cannot(Refusal.AMOUNT)
    for item in sorted(found, key=lambda item: (len(item.contents), item.amount)):
        part = min(item.amount, amount)
        amount -= part
        if part == item.amount:
            _destroy(item)
        elif part:
            item.amount -= part
            actor.mark(MobileDelta.WEIGHT)


def destroy(actor: Mobile, item: Item, amount: int) -> None:
    """Make something one has, or `amount` of a stack, cease to exist; what is in a bag that does stays in its
    place. What is worn goes through the pack, so there has to be room for it."""
    if item.root is not actor:
        raise Cannot(Refusal.NOT_YOURS)
    if item.parent is actor:
        _check_take(actor, item, amount)
        item = take_off(actor, item.layer)
    _check_take(actor, item, amount)
    if amount == item.amount:
        _destroy(item)
    else:
        item.amount -= amount
        actor.mark(MobileDelta.WEIGHT)


def remove(item: Item) -> None:
    """Let an item and all that is in it cease to exist, wherever it is; who saw it there is told."""
    holder = item.parent
    if isinstance(holder, Mobile) and holder.held is item:
        bounce(holder)
    _detach(item)
    item.world.delete(item)


def put_on(actor: Mobile, item: Item) -> Item:
    """Wear something from one's pack."""
    if item.parent is actor:
        raise Cannot(Refusal.MISFIT)
    if item.root is not actor:
        raise Cannot(Refusal.NOT_YOURS)
    _check_take(actor, item, 1)
    _check_wearable(actor, item)
    lift(actor, item)
    return wear(actor)


def exchange(actor: Mobile, item: Item, others: Sequence[Item] = ()) -> None:
    """Put on something instead of what is worn there, and of `others` that are in its way in the actor's
    game. Raises Cannot, and then all is as it was."""
    worn = actor.worn.get(item.template.layer)
    off: list[Item] = []
    try:
        for other in [*others, *([worn] if worn is not None and worn not in others else [])]:
            take_off(actor, other.layer)
            off.append(other)
        put_on(actor, item)
    except Cannot:
        for other in reversed(off):
            put_on(actor, other)
        raise


def take_off(actor: Mobile, layer: int) -> Item:
    """Put something one wears into one's pack."""
    item = actor.worn.get(layer)
    pack = _pack(actor)
    if item is None:
        raise Cannot(Refusal.GONE)
    _check_take(actor, item, item.amount)
    check_room(pack, item)
    lift(actor, item)
    return stow(actor, pack, merge=False)


def carried(actor: Mobile) -> dict[str, int]:
    """What is in its pack, bags included: amounts by key of the kind."""
    amounts: dict[str, int] = {}
    for item in carried_items(actor):
        amounts[item.template.key] = amounts.get(item.template.key, 0) + item.amount
    return amounts


def carried_items(actor: Mobile, template: str | None = None) -> Iterator[Item]:
    """What is in its pack, bags included, or what of one kind."""
    pack = actor.backpack
    if pack is not None:
        for item in within(pack):
            if template is None or item.template.key == template:
                yield item


# What has to be true


def _check_take(actor: Mobile, item: Item, amount: int) -> None:
    if actor.hand is not None:
        raise Cannot(Refusal.BUSY)
    refusal = can_take(actor, item)
    if refusal is not None:
        raise Cannot(refusal)
    if not 1 <= amount <= item.amount:
        raise Cannot(Refusal.AMOUNT)
    if item.root is not actor:
        _check_weight(actor, holding.weight_of(item, amount))


def _check_weight(mobile: Mobile, more: int, words: str = "") -> None:
    if more and holding.weight(mobile) + more > holding.capacity(mobile):
        raise Cannot(Refusal.HEAVY, words)


def _check_tile(actor: Mobile, x: int, y: int) -> Realm:
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


def _check_use(actor: Mobile, container: Item) -> None:
    refusal = can_use(actor, container)
    if refusal is not None:
        raise Cannot(refusal)


def _check_wearable(actor: Mobile, item: Item) -> None:
    layer = item.template.layer
    if not layer or layer in actor.worn or actor.dead or item.amount != 1:
        raise Cannot(Refusal.MISFIT)


def _check_beside(actor: Mobile, other: Mobile) -> None:
    if not can_see(actor, other):
        raise Cannot(Refusal.UNSEEN)
    if not can_reach(actor, other):
        raise Cannot(Refusal.FAR)


def _check_gift(actor: Mobile, other: Mobile, item: Item) -> Item:
    _check_beside(actor, other)
    pack = other.backpack
    if pack is None or other.dead or not (other is actor or other.online):
        raise Cannot(Refusal.NOT_YOURS)
    if other is not actor:
        if not other.takes_gifts:
            raise Cannot(Refusal.UNWANTED)
        _check_weight(other, holding.weight_of(item, item.amount), TOO_MUCH_FOR_THEM)
    try:
        check_room(pack, item, merges=equal_stack(pack, item) is not None)
    except Cannot as cannot:
        theirs = other is not actor and cannot.why is Refusal.FULL
        raise Cannot(cannot.why, NO_ROOM_WITH_THEM if theirs else "") from cannot
    return pack


def _still_takes(actor: Mobile, parent: Item | Mobile | None, item: Item, *, merges: bool) -> bool:
    """Whether what was lifted from there can go back there: not into what others have taken away since."""
    if isinstance(parent, Mobile):
        return parent is actor and item.template.layer not in parent.worn
    if parent is None or parent.world.items.get(parent.serial) is not parent:
        return False
    root = parent.root
    lies_or_is_own = root is actor or (isinstance(root, Item) and root.realm is not None)
    return lies_or_is_own and _has_room(parent, item, merges=merges)


def _has_room(container: Item, item: Item, *, merges: bool = False) -> bool:
    try:
        check_room(container, item, merges=merges)
    except Cannot:
        return False
    return True


def _is_untouched(rest: Item, hand: Hand) -> bool:
    """Whether the rest of a split stack still is what and where it was, and the hand's part fits onto it."""
    item = hand.item
    if rest.world.items.get(rest.serial) is not rest or not stacks(item, rest):
        return False
    if item.amount + rest.amount > MOST_IN_STACK:
        return False
    if hand.realm is not None:
        return rest.realm is hand.realm and (rest.x, rest.y) == (hand.x, hand.y)
    return rest.parent is hand.parent


def _held(actor: Mobile) -> Item:
    if actor.hand is None:
        raise Cannot(Refusal.EMPTY)
    return actor.hand.item


def _pack(actor: Mobile) -> Item:
    pack = actor.backpack
    if pack is None:
        raise Cannot(Refusal.FULL)
    return pack


# What changes


def _hand(item: Item, rest: Item | None) -> Hand:
    if item.realm is not None:
        return Hand(item, None, item.realm, item.x, item.y, item.z, rest)
    return Hand(item, item.parent, None, item.slot_x, item.slot_y, 0, rest)


def _split(item: Item, amount: int) -> Item:
    """Reduce a stack to `amount`; what remains is a new item that nobody holds yet."""
    rest = holding.make(
        item.world, item.template.key, amount=item.amount - amount, hue=item.hue, stored=item.stored
    )
    rest.name = item.name
    item.world.register(rest)
    item.amount = amount
    return rest


def _detach(item: Item) -> None:
    """Take an item from where it is; those who saw it there are told."""
    holder, world = item.parent, item.world
    if item.realm is not None:
        world.leave(item)
        return
    root = item.root
    if isinstance(holder, Mobile):
        del holder.worn[item.layer]
        item.layer = 0
        holder.mark(MobileDelta.ARMOR | MobileDelta.WEIGHT)
        viewers = audience.in_sight(holder)
    elif holder is not None:
        del holder.contents[item.serial]
        if isinstance(root, Mobile):
            root.mark(MobileDelta.WEIGHT)
            viewers = audience.one(root)
        else:
            viewers = audience.in_sight(root)
    else:
        return
    world.moments.append(Taken(item, root, viewers, holder if isinstance(holder, Item) else None))
    item.parent = None


def _release(actor: Mobile) -> None:
    """The hand is empty; whoever calls this finds the item another holder at once."""
    if actor.hand is not None:
        actor.hand.item.parent = None
        actor.hand = None
        actor.mark(MobileDelta.WEIGHT)


def _put_back(item: Item, hand: Hand) -> None:
    if hand.realm is not None:
        item.world.enter(item, hand.realm, hand.x, hand.y, hand.z)
    elif isinstance(hand.parent, Mobile):
        holding.wear(hand.parent, item)
    elif hand.parent is not None:
        holding.put(hand.parent, item, hand.x, hand.y)


def _merge(item: Item, target: Item) -> Item:
    target.amount += item.amount
    root = target.root
    if isinstance(root, Mobile):
        root.mark(MobileDelta.WEIGHT)
    _detach(item)
    item.world.delete(item)
    return target


def _destroy(item: Item) -> None:
    """A carried item ceases to exist, but not what is in it."""
    container = item.parent
    for inner in list(item.contents.values()):
        _detach(inner)
        if isinstance(container, Item):
            holding.put(container, inner)
    _detach(item)
    item.world.delete(item)
