"""The bank: one vault for each character, the same through every game. (PLAY, sections 2 and 8)

What lies in it weighs nothing, is not lost at death, and is there at every banker. A player `visit`s a banker
and puts things and gold in and out; each deed is all or nothing. One whose game has no window for it
(`Mobile.windows`) is asked by dialogs: `world.counters`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import granting, hands, holding, safes, stowing, visits
from world.checks import check_weight
from world.containers import check_room, equal_stack
from world.item import Item
from world.mobile import Mobile, Visit
from world.reach import TALKING, Cannot, Refusal, check_talk
from world.safes import MOST_GOLD, VAULT
from world.wording import GOLD, amount_of

if TYPE_CHECKING:
    from collections.abc import Mapping

BANKER: Final = "banker"

NO_BANKER: Final = "There is no banker near who would open it for you."


def visit(actor: Mobile, banker: Mobile) -> None:
    """Have one's vault opened by a banker, and be shown what lies in it. Raises Cannot: DEAD, NO_BANK, GONE,
    FAR or UNSEEN."""
    check_at(actor, banker)
    safes.box(actor)
    actor.visit = Visit(banker, VAULT)
    safes.show(actor, anew=False)


def deposit_gold(actor: Mobile, banker: Mobile, amount: int) -> None:
    """Put gold of one's pack into the vault. Raises Cannot: as `visit`, and AMOUNT, POOR or FULL."""
    check_at(actor, banker)
    if amount < 1:
        raise Cannot(Refusal.AMOUNT)
    if amount > holding.gold(actor):
        raise Cannot(Refusal.POOR)
    if amount + safes.gold(actor) > MOST_GOLD:
        raise Cannot(Refusal.FULL)
    _check_room_for_gold(actor)
    hands.destroy_kind(actor, GOLD, amount)
    _pour(actor, amount)
    _tell(actor, f"You put {amount_of(actor.world, GOLD, amount)} into the bank")


def withdraw_gold(actor: Mobile, banker: Mobile, amount: int) -> None:
    """Take gold out of the vault. Raises Cannot: as `visit`, and AMOUNT, POOR, HEAVY or FULL."""
    check_at(actor, banker)
    stack = safes.gold_stack(actor)
    if amount < 1:
        raise Cannot(Refusal.AMOUNT)
    if stack is None or amount > stack.amount:
        raise Cannot(Refusal.POOR)
    pack = actor.backpack
    if pack is None or not granting.has_room(pack, {GOLD: amount}):
        raise Cannot(Refusal.FULL)
    check_weight(actor, holding.stones(stack.template, amount))
    hands.consume(stack, amount)
    granting.make(actor, GOLD, amount)
    _tell(actor, f"You take {amount_of(actor.world, GOLD, amount)} out of the bank")


def deposit(actor: Mobile, banker: Mobile, item: Item, amount: int) -> None:
    """Put an item of one's pack into the vault, or so many of a stack. Raises Cannot: as `visit`; NOT_YOURS,
    FIXED, AMOUNT, NESTED or FULL."""
    check_at(actor, banker)
    check_own(actor, item, amount)
    if item.template.key == GOLD:
        deposit_gold(actor, banker, amount)
        return
    inside = safes.box(actor)
    check_room(inside, item, merges=equal_stack(inside, item, amount) is not None)
    label = amount_of(actor.world, item.template.key, amount)
    hands.transfer(item, amount, inside)
    _tell(actor, f"You put {label} into the bank")


def deposit_kind(actor: Mobile, banker: Mobile, template: str, amount: int) -> None:
    """Put so many of a kind into the vault, out of all stacks in one's pack, for games that know kinds and
    not things; bags that are empty first. Raises Cannot, as `deposit`, and OPEN_BAG."""
    check_at(actor, banker)
    parts, inside = stowing.of_kind(actor, template, amount), safes.box(actor)
    if template == GOLD:
        deposit_gold(actor, banker, amount)
        return
    stowing.check_room_for(inside, parts)
    for item, part in parts:
        hands.transfer(item, part, inside)
    _tell(actor, f"You put {amount_of(actor.world, template, amount)} into the bank")


