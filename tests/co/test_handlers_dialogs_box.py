"""The town crier's window with a box to type a name into."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.co.dialogs import BOX, BOX_LABEL
from protocol.co.packets import NO_ANSWER, DialogAction, TaskDialog
from protocol.co.versions import CoVersion
from protocol.wishes import Wish
from tests.kit.co_desk import Desk, Player
from world import dialogs, news
from world.dialogs import Button
from world.mobile import Access

if TYPE_CHECKING:
    from world.mobile import Mobile

LOOKING = 3
FIRST = 1


async def at_the_box(desk: Desk) -> tuple[Player, Mobile]:
    """Somebody whom the crier asks for a name; the window is untaken."""
    crier = desk.resident("crier", 22, 22)
    alric = await desk.enter("alric")
    await alric.clicks(crier)
    await desk.wait(0.2)
    alric.got.clear()
    await alric.says(TaskDialog(0, 0, LOOKING, DialogAction.ANSWER))
    return alric, crier


async def types(player: Player, *words: str, option: int = BOX) -> list[str]:
    """What was answered, in lines; and what the crier says at the end."""
    for given in [(option, words), (FIRST, ())] if option == BOX else [(option, words)]:
        await player.desk.wait(0.2)
        player.got.clear()
        player.screen.window = None
        await player.says(TaskDialog(0, 0, given[0], DialogAction.ANSWER, given[1]))
        if lines := player.lines():
            return lines
    window = player.screen.window
    return [window.text.removeprefix("Barnaby, the town crier: ")] if window is not None else []


@pytest.mark.parametrize("version", list(CoVersion))
async def test_the_packets_of_a_window_with_a_box(version: CoVersion) -> None:
    alric, _ = await at_the_box(Desk(version=version))
    told = alric.took(TaskDialog)
    assert [part.action for part in told] == [1, 2, 3, 4, 100]
    assert told[0].strings == ("Barnaby, the town crier: Whom are you looking for?",)
    assert told[1].strings == ("Never mind.",)
    assert (told[2].value, told[2].option, told[2].strings) == (news.LONGEST_NAME, BOX, (BOX_LABEL,))
    assert alric.screen.faults == []


@pytest.mark.parametrize("name", ["Berta", "berta", " BERTA\x07 "])
async def test_somebody_who_is_here(name: str) -> None:
    desk = Desk()
    await desk.enter("berta", (50, 50))
    alric, _ = await at_the_box(desk)
    assert await types(alric, name) == ["Berta is in The Plain."]
    assert await types(alric, name) == [Wish.UNASKED.value], "that window has no box"


@pytest.mark.parametrize("name", ["Clara", "x" * 255, "\x1b[31m", "%s{0}"])
async def test_somebody_who_is_not(name: str) -> None:
    alric, _ = await at_the_box(Desk())
    (line,) = await types(alric, name)
    assert line.endswith(" is not here today.")
    assert len(line) < 60
    assert line.isprintable()


async def test_who_hides_is_told_of_to_staff_alone() -> None:
    desk = Desk()
    berta = await desk.enter("berta", (50, 50))
    berta.mobile.hidden = True
    alric, crier = await at_the_box(desk)
    assert await types(alric, "Berta") == ["Berta is not here today."]
    alric.mobile.access = Access.COUNSELOR
    await alric.clicks(crier)
    await types(alric, option=LOOKING)
    assert await types(alric, "Berta") == ["Berta is in The Plain."]


@pytest.mark.parametrize("words", [(), ("",), (" \x07",)])
async def test_an_answer_without_words_names_nobody(words: tuple[str, ...]) -> None:
    alric, _ = await at_the_box(Desk())
    assert await types(alric, *words) == [f"Up to {news.LONGEST_NAME} characters, please."]
    assert alric.screen.window is not None, "it is asked once more"
    assert await types(alric, "Alric") == ["Alric is in The Plain."]


@pytest.mark.parametrize("option", [0, 2, LOOKING, 253])
async def test_other_answers_are_none(option: int) -> None:
    desk = Desk()
    alric, _ = await at_the_box(desk)
    assert await types(alric, "Alric", option=option) == [Wish.UNASKED.value]
    assert await types(alric, "Alric") == ["Alric is in The Plain."]


async def test_to_close_the_window_is_enough() -> None:
    alric, _ = await at_the_box(Desk())
    assert await types(alric, option=NO_ANSWER) == []
    assert await types(alric, "Alric") == [Wish.UNASKED.value]


async def test_one_has_to_stand_near_who_asks() -> None:
    desk = Desk()
    alric, crier = await at_the_box(desk)
    desk.world.warp(crier, desk.world.realms["plain"], 50, 50)
    (line,) = await types(alric, "Alric")
    assert "too far" in line


async def test_another_window_takes_its_place() -> None:
    desk = Desk()
    alric, _ = await at_the_box(desk)
    chosen: list[int] = []
    dialogs.ask(
        alric.mobile,
        "Trap",
        title="Somebody",
        text="Well?",
        buttons=(Button(9, "Yes"),),
        answered=lambda _, reply: chosen.append(reply.button),
    )
    desk.turn()
    assert await types(alric, "Alric") == [Wish.UNASKED.value]
    assert chosen == []
    await types(alric, option=1)
    assert chosen == [9]
