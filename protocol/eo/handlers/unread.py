"""Packets of a 0.0.28 client for features the world does not have yet.

The client waits for an answer to each of these before it changes anything, so a line of words leaves it in
the right belief: the barber's window stays closed, the spell was not cast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.dispatch import unmet
from protocol.eo.handlers.table import TABLE
from protocol.eo.packets import CLIENT_PACKETS
from protocol.wishes import Wish

if TYPE_CHECKING:
    from collections.abc import Mapping

WISHES: Final[Mapping[str, Wish]] = {
    "Barber": Wish.BARBER,
    "Citizen": Wish.HOME,
    "Global": Wish.DEAFNESS,
    "Jukebox": Wish.JUKEBOX,
    "Marriage": Wish.MARRIAGE,
    "Priest": Wish.MARRIAGE,
    "Shop": Wish.CRAFTING,
    "Spell": Wish.CASTING,
    "StatSkill": Wish.LEARNING,
}
"""By the family of the packet."""

for _opcode, _packet in CLIENT_PACKETS.items():
    if TABLE.entry(_opcode) is None:
        unmet(TABLE, WISHES[_packet.family().name], _packet)
