"""Endless Online's windows of a shop, the bank and the vaults beside it, in a whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import attrs
from eolib import (
    BankAddClientPacket,
    BankOpenClientPacket,
    BankTakeClientPacket,
    Coords,
    Item,
    LockerAddClientPacket,
    LockerOpenClientPacket,
    LockerTakeClientPacket,
    ShopBuyClientPacket,
    ShopOpenClientPacket,
    ShopSellClientPacket,
    TalkServerServerPacket,
    ThreeItem,
)

from tests.kit.eo_belongings import check_belongings
from tests.kit.players import EoPlayer
from world import hands, residents, safes
from world.content import Resident
from world.offers import Offers, Shop, Ware

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio.testing import MockClock

    from protocol.eo.session import EoSession
    from protocol.eo.view import EoView
    from tests.kit.town import Town
    from world.mobile import Mobile

VAULT = (46, 37)
"""One of those of the bank of Confluence; its banker stands at (47, 40)."""


async def test_one_buys_sells_and_keeps_what_is_left_in_the_bank(
    town: Town, autojump_clock: MockClock
) -> None:
    player = EoPlayer(town)
    await player.enters("alric", "Alric")
    alric, client, world = town.mobile("Alric"), player.client, town.app.world
    figures = cast("EoView", town.families["eo"].view).figures

    def come(_: object) -> tuple[Mobile, Mobile]:
        assert alric.realm is not None
        world.warp(alric, alric.realm, VAULT[0], VAULT[1] + 1)
        merchant = residents.place(world, alric.realm, Resident("crier", VAULT[0], VAULT[1] + 2))
        shop = Shop((Ware("bread", 4, stock=20),), {"bread": 2})
        merchant.template = attrs.evolve(merchant.template, roles=("merchant",), offers=Offers(shop))
        banker = next(mobile for mobile in world.mobiles.values() if mobile.has_role("banker"))
        return merchant, banker

    merchant, banker = await town.app.in_world(None, come)
    await player.does(b"", wait=3)
    had, bread = client.inventory[1], figures.looks.item_id("bread")
    eaten = client.inventory.get(bread, 0)
    place = Coords(x=VAULT[0], y=VAULT[1])
    deeds: list[Callable[[], bytes]] = [
        lambda: client.bytes_of(ShopOpenClientPacket(npc_index=figures.npc_index(merchant))),
        lambda: client.deal(ShopBuyClientPacket, buy_item=Item(id=bread, amount=6)),
        lambda: client.deal(ShopSellClientPacket, sell_item=Item(id=bread, amount=2)),
        lambda: client.bytes_of(BankOpenClientPacket(npc_index=figures.npc_index(banker))),
        lambda: client.deal(BankAddClientPacket, amount=30),
        lambda: client.deal(BankTakeClientPacket, amount=10),
        lambda: client.bytes_of(LockerOpenClientPacket(locker_coords=place)),
        lambda: client.bytes_of(
            LockerAddClientPacket(locker_coords=place, deposit_item=ThreeItem(id=bread, amount=4))
        ),
        lambda: client.bytes_of(LockerTakeClientPacket(locker_coords=place, take_item_id=bread)),
        lambda: client.bytes_of(
            LockerAddClientPacket(locker_coords=place, deposit_item=ThreeItem(id=bread, amount=3))
        ),
    ]
    for deed in deeds:  # one after the other: each says the session id that came last
        await player.does(deed(), wait=2)
    session = next(one for one in town.app.sessions() if one.mobile is alric)
    check_belongings(cast("EoSession", session), client)
    assert client.inventory[1] + client.banked == had - 6 * 4 + 2 * 2
    assert (client.banked, client.locker) == (20, {bread: 3})
    assert client.inventory.get(bread, 0) == eaten + 1
    assert safes.gold(alric) + hands.carried(alric)["gold"] == had - 20
    lines = [packet.message for packet in player.of(TalkServerServerPacket)]
    assert any(line.startswith("You buy 6 ") for line in lines), "when it was on disk"
    assert any(line.startswith("You put 30 gold") for line in lines)
