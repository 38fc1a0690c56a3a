"""Things that lie, are carried, worn or used; residents are used as well.

The client changes nothing by itself: it waits to be told what it has now, which the end of the turn does. So
a refusal is no more than words. What may be done is decided by `world.reach` and `world.hands`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.dispatch import Interval
from protocol.refusals import tell_refusal
from protocol.web.belongings import open_for
from protocol.web.handlers.looking import find
from protocol.web.handlers.table import TABLE
from protocol.web.packets.things import Drop, Take, TakeAll, Unwear, Use, Wear
from protocol.web.view import WebView
from world import fixtures, hands, looting, residents, using
from world.item import Item
from world.mobile import Mobile
from world.reach import Cannot, Refusal
from world.serials import FIRST_ITEM

if TYPE_CHECKING:
    from protocol.web.session import WebSession


@TABLE.while_playing(Use, every=Interval(0.1, burst=3))
def use(session: WebSession, mobile: Mobile, message: Use) -> None:
    """use: talk to a resident, do with a thing what it is for. Raises Cannot(GONE) for an item and
    Cannot(UNSEEN) for somebody out of sight, and as `using.use`."""
    thing = find(session, mobile, message.id)
    if thing is None:
        raise Cannot(Refusal.GONE if message.id >= FIRST_ITEM else Refusal.UNSEEN)
    if not isinstance(thing, Mobile):
        _use(session, mobile, thing, _other(session, mobile, message.on))
    elif thing.is_character:
        session.send(WebView.of(session).figures.seen(thing))
    else:
        residents.talk_to(mobile, thing)


def _use(session: WebSession, mobile: Mobile, thing: Item, on: Mobile | None = None) -> None:
    if using.use(mobile, thing, on) is using.Deed.OPENED:
        open_for(session, thing)
        session.queue(WebView.of(session).possessions.inside(thing))


@TABLE.while_playing(Take)
def take(session: WebSession, mobile: Mobile, message: Take) -> None:
    """take: from the ground, or out of a container, into the pack. Raises Cannot(GONE) for what is worn, or
    out of sight."""
    item = _known(session, mobile, message.id)
    if item.parent is mobile.backpack and item.parent is not None:
        return  # it is there
    if item.parent is mobile:
        raise Cannot(Refusal.GONE)  # what is worn is not lying anywhere
    if fixtures.is_fixture(item.template):
        _use(session, mobile, item)
        return
    hands.take(mobile, item, message.amount or item.amount)


@TABLE.while_playing(TakeAll, every=Interval(0.2, burst=3))
def take_all(session: WebSession, mobile: Mobile, message: TakeAll) -> None:
    """take_all: everything in a container into the pack. Raises Cannot(GONE) for what is out of sight or not
    a container, and as `looting.take_all`."""
    container = _known(session, mobile, message.id)
    if not container.template.container:
        raise Cannot(Refusal.GONE)
    for refusal in looting.take_all(mobile, container):
        tell_refusal(mobile, refusal)


@TABLE.while_playing(Drop)
def drop(session: WebSession, mobile: Mobile, message: Drop) -> None:
    """drop: down where one stands."""
    item = own(session, mobile, message.id)
    hands.drop(mobile, item, message.amount or item.amount, mobile.x, mobile.y)


@TABLE.while_playing(Wear)
def wear(session: WebSession, mobile: Mobile, message: Wear) -> None:
    """wear: instead of what is worn there."""
    item = own(session, mobile, message.id)
    if item.parent is not mobile:
        hands.exchange(mobile, item)


@TABLE.while_playing(Unwear)
def unwear(session: WebSession, mobile: Mobile, message: Unwear) -> None:
    """unwear: into the pack. Raises Cannot(GONE) if it is not worn."""
    item = own(session, mobile, message.id)
    if item.parent is not mobile:
        raise Cannot(Refusal.GONE)
    hands.take_off(mobile, item.layer)


def _other(session: WebSession, mobile: Mobile, serial: int) -> Mobile | None:
    """On whom something is used; None for oneself. Raises Cannot(UNSEEN) for somebody out of sight."""
    if not serial:
        return None
    other = find(session, mobile, serial)
    if not isinstance(other, Mobile):
        raise Cannot(Refusal.UNSEEN)
    return other


def _known(session: WebSession, mobile: Mobile, serial: int) -> Item:
    """Something that the client may know of. Raises Cannot: what it cannot know of is to it as what does not
    exist."""
    thing = find(session, mobile, serial)
    if not isinstance(thing, Item):
        raise Cannot(Refusal.GONE)
    return thing


def own(session: WebSession, mobile: Mobile, serial: int) -> Item:
    """Something that one wears or carries. Raises Cannot(GONE)."""
    item = _known(session, mobile, serial)
    if item.root is not mobile:
        raise Cannot(Refusal.GONE)
    return item
