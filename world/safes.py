"""Vaults as things: a box for each character that lies nowhere, and whom it is shown to.

It is an item without a place, which knows its `keeper`'s serial; the store has it on the layer of Ultima
Online's bank box. Nobody reaches into it but its keeper at a banker (`world.reach`). Gold lies in it as one
stack without a limit, so that all the gold there is can be counted as items; games show it as a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import audience, holding
from world.events import VaultOpened
from world.item import KEPT, Item
from world.promises import promise
from world.reach import Cannot, Refusal
from world.wording import GOLD, amount_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.mobile import Mobile
    from world.thing import Surroundings, Thing

BOX: Final = "bank_box"
"""Item template of the box."""

VAULT: Final = "vault"

MOST_GOLD: Final = 1_000_000_000
"""Gold in one vault: as much as Conquer Online's client shows (facts/co-play.md), the least of all."""


def box(mobile: Mobile) -> Item:
    """The vault of a character; its first one is made."""
    if mobile.vault is None:
        mobile.vault = holding.make(mobile.world, BOX, stored=mobile.stored)
        mobile.vault.keeper = mobile.serial
        mobile.world.register(mobile.vault)
        mobile.vault.touch()
    return mobile.vault


def box_for_record(world: Surroundings) -> Item:
    """A box for the things of a record (`world.records`), whose serial the record has to keep."""
    made = holding.make(world, BOX)
    made.keeper = KEPT
    world.register(made)
    made.touch()
    return made


def things(mobile: Mobile) -> Sequence[Item]:
    """Everything in a character's vault beside the gold, in the order it was put there."""
    inside = () if mobile.vault is None else mobile.vault.contents.values()
    return [item for item in inside if item.template.key != GOLD]


def gold_stack(mobile: Mobile) -> Item | None:
    """The gold in a character's vault; None if there is none."""
    inside = () if mobile.vault is None else mobile.vault.contents.values()
    return next((item for item in inside if item.template.key == GOLD), None)


def kept(mobile: Mobile, serial: int) -> Item:
    """Something in a character's vault, to any depth. Raises Cannot(GONE): others' things are to it as what
    does not exist."""
    item = mobile.world.items.get(serial)
    if item is None or mobile.vault is None or item.root is not mobile.vault:
        raise Cannot(Refusal.GONE)
    return item


def gold(mobile: Mobile) -> int:
    """Amount of the gold in a character's vault."""
    stack = gold_stack(mobile)
    return 0 if stack is None else stack.amount


def show(mobile: Mobile, *, anew: bool = True) -> None:
    """Show a player what lies in its vault, if that stands open and its game has a window for it."""
    visit = mobile.visit
    if visit is not None and visit.service == VAULT and VAULT in mobile.windows:
        viewers = audience.one(mobile)
        event = VaultOpened(mobile, visit.host, gold(mobile), things(mobile), viewers, anew)
        mobile.world.events.append(event)


def check_gold(mobile: Mobile, more: int) -> None:
    """Check that so much more gold may lie in a vault. Raises Cannot(FULL)."""
    if more + gold(mobile) > MOST_GOLD:
        raise Cannot(Refusal.FULL)


def tell(mobile: Mobile, done: str) -> None:
    """Tell a player what it has done with its gold, and how much of it lies there now, when that is on
    disk."""
    left = gold(mobile)
    lie = "lies" if left == 1 else "lie"
    promise(mobile, f"{done}; {amount_of(mobile.world, GOLD, left)} {lie} there.")


def stir(mobile: Mobile, root: Thing, gold: int = 0) -> None:
    """A player put something into a vault by hand, or took something out; `gold`: so much of it was put
    there, which most games show nowhere."""
    if isinstance(root, Item) and root.keeper:
        if gold:
            tell(mobile, f"You put {amount_of(mobile.world, GOLD, gold)} into the bank")
        show(mobile)
