"""What others do to what a client owns is told once, and all of it."""

from __future__ import annotations

from eolib import ItemKickServerPacket, ItemObtainServerPacket

from protocol.endings import Ending
from tests.kit.eo_belongings import ARMOR_SLOT, BREAD, GOLD, SHIRT, about_items, give, ground, of, owns, pair
from tests.kit.eo_peer import eolib_bytes
from world import hands, holding
from world.item import Layer


async def test_a_gift_is_told_once() -> None:
    desk, alric, berta = await pair()
    give(berta.mobile, "bread", 5)
    await desk.settle()
    for player in (alric, berta):
        player.client.received.clear()
    pack = berta.mobile.backpack
    assert pack is not None
    bread = next(item for item in pack.contents.values() if item.template.key == "bread")
    hands.lift(berta.mobile, bread, 2)
    hands.hand_over(berta.mobile, alric.mobile)
    await desk.settle()
    (gift,) = of(alric, ItemObtainServerPacket)
    assert (gift.item.id, gift.item.amount) == (BREAD, 2)
    (loss,) = of(berta, ItemKickServerPacket)
    assert (loss.item.id, loss.item.amount) == (BREAD, 3)
    owns(alric)
    owns(berta)
    await desk.settle()
    assert about_items(alric) == []


async def test_the_end_of_what_is_carried_and_worn_is_told() -> None:
    desk, alric, berta = await pair()
    pack = alric.mobile.backpack
    assert pack is not None
    (gold,) = pack.contents.values()
    gold.amount = 7
    await desk.settle()
    assert alric.client.inventory == {GOLD: 7}
    desk.world.delete(gold)
    desk.world.delete(alric.mobile.worn[Layer.SHIRT])
    await desk.settle()
    assert alric.client.inventory == {}
    assert ARMOR_SLOT not in alric.client.equipment
    owns(alric)
    owns(berta)


async def test_a_change_of_the_weight_alone_is_told() -> None:
    desk, alric, _ = await pair()
    pack = alric.mobile.backpack
    assert pack is not None
    (gold,) = pack.contents.values()
    gold.amount = 30
    more = give(alric.mobile, "gold", 30)
    await desk.settle()
    before = alric.client.weight
    hands.lift(alric.mobile, more)
    hands.stack(alric.mobile, gold)
    await desk.settle()
    assert alric.client.inventory == {GOLD: 60}
    assert alric.client.weight == before + 1, "fifty coins make a stone"
    owns(alric)


async def test_what_happens_while_a_map_loads_is_told_afterwards() -> None:
    desk, alric, _ = await pair()
    alric.client.mute = True
    desk.world.warp(alric.mobile, desk.world.realms["cave"], 20, 20)
    await desk.settle()
    give(alric.mobile, "bread", 3)
    await desk.settle()
    assert BREAD not in alric.client.inventory
    alric.client.mute = False
    await desk.settle()
    await desk.settle()
    assert alric.client.map_id == 6
    owns(alric)


async def test_clothes_changed_between_the_menu_and_the_world() -> None:
    desk, alric, _ = await pair()
    again = await desk.logged_in("alric")
    await again.sends(again.client.select(again.client.menu[0].id))
    await again.sends(again.client.download_all())
    assert alric.line.ending is Ending.REPLACED
    hands.take_off(alric.mobile, Layer.SHIRT)
    await again.sends(again.client.enter())
    owns(again)
    assert again.client.inventory[SHIRT] == 1


async def test_no_weight_and_no_number_that_eoweb_would_misread() -> None:
    """It takes a packet for an unencrypted one if its last byte is 0x7F."""
    desk, alric, _ = await pair()
    alric.mobile.strength = 60
    start = holding.weight(alric.mobile)
    for stones in range(start + 1, 140):
        give(alric.mobile, "bread")
        await desk.settle()
        assert alric.client.weight == (127 if stones == 126 else stones)
    for packet in of(alric, ItemObtainServerPacket, ItemKickServerPacket):
        assert eolib_bytes(packet)[-1] != 0x7F
    ids = desk.view.figures.ids.items
    ids._circle._next = 31_870
    for _ in range(20):
        assert ids.of(ground(desk, "bread")) not in range(31_878, 32_131)


async def test_a_number_stays_until_it_was_told() -> None:
    """Even when the table is tidied in the very turn in which something is taken away."""
    desk, alric, berta = await pair()
    things = [ground(desk, "bread", 40, 40) for _ in range(400)]
    dagger = ground(desk, "dagger")
    await desk.settle()
    (uid,) = alric.client.items
    hands.lift(berta.mobile, dagger)
    ids = desk.view.figures.ids.items
    for thing in things:
        ids.of(thing)
        desk.world.leave(thing)
    assert ids.number(dagger) != uid
    await desk.settle()
    assert alric.client.items == {}
