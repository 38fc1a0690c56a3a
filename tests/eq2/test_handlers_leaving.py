"""The ways out: camping and quitting."""

from __future__ import annotations

import pytest

from protocol.endings import Ending
from protocol.eq2.handlers.leaving import CAMP_SECONDS
from protocol.eq2.packets import (
    Camp,
    CampAborted,
    CampStarted,
    DisplayText,
)
from tests.kit.eq2_desk import Desk


@pytest.mark.parametrize("desktop", [0, 1])
async def test_who_camps_leaves_after_a_while(desktop: int) -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(Camp(quit=0, desktop=desktop))
    assert player.took(CampStarted) == [CampStarted(CAMP_SECONDS, desktop)]
    await desk.wait(CAMP_SECONDS - 0.5)
    assert player.line.ending is None
    told = [f"You leave the world in {left} seconds." for left in (15, 10, 5)]
    assert [line.text for line in player.took(DisplayText)][-3:] == told
    await player.says(Camp(quit=0, desktop=desktop))
    assert player.took(CampStarted) == []
    await desk.wait(1)
    assert player.line.ending is Ending.CLIENT_LEFT


async def test_who_changes_its_mind_stays() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(Camp())
    await desk.wait(10)
    await player.says(CampAborted())
    assert len(player.took(CampAborted)) == 1
    await player.says(CampAborted())
    assert player.took(CampAborted) == []
    player.took(DisplayText)
    await desk.wait(30)
    assert player.took(DisplayText) == []
    assert player.line.ending is None
    await player.types("camp")
    await desk.wait(CAMP_SECONDS + 1)
    assert player.line.ending is Ending.CLIENT_LEFT


async def test_who_quits_is_let_go_at_once() -> None:
    desk = Desk()
    for way in ("message", "word"):
        player = await desk.enter("alric")
        if way == "message":
            await player.says(Camp(quit=1, desktop=1))
        else:
            await player.types("quit")
        assert player.took(CampStarted) == [CampStarted(0, 1)]
        assert player.line.ending is Ending.CLIENT_LEFT


async def test_who_loads_may_leave() -> None:
    desk = Desk()
    player = await desk.zoning("alric")
    await player.says(Camp())
    assert player.line.ending is Ending.CLIENT_LEFT


async def test_a_camp_ends_with_the_client_that_began_it() -> None:
    desk = Desk()
    first = await desk.enter("alric")
    await first.says(Camp())
    second = await desk.enter("alric")
    await desk.wait(30)
    assert first.line.ending is Ending.REPLACED
    assert second.line.ending is None
