"""The journal as a window, and what is told of quests (facts/co-play.md, section 10)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.co.counters import MORE, NEVER_MIND
from protocol.co.journals import CLOSE
from protocol.co.packets import Channel, DialogAction, Talk, TaskDialog
from protocol.co.versions import CoVersion
from protocol.wishes import Wish
from tests.kit.co_desk import Desk, Player, small_content
from world import journals, quests
from world.errands import Kind, Quest, State, Step

if TYPE_CHECKING:
    from world.content import Content

MANY = 7


@cache
def content() -> Content:
    """With a quest that takes one somewhere, and more than a window shows."""
    go = Step("mill", Kind.GO, "Go to the mill.", realm="plain", x=50, y=50, radius=1)
    made = [Quest("flour", "Flour", "Fetch flour.", "crier", (go,))]
    made += [
        Quest(f"rats{n}", f"Rats {n}", "", "crier", (Step("hunt", Kind.HUNT, "Kill rats.", kinds=("rat",)),))
        for n in range(2, MANY + 1)
    ]
    return attrs.evolve(small_content(), quests={quest.key: quest for quest in made})


async def with_quests(*keys: str, version: CoVersion = CoVersion.V5017) -> Player:
    """Somebody who has begun these."""
    player = await Desk(content(), version=version).enter("alric")
    for key in keys:
        quests.begin(player.mobile, key)
    player.desk.turn()
    return player


def options(player: Player) -> list[str]:
    """Answers of the window that is open."""
    window = player.screen.window
    return list(window.options.values()) if window is not None else []


async def presses(player: Player, label: str) -> None:
    window = player.screen.window
    assert window is not None
    number = [text.startswith(label) for text in window.options.values()].index(True) + 1
    player.screen.window = None
    await player.desk.wait(0.3)
    await player.says(TaskDialog(0, 0, number, DialogAction.ANSWER))


async def asks(player: Player) -> None:
    """The client's own button."""
    await player.says(TaskDialog(7, 0, 0, DialogAction.TASK))


@pytest.mark.parametrize("version", list(CoVersion))
async def test_what_is_to_be_done_stands_among_the_lines_and_at_the_top(version: CoVersion) -> None:
    player = await with_quests("flour", version=version)
    told = [(talk.channel, talk.words) for talk in player.took(Talk)]
    words = "New quest: Flour. Go to the mill."
    assert told == [(Channel.SYSTEM, words), (Channel.TOP_LEFT, words)]
    player.desk.world.warp(player.mobile, player.desk.world.realms["plain"], 50, 50)
    await player.desk.wait(1.0)
    assert (Channel.CENTRE, "Flour: done.") in [(talk.channel, talk.words) for talk in player.took(Talk)]
    assert player.screen.faults == []


async def test_a_quest_is_looked_at_and_given_up() -> None:
    player = await with_quests("flour")
    await asks(player)
    assert options(player) == ["Flour: Go to the mill.", CLOSE]
    await presses(player, "Flour")
    window = player.screen.window
    assert window is not None
    assert window.text == "Your quests: Flour: Go to the mill. Go to 50, 50 in The Plain."
    await presses(player, NEVER_MIND)
    await presses(player, "Flour")
    await presses(player, "I give it up.")
    assert journals.state(player.mobile, "flour") is State.NONE
    assert "You give up: Flour." in player.lines()
    assert options(player) == [CLOSE]
    await presses(player, CLOSE)
    assert options(player) == []
    await player.says(TaskDialog(0, 0, 1, DialogAction.ANSWER))
    assert player.lines() == [Wish.UNASKED.value]


async def test_many_quests_are_several_pages() -> None:
    player = await with_quests("flour", *(f"rats{n}" for n in range(2, MANY + 1)))
    await asks(player)
    assert len(options(player)) == MANY
    await presses(player, MORE)
    assert options(player) == ["Rats 6: Kill rats.", "Rats 7: Kill rats.", MORE, CLOSE]
    await presses(player, "Rats 7")
    await presses(player, "I give it up.")
    assert options(player)[0] == "Rats 6: Kill rats.", "on the page where it stood"
    await presses(player, MORE)
    assert options(player)[0] == "Flour: Go to the mill."


async def test_what_was_finished_meanwhile_is_given_up_by_nobody() -> None:
    player = await with_quests("flour")
    await asks(player)
    await presses(player, "Flour")
    quests.give_up(player.mobile, "flour")
    player.desk.turn()
    player.got.clear()
    await presses(player, "I give it up.")
    assert player.lines() == ["You have no such quest."]
    assert options(player) == [CLOSE]
