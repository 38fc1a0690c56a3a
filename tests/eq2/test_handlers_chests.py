"""Chests: looked into by the window of a corpse, and filled by word."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import attrs

from protocol.eq2.packets import (
    DialogOpen,
    DisplayText,
    EntityVerbsVerb,
    LootItemsRequest,
    StoppedLooting,
    Target,
    UpdateLoot,
)
from tests.kit.eq2_desk import Desk, Player
from world import chests, granting, hands, holding
from world.reach import Refusal

if TYPE_CHECKING:
    from world.item import Item


def lines(player: Player) -> list[str]:
    told = [line.text for line in player.took(DisplayText)]
    player.got.clear()
    return told


async def stands() -> tuple[Desk, Player, Item]:
    """A player with the key beside a chest with gold and a dagger, at which it aims."""
    desk = Desk()
    player = await desk.enter("alric")
    chest = holding.make(desk.world, "iron_chest")
    for key, amount in (("gold", 30), ("dagger", 1)):
        holding.put(chest, holding.make(desk.world, key, amount=amount))
    desk.world.enter(chest, desk.world.realms["plain"], 21, 20)
    desk.world.register(chest)
    granting.make(player.mobile, "iron_key", 1)
    await desk.wait(0.2)
    ghost = player.session.ghosts.of(chest.serial)
    assert ghost is not None
    await player.says(Target(ghost.index))
    player.got.clear()
    return desk, player, chest


def wants(chest: Item, *things: Item) -> LootItemsRequest:
    numbers = struct.pack(f"<B{len(things) + 1}I", len(things), *(one.serial for one in things), chest.serial)
    return LootItemsRequest(chest.serial, 0, numbers)


async def test_a_chest_opens_in_the_window_and_what_is_taken_goes_from_it() -> None:
    _, player, chest = await stands()
    gold, dagger = chest.contents.values()
    await player.says(EntityVerbsVerb(chest.serial, "open"))
    (window,) = player.took(UpdateLoot)
    assert (window.spawn_id, [one.number for one in window.things]) == (
        chest.serial,
        [gold.serial, dagger.serial],
    )
    assert not player.took(DialogOpen)
    player.got.clear()
    await player.says(wants(chest, dagger))
    assert dagger.root is player.mobile
    assert [one.number for one in player.took(UpdateLoot)[-1].things] == [gold.serial]
    await player.types("loot all")
    assert not chest.contents
    assert player.took(StoppedLooting)
    player.got.clear()
    await player.types("open")
    assert lines(player) == ["In iron chest: nothing."]


async def test_one_puts_in_by_word_and_whoever_looks_sees_it() -> None:
    desk, player, chest = await stands()
    await player.types("use")
    granting.make(player.mobile, "bread", 5)
    bread = next(hands.carried_items(player.mobile, "bread"))
    had = hands.carried(player.mobile)["bread"]
    await desk.wait(0.1)
    player.got.clear()
    await player.types("put bread 2")
    (window,) = player.took(UpdateLoot)
    assert [one.count for one in window.things] == [30, 1, 2]
    assert lines(player) == [f"You put {bread.template.many(2)} into iron chest."]
    assert hands.carried(player.mobile)["bread"] == had - 2
    await player.types("put crown")
    assert lines(player) == [Refusal.GONE.value]
    await player.types("put bread 9")
    assert lines(player) == [Refusal.AMOUNT.value]
    desk.world.delete(chest)
    await desk.wait(0.1)
    player.got.clear()
    await player.types("put bread 1")
    assert lines(player) == [chests.NO_CHEST_NEAR]


async def test_without_the_key_it_stays_shut() -> None:
    _, player, chest = await stands()
    hands.destroy_kind(player.mobile, "iron_key", 1)
    gold = next(iter(chest.contents.values()))
    for message in (
        EntityVerbsVerb(chest.serial, "open"),
        EntityVerbsVerb(chest.serial, "use"),
        wants(chest, gold),
    ):
        player.got.clear()
        await player.desk.wait(1.5)
        await player.says(message)
        assert Refusal.LOCKED.value in lines(player)
        assert not player.took(UpdateLoot)
    assert gold.parent is chest


async def test_who_goes_away_has_no_window_any_more() -> None:
    desk, player, _ = await stands()
    await player.types("open")
    player.got.clear()
    desk.world.warp(player.mobile, desk.world.realms["plain"], 30, 20)
    await desk.wait(0.3)
    assert player.took(StoppedLooting)
    assert player.session.looting == 0


async def test_where_the_window_is_switched_off_it_is_a_dialog() -> None:
    desk, player, _ = await stands()
    figures = desk.view.figures
    figures.rendering = attrs.evolve(figures.rendering, loot_window=False)
    await player.types("open")
    assert player.took(DialogOpen)
    assert not player.took(UpdateLoot)
