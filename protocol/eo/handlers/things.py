"""Picking up, dropping, junking, putting on, taking off.

The client waits for the answer to each of these before it changes anything, so what cannot be done needs no
correction; the player is told why. It names what it owns by kind: which of several stacks or bags that comes
from is the world's business.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from eolib import Item as EoItem
from eolib import (
    ItemDropClientPacket,
    ItemDropServerPacket,
    ItemGetClientPacket,
    ItemGetServerPacket,
    ItemJunkClientPacket,
    ItemJunkServerPacket,
    ItemRemoveServerPacket,
    ItemReplyServerPacket,
    ItemType,
    ItemUseClientPacket,
    PaperdollAddClientPacket,
    PaperdollRemoveClientPacket,
    ThreeItem,
)

from protocol.eo.belongings import settle
from protocol.eo.figures import SLOTS, coords
from protocol.eo.handlers.chests import use_there
from protocol.eo.handlers.table import TABLE
from protocol.eo.ids import IdsExhausted
from protocol.eo.packets.base import THREE_MAX
from protocol.eo.status import weight
from protocol.eo.view import EoView
from protocol.refusals import refused_in_words
from world import arms, containers, fixtures, hands, using
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.eo.session import EoSession
    from world.item import Item
    from world.mobile import Mobile

log = logging.getLogger("net.eo")

QUIVER: Final = "Your bow takes them from your pack. Put the bow away to have them all there."

OWN_TILE: Final = (255, 255)
"""The place of an Item_Drop that means where one stands."""


@TABLE.while_playing(ItemGetClientPacket)
def pick_up(session: EoSession, mobile: Mobile, packet: ItemGetClientPacket) -> None:
    """Item_Get: something that lies near; of a stack that is too heavy, as much as can be carried. Raises
    Cannot(GONE) if it is not in sight."""
    figures = EoView.of(session).figures
    item = figures.ids.items.thing(packet.item_index)
    if item is None or item.serial not in session.known:
        session.send(ItemRemoveServerPacket(item_index=packet.item_index))
        raise Cannot(Refusal.GONE)
    if fixtures.is_fixture(item.template):
        use_there(session, mobile, item)
        return
    item_id = figures.item_id(mobile, item)
    amount = hands.portable(mobile, item)
    hands.take(mobile, item, amount)
    # Its client takes it off the ground with the answer, so the turn need not.
    session.known.pop(item.serial, None)
    amount = min(amount, THREE_MAX)
    stones = weight(mobile)
    session.send(
        ItemGetServerPacket(
            taken_item_index=packet.item_index,
            taken_item=ThreeItem(id=item_id, amount=amount),
            weight=stones,
        )
    )
    belongings = session.belongings
    belongings.owns(item_id, belongings.inventory.get(item_id, 0) + amount, stones.current)


@TABLE.while_playing(ItemDropClientPacket)
def drop(session: EoSession, mobile: Mobile, packet: ItemDropClientPacket) -> None:
    """Item_Drop: so many of a kind, on a tile near. What does not stack, and what is more than one stack can
    be, becomes several items."""
    item_id, amount = packet.item.id, packet.item.amount
    x, y = packet.coords.x - 1, packet.coords.y - 1  # EO numbers that eolib reads as plain bytes
    if (packet.coords.x, packet.coords.y) == OWN_TILE:
        x, y = mobile.x, mobile.y
    key = _kind(session, mobile, item_id, amount)
    most = containers.MOST_IN_STACK if mobile.world.content.items[key].stackable else 1
    while amount > 0:
        item = hands.drop_kind(mobile, key, min(amount, most), x, y)
        _tell_dropped(session, mobile, item)
        amount -= item.amount


def _tell_dropped(session: EoSession, mobile: Mobile, item: Item) -> None:
    figures = EoView.of(session).figures
    item_id = figures.item_id(mobile, item)
    try:
        number = figures.ids.items.of(item)
    except IdsExhausted:
        return  # it lies there unseen; that it is not in the pack any more is told by the turn
    remaining, stones = figures.amounts(mobile).get(item_id, 0), weight(mobile)
    session.send(
        ItemDropServerPacket(
            dropped_item=ThreeItem(id=item_id, amount=min(item.amount, THREE_MAX)),
            remaining_amount=remaining,
            item_index=number,
            coords=coords(item),
            weight=stones,
        )
    )
    session.belongings.owns(item_id, remaining, stones.current)
    session.known[item.serial] = item
    session.drew(item)


@TABLE.while_playing(ItemJunkClientPacket)
def junk(session: EoSession, mobile: Mobile, packet: ItemJunkClientPacket) -> None:
    """Item_Junk: so many of a kind cease to exist."""
    item_id, amount = packet.item.id, packet.item.amount
    key = _kind(session, mobile, item_id, amount)
    hands.destroy_kind(mobile, key, amount)
    log.debug("%r: %s destroys %d %s", session, mobile.name, amount, key)
    remaining, stones = EoView.of(session).figures.amounts(mobile).get(item_id, 0), weight(mobile)
    session.send(
        ItemJunkServerPacket(
            junked_item=ThreeItem(id=item_id, amount=min(amount, THREE_MAX)),
            remaining_amount=remaining,
            weight=stones,
        )
    )
    session.belongings.owns(item_id, remaining, stones.current)


@TABLE.while_playing(ItemUseClientPacket)
def use(session: EoSession, mobile: Mobile, packet: ItemUseClientPacket) -> None:
    """Item_Use: a double click on something in the pack. What changes by it the turn tells."""
    key = _kind(session, mobile, packet.item_id, 1)
    before = mobile.hits
    if using.use(mobile, next(hands.carried_items(mobile, key))) is using.Deed.TAKEN:
        _tell_taken(session, mobile, packet.item_id, mobile.hits - before)


def _tell_taken(session: EoSession, mobile: Mobile, item_id: int, healed: int) -> None:
    """Item_Reply: what is left of what was eaten, and the green number over its head."""
    remaining, stones = EoView.of(session).figures.amounts(mobile).get(item_id, 0), weight(mobile)
    session.send(
        ItemReplyServerPacket(
            item_type=ItemType.Heal,
            used_item=EoItem(id=item_id, amount=remaining),
            weight=stones,
            item_type_data=ItemReplyServerPacket.ItemTypeDataHeal(
                hp_gain=healed, hp=mobile.hits, tp=mobile.mana
            ),
        )
    )
    session.belongings.owns(item_id, remaining, stones.current)


@TABLE.while_playing(PaperdollAddClientPacket)
def put_on(session: EoSession, mobile: Mobile, packet: PaperdollAddClientPacket) -> None:
    """Paperdoll_Add: wear something from the pack, instead of what is worn there. Where two are worn side by
    side the world says which is which, not the client."""
    with refused_in_words(mobile):
        key = _kind(session, mobile, packet.item_id, 1)
        item = next(hands.carried_items(mobile, key))
        hands.exchange(mobile, item, _in_the_way(session, mobile, item))
    settle(session, EoView.of(session).figures)


def _in_the_way(session: EoSession, mobile: Mobile, item: Item) -> list[Item]:
    """Items to be taken off besides: in this game one does not wear a robe over a shirt. Raises Cannot for
    what is not worn at all."""
    figures = EoView.of(session).figures
    slots = SLOTS.get(figures.looks.items[item.template.key].type)
    if slots is None:
        raise Cannot(Refusal.MISFIT)
    places = figures.worn(mobile)
    layer = mobile.worn.get(item.template.layer)
    arrows = arms.ammunition_of(mobile)
    worn = [places[slot] for slot in slots if slot in places and places[slot] is not arrows]
    return [] if layer in worn or len(worn) < len(slots) else [worn[-1]]


@TABLE.while_playing(PaperdollRemoveClientPacket)
def take_off(session: EoSession, mobile: Mobile, packet: PaperdollRemoveClientPacket) -> None:
    """Paperdoll_Remove: put something worn into the pack. Raises Cannot(GONE) if it is not worn there."""
    figures = EoView.of(session).figures
    places = figures.worn(mobile)
    slot = figures.slot(packet.item_id, packet.sub_loc)
    item = places.get(slot) if slot is not None else None
    if item is None or figures.item_id(mobile, item) != packet.item_id:
        raise Cannot(Refusal.GONE)
    if item is arms.ammunition_of(mobile):
        raise Cannot(Refusal.FIXED, QUIVER)
    with refused_in_words(mobile):
        hands.take_off(mobile, item.layer)
    settle(session, EoView.of(session).figures)


def _kind(session: EoSession, mobile: Mobile, item_id: int, amount: int) -> str:
    """The template of an item id of this client's, of which its mobile has so many. Raises Cannot."""
    key = EoView.of(session).figures.kind(mobile, item_id)
    if not 1 <= amount <= hands.carried(mobile).get(key, 0):
        raise Cannot(Refusal.AMOUNT)
    return key
