"""Looting: the window of a corpse, its words, and the client's own request."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import attrs
import pytest

from protocol.endings import Ending
from protocol.eq2.figures import Rendering
from protocol.eq2.handlers.looting import NO_CORPSE
from protocol.eq2.packets import (
    ChoiceWindow,
    DisplayText,
    EntityVerbsReply,
    EntityVerbsRequest,
    EntityVerbsVerb,
    LootItem,
    LootItemsRequest,
    StoppedLooting,
    Target,
    UpdateLoot,
)
from tests.kit.eq2_desk import Desk, Player
from world import hands, holding, life
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


def request(dead: Item, *wanted: Item) -> LootItemsRequest:
    """Take these things, or all."""
    rest = struct.pack("<I", dead.serial)
    if wanted:
        rest = struct.pack(f"<B{len(wanted)}I", len(wanted), *(item.serial for item in wanted)) + rest
    return LootItemsRequest(loot_id=dead.serial, all=int(not wanted), rest=rest)


def told(player: Player) -> list[UpdateLoot | StoppedLooting]:
    """What became of its window since it was asked last."""
    seen = [message for message in player.got if isinstance(message, UpdateLoot | StoppedLooting)]
    player.got.clear()
    return seen


def rows(window: UpdateLoot | StoppedLooting) -> list[tuple[int, int, str]]:
    """Number, count and name of the things in a window."""
    assert isinstance(window, UpdateLoot)
    assert (window.display, window.sharing, window.seconds) == (1, 1, 0)
    assert [thing.unique for thing in window.things] == [thing.number for thing in window.things]
    return [(thing.number, thing.count, thing.name) for thing in window.things]


# The window


@pytest.mark.parametrize("word", ["loot", "lootcorpse"])
async def test_a_corpse_is_looted_in_its_window(word: str) -> None:
    desk = Desk()
    dead = corpse(desk)
    gold, bread, dagger = dead.contents.values()
    player = await looter(desk)
    await aims(player, dead)
    await player.types(word)
    (window,) = told(player)
    assert window.spawn_id == dead.serial
    names = {serial: (count, name) for serial, count, name in rows(window)}
    assert names == {
        gold.serial: (30, "30 gold coins"),
        bread.serial: (2, "2 bread loaves"),
        dagger.serial: (1, "dagger"),
    }
    assert not carried(player), "nothing is taken before it is asked for"
    await player.says(request(dead, gold, bread))
    assert carried(player) == {"gold": 30, "bread": 2}
    (window,) = told(player)
    assert [name for *_, name in rows(window)] == ["dagger"]
    await player.says(request(dead))
    assert carried(player) == LOOT
    assert told(player) == [StoppedLooting(dead.serial)], "nothing is left"
    await player.types(word)
    assert lines(player) == [EMPTY]
    assert player.session.looting == 0


async def test_the_window_says_what_others_take() -> None:
    desk = Desk()
    dead = corpse(desk)
    gold, bread, _ = dead.contents.values()
    player, other = await looter(desk), await desk.enter("berta")
    await player.types("loot")
    await other.types("loot")
    told(player), told(other)
    hands.take(other.mobile, gold, 10)
    hands.take(other.mobile, bread, bread.amount)
    desk.turn()
    for one in (player, other):
        (window,) = told(one)
        assert sorted(name for *_, name in rows(window)) == ["20 gold coins", "dagger"]
    await player.says(StoppedLooting(dead.serial))
    await other.says(request(dead))
    assert told(other) == [StoppedLooting(dead.serial)]
    assert told(player) == [], "its window is closed"


async def test_the_window_closes_out_of_reach() -> None:
    desk = Desk()
    dead = corpse(desk)
    player = await looter(desk)
    await player.types("loot")
    told(player)
    await player.goes(20.5, 21.5)
    await desk.wait(1)
    assert told(player) == []
    await player.goes(20.5, 23.5)
    await desk.wait(2)
    assert player.mobile.y == 23
    assert told(player) == [StoppedLooting(dead.serial)]
    await player.says(request(dead))
    assert lines(player) == [Refusal.FAR.value]


async def test_the_window_closes_when_the_corpse_is_gone_and_when_its_player_dies() -> None:
    desk = Desk()
    first, second = corpse(desk), corpse(desk, 20, 21)
    player = await looter(desk)
    for dead in (first, second):
        await aims(player, dead)
        await player.types("loot")
        told(player)
        if dead is first:
            desk.world.delete(first)
        else:
            life.kill(player.mobile)
        await desk.wait(0.1)
        assert told(player) == [StoppedLooting(dead.serial)]


async def test_what_stays_is_told_again_to_who_asked_for_it() -> None:
    """A client may have struck off its list what it asked for."""
    desk = Desk()
    dead = corpse(desk, loot={"bread": 1})
    player = await looter(desk)
    await player.types("loot")
    (before,) = told(player)
    (bread,) = dead.contents.values()
    bread.template = attrs.evolve(bread.template, weight=10_000)
    await player.says(request(dead, bread))
    assert Refusal.HEAVY.value in [line.text for line in player.took(DisplayText)]
    (after,) = told(player)
    assert rows(after) == rows(before)


async def test_what_one_saw_die_is_looted_by_the_id_of_the_living() -> None:
    """To its client a creature and its corpse are the same."""
    desk = Desk()
    player = await looter(desk)
    rat = desk.resident("rat", 21, 20)
    await desk.wait(0.1)
    life.kill(rat, player.mobile)
    dead = next(item for item in desk.world.items.values() if item.remains is not None)
    bread = holding.make(desk.world, "bread", amount=2)
    desk.world.register(bread)
    holding.put(dead, bread)
    await desk.wait(0.1)
    player.got.clear()
    await player.says(EntityVerbsRequest(rat.serial))
    (menu,) = player.took(EntityVerbsReply)
    assert (menu.spawn_id, [verb.command for verb in menu.verbs]) == (rat.serial, ["loot"])
    await player.says(EntityVerbsVerb(rat.serial, "loot"))
    assert player.session.target == dead.serial
    (window,) = told(player)
    assert window.spawn_id == rat.serial
    await player.says(LootItemsRequest(loot_id=rat.serial, all=1, rest=struct.pack("<I", rat.serial)))
    assert carried(player)["bread"] == 2
    assert told(player) == [StoppedLooting(rat.serial)]


DESCRIBED: Final = (
    "00"  # no maker
    "0a000000 ffffffffffffffff 0000 00 00000000"  # number, no broker's, icon, tier, flags
    "000000000000000000000000000000 00 00"  # 15 unknown, attributes, lines about such
    "64 07 ffffffff ffffffff 00"  # condition, weight, skills, least of them
    "00 00 03000000 00"  # professions, places, white, of no purpose
    "05 6272656164 0000"  # bread, no words
)
"""WS_ItemGeneric of emagi/eq2emu, server/ItemStructs.xml (546), without the header of a description on its
own and without effects."""


async def test_the_bytes_of_the_window() -> None:
    """WS_UpdateLoot of emagi/eq2emu, server/WorldStructs.xml (546). In front of a description there are three
    bytes, the first of them the count (PacketStruct.cpp, setItem)."""
    version = Desk().versions.newest
    window = UpdateLoot((LootItem(number=10, count=2, unique=10, weight=7, name="bread"),), spawn_id=9)
    body = bytes.fromhex(f"0100 0a000000 02 0000 {DESCRIBED} 01 01000000 00000000 09000000")
    head = b"\x32" + (3 + len(body)).to_bytes(4, "little") + b"\xff\xc9\x01"
    assert version.encode(window) == head + body
    assert version.encode(StoppedLooting(9)) == bytes.fromhex("a4 09000000")


# Without it: words, and a question


@pytest.fixture
def asking() -> Desk:
    """A server whose clients are asked about corpses."""
    desk = Desk()
    desk.view.figures.rendering = Rendering(loot_window=False)
    return desk


async def test_a_corpse_can_be_asked_about(asking: Desk) -> None:
    desk = asking
    dead = corpse(desk)
    player = await looter(desk)
    await aims(player, dead)
    await player.types("loot")
    (window,) = (message for message in player.got if isinstance(message, ChoiceWindow))
    assert "30 gold coins" in window.text
    assert (window.box, window.required) == (0, 0)
    assert lines(player) == [window.text]
    assert not carried(player), "nothing is taken before the answer"
    await player.types(window.accept_command)
    assert carried(player) == LOOT
    assert not dead.contents
    assert not player.took(UpdateLoot)
    assert not player.took(StoppedLooting)
    (line,) = lines(player)
    assert line.startswith("You take 30 gold coins, 2 ")
    await player.types(window.accept_command)
    assert lines(player) == [EMPTY]
    assert carried(player) == LOOT


async def test_who_leaves_it_takes_nothing(asking: Desk) -> None:
    corpse(asking)
    player = await looter(asking)
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


async def test_a_request_for_what_is_not_there() -> None:
    desk = Desk()
    dead = corpse(desk)
    player = await looter(desk)
    gold, bread, _ = dead.contents.values()
    await player.says(request(dead, gold, bread))
    player.got.clear()
    await player.says(request(dead, gold, bread))
    assert lines(player) == [Refusal.GONE.value]
    assert carried(player) == {"gold": 30, "bread": 2}
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
