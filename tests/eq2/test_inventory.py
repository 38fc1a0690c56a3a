"""Bags, the shelves of the bank and what is worn: what a client believes, and what its windows send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
import pytest

from protocol.eq2.belongings import (
    BAG,
    COUNTED,
    EMPTY_BAG,
    FIRST_RECORDS,
    PLAIN,
    USABLE,
    WEARABLE,
    WORN_PLACES,
    difference,
)
from protocol.eq2.handlers.inventory import IN_THE_BANK, NO_HOLDER, NOT_SPLIT, STAYS
from protocol.eq2.packets import (
    DisplayText,
    EntityResourcesLoaded,
    Inventory,
    InventoryEntry,
    UiLoaded,
    UpdateBank,
    ZoneResourcesDone,
)
from protocol.eq2.packing import pack, xor
from protocol.eq2.stowed import BANK, BANK_PAGE, MOST_RECORDS, PACK_PAGE, PLACES, POCKETS, SHELVES
from protocol.wishes import Wish
from tests.kit.eq2_bags import Bags
from tests.kit.eq2_desk import Desk, Player
from world import granting, hands, holding, residents, safes, vaults
from world.item import Layer
from world.offers import Offers, Shop, Ware
from world.reach import Refusal
from world.visits import CLOSED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.item import Item
    from world.mobile import Mobile

BANK_WORDS: Final = "-3"
"""As a client writes the holder of its bank's shelves."""


