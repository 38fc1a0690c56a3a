"""Lifting, putting down, splitting, wearing, giving, opening: what the clients are told, against what a
ServUO was recorded to tell, and whether what they believe then (`tests.kit.uo_people`) is what is so.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from protocol.uo.packets.people import WornItem
from protocol.uo.packets.things import (
    ContainedItem,
    DragEffect,
    Drop,
    DropOld,
    Equip,
    EquipMacro,
    GroundItem,
    Lift,
    Removed,
    UnequipMacro,
)
from tests.kit.players import EoPlayer
from tests.kit.town import Town
from tests.kit.uo_people import NEWEST, act, check, enters, far, gather, inside, make, numbers, pair, total
from tests.kit.uo_seen import GROUND
from tests.kit.uo_stage import Scene, heard
from world import hands, holding, life
from world.item import Layer
from world.reach import Refusal

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from protocol.uo.versions import VersionNumber
    from world.world import World

VERSIONS: list[VersionNumber] = [NEWEST, (7, 0, 0, 0), (6, 0, 14, 2), (6, 0, 1, 6), (5, 0, 9, 1)]


SESSIONS = Path(__file__).parents[1] / "golden/uo/sessions"


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    running.change("limits", exempt=("127.0.0.0/8",), packets_per_second=100_000.0, packet_burst=100_000)
    await running.open()
    return running


def recorded(name: str, after: str) -> list[bytes]:
    """What the server sent between the client's first packet with that note and its next one."""
    steps = json.loads((SESSIONS / f"{name}.json").read_text())["steps"]
    start = next(at for at, step in enumerate(steps) if step.get("note", "") == after)
    found: list[bytes] = []
    for step in steps[start + 1 :]:
        if step["dir"] == "client":
            break
        found.append(bytes.fromhex(step["packet"]))
    return found


def once(frames: list[bytes], *left_out: int) -> list[int]:
    """The opcodes of frames in order of first coming, each different packet once."""
    return [frame[0] for frame in dict.fromkeys(frames) if frame[0] not in left_out]


TOOLTIP, WORDS, SOUND = 0xDC, 0xAE, 0x54