def withdraw(actor: Mobile, banker: Mobile, item: Item, amount: int) -> None:
    """Take an item out of the vault into one's pack, or so many of a stack. Raises Cannot: as `visit`;
    NOT_YOURS, AMOUNT, HEAVY, NESTED or FULL."""
    check_at(actor, banker)
    inside, pack = actor.vault, actor.backpack
    if inside is None or item.root is not inside or item is inside:
        raise Cannot(Refusal.NOT_YOURS)
    if not 1 <= amount <= item.amount:
        raise Cannot(Refusal.AMOUNT)
    if item.template.key == GOLD and item.parent is inside:
        withdraw_gold(actor, banker, amount)
        return
    if pack is None:
        raise Cannot(Refusal.FULL)
    check_weight(actor, holding.weight_of(item, amount))
    check_room(pack, item, merges=equal_stack(pack, item, amount) is not None)
    label = amount_of(actor.world, item.template.key, amount)
    hands.transfer(item, amount, pack)
    _tell(actor, f"You take {label} out of the bank")


def takes(mobile: Mobile, amounts: Mapping[str, int]) -> bool:
    """Whether a vault has room for so many new things of these kinds."""
    gold = amounts.get(GOLD, 0)
    if gold and gold + safes.gold(mobile) > MOST_GOLD:
        return False
    stacks = 1 if gold and safes.gold_stack(mobile) is None else 0
    return granting.has_room(safes.box(mobile), {**amounts, GOLD: stacks})


def receive(mobile: Mobile, template: str, amount: int) -> None:
    """Put new things into a vault that have no room elsewhere: rewards. Raises Cannot(FULL)."""
    inside = safes.box(mobile)
    if template == GOLD:
        if amount + safes.gold(mobile) > MOST_GOLD:
            raise Cannot(Refusal.FULL)
        _check_room_for_gold(mobile)
        _pour(mobile, amount)
    else:
        if not granting.has_room(inside, {template: amount}):
            raise Cannot(Refusal.FULL)
        granting.fill(inside, template, amount)
    safes.show(mobile)


def check_at(actor: Mobile, banker: Mobile) -> None:
    """Check that the actor stands before a banker. Raises Cannot: DEAD, NO_BANK, GONE, FAR or UNSEEN."""
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    if not banker.has_role(BANKER):
        raise Cannot(Refusal.NO_BANK)
    check_talk(actor, banker)


def check_own(actor: Mobile, item: Item, amount: int) -> None:
    """Check that so many of an item may leave the actor's pack. Raises Cannot: NOT_YOURS, FIXED or AMOUNT."""
    if actor.world.items.get(item.serial) is not item or item.root is not actor:
        raise Cannot(Refusal.NOT_YOURS)
    if not isinstance(item.parent, Item) or not item.template.movable:
        raise Cannot(Refusal.FIXED)
    if not 1 <= amount <= item.amount:
        raise Cannot(Refusal.AMOUNT)


def banker_near(actor: Mobile) -> Mobile:
    """The nearest banker with whom the actor can talk, for games in which one goes up to the vault and not to
    whoever keeps it. Raises Cannot(NO_BANK)."""
    found = visits.nearest(actor, BANKER, TALKING)
    if found is None:
        raise Cannot(Refusal.NO_BANK, NO_BANKER)
    return found


def _check_room_for_gold(mobile: Mobile) -> None:
    """One stack more has to fit if there is no gold yet."""
    if safes.gold_stack(mobile) is None and not granting.has_room(safes.box(mobile), {GOLD: 1}):
        raise Cannot(Refusal.FULL)


def _pour(mobile: Mobile, amount: int) -> None:
    stack = safes.gold_stack(mobile)
    if stack is not None:
        stack.amount += amount
        return
    stack = holding.make(mobile.world, GOLD, amount=amount, stored=mobile.stored)
    mobile.world.register(stack)
    holding.put(safes.box(mobile), stack)


def _tell(actor: Mobile, done: str) -> None:
    safes.tell(actor, done)
    safes.show(actor)
