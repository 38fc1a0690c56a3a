"""Using things: looking into containers, putting on, and all else that a double click means."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

from world import hands, life
from world.containers import counted
from world.mobile import Mobile
from world.reach import Cannot, Refusal, can_reach, can_see, can_use
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.content import Remedy
    from world.item import Item


MOST_NAMED: Final = 40
"""Things in a container that are told of in words."""


class Deed(enum.Enum):
    """Result of using something."""

    OPENED = "a container that its user may look into now"
    WORN = "something put on"
    TAKEN = "something eaten, drunk or applied, of which its user has read"


def use(actor: Mobile, item: Item) -> Deed:
    """Use a thing for its purpose: look into a container, put on what is worn, eat what feeds. Raises Cannot
    if it is out of reach, has no use, or the purpose's own rule refuses."""
    if item.template.container:
        look_into(actor, item)
        return Deed.OPENED
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    if item.world.items.get(item.serial) is not item:
        raise Cannot(Refusal.GONE)
    root = item.root
    if isinstance(root, Mobile) and root is not actor:
        raise Cannot(Refusal.NOT_YOURS)
    if not can_see(actor, item):
        raise Cannot(Refusal.UNSEEN)
    if not can_reach(actor, item):
        raise Cannot(Refusal.FAR)
    if item.template.remedy is not None:
        _take(actor, item, item.template.remedy)
        return Deed.TAKEN
    if item.parent is actor:
        raise Cannot(Refusal.USELESS, f"You wear {item.label} already.")
    if item.template.layer and root is actor:
        hands.exchange(actor, item)
        return Deed.WORN
    raise Cannot(Refusal.USELESS, f"You cannot think of a use for {item.label}.")


def _take(actor: Mobile, item: Item, remedy: Remedy) -> None:
    """Use one up. Nobody wastes what it does not need."""
    label = item.label
    if item.root is not actor:
        raise Cannot(Refusal.NOT_YOURS, f"You have to take {label} up first.")
    if actor.world.now < actor.remedy_at:
        raise Cannot(Refusal.SOON)
    helps = (remedy.hits and actor.hits < actor.hits_max) or (remedy.stamina and actor.stam < actor.stam_max)
    if not helps:
        raise Cannot(Refusal.USELESS, f"You do not need {label} now.")
    hands.destroy(actor, item, 1)
    actor.remedy_at = actor.world.now + remedy.seconds
    hits = life.heal(actor, remedy.hits)
    life.refresh(actor, remedy.stamina)
    notice(actor, f"You {remedy.how} {label}{f' and are healed by {hits}' if hits else ''}.")


def contents_in_words(actor: Mobile, container: Item) -> str:
    """Contents of a container, as a line for its player. Raises Cannot, as `look_into`."""
    inside = [counted(item) for item in look_into(actor, container)]
    more = f" and {len(inside) - MOST_NAMED} more" if len(inside) > MOST_NAMED else ""
    return f"In {container.label}: {', '.join(inside[:MOST_NAMED]) or 'nothing'}{more}."


def look_into(actor: Mobile, container: Item) -> Sequence[Item]:
    """Contents of a container, in the order they were put there. Raises Cannot if it is out of reach, belongs
    to another mobile, or is no container."""
    refusal = can_use(actor, container)
    if refusal is not None:
        raise Cannot(refusal)
    return tuple(container.contents.values())
