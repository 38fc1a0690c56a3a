"""Context menus: what one click with the menu on shows of somebody or something.

The lines are the client's own texts, by number. A line's place in the menu is its meaning, whatever else is
in it, so a choice means the same however late it comes.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

from protocol.uo.packets.dialogs import Menu, MenuLine, MenuLineOld, MenuOld
from protocol.wishes import Wish
from world.item import Item

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.uo.versions import UoDialect
    from world.mobile import Mobile


class Line(enum.IntEnum):
    """What a menu may offer."""

    PAPERDOLL = 0
    BACKPACK = 1
    TALK = 2
    USE = 3
    BANK = 4
    BUY = 5
    SELL = 6
    PARTY = 7


TEXTS: Final = {
    Line.PAPERDOLL: 3006123,
    Line.BACKPACK: 3006145,
    Line.TALK: 3006146,
    Line.USE: 3000362,
    Line.BANK: 3006105,
    Line.BUY: 3006103,
    Line.SELL: 3006104,
    Line.PARTY: 3000197,
}
"""Numbers of the client's texts: ServUO, Server/ContextMenus and Scripts/Context Menus; 3000362 is "Open".
"""

WISHES: Final = {
    Line.BANK: Wish.BANK,
    Line.BUY: Wish.SHOP,
    Line.SELL: Wish.SHOP,
    Line.PARTY: Wish.PARTY,
}
"""Of lines of which there are only words."""

_BY_ROLE: Final = {"banker": (Line.BANK,), "innkeeper": (Line.BUY, Line.SELL)}

_FIRST_TEXT: Final = 3_000_000


def lines_of(player: Mobile, thing: Mobile | Item) -> Sequence[Line]:
    """What a menu of that thing offers to a player, in the order shown."""
    if isinstance(thing, Item):
        return [Line.USE]
    if thing is player:
        return [Line.PAPERDOLL, Line.BACKPACK]
    if thing.is_character:
        return [Line.PAPERDOLL, Line.PARTY]
    if thing.template.creature:
        return []
    more = [line for role in thing.template.roles for line in _BY_ROLE.get(role, ())]
    return [Line.PAPERDOLL, Line.TALK, *more]


def menu_of(player: Mobile, thing: Mobile | Item, dialect: UoDialect) -> Menu | MenuOld:
    """0xBF 0x14. Clients before 6.0.0.0 read the older form; the first range of ours that is newer begins
    with 6.0.1.7."""
    lines = lines_of(player, thing)
    if dialect.grid:
        return Menu(thing.serial, tuple(MenuLine(TEXTS[line], line, 0) for line in lines))
    old = (MenuLineOld(line, TEXTS[line] - _FIRST_TEXT, 0) for line in lines)
    return MenuOld(thing.serial, tuple(old))
