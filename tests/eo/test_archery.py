"""Bows: what the client's files say of them, what it needs to shoot, and shots up to their reach.

The world's arrows lie in the pack. The client's hang where others have a shield, or it asks for no shot
(sorokya/eoweb: keyboard-controller.ts; Endless Online's item files: subtypes 1, ranged, and 2, arrows).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from eolib import AttackPlayerServerPacket, Direction, EoReader, NpcReplyServerPacket, TalkServerServerPacket
from eolib.protocol.pub import Eif, ItemSubtype, ItemType

from protocol.eo.files import build_items
from protocol.eo.handlers.things import QUIVER
from protocol.eo.looks import compile_looks
from protocol.tables import LookError
from tests.kit.eo_belongings import ARROW, BOW, SHIELD_SLOT, WEAPON_SLOT, give, owns
from tests.kit.eo_desk import Desk, Player, fresh, small_content
from tests.kit.in_memory import shipped_content
from world.reach import Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile

REACH = 10


async def archer(arrows: int = 3, *, away: int = 6) -> tuple[Desk, Player, Player, Mobile]:
    """Alric with a bow in his hands and arrows in his pack, a wolf to the east of him, and Berta."""
    desk = Desk()
    alric = await desk.enter("alric", (20, 20))
    berta = await desk.enter("berta", (22, 22), female=True)
    wolf = desk.resident("wolf", 20 + away, 20)
    wolf.hits = wolf.hits_max = 10_000
    give(alric.mobile, "bow")
    if arrows:
        give(alric.mobile, "arrow", arrows)
    await desk.settle()
    await alric.sends(alric.client.put_on(BOW))
    for player in (alric, berta):
        player.client.received.clear()
    return desk, alric, berta, wolf


async def test_arrows_hang_where_others_have_a_shield_while_one_holds_a_bow() -> None:
    desk, alric, berta, _ = await archer()
    client = alric.client
    assert (client.equipment[WEAPON_SLOT], client.equipment[SHIELD_SLOT]) == (BOW, ARROW)
    assert client.inventory[ARROW] == 2, "and the third hangs there"
    for player in (alric, berta):
        dolls = player.client.characters[client.player_id].dolls
        assert (dolls.weapon, dolls.shield) == (42, 14)
        owns(player)
    await alric.sends(client.take_off(ARROW))
    assert alric.client.last(TalkServerServerPacket).message == QUIVER
    owns(alric)
    await alric.sends(client.take_off(BOW))
    assert SHIELD_SLOT not in client.equipment
    assert client.inventory[ARROW] == 3
    owns(alric)
    owns(berta)
    await alric.sends(client.put_on(ARROW))
    assert alric.client.last(TalkServerServerPacket).message == Refusal.MISFIT.value
    owns(alric)
    await desk.settle()


@pytest.mark.parametrize("away", [2, 6, REACH])
async def test_a_bow_shoots_ahead_up_to_its_reach(away: int) -> None:
    desk, alric, berta, wolf = await archer(away=away)
    assert not alric.client.lacks_arrows()
    await alric.sends(alric.client.attack(Direction.Right))
    index = desk.view.figures.npc_index(wolf)
    for player in (alric, berta):
        if index in player.client.npcs:
            assert player.client.last(NpcReplyServerPacket).npc_index == index
        owns(player)
    assert fresh(alric, NpcReplyServerPacket)
    assert berta.client.last(AttackPlayerServerPacket).player_id == alric.client.player_id
    assert alric.client.inventory[ARROW] == 1, "one is shot, one hangs there"


@pytest.mark.parametrize("away", [1, REACH + 1])
async def test_too_near_or_too_far_is_a_shot_at_nothing(away: int) -> None:
    _, alric, berta, wolf = await archer(away=away)
    await alric.sends(alric.client.attack(Direction.Right))
    assert fresh(berta, AttackPlayerServerPacket)
    assert not fresh(alric, NpcReplyServerPacket)
    assert wolf.hits == 10_000
    assert alric.client.inventory[ARROW] == 2


async def test_the_last_arrow_is_shot_and_then_there_are_none() -> None:
    desk, alric, _, _ = await archer(1)
    client = alric.client
    assert (client.inventory.get(ARROW), client.equipment[SHIELD_SLOT]) == (None, ARROW)
    await alric.sends(client.attack(Direction.Right))
    assert fresh(alric, NpcReplyServerPacket)
    assert client.lacks_arrows()
    assert ARROW not in client.inventory
    owns(alric)
    await desk.wait(5.0)
    alric.client.received.clear()
    assert client.attack(Direction.Right) == b"", "its own client says so"
    give(alric.mobile, "arrow", 5)
    await desk.settle()
    assert not client.lacks_arrows()
    owns(alric)
    await alric.sends(client.attack(Direction.Right))
    assert fresh(alric, NpcReplyServerPacket)
    owns(alric)


async def test_who_comes_with_a_bow_in_its_hands_may_shoot_at_once() -> None:
    content = small_content()
    player = content.mobiles["player"]
    armed = attrs.evolve(player, worn=(*player.worn, ("bow", 0)), carried=(("arrow", 2),))
    desk = Desk(attrs.evolve(content, mobiles={**content.mobiles, "player": armed}))
    alric = await desk.enter("alric", (20, 20))
    wolf = desk.resident("wolf", 25, 20)
    wolf.hits = wolf.hits_max = 10_000
    await desk.settle()
    assert (alric.client.equipment[SHIELD_SLOT], alric.client.inventory[ARROW]) == (ARROW, 1)
    owns(alric)
    await alric.sends(alric.client.attack(Direction.Right))
    assert fresh(alric, NpcReplyServerPacket)
    owns(alric)


def test_the_item_file_says_what_shoots_and_what_is_shot() -> None:
    content = shipped_content()
    looks = compile_looks(content)
    records = Eif.deserialize(EoReader(build_items(content, looks).data)).items
    bows = {key for key, item in content.items.items() if item.weapon is not None and item.weapon.ammunition}
    assert bows
    for key, look in looks.items.items():
        record = records[look.id - 1]
        shot = any(item.weapon.ammunition == key for item in content.items.values() if item.weapon)
        wanted = ItemSubtype.Ranged if key in bows else ItemSubtype.Arrows if shot else ItemSubtype.None_
        assert record.subtype == wanted, key
        if shot:
            assert (record.type, record.spec1) == (ItemType.Shield, look.doll)
            assert look.doll


def test_arrows_that_no_client_would_find_are_a_mistake() -> None:
    content = small_content()
    look = {"eo": {"id": 15, "graphic": 9}}
    items = {**content.items, "arrow": attrs.evolve(content.items["arrow"], look=look)}
    with pytest.raises(LookError) as error:
        compile_looks(attrs.evolve(content, items=items))
    assert any("where clients look for arrows" in problem for problem in error.value.problems)
