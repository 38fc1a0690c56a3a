"""What a client believes to own, and how it is told what it owns by now.

The client keeps amounts by kind and one item for each place on the body, and changes them only as it is
told. Most is told in answer to its own deeds. But others put things into one's pack or take them out, and a
bag that is dropped takes along what is in it. So each session remembers what its client believes, and
`settle` tells the difference between that and the world, however it came about: nothing twice, and all that
the answers left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
from eolib import (
    Item,
    ItemKickServerPacket,
    ItemObtainServerPacket,
    PaperdollAgreeServerPacket,
    PaperdollRemoveServerPacket,
    ThreeItem,
)

from protocol.eo.figures import sub_location
from protocol.eo.numbers import THREE_MAX
from protocol.eo.status import equipment_stats, weight

if TYPE_CHECKING:
    from eolib import Packet

    from protocol.eo.figures import Figures
    from world.mobile import Mobile

GOLD: Final = 1
"""The item that every client has a line for, even at amount 0."""


@attrs.define
class Belongings:
    """One client's belief."""

    inventory: dict[int, int]
    """Amounts by item id."""
    worn: dict[int, int]
    """Item ids by place on the body (`protocol.eo.figures.SLOTS`)."""
    weight: int

    def settle(self, figures: Figures, mobile: Mobile) -> list[Packet]:
        """The packets after which the belief is true; from here on it counts as such.

        What Paperdoll_Agree takes out of the inventory some clients count down by one (eoweb) and others set
        to the amount that comes along (EndlessClient). So before something is put on that the client does not
        know to have, it is told to have it, and both come to the same.
        """
        packets: list[Packet] = []
        stones = weight(mobile).current
        worn, inventory = figures.worn_ids(mobile), figures.amounts(mobile)
        for slot, item_id in list(self.worn.items()):
            if worn.get(slot) != item_id:
                packets.append(self._take_off(figures, mobile, slot))
        for slot, item_id in worn.items():
            if slot not in self.worn:
                if not self.inventory.get(item_id):
                    packets.append(self._obtain(item_id, 1, stones))
                packets.append(self._put_on(figures, mobile, slot, item_id))
        for item_id in sorted(inventory.keys() | self.inventory.keys()):
            amount = inventory.get(item_id, 0)
            more = amount - self.inventory.get(item_id, 0)
            if 0 < more <= THREE_MAX:
                packets.append(self._obtain(item_id, more, stones))
            elif more:
                packets.append(self._set(item_id, amount, stones))
        if self.weight != stones:
            # No packet tells the weight alone.
            packets.append(self._set(GOLD, inventory.get(GOLD, 0), stones))
        return packets

    def owns(self, item_id: int, amount: int) -> None:
        """The client was told how many of a kind it has."""
        if amount:
            self.inventory[item_id] = amount
        else:
            self.inventory.pop(item_id, None)

    def _take_off(self, figures: Figures, mobile: Mobile, slot: int) -> Packet:
        item_id = self.worn.pop(slot)
        self.owns(item_id, self.inventory.get(item_id, 0) + 1)
        return PaperdollRemoveServerPacket(
            change=figures.equipment_change(mobile),
            item_id=item_id,
            sub_loc=sub_location(slot),
            stats=equipment_stats(mobile),
        )

    def _put_on(self, figures: Figures, mobile: Mobile, slot: int, item_id: int) -> Packet:
        remaining = self.inventory[item_id] - 1
        self.worn[slot] = item_id
        self.owns(item_id, remaining)
        return PaperdollAgreeServerPacket(
            change=figures.equipment_change(mobile),
            item_id=item_id,
            remaining_amount=min(remaining, THREE_MAX),
            sub_loc=sub_location(slot),
            stats=equipment_stats(mobile),
        )

    def _obtain(self, item_id: int, more: int, stones: int) -> Packet:
        """Item_Obtain adds."""
        self.owns(item_id, self.inventory.get(item_id, 0) + more)
        self.weight = stones
        return ItemObtainServerPacket(item=ThreeItem(id=item_id, amount=more), current_weight=stones)

    def _set(self, item_id: int, amount: int, stones: int) -> Packet:
        """Item_Kick says how many are left."""
        self.owns(item_id, amount)
        self.weight = stones
        return ItemKickServerPacket(item=Item(id=item_id, amount=amount), current_weight=stones)
