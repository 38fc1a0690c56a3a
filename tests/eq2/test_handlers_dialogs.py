"""The windows of conversations, and answers by words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.eq2.packets import (
    DialogClose,
    DialogDismiss,
    DialogOpen,
    DialogSelect,
    DisplayText,
    Message,
)
from protocol.wishes import Wish
from tests.kit.eq2_desk import Desk, Player
from world import dialogs
from world.dialogs import Button
from world.reach import Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile


def lines(player: Player) -> list[str]:
    """What the player was told, in words."""
    return [line.text for line in player.took(DisplayText)]


async def asked(desk: Desk, asker: Mobile | None = None) -> tuple[Player, DialogOpen, list[int]]:
    """Somebody with an open question, and what was answered."""
    player = await desk.enter("alric")
    player.got.clear()
    answers: list[int] = []
    dialogs.ask(
        player.mobile,
        "Question",
        title="Somebody",
        text="Well?",
        buttons=(Button(7, "Yes"), Button(0, "No")),
        answered=lambda _, reply: answers.append(reply.button),
        asker=asker,
    )
    await desk.wait(0.5)
    (window,) = [one for one in player.got if isinstance(one, DialogOpen)]
    player.got.clear()
    return player, window, answers


def words(player: Player) -> list[str]:
    return [text for text in (getattr(one, "text", "") for one in player.got) if text]


def kinds(player: Player) -> list[type[Message]]:
    return [type(one) for one in player.got]


async def test_questions_are_answered_by_number_or_word() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    answers: list[int] = []

    def ask() -> None:
        dialogs.ask(
            player.mobile,
            "test",
            title="Well?",
            text="Shall it be?",
            buttons=(Button(1, "Yes"), Button(2, "No")),
            answered=lambda mobile, reply: answers.append(reply.button),
        )

    await player.types("answer 1")
    assert len(lines(player)) == 1
    for line in ("answer 2", "answer y", "answer"):
        ask()
        await player.types(line)
    assert answers == [2, 1, 0]
    ask()
    await player.types("answer 7")
    await player.types("answer maybe")
    assert answers == [2, 1, 0]
    assert len(player.mobile.dialogs) == 1


async def test_an_answer_counts_once_and_closes_the_window() -> None:
    desk = Desk()
    player, window, answers = await asked(desk)
    assert window.responses == ("Yes", "No")
    await player.says(DialogSelect(window.conversation, 0))
    assert answers == [7]
    assert kinds(player) == [DialogClose]
    await desk.wait(1)
    await player.says(DialogSelect(window.conversation, 0))
    assert answers == [7]
    assert words(player) == [Wish.UNASKED.value]


@pytest.mark.parametrize(("conversation", "response"), [(0, 2), (0, 0xFFFF_FFFF), (1, 0), (0xFFFF_FFF0, 0)])
async def test_what_was_not_offered_is_no_answer(conversation: int, response: int) -> None:
    desk = Desk()
    player, window, answers = await asked(desk)
    number = (window.conversation + conversation) & 0xFFFF_FFFF
    await player.says(DialogSelect(number, response))
    assert words(player) == [Wish.UNASKED.value]
    await player.says(DialogSelect(window.conversation, 1))
    assert answers == [0], "the window was open all the same"


async def test_who_asks_has_to_be_near() -> None:
    desk = Desk()
    crier = desk.resident("crier", 22, 22)
    player, window, answers = await asked(desk, crier)
    desk.world.warp(crier, desk.world.realms["plain"], 50, 50)
    await desk.wait(0.5)
    player.got.clear()
    await player.says(DialogSelect(window.conversation, 0))
    assert answers == []
    assert words(player) == [Refusal.FAR.value] or words(player) == [Refusal.UNSEEN.value]


async def test_to_close_the_window_is_an_answer() -> None:
    desk = Desk()
    player, window, answers = await asked(desk)
    await player.says(DialogDismiss(window.conversation), DialogDismiss(window.conversation))
    assert answers == [0]
    assert player.got == []
