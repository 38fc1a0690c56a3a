"""What a client of EverQuest II has in its bags and wears, by the differences that it was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.eq2.packets import InventoryEntry
from protocol.eq2.packing import unpack, xor

if TYPE_CHECKING:
    from protocol.eq2.packets import Inventory
    from protocol.eq2.versions import Eq2Version

CARRIED, WORN = 0, 1
BANK = 0xFFFF_FFFD


class Bags:
    """Two lists of records; one that grows has zeros at its end, one that shrinks forgets it."""

    def __init__(self, version: Eq2Version) -> None:
        self._version = version
        self._size = version.size_of(InventoryEntry)
        self._lists = {CARRIED: b"", WORN: b""}

    def take(self, message: Inventory) -> None:
        """Believe a message."""
        size = self._size * message.count
        before = self._lists[message.equipped][:size].ljust(size, b"\0")
        self._lists[message.equipped] = xor(before, unpack(message.packed, size))

    def records(self, *, worn: bool = False) -> list[InventoryEntry]:
        """All records of a list, the free ones among them."""
        plain = self._lists[WORN if worn else CARRIED]
        rows = [plain[at : at + self._size] for at in range(0, len(plain), self._size)]
        return [self._version.unpack_struct(InventoryEntry, row) for row in rows]

    def carried(self) -> dict[int, int]:
        """How much one carries of each thing, by its serial."""
        return self._things(kept=False)

    def kept(self) -> dict[int, int]:
        """How much lies in the bank, in the same way."""
        return self._things(kept=True)

    def _things(self, *, kept: bool) -> dict[int, int]:
        records = {one.unique_id: one for one in self.records() if one.unique_id}
        found: dict[int, int] = {}
        for one in records.values():
            holder = one
            while holder.inventory_slot in records:
                holder = records[holder.inventory_slot]
            if (holder.inventory_slot == BANK) == kept and one.item_id:
                found[one.unique_id] = one.count
        return found

    def worn(self) -> set[int]:
        """Serials of what is worn."""
        return {one.unique_id for one in self.records(worn=True) if one.unique_id}
