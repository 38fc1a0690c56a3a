"""Shops, the bank and vaults: what comes of a wish, what the client is told, and that it believes what is
true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from eolib import (
    BankAddClientPacket,
    BankOpenClientPacket,
    BankOpenServerPacket,
    BankReplyServerPacket,
    BankTakeClientPacket,
    Coords,
    Item,
    ItemKickServerPacket,
    LockerAddClientPacket,
    LockerBuyClientPacket,
    LockerGetServerPacket,
    LockerOpenClientPacket,
    LockerOpenServerPacket,
    LockerReplyServerPacket,
    LockerSpecServerPacket,
    LockerTakeClientPacket,
    ShopBuyClientPacket,
    ShopBuyServerPacket,
    ShopOpenClientPacket,
    ShopOpenServerPacket,
    ShopSellClientPacket,
    ShopSellServerPacket,
    TalkServerServerPacket,
    ThreeItem,
)

from protocol.eo.counters import TOO_DEAR
from protocol.eo.handlers.counters import LARGE_ENOUGH, NO_VAULT
from tests.eo.test_handlers_things import STEPS
from tests.kit.eo_belongings import ARROW, BAG, BOW, BREAD, DAGGER, GOLD, RING, ROBE, SHIRT, give, owns
from tests.kit.eo_desk import VAULT, Desk, Player, small_content
from tests.kit.eo_peer import eolib_bytes
from world import hands, holding, life, safes, vaults, visits
from world.offers import Offers, Shop, Ware
from world.reach import Refusal

if TYPE_CHECKING:
    from eolib import Packet

    from world.content import Content
    from world.mobile import Mobile

BESIDE = VAULT[0], VAULT[1] + 1


def words(player: Player) -> list[str]:
    """Lines that came since the last time, without those of what is done."""
    said = [packet.message for packet in player.client.received if isinstance(packet, TalkServerServerPacket)]
    player.client.received.clear()
    return said


def told(player: Player) -> list[str]:
    """Names of all that came since the last time but lines."""
    names = [type(packet).__name__.removesuffix("ServerPacket") for packet in player.client.received]
    player.client.received.clear()
    return [name for name in names if name != "TalkServer"]


async def at(
    npc: str, kind: type[ShopOpenClientPacket | BankOpenClientPacket], content: Content | None = None
) -> tuple[Desk, Player, Mobile]:
    """A player before whom somebody's counter stands open, and who has 100 gold."""
    desk = Desk(content)
    host = desk.resident(npc, BESIDE[0] + 2, BESIDE[1])
    alric = await desk.enter("alric", BESIDE)
    await opens(alric, host, kind)
    return desk, alric, host


async def opens(
    player: Player, host: Mobile, kind: type[ShopOpenClientPacket | BankOpenClientPacket]
) -> None:
    """A click on somebody."""
    index = player.desk.view.figures.npc_index(host)
    await player.sends(player.client.bytes_of(kind(npc_index=index)))


def buys(player: Player, item_id: int, amount: int) -> bytes:
    return player.client.deal(ShopBuyClientPacket, buy_item=Item(id=item_id, amount=amount))


def sells(player: Player, item_id: int, amount: int) -> bytes:
    return player.client.deal(ShopSellClientPacket, sell_item=Item(id=item_id, amount=amount))


def looks_in(player: Player, tile: tuple[int, int] = VAULT) -> bytes:
    return player.client.bytes_of(LockerOpenClientPacket(locker_coords=Coords(x=tile[0], y=tile[1])))


def puts(player: Player, item_id: int, amount: int, tile: tuple[int, int] = VAULT) -> bytes:
    place = Coords(x=tile[0], y=tile[1])
    item = ThreeItem(id=item_id, amount=amount)
    return player.client.bytes_of(LockerAddClientPacket(locker_coords=place, deposit_item=item))


