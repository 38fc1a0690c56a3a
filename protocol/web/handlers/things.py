"""What lies, what is carried and what is worn.

The client changes nothing by itself: it waits to be told what it has now, which the end of the turn does. So
a refusal is no more than words. What may be done is decided by `world.reach` and `world.hands`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.refusals import refused_in_words
from protocol.web.handlers.looking import find
from protocol.web.handlers.table import while_playing
from protocol.web.packets.things import Drop, Take, Unwear, Wear
from world import hands
from world.item import Item
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile


@while_playing(Take)
def take(session: WebSession, mobile: Mobile, message: Take) -> None:
    """take: from the ground, or out of a container, into the pack."""
    with refused_in_words(mobile):
        item = _known(session, mobile, message.id)
        if item.parent is mobile.backpack and item.parent is not None:
            return  # it is there
        if item.parent is mobile:
            raise Cannot(Refusal.GONE)  # what is worn is not lying anywhere
        hands.take(mobile, item, message.amount or item.amount)


@while_playing(Drop)
def drop(session: WebSession, mobile: Mobile, message: Drop) -> None:
    """drop: down where one stands."""
    with refused_in_words(mobile):
        item = _own(session, mobile, message.id)
        hands.drop(mobile, item, message.amount or item.amount, mobile.x, mobile.y)


@while_playing(Wear)
def wear(session: WebSession, mobile: Mobile, message: Wear) -> None:
    """wear: instead of what is worn there."""
    with refused_in_words(mobile):
        item = _own(session, mobile, message.id)
        if item.parent is not mobile:
            hands.exchange(mobile, item)


@while_playing(Unwear)
def unwear(session: WebSession, mobile: Mobile, message: Unwear) -> None:
    """unwear: into the pack."""
    with refused_in_words(mobile):
        item = _own(session, mobile, message.id)
        if item.parent is not mobile:
            raise Cannot(Refusal.GONE)
        hands.take_off(mobile, item.layer)


def _known(session: WebSession, mobile: Mobile, serial: int) -> Item:
    """Something that the client may know of. Raises Cannot: what it cannot know of is to it as what does not
    exist."""
    thing = find(session, mobile, serial)
    if not isinstance(thing, Item):
        raise Cannot(Refusal.GONE)
    return thing


def _own(session: WebSession, mobile: Mobile, serial: int) -> Item:
    """Something that one wears or carries. Raises Cannot."""
    item = _known(session, mobile, serial)
    if item.root is not mobile:
        raise Cannot(Refusal.GONE)
    return item
