"""Tells a client of the things that its character has: a record for each that it carries, for each
that lies in its vault while a banker has that open, and for each place of its body.

The client has a list of records, and is told the difference to it (Inventory). What is in it follows from the
world when the message leaves, so that all that happens in a turn is told at once, whoever did it. Where each
thing lies is in `stowed.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.packets import Inventory, InventoryEntry
from protocol.eq2.packing import pack, pack_front, xor
from protocol.eq2.stowed import PLACES
from world import gathering
from world.containers import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eq2.looks import Eq2Looks
    from protocol.eq2.session import Eq2Session
    from protocol.eq2.stowed import Shown
    from world.item import Item
    from world.mobile import Mobile

FIRST_RECORDS: Final = 20
"""Records of the first message, as a public server sends it to versions up to 561 (emagi/eq2emu: Items.cpp,
PlayerItemList::serialize)."""

UNNUMBERED: Final = 0xFF
"""What stands for the number of a record: clients of that age number them by themselves (the same)."""

MOST_COUNTED: Final = 255
LONGEST_NAME: Final = 63

CARRIED, WORN = 0, 1
"""Lists that a client has (Inventory.equipped)."""

PLAIN, WEARABLE, BAG, EMPTY_BAG = 1, 2, 4, 16
COUNTED, USABLE = 16384, 524288
"""What can be done with a thing: bits of InventoryEntry.menu (emagi/eq2emu: Items.h, ITEM_MENU_TYPE)."""

WORN_PLACES: Final = 22
"""Places of a body (Items.h, CLASSIC_NUM_SLOTS); the first of them are those of `looks.SLOTS`."""

PAGE: Final = "More things"
"""Name of a bag that the world does not have."""


class Belongings:
    """Tells what a character carries, as far as its client does not know. `first`: the client has no list
    yet; `always`: it is told even if nothing changed, because it may show a thing where it is not."""

    __slots__ = ("_always", "_first", "_looks")
    droppable = False

    def __init__(self, looks: Eq2Looks, *, first: bool = False, always: bool = False) -> None:
        self._looks = looks
        self._first = first
        self._always = always

    def bind(self, session: Eq2Session) -> bytes:
        """Inventory, if there is anything to tell. Notes what the client has now."""
        stowed, mobile = session.stowed, session.mobile
        if mobile is None or not (self._first or stowed.begun):
            return b""
        shown = stowed.shown(mobile)
        if self._first:
            stowed.begun, shown = True, shown[:FIRST_RECORDS]
        size = session.dialect.size_of(InventoryEntry)
        now = [bytes(size)] * len(stowed.sent)
        rows = stowed.rows(one.key for one in shown)
        now += [bytes(size)] * (max(rows.values(), default=-1) + 1 - len(now))
        before, stowed.made = stowed.made, {}
        for one in shown:
            item = one.item
            mark = one, (item.amount, item.label) if item is not None else None
            made = before.get(one.key)
            if made is None or made[0] != mark:
                made = mark, session.dialect.pack_struct(entry_of(session, self._looks, one))
            stowed.made[one.key] = made
            now[rows[one.key]] = made[1]
        if now == stowed.sent and not self._first and not self._always:
            return b""
        packed = difference(stowed.sent, now, reverse=session.dialect.reverse)
        stowed.sent = now
        return session.dialect.encode(Inventory(len(now), packed, CARRIED))


class Worn:
    """Tells what a character wears, as far as its client does not know; of several things at one place the
    outermost."""

    __slots__ = ("_first", "_looks")
    droppable = False

    def __init__(self, looks: Eq2Looks, *, first: bool = False) -> None:
        self._looks = looks
        self._first = first

    def bind(self, session: Eq2Session) -> bytes:
        """Inventory of what is worn, if there is anything to tell. Notes what the client has now."""
        stowed, mobile, version = session.stowed, session.mobile, session.dialect
        if mobile is None or not (self._first or stowed.dressed):
            return b""
        worn = worn_things(mobile, self._looks)
        records = [InventoryEntry(unique_id=0, count=0, index=place) for place in range(WORN_PLACES)]
        for place, item in worn.items():
            records[place] = InventoryEntry(
                unique_id=item.serial,
                menu=WEARABLE,
                slot=place,
                index=place,
                icon=session.icon(item.template),
                item_id=session.number_of_kind(item.template.key),
                name=item.label[:LONGEST_NAME],
            )
        now = b"".join(version.pack_struct(record) for record in records)
        if now == stowed.dressed:
            return b""
        change = pack(xor(now, stowed.dressed or bytes(len(now))), reverse=version.reverse)
        stowed.dressed = now
        return version.encode(Inventory(WORN_PLACES, change, WORN))


def worn_things(mobile: Mobile, looks: Eq2Looks) -> dict[int, Item]:
    """Clothes and weapons of a character that its client has a place for, by number of the place."""
    found: dict[int, Item] = {}
    for _, item in sorted(mobile.worn.items()):
        look = looks.items.get(item.template.key)
        if look is not None and look.worn:
            found[look.slot] = item
    return found


def entry_of(session: Eq2Session, looks: Eq2Looks, shown: Shown) -> InventoryEntry:
    """The record of something."""
    item, bag = shown.item, shown.holds is not None
    menu = PLAIN + WEARABLE + (BAG if bag else 0) + (0 if shown.holds is None or shown.holds else EMPTY_BAG)
    if item is None:
        pack = session.mobile.backpack if session.mobile is not None else None
        return InventoryEntry(
            unique_id=shown.key,
            bag_id=shown.key,
            inventory_slot=shown.holder,
            menu=menu,
            slot=shown.slot,
            index=UNNUMBERED,
            icon=session.icon(pack.template) if pack is not None else 0,
            slots=PLACES,
            name=PAGE,
        )
    kind = item.template
    look = looks.items.get(kind.key)
    if look is not None and look.worn:
        menu -= PLAIN
    menu += (COUNTED if kind.stackable else 0) + (USABLE if _is_usable(item) else 0)
    return InventoryEntry(
        unique_id=item.serial,
        bag_id=item.serial,
        inventory_slot=shown.holder,
        menu=menu,
        slot=shown.slot,
        index=UNNUMBERED,
        icon=session.icon(kind),
        count=min(item.amount, MOST_COUNTED),
        slots=PLACES if bag else 0,
        item_id=session.number_of_kind(kind.key),
        name=(counted(item) if item.amount > MOST_COUNTED else item.label)[:LONGEST_NAME],
    )


def _is_usable(item: Item) -> bool:
    kind = item.template
    return kind.remedy is not None or kind.letter or kind.light or gathering.is_tool(item.world, item)


def difference(before: Sequence[bytes], now: Sequence[bytes], *, reverse: bool) -> bytes:
    """The difference of two lists of records, packed; what is new differs from zeros. Only records that
    changed are packed, so that one among many costs little."""
    out: list[bytes] = []
    zeros = 0
    for number, record in enumerate(now):
        old = before[number] if number < len(before) else bytes(len(record))
        change = record if number >= len(before) else b"" if record == old else xor(record, old)
        bare = change.lstrip(b"\0")
        if not bare:
            zeros += len(record)
            continue
        zeros += len(record) - len(bare)
        packed, taken = pack_front(bare, len(bare.rstrip(b"\0")), reverse=reverse)
        out += pack(bytes(zeros), reverse=reverse), packed
        zeros = len(bare) - taken
    out.append(pack(bytes(zeros), reverse=reverse))
    return b"".join(out)
