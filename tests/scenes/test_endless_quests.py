"""The first errand, from its offer to the history, in the windows of an Endless Online client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from eolib import (
    DialogReply,
    QuestAcceptClientPacket,
    QuestDialogServerPacket,
    QuestListClientPacket,
    QuestListServerPacket,
    QuestPage,
    QuestUseClientPacket,
    TalkServerServerPacket,
)

from tests.kit.in_memory import shipped_content
from tests.kit.players import EoPlayer
from tests.kit.town import Town

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from world.mobile import Mobile
    from world.world import World

BREAD = "bread_for_edwin"


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

    async def picks(self, beginning: str) -> None:
        """Click on the link of the dialog that is shown which begins so."""
        shown = self.of(QuestDialogServerPacket)[-1]
        (link,) = (
            entry.entry_type_data.link_id
            for entry in shown.dialog_entries
            if entry.entry_type_data is not None and entry.line.startswith(beginning)
        )
        answer = QuestAcceptClientPacket(
            session_id=shown.session_id,
            dialog_id=shown.dialog_id,
            quest_id=shown.quest_id,
            npc_index=0,
            reply_type=DialogReply.Link,
            reply_type_data=QuestAcceptClientPacket.ReplyTypeDataLink(action=link),
        )
        await self.does(self.client.bytes_of(answer), wait=2)


async def test_the_bread_is_asked_for_brought_and_written_down(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town = Town(nursery, content=attrs.evolve(shipped_content(), welcome=BREAD))
    await town.open()
    player = Reader(town)
    await player.enters("alric", "Alric")
    await player.does(b"", wait=3)
    alric = town.mobile("Alric")
    assert await player.open() == []
    await player.picks("Yes")
    assert await player.open() == [("Bread for Edwin", 3, 3)], "everybody begins with three"

    await player.does(player.client.say("$giveup bread"), wait=2)
    assert await player.open() == []

    def come(world: World) -> Mobile:
        edwin = next(one for one in world.mobiles.values() if one.template.key == "farmer")
        assert edwin.realm is not None
        world.warp(alric, edwin.realm, *next(edwin.realm.free_near(edwin.x, edwin.y, 2)))
        return edwin

    edwin = await town.app.in_world(None, come)
    await player.does(b"", wait=3)
    index = town.families["eo"].view.figures.npc_index(edwin)  # type: ignore[attr-defined]
    click = QuestUseClientPacket(npc_index=index, quest_id=0)
    await player.does(player.client.bytes_of(click), wait=2)
    await player.picks("Bread for Edwin")
    await player.picks("Yes")
    assert [name for name, _, _ in await player.open()] == ["Bread for Edwin"]
    await player.does(player.client.bytes_of(click), wait=2)
    assert (await player.open(), await player.done()) == ([], ["Bread for Edwin"])
    lines = [packet.message for packet in player.of(TalkServerServerPacket)]
    assert "You give up: Bread for Edwin." in lines
    assert any(line.startswith("Bread for Edwin: done. You receive 25 gold") for line in lines)
