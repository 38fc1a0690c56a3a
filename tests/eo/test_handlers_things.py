"""Picking up, dropping, junking: what the client is told, and that it believes what is true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from eolib import (
    Item,
    ItemDropServerPacket,
    ItemGetServerPacket,
    ItemJunkClientPacket,
    ItemJunkServerPacket,
    ItemRemoveServerPacket,
    TalkServerServerPacket,
)

from tests.kit.eo_belongings import (
    BAG,
    BLOUSE,
    BREAD,
    DAGGER,
    GOLD,
    SHIRT,
    about_items,
    give,
    ground,
    of,
    owns,
    pair,
)
from tests.kit.eo_desk import Desk
from tests.kit.eo_peer import eolib_bytes
from world import hands, holding, life
from world.reach import Refusal

if TYPE_CHECKING:
    from world.world import World


STEPS = {
    step["step"]: step
    for step in json.loads(
        (Path(__file__).parents[1] / "golden" / "eo" / "session_steps_eoserv.json").read_text()
    )["steps"]
}


async def test_gold_is_dropped_and_taken_as_in_eoserv() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (8, 7))
    berta = await desk.enter("berta", (9, 7))
    alric.mobile.strength = 60
    give(alric.mobile, "gold", 4900)
    await desk.settle()
    for player in (alric, berta):
        player.client.received.clear()
    weight = slice(-2, None)  # eoserv's gold weighs nothing, and there one can carry 251

    for name, size in (("drop gold", 7), ("get gold", 2)):
        recorded = STEPS[name]
        request = bytes.fromhex(recorded["plain"])
        # Between the opcode and the payload stands the sequence number of that recording.
        await alric.sends(alric.client.frame_of(request[:2] + request[-size:]))
        mine = [bytearray(eolib_bytes(packet)[2:]) for packet in alric.client.received]
        theirs = [bytearray(bytes.fromhex(reply["payload"])) for reply in recorded["replies_to_A"]]
        for payload in (*mine, *theirs):
            del payload[weight]
        assert mine == theirs
        assert [type(packet).__name__ for packet in alric.client.received] == [
            reply["packet"] for reply in recorded["replies_to_A"]
        ]
        assert [eolib_bytes(packet)[2:].hex() for packet in berta.client.received] == [
            reply["payload"] for reply in recorded["replies_to_B"]
        ]
        owns(alric)
        owns(berta)
        for player in (alric, berta):
            player.client.received.clear()


@pytest.mark.parametrize(("x", "y"), [(255, 255), (18, 18), (22, 20), (20, 22)])
async def test_a_tile_near_takes_what_is_dropped(x: int, y: int) -> None:
    desk, alric, berta = await pair()
    await alric.sends(alric.client.drop(GOLD, 40, x, y))
    (pile,) = (thing for thing in desk.world.items.values() if thing.realm is not None)
    assert (pile.x, pile.y) == ((20, 20) if x == 255 else (x, y))
    assert (pile.amount, holding.gold(alric.mobile)) == (40, 60)
    assert about_items(alric) == ["ItemDrop"]
    assert about_items(berta) == ["ItemAdd"]
    owns(alric)
    owns(berta)


@pytest.mark.parametrize(
    ("item_id", "amount", "x", "y"),
    [
        (GOLD, 0, 255, 255),
        (GOLD, 101, 255, 255),
        (GOLD, 16_194_276, 255, 255),
        (BREAD, 1, 255, 255),
        (BLOUSE, 1, 255, 255),
        (BAG, 1, 255, 255),
        (0, 1, 255, 255),
        (64_000, 1, 255, 255),
        (GOLD, 1, 23, 20),
        (GOLD, 1, 20, 17),
        (GOLD, 1, -1, 20),
        (GOLD, 1, 200, 200),
        (GOLD, 1, 253, 253),
    ],
)
async def test_r63_what_cannot_be_dropped_stays(item_id: int, amount: int, x: int, y: int) -> None:
    desk, alric, berta = await pair()
    give(alric.mobile, "shirt")  # a man's: its other record is not his
    await desk.settle()
    before = hands.carried(alric.mobile)
    for player in (alric, berta):
        player.client.received.clear()
    await alric.sends(alric.client.drop(item_id, amount, x, y))
    assert hands.carried(alric.mobile) == before
    assert about_items(alric) == []
    assert about_items(berta) == []
    owns(alric)


async def test_r60_the_dead_do_nothing() -> None:
    desk, alric, _ = await pair()
    pile = ground(desk, "bread", amount=3)
    give(alric.mobile, "dagger")
    await desk.settle()
    life.kill(alric.mobile)
    await desk.settle()
    uid = desk.view.figures.ids.items.of(pile)
    alric.client.received.clear()
    client = alric.client
    for frame in (
        client.pick_up(uid),
        client.drop(GOLD, 1),
        client.junk(GOLD, 1),
        client.put_on(DAGGER),
        client.take_off(SHIRT),
    ):
        await alric.sends(frame)
        assert client.last(TalkServerServerPacket).message in {r.value for r in Refusal}
        assert about_items(alric) == []
    assert pile.realm is not None
    owns(alric)


async def test_what_does_not_stack_is_dropped_one_by_one() -> None:
    desk, alric, berta = await pair()
    for _ in range(3):
        give(alric.mobile, "dagger")
    await desk.settle()
    await alric.sends(alric.client.drop(DAGGER, 2))
    drops = of(alric, ItemDropServerPacket)
    assert [(drop.dropped_item.amount, drop.remaining_amount) for drop in drops] == [(1, 2), (1, 1)]
    owns(alric)
    owns(berta)


async def test_more_than_a_stack_is_several_piles() -> None:
    desk, alric, berta = await pair()
    alric.mobile.strength = 60_000
    give(alric.mobile, "gold", 50_000)
    give(alric.mobile, "gold", 50_000)
    await desk.settle()
    await alric.sends(alric.client.drop(GOLD, 90_000))
    assert sorted(lying.amount for lying in berta.client.items.values()) == [30_000, 60_000]
    assert alric.client.inventory == {GOLD: 10_100}
    assert holding.gold(alric.mobile) == 10_100


async def test_a_bag_takes_along_what_is_in_it() -> None:
    desk, alric, berta = await pair()
    bag = give(alric.mobile, "backpack")
    give(alric.mobile, "bread", 5, into=bag)
    give(alric.mobile, "bread", 2)
    await desk.settle()
    owns(alric)
    assert alric.client.inventory[BREAD] == 7
    await alric.sends(alric.client.drop(BREAD, 6))  # from both
    owns(alric)
    assert alric.client.inventory[BREAD] == 1
    give(alric.mobile, "bread", 9, into=bag)
    await desk.settle()
    await alric.sends(alric.client.drop(BAG, 1))
    owns(alric)
    (uid,) = (uid for uid, lying in berta.client.items.items() if lying.id == BAG)
    await berta.sends(berta.client.pick_up(uid))
    assert berta.client.inventory[BAG] == 1
    assert berta.client.inventory.get(BREAD, 0) + alric.client.inventory.get(BREAD, 0) == 10
    owns(berta)
    owns(alric)


async def test_a_number_that_stands_for_nothing_is_forgotten() -> None:
    desk, alric, _ = await pair()
    far = ground(desk, "bread", 55, 55)
    uid = desk.view.figures.ids.items.of(far)
    for number in (uid, 999, 0, 64_008):
        await alric.sends(alric.client.pick_up(number))
        (gone,) = of(alric, ItemRemoveServerPacket)
        assert gone.item_index == number
    assert far.realm is not None
    owns(alric)


async def test_r60_what_is_out_of_reach_stays() -> None:
    desk, alric, _ = await pair()
    far = ground(desk, "bread", 23, 20)
    await desk.settle()
    (uid,) = alric.client.items
    await alric.sends(alric.client.pick_up(uid))
    assert alric.client.last(TalkServerServerPacket).message == Refusal.FAR.value
    assert far.realm is not None
    owns(alric)


async def test_of_a_heavy_stack_one_takes_what_one_can_carry() -> None:
    desk, alric, berta = await pair()
    pile = ground(desk, "bread", amount=500)
    await desk.settle()
    (uid,) = alric.client.items
    room = holding.capacity(alric.mobile) - holding.weight(alric.mobile)
    alric.client.received.clear()
    await alric.sends(alric.client.pick_up(uid))
    (got,) = of(alric, ItemGetServerPacket)
    assert (got.taken_item_index, got.taken_item.amount) == (uid, room)
    (rest,) = alric.client.items.values()
    assert rest.amount == 500 - room
    owns(alric)
    owns(berta)
    (uid,) = alric.client.items
    await alric.sends(alric.client.pick_up(uid))
    assert alric.client.last(TalkServerServerPacket).message == Refusal.HEAVY.value
    assert pile.amount == room
    owns(alric)


async def test_gold_that_weighs_nothing_can_always_be_taken() -> None:
    desk, alric, _ = await pair()
    give(alric.mobile, "bread", 500)
    ground(desk, "gold", amount=49)
    await desk.settle()
    (uid,) = alric.client.items
    await alric.sends(alric.client.pick_up(uid))
    assert alric.client.inventory[GOLD] == holding.gold(alric.mobile) == 149


async def test_r62_who_is_first_has_it() -> None:
    desk, alric, berta = await pair()
    ground(desk, "dagger")
    await desk.settle()
    (uid,) = alric.client.items
    for player in (alric, berta):
        player.client.received.clear()
    frames = [(alric, alric.client.pick_up(uid)), (berta, berta.client.pick_up(uid))]
    for player, frame in frames:  # in one turn
        player.session.codec.receive(frame, desk.now)
        for whole in iter(player.session.codec.next_frame, None):
            await player.line.takes(whole)
    await desk.settle()
    assert about_items(alric) == ["ItemGet"]
    assert set(about_items(berta)) == {"ItemRemove"}
    assert DAGGER in alric.client.inventory
    assert DAGGER not in berta.client.inventory
    owns(alric)
    owns(berta)


async def test_what_is_dropped_and_lifted_in_one_turn_does_not_stay_on_the_screen() -> None:
    desk, alric, berta = await pair()
    alric.session.codec.receive(alric.client.drop(GOLD, 40), desk.now)
    for frame in iter(alric.session.codec.next_frame, None):
        await alric.line.takes(frame)

    def lifted(world: World) -> None:
        (pile,) = (thing for thing in world.items.values() if thing.realm is not None)
        hands.take(berta.mobile, pile)

    await desk.meanwhile(desk.app.in_world(berta.session, lifted))  # behind what alric does
    await desk.settle()
    assert about_items(alric) == ["ItemDrop", "ItemRemove"]
    assert alric.client.items == {}
    owns(alric)
    owns(berta)


async def test_junk_is_gone_for_good() -> None:
    desk, alric, berta = await pair()
    bag = give(alric.mobile, "backpack")
    give(alric.mobile, "bread", 5, into=bag)
    give(alric.mobile, "bread", 2)
    await desk.settle()
    alric.client.received.clear()
    await alric.sends(alric.client.junk(BREAD, 3))
    (junked,) = of(alric, ItemJunkServerPacket)
    assert (junked.junked_item.id, junked.junked_item.amount, junked.remaining_amount) == (BREAD, 3, 4)
    owns(alric)
    await alric.sends(alric.client.junk(BAG, 1))
    assert hands.carried(alric.mobile) == {"gold": 100, "bread": 4}
    assert bag.serial not in desk.world.items
    owns(alric)
    owns(berta)


@pytest.mark.parametrize(
    ("item_id", "amount"), [(GOLD, 0), (GOLD, 101), (GOLD, 4_000_000_000), (BREAD, 1), (0, 1)]
)
async def test_r63_what_one_does_not_have_is_not_junked(item_id: int, amount: int) -> None:
    _, alric, _ = await pair()
    packet = ItemJunkClientPacket(item=Item(id=item_id, amount=amount))
    await alric.sends(alric.client.bytes_of(packet))
    assert about_items(alric) == []
    assert holding.gold(alric.mobile) == 100
    owns(alric)