def takes(player: Player, item_id: int, tile: tuple[int, int] = VAULT) -> bytes:
    place = Coords(x=tile[0], y=tile[1])
    return player.client.bytes_of(LockerTakeClientPacket(locker_coords=place, take_item_id=item_id))


def payload(packet: Packet) -> bytes:
    return eolib_bytes(packet)[2:]


def recorded(step: str) -> bytes:
    """What eoserv answered."""
    (reply,) = STEPS[step]["replies_to_A"]
    return bytes.fromhex(reply["payload"])


async def test_a_shop_is_as_in_eoserv() -> None:
    content = small_content()
    wares = (
        Ware("backpack", 10, stock=4),  # the records 2, 3 and 5, as the wares in that recording
        Ware("shirt", 50, stock=4),
        Ware("robe", 5, stock=4),
    )
    baker = attrs.evolve(
        content.mobiles["baker"],
        name="Test Shop",
        offers=Offers(Shop(wares, {"backpack": 5, "shirt": 20, "robe": 1})),
    )
    content = attrs.evolve(content, mobiles={**content.mobiles, "baker": baker})
    desk, alric, _ = await at("baker", ShopOpenClientPacket, content)
    mine, theirs = payload(alric.client.last(ShopOpenServerPacket)), recorded("shop open")
    assert mine[2:] == theirs[2 : theirs.rindex(b"\xff", 0, 40) + 1], "behind it is what is made there"
    alric.mobile.strength = 60
    give(alric.mobile, "gold", 4900)
    for _ in range(7):
        give(alric.mobile, "backpack")
    await desk.settle()
    weight = slice(None, -2)  # nothing weighs anything there
    await alric.sends(buys(alric, BAG, 2))
    assert payload(alric.client.last(ShopBuyServerPacket))[weight] == recorded("shop buy")[weight]
    owns(alric)
    await alric.sends(sells(alric, BAG, 1))
    assert payload(alric.client.last(ShopSellServerPacket))[weight] == recorded("shop sell")[weight]
    owns(alric)


async def test_the_bank_is_as_in_eoserv() -> None:
    desk, alric, _ = await at("banker", BankOpenClientPacket)
    opened = alric.client.last(BankOpenServerPacket)
    assert (opened.gold_bank, opened.locker_upgrades) == (0, 7)
    alric.mobile.strength = 60
    give(alric.mobile, "gold", 4885)
    await desk.settle()
    alric.client.received.clear()
    await alric.sends(alric.client.deal(BankAddClientPacket, amount=500))
    assert payload(alric.client.last(BankReplyServerPacket)) == recorded("bank deposit")
    owns(alric)
    await alric.sends(alric.client.deal(BankTakeClientPacket, amount=200))
    assert payload(alric.client.last(BankReplyServerPacket)) == recorded("bank withdraw")
    owns(alric)
    assert (alric.client.banked, safes.gold(alric.mobile)) == (300, 300)
    assert "BankOpen" not in told(alric)


async def test_a_list_has_one_row_for_each_kind_and_says_what_it_cannot_show() -> None:
    _, alric, greta = await at("baker", ShopOpenClientPacket)
    shop = alric.client.shop
    assert shop is not None
    assert shop.shop_name == "Greta"
    rows = [(row.item_id, row.buy_price, row.sell_price, row.max_buy_amount) for row in shop.trade_items]
    assert rows == [(BREAD, 4, 2, 20), (DAGGER, 30, 15, 252), (ARROW, 1, 0, 252), (RING, 0, 9, 0)]
    assert TOO_DEAR.format("crown") in words(alric)
    await alric.sends(buys(alric, BREAD, 20))
    owns(alric)
    await opens(alric, greta, ShopOpenClientPacket)
    assert alric.client.shop is not None
    assert {row.item_id: row.buy_price for row in alric.client.shop.trade_items}[BREAD] == 0, "sold out"


