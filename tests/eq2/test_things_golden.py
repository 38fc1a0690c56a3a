"""Records of bags, descriptions of things and pay, byte by byte.

The bytes come from another implementation, which wrote the structures of emagi/eq2emu (24d44cf) by their own
files: Substruct_Item, WS_ItemGeneric, WS_QuestRewardPackMsg and Substruct_JournalRewardData of version 546
(server/ItemStructs.xml, WorldStructs.xml), cut as its PacketStruct.cpp cuts a thing out of its description,
and packed by its own Pack (source/common/MiscFunctions.cpp), compiled.
"""

from __future__ import annotations

import pytest

from protocol.eq2 import packets as eq2
from protocol.eq2.belongings import difference
from protocol.eq2.stowed import BANK
from tests.kit.eq2_player import newest_version

PACK = eq2.InventoryEntry(
    unique_id=0x40000001, bag_id=0x40000001, menu=7, index=0xFF, slots=36, item_id=1, name="pack"
)
BREAD = eq2.InventoryEntry(
    unique_id=0x40000002,
    bag_id=0x40000002,
    inventory_slot=0x40000001,
    menu=16387,
    index=0xFF,
    icon=7,
    count=9,
    item_id=2,
    name="bread",
)
SHELVED = eq2.InventoryEntry(
    unique_id=0x40000002,
    bag_id=0x40000002,
    inventory_slot=BANK,
    menu=16387,
    slot=2,
    index=0xFF,
    icon=7,
    count=9,
    item_id=2,
    name="bread",
)
CLUB = eq2.InventoryEntry(
    unique_id=0x40000003,
    bag_id=0x40000003,
    inventory_slot=0x40000001,
    menu=2,
    index=0xFF,
    item_id=3,
    name="club",
)

FIRST = "2d00000099014001a10740039101ffe361700124836b634899024002f3400340014003950907ff01f16572620283646147"
SECOND = "20000000768fbffffffc0181025799034003b302400140039101ff01f1756c6303816247"
"""Two records, and then: the second lies in the bank, and there is a third."""


def test_a_list_of_records_and_its_difference() -> None:
    version = newest_version()
    assert version.size_of(eq2.InventoryEntry) == 110
    before = [version.pack_struct(one) for one in (PACK, BREAD)]
    now = [version.pack_struct(one) for one in (PACK, SHELVED, CLUB)]
    for old, new, text in (([], before, FIRST), (before, now, SECOND)):
        packed = difference(old, new, reverse=version.reverse)
        message = eq2.Inventory(len(new), packed, 0)
        expected = b"\x3a" + len(new).to_bytes(2, "little") + bytes.fromhex(text) + b"\0"
        assert version.encode(message) == expected
        assert version.decode_server(expected) == [message]


DESCRIBED = (
    "00 04030201 0403020100000000 0700 00 00000000 000000000000000000000000000000 00 00 64 04"
    " ffffffff ffffffff 00 00 00 03000000 00 00 04 636c7562 0700 4120636c75622e"
)
THING = eq2.ItemDescription(
    unique=0x01020304, broker=0x01020304, name="club", icon=7, weight=4, description="A club."
)
PAID = (
    "ff 0400 446f6e65 a861000000000000 a861000000000000 00000000 0300 626f77 0000 00000000 01000000"
    f" 04030201 0200 00000000 {DESCRIBED} 00"
)
PAY = eq2.RewardData("Done", 25_000, 25_000, "bow", (eq2.RewardItem(0x01020304, 2, THING),))


def test_a_description() -> None:
    version = newest_version()
    assert version.pack_struct(THING) == bytes.fromhex(DESCRIBED)
    body = bytes.fromhex(f"ffc801 01 00 00 00000000 {DESCRIBED}")
    expected = b"\x32" + len(body).to_bytes(4, "little") + body
    assert version.encode(eq2.ExamineInfo(THING)) == expected
    assert version.decode_server(expected) == [eq2.ExamineInfo(THING)]


def test_pay_with_things() -> None:
    version = newest_version()
    assert version.pack_struct(PAY) == bytes.fromhex(PAID)
    assert version.encode(eq2.RewardPack(PAY)) == bytes.fromhex(f"ffff00 {PAID}")


@pytest.mark.parametrize("text", ["e5 00 04030201 01 00", "e5 00 04030201 05060708 0000", "e5 03"])
def test_requests_of_either_form(text: str) -> None:
    raw = bytes.fromhex(text)
    assert newest_version().decode_client(raw) == eq2.ExamineInfoRequest(raw[1], raw[2:])
