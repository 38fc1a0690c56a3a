"""Picking up, dropping, junking, putting on, taking off: what the client is told, and that it believes what
is true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest
from eolib import (
    AvatarAgreeServerPacket,
    Item,
    ItemDropServerPacket,
    ItemGetServerPacket,
    ItemJunkClientPacket,
    ItemJunkServerPacket,
    ItemKickServerPacket,
    ItemObtainServerPacket,
    ItemRemoveServerPacket,
    Packet,
    PaperdollAgreeServerPacket,
    PaperdollReplyServerPacket,
    TalkServerServerPacket,
)

from protocol.endings import Ending
from tests.kit.eo_belongings import check_belongings
from tests.kit.eo_desk import Desk, Player
from tests.kit.eo_peer import eolib_bytes
from world import containers, hands, holding, life
from world.item import Item as Thing
from world.item import Layer
from world.reach import Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.world import World

P = TypeVar("P", bound=Packet)

GOLD, BAG, SHIRT, BLOUSE, ROBE, SHOES, DAGGER, HAT, SHROUD, BREAD, RING = 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12
"""Item ids of `tests.kit.eo_desk`."""

ARMOR_SLOT, BOOTS_SLOT, HAT_SLOT, WEAPON_SLOT, RING_SLOT = 4, 0, 6, 8, 9

STEPS = {
    step["step"]: step
    for step in json.loads(
        (Path(__file__).parents[1] / "golden" / "eo" / "session_steps_eoserv.json").read_text()
    )["steps"]
}


def give(mobile: Mobile, key: str, amount: int = 1, *, hue: int = 0, into: Thing | None = None) -> Thing:
    """Put a new thing into a pack, as the server's staff would."""
    item = holding.make(mobile.world, key, amount=amount, hue=hue, stored=False)
    pack = into or mobile.backpack
    assert pack is not None
    mobile.world.register(item)
    holding.put(pack, item)
    return item


def ground(desk: Desk, key: str, x: int = 20, y: int = 20, amount: int = 1) -> Thing:
    """Put a new thing on the ground."""
    item = holding.make(desk.world, key, amount=amount, stored=False)
    desk.world.enter(item, desk.world.realms["plain"], x, y)
    return item


def of(player: Player, *kinds: type[P]) -> list[P]:
    """What the client received of these kinds since the last time."""
    found = [packet for packet in player.client.received if isinstance(packet, kinds)]
    player.client.received.clear()
    return found


def about_items(player: Player) -> list[str]:
    """Names of what the client received about items."""
    words = ("Item", "Paperdoll", "Avatar")
    names = [type(packet).__name__.removesuffix("ServerPacket") for packet in player.client.received]
    player.client.received.clear()
    return [name for name in names if name.startswith(words)]


def owns(player: Player) -> None:
    """Fail unless the client believes what is true."""
    check_belongings(player.session, player.client)
    player.believes()
    assert player.line.ending is None


async def pair() -> tuple[Desk, Player, Player]:
    """A man and a woman side by side."""
    desk = Desk()
    alric = await desk.enter("alric", (20, 20))
    berta = await desk.enter("berta", (21, 20), female=True)
    await desk.settle()
    for player in (alric, berta):
        player.client.received.clear()
    return desk, alric, berta


# Dropping and picking up, beside the recording of eoserv


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


async def test_what_is_put_on_is_told_as_in_eoserv() -> None:
    _, alric, berta = await pair()
    give(alric.mobile, "dagger")
    give(alric.mobile, "dagger")
    await alric.desk.settle()
    for player in (alric, berta):
        player.client.received.clear()
    for name, frame in (
        ("equip dagger", alric.client.put_on(DAGGER)),
        ("unequip", alric.client.take_off(DAGGER)),
    ):
        await alric.sends(frame)
        told = [type(packet).__name__ for packet in alric.client.received]
        # We tell one's own looks once more, as they come from the whole of the clothes.
        assert told == [STEPS[name]["replies_to_A"][0]["packet"], "AvatarAgreeServerPacket"]
        recorded = bytes.fromhex(STEPS[name]["replies_to_A"][0]["payload"])
        assert len(eolib_bytes(alric.client.received[0])) - 2 == len(recorded)
        (seen,) = of(berta, AvatarAgreeServerPacket)
        assert len(eolib_bytes(seen)) - 2 == len(bytes.fromhex(STEPS[name]["replies_to_B"][0]["payload"]))
        alric.client.received.clear()
        owns(alric)
        owns(berta)


async def test_put_on_leaves_the_rest_in_the_pack() -> None:
    _, alric, _ = await pair()
    give(alric.mobile, "dagger")
    give(alric.mobile, "dagger")
    await alric.desk.settle()
    await alric.sends(alric.client.put_on(DAGGER))
    (told,) = of(alric, PaperdollAgreeServerPacket)
    assert (told.item_id, told.remaining_amount, told.sub_loc) == (DAGGER, 1, 0)
    assert alric.client.equipment[WEAPON_SLOT] == DAGGER
    assert alric.mobile.worn[Layer.ONE_HANDED].template.key == "dagger"


# Dropping


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


# Picking up


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


# Junk


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


# Clothes


async def test_what_is_worn_there_goes_into_the_pack() -> None:
    desk, alric, berta = await pair()
    give(alric.mobile, "robe")
    await desk.settle()
    alric.client.received.clear()
    await alric.sends(alric.client.put_on(ROBE))
    assert about_items(alric) == ["PaperdollRemove", "PaperdollAgree", "AvatarAgree"]
    assert alric.client.equipment[ARMOR_SLOT] == ROBE
    assert alric.client.inventory == {GOLD: 100, SHIRT: 1}
    assert Layer.SHIRT not in alric.mobile.worn
    owns(alric)
    owns(berta)


