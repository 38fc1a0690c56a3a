"""Serial numbers: one number names one thing for ever, across crashes too.

The ranges are Ultima Online's split (mobiles below 0x40000000, items from there; ServUO: Server/Serial.cs),
cut short at 0x7DFFFFFF because scenery, hair and beards are numbered above. A serial may only be used once a
mark above it is on disk: the store reserves them in blocks, so that what a crash forgot can never be numbered
a second time.
"""

from __future__ import annotations

from typing import Final

import attrs

FIRST_MOBILE: Final = 1
LAST_MOBILE: Final = 0x3FFFFFFF
FIRST_ITEM: Final = 0x40000000
LAST_ITEM: Final = 0x7DFFFFFF

BLOCK: Final = 10_000
"""How many serials a reservation holds."""
LOW: Final = 5_000
"""With fewer left than this the next batch reserves more."""


class SerialsExhausted(Exception):
    """No reserved serial is left."""


@attrs.define
class Serials:
    """Hands out serials below the reserved marks. By default all are reserved: a world without a store."""

    next_mobile: int = FIRST_MOBILE
    next_item: int = FIRST_ITEM
    mobile_mark: int = LAST_MOBILE + 1
    """The first mobile serial that is not reserved."""
    item_mark: int = LAST_ITEM + 1

    def mobile(self) -> int:
        """A serial for a new mobile. Raises SerialsExhausted if none is reserved."""
        serial = self.next_mobile
        if serial >= self.mobile_mark:
            raise SerialsExhausted(f"no mobile serial is reserved at {serial:#x}")
        self.next_mobile = serial + 1
        return serial

    def item(self) -> int:
        """A serial for a new item. Raises SerialsExhausted if none is reserved."""
        serial = self.next_item
        if serial >= self.item_mark:
            raise SerialsExhausted(f"no item serial is reserved at {serial:#x}")
        self.next_item = serial + 1
        return serial

    def wanted_marks(self) -> tuple[int, int] | None:
        """The marks (mobiles, items) that the store should reserve next, or None while enough are left."""
        mobile = _raised(self.next_mobile, self.mobile_mark, LAST_MOBILE + 1)
        item = _raised(self.next_item, self.item_mark, LAST_ITEM + 1)
        return None if (mobile, item) == (self.mobile_mark, self.item_mark) else (mobile, item)

    def reserved(self, mobile_mark: int, item_mark: int) -> None:
        """Note that the store has these marks on disk now."""
        self.mobile_mark = max(self.mobile_mark, mobile_mark)
        self.item_mark = max(self.item_mark, item_mark)


def _raised(following: int, mark: int, limit: int) -> int:
    return min(following + BLOCK, limit) if mark - following < LOW else mark