async def test_a_split_lift_is_told_as_servuo_tells_it(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    await act(town, lambda world: holding.put(anna.pack, make(world, "gold", 1000), 105, 64))
    gold = next(item for item in anna.pack.contents.values() if item.amount == 1000)
    before = len(bert.player.got)
    ours = await anna.lifts(gold, 250)
    theirs = recorded("drop_equip_actor", "lift 250 gold")
    # ServUO says 0x1D twice, and 0xDC for the pack, whose tooltip tells its weight; ours does not. The sound
    # comes first with us: it is the handler's own answer.
    assert once(theirs, SOUND, TOOLTIP) == once(ours, SOUND, TOOLTIP) == [0x1D, 0x11, 0x25]
    assert [frame[:6] for frame in theirs if frame[0] == SOUND] == [
        frame[:6] for frame in ours if frame[0] == SOUND
    ]
    rest = [ContainedItem.decode(next(f for f in frames if f[0] == 0x25)) for frames in (theirs, ours)]
    assert [(it.item, it.amount, it.x, it.y, it.hue) for it in rest] == [
        (0x0EED, 750, 0x69, 0x40, 0),
        (0x0EED, 750, 0x69, 0x40, 0),
    ]
    assert rest[1].serial not in (gold.serial, anna.pack.serial)
    assert gold.amount == 250
    assert anna.mobile.held is gold
    assert anna.client.in_hand == gold.serial
    check(anna, bert)
    # The observer of the recording is told twice that something it never saw is gone. Ours is told nothing.
    assert bert.player.got[before:] == []


async def test_a_drop_that_fails_bounces_as_recorded(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    await act(town, lambda world: holding.put(anna.pack, make(world, "gold", 1000), 105, 64))
    gold = next(item for item in anna.pack.contents.values() if item.amount == 1000)
    await anna.lifts(gold, 250)
    check(anna, bert)
    ours = await anna.lays(gold, 9, 0)
    theirs = recorded("drop_equip_actor", "drop on ground 0,0")
    # Both say that the stack is whole again. In ServUO the rest takes up what was held, here the other way
    # round, so the rest vanishes (0x1D); its sound is that of coins; ours says why, in words.
    assert once(theirs, SOUND, TOOLTIP) == [0x11, 0x25]
    assert once(ours, SOUND, TOOLTIP) == [WORDS, 0x1D, 0x11, 0x25]
    whole = [ContainedItem.decode(next(f for f in frames if f[0] == 0x25)) for frames in (theirs, ours)]
    assert [(it.item, it.amount, it.x, it.y) for it in whole] == [(0x0EED, 1000, 0x69, 0x40)] * 2
    assert anna.mobile.held is None
    check(anna, bert)


async def test_to_put_on_is_told_as_recorded(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    dagger = anna.has("dagger")
    assert once(await anna.lifts(dagger), SOUND, TOOLTIP) == once(
        recorded("drop_equip_actor", "lift dagger"), SOUND, TOOLTIP
    )
    before = len(bert.player.got)
    ours = await anna.does(anna.client.equip_bytes(dagger.serial, 1, anna.mobile.serial))
    theirs = recorded("drop_equip_actor", "equip dagger")
    assert numbers(ours) == numbers(theirs) == [0x11, 0x2E, TOOLTIP]
    shown = [WornItem.decode(frames[1]) for frames in (theirs, ours)]
    assert [(it.item, it.layer, it.hue) for it in shown] == [(0x0F52, 1, 0)] * 2
    assert shown[1].mobile == anna.mobile.serial
    assert numbers(bert.player.got[before:]) == [0x2E, TOOLTIP]
    check(anna, bert)
    # And off again: those who see her are told.
    before = len(bert.player.got)
    await anna.lifts(dagger)
    assert bert.player.got[before:] == [Removed(dagger.serial).encode()]
    check(anna, bert)


async def test_what_is_lifted_from_the_ground_flies_to_who_has_it(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = await pair(town)
    dagger = anna.has("dagger")
    await anna.lifts(dagger)
    before = len(bert.player.got)
    await anna.lays(dagger, 1, 1)
    check(anna, bert)
    lies = GroundItem.decode(next(frame for frame in bert.player.got[before:] if frame[0] == 0xF3))
    theirs = recorded("ground_items_actor", "lift from ground")
    before = len(bert.player.got)
    ours = await anna.lifts(dagger)
    assert sorted(once(ours)) == sorted(once(theirs)) == [0x11, 0x1D, SOUND]
    steps = json.loads((SESSIONS / "ground_items_observer.json").read_text())["steps"]
    watched = [bytes.fromhex(step["packet"]) for step in steps][-2:]
    seen = bert.player.got[before:]
    assert numbers(watched) == numbers(seen) == [0x23, 0x1D]
    model, flight = DragEffect.decode(watched[0]), DragEffect.decode(seen[0])
    assert (model.item, model.amount, model.source, model.hue) == (0x0F52, 1, 0, 0)
    assert (flight.item, flight.amount, flight.source, flight.hue) == (0x0F52, 1, 0, 0)
    assert (flight.source_x, flight.source_y, flight.source_z) == (lies.x, lies.y, lies.z)
    assert (flight.target, flight.target_x, flight.target_y) == (anna.mobile.serial, *anna.tile())
    check(anna, bert)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: ".".join(map(str, version)))
async def test_every_version_follows_what_it_and_others_move(
    town: Town, autojump_clock: MockClock, version: VersionNumber
) -> None:
    anna, bert = await pair(town, version)
    watcher = EoPlayer(town)
    await watcher.enters("otto", "Otto")
    await act(town, lambda world: gather(anna.mobile, bert.mobile, town.mobile("Otto")))
    lying = len(watcher.client.items)
    gold, world = anna.has("gold"), town.app.world
    coins, whole = total(world, "gold"), gold.amount
    await anna.lifts(gold, 10)
    check(anna, bert)
    await anna.lays(gold, 1, 1)
    check(anna, bert)
    assert gold.realm is anna.mobile.realm
    assert gold.serial in bert.client.items
    assert len(watcher.client.items) == lying + 1
    # Part of what lies there is picked up by somebody else, and put back onto the rest.
    await bert.lifts(gold, 4)
    check(anna, bert)
    rest = next(item for item in world.items.values() if item.template.key == "gold" and item.amount == 6)
    assert len(watcher.client.items) == lying + 1
    await bert.puts(gold, rest.serial)
    check(anna, bert)
    assert rest.amount == 10
    assert gold.serial not in world.items
    await anna.lifts(rest)
    assert len(watcher.client.items) == lying
    await anna.puts(rest, anna.pack.serial)  # anywhere: onto the other gold
    check(anna, bert)
    assert anna.has("gold").amount == whole
    assert total(world, "gold") == coins
    # Into a slot, out of the window's area.
    bread = anna.has("bread")
    await anna.lifts(bread, 1)
    await anna.puts(bread, anna.pack.serial, 0, 999)
    check(anna, bert)
    assert (bread.slot_x, bread.slot_y, bread.amount) == (44, 159, 1)
    # Onto the doll, which is the pack; onto somebody, to whom it is offered; and onto another thing, which
    # lies beside.
    await anna.lifts(bread)
    await anna.puts(bread, anna.mobile.serial)
    check(anna, bert)
    dagger, candle = anna.has("dagger"), anna.has("candle")
    await anna.lifts(dagger)
    await anna.puts(dagger, bert.mobile.serial)
    check(anna, bert)
    assert dagger.parent is anna.pack
    assert bert.mobile.trade is anna.mobile.trade is not None
    shirt = anna.mobile.worn[Layer.SHIRT]
    await anna.lifts(shirt)
    check(anna, bert)
    await anna.puts(shirt, candle.serial, 60, 70)
    check(anna, bert)
    assert (shirt.parent, shirt.slot_x, shirt.slot_y) == (anna.pack, 60, 70)
    await anna.lifts(shirt)
    await anna.does(anna.client.equip_bytes(shirt.serial, Layer.HELM, anna.mobile.serial))
    check(anna, bert)
    assert anna.mobile.worn[Layer.SHIRT] is shirt
    assert anna.client.refusals == bert.client.refusals == []


async def test_a_chest_shows_its_content_to_those_who_look(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    world = town.app.world
    chest, bag, lamp, robe = (make(world, key) for key in ("bag", "bag", "lantern", "robe"))

    def place(world: World) -> None:
        assert anna.mobile.realm is not None
        holding.put(bag, robe)
        holding.put(chest, bag)
        holding.put(chest, lamp)
        world.enter(chest, anna.mobile.realm, anna.mobile.x, anna.mobile.y + 1)

    await act(town, place)
    check(anna, bert)
    assert anna.client.pack.keys() == anna.pack.contents.keys()
    opened = await anna.does(anna.client.open_bytes(chest.serial))
    assert numbers(opened)[:2] == [0x24, 0x3C]
    assert inside(anna.client, chest.serial) == {bag.serial: 1, lamp.serial: 1}
    # Bert takes the lamp out by a client that need not look; Anna, who looks, sees it go, and come back.
    await act(town, lambda world: hands.take(bert.mobile, lamp))
    check(anna, bert)
    assert inside(anna.client, chest.serial) == {bag.serial: 1}
    before = len(bert.player.got)
    await act(town, lambda world: hands.lift(bert.mobile, lamp) and hands.stow(bert.mobile, chest))
    check(anna, bert)
    assert inside(anna.client, chest.serial) == {bag.serial: 1, lamp.serial: 1}
    assert 0x25 not in numbers(bert.player.got[before:])
    # Nobody hears of what happens in the bag inside before having looked into it.
    await bert.does(bert.client.open_bytes(chest.serial))
    await bert.lifts(lamp)
    check(anna, bert)
    await bert.puts(lamp, bag.serial)
    check(anna, bert)
    assert lamp.serial not in anna.client.pack
    assert inside(anna.client, chest.serial) == {bag.serial: 1}
    await anna.does(anna.client.open_bytes(bag.serial))
    check(anna, bert)
    assert inside(anna.client, bag.serial) == {robe.serial: 1, lamp.serial: 1}
    await act(town, lambda world: hands.take(bert.mobile, lamp))
    check(anna, bert)
    assert inside(anna.client, bag.serial) == {robe.serial: 1}
    # She walks away: the client forgets, and is told of nothing there.
    await act(town, lambda world: far(anna.mobile))
    assert chest.serial not in anna.client.items
    assert numbers(await anna.does(anna.client.open_bytes(chest.serial))) == [0xAE]
    await act(town, lambda world: hands.take(bert.mobile, robe))
    check(anna, bert)
    # What others carry is nobody's to look into.
    await act(town, lambda world: gather(anna.mobile, bert.mobile))
    assert numbers(await anna.does(anna.client.open_bytes(bert.pack.serial))) == [WORDS]
    # And what is no container is put on, or of no use.
    await anna.does(anna.client.open_bytes(anna.has("gold").serial))
    assert anna.client.said()[-1] == "You cannot think of a use for gold coin."
    dagger = anna.has("dagger")
    await anna.does(anna.client.open_bytes(dagger.serial))
    assert dagger.parent is anna.mobile


async def test_a_refused_lift_leaves_the_item_where_the_client_shows_it(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = await pair(town)
    dagger, shirt = anna.has("dagger"), anna.mobile.worn[Layer.SHIRT]
    # Fast: lifted and dropped before the refusal comes.
    answers = await anna.does(
        anna.client.lift_bytes(bert.mobile.worn[Layer.SHIRT].serial),
        anna.client.drop_bytes(bert.mobile.worn[Layer.SHIRT].serial, *anna.tile()),
    )
    assert answers[0] == b"\x27\x03"
    check(anna, bert)
    # While something is in the hand: that goes back, too, since 0x27 empties the client's hand.
    await anna.lifts(dagger)
    await anna.does(Lift(shirt.serial, 1).encode())
    assert anna.client.refusals == [3, 4]
    assert anna.mobile.held is None
    check(anna, bert)
    # What is not there any more, what does not exist, what is fixed.
    ghost = make(town.app.world, "bread")
    await act(town, lambda world: holding.put(anna.pack, ghost))
    check(anna, bert)
    town.app.world.delete(ghost)  # a fault: nobody is told
    await anna.lifts(ghost)
    assert ghost.serial not in anna.client.pack
    await anna.lifts(anna.pack)
    assert anna.client.refusals == [3, 4, 0, 0]
    check(anna, bert)


async def test_what_is_not_in_the_hand_is_not_put_anywhere(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    dagger, candle = anna.has("dagger"), anna.has("candle")
    here = anna.tile()
    assert await anna.does(Drop(dagger.serial, *here, 0, 0, GROUND).encode()) == []
    assert await anna.does(Equip(dagger.serial, 1, anna.mobile.serial).encode()) == []
    await anna.lifts(candle)
    assert await anna.does(Drop(dagger.serial, *here, 0, 0, GROUND).encode()) == []
    assert anna.mobile.held is candle
    assert dagger.parent is anna.pack
    check(anna, bert)


@pytest.mark.parametrize("where", ["pack", "body", "ground"])
@pytest.mark.parametrize("what", ["too far", "onto a stranger's layer", "into a stranger's pack", "nowhere"])
async def test_what_cannot_be_put_there_goes_back(
    town: Town, autojump_clock: MockClock, where: str, what: str
) -> None:
    anna, bert = await pair(town)
    if where == "body":
        item = anna.mobile.worn[Layer.SHIRT]
    else:
        item = anna.has("dagger")
        if where == "ground":
            await anna.lifts(item)
            await anna.lays(item, 1, 0)
    before = (item.parent, item.realm, item.x, item.y, item.layer)
    await anna.lifts(item)
    check(anna, bert)
    if what == "too far":
        await anna.lays(item, 5, 0)
    elif what == "onto a stranger's layer":
        await anna.does(anna.client.equip_bytes(item.serial, item.template.layer, bert.mobile.serial))
    elif what == "into a stranger's pack":
        await anna.puts(item, bert.pack.serial)
    else:
        await anna.puts(item, 0x40FFFFFF)
    assert (item.parent, item.realm, item.x, item.y, item.layer) == before
    check(anna, bert)
    assert anna.client.refusals == []


@pytest.mark.parametrize("where", ["pack", "body", "ground", "split", "split on the ground"])
@pytest.mark.parametrize("why", ["death", "warp"])
async def test_an_item_that_is_taken_out_of_the_hand_is_shown_where_it_is(
    town: Town, autojump_clock: MockClock, where: str, why: str
) -> None:
    anna, bert = await pair(town)
    item = {"body": anna.mobile.worn[Layer.SHIRT], "pack": anna.has("dagger")}.get(where, anna.has("gold"))
    if "ground" in where:
        await anna.lifts(item)
        await anna.lays(item, 1, 0)
    await anna.lifts(item, 5 if "split" in where else None)
    check(anna, bert)
    if why == "death":
        await act(town, lambda world: life.kill(anna.mobile))
    else:
        await act(town, lambda world: far(anna.mobile))
    assert anna.mobile.held is None
    assert anna.client.refusals == [5]
    check(anna, bert)


async def test_whoever_comes_back_finds_what_was_held_in_the_pack(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = await pair(town)
    dagger = anna.has("dagger")
    await anna.lifts(dagger)
    again = await enters(town, "Anna")
    assert dagger.parent is again.pack
    check(again, bert)
    shirt = again.mobile.worn[Layer.SHIRT]
    await again.lifts(shirt)
    again.player.leaves()
    third = await enters(town, "Anna")
    assert third.mobile.worn[Layer.SHIRT] is shirt
    check(third, bert)


@pytest.mark.parametrize(
    "packet", [Lift(0x40FFFFFF, 1), Drop(0x40000001, 0, 0, 0, 0, 0), DropOld(1, 0, 0, 0, 0)]
)
def test_what_is_not_there_or_not_in_the_hand_is_not_moved(packet: Lift | Drop | DropOld) -> None:
    scene = Scene()
    session = scene.session(scene.person())
    assert numbers(scene.send(session, packet)) == ([0x27, 0x1D] if isinstance(packet, Lift) else [])
    assert scene.send(session, Equip(0x40000001, 1, 1)) == []
    assert scene.world.take_changes().dirty == []


def test_macros_put_on_and_take_off() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    shirt, shoes = mobile.worn[Layer.SHIRT], mobile.worn[Layer.SHOES]
    both = b"\x02" + Layer.SHIRT.to_bytes(2, "big") + Layer.SHOES.to_bytes(2, "big")
    scene.send(session, UnequipMacro(both))
    assert shirt.parent is shoes.parent is mobile.backpack
    scene.send(
        session, EquipMacro(b"\x02" + shirt.serial.to_bytes(4, "big") + shoes.serial.to_bytes(4, "big"))
    )
    assert mobile.worn[Layer.SHIRT] is shirt
    assert mobile.worn[Layer.SHOES] is shoes
    heard(scene)
    scene.send(session, EquipMacro(b"\x01\x40\xff\xff\xff"))
    scene.send(session, UnequipMacro(b"\x01\0\x06"))
    assert heard(scene) == [Refusal.GONE.value] * 2
    scene.send(session, EquipMacro(b""), UnequipMacro(b"\x05\0"))
    assert heard(scene) == []
