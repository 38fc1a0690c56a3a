"""Chests as this game's client shows them: a page with what is in one, and behind its links the two lists of
the client's warehouse.

    click on a chest  ->  page (take all, take something, put something in)
    take something    ->  WarehouseWithdrawList, and SendWareHouseWithDrawList with how many of what
    put something in  ->  WarehouseDepositList, and SendWareHouseDepositList

Nothing changes in a list that is open. So what others took meanwhile is refused, and a list counts only until
another one is opened (`L2Session.listing`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.l2.counters import MOST_ROWS, depositable, entries
from protocol.l2.dialogs import Page, page
from protocol.l2.figures import MOST_COINS
from protocol.l2.packets import PRIVATE_WAREHOUSE, WarehouseDepositList, WarehouseWithdrawList
from protocol.l2.session import Side
from world import holding
from world.containers import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.l2.looks import L2Looks
    from protocol.l2.packets import Message
    from protocol.l2.versions import L2Version
    from world.item import Item
    from world.mobile import Mobile

ALL, OUT, IN = "All", "Out", "In"
"""The deeds that links name."""

MOST_NAMED: Final = 40
"""Things in a chest that its page names."""


def link(chest: Item, deed: str) -> str:
    """The bypass of a link on a chest's page."""
    return f"chest_{chest.serial}_{deed}"


def shown(version: L2Version, chest: Item, inside: Sequence[Item]) -> Page:
    """The page of a chest."""
    lines = [counted(item) for item in inside[:MOST_NAMED]] or ["It is empty."]
    if len(inside) > MOST_NAMED:
        lines.append(f"and {len(inside) - MOST_NAMED} more")
    links = [(link(chest, ALL), "Take all of it."), (link(chest, OUT), "Take something.")] if inside else []
    links.append((link(chest, IN), "Put something in."))
    return Page(version, page(chest.label, lines, links), [bypass for bypass, _ in links], 0)


def opened(looks: L2Looks, mobile: Mobile, side: Side, inside: Sequence[Item]) -> Message:
    """The list of what can be taken out of a chest, or of what its player could put in."""
    money = min(holding.gold(mobile), MOST_COINS)
    if side is Side.TAKE_OUT:
        return WarehouseWithdrawList(PRIVATE_WAREHOUSE, money, entries(looks, inside[:MOST_ROWS]))
    return WarehouseDepositList(PRIVATE_WAREHOUSE, money, entries(looks, depositable(mobile)))
