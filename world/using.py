"""Using things: looking into containers, putting on, and all else that a double click means."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

from world import ailments, bulletins, chests, gathering, hands, healing, letters, life
from world.audience import in_sight
from world.containers import counted
from world.events import Mended
from world.looting import look_into
from world.mobile import Mobile
from world.reach import Cannot, Refusal, can_reach, can_see
from world.speech import notice

if TYPE_CHECKING:
    from world.content import Remedy
    from world.item import Item


MOST_NAMED: Final = 40
"""Things in a container that are told of in words."""


class Deed(enum.Enum):
    """Result of using something."""

    OPENED = "a container that its user may look into now"
    WORN = "something put on"
    TAKEN = "something eaten, drunk or applied, of which its user has read"
    READ = "a letter, whose words its user has read"
    WORKED = "a tool, with which its user begins to gather, and has read so"
    ASKED = "a chest or a board, of which its user is asked what to do with it"
    LIT = "a light that burns now, or does no more, of which its user has read"


def use(actor: Mobile, item: Item, on: Mobile | None = None) -> Deed:
    """Use a thing for its purpose: look into a container, put on what is worn, eat what feeds, dress wounds
    (those of `on`, if that is given), light what burns, read a letter, gather with a tool. Raises Cannot if
    it is out of reach, has no use, or the purpose's own rule refuses; nothing is used up then."""
    deed = _use(actor, item, on)
    actor.world.scripts.used(actor, item.template.key, item)
    return deed


def _use(actor: Mobile, item: Item, on: Mobile | None) -> Deed:
    kind = item.template
    if kind.board:
        bulletins.show(actor, item)
        return Deed.ASKED
    if kind.chest is not None and chests.CHEST not in actor.windows:
        chests.show(actor, item)
        return Deed.ASKED
    if kind.container:
        look_into(actor, item)
        return Deed.OPENED
    root = _check_at_hand(actor, item)
    if kind.remedy is not None:
        if root is not actor:
            raise Cannot(Refusal.NOT_YOURS, f"You have to take {item.label} up first.")
        if kind.remedy.dressing:
            healing.dress(actor, item, on)
        else:
            _check_on_oneself(actor, item, on)
            _take(actor, item, kind.remedy)
        return Deed.TAKEN
    _check_on_oneself(actor, item, on)
    if kind.letter:
        letters.read(actor, item)
        return Deed.READ
    if root is actor and gathering.is_tool(actor.world, item):
        gathering.gather(actor, item)
        return Deed.WORKED
    if kind.light and (item.parent is actor or root is not actor):
        _light(actor, item, lit=not item.lit)
        return Deed.LIT
    if item.parent is actor:
        raise Cannot(Refusal.USELESS, f"You wear {item.label} already.")
    if kind.layer and root is actor:
        hands.exchange(actor, item)
        if kind.light and not item.lit:
            _light(actor, item, lit=True)
        return Deed.WORN
    raise Cannot(Refusal.USELESS, f"You cannot think of a use for {item.label}.")


def _check_at_hand(actor: Mobile, item: Item) -> Item | Mobile:
    """Check that an actor has or reaches a thing; returns who or what has it. Raises Cannot: DEAD, GONE,
    NOT_YOURS, UNSEEN or FAR."""
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
    return root


def _check_on_oneself(actor: Mobile, item: Item, on: Mobile | None) -> None:
    if on is not None and on is not actor:
        raise Cannot(Refusal.USELESS, f"You cannot use {item.label} on others.")


def _take(actor: Mobile, item: Item, remedy: Remedy) -> None:
    """Use one up. Nobody wastes what it does not need."""
    label = item.label
    if actor.world.now < actor.remedy_at:
        raise Cannot(Refusal.SOON)
    helps = (
        (remedy.hits and actor.hits < actor.hits_max)
        or (remedy.stamina and actor.stam < actor.stam_max)
        or (remedy.cures and actor.poisoned)
        or (remedy.venom and not actor.poisoned)
    )
    if not helps:
        raise Cannot(Refusal.USELESS, f"You do not need {label} now.")
    hands.destroy(actor, item, 1)
    actor.remedy_at = actor.world.now + remedy.seconds
    notice(actor, f"You {remedy.how} {label}.")
    hits = life.heal(actor, remedy.hits)
    if hits:
        actor.world.events.append(Mended(actor, hits, in_sight(actor)))
    life.refresh(actor, remedy.stamina)
    if remedy.cures:
        ailments.cure(actor)
    if remedy.venom:
        ailments.poison(actor, remedy.venom)


def _light(actor: Mobile, item: Item, *, lit: bool) -> None:
    item.lit = lit
    notice(actor, f"You {'light' if lit else 'put out'} {item.label}.")


def contents_in_words(actor: Mobile, container: Item) -> str:
    """Contents of a container, as a line for its player. Raises Cannot, as `look_into`."""
    inside = [counted(item) for item in look_into(actor, container)]
    more = f" and {len(inside) - MOST_NAMED} more" if len(inside) > MOST_NAMED else ""
    return f"In {container.label}: {', '.join(inside[:MOST_NAMED]) or 'nothing'}{more}."
