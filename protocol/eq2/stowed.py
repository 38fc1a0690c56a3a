"""A client's bags: which of its things it has at which of their places, and the records it was sent of them.

The client knows six pockets, each of which may hold a bag of up to 36 places, and the shelves of the bank,
which are alike. The world has one pack without places, bags in it, and a vault. So the pack is one bag in the
first pocket, and as many more as its things need; the bags in it lie in the pockets that are left, so that
they can be opened. Of the vault the first things lie on shelves of their own, the others in bags on the last
ones. Nothing in the world has a place: where a thing lies is a matter of this client, and it stays there as
long as the thing does.

What the client sends back is the number of a record. One that is free is zeros until something else gets it:
so the numbers of all others stay what they are, as with public servers (emagi/eq2emu: Items.cpp).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, cast

import attrs

from world import safes
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from protocol.carriers import Plain
    from world.item import Item
    from world.mobile import Mobile

POCKETS: Final = 0
BANK: Final = 0xFFFF_FFFD
"""Holders that are no bags: 0, and -3 (emagi/eq2emu: Items.h, InventorySlotType)."""

MOST_POCKETS: Final = 6
PLACES: Final = 36
"""Of a bag: Items.h, NUM_INV_SLOTS and DOF_EQ_MAX_BAG_SLOTS."""

SHELVES: Final = 4
"""Things on shelves of their own, of the eight that the bank of the oldest clients has (Items.h)."""

MOST_RECORDS: Final = 250
"""The number of a record has to fit into a byte: see `handlers.inventory`."""

PACK_PAGE: Final = 0x7FFF_FF00
BANK_PAGE: Final = 0x7FFF_FF80
"""Ids of bags that the world does not have, above all its serials."""


class Area:
    """Names of what has places; a bag is one by its serial."""

    PACK: Final = -1
    BANK: Final = -2


_Written: TypeAlias = (
    "tuple[bool, list[bytes], bytes, list[tuple[int, int]], list[int], "
    "list[tuple[int, list[tuple[int, int]]]]]"
)


@attrs.frozen
class Shown:
    """Something at a place. `key`: its serial, or the id of a bag that the world does not have (`item` None);
    `holds`: how much is in it, None of what is no bag."""

    key: int
    item: Item | None
    holder: int
    slot: int
    holds: int | None = None


class Stowed:
    """Things of one client, at their places."""

    __slots__ = ("_free", "_places", "_rows", "begun", "dressed", "made", "sent")

    def __init__(self) -> None:
        self.begun = False
        """Whether it was sent what it has."""
        self.sent: list[bytes] = []
        """Its records as it has them."""
        self.made: dict[int, tuple[object, bytes]] = {}
        """Of each thing the record, and what it was made of: so only of what changed another is made."""
        self.dressed = b""
        """Those of what its character wears."""
        self._rows: dict[int, int] = {}
        self._free: list[int] = []
        self._places: dict[int, dict[int, int]] = {}

    def written(self) -> Plain:
        """All of it as plain values; what its records were made of is found again."""
        places: list[Plain] = [
            [area, [[*place] for place in there.items()]] for area, there in self._places.items()
        ]
        rows = [[*row] for row in self._rows.items()]
        return [self.begun, [*self.sent], self.dressed, rows, [*self._free], places]

    @classmethod
    def read(cls, written: Plain) -> Stowed:
        """The bags that were `written`."""
        stowed = cls()
        stowed.begun, stowed.sent, stowed.dressed, rows, stowed._free, places = cast("_Written", written)
        stowed._rows = dict(rows)
        stowed._places = {area: dict(there) for area, there in places}
        return stowed

    # Where things lie

    def shown(self, mobile: Mobile) -> Sequence[Shown]:
        """Everything at its place: what a character carries, and, at a banker, what is in its vault; what
        there is no record for is left out."""
        visit = mobile.visit
        found = list(self._carried(mobile))
        if visit is not None and visit.service == safes.VAULT:
            found += self._kept(mobile)
        known = {one.key for one in found} | {Area.PACK, Area.BANK}
        self._places = {area: places for area, places in self._places.items() if area in known}
        return found[:MOST_RECORDS]

    def put(self, area: int, serial: int, place: int | None) -> None:
        """Let a thing lie at a place of an area from now on; what lies there changes places with it."""
        if place is None:
            return
        places = self._places.setdefault(area, {})
        other = next((one for one, there in places.items() if there == place), None)
        before = places.get(serial)
        if other is not None:
            if before is None:
                return
            places[other] = before
        places[serial] = place

    def _carried(self, mobile: Mobile) -> Iterator[Shown]:
        pack = mobile.backpack
        if pack is None:
            return
        inside = [item for item in pack.contents.values() if item.template.key != GOLD]
        pockets = [item for item in inside if item.template.container][: MOST_POCKETS - 1]
        while True:
            apart = {item.serial for item in pockets}
            lying = [item for item in inside if item.serial not in apart]
            places = self._assign(Area.PACK, lying)
            pages = 1 + max(places.values(), default=0) // PLACES
            if not pockets or pages + len(pockets) <= MOST_POCKETS:
                break
            pockets.pop()
        ids = [pack.serial, *(PACK_PAGE + page for page in range(1, pages))]
        for page, key in enumerate(ids):
            many = sum(1 for place in places.values() if place // PLACES == page)
            yield Shown(key, None if page else pack, POCKETS, page, many)
        for item in lying:
            page, slot = divmod(places[item.serial], PLACES)
            yield _shown(item, ids[page], slot)
        for number, bag in enumerate(pockets, pages):
            yield from self._open(bag, POCKETS, number)

    def _kept(self, mobile: Mobile) -> Iterator[Shown]:
        things = safes.things(mobile)
        places = self._assign(Area.BANK, things)
        for item in things:
            place = places[item.serial]
            if place < SHELVES:
                yield from self._open(item, BANK, place)
        pages: dict[int, list[Item]] = {}
        for item in things:
            if places[item.serial] >= SHELVES:
                pages.setdefault((places[item.serial] - SHELVES) // PLACES, []).append(item)
        for page, inside in sorted(pages.items()):
            yield Shown(BANK_PAGE + page, None, BANK, SHELVES + page, len(inside))
            for item in inside:
                yield _shown(item, BANK_PAGE + page, (places[item.serial] - SHELVES) % PLACES)

    def _open(self, item: Item, holder: int, slot: int) -> Iterator[Shown]:
        """A thing, and what is in it if it is a bag."""
        yield _shown(item, holder, slot)
        if item.template.container:
            inside = list(item.contents.values())[:PLACES]
            places = self._assign(item.serial, inside)
            for inner in inside:
                if places[inner.serial] < PLACES:
                    yield _shown(inner, item.serial, places[inner.serial])

    def _assign(self, area: int, items: Sequence[Item]) -> dict[int, int]:
        """The place of each of these things, by serial: where it was, or the first that is free."""
        here = {item.serial for item in items}
        before = self._places.get(area, {})
        places = self._places[area] = {serial: place for serial, place in before.items() if serial in here}
        taken, free = set(places.values()), 0
        for item in items:
            if item.serial not in places:
                while free in taken:
                    free += 1
                places[item.serial] = free
                taken.add(free)
        return places

    # What a client means

    def at(self, row: int) -> int:
        """The serial or id of a record; 0 if it is none."""
        return next((key for key, number in self._rows.items() if number == row), 0)

    # Records

    def rows(self, keys: Iterable[int]) -> dict[int, int]:
        """The number of the record of each of these, by key; the others lose theirs."""
        wanted = dict.fromkeys(keys)
        for key in [key for key in self._rows if key not in wanted]:
            self._free.append(self._rows.pop(key))
        self._free.sort(reverse=True)
        for key in wanted:
            if key not in self._rows:
                self._rows[key] = self._free.pop() if self._free else len(self._rows)
        return self._rows


def area_of(mobile: Mobile, holder: int) -> int | None:
    """The area that a client means by a holder: of its own bags, or of its vault; None if it is neither."""
    pack, vault = mobile.backpack, mobile.vault
    if holder == POCKETS or PACK_PAGE < holder < BANK_PAGE or (pack is not None and holder == pack.serial):
        return Area.PACK
    if holder == BANK or BANK_PAGE <= holder < BANK_PAGE + PLACES:
        return Area.BANK
    bag = mobile.world.items.get(holder)
    if bag is None or not bag.template.container:
        return None
    if vault is not None and bag.root is vault:
        return Area.BANK
    return holder if bag.root is mobile and bag.parent is not mobile else None


def place_of(area: int, holder: int, slot: int) -> int | None:
    """The place in an area that a client means by a holder and a number in it; None if it means any."""
    if not 0 <= slot < PLACES:
        return None
    if area == Area.BANK:
        if BANK_PAGE <= holder < BANK_PAGE + PLACES:
            return SHELVES + (holder - BANK_PAGE) * PLACES + slot
        return slot if holder == BANK and slot < SHELVES else None
    if area == Area.PACK:
        if holder == POCKETS:
            return None
        return (holder - PACK_PAGE if holder > PACK_PAGE else 0) * PLACES + slot
    return slot


def _shown(item: Item, holder: int, slot: int) -> Shown:
    return Shown(item.serial, item, holder, slot, len(item.contents) if item.template.container else None)
