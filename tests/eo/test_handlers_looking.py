"""Asking what is there: surroundings, lists, papers."""

from __future__ import annotations

from eolib import (
    BookReplyServerPacket,
    BookRequestClientPacket,
    NpcRangeRequestClientPacket,
    PaperdollReplyServerPacket,
    PaperdollRequestClientPacket,
    PlayerRangeRequestClientPacket,
    RangeReplyServerPacket,
    RangeRequestClientPacket,
    RefreshReplyServerPacket,
)

from tests.kit.eo_desk import HEALER, Desk, fresh
from world import holding


async def test_asking_for_what_one_knows_and_for_what_one_must_not() -> None:
    desk = Desk()
    healer = desk.resident("healer", *HEALER)
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 22))
    far = await desk.enter("cuno", (50, 50))
    client, index = alric.client, desk.view.figures.npc_index(healer)
    numbers = [berta.client.player_id, far.client.player_id, 4711]
    await alric.sends(client.bytes_of(RangeRequestClientPacket(player_ids=numbers, npc_indexes=[index, 99])))
    nearby = client.last(RangeReplyServerPacket).nearby
    assert [character.name for character in nearby.characters] == ["berta"]
    assert [npc.index for npc in nearby.npcs] == [index]
    fresh(alric, RangeReplyServerPacket)
    await alric.sends(client.bytes_of(RangeRequestClientPacket(player_ids=[], npc_indexes=[])))
    assert not client.received
    client.characters.pop(berta.client.player_id)
    client.npcs.clear()
    await alric.sends(client.bytes_of(PlayerRangeRequestClientPacket(player_ids=numbers)))
    await alric.sends(client.bytes_of(NpcRangeRequestClientPacket(npc_indexes=[index])))
    alric.believes()


async def test_refresh_shows_everything_again() -> None:
    desk = Desk()
    desk.resident("healer", *HEALER)
    alric = await desk.enter("alric")
    await desk.enter("berta", (22, 22))
    bread = holding.make(desk.world, "bread", amount=5, stored=False)
    desk.world.enter(bread, desk.world.realms["plain"], 21, 21)
    await desk.settle()
    alric.client.characters.clear()
    alric.client.npcs.clear()
    alric.client.items.clear()
    await alric.sends(alric.client.refresh())
    alric.believes()
    (item,) = alric.client.last(RefreshReplyServerPacket).nearby.items
    assert (item.id, item.amount) == (11, 5)


async def test_papers_of_those_in_sight() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 22), female=True)
    far = await desk.enter("cuno", (50, 50))
    for other in (berta, far):
        number = other.client.player_id
        await alric.sends(alric.client.bytes_of(PaperdollRequestClientPacket(player_id=number)))
        await alric.sends(alric.client.bytes_of(BookRequestClientPacket(player_id=number)))
    (paper,) = [p for p in alric.client.received if isinstance(p, PaperdollReplyServerPacket)]
    (book,) = [p for p in alric.client.received if isinstance(p, BookReplyServerPacket)]
    assert (paper.details.name, paper.equipment.armor, paper.equipment.boots) == ("berta", 4, 6)
    assert book.details.player_id == berta.client.player_id
