"""Talking with NPCs, and the answers to their questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eolib import (
    BankOpenClientPacket,
    DialogReply,
    QuestAcceptClientPacket,
    QuestDialogServerPacket,
    RecoverPlayerServerPacket,
    TalkServerServerPacket,
)

from tests.kit.eo_desk import CRIER, HEALER, Desk
from world import life
from world.reach import TALKING

if TYPE_CHECKING:
    from world.mobile import Mobile


async def test_a_ghost_clicks_on_the_healer_and_lives() -> None:
    desk = Desk()
    healer = desk.resident("healer", *HEALER)
    alric = await desk.enter("alric")
    life.kill(alric.mobile)
    await desk.settle()
    assert alric.client.hp == 0
    index = desk.view.figures.npc_index(healer)
    await alric.sends(alric.client.click(index))
    dialog = alric.client.dialog
    assert dialog is not None
    assert [entry.line for entry in dialog.dialog_entries[1:]] == ["CONTINUE", "CANCEL"]
    await alric.sends(alric.client.answer("CONTINUE"))
    assert not alric.mobile.dead
    assert alric.client.last(RecoverPlayerServerPacket).hp == 10
    await alric.sends(alric.client.answer("CONTINUE"))
    assert alric.line.ending is None, "the second answer is silence"


@pytest.mark.parametrize("field", ["session_id", "dialog_id", "quest_id", "link"])
async def test_a_forged_answer_does_nothing(field: str) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    life.kill(alric.mobile)
    life.offer_resurrection(alric.mobile, None)
    await desk.settle()
    dialog = alric.client.dialog
    assert dialog is not None
    numbers = {"session_id": dialog.session_id, "dialog_id": dialog.dialog_id, "quest_id": dialog.quest_id}
    link = 2
    if field == "link":
        link = 9
    else:
        numbers[field] ^= 1
    packet = QuestAcceptClientPacket(
        **numbers,
        npc_index=0,
        reply_type=DialogReply.Link,
        reply_type_data=QuestAcceptClientPacket.ReplyTypeDataLink(action=link),
    )
    await alric.sends(alric.client.bytes_of(packet))
    assert alric.mobile.dead
    assert len(alric.mobile.dialogs) == 1


async def test_ok_without_a_link_closes_the_dialog() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    life.kill(alric.mobile)
    life.offer_resurrection(alric.mobile, None)
    await desk.settle()
    dialog = alric.client.dialog
    assert dialog is not None
    ok = QuestAcceptClientPacket.ReplyTypeDataOk()  # type: ignore[no-untyped-call]
    packet = QuestAcceptClientPacket(
        session_id=dialog.session_id,
        dialog_id=dialog.dialog_id,
        quest_id=dialog.quest_id,
        npc_index=0,
        reply_type=DialogReply.Ok,
        reply_type_data=ok,
    )
    await alric.sends(alric.client.bytes_of(packet))
    assert alric.mobile.dead
    assert not alric.mobile.dialogs


async def test_a_click_begins_a_conversation_that_needs_both_to_be_near() -> None:
    desk = Desk()
    crier = desk.resident("crier", 24, 24)
    alric = await desk.enter("alric", (24, 22))
    index = desk.view.figures.npc_index(crier)
    await alric.sends(alric.client.click(index))
    dialog = alric.client.dialog
    assert dialog is not None
    assert [entry.line for entry in dialog.dialog_entries[1:3]] == ["Where am I?", "Who is here today?"]
    realm = desk.world.realms["plain"]
    desk.world.warp(alric.mobile, realm, 24, 24 - TALKING - 1)
    await desk.settle()
    alric.client.received.clear()
    await alric.sends(alric.client.answer("Where am I?"))
    assert "too far" in alric.client.last(TalkServerServerPacket).message
    again = alric.client.last(QuestDialogServerPacket)
    assert (again.dialog_id, again.session_id) == (dialog.dialog_id, dialog.session_id), (
        "its window had closed"
    )
    desk.world.warp(alric.mobile, realm, 24, 24 - TALKING)
    await alric.sends(alric.client.answer("Where am I?"))
    assert alric.client.dialog is not None
    assert alric.client.dialog.dialog_entries[0].line.startswith("You are at 24, 14")


async def test_a_click_is_a_greeting_for_who_listens() -> None:
    desk = Desk()
    stranger = desk.resident("stranger", *CRIER)
    alric = await desk.enter("alric")
    index = desk.view.figures.npc_index(stranger)
    await alric.sends(alric.client.click(index))
    assert alric.client.last(TalkServerServerPacket).message == "Vagrant has nothing to say."
    heard: list[tuple[Mobile, str]] = []
    desk.world.listeners[stranger.serial] = lambda speaker, words: heard.append((speaker, words))
    await desk.wait(1.0)
    await alric.sends(alric.client.bytes_of(BankOpenClientPacket(npc_index=index)))
    await desk.wait(1.0)
    await alric.sends(alric.client.click(77))
    assert heard == [(alric.mobile, "hello, Vagrant")]
