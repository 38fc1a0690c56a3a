"""New content before the eyes of clients that have the files of before (facts/eo.md, 4: files; eo-protocol:
InitReply.MapMutation)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from eolib import (
    EoReader,
    InitInitServerPacket,
    InitReply,
    NpcAgreeServerPacket,
    RefreshReplyServerPacket,
    TalkServerServerPacket,
    WelcomeReplyServerPacket,
)
from eolib.protocol.map import Emf, MapTileSpec
from eolib.protocol.pub import Eif, Enf

from protocol import eo
from protocol.endings import Ending
from protocol.eo.files import SPARE, UNKNOWN_ITEM
from protocol.eo.seam import TOO_NEW
from protocol.services import NewCharacter
from server.content.renewing import Renewed
from tests.kit.eo_desk import SIDE, START, Desk, Player, fresh, small_content
from world import hands, holding
from world.renewal import prepare

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eolib.protocol.pub import EifRecord, EnfRecord

    from world.content import Content

TREE = (START[0] + 2, START[1])


async def renews(desk: Desk, new: Content) -> None:
    """What `causeway reload content` does with what it read."""
    difference = prepare(desk.world.content, attrs.evolve(new, numbers={"eo": desk.family.numbers}))
    assert desk.family.renew is not None
    adopt = desk.family.renew(eo.family(difference.content).view)
    Renewed(difference, {"eo": adopt}).adopt(desk.world, [line.session for line in desk.lines])
    desk.content = difference.content
    await desk.settle()


def with_items(content: Content, keys: Iterable[str]) -> Content:
    """More kinds, which look like bread and have no number of their own."""
    bread = content.items["bread"]
    more = {key: attrs.evolve(bread, key=key, name=key, look={"eo": {"graphic": 32}}) for key in keys}
    return attrs.evolve(content, items={**content.items, **more})


def with_smith(content: Content) -> Content:
    """A merchant of a new kind."""
    smith = attrs.evolve(
        content.mobiles["baker"], key="smith", name="Wat", look={"eo": {"graphic": 21, "type": "Shop"}}
    )
    return attrs.evolve(content, mobiles={**content.mobiles, "smith": smith})


def with_tree(content: Content) -> Content:
    """Something in the way, where there was nothing."""
    chart = content.charts["plain"]
    blocked = bytearray(chart.blocked)
    blocked[TREE[1] * SIDE + TREE[0]] = 1
    return attrs.evolve(
        content, charts={**content.charts, "plain": attrs.evolve(chart, blocked=bytes(blocked))}
    )


def records(player: Player) -> tuple[list[EifRecord], list[EnfRecord]]:
    """The lists that its client has."""
    items = Eif.deserialize(EoReader(player.client.files[InitReply.FileEif]))
    npcs = Enf.deserialize(EoReader(player.client.files[InitReply.FileEnf]))
    return list(items.items), list(npcs.npcs)


async def test_a_new_being_looks_like_its_kind_until_the_next_login() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await renews(desk, with_smith(desk.content))
    desk.resident("smith", START[0] + 1, START[1] + 2)
    await desk.settle()
    (npc,) = alric.client.last(NpcAgreeServerPacket).npcs
    assert records(alric)[1][npc.id - 1].name == "Greta", "the other shop, for its client knows no smith"
    berta = await desk.enter("berta", (START[0], START[1] + 1))
    entered = berta.client.last(WelcomeReplyServerPacket).welcome_code_data
    assert isinstance(entered, WelcomeReplyServerPacket.WelcomeCodeDataEnterGame)
    (drawn,) = entered.nearby.npcs
    assert records(berta)[1][drawn.id - 1].name == "Wat"
    alric.believes()


async def test_nobody_who_comes_back_into_the_content_is_drawn_as_nothing() -> None:
    content = with_smith(small_content())
    numbers = eo.family(content).numbers
    desk = Desk(attrs.evolve(small_content(), numbers={"eo": numbers}))
    alric = await desk.enter("alric")
    assert records(alric)[1][numbers["npcs"]["smith"] - 1].name == ""
    await renews(desk, content)
    desk.resident("smith", START[0] + 1, START[1] + 2)
    await desk.settle()
    (npc,) = alric.client.last(NpcAgreeServerPacket).npcs
    assert records(alric)[1][npc.id - 1].name == "Greta"


async def test_a_new_thing_is_a_parcel_until_the_next_login_and_can_be_used_at_once() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await renews(desk, with_items(desk.content, ["cake", "pie"]))
    for key, amount in (("cake", 3), ("pie", 2)):
        thing = holding.make(desk.world, key, amount=amount, stored=False)
        desk.world.register(thing)
        assert alric.mobile.backpack is not None
        holding.put(alric.mobile.backpack, thing)
    await desk.settle()
    numbers = {key: desk.view.figures.looks.item_id(key) for key in ("cake", "pie")}
    assert [alric.client.inventory[numbers[key]] for key in ("cake", "pie")] == [3, 2]
    known = records(alric)[0]
    assert {known[number - 1].name for number in numbers.values()} == {UNKNOWN_ITEM}
    await alric.sends(alric.client.drop(numbers["cake"], 1))
    assert (hands.carried(alric.mobile)["cake"], alric.client.inventory[numbers["cake"]]) == (2, 2)
    berta = await desk.enter("berta", (START[0], START[1] + 1))
    (lying,) = berta.client.items.values()
    assert records(berta)[0][lying.id - 1].name == "Cake"


@pytest.mark.parametrize(("more", "stays"), [(SPARE, True), (SPARE + 1, False)])
async def test_who_cannot_know_all_that_is_new_is_asked_to_log_in_again(more: int, stays: bool) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    line = alric.line
    await renews(desk, with_items(desk.content, [f"kind{number}" for number in range(more)]))
    if stays:
        assert line.ending is None
    else:
        assert line.ending is Ending.KICKED
        assert alric.client.last(TalkServerServerPacket).message == TOO_NEW
    assert (await desk.enter("berta")).line.ending is None


async def test_a_map_that_changes_comes_to_all_who_are_on_it_or_on_the_way() -> None:
    desk = Desk()
    here = await desk.enter("alric")
    elsewhere = await desk.enter("berta")
    desk.world.warp(elsewhere.mobile, desk.world.realms["cave"], 5, 5)
    await desk.settle()
    loading = await desk.enter("cuno")
    desk.world.warp(loading.mobile, desk.world.realms["plain"], 9, 9)
    desk.players.remove(loading)  # it answers by itself no more
    await desk.settle()
    desk.make_character("dora", NewCharacter("dora", False, 3, 1104, 1003), START)
    entering = await desk.logged_in("dora")
    await entering.sends(entering.client.select(entering.client.menu[0].id))
    await entering.sends(entering.client.download_all())
    for player in (here, elsewhere, loading):
        player.client.received.clear()
    await renews(desk, with_tree(desk.content))
    assert mutations(here) == [desk.view.downloads.maps[5].data]
    assert any(isinstance(packet, RefreshReplyServerPacket) for packet in here.client.received)
    emf = Emf.deserialize(EoReader(mutations(here)[0]))
    specs = {(tile.x, row.y): tile.tile_spec for row in emf.tile_spec_rows for tile in row.tiles}
    assert specs[TREE] == MapTileSpec.Wall
    assert (mutations(elsewhere), mutations(loading)) == ([], [])
    await entering.sends(entering.client.enter())
    assert mutations(entering) == mutations(here)
    await loading.sends(loading.client.answers())
    assert mutations(loading) == mutations(here)
    desk.world.warp(elsewhere.mobile, desk.world.realms["plain"], 8, 8)
    await desk.settle()
    assert mutations(elsewhere) == [], "it loads the map as it is now"
    here.client.received.clear()
    await renews(desk, with_tree(desk.content))
    assert fresh(here, InitInitServerPacket) == [], "nothing has changed"


def mutations(player: Player) -> list[bytes]:
    """Maps that came in place of those that the client has."""
    kind = InitInitServerPacket.ReplyCodeDataMapMutation
    packets = [packet for packet in player.client.received if isinstance(packet, InitInitServerPacket)]
    return [
        bytes(packet.reply_code_data.map_file.content)
        for packet in packets
        if isinstance(packet.reply_code_data, kind)
    ]


async def test_clients_of_the_same_lists_are_told_the_same() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await renews(desk, with_tree(desk.content))
    berta = await desk.enter("berta")
    assert berta.session.dialect is alric.session.dialect
    await renews(desk, with_smith(desk.content))
    assert (await desk.enter("cuno")).session.dialect is not alric.session.dialect
