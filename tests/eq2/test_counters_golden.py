"""The messages of counters and quests, byte by byte.

The order and the sizes of the fields are those of emagi/eq2emu, server/WorldStructs.xml: of each structure
the newest that is not above 546 (WS_UpdateMerchant 546, WS_UpdateBank 1, WS_QuestJournalUpdate 546,
WS_QuestJournalReply 546, Substruct_JournalRewardData 546, WS_GlowPath 1). The offer and what clients ask for
are those of the public reversing notes of the client. A nested message is FF and its number, in a ClientCmd
(50) with its length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.eq2 import packets as eq2
from tests.kit.eq2_player import newest_version

if TYPE_CHECKING:
    from protocol.eq2.packets import Message

PAY = "ff 0000 a861000000000000 a861000000000000 00000000 0300 626f77 0000 00000000 00000000 00"
"""Kind, title, most and least coins, status, text, experience, things to choose from, things, factions."""

NESTED = {
    "merchant": (
        eq2.UpdateMerchant(
            0x01020304,
            (
                eq2.MerchantRow(
                    name="bread", price=40_000, item=7, stack=60_000, quantity=20, item_again=7, stack_again=9
                ),
            ),
            eq2.WARES,
        ),
        "c201 04030201 0100"  # 450, whose it is, one row
        " 05 6272656164 409c000000000000 07000000 00000000 60ea 0000 01 00 03 14 ff 00 00000000"
        " 07000000 0900 00000000"
        " 00 0000",
    ),
    "sales": (
        eq2.UpdateMerchant(1, (eq2.MerchantRow("a", 1, 2, 0x40000001, quantity=255),), eq2.SALES),
        "c201 01000000 0100"
        " 01 61 0100000000000000 02000000 01000040 0100 0000 01 00 03 ff ff 00 00000000"
        " 00000000 0100 00000000"
        " 01 0000",
    ),
    "no rows": (eq2.UpdateMerchant(1, ()), "c201 01000000 0000 00 0000"),
    "bank": (
        eq2.UpdateBank(9, 10_000_000_000_000, gold=250),
        "c701 09000000 00a0724e18090000 00000000 00000000 fa000000 00000000 01",
    ),
    "journal": (
        eq2.QuestJournalUpdate(
            (eq2.JournalRow("b", "c", "de", 0xAABBCCDD, updated=1, day=1, month=2, year=26, level=3),),
            owner=5,
            player="Al",
            visible_quest=0xAABBCCDD,
            updated=1,
            used=1,
        ),
        "bf01 0100"
        " 01 0100 62 0100 63 0200 6465 01 00 00 00 00 ddccbbaa 01 02 1a 03 04 03 01"
        " 01 00 ddccbbaa 05000000 0200 416c 0100",
    ),
    "page": (
        eq2.QuestJournalReply(
            quest_id=1,
            owner=5,
            name="b",
            description="c",
            kind="d",
            header="e",
            day=1,
            month=2,
            year=26,
            obtained=0x01020304,
            groups=(
                eq2.QuestTaskGroup(
                    "f", (eq2.QuestTask("g"),), (eq2.QuestProgress(current=2, most=3, target="h"),)
                ),
            ),
            updated=1,
            on_screen=1,
            on_screen_count=2,
            on_screen_text="i",
            tail=bytes.fromhex(PAY) + b"\0",
        ),
        "c001 01000000 05000000 0100 62 0100 63 0100 64 0100 65"
        " 01 02 1a 04030201 0000 00 00 01 04 03 00 00 00 0000 01 00 00"
        " 0000 0100"
        " 0100 66 0100 0100 67 00 0100 00 0200 0300 0000 0100 68 ffffffff"
        f" 0000 01 01 0000 0000 01 0200 0100 69 0000 0000 {PAY} 00",
    ),
    "way": (
        eq2.HelpPath((eq2.PathPoint(1.0, 2.0, 0.5),), 1.0, 2.0, 0.5),
        "c501 0100 0000803f 00000040 0000003f 0000803f 00000040 0000003f",
    ),
    "end of the way": (eq2.HelpPathClear(), "c601"),
}


@pytest.mark.parametrize("name", NESTED)
def test_messages_inside_a_client_cmd(name: str) -> None:
    message, text = NESTED[name]
    body = b"\xff" + bytes.fromhex(text)
    expected = b"\x32" + len(body).to_bytes(4, "little") + body
    assert newest_version().encode(message) == expected
    assert newest_version().decode_server(expected) == [message]


def test_pay_is_part_of_an_offer() -> None:
    pay = eq2.RewardData("", 25_000, 25_000, "bow")
    assert newest_version().pack_struct(pay) == bytes.fromhex(PAY)
    offer = eq2.OfferQuest(pay, "T", 3, 1, "yes 1", "no 1", "Do it")
    assert newest_version().encode(offer) == bytes.fromhex(
        f"ff 4e01 {PAY} 01 54 03 00 01 05 7965732031 04 6e6f2031 0500 446f206974"
    )


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (eq2.QuestJournalOpen(), "66"),
        (eq2.QuestJournalInspect(0xAABBCCDD), "67 ddccbbaa 00000000 00 00 00000000"),
        (eq2.QuestJournalSetVisible((1, 2), 1), "68 02000000 01000000 02000000 01"),
        (eq2.QuestJournalWaypoint(3), "69 03000000"),
    ],
)
def test_requests(message: Message, text: str) -> None:
    assert newest_version().decode_client(bytes.fromhex(text)) == message
