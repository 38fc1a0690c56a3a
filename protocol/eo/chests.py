"""Chests as this game's own window.

    click on a chest  ->  Chest_Open               ->  Chest_Open, or Chest_Close
    Chest_Take        ->  all there is of a kind   ->  Chest_Get
    Chest_Add         ->  so many of a kind        ->  Chest_Reply, or Chest_Spec if it is full
    others do so                                   ->  Chest_Agree

A chest is a tile of the map by its spec, and lies there as an item, too, for its picture; a click is on
either. The window lists amounts by kind, so many kinds as it has rows; of the others its player reads. Who
was shown a chest is told what it has by now as long as its hands reach it; clients heed that only while the
window is open, and do not say when they close it. Chest_Close closes it from here: with the number of a key
the chest is locked, without one it is gone (eo-protocol: ChestCloseServerPacket).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import ChestAgreeServerPacket, ChestCloseServerPacket, ChestOpenServerPacket, ThreeItem
from eolib.protocol.map import MapTileSpec

from protocol.eo.figures import coords
from protocol.eo.packets import encode
from protocol.eo.packets.base import THREE_MAX
from protocol.eo.session import ShownChest
from world.item import Item
from world.reach import can_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eo.figures import Figures
    from protocol.eo.session import EoSession
    from protocol.outgoing import Outgoing
    from world.content import Chart, Content
    from world.mobile import Mobile
    from world.thing import Thing

MOST_ROWS: Final = 5
"""Kinds in the window, which does not scroll (ethanmoffat/EndlessClient, ScrollingListDialog:
DialogType.Chest; sorokya/reoserv has as many slots)."""


def tiles(chart: Chart, content: Content) -> dict[tuple[int, int], MapTileSpec]:
    """Specs of the tiles on which chests stand."""
    kinds = content.items
    standing = [one for one in chart.fixtures if kinds[one.template].chest is not None]
    return {(one.x, one.y): MapTileSpec.Chest for one in standing}


def rows(figures: Figures, mobile: Mobile, chest: Item) -> tuple[list[tuple[int, int]], list[Item]]:
    """Amounts by item id, as the window has room for them, and what has none. What is in a bag comes with
    the bag."""
    amounts: dict[int, int] = {}
    beyond: list[Item] = []
    for item in chest.contents.values():
        number = figures.item_id(mobile, item)
        if number in amounts or len(amounts) < MOST_ROWS:
            amounts[number] = min(amounts.get(number, 0) + item.amount, THREE_MAX)
        else:
            beyond.append(item)
    return list(amounts.items()), beyond


def listed(session: EoSession, figures: Figures, mobile: Mobile, chest: Item) -> list[ThreeItem]:
    """The rows of the window; from here on they count as known."""
    found, _ = rows(figures, mobile, chest)
    session.chest = ShownChest(chest, found)
    return [ThreeItem(id=number, amount=amount) for number, amount in found]


def opened(session: EoSession, figures: Figures, mobile: Mobile, chest: Item) -> ChestOpenServerPacket:
    """Chest_Open: the window of a chest."""
    return ChestOpenServerPacket(coords=coords(chest), items=listed(session, figures, mobile, chest))


def locked(figures: Figures, chest: Item) -> ChestCloseServerPacket:
    """Chest_Close of a chest that is locked: its client knows the key by its number in the item list."""
    kind = chest.template.chest
    return ChestCloseServerPacket(key=figures.looks.items[kind.lock].lock if kind is not None else 0)


def stirred(figures: Figures, thing: Thing | None) -> Sequence[Outgoing]:
    """Messages for something that came into a container, went out of it or changed there."""
    root = thing.root if isinstance(thing, Item) else None
    if isinstance(root, Item) and root.template.chest is not None:
        return (ChestNow(figures, root),)
    return ()


def forget(session: EoSession, item: Item) -> None:
    """Close the window of a chest that is there no more."""
    if session.chest is not None and session.chest.chest is item and item.realm is None:
        session.chest = None
        session.send(ChestCloseServerPacket())


class ChestNow:
    """Chest_Agree for those who were shown a chest, if they do not know what is in it now."""

    droppable = False

    def __init__(self, figures: Figures, chest: Item) -> None:
        self._figures = figures
        self._chest = chest

    def bind(self, session: EoSession) -> bytes:
        """The packet for this client; notes what it knows then. None if it was never shown that chest, or
        reaches it no more."""
        shown, mobile = session.chest, session.mobile
        if shown is None or mobile is None or shown.chest is not self._chest:
            return b""
        before = shown.rows
        if can_use(mobile, self._chest) is not None or before == rows(self._figures, mobile, self._chest)[0]:
            return b""
        return encode(ChestAgreeServerPacket(items=listed(session, self._figures, mobile, self._chest)))