async def test_what_is_bought_and_sold_is_told_once() -> None:
    _, alric, _ = await at("baker", ShopOpenClientPacket)
    give(alric.mobile, "bow")
    await alric.sends(alric.client.put_on(BOW))
    alric.client.received.clear()
    await alric.sends(buys(alric, BREAD, 3))
    assert told(alric) == ["ShopBuy"]
    owns(alric)
    await alric.sends(buys(alric, DAGGER, 2))
    await alric.sends(sells(alric, DAGGER, 2))
    assert told(alric) == ["ShopBuy", "ShopSell"]
    owns(alric)
    await alric.sends(buys(alric, ARROW, 5))  # of which one hangs on its back
    owns(alric)
    await alric.sends(sells(alric, BREAD, 3))
    owns(alric)
    spent = 3 * 4 + 2 * 30 - 2 * 15 + 5 - 3 * 2
    assert holding.gold(alric.mobile) == alric.client.inventory[GOLD] == 100 - spent
    assert hands.carried(alric.mobile) == {"gold": 100 - spent, "arrow": 5}


@pytest.mark.parametrize(
    ("item_id", "amount", "why"),
    [
        (BREAD, 0, Refusal.AMOUNT),
        (BREAD, 21, Refusal.SOLD_OUT),
        (DAGGER, 4, Refusal.POOR),
        (DAGGER, 4_000_000_000, Refusal.AMOUNT),
        (ROBE, 1, Refusal.NOT_SOLD),
        (0, 1, Refusal.GONE),
        (64_000, 1, Refusal.GONE),
    ],
)
async def test_r64_what_cannot_be_bought_is_refused_in_words(item_id: int, amount: int, why: Refusal) -> None:
    _, alric, _ = await at("baker", ShopOpenClientPacket)
    alric.client.received.clear()
    await alric.sends(buys(alric, item_id, amount))
    assert words(alric) == [why.value]
    assert hands.carried(alric.mobile) == {"gold": 100}
    owns(alric)


async def test_r64_what_cannot_be_sold_is_refused_in_words() -> None:
    _, alric, _ = await at("baker", ShopOpenClientPacket)
    give(alric.mobile, "bread", 2)
    give(alric.mobile, "robe")
    for item_id, amount, why in (
        (BREAD, 3, Refusal.AMOUNT),
        (BREAD, 0, Refusal.AMOUNT),
        (ROBE, 1, Refusal.NOT_BOUGHT),
        (SHIRT, 1, Refusal.AMOUNT),  # which is worn
        (SHIRT + 1, 1, Refusal.GONE),  # a woman's
    ):
        alric.client.received.clear()
        await alric.desk.wait(1.1)
        await alric.sends(sells(alric, item_id, amount))
        assert why.value in words(alric), why
    assert hands.carried(alric.mobile) == {"gold": 100, "bread": 2, "robe": 1}
    owns(alric)


async def test_r60_only_at_the_counter_that_was_shown_last_and_alive() -> None:
    desk, alric, host = await at("baker", ShopOpenClientPacket)
    stale = alric.client.counter
    banker = desk.resident("banker", BESIDE[0] + 3, BESIDE[1])
    await desk.settle()
    await opens(alric, banker, BankOpenClientPacket)
    for frame in (buys(alric, BREAD, 1), sells(alric, BREAD, 1)):  # with the session id of the bank
        alric.client.received.clear()
        await desk.wait(1.1)
        await alric.sends(frame)
        assert words(alric) == [visits.CLOSED]
    await opens(alric, host, ShopOpenClientPacket)
    assert alric.client.counter != stale
    now, alric.client.counter = alric.client.counter, stale
    alric.client.received.clear()
    await alric.sends(buys(alric, BREAD, 1))
    assert words(alric) == [visits.CLOSED]
    alric.client.counter = now
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 5, 5)
    await desk.settle()
    alric.client.received.clear()
    await alric.sends(buys(alric, BREAD, 1))
    assert words(alric) == [visits.CLOSED], "who is put elsewhere has left the counter"
    desk.world.warp(alric.mobile, desk.world.realms["plain"], *BESIDE)
    await desk.settle()
    await opens(alric, host, ShopOpenClientPacket)
    life.kill(alric.mobile)
    await desk.settle()
    alric.client.received.clear()
    await alric.sends(buys(alric, BREAD, 1))
    assert Refusal.DEAD.value in words(alric)
    assert hands.carried(alric.mobile).get("bread") is None


