"""Merchants and the bank, by what their windows send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
import pytest

from protocol.eq2.counters import COPPER
from protocol.eq2.handlers.counters import NO_BUYBACK, NO_MERCHANT, WHOLE_COINS
from protocol.eq2.packets import (
    COUNTLESS,
    SALES,
    WARES,
    DisplayText,
    EntityVerbsReply,
    EntityVerbsRequest,
    EntityVerbsVerb,
    Target,
    UpdateBank,
    UpdateMerchant,
)
from tests.kit.eq2_desk import Desk, Player
from world import granting, hands, holding, residents, safes, vaults
from world.offers import Offers, Shop, Ware
from world.reach import Refusal
from world.visits import CLOSED

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile

SHOP: Final = Shop(
    (Ware("bread", 4, stock=20), Ware("candle", 3), Ware("dagger", 500)), {"bread": 2, "bone": 1}
)


def lines(player: Player) -> list[str]:
    """What the player was told since it was asked last."""
    told = [line.text for line in player.took(DisplayText)]
    player.got.clear()
    return told


def empty(player: Player, gold: int = 0) -> None:
    """Leave nothing but some gold in its pack."""
    pack = player.mobile.backpack
    assert pack is not None
    for item in list(pack.contents.values()):
        player.desk.world.delete(item)
    if gold:
        granting.make(player.mobile, "gold", gold)


def carried(player: Player) -> dict[str, int]:
    return {key: amount for key, amount in hands.carried(player.mobile).items() if amount}


def resident(desk: Desk, role: str, x: int, y: int, shop: Shop | None = None) -> Mobile:
    somebody = desk.resident("crier", x, y)
    somebody.template = attrs.evolve(somebody.template, roles=(role,), offers=Offers(shop=shop))
    residents.take_up(somebody)
    return somebody


class Market:
    """A customer with 100 gold coins before a merchant and a banker."""

    def __init__(self, desk: Desk, player: Player) -> None:
        self.desk = desk
        self.player = player
        empty(player, 100)
        self.merchant = resident(desk, "merchant", 21, 20, SHOP)
        self.banker = resident(desk, "banker", 19, 20)

    @classmethod
    async def opened(cls) -> Market:
        desk = Desk()
        market = cls(desk, await desk.enter("alric"))
        await desk.wait(0.2)
        market.player.got.clear()
        return market

    @property
    def gold(self) -> int:
        return holding.gold(self.player.mobile)

    async def trades(self) -> dict[str, int]:
        """Come up to the merchant; the numbers of its wares."""
        await self.player.types("start_merchant")
        wares, _ = self.player.took(UpdateMerchant)
        self.player.got.clear()
        return {row.name: row.item for row in wares.rows}

    async def banks(self) -> None:
        await self.player.types("start_bank")
        self.player.got.clear()

    def gets(self, key: str, amount: int) -> Item:
        granting.make(self.player.mobile, key, amount)
        return next(item for item in hands.carried_items(self.player.mobile, key))

    async def refused(self, line: str) -> str:
        """The one line in which a command is refused, upon which everything is as before."""
        before = carried(self.player), safes.gold(self.player.mobile)
        self.player.got.clear()
        await self.player.types(line)
        assert (carried(self.player), safes.gold(self.player.mobile)) == before
        (told,) = lines(self.player)
        return told


# Shops


async def test_a_merchant_shows_what_it_sells_and_what_it_buys() -> None:
    market = await Market.opened()
    bone = market.gets("bone", 3)
    await market.player.types("start_merchant")
    wares, sales = market.player.took(UpdateMerchant)
    names = market.desk.content.items
    assert (wares.spawn_id, wares.kind) == (market.merchant.serial, WARES)
    assert [(row.name, row.price, row.quantity, row.unique) for row in wares.rows] == [
        (names["bread"].name, 4 * COPPER, 20, 0),
        (names["candle"].name, 3 * COPPER, COUNTLESS, 0),
        (names["dagger"].name, 500 * COPPER, COUNTLESS, 0),
    ]
    assert len({row.item for row in wares.rows}) == 3
    assert (sales.spawn_id, sales.kind) == (market.merchant.serial, SALES)
    assert [(row.name, row.price, row.unique, row.stack) for row in sales.rows] == [
        (names["bone"].name, COPPER, bone.serial, 3)
    ]


async def test_one_buys_and_sees_what_is_left() -> None:
    market = await Market.opened()
    numbers = await market.trades()
    await market.player.types(f"buy_from_merchant {numbers[market.desk.content.items['bread'].name]} 6")
    assert carried(market.player) == {"gold": 76, "bread": 6}
    wares, sales = market.player.took(UpdateMerchant)
    assert wares.rows[0].quantity == 14
    assert [(row.stack, row.price) for row in sales.rows] == [(6, 2 * COPPER)]
    assert market.player.session.sheet


async def test_one_sells_a_thing_by_its_number_or_by_its_kind() -> None:
    market = await Market.opened()
    bread = market.gets("bread", 9)
    numbers = await market.trades()
    number = numbers[bread.template.name]
    await market.player.types(f"sell_to_merchant {bread.serial << 32 | number} 4")
    assert carried(market.player) == {"gold": 108, "bread": 5}
    await market.player.types(f"sell_to_merchant {number} 5")
    assert carried(market.player) == {"gold": 118}


@pytest.mark.parametrize("amount", ["0", "-1", "60001", "99999999999999999999", "9" * 30, "x", "1 1", "1.5"])
async def test_no_amount_that_cannot_be(amount: str) -> None:
    market = await Market.opened()
    bread = market.gets("bread", 2)
    number = (await market.trades())[bread.template.name]
    assert await market.refused(f"buy_from_merchant {number} {amount}") == str(Refusal.AMOUNT.value)
    thing = bread.serial << 32 | number
    assert await market.refused(f"sell_to_merchant {thing} {amount}") == str(Refusal.AMOUNT.value)


async def test_who_is_poor_wants_too_much_or_has_no_room_gets_nothing() -> None:
    market = await Market.opened()
    names = market.desk.content.items
    numbers = await market.trades()
    bread, dagger = numbers[names["bread"].name], numbers[names["dagger"].name]
    assert await market.refused(f"buy_from_merchant {dagger} 1") == Refusal.POOR.value
    assert await market.refused(f"buy_from_merchant {bread} 21") == Refusal.SOLD_OUT.value
    pack = market.player.mobile.backpack
    assert pack is not None
    while granting.has_room(pack, {"dagger": 1}):
        holding.put(pack, holding.make(market.desk.world, "dagger"))
    assert await market.refused(f"buy_from_merchant {bread} 1") in (Refusal.FULL.value, Refusal.HEAVY.value)


async def test_a_forged_number_is_nothing_that_is_sold() -> None:
    market = await Market.opened()
    bone = market.gets("bone", 1)
    await market.trades()
    number = market.player.session.number_of_kind("bone")
    for forged in ("0", "4294967295", "77", str(number)):
        assert await market.refused(f"buy_from_merchant {forged} 1") == Refusal.NOT_SOLD.value
    theirs = holding.make(market.desk.world, "bone")
    for serial in (theirs.serial, bone.serial + 999, 2**40):
        refusal = await market.refused(f"sell_to_merchant {serial << 32 | number} 1")
        assert refusal in (Refusal.NOT_YOURS.value, Refusal.AMOUNT.value)
    assert await market.refused("sell_to_merchant 77 1") == Refusal.NOT_YOURS.value


async def test_a_price_that_changed_is_shown_before_anything_is_bought() -> None:
    market = await Market.opened()
    names = market.desk.content.items
    number = (await market.trades())[names["bread"].name]
    dearer = Offers(shop=Shop((Ware("bread", 5),), {}))
    market.merchant.template = attrs.evolve(market.merchant.template, offers=dearer)
    before = carried(market.player)
    await market.player.types(f"buy_from_merchant {number} 1")
    assert carried(market.player) == before
    assert [row.price for row in market.player.took(UpdateMerchant)[0].rows] == [5 * COPPER]
    assert lines(market.player) == [Refusal.PRICE.value]
    await market.player.types(f"buy_from_merchant {number} 1")
    assert carried(market.player) == {"gold": 95, "bread": 1}


async def test_nobody_is_served_from_afar_or_without_a_counter() -> None:
    market = await Market.opened()
    number = (await market.trades())[market.desk.content.items["bread"].name]
    world = market.desk.world
    world.warp(market.merchant, world.realms["plain"], 50, 50)
    assert await market.refused(f"buy_from_merchant {number} 1") in (Refusal.FAR.value, Refusal.UNSEEN.value)
    await market.player.types("cancel_merchant")
    for line in (f"buy_from_merchant {number} 1", f"sell_to_merchant {number} 1", "bank_deposit 10000"):
        assert await market.refused(line) == CLOSED
    assert await market.refused("start_merchant") == NO_MERCHANT
    assert await market.refused("buyback_from_merchant 1") == NO_BUYBACK


async def test_the_dead_are_not_served() -> None:
    market = await Market.opened()
    number = (await market.trades())[market.desk.content.items["bread"].name]
    market.player.mobile.dead = True
    assert await market.refused(f"buy_from_merchant {number} 1") == Refusal.DEAD.value
    assert await market.refused("bank_withdraw 10000") == Refusal.DEAD.value
    assert await market.refused("start_bank") == Refusal.DEAD.value


async def test_windows_close_when_the_world_ends_the_visit() -> None:
    market = await Market.opened()
    await market.trades()
    world = market.desk.world
    world.warp(market.player.mobile, world.realms["plain"], 40, 40)
    await market.desk.wait(0.1)
    assert [(message.rows, message.kind) for message in market.player.took(UpdateMerchant)] == [
        ((), WARES),
        ((), SALES),
    ]


async def test_the_menu_of_a_merchant_has_its_trade() -> None:
    market = await Market.opened()
    await market.player.says(EntityVerbsRequest(market.merchant.serial))
    (menu,) = market.player.took(EntityVerbsReply)
    assert [verb.command for verb in menu.verbs] == ["hail", "consider", "start_merchant"]
    market.player.got.clear()
    await market.player.says(EntityVerbsVerb(market.merchant.serial, "start_merchant"))
    assert len(market.player.took(UpdateMerchant)) == 2
    market.player.got.clear()
    ghost = market.player.session.ghosts.of(market.banker.serial)
    assert ghost is not None
    await market.player.says(Target(ghost.index))
    await market.player.types("hail")
    assert [message.spawn_id for message in market.player.took(UpdateBank)] == [market.banker.serial]


# The bank


async def test_coins_go_into_the_bank_and_out_of_it() -> None:
    market = await Market.opened()
    await market.player.types("start_bank")
    (window,) = market.player.took(UpdateBank)
    assert (window.coins, window.gold, window.display) == (0, 100, 1)
    await market.player.types("bank_deposit 700000")
    assert (market.gold, safes.gold(market.player.mobile)) == (30, 70)
    await market.player.types("bank_withdraw 10000")
    window = market.player.took(UpdateBank)[-1]
    assert (window.coins, window.copper, window.silver, window.gold) == (69 * COPPER, 0, 0, 31)


@pytest.mark.parametrize("copper", ["0", "-10000", "", "x", "10000 2", "9" * 21])
async def test_no_coins_that_cannot_be(copper: str) -> None:
    market = await Market.opened()
    await market.banks()
    for word in ("bank_deposit", "bank_withdraw"):
        assert await market.refused(f"{word} {copper}") == Refusal.AMOUNT.value


async def test_more_than_there_is_and_parts_of_a_coin_are_refused() -> None:
    market = await Market.opened()
    await market.banks()
    assert await market.refused("bank_deposit 1010000") == Refusal.POOR.value
    assert await market.refused("bank_withdraw 10000") == Refusal.POOR.value
    assert await market.refused("bank_deposit 18446744073709550000") == Refusal.POOR.value
    assert await market.refused("bank_deposit 10001") == WHOLE_COINS


async def test_things_go_in_and_out_by_words() -> None:
    market = await Market.opened()
    market.gets("bread", 5)
    await market.banks()
    await market.player.types("deposit bread 3")
    assert carried(market.player)["bread"] == 2
    await market.player.types("bank")
    (shelf,) = (item for item in safes.things(market.player.mobile))
    assert (shelf.template.key, shelf.amount) == ("bread", 3)
    await market.player.types("withdraw bread 1")
    assert carried(market.player)["bread"] == 3
    assert [item.amount for item in safes.things(market.player.mobile)] == [2]
    for line in ("withdraw bread 3", "withdraw bread 0", "deposit bread 4"):
        assert await market.refused(line) == Refusal.AMOUNT.value
    for line in ("withdraw crown", "deposit crown", "deposit"):
        assert await market.refused(line) == Refusal.GONE.value
    await market.player.types("cancel_bank")
    assert await market.refused("withdraw bread 1") == CLOSED


async def test_without_a_banker_there_is_no_bank() -> None:
    market = await Market.opened()
    world = market.desk.world
    world.warp(market.banker, world.realms["plain"], 50, 50)
    assert await market.refused("start_bank") == vaults.NO_BANKER
