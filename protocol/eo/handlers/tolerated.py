"""What a 0.0.28 client may send for features the world does not have yet.

The client waits for an answer to each of these before it changes anything, so a line of words leaves it in
the right belief: the shop stays closed, the offer was not made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eo.handlers.table import TABLE
from protocol.eo.packets import CLIENT_PACKETS
from protocol.wishes import Wish, idle, unmet

if TYPE_CHECKING:
    from collections.abc import Mapping

WISHES: Final[Mapping[str, Wish]] = {
    "Bank": Wish.BANK,
    "Barber": Wish.BARBER,
    "Board": Wish.BOARD,
    "Chest": Wish.CHEST,
    "Citizen": Wish.HOME,
    "Global": Wish.DEAFNESS,
    "Guild": Wish.GUILD,
    "Jukebox": Wish.JUKEBOX,
    "Locker": Wish.BANK,
    "Marriage": Wish.MARRIAGE,
    "Party": Wish.PARTY,
    "Priest": Wish.MARRIAGE,
    "Quest": Wish.QUESTS,
    "Shop": Wish.SHOP,
    "Spell": Wish.CASTING,
    "StatSkill": Wish.LEARNING,
    "Trade": Wish.TRADE,
}
"""By the family of the packet."""

IDLE: Final = {
    "Talk": "no client of this version is known to send it",
}

for _opcode, _packet in CLIENT_PACKETS.items():
    if TABLE.entry(_opcode) is None:
        _family = _packet.family().name
        if _family in WISHES:
            unmet(TABLE, WISHES[_family], _packet)
        else:
            idle(TABLE, IDLE[_family], _packet)
