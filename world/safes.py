"""Vaults as things: a box for each character that lies nowhere, and whom it is shown to.

It is an item without a place, which knows its `keeper`'s serial; the store has it on the layer of Ultima
Online's bank box. Nobody reaches into it but its keeper at a banker (`world.reach`). Gold lies in it as one
stack without a limit, so that all the gold there is can be counted as items; games show it as a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import audience, holding
from world.events import VaultOpened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.item import Item
    from world.mobile import Mobile

BOX: Final = "bank_box"
"""Item template of the box."""

GOLD: Final = "gold"
VAULT: Final = "vault"


def box(mobile: Mobile) -> Item:
    """The vault of a character; its first one is made."""
    if mobile.vault is None:
        mobile.vault = holding.make(mobile.world, BOX, stored=mobile.stored)
        mobile.vault.keeper = mobile.serial
        mobile.world.register(mobile.vault)
        mobile.vault.touch()
    return mobile.vault


def things(mobile: Mobile) -> Sequence[Item]:
    """Everything in a character's vault beside the gold, in the order it was put there."""
    inside = () if mobile.vault is None else mobile.vault.contents.values()
    return [item for item in inside if item.template.key != GOLD]


def gold_stack(mobile: Mobile) -> Item | None:
    """The gold in a character's vault; None if there is none."""
    inside = () if mobile.vault is None else mobile.vault.contents.values()
    return next((item for item in inside if item.template.key == GOLD), None)


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
