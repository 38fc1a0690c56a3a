"""Lineage II: quests in words, a sound, an arrow and a page."""

from __future__ import annotations

from protocol.l2.packets import (
    NpcHtmlMessage,
    PlaySound,
    QuestList,
    Radar,
    RadarControl,
    RequestQuestList,
    SystemMessage,
)
from tests.kit.l2_desk import Desk, place_of
from tests.kit.l2_recorded import VERSION
from world.errands import Change, Entry, State
from world.events import QuestChanged


async def test_a_quest_is_heard_pointed_at_and_on_the_page() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    quest = next(iter(desk.world.content.quests.values()))
    step = quest.steps[0]

    async def happens(what: Change, place: tuple[str, int, int] | None) -> None:
        alric.got.clear()
        entry = Entry(quest, State.OPEN, step, 0, "Go there.", 0, place)
        viewport = alric.mobile.viewport
        assert viewport is not None
        desk.world.events.append(QuestChanged(alric.mobile, entry, what, [viewport]))
        desk.turn()
        alric.flush()

    await happens(Change.BEGUN, ("plain", 30, 25))
    assert alric.only(PlaySound).file == "ItemSound.quest_accept"
    marks = alric.took(RadarControl)
    assert marks == [RadarControl(Radar.FORGET, 2, 0, 0, 0), RadarControl(Radar.SHOW, 2, *place_of(30, 25))]
    assert alric.only(SystemMessage).parameters[0].value == f"New quest: {quest.name}. Go there."
    await happens(Change.ADVANCED, ("plain", 30, 25))
    assert alric.took(RadarControl) == [], "it points there already"
    await happens(Change.FINISHED, None)
    assert [mark.deed for mark in alric.took(RadarControl)] == [Radar.FORGET]
    await happens(Change.STEP, ("void", 5, 5))
    assert [mark.deed for mark in alric.took(RadarControl)] == [Radar.FORGET], "no such place here"

    alric.got.clear()
    await alric.says(RequestQuestList())
    assert alric.only(QuestList) == QuestList(())
    assert "Your quests" in alric.only(NpcHtmlMessage).html


def test_a_mark_lies_as_the_public_servers_say() -> None:
    mark = RadarControl(Radar.SHOW, 2, 1, 2, -3)
    assert VERSION.encode(mark) == bytes.fromhex("eb 00000000 02000000 01000000 02000000 fdffffff")
