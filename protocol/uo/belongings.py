"""Containers whose content a client was told: its own pack, and those it has looked into.

Old clients crash on an item in something they have never seen, and nobody sees into closed chests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from world.reach import at_vault

if TYPE_CHECKING:
    from protocol.uo.session import UoSession
    from world.item import Item


def knows_content(session: UoSession, container: Item) -> bool:
    """Whether a client knows what is in a container: its own pack, its vault while that stands open, or one
    that was opened for it."""
    mobile = session.mobile
    own = mobile is not None and (container is mobile.backpack or container is at_vault(mobile))
    return own or container.serial in session.opened


def forget_content(session: UoSession, item: Item) -> bool:
    """Note that a client forgets what is in a container, as it does when it takes it into its hand or out of
    its world (ClassicUO, Game/World.cs, RemoveItem). Returns whether it, or one within, had been opened."""
    opened = session.opened
    if not opened:
        return False
    before = len(opened)
    opened.discard(item.serial)
    for inner in item.contents.values():
        forget_content(session, inner)
    return len(opened) < before
