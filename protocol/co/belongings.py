"""Keeps what a client was told that its character has, and tells the difference to what it has now.

This game's bag has neither places nor bags in it: it is one list, and beside it what is worn, by position.
Each client's list is kept (`CoSession.owns`), so that it is told of nothing twice, whatever way a thing took
through bags and hands. A packet tells of one item, so a change may be several packets.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from protocol.co.packets import ItemAction, ItemActionType, ItemInfoMode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.co.packets import ItemInfo, Message
    from protocol.co.session import CoSession


class Belongings:
    """Tells what changed, found out when it leaves; nothing for a client that has not got its list yet."""

    __slots__ = ("_items",)
    droppable = False

    def __init__(self, items: Sequence[ItemInfo]) -> None:
        self._items = items

    def bind(self, session: CoSession) -> bytes:
        """The packets, one behind the other; none if nothing changed. Notes what the client has now."""
        version = session.dialect
        return b"".join(packet.encode(version) for packet in changes(session, self._items))


def whole(session: CoSession, items: Sequence[ItemInfo]) -> list[Message]:
    """All of it, for a client that asks for its list."""
    session.owns = {item.id: item for item in items}
    return list(items)


def changes(session: CoSession, items: Sequence[ItemInfo]) -> list[Message]:
    """The difference from what the client was told last; nothing for one that has not got its list yet."""
    before = session.owns
    if before is None:
        return []
    now = {item.id: item for item in items}
    session.owns = now
    told: list[Message] = []
    # What makes room goes first: the client has one thing at each position.
    for number, item in before.items():
        told += _leaves(item, now.get(number))
    for number, item in now.items():
        told += _comes(before.get(number), item)
    return told


def _leaves(item: ItemInfo, now: ItemInfo | None) -> list[Message]:
    """Packets of an item that is not worn there any more, or neither worn nor carried."""
    packets: list[Message] = []
    if item.position and (now is None or now.position != item.position):
        packets.append(ItemAction(item.id, item.position, ItemActionType.UNEQUIP))
    if now is None:
        packets.append(ItemAction(item.id, 0, ItemActionType.DROP))
    return packets


def _comes(before: ItemInfo | None, item: ItemInfo) -> list[Message]:
    """Packets of an item that is there now, or worn now, or of which there are more or fewer."""
    if before is None:
        return [item]
    packets: list[Message] = []
    if item.position and before.position != item.position:
        packets.append(ItemAction(item.id, item.position, ItemActionType.EQUIP))
    if (before.item_type, before.durability) != (item.item_type, item.durability):
        updated = copy(item)
        updated.mode = ItemInfoMode.UPDATE
        packets.append(updated)
    return packets
