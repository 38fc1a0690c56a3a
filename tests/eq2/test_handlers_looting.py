"""Looting: the window of a corpse, its words, and the client's own request."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.endings import Ending
from protocol.eq2.handlers.looting import NO_CORPSE
from protocol.eq2.packets import (
    ChoiceWindow,
    DisplayText,
    EntityVerbsReply,
    EntityVerbsRequest,
    LootItemsRequest,
    Target,
)
from tests.kit.eq2_desk import Desk, Player
from world import holding, life
from world.item import Item, Remains
from world.looting import EMPTY
from world.reach import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

LOOT: Mapping[str, int] = {"gold": 30, "bread": 2, "dagger": 1}


def corpse(desk: Desk, x: int = 21, y: int = 20, loot: Mapping[str, int] = LOOT) -> Item:
    """The corpse of a rat, with that in it."""
    item = holding.make(desk.world, "corpse")
    item.remains = Remains("rat")
    for key, amount in loot.items():
        holding.put(item, holding.make(desk.world, key, amount=amount))
    desk.world.enter(item, desk.world.realms["plain"], x, y)
    return item


def lines(player: Player) -> list[str]:
    """What the player was told since it was asked last."""
    told = [line.text for line in player.took(DisplayText)]
    player.got.clear()
    return told


def carried(player: Player) -> dict[str, int]:
    """What is in its pack, by kind, without what it began with."""
    pack = player.mobile.backpack
    assert pack is not None
    return {item.template.key: item.amount for item in pack.contents.values()}


async def looter(desk: Desk) -> Player:
    """A player with an empty pack."""
    player = await desk.enter("alric")
    pack = player.mobile.backpack
    assert pack is not None
    for item in list(pack.contents.values()):
        desk.world.delete(item)
    return player


async def aims(player: Player, item: Item) -> None:
    ghost = player.session.ghosts.of(item.serial)
    assert ghost is not None
    await player.says(Target(ghost.index))
    player.got.clear()


@pytest.mark.parametrize("word", ["loot", "lootcorpse"])
async def test_a_corpse_is_asked_about_and_taken_from(word: str) -> None:
    desk = Desk()
    dead = corpse(desk)
    player = await looter(desk)
    await aims(player, dead)
    await player.types(word)
    (window,) = (message for message in player.got if isinstance(message, ChoiceWindow))
    assert "30 gold coins" in window.text
    assert (window.box, window.required) == (0, 0)
    assert lines(player) == [window.text]
    assert not carried(player), "nothing is taken before the answer"
    await player.types(window.accept_command)
    assert carried(player) == LOOT
    assert not dead.contents
    (line,) = lines(player)
    assert line.startswith("You take 30 gold coins, 2 ")
    await player.types(window.accept_command)
    assert lines(player) == [EMPTY]
    assert carried(player) == LOOT


async def test_who_leaves_it_takes_nothing() -> None:
    desk = Desk()
    corpse(desk)
    player = await looter(desk)
    await player.types("loot")
    (window,) = (message for message in player.got if isinstance(message, ChoiceWindow))
    await player.types(window.cancel_command)
    assert not carried(player)
    assert player.session.looting == 0


async def test_one_thing_or_all_by_word() -> None:
    desk = Desk()
    dead = corpse(desk)
    player = await looter(desk)
    await player.types("loot bread")
    assert carried(player) == {"bread": 2}
    player.got.clear()
    await player.types("loot crown")
    assert lines(player) == [Refusal.GONE.value]
    await player.types("loot all")
    assert carried(player) == LOOT
    assert not dead.contents


async def test_the_nearest_corpse_is_meant_unless_one_is_aimed_at() -> None:
    desk = Desk()
    near, far = corpse(desk, 20, 21, {"gold": 1}), corpse(desk, 22, 20, {"gold": 100})
    player = await looter(desk)
    await aims(player, far)
    await player.types("loot all")
    assert carried(player) == {"gold": 100}
    await player.types("target alric")
    await player.types("loot all")
    assert carried(player) == {"gold": 101}
    assert not near.contents


async def test_without_a_corpse_there_is_nothing() -> None:
    desk = Desk()
    player = await looter(desk)
    for line in ("loot", "loot all", "loot_all"):
        await player.types(line)
        assert lines(player) == [NO_CORPSE]
    corpse(desk, 30, 20)
    await desk.wait(0.1)
    player.got.clear()
    await player.types("loot")
    assert lines(player) == [NO_CORPSE]


async def test_what_cannot_be_looted_is_refused_in_words() -> None:
    desk = Desk()
    far, others = corpse(desk, 30, 20), corpse(desk, 20, 21)
    assert others.remains is not None
    others.remains = attrs.evolve(others.remains, rights=frozenset({4711}), until=desk.world.now + 60)
    player = await looter(desk)
    await aims(player, far)
    await player.types("loot")
    assert lines(player) == [Refusal.FAR.value]
    await aims(player, others)
    await player.types("loot all")
    assert Refusal.NOT_YOUR_KILL.value in lines(player)
    await desk.wait(61)
    player.got.clear()
    await player.types("loot all")
    assert carried(player) == LOOT
    life.kill(player.mobile)
    await desk.wait(0.1)
    player.got.clear()
    await aims(player, others)
    await player.types("loot all")
    assert lines(player) == [Refusal.DEAD.value]


async def test_of_what_is_too_heavy_as_much_as_can_be_carried() -> None:
    desk = Desk()
    dead = corpse(desk, loot={"bread": 1000, "gold": 5})
    player = await looter(desk)
    await player.types("loot all")
    room = holding.capacity(player.mobile)
    left = next(iter(dead.contents.values())).amount
    assert carried(player)["gold"] == 5
    assert carried(player)["bread"] + left == 1000
    assert holding.weight(player.mobile) <= room
    await player.types("loot all")
    assert Refusal.HEAVY.value in lines(player)
    assert carried(player)["bread"] + left == 1000


async def test_the_own_request_of_the_client() -> None:
    desk = Desk()
    dead = corpse(desk)
    player = await looter(desk)
    gold, bread, _ = dead.contents.values()
    listed = struct.pack("<B3I", 2, gold.serial, bread.serial, dead.serial)
    await player.says(LootItemsRequest(loot_id=dead.serial, all=0, rest=listed))
    assert carried(player) == {"gold": 30, "bread": 2}
    await player.says(LootItemsRequest(loot_id=dead.serial, all=1, rest=struct.pack("<I", dead.serial)))
    assert carried(player) == LOOT
    player.got.clear()
    await player.says(LootItemsRequest(loot_id=dead.serial, all=0, rest=listed))
    assert lines(player) == [Refusal.GONE.value]
    await desk.wait(1)
    await player.says(LootItemsRequest(loot_id=7, all=1, rest=struct.pack("<I", player.mobile.serial)))
    assert lines(player) == [NO_CORPSE]
    assert player.line.ending is None


@pytest.mark.parametrize(("everything", "rest"), [(0, b""), (0, b"\2\0\0\0\0"), (1, b""), (1, b"\0\0\0")])
async def test_a_request_that_is_cut_short_ends_the_client(everything: int, rest: bytes) -> None:
    player = await Desk().enter("alric")
    await player.says(LootItemsRequest(loot_id=1, all=everything, rest=rest))
    assert player.line.ending is Ending.BAD_PACKET


async def test_the_menu_of_a_corpse() -> None:
    desk = Desk()
    dead = corpse(desk)
    player = await looter(desk)
    await player.says(EntityVerbsRequest(dead.serial))
    (menu,) = (message for message in player.got if isinstance(message, EntityVerbsReply))
    assert [verb.command for verb in menu.verbs] == ["loot"]
