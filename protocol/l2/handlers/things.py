"""Items: what lies, what is carried and what is worn.

The client changes nothing by itself: it waits to be told what its inventory is now, so a refusal is no more
than words. What may be done is decided by `world.reach` and `world.hands`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.l2 import dialogs
from protocol.l2.figures import MOST_COINS
from protocol.l2.handlers import chests
from protocol.l2.handlers.ordering import own_item
from protocol.l2.handlers.table import DROP_ITEM, ROWS, TRANSACTION
from protocol.l2.packets import (
    GetItem,
    RequestDestroyItem,
    RequestDropItem,
    RequestItemList,
    RequestUnEquipItem,
    SystemMessage,
    SystemMessageId,
    UseItem,
    number,
)
from protocol.l2.view import L2View
from protocol.refusals import tell_refusal
from world import fixtures, hands, looting, using
from world.reach import REACH, Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.item import Item
    from world.mobile import Mobile

LIST_SECONDS: Final = 0.5
"""Between two lists of all one has."""

DROP_UNITS: Final = 150
"""Units from a character to where its player may drop something (L2J: RequestDropItem). Of these, the world's
reach is what counts: it lands on the way there."""

ADENA: Final = 57
"""The client's item that is its money."""

MOST_NAMED: Final = 40
"""Things in a container that are told of."""


@ROWS.while_playing(RequestItemList, every=Interval(LIST_SECONDS, burst=2, coalesced=True))
def list_items(session: L2Session, mobile: Mobile, packet: RequestItemList) -> None:
    """RequestItemList: the inventory's window opens."""
    session.queue(*L2View.of(session).item_list(mobile, session.dialect, show_window=True))


def pick_up(session: L2Session, mobile: Mobile, item: Item) -> None:
    """Take something from the ground into the pack, or do with a board what it is for."""
    if fixtures.is_fixture(item.template):
        _use_there(session, mobile, item)
        return
    view = L2View.of(session)
    place, label, amount = view.places.of(item), item.label, item.amount
    try:
        hands.take(mobile, item)
    except Cannot as cannot:
        tell_refusal(mobile, cannot)
        return
    if place is not None:
        session.send(GetItem(mobile.serial, item.serial, place.x, place.y, place.z))
    if view.looks.items[item.template.key].item == ADENA:
        session.send(SystemMessage(SystemMessageId.OBTAINED_ADENA, (number(min(amount, MOST_COINS)),)))
    else:
        notice(mobile, f"You pick up {label}.")  # the client's text has the client's name for it


def open_container(session: L2Session, mobile: Mobile, container: Item) -> None:
    """Look into something that lies within reach; what is in it is told in the window of conversations."""
    if fixtures.is_fixture(container.template):
        _use_there(session, mobile, container)
        return
    try:
        labels = [_counted(item) for item in looting.look_into(mobile, container)]
    except Cannot as cannot:
        tell_refusal(mobile, cannot)
        return
    if len(labels) > MOST_NAMED:
        labels[MOST_NAMED:] = [f"and {len(labels) - MOST_NAMED} more"]
    html = dialogs.page(container.label, labels or ["It is empty."], [])
    session.queue(dialogs.Page(session.dialect, html, (), 0))


def _use_there(session: L2Session, mobile: Mobile, fixture: Item) -> None:
    try:
        if using.use(mobile, fixture) is using.Deed.OPENED:
            chests.show(session, mobile, fixture)
    except Cannot as cannot:
        tell_refusal(mobile, cannot)


def _counted(item: Item) -> str:
    return item.label if item.amount == 1 else f"{item.label} ({item.amount})"


@ROWS.while_acting(UseItem)
def use(session: L2Session, mobile: Mobile, packet: UseItem) -> None:
    """UseItem: a double click on something in the inventory, which is put on, taken off, or opened."""
    item = own_item(mobile, packet.object_id)
    if item.parent is mobile:
        hands.take_off(mobile, item.layer)
    elif using.use(mobile, item) is using.Deed.OPENED:
        open_container(session, mobile, item)


@ROWS.while_acting(RequestUnEquipItem)
def take_off(session: L2Session, mobile: Mobile, packet: RequestUnEquipItem) -> None:
    """RequestUnEquipItem: something worn, by the part of the body, into the pack. Raises Cannot(GONE) if
    nothing is worn there, and as `hands.take_off` does."""
    body_part = L2View.of(session).figures.body_part
    worn = (item for item in mobile.worn.values() if body_part(item) & packet.body_part)
    item = next(worn, None)
    if item is None:
        raise Cannot(Refusal.GONE)
    hands.take_off(mobile, item.layer)


@ROWS.while_acting(RequestDropItem, every=DROP_ITEM.interval())
def drop(session: L2Session, mobile: Mobile, packet: RequestDropItem) -> None:
    """RequestDropItem: so many of something, from the inventory to a place on the ground."""
    try:
        item = own_item(mobile, packet.object_id)
        x, y = _dropped_at(session, mobile, packet.x, packet.y)
        hands.drop(mobile, item, packet.count, x, y)
    except Cannot as cannot:
        if cannot.why is not Refusal.FAR:
            raise
        session.send(SystemMessage(SystemMessageId.CANNOT_DISCARD_THAT_FAR))  # a spot, and no target


def _dropped_at(session: L2Session, mobile: Mobile, x: int, y: int) -> tuple[int, int]:
    """The tile for something that is dropped at a spot: that, or as far towards it as hands reach."""
    atlas = L2View.of(session).places.atlas(mobile.realm)
    if atlas is None:
        raise Cannot(Refusal.BLOCKED)
    tile_x, tile_y = atlas.tile(x, y)
    dx, dy = tile_x - mobile.x, tile_y - mobile.y
    far = max(abs(dx), abs(dy))
    if far > DROP_UNITS / atlas.scale:
        raise Cannot(Refusal.FAR)
    if far <= REACH:
        return tile_x, tile_y
    return mobile.x + round(dx * REACH / far), mobile.y + round(dy * REACH / far)


@ROWS.while_acting(RequestDestroyItem, every=TRANSACTION.interval())
def destroy(session: L2Session, mobile: Mobile, packet: RequestDestroyItem) -> None:
    """RequestDestroyItem: so many of something cease to exist."""
    hands.destroy(mobile, own_item(mobile, packet.object_id), packet.count)