async def test_a_price_that_has_changed_is_shown_anew_and_nothing_bought() -> None:
    desk, alric, host = await at("baker", ShopOpenClientPacket)
    before = alric.client.counter
    host.template = attrs.evolve(host.template, offers=Offers(Shop((Ware("bread", 5),))))
    alric.client.received.clear()
    await alric.sends(buys(alric, BREAD, 1))
    assert alric.client.last(ShopOpenServerPacket).trade_items[0].buy_price == 5
    assert words(alric) == [Refusal.PRICE.value]
    assert alric.client.counter != before
    await alric.sends(buys(alric, BREAD, 1))
    assert hands.carried(alric.mobile) == {"gold": 95, "bread": 1}
    await desk.settle()
    owns(alric)


@pytest.mark.parametrize("amount", [0, 101, 4_000_000_000])
async def test_r63_gold_that_is_not_there_is_refused_in_words(amount: int) -> None:
    desk, alric, _ = await at("banker", BankOpenClientPacket)
    for kind in (BankAddClientPacket, BankTakeClientPacket):
        alric.client.received.clear()
        await desk.wait(1.1)
        await alric.sends(alric.client.deal(kind, amount=amount))
        assert words(alric) == [(Refusal.POOR if amount else Refusal.AMOUNT).value]
    assert (holding.gold(alric.mobile), safes.gold(alric.mobile)) == (100, 0)


async def test_gold_that_comes_into_an_open_bank_is_told() -> None:
    desk, alric, _ = await at("banker", BankOpenClientPacket)
    alric.client.received.clear()
    vaults.receive(alric.mobile, "gold", 7)
    vaults.receive(alric.mobile, "bread", 2)
    await desk.settle()
    assert told(alric) == ["BankReply"]
    assert alric.client.banked == 7
    owns(alric)


async def test_a_vault_keeps_things_and_its_list_is_that_of_the_sheet() -> None:
    desk, alric, _ = await at("banker", BankOpenClientPacket)
    give(alric.mobile, "bread", 5)
    give(alric.mobile, "dagger")
    give(alric.mobile, "dagger")
    await desk.settle()
    alric.client.received.clear()
    await alric.sends(looks_in(alric))
    # facts/eo.md: Locker_Open {x char, y char, [id short, amount three]}
    assert payload(alric.client.last(LockerOpenServerPacket)) == bytes((VAULT[0] + 1, VAULT[1] + 1))
    assert told(alric) == ["LockerOpen"]
    await alric.sends(puts(alric, BREAD, 3))
    reply = alric.client.last(LockerReplyServerPacket)
    assert payload(reply)[:6] == b"\x0c\xfe\x03\xfe\xfe\xfe", "2 of record 11 are left"
    assert payload(reply)[8:] == b"\x0c\xfe\x04\xfe\xfe", "and 3 lie there"
    assert alric.client.last(ItemKickServerPacket).item.amount == 2
    assert told(alric) == ["LockerReply", "ItemKick"]
    owns(alric)
    await alric.sends(puts(alric, DAGGER, 2))
    owns(alric)
    assert alric.client.locker == {BREAD: 3, DAGGER: 2}
    alric.client.received.clear()
    await alric.sends(takes(alric, DAGGER))
    assert alric.client.last(LockerGetServerPacket).taken_item.amount == 1
    assert told(alric) == ["LockerGet"]
    await alric.sends(takes(alric, BREAD))
    owns(alric)
    assert alric.client.locker == {DAGGER: 1}
    assert hands.carried(alric.mobile) == {"gold": 100, "bread": 5, "dagger": 1}
    await desk.wait(1.1)
    alric.client.received.clear()
    await alric.sends(takes(alric, BREAD))
    assert words(alric) == [Refusal.GONE.value]
    await alric.sends(puts(alric, GOLD, 60))  # lies with the rest of the gold
    assert (alric.client.banked, alric.client.locker) == (60, {DAGGER: 1})
    owns(alric)