async def test_what_was_worn_beneath_comes_to_light() -> None:
    """Other games wear a robe over a shirt."""
    desk, alric, berta = await pair()
    robe = holding.make(desk.world, "robe", stored=False)
    holding.wear(alric.mobile, robe)
    desk.world.register(robe)
    give(alric.mobile, "shirt")
    await desk.settle()
    assert alric.client.equipment[ARMOR_SLOT] == ROBE
    owns(alric)
    await alric.sends(alric.client.take_off(ROBE))
    assert alric.client.equipment[ARMOR_SLOT] == SHIRT
    owns(alric)
    worn = alric.mobile.worn[Layer.SHIRT]
    await alric.sends(alric.client.put_on(SHIRT))  # the other one
    assert alric.mobile.worn[Layer.SHIRT] is not worn
    owns(alric)
    await alric.sends(alric.client.put_on(ROBE))
    owns(alric)
    assert set(alric.mobile.worn) == {Layer.OUTER_TORSO, Layer.SHOES, Layer.BACKPACK}
    owns(berta)


async def test_both_a_robe_and_the_shirt_beneath_make_room() -> None:
    desk, alric, _ = await pair()
    robe = holding.make(desk.world, "robe", stored=False)
    holding.wear(alric.mobile, robe)
    desk.world.register(robe)
    give(alric.mobile, "shirt", hue=5)
    await desk.settle()
    await alric.sends(alric.client.put_on(SHIRT))
    assert alric.mobile.worn[Layer.SHIRT].hue == 5
    assert Layer.OUTER_TORSO not in alric.mobile.worn
    owns(alric)


async def test_a_swap_happens_whole_or_not_at_all() -> None:
    desk, alric, berta = await pair()
    robe = holding.make(desk.world, "robe", stored=False)
    holding.wear(alric.mobile, robe)
    desk.world.register(robe)
    pack = alric.mobile.backpack
    assert pack is not None
    give(alric.mobile, "shirt", hue=5)
    while len(pack.contents) < containers.MOST_IN_CONTAINER - 1:  # room for the robe, but not for the shirt
        give(alric.mobile, "bread", hue=len(pack.contents))
    await desk.settle()
    before = dict(alric.mobile.worn)
    await alric.sends(alric.client.put_on(SHIRT))
    assert alric.mobile.worn == before
    owns(alric)
    owns(berta)


async def test_rings_have_two_places() -> None:
    desk, alric, _ = await pair()
    give(alric.mobile, "ring")
    give(alric.mobile, "ring")
    await desk.settle()
    # The world's hand has room for one ring: the second takes the first one's place.
    for sub_loc in (1, 0):
        await alric.sends(alric.client.put_on(RING, sub_loc))
        assert alric.client.equipment[RING_SLOT] == RING
        assert alric.client.inventory[RING] == 1
        owns(alric)
    await alric.sends(alric.client.take_off(RING, 1))
    assert alric.client.equipment[RING_SLOT] == RING, "nothing is worn there"
    for sub_loc in (252, 2):
        await alric.sends(alric.client.take_off(RING, sub_loc))
    owns(alric)
    await alric.sends(alric.client.take_off(RING, 0))
    assert RING_SLOT not in alric.client.equipment
    owns(alric)


@pytest.mark.parametrize("item_id", [GOLD, BREAD, BAG, BLOUSE, DAGGER, 0, 64_000])
async def test_r60_what_cannot_be_worn_is_not(item_id: int) -> None:
    desk, alric, berta = await pair()
    for key in ("bread", "backpack", "shirt"):
        give(alric.mobile, key)
    await desk.settle()
    before = dict(alric.mobile.worn)
    alric.client.received.clear()
    await alric.sends(alric.client.put_on(item_id))
    await alric.sends(alric.client.take_off(item_id))
    assert alric.mobile.worn == before
    assert about_items(alric) == []
    owns(alric)
    owns(berta)


async def test_a_woman_wears_the_womans_record() -> None:
    desk, _, berta = await pair()
    assert berta.client.equipment[ARMOR_SLOT] == BLOUSE
    await berta.sends(berta.client.take_off(SHIRT))
    assert berta.client.equipment[ARMOR_SLOT] == BLOUSE
    await berta.sends(berta.client.take_off(BLOUSE))
    assert berta.client.inventory[BLOUSE] == 1
    owns(berta)
    await berta.sends(berta.client.drop(BLOUSE, 1))
    owns(berta)
    assert SHIRT in {lying.id for player in desk.players for lying in player.client.items.values()}


async def test_the_paperdoll_shows_what_is_worn() -> None:
    _, alric, berta = await pair()
    await berta.sends(berta.client.paperdoll(alric.client.player_id))
    paper = berta.client.last(PaperdollReplyServerPacket).equipment
    assert (paper.armor, paper.boots) == (SHIRT, SHOES)
    await alric.sends(alric.client.take_off(SHIRT))
    alric.desk.now += 2
    await berta.sends(berta.client.paperdoll(alric.client.player_id))
    assert berta.client.last(PaperdollReplyServerPacket).equipment.armor == 0


async def test_a_sex_change_changes_the_records() -> None:
    desk, alric, _ = await pair()
    give(alric.mobile, "shirt")
    await desk.settle()
    alric.mobile.female = True
    await desk.settle()
    assert alric.client.inventory[BLOUSE] == 1
    assert alric.client.equipment[ARMOR_SLOT] == BLOUSE
    owns(alric)


# What others do


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
