"""The journal in the browser's own panel, and marks over heads, over a whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.players import UoPlayer
from tests.kit.web_scene import anna_and, settled
from world import granting, quests
from world.errands import State
from world.journals import progress_of, state, step_of

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town

ERRAND = "bread_for_edwin"

AGAIN = "rats_in_the_field"

OWNED = 3
"""Loaves in the pack of a newcomer."""


async def test_a_quest_from_its_mark_to_its_end(town: Town, autojump_clock: MockClock) -> None:
    bert = UoPlayer(town)
    anna = await anna_and(town, bert)
    panes, mobile, world = anna.screen.panes, town.mobile("Anna"), town.app.world
    edwin = next(it for it in world.mobiles.values() if it.template.key == "farmer")
    realm = edwin.realm
    assert realm is not None
    world.warp(mobile, realm, *next(realm.free_near(edwin.x, edwin.y + 1)))
    await settled(town, anna)
    assert panes.marks[edwin.serial] == "offers"
    step = world.content.quests[ERRAND].steps[0]
    quests.begin(mobile, ERRAND)
    await settled(town, anna)
    task = panes.tasks[ERRAND]
    assert (task.name, task.open, task.count, task.amount) == ("Bread for Edwin", True, OWNED, step.amount)
    assert task.place == ("confluence", edwin.x, edwin.y)
    assert panes.marks[edwin.serial] == "awaits"
    assert anna.screen.notices()[-1].startswith("New quest: Bread for Edwin. ")
    # It is told once: nothing comes of turns in which nothing happens.
    anna.got.clear()
    await anna.sends(b"", wait=5.0)
    assert not anna.of("marks")
    # The journal is opened by its player alone.
    assert panes.journals == 0
    await anna.says("quests")
    assert panes.journals == 1
    # What one has to do is known again to whoever comes back.
    await anna.says("leave")
    await anna.plays()
    panes = anna.screen.panes
    assert panes.tasks[ERRAND].open
    assert panes.journals == 0
    assert panes.marks[edwin.serial] == "awaits"
    # Given up, and what is not there cannot be.
    await anna.says("give_up", key=ERRAND)
    assert not panes.tasks[ERRAND].open
    assert panes.marks[edwin.serial] == "offers"
    for forged in (ERRAND, "no such", ""):
        anna.screen.forgets()
        await anna.says("give_up", key=forged)
        assert anna.screen.notices() == ["You have no such quest."]
    mobile = town.mobile("Anna")
    granting.make(mobile, step.item, step.amount - OWNED)
    quests.begin(mobile, ERRAND)
    await anna.does(anna.client.use_bytes(edwin.serial))
    await settled(town, anna)
    assert state(mobile, ERRAND) is State.DONE
    assert (panes.tasks[ERRAND].open, panes.tasks[ERRAND].times) == (False, 1)
    assert "Bread for Edwin: done. You receive 25 gold coins." in anna.screen.notices()


async def test_a_mark_comes_back_when_there_is_something_to_do_again(
    town: Town, autojump_clock: MockClock
) -> None:
    anna = await anna_and(town, UoPlayer(town))
    panes, mobile, world = anna.screen.panes, town.mobile("Anna"), town.app.world
    known = world.content.quests[AGAIN]
    assert known.again is not None
    giver = next(it for it in world.mobiles.values() if it.template.key == known.giver)
    realm = giver.realm
    assert realm is not None
    mobile.level = known.level
    world.warp(mobile, realm, *next(realm.free_near(giver.x, giver.y + 1)))
    await settled(town, anna)
    assert panes.marks[giver.serial] == "offers"
    # Edwin has nothing else for her, and nearly all of the hour is over.
    for key in (ERRAND, known.key):
        quests.begin(mobile, key)
        while step_of(mobile, key):
            quests.finish_step(mobile, key)
    rested = progress_of(mobile, known.key)
    assert rested is not None
    rested.finished_at -= known.again - 10
    quests.resume(mobile)
    await settled(town, anna)
    await anna.sends(b"", wait=5)
    assert panes.marks[giver.serial] == ""
    await anna.sends(b"", wait=10)
    assert panes.marks[giver.serial] == "offers"
    assert anna.screen.notices()[-1] == f"{known.name} can be done again. Ask {giver.name}."
