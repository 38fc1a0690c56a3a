"""Taking all there is: as much of it as can be carried, and one answer for the whole. (PLAY, section 6)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import hands
from world.containers import counted
from world.reach import Cannot, Refusal, can_use
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.item import Item
    from world.mobile import Mobile

TAKEN: Final = "You take {}."

EMPTY: Final = "There is nothing left of it."


def look_into(actor: Mobile, container: Item) -> Sequence[Item]:
    """Contents of a container, in the order they were put there. Raises Cannot if it is out of reach, locked,
    belongs to another mobile, or is no container."""
    refusal = can_use(actor, container)
    if refusal is not None:
        raise Cannot(refusal)
    return tuple(container.contents.values())


def take_all(actor: Mobile, container: Item) -> Sequence[Cannot]:
    """Take all that is in a corpse or another container, as far as it can be carried, as `take_some` does.
    Raises Cannot as `look_into` does, and nothing is taken then."""
    return take_some(actor, look_into(actor, container))


def take_kind(actor: Mobile, container: Item, template: str) -> tuple[int, Cannot | None]:
    """Take all of a kind that is in a container, as much of it as can be carried. Returns how many, and why
    something of it stays. Raises Cannot as `look_into` does, GONE if there is none, and why nothing of it can
    be taken."""
    found = [item for item in look_into(actor, container) if item.template.key == template]
    if not found:
        raise Cannot(Refusal.GONE)
    taken = 0
    for item in found:
        amount = hands.portable(actor, item)
        try:
            hands.take(actor, item, amount)
        except Cannot as cannot:
            if not taken:
                raise
            return taken, cannot
        taken += amount
    return taken, None


def take_some(actor: Mobile, things: Sequence[Item]) -> Sequence[Cannot]:
    """Take as much of some things as can be carried, and tell what it was in one line. Returns why the others
    stay, each reason once."""
    taken: list[str] = []
    refusals: dict[str, Cannot] = {}
    for item in things:
        amount = hands.portable(actor, item)
        label = counted(item) if amount == item.amount else f"{amount} {item.plural}"
        try:
            hands.take(actor, item, amount)
        except Cannot as cannot:
            refusals.setdefault(str(cannot), cannot)
        else:
            taken.append(label)
    if taken:
        notice(actor, TAKEN.format(", ".join(taken)))
    if not things:
        notice(actor, EMPTY)
    return list(refusals.values())
