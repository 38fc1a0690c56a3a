"""Putting on and taking off: what the client is told, and that it believes what is true."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from eolib import AvatarAgreeServerPacket, PaperdollAgreeServerPacket, PaperdollReplyServerPacket

from tests.kit.eo_belongings import (
    ARMOR_SLOT,
    BAG,
    BLOUSE,
    BREAD,
    DAGGER,
    GOLD,
    RING,
    RING_SLOT,
    ROBE,
    SHIRT,
    SHOES,
    WEAPON_SLOT,
    about_items,
    give,
    of,
    owns,
    pair,
)
from tests.kit.eo_peer import eolib_bytes
from world import containers, holding
from world.item import Layer

STEPS = {
    step["step"]: step
    for step in json.loads(
        (Path(__file__).parents[1] / "golden" / "eo" / "session_steps_eoserv.json").read_text()
    )["steps"]
}


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
