"""What a client was told that its character has, and the difference."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from protocol.co.belongings import changes, whole
from protocol.co.packets import ItemAction, ItemActionType, ItemInfo, ItemInfoMode, ItemPosition

if TYPE_CHECKING:
    from protocol.co.packets import Message
    from protocol.co.session import CoSession

DROP, EQUIP, UNEQUIP = ItemActionType.DROP, ItemActionType.EQUIP, ItemActionType.UNEQUIP


def item(number: int, position: int = 0, amount: int = 1, kind: int = 1_000_000) -> ItemInfo:
    return ItemInfo(number, kind, amount, amount, position=position)


def a_client() -> CoSession:
    """A session, as far as it keeps a list."""
    return cast("CoSession", SimpleNamespace(owns=None))


def told(before: list[ItemInfo], now: list[ItemInfo]) -> list[Message]:
    """What a client is told that knew one list and has another now."""
    client = a_client()
    assert whole(client, before) == before
    packets = changes(client, now)
    assert changes(client, now) == [], "nothing is told twice"
    return packets


def test_who_has_no_list_yet_is_told_no_changes() -> None:
    client = a_client()
    assert changes(client, [item(1)]) == []
    assert whole(client, [item(1)]) == [item(1)]
    assert changes(client, [item(1), item(2)]) == [item(2)]


@pytest.mark.parametrize(
    ("before", "now", "packets"),
    [
        ([], [item(1)], [item(1)]),
        ([], [item(1, 4)], [item(1, 4)]),
        ([item(1)], [], [ItemAction(1, 0, DROP)]),
        ([item(1, 4)], [], [ItemAction(1, 4, UNEQUIP), ItemAction(1, 0, DROP)]),
        ([item(1)], [item(1, 4)], [ItemAction(1, 4, EQUIP)]),
        ([item(1, 4)], [item(1)], [ItemAction(1, 4, UNEQUIP)]),
        ([item(1, 4)], [item(1, 5)], [ItemAction(1, 4, UNEQUIP), ItemAction(1, 5, EQUIP)]),
        ([item(1), item(2)], [item(2), item(1)], []),
        ([item(1)], [item(2)], [ItemAction(1, 0, DROP), item(2)]),
    ],
)
def test_changes(before: list[ItemInfo], now: list[ItemInfo], packets: list[Message]) -> None:
    assert told(before, now) == packets


@pytest.mark.parametrize("changed", [item(1, amount=5), item(1, kind=1_000_010)])
def test_what_is_more_or_something_else_now_is_an_update(changed: ItemInfo) -> None:
    (packet,) = told([item(1)], [changed])
    assert isinstance(packet, ItemInfo)
    assert packet.mode == ItemInfoMode.UPDATE
    assert (packet.item_type, packet.durability) == (changed.item_type, changed.durability)
    assert changed.mode == ItemInfoMode.ADD, "the list itself is not changed"


def test_what_is_put_on_and_changes_at_once() -> None:
    packets = told([item(1)], [item(1, ItemPosition.BOOTS, 3)])
    assert packets[0] == ItemAction(1, ItemPosition.BOOTS, EQUIP)
    assert isinstance(packets[1], ItemInfo)
    assert packets[1].mode == ItemInfoMode.UPDATE


def test_what_makes_room_is_taken_off_before_something_else_is_put_on() -> None:
    """Whatever the order of the list: two things at one position would be one too many."""
    for before, now in (
        ([item(1, 3), item(2)], [item(1), item(2, 3)]),
        ([item(2), item(1, 3)], [item(2, 3), item(1)]),
    ):
        kinds = [packet.action for packet in told(before, now) if isinstance(packet, ItemAction)]
        assert kinds == [UNEQUIP, EQUIP]
