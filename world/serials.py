"""Serial numbers: one number names one thing for ever, across crashes too.

The ranges are Ultima Online's split (mobiles below 0x40000000, items from there; ServUO: Server/Serial.cs),
cut short at 0x7DFFFFFF because scenery, hair and beards are numbered above. A serial may only be used once a
mark above it is on disk: the store reserves them in blocks, so that what a crash forgot can never be numbered
a second time. Blocks follow one another without a gap while one world takes them; where several do, each has
the next as soon as the one before is used up.
"""

from __future__ import annotations

from typing import Final, TypeAlias

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


Block: TypeAlias = tuple[int, int]
"""Serials from the first up to, not including, the second number."""


@attrs.define
class Serials:
    """Hands out serials below the reserved marks. By default all are reserved: a world without a store."""

    next_mobile: int = FIRST_MOBILE
    next_item: int = FIRST_ITEM
    mobile_mark: int = LAST_MOBILE + 1
    """The first mobile serial that is not reserved."""
    item_mark: int = LAST_ITEM + 1
    _mobile_blocks: list[Block] = attrs.field(factory=list)
    """Reserved ones that do not follow on those before: used in their turn."""
    _item_blocks: list[Block] = attrs.field(factory=list)

    def mobile(self) -> int:
        """A serial for a new mobile. Raises SerialsExhausted if none is reserved."""
        serial = self.next_mobile
        if serial >= self.mobile_mark:
            if not self._mobile_blocks:
                raise SerialsExhausted(f"no mobile serial is reserved at {serial:#x}")
            serial, self.mobile_mark = self._mobile_blocks.pop(0)
        self.next_mobile = serial + 1
        return serial

    def item(self) -> int:
        """A serial for a new item. Raises SerialsExhausted if none is reserved."""
        serial = self.next_item
        if serial >= self.item_mark:
            if not self._item_blocks:
                raise SerialsExhausted(f"no item serial is reserved at {serial:#x}")
            serial, self.item_mark = self._item_blocks.pop(0)
        self.next_item = serial + 1
        return serial

    @property
    def mobiles_left(self) -> int:
        """Number of mobiles that may be numbered before the store has reserved more."""
        return _left(self.next_mobile, self.mobile_mark, self._mobile_blocks)

    def wanted(self) -> tuple[int, int] | None:
        """Numbers of serials (mobiles, items) that the store should reserve; None while enough are left."""
        mobiles = _wanted(self.next_mobile, self.mobile_mark, self._mobile_blocks, LAST_MOBILE + 1)
        items = _wanted(self.next_item, self.item_mark, self._item_blocks, LAST_ITEM + 1)
        return (mobiles, items) if mobiles or items else None

    def reserved(self, mobiles: Block, items: Block) -> None:
        """Note that the store has reserved these for this world."""
        self.mobile_mark = _extended(self.mobile_mark, self._mobile_blocks, mobiles)
        self.item_mark = _extended(self.item_mark, self._item_blocks, items)


def _left(following: int, mark: int, blocks: list[Block]) -> int:
    return mark - following + sum(end - first for first, end in blocks)


def _wanted(following: int, mark: int, blocks: list[Block], limit: int) -> int:
    left = _left(following, mark, blocks)
    # Behind the last one there are none to ask for.
    return 0 if left >= LOW or (blocks[-1][1] if blocks else mark) >= limit else BLOCK - left


def _extended(mark: int, blocks: list[Block], more: Block) -> int:
    """The mark of those before, which `more` are added to."""
    first, end = more
    if not blocks and first == mark:
        return end
    if first < end:
        blocks.append(more)
    return mark