async def test_a_bag_takes_along_what_is_in_it_and_brings_it_back() -> None:
    desk, alric, _ = await at("banker", BankOpenClientPacket)
    bag = give(alric.mobile, "backpack")
    give(alric.mobile, "bread", 5, into=bag)
    await desk.settle()
    await alric.sends(puts(alric, BAG, 1))
    assert alric.client.inventory == {GOLD: 100}
    owns(alric)
    await alric.sends(takes(alric, BAG))
    assert alric.client.inventory == {GOLD: 100, BAG: 1, BREAD: 5}
    owns(alric)


async def test_a_full_vault_says_so_in_the_games_own_words_and_ours() -> None:
    desk, alric, _ = await at("banker", BankOpenClientPacket)
    for _ in range(125):
        vaults.receive(alric.mobile, "dagger", 1)
    give(alric.mobile, "bread", 5)
    await desk.settle()
    alric.client.received.clear()
    await alric.sends(puts(alric, BREAD, 5))
    assert alric.client.last(LockerSpecServerPacket).locker_max_items == 125
    assert words(alric) == [Refusal.FULL.value]
    assert hands.carried(alric.mobile)["bread"] == 5


async def test_of_a_heavy_stack_one_takes_what_one_can_carry() -> None:
    desk, alric, _ = await at("banker", BankOpenClientPacket)
    vaults.receive(alric.mobile, "bread", 500)
    room = holding.capacity(alric.mobile) - holding.weight(alric.mobile)
    await alric.sends(takes(alric, BREAD))
    assert (alric.client.inventory[BREAD], alric.client.locker[BREAD]) == (room, 500 - room)
    owns(alric)
    await desk.wait(1.1)
    alric.client.received.clear()
    await alric.sends(takes(alric, BREAD))
    assert words(alric) == [Refusal.HEAVY.value]


async def test_r60_a_vault_opens_beside_a_banker_to_hands_that_reach_it() -> None:
    desk, alric, banker = await at("banker", BankOpenClientPacket)
    give(alric.mobile, "bread", 5)
    plain = desk.world.realms["plain"]

    async def refused(tile: tuple[int, int], why: str) -> None:
        for frame in (looks_in(alric, tile), puts(alric, BREAD, 1, tile), takes(alric, BREAD, tile)):
            await desk.wait(1.1)
            alric.client.received.clear()
            await alric.sends(frame)
            assert words(alric) == [why]

    await refused((30, 42), NO_VAULT)
    desk.world.warp(alric.mobile, plain, 30, 44)
    await desk.settle()
    await refused(VAULT, Refusal.FAR.value)
    desk.world.warp(alric.mobile, plain, *BESIDE)
    life.kill(alric.mobile)
    await desk.settle()
    for frame in (looks_in(alric), puts(alric, BREAD, 1)):
        await desk.wait(1.1)
        alric.client.received.clear()
        await alric.sends(frame)
        assert words(alric) == [Refusal.DEAD.value]
    life.resurrect(alric.mobile)
    desk.world.leave(banker)
    await desk.settle()
    await refused(VAULT, vaults.NO_BANKER)
    assert not safes.things(alric.mobile)
    assert alric.line.ending is None


async def test_nobody_sells_larger_vaults() -> None:
    _, alric, _ = await at("banker", BankOpenClientPacket)
    alric.client.received.clear()
    await alric.sends(alric.client.bytes_of(LockerBuyClientPacket()))  # type: ignore[no-untyped-call]
    assert words(alric) == [LARGE_ENOUGH]
