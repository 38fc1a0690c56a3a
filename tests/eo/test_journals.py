"""The quest list, the book and the words of a quest, read by eolib (facts/eo.md, Quest_List: 50, 18;
facts/eo-play.md, 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from eolib import (
    BookReplyServerPacket,
    BookRequestClientPacket,
    QuestListClientPacket,
    QuestListServerPacket,
    QuestPage,
    TalkServerServerPacket,
)

from protocol.eo import journals
from protocol.eo.packets import encode
from protocol.eo.packets.base import SHORT_MAX
from tests.kit.eo_desk import Desk, Player, fresh
from tests.kit.errands import BREAD, RATS, WALK
from world import holding, quests
from world.errands import Entry, Kind, Quest, State, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMED = [attrs.evolve(quest, reward=attrs.evolve(quest.reward, items=())) for quest in (BREAD, RATS, WALK)]


async def reader() -> tuple[Desk, Player]:
    """A player in a small world with quests."""
    desk = Desk()
    desk.world.content = attrs.evolve(desk.world.content, quests={quest.key: quest for quest in NAMED})
    return desk, await desk.enter("alric")


async def page(player: Player, wanted: QuestPage) -> QuestListServerPacket:
    player.desk.now += 1
    player.client.received.clear()
    await player.sends(player.client.bytes_of(QuestListClientPacket(page=wanted)))
    (shown,) = fresh(player, QuestListServerPacket)
    assert isinstance(shown, QuestListServerPacket)
    return shown


async def test_the_list_shows_what_is_to_be_done_and_how_much_of_it_is() -> None:
    desk, alric = await reader()
    alric.mobile.level = 2
    for key in ("bread", "rats", "walk"):
        quests.begin(alric.mobile, key)
        desk.now += 1
    assert alric.mobile.backpack is not None
    loaf = holding.make(desk.world, "bread", amount=2, stored=False)
    desk.world.register(loaf)
    holding.put(alric.mobile.backpack, loaf)
    await desk.settle()
    shown = await page(alric, QuestPage.Progress)
    # page 1, three of them, then name FF text FF icon progress target FF: icon 3 is an item, 8 a kill, 10 a
    # step; a short n below 253 is n + 1 and FE
    assert encode(shown)[2:] == (
        b"\x02\x04\xfe"
        b"Bread\xffBring three loaves\xff\x04\xfe\x03\xfe\x04\xfe\xff"
        b"Rats\xffKill two rats\xff\x09\xfe\x01\xfe\x03\xfe\xff"
        b"A walk\xffGo east\xff\x0b\xfe\x01\xfe\x01\xfe\xff"
    )
    assert isinstance(shown.page_data, QuestListServerPacket.PageDataProgress)
    lines = shown.page_data.quest_progress_entries
    assert [(line.name, line.progress, line.target) for line in lines][:2] == [
        ("Bread", 2, 3),
        ("Rats", 0, 2),
    ]


async def test_what_is_done_is_in_the_history_and_in_the_book_that_others_read() -> None:
    desk, alric = await reader()
    berta = await desk.enter("berta", (21, 21))
    for _ in range(2):
        quests.begin(alric.mobile, "bread")
        quests.finish_step(alric.mobile, "bread")
        desk.now += 100
        await desk.settle()
    words = [packet.message for packet in alric.client.received if isinstance(packet, TalkServerServerPacket)]
    assert [line for line in words if line.startswith("New quest")] == [
        "New quest: Bread. Bring three loaves (0 of 3)"
    ] * 2
    assert any(line.startswith("Bread: done. You receive 20 gold") for line in words)
    shown = await page(alric, QuestPage.History)
    assert encode(shown)[2:] == b"\x03\x02\xfeBread (2 times)\xff"
    assert encode(await page(alric, QuestPage.Progress))[2:] == b"\x02\x01\xfe"
    number = alric.client.player_id
    await berta.sends(berta.client.bytes_of(BookRequestClientPacket(player_id=number)))
    assert berta.client.last(BookReplyServerPacket).quest_names == ("Bread (2 times)",)


async def test_the_command_opens_the_list_and_says_what_is_to_be_done() -> None:
    desk, alric = await reader()
    quests.begin(alric.mobile, "walk")
    await desk.settle()
    alric.client.received.clear()
    quests.show_journal(alric.mobile)
    await desk.settle()
    assert not alric.mobile.dialogs
    assert alric.client.last(QuestListServerPacket).quests_count == 1
    assert alric.client.last(TalkServerServerPacket).message == "A walk: Go east"


@pytest.mark.parametrize("step", [None, Step("bring", Kind.BRING, "Bring it", amount=10**6)])
def test_a_list_fits_one_packet_and_its_numbers_their_fields(step: Step | None) -> None:
    quest = Quest("q", "\xff" * 500, "", "", ())
    kept: Sequence[Entry] = [Entry(quest, State.OPEN, step, 10**6, "y" * 500, 0, None)] * 200
    shown = journals.progress(kept)
    assert len(encode(shown)) <= SHORT_MAX
    assert 0 < shown.quests_count < len(kept)
