"""Hands: lifting, putting down, splitting, stacking, wearing, handing over.

An item is in exactly one place at any time: on the ground, worn, in a container or in a mobile's hand. Each
of these functions checks everything first and raises `Cannot` before it has changed anything; then it changes
holder and amounts in one go. Nothing is made but the rest of a split stack, and nothing ceases to exist but a
stack that became part of another, so amounts are conserved. (Undoing what was half done when a check fails
was not taken: viewers would have received the half.)

Ultima Online's client lifts and puts down in two packets, with the item in its hand meanwhile; Endless
Online's does both in one, and names kinds and amounts instead of things. Both go through here.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from world import audience, dealing, holding, law, locks, safes
from world.checks import (
    check_beside,
    check_gift,
    check_take,
    check_tile,
    check_use,
    check_wearable,
    has_room,
    is_untouched,
    still_takes,
)
from world.containers import MOST_IN_STACK, check_room, counted, enough, equal_stack, stacks
from world.containers import carried as carried
from world.containers import carried_items as carried_items
from world.delta import MobileDelta
from world.events import Bounced, Taken
from world.item import Item
from world.mobile import Hand, Mobile
from world.reach import Cannot, Refusal, can_take
from world.speech import notice
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.realm import Realm


# In two steps: lifting and putting down


def lift(actor: Mobile, item: Item, amount: int | None = None) -> Item:
    """Take an item, or `amount` of a stack, into the hand. The lifted part keeps its serial; the rest is a
    new item. Raises Cannot, as `world.reach.can_take` says, and HEAVY, BUSY or AMOUNT."""
    amount = item.amount if amount is None else amount
    if actor.hand is not None:
        raise Cannot(Refusal.BUSY)
    check_take(actor, item, amount)
    rest = _split(item, amount) if amount < item.amount else None
    actor.hand = _hand(item, rest)
    claims = list(item.claims)
    vault = item.root
    _detach(item)
    item.parent = actor
    if rest is not None:
        _put_back(rest, actor.hand)
    item.touch()
    actor.mark(MobileDelta.WEIGHT)
    safes.stir(actor, vault)
    locks.stir(vault)
    for claim in claims:
        law.looted(actor, claim)
    return item


def lay(actor: Mobile, x: int, y: int) -> Item:
    """Put the held item on a tile. Returns the item. Raises Cannot: EMPTY, FAR, BLOCKED or FULL."""
    item = _held(actor)
    realm = check_tile(actor, x, y)
    _release(actor)
    item.dropper, item.dropped_at = actor.serial, actor.world.now
    item.world.enter(item, realm, x, y, actor.z)
    return item


def stow(
    actor: Mobile, container: Item, x: int | None = None, y: int | None = None, *, merge: bool = True
) -> Item:
    """Put the held item into a container, in a slot or anywhere; with `merge` onto an equal stack if there is
    one. Returns the item it is, or became part of, now. Raises Cannot: EMPTY, NESTED, FULL, or as
    `world.reach.can_use` says of the container."""
    item = _held(actor)
    check_use(actor, container)
    target = equal_stack(container, item) if merge and x is None else None
    root = container.root
    gold = 0
    if isinstance(root, Item) and root.keeper and item.template.key == GOLD:
        # All the gold in a vault is one stack, whatever its size.
        target, container, gold = safes.gold_stack(actor), root, item.amount
        safes.check_gold(actor, gold)
    check_room(container, item, merges=target is not None)
    _release(actor)
    if target is not None:
        item = _merge(item, target)
    else:
        holding.put(container, item, x, y)
    safes.stir(actor, root, gold)
    return item


def stack(actor: Mobile, target: Item) -> Item:
    """Put the held item onto an equal stack, which grows, and is returned. Raises Cannot: EMPTY; NESTED if
    they do not stack; FULL; or as `world.reach.can_take` says of the stack."""
    item = _held(actor)
    refusal = can_take(actor, target)
    if refusal is not None:
        raise Cannot(refusal)
    if not stacks(item, target):
        raise Cannot(Refusal.NESTED)
    if item.amount + target.amount > MOST_IN_STACK:
        raise Cannot(Refusal.FULL)
    _release(actor)
    _merge(item, target)
    safes.stir(actor, target.root)
    return target


def wear(actor: Mobile) -> Item:
    """Put on the held item. Raises Cannot: EMPTY or MISFIT."""
    item = _held(actor)
    check_wearable(actor, item)
    _release(actor)
    holding.wear(actor, item)
    return item


def hand_over(actor: Mobile, other: Mobile) -> Item:
    """Give the held item to another player nearby, who receives a line about it. Returns the item it is, or
    became part of. Raises Cannot, as `give`."""
    item = _held(actor)
    pack = check_gift(actor, other, item)
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
    """Lift an item, or a part of a stack, and give it to another player nearby. Returns the item it is, or
    became part of. Raises Cannot, and then all is as it was: ONESELF, UNSEEN, FAR, NOT_YOURS, UNWANTED,
    IGNORED, HEAVY or FULL, and what `lift` raises."""
    check_take(actor, item, amount)
    if other is actor:
        raise Cannot(Refusal.ONESELF)
    check_beside(actor, other)
    lift(actor, item, amount)
    try:
        return hand_over(actor, other)
    except Cannot:
        bounce(actor, let_go=True)  # no client has shown it in the hand
        raise


def bounce(actor: Mobile, *, let_go: bool = False) -> None:
    """Put the held item back where it came from; if that is gone into the pack, else at the feet. `let_go`:
    its client knows already that its hand is empty. Raises RuntimeError only if the mobile is nowhere, has no
    pack and the old place is gone, which the rules exclude."""
    hand = actor.hand
    if hand is None:
        return
    item, rest = hand.item, hand.rest
    if not let_go:
        item.world.events.append(Bounced(actor, item, audience.one(actor)))
    _release(actor)
    pack = actor.backpack
    whole = rest is not None and is_untouched(rest, hand)
    if hand.realm is not None or still_takes(actor, hand.parent, item, merges=whole):
        if rest is not None and whole:
            # As if it had never been split. It is the rest that goes: the item keeps the serial its client
            # knows.
            item.amount += rest.amount
            _detach(rest)
            rest.world.delete(rest)
        _put_back(item, hand)
        safes.stir(actor, item.root)
    elif pack is not None and (actor.realm is None or has_room(pack, item)):
        holding.put(pack, item)
    elif actor.realm is not None:
        item.world.enter(item, actor.realm, actor.x, actor.y, actor.z)
    else:
        raise RuntimeError(f"{actor.name} is nowhere, has no pack and holds {item.label}")


# In one step


def take(actor: Mobile, item: Item, amount: int | None = None) -> Item:
    """Lift an item and put it into one's pack, onto an equal stack if there is one. Raises Cannot, as `lift`
    and `stow`."""
    pack = _pack(actor)
    check_take(actor, item, item.amount if amount is None else amount)
    check_room(pack, item, merges=equal_stack(pack, item, amount) is not None)
    lift(actor, item, amount)
    return stow(actor, pack)


def portable(actor: Mobile, item: Item) -> int:
    """Number of items of a stack that the mobile can carry besides what it has; the whole amount, if it
    cannot carry even one."""
    room = max(0, holding.capacity(actor) - holding.weight(actor))
    if not item.template.stackable or holding.weight_of(item, item.amount) <= room:
        return item.amount
    fitting = bisect_right(range(1, item.amount), room, key=lambda amount: holding.weight_of(item, amount))
    return fitting or item.amount


def drop(actor: Mobile, item: Item, amount: int, x: int, y: int) -> Item:
    """Lift an item, or a part of a stack, and put it on a tile. Raises Cannot, as `lift` and `lay`."""
    check_take(actor, item, amount)
    check_tile(actor, x, y)
    lift(actor, item, amount)
    return lay(actor, x, y)


def drop_kind(actor: Mobile, template: str, amount: int, x: int, y: int) -> Item:
    """Put `amount` of a kind on a tile, gathered from all stacks in the pack. Kinds that do not stack go one
    at a time. Raises Cannot: AMOUNT, and as `drop`."""
    found = list(carried_items(actor, template))
    if not 1 <= amount <= min(sum(item.amount for item in found), MOST_IN_STACK):
        raise Cannot(Refusal.AMOUNT)
    if amount > 1 and not found[0].template.stackable:
        raise Cannot(Refusal.AMOUNT)
    check_tile(actor, x, y)
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
    """Make `amount` of a kind in the pack cease to exist; the contents of a bag stay in its place. Raises
    Cannot: DEAD or AMOUNT."""
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
    """Make an own item, or `amount` of a stack, cease to exist; the contents of a bag stay in its place. A
    worn item goes through the pack, so there has to be room for it. Raises Cannot: NOT_YOURS, and as `lift`
    and `take_off`."""
    if item.root is not actor:
        raise Cannot(Refusal.NOT_YOURS)
    if item.parent is actor:
        check_take(actor, item, amount)
        item = take_off(actor, item.layer)
    check_take(actor, item, amount)
    if amount == item.amount:
        _destroy(item)
    else:
        item.amount -= amount
        actor.mark(MobileDelta.WEIGHT)


def consume(item: Item, amount: int) -> None:
    """Take so many off a stack that somebody carries; the last of it ceases to exist."""
    if amount >= item.amount:
        _detach(item)
        item.world.delete(item)
        return
    item.amount -= amount
    root = item.root
    if isinstance(root, Mobile):
        root.mark(MobileDelta.WEIGHT)


def transfer(item: Item, amount: int, container: Item) -> Item:
    """Move an item, or so many of a stack, into a container: onto an equal stack if there is one. Whether it
    may go there was checked. Returns the item it is, or became part of."""
    return put_in(take_out(item, amount), container)


def take_out(item: Item, amount: int) -> Item:
    """Take an item, or so many of a stack, from where it is. Returns what nobody holds then: the caller gives
    it another holder at once (`put_in`)."""
    source = item.root
    if amount < item.amount:
        item = _split(item, item.amount - amount)
    else:
        _detach(item)
    if isinstance(source, Mobile):
        source.mark(MobileDelta.WEIGHT)
    return item


def put_in(item: Item, container: Item) -> Item:
    """Put an item without holder into a container: onto an equal stack if there is one. Returns the item it
    is, or became part of."""
    target = equal_stack(container, item)
    if target is None:
        holding.put(container, item)
        return item
    target.amount += item.amount
    item.world.delete(item)
    root = target.root
    if isinstance(root, Mobile):
        root.mark(MobileDelta.WEIGHT)
    return target


def remove(item: Item) -> None:
    """Let an item and all that is in it cease to exist, wherever it is; viewers receive `Taken` or `Left`."""
    holder = item.parent
    if isinstance(holder, Mobile) and holder.held is item:
        bounce(holder)
    _detach(item)
    item.world.delete(item)


def put_into(item: Item, container: Item) -> None:
    """Move an item into a container, whoever has it and whatever room there is; viewers receive `Taken`."""
    _detach(item)
    holding.put(container, item)


def put_down(item: Item, realm: Realm, x: int, y: int, z: int = 0) -> None:
    """Move an item to a tile, whoever has it and whatever lies there; viewers receive `Taken`."""
    _detach(item)
    item.world.enter(item, realm, x, y, z)


def put_on(actor: Mobile, item: Item) -> Item:
    """Wear an item from one's pack. Raises Cannot: MISFIT if it is worn or does not fit, NOT_YOURS, and as
    `lift`."""
    if item.parent is actor:
        raise Cannot(Refusal.MISFIT)
    if item.root is not actor:
        raise Cannot(Refusal.NOT_YOURS)
    check_take(actor, item, 1)
    check_wearable(actor, item)
    lift(actor, item)
    return wear(actor)


def exchange(actor: Mobile, item: Item, others: Sequence[Item] = ()) -> None:
    """Put on an item instead of the one worn on its layer, and instead of `others` that are in its way in the
    actor's game. Raises Cannot, as `take_off` and `put_on`, and then all is as it was."""
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
    """Put a worn item into one's pack. Raises Cannot: GONE if nothing is worn there, FULL, and as `lift`."""
    item = actor.worn.get(layer)
    pack = _pack(actor)
    if item is None:
        raise Cannot(Refusal.GONE)
    check_take(actor, item, item.amount)
    check_room(pack, item)
    lift(actor, item)
    return stow(actor, pack, merge=False)


# What changes


def _held(actor: Mobile) -> Item:
    if actor.hand is None:
        raise Cannot(Refusal.EMPTY)
    return actor.hand.item


def _pack(actor: Mobile) -> Item:
    pack = actor.backpack
    if pack is None:
        raise Cannot(Refusal.FULL)
    return pack


def _hand(item: Item, rest: Item | None) -> Hand:
    if item.realm is not None:
        return Hand(item, None, item.realm, item.x, item.y, item.z, rest, item.fell)
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
    """Take an item from where it is; its viewers there receive `Taken`."""
    holder, world = item.parent, item.world
    item.fell = None
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
            dealing.taken(root, item)
        else:
            viewers = audience.in_sight(root)
    else:
        return
    world.events.append(Taken(item, root, viewers, holder if isinstance(holder, Item) else None))
    item.parent = None


def _release(actor: Mobile) -> None:
    """Empty the hand; the caller gives the item another holder at once."""
    if actor.hand is not None:
        actor.hand.item.parent = None
        actor.hand = None
        actor.mark(MobileDelta.WEIGHT)


def _put_back(item: Item, hand: Hand) -> None:
    if hand.realm is not None:
        item.fell = hand.fell
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
