"""Conquer Online: conversations, and what may be answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.co.looks import USUAL_FACE
from protocol.co.packets import NO_ANSWER, DialogAction, Npc, NpcEvent, TaskDialog
from protocol.wishes import Wish
from tests.kit.co_desk import Desk, Player
from world import dialogs, life
from world.dialogs import Button
from world.reach import TALKING

if TYPE_CHECKING:
    from world.mobile import Mobile

WHERE, WHO, FAREWELL = 1, 2, 6


async def in_conversation(desk: Desk) -> tuple[Player, Mobile]:
    """Somebody whom the crier asks what it wants to know."""
    crier = desk.resident("crier", 24, 20)
    alric = await desk.enter("alric")
    await alric.clicks(crier)
    await desk.wait(0.2)
    return alric, crier


async def answers(player: Player, option: int, *, action: int = DialogAction.ANSWER, typed: str = "") -> None:
    await player.desk.wait(0.2)
    player.got.clear()
    await player.says(TaskDialog(7, 0, option, action, (typed,)))


def text(player: Player) -> str:
    """Of the window that is open, which counts no more."""
    window, player.screen.window = player.screen.window, None
    return window.text if window is not None else ""


def face(player: Player) -> int:
    """The portrait of the window that is open, which counts no more."""
    window, player.screen.window = player.screen.window, None
    return window.face if window is not None else 0


async def test_the_packets_of_a_window() -> None:
    alric, _ = await in_conversation(Desk())
    told = alric.took(TaskDialog)
    assert [part.action for part in told] == [1, 2, 2, 2, 2, 2, 2, 4, 100]
    assert [part.option for part in told] == [255, 1, 2, 3, 4, 5, 6, 255, 255]
    assert {part.task_id for part in told} == {0}
    assert [part.strings[0] for part in told[1:3]] == ["Where am I?", "Who is here today?"]
    assert told[0].strings[0].startswith("Barnaby, the town crier: Welcome to The Plain, Alric!")
    assert (told[7].value, told[7].strings, told[8].strings) == (7, (), ())


async def test_each_speaker_has_its_face_and_nobody_has_the_usual_one() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    faces = []
    for asker in (desk.resident("crier", 21, 20), desk.resident("innkeeper", 20, 21), None):
        dialogs.ask(
            alric.mobile,
            "Trap",
            title="T",
            text="Well?",
            buttons=[Button(1, "Yes")],
            answered=lambda *_: None,
            asker=asker,
        )
        await desk.wait(0.1)
        faces.append(face(alric))
    assert faces == [7, 20, USUAL_FACE]


async def test_a_conversation_with_the_crier() -> None:
    desk = Desk()
    alric, _ = await in_conversation(desk)
    await desk.enter("berta", (50, 50))
    await answers(alric, WHO)
    assert "Berta" in text(alric)
    await answers(alric, WHERE)
    assert "20, 20 in The Plain" in text(alric)
    await answers(alric, FAREWELL)
    assert alric.got == []
    assert not alric.mobile.dialogs
    await answers(alric, WHERE)
    assert alric.lines() == [Wish.UNASKED.value], "the window is closed"


@pytest.mark.parametrize("option", [0, 7, 8, 100, 254])
async def test_an_answer_that_was_never_offered_is_none(option: int) -> None:
    alric, _ = await in_conversation(Desk())
    before = dict(alric.mobile.dialogs)
    await answers(alric, option)
    assert alric.lines() == [Wish.UNASKED.value]
    assert alric.mobile.dialogs == before
    await answers(alric, WHERE)
    assert text(alric), "the window is open all the same"


@pytest.mark.parametrize("action", [0, 1, 2, 3, 4, 100, 255])
async def test_other_parts_of_a_dialog_are_no_answers(action: int) -> None:
    alric, _ = await in_conversation(Desk())
    before = dict(alric.mobile.dialogs)
    await answers(alric, WHERE, action=action)
    assert alric.lines() == [Wish.UNKNOWN.value]
    assert alric.mobile.dialogs == before


async def test_to_close_the_window_closes_the_dialog() -> None:
    alric, _ = await in_conversation(Desk())
    await answers(alric, NO_ANSWER)
    assert alric.got == []
    assert not alric.mobile.dialogs
    await answers(alric, NO_ANSWER)
    assert alric.got == [], "to close it once more asks for nothing"
    await answers(alric, WHERE)
    assert alric.lines() == [Wish.UNASKED.value]


async def test_an_answer_counts_once() -> None:
    alric, _ = await in_conversation(Desk())
    await answers(alric, WHO)
    serial = alric.session.question
    await answers(alric, WHO)
    assert alric.session.question != serial
    assert len(alric.mobile.dialogs) == 1


async def test_only_the_window_that_is_shown_can_be_answered() -> None:
    desk = Desk()
    alric, _ = await in_conversation(desk)
    chosen: list[str] = []
    dialogs.ask(
        alric.mobile,
        "Trap",
        title="Somebody",
        text="Well?",
        buttons=(Button(9, "Yes"),),
        answered=lambda _, reply: chosen.append(str(reply.button)),
    )
    await desk.wait(0.2)
    await answers(alric, 2)
    assert alric.lines() == [Wish.UNASKED.value], "this one has one answer"
    await answers(alric, 1)
    assert chosen == ["9"]
    assert [dialog.name for dialog in alric.mobile.dialogs.values()] == ["NewsDialog"]
    await desk.wait(1)
    await answers(alric, 1)
    assert alric.lines() == [Wish.UNASKED.value]


async def test_a_question_that_was_taken_back_cannot_be_answered() -> None:
    desk = Desk()
    alric, _ = await in_conversation(desk)
    (dialog,) = alric.mobile.dialogs.values()
    dialogs.withdraw(alric.mobile, dialog)
    await answers(alric, WHERE)
    assert alric.lines() == [Wish.UNASKED.value]


async def test_what_is_typed_where_nothing_can_be_typed_does_not_matter() -> None:
    alric, _ = await in_conversation(Desk())
    await answers(alric, WHERE, typed="x" * 255)
    assert text(alric)


async def test_one_has_to_stand_near_who_asks() -> None:
    desk = Desk()
    alric, crier = await in_conversation(desk)
    desk.world.warp(crier, desk.world.realms["plain"], 20 + TALKING + 1, 20)
    await answers(alric, WHERE)
    assert "too far" in alric.lines()[0]
    assert not text(alric) or len(alric.mobile.dialogs) == 1
    desk.world.warp(crier, desk.world.realms["plain"], 20 + TALKING, 20)
    await answers(alric, WHERE)
    assert "20, 20" in text(alric)


@pytest.mark.parametrize("event", [NpcEvent.LEAVE, NpcEvent.DELETE, NpcEvent.MOVE, NpcEvent.LAY, 254])
async def test_what_is_no_click_is_no_conversation(event: int) -> None:
    desk = Desk()
    crier = desk.resident("crier", 24, 20)
    alric = await desk.enter("alric")
    await alric.says(Npc(alric.figures.ids.of(crier), 0, event))
    assert alric.lines() == [Wish.UNKNOWN.value]
    assert not alric.mobile.dialogs


async def test_who_is_not_seen_does_not_talk() -> None:
    desk = Desk()
    crier = desk.resident("crier", 50, 50)
    berta = await desk.enter("berta", (21, 20))
    alric = await desk.enter("alric")
    ids = alric.figures.ids
    for number in (0, ids.of(crier), ids.of(berta.mobile), alric.number, 99_999, 0xFFFF_FFFF):
        await alric.says(Npc(number, 0, NpcEvent.ACTIVATE))
        await desk.wait(1)
    unseen, unknown = "You cannot see that.", Wish.UNKNOWN.value
    assert alric.lines() == [unseen, unseen, unknown, unknown, unseen, unseen], "players are asked nothing"
    assert not alric.mobile.dialogs
    assert not berta.mobile.dialogs


async def test_for_a_ghost_who_is_at_the_edge_of_the_screen_is_too_far_to_talk() -> None:
    desk = Desk()
    crier = desk.resident("crier", 38, 20)
    alric = await desk.enter("alric")
    life.kill(alric.mobile)
    desk.turn()
    alric.got.clear()
    await alric.clicks(crier)
    assert "too far" in alric.lines()[0]
    assert not alric.mobile.dialogs


async def test_a_ghost_talks_with_nobody_but_the_healer() -> None:
    desk = Desk()
    crier, healer = desk.resident("crier", 24, 20), desk.resident("healer", 24, 22)
    alric = await desk.enter("alric")
    alric.mobile.dead = True
    await alric.clicks(crier)
    assert text(alric) == ""
    await alric.clicks(healer)
    assert text(alric)


async def test_nobody_is_asked_while_the_client_loads() -> None:
    desk = Desk()
    crier = desk.resident("crier", 24, 20)
    alric = await desk.enter("alric")
    alric.session.loading = True
    await alric.clicks(crier)
    assert not alric.mobile.dialogs
