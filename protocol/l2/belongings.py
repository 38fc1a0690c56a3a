"""Keeps what a client was told that its character has, and tells the difference to what it has now.

This game's window has neither bags nor places: it is one list, and an item in it is new, changed or gone.
Each client's list is kept (`L2Session.owns`), so that it is told of nothing twice, whatever way a thing took
through bags and hands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.notes import forget_lost
from protocol.l2.packets import Change, InventoryUpdate, ItemChange, ItemList, ShortCutInit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.l2.packets import ItemEntry
    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version


class Belongings:
    """Tells what changed, for the client that has them; nothing for one that has not got its list yet."""

    __slots__ = ("_items", "_version")
    droppable = False

    def __init__(self, version: L2Version, items: Sequence[ItemEntry]) -> None:
        self._version = version
        self._items = items

    def bind(self, session: L2Session) -> bytes:
        """The message; none if nothing changed. Notes what the client has now."""
        before = session.owns
        if before is None:
            return b""
        now = {item.object_id: item for item in self._items}
        changes = [ItemChange(Change.REMOVED, item) for serial, item in before.items() if serial not in now]
        for serial, item in now.items():
            if serial not in before:
                changes.append(ItemChange(Change.ADDED, item))
            elif before[serial] != item:
                changes.append(ItemChange(Change.MODIFIED, item))
        session.owns = now
        return self._version.encode(InventoryUpdate(tuple(changes))) if changes else b""


class ShortCuts:
    """All shortcuts, for a client that had one to what it has no more; nothing for others."""

    __slots__ = ("_items", "_version")
    droppable = False

    def __init__(self, version: L2Version, items: Sequence[ItemEntry]) -> None:
        self._version = version
        self._items = items

    def bind(self, session: L2Session) -> bytes:
        """The message; none if nothing changed. Forgets those shortcuts."""
        if not forget_lost(session.notes, {item.object_id for item in self._items}):
            return b""
        return self._version.encode(ShortCutInit(tuple(session.notes.shortcuts.values())))


class Inventory:
    """The whole list."""

    __slots__ = ("_items", "_show_window", "_version")
    droppable = False

    def __init__(self, version: L2Version, items: Sequence[ItemEntry], *, show_window: bool) -> None:
        self._version = version
        self._items = items
        self._show_window = show_window

    def bind(self, session: L2Session) -> bytes:
        """The message. Notes what the client has now."""
        session.owns = {item.object_id: item for item in self._items}
        return self._version.encode(ItemList(int(self._show_window), tuple(self._items)))
