"""Lists of merchants and warehouses, byte by byte. Layouts are those of facts on the public servers of this
chronicle; the first row of the BuyList and the order are recorded (tests/golden/l2)."""

from __future__ import annotations

import pytest

from protocol.l2 import packets as l2
from tests.kit.l2_recorded import FROM_CLIENT, VERSION


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (
            l2.BuyList(14261, 7, (l2.WareEntry(0, 1, 0, 0, l2.BodyPart.RIGHT_HAND, 739),)),
            "11 b5370000 07000000 0100"
            "0000 00000000 01000000 00000000 0000 0000 80000000 0000 0000 0000 e3020000",
        ),
        (
            l2.SellList(5, 8, (l2.SaleEntry(l2.StackEntry(4, 0x40000001, 57, 3, 5), 2),)),
            "10 05000000 08000000 0100"
            "0400 01000040 39000000 03000000 0500 0000 00000000 0000 0000 0000 02000000",
        ),
        (
            l2.WarehouseDepositList(1, 5, (l2.StoredEntry(4, 0x40000001, 57, 3, 4, object_id_again=9),)),
            "41 0100 05000000 0100"
            "0400 01000040 39000000 03000000 0400 0000 00000000 0000 0000 0000 09000000 0000000000000000",
        ),
        (l2.WarehouseWithdrawList(1, 5, ()), "42 0100 05000000 0000"),
    ],
)
def test_lists_lie_as_the_public_servers_say(message: l2.Message, wanted: str) -> None:
    assert VERSION.encode(message) == bytes.fromhex(wanted)
    assert VERSION.decode_server(bytes.fromhex(wanted)) == message


def test_orders_are_read_as_they_were_recorded() -> None:
    (row,) = (row for row in FROM_CLIENT if row["name"] == "RequestBuyItem")
    order = VERSION.decode_client(bytes.fromhex(row["plain"]))
    assert order == l2.RequestBuyItem(1, (l2.BuyEntry(item_id=1, count=1),))
    sale = VERSION.decode_client(bytes.fromhex("1e 02000000 01000000 01000040 39000000 03000000"))
    assert sale == l2.RequestSellItem(2, (l2.SellEntry(0x40000001, 57, 3),))
    kept = (l2.KeptEntry(0x40000001, 3),)
    for opcode, cls in (("31", l2.SendWareHouseDepositList), ("32", l2.SendWareHouseWithDrawList)):
        assert VERSION.decode_client(bytes.fromhex(f"{opcode} 01000000 01000040 03000000")) == cls(kept)
