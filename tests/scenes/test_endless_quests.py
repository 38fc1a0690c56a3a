"""The first errand, from its offer to the history, in the windows of an Endless Online client."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import attrs
from eolib import (
    EoReader,
    Item,
    QuestListClientPacket,
    QuestListServerPacket,
    QuestPage,
    ShopBuyClientPacket,
    ShopOpenServerPacket,
    TalkServerServerPacket,
)
from eolib.protocol.pub import Enf, NpcType

from tests.kit.in_memory import shipped_content
from tests.kit.players import EoPlayer
from tests.kit.town import Town

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from protocol.eo.view import EoView
    from world.mobile import Mobile
    from world.world import World

BREAD = "bread_for_edwin"
ACCEPTED = "Yes, I will do it."


class Reader(EoPlayer):
    """A player who reads its quest list."""

    async def page(self, wanted: QuestPage) -> QuestListServerPacket:
        """Open the window on a page."""
        await self.does(self.client.bytes_of(QuestListClientPacket(page=wanted)), wait=2)
        return self.of(QuestListServerPacket)[-1]

    async def open(self) -> list[tuple[str, int, int]]:
        """Open quests: name, how much is done, and of how much."""
        data = (await self.page(QuestPage.Progress)).page_data
        assert isinstance(data, QuestListServerPacket.PageDataProgress)
        return [(line.name, line.progress, line.target) for line in data.quest_progress_entries]

    async def done(self) -> list[str]:
        """Names of finished quests."""
        data = (await self.page(QuestPage.History)).page_data
        assert isinstance(data, QuestListServerPacket.PageDataHistory)
        return list(data.completed_quests)

    async def comes_to(self, town: Town, template: str) -> Mobile:
        """Be put beside a resident."""
        mobile = town.mobile("Alric")

        def put(world: World) -> Mobile:
            found = next(one for one in world.mobiles.values() if one.template.key == template)
            assert found.realm is not None
            world.warp(mobile, found.realm, *next(found.realm.free_near(found.x, found.y, 2)))
            return found

        resident = await town.app.in_world(None, put)
        await self.does(b"", wait=3)
        return resident

    async def answers(self, label: str) -> None:
        """Click on that link of the dialog that is shown."""
        await self.does(self.client.answer(label), wait=2)


async def test_the_bread_is_asked_for_brought_and_written_down(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town = Town(nursery, content=attrs.evolve(shipped_content(), welcome=BREAD))
    await town.open()
    player = Reader(town)
    await player.enters("alric", "Alric")
    await player.does(b"", wait=3)
    assert await player.open() == []
    await player.answers(ACCEPTED)
    wanted = shipped_content().quests[BREAD].steps[0].amount
    assert await player.open() == [("Bread for Edwin", 3, wanted)], "everybody begins with three"

    await player.does(player.client.say("$giveup bread"), wait=2)
    assert await player.open() == []

    view = cast("EoView", town.families["eo"].view)
    # A baker with a dialog shows her wares by an answer of it.
    greta = await player.comes_to(town, "greta")
    record = Enf.deserialize(EoReader(view.downloads.npcs.data)).npcs[view.figures.looks.npcs["greta"].id - 1]
    assert (record.name, record.type) == ("Greta", NpcType.Quest)
    await player.does(player.client.click(view.figures.npc_index(greta)), wait=2)
    assert player.client.dialog is not None
    assert player.client.dialog.behavior_id == record.behavior_id
    await player.answers("Show me what you have.")
    shop = player.of(ShopOpenServerPacket)[-1]
    bread = view.figures.looks.item_id("bread")
    (price,) = (row.buy_price for row in shop.trade_items if row.item_id == bread)
    assert (shop.shop_name, price) == ("Greta", 4)
    gold = player.client.inventory[1]
    short = Item(id=bread, amount=wanted - 3)
    await player.does(player.client.deal(ShopBuyClientPacket, buy_item=short), wait=2)
    carried = player.client.inventory
    assert (carried[1], carried[bread]) == (gold - price * (wanted - 3), wanted)

    edwin = await player.comes_to(town, "farmer")
    click = player.client.click(view.figures.npc_index(edwin))
    await player.does(click, wait=2)
    await player.answers("Bread for Edwin")
    await player.answers(ACCEPTED)
    assert await player.open() == [("Bread for Edwin", wanted, wanted)]
    await player.does(player.client.click(view.figures.npc_index(edwin)), wait=2)
    assert (await player.open(), await player.done()) == ([], ["Bread for Edwin"])
    lines = [packet.message for packet in player.of(TalkServerServerPacket)]
    assert "You give up: Bread for Edwin." in lines
    assert any(line.startswith("Bread for Edwin: done. You receive 25 gold") for line in lines)
    assert (carried[1], carried.get(bread, 0)) == (gold - price * (wanted - 3) + 25, 0)