class Believer:
    """A client's belief, from what its player got."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.bags = Bags(player.session.version)
        self.heard = 0

    def hear(self) -> int:
        """Take what came since; returns how many lists came."""
        came = [message for message in self.player.got[self.heard :] if isinstance(message, Inventory)]
        for message in came:
            self.bags.take(message)
        self.heard = len(self.player.got)
        return len(came)

    def records(self, *, worn: bool = False) -> list[InventoryEntry]:
        """All records, the free ones among them."""
        self.hear()
        return self.bags.records(worn=worn)

    def row(self, key: int) -> int:
        """The number of a record."""
        return next(number for number, one in enumerate(self.records()) if one.unique_id == key)

    def of(self, key: int) -> InventoryEntry:
        """The record of a thing."""
        return self.records()[self.row(key)]

    def names(self, holder: int) -> dict[int, str]:
        """Names by place of what lies in a holder."""
        found = [one for one in self.records() if one.unique_id and one.inventory_slot == holder]
        assert len({one.slot for one in found}) == len(found)
        return {one.slot: one.name for one in found}

    async def asks(self, words: str) -> list[str]:
        """Type a command; the lines that came."""
        self.hear()
        self.player.got.clear()
        self.heard = 0
        await self.player.types(words)
        self.hear()
        return [line.text for line in self.player.took(DisplayText)]


class Bank:
    """A player with a bag, bread and a dagger beside a banker."""

    def __init__(self, desk: Desk, player: Player) -> None:
        self.desk, self.player = desk, player
        self.mobile = player.mobile
        self.sees = Believer(player)

    @classmethod
    async def opened(cls, *things: tuple[str, int]) -> Bank:
        desk = Desk()
        player = await desk.zoning("alric")
        bank = cls(desk, player)
        pack = bank.pack
        for item in list(pack.contents.values()):
            desk.world.delete(item)
        for key, amount in things or (("bag", 1), ("bread", 9), ("dagger", 1), ("gold", 50)):
            granting.make(bank.mobile, key, amount)
        for message in (ZoneResourcesDone(), EntityResourcesLoaded(), UiLoaded()):
            await player.says(message)
        await desk.wait(0.2)
        bank.sees.hear()
        return bank

    @property
    def pack(self) -> Item:
        assert self.mobile.backpack is not None
        return self.mobile.backpack

    def thing(self, key: str) -> Item:
        return next(hands.carried_items(self.mobile, key))

    def kept(self, key: str) -> Item:
        return next(item for item in safes.things(self.mobile) if item.template.key == key)

    async def open(self) -> Mobile:
        banker = self.desk.resident("crier", 21, 20)
        banker.template = attrs.evolve(banker.template, roles=("banker",))
        residents.take_up(banker)
        await self.desk.wait(0.1)
        await self.player.types("start_bank")
        return banker

    async def moves(self, item: Item | int, place: int, holder: int | str, amount: int = 0) -> list[str]:
        key = item if isinstance(item, int) else item.serial
        return await self.sees.asks(f"inventory move {self.sees.row(key)} {place} {holder} {amount}")


async def test_the_pack_is_a_bag_in_the_first_pocket_and_a_bag_in_it_has_a_pocket_of_its_own() -> None:
    bank = await Bank.opened()
    bread, dagger, bag = bank.thing("bread"), bank.thing("dagger"), bank.thing("bag")
    pack, sees = bank.pack.serial, bank.sees
    names = bank.desk.content.items
    assert sees.names(POCKETS) == {0: bank.pack.label, 1: bag.label}
    # Gold is on the sheet.
    assert sees.names(pack) == {0: bread.label, 1: dagger.label}
    assert sees.of(pack).slots == sees.of(bag.serial).slots == PLACES
    assert sees.of(pack).menu == PLAIN + WEARABLE + BAG
    assert sees.of(bag.serial).menu == PLAIN + WEARABLE + BAG + EMPTY_BAG
    record = sees.of(bread.serial)
    assert (record.count, record.index, record.menu) == (9, 0xFF, PLAIN + WEARABLE + COUNTED + USABLE)
    assert sees.of(dagger.serial).menu == WEARABLE
    assert record.item_id == bank.player.session.number_of_kind("bread")
    assert record.icon == bank.desk.view.figures.rendering.plain_icon
    assert names["bread"].name in record.name


async def test_a_client_hears_of_twenty_things_first_and_then_of_all() -> None:
    bank = await Bank.opened(*[("dagger", 1)] * 30)
    lists = [one for one in bank.player.got if isinstance(one, Inventory) and not one.equipped]
    assert [one.count for one in lists[:2]] == [FIRST_RECORDS, 31]
    assert len(bank.sees.names(bank.pack.serial)) == 30


async def test_what_does_not_go_into_one_bag_lies_in_more_and_what_is_too_much_is_not_shown() -> None:
    bank = await Bank.opened()
    while granting.has_room(bank.pack, {"dagger": 1}):
        holding.put(bank.pack, holding.make(bank.desk.world, "dagger"))
    await bank.desk.wait(0.2)
    records = [one for one in bank.sees.records() if one.unique_id]
    assert len(records) <= MOST_RECORDS
    pages = bank.sees.names(POCKETS)
    assert len(pages) <= 6
    held = sum(len(bank.sees.names(key)) for key in (bank.pack.serial, *range(PACK_PAGE + 1, PACK_PAGE + 4)))
    assert held == len(
        [one for one in bank.pack.contents.values() if one.template.key not in ("bag", "gold")]
    )
    assert await bank.moves(PACK_PAGE + 1, 0, bank.thing("bag").serial) == [STAYS]
    assert await bank.moves(bank.pack.serial, 3, BANK) == [STAYS]


async def test_a_thing_goes_to_the_bank_and_back_where_one_drops_it() -> None:
    bank = await Bank.opened()
    await bank.open()
    bread = bank.thing("bread")
    assert await bank.moves(bread, 2, BANK_WORDS, 9) == []
    assert [text for _, text in bank.desk.world.promises] == [
        f"You put {bread.template.many(9)} into the bank; 0 gold coins lie there."
    ]
    assert bank.kept("bread") is bread
    assert bank.sees.names(BANK) == {2: bread.label}
    assert bank.player.took(UpdateBank)
    assert await bank.moves(bread, 7, bank.pack.serial, 9) == []
    assert bread.root is bank.mobile
    assert bank.sees.names(bank.pack.serial)[7] == bread.label
    assert bank.sees.names(BANK) == {}


async def test_a_part_of_a_stack_and_the_first_free_place_will_do() -> None:
    bank = await Bank.opened()
    await bank.open()
    bread = bank.thing("bread")
    await bank.moves(bread, -1, BANK_WORDS, 4)
    assert (bread.amount, bank.kept("bread").amount) == (5, 4)
    assert bank.sees.of(bank.kept("bread").serial).count == 4
    await bank.moves(bread, 0, BANK, 5)
    assert bank.kept("bread").amount == 9
    assert [one.count for one in bank.sees.records() if one.inventory_slot == BANK] == [9]
    await bank.moves(bank.kept("bread"), -1, 0, 2)
    assert hands.carried(bank.mobile)["bread"] == 2


async def test_more_than_the_client_can_count_moves_as_a_whole() -> None:
    bank = await Bank.opened(("arrow", 1000))
    await bank.open()
    arrows = bank.thing("arrow")
    record = bank.sees.of(arrows.serial)
    assert (record.count, record.name) == (255, arrows.template.many(1000))
    await bank.moves(arrows, 0, BANK_WORDS, 255)
    assert bank.kept("arrow").amount == 1000


async def test_the_last_shelves_are_bags_for_all_that_lies_there() -> None:
    bank = await Bank.opened()
    box = safes.box(bank.mobile)
    while granting.has_room(box, {"dagger": 1}):
        holding.put(box, holding.make(bank.desk.world, "dagger"))
    await bank.open()
    many = len(safes.things(bank.mobile))
    shelves = bank.sees.names(BANK)
    assert sorted(shelves) == list(range(SHELVES + -(-(many - SHELVES) // PLACES)))
    assert max(shelves) < 8
    shown = sum(len(bank.sees.names(BANK_PAGE + page)) for page in range(4)) + SHELVES
    assert shown == many
    assert await bank.moves(bank.thing("bread"), 0, BANK, 9) == [Refusal.FULL.value]
    assert bank.thing("bread").amount == 9


@pytest.mark.parametrize(
    ("move", "refusal"),
    [
        ("0 -4 1", NO_HOLDER),
        ("0 -5 1", NO_HOLDER),
        ("0 77 1", NO_HOLDER),
        ("0 -3", Refusal.UNFIT.value),
        ("0 x 1", Refusal.UNFIT.value),
        ("0 -3 99999999999999", Refusal.UNFIT.value),
        ("3 0 2", NOT_SPLIT),
    ],
)
async def test_what_cannot_be_moved_so_is_refused_and_shown_where_it_is(move: str, refusal: str) -> None:
    bank = await Bank.opened()
    await bank.open()
    row = bank.sees.row(bank.thing("bread").serial)
    before = hands.carried(bank.mobile)
    assert await bank.sees.asks(f"inventory move {row} {move}") == [refusal]
    assert bank.player.took(Inventory)
    assert hands.carried(bank.mobile) == before


async def test_nothing_goes_to_the_bank_unless_a_banker_has_it_open() -> None:
    bank = await Bank.opened()
    bread = bank.thing("bread")
    assert await bank.moves(bread, 0, BANK, 9) == [CLOSED]
    await bank.open()
    await bank.moves(bread, 0, BANK, 9)
    row = bank.sees.row(bread.serial)
    await bank.player.types("cancel_bank")
    assert bank.sees.names(BANK) == {}
    assert await bank.sees.asks(f"inventory move {row} 0 0 9") == [Refusal.GONE.value]
    assert bank.kept("bread").amount == 9


async def test_who_walks_away_is_not_shown_the_bank_any_more() -> None:
    bank = await Bank.opened()
    await bank.open()
    await bank.moves(bank.thing("bread"), 0, BANK, 9)
    row = bank.sees.row(bank.kept("bread").serial)
    bank.desk.world.warp(bank.mobile, bank.desk.world.realms["plain"], 60, 60)
    await bank.desk.wait(0.5)
    assert bank.sees.names(BANK) == {}
    assert await bank.sees.asks(f"inventory move {row} 0 0 9") == [Refusal.GONE.value]


async def test_who_goes_on_to_a_merchant_has_left_the_bank() -> None:
    bank = await Bank.opened()
    banker = await bank.open()
    await bank.moves(bank.thing("bread"), 0, BANK, 9)
    assert bank.sees.names(BANK)
    banker.template = attrs.evolve(
        banker.template, roles=("merchant",), offers=Offers(shop=Shop((Ware("bread", 1),)))
    )
    await bank.player.types("start_merchant")
    assert bank.sees.names(BANK) == {}


async def test_one_arranges_bags_and_fills_them() -> None:
    bank = await Bank.opened()
    bread, dagger, bag, pack = bank.thing("bread"), bank.thing("dagger"), bank.thing("bag"), bank.pack.serial
    assert await bank.moves(bread, 1, pack) == []
    assert bank.sees.names(pack) == {1: bread.label, 0: dagger.label}
    assert await bank.moves(bread, 4, bag.serial, 3) == []
    assert [item.amount for item in bag.contents.values()] == [3]
    (inner,) = bag.contents.values()
    assert bank.sees.names(bag.serial) == {4: inner.label}
    assert await bank.moves(inner, 9, bag.serial) == []
    assert bank.sees.names(bag.serial) == {9: inner.label}
    assert await bank.moves(inner, -1, POCKETS, 3) == []
    assert not bag.contents
    assert await bank.moves(bag, 0, bag.serial) == [Refusal.NESTED.value]


async def test_one_puts_on_takes_off_and_destroys() -> None:
    bank = await Bank.opened()
    dagger, bread = bank.thing("dagger"), bank.thing("bread")
    sees = bank.sees
    assert await sees.asks(f"inventory equip {sees.row(dagger.serial)} 0") == []
    assert bank.mobile.worn[Layer.ONE_HANDED] is dagger
    worn = sees.records(worn=True)
    assert len(worn) == WORN_PLACES
    assert (worn[0].unique_id, worn[0].slot, [one.index for one in worn]) == (
        dagger.serial,
        0,
        list(range(WORN_PLACES)),
    )
    assert dagger.label not in sees.names(bank.pack.serial).values()
    assert await sees.asks("inventory unequip 0 -999 255") == []
    assert dagger.parent is bank.pack
    assert not sees.records(worn=True)[0].unique_id
    for words in (f"equip {sees.row(dagger.serial)}", "unequip 0"):
        assert await sees.asks(words) == []
    assert await sees.asks("unequip 0") == [Refusal.GONE.value]
    assert await sees.asks(f"inventory destroy {sees.row(bread.serial)}") == []
    assert "bread" not in hands.carried(bank.mobile)


async def test_the_number_of_a_record_stays_its_own_and_is_used_again() -> None:
    bank = await Bank.opened()
    bread, dagger = bank.thing("bread"), bank.thing("dagger")
    row, other = bank.sees.row(bread.serial), bank.sees.row(dagger.serial)
    await bank.sees.asks(f"inventory destroy {row}")
    assert bank.sees.records()[row] == InventoryEntry(unique_id=0, count=0)
    assert bank.sees.row(dagger.serial) == other
    granting.make(bank.mobile, "candle", 1)
    await bank.desk.wait(0.1)
    assert bank.sees.row(bank.thing("candle").serial) == row


async def test_one_uses_a_thing_by_the_number_that_the_client_gave_it() -> None:
    bank = await Bank.opened()
    bank.mobile.hits -= 5
    row = bank.sees.row(bank.thing("bread").serial)
    (told,) = await bank.sees.asks(f"use_item {row ^ 0xFF}")
    assert told.startswith("You eat")
    assert bank.thing("bread").amount == 8
    (told,) = await bank.sees.asks(f"use_item {bank.sees.row(bank.thing('bag').serial) ^ 0xFF}")
    assert "nothing" in told
    assert await bank.sees.asks("use_item 9") == [Refusal.GONE.value]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("swap_equip 0 1", Refusal.MISFIT.value),
        ("unpack 1", Refusal.USELESS.value),
        ("pop 0 -1", Refusal.EMPTY.value),
        ("destroy", Refusal.UNFIT.value),
        ("destroy 200", Refusal.GONE.value),
        ("equip 200", Refusal.GONE.value),
        ("juggle 1", Wish.UNKNOWN.value),
    ],
)
async def test_all_else_that_bags_send_is_refused_in_words(words: str, told: str) -> None:
    bank = await Bank.opened()
    assert await bank.sees.asks(f"inventory {words}") == [told]


async def test_what_lies_in_the_bank_is_neither_worn_nor_destroyed() -> None:
    bank = await Bank.opened()
    await bank.open()
    dagger = bank.thing("dagger")
    await bank.moves(dagger, 0, BANK, 1)
    row = bank.sees.row(dagger.serial)
    for words in (f"inventory equip {row}", f"inventory destroy {row}"):
        assert await bank.sees.asks(words) == [IN_THE_BANK]
    assert bank.kept("dagger") is dagger


async def test_what_others_put_into_the_pack_is_told_too() -> None:
    bank = await Bank.opened()
    bank.player.got.clear()
    bank.sees.heard = 0
    await bank.desk.wait(0.2)
    assert bank.sees.hear() == 0
    granting.make(bank.mobile, "bone", 3)
    await bank.desk.wait(0.1)
    assert bank.sees.hear() == 1
    assert bank.thing("bone").label in bank.sees.names(bank.pack.serial).values()


async def test_without_the_switch_all_is_told_in_words() -> None:
    bank = await Bank.opened()
    figures = bank.desk.view.figures
    figures.rendering = attrs.evolve(figures.rendering, inventory=False)
    bank.desk.view.belongings = ()
    vaults.receive(bank.mobile, "bone", 3)
    bank.player.got.clear()
    await bank.open()
    assert not bank.player.took(Inventory)
    told = [line.text for line in bank.player.took(DisplayText)]
    assert any("bone" in line and "/withdraw" in line for line in told)


def lists(*rows: bytes) -> Sequence[bytes]:
    return [row.ljust(30, b"\0") for row in rows]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ((), ()),
        ((), (b"",)),
        ((), (b"abc", b"", b"d")),
        ((b"abc",), (b"abc", b"x")),
        ((b"abc", b"q", b"", b"z"), (b"ab", b"q", b"\0\0\0k", b"")),
        ((b"a" * 20,) * 9, (b"a" * 20,) * 8 + (b"b" * 23,)),
    ],
)
def test_only_records_that_changed_are_packed_and_the_bytes_are_those_of_the_whole(
    before: tuple[bytes, ...], now: tuple[bytes, ...]
) -> None:
    old, new = lists(*before), lists(*now)
    whole = b"".join(new)
    assert difference(old, new, reverse=True) == pack(xor(whole, b"".join(old).ljust(len(whole), b"\0")))
