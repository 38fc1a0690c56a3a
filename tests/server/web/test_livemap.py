"""The live map: what those who watch are told, against the world itself.

pytest-trio only sees a clock that the test itself asks for, so each test names `autojump_clock`.
"""

from __future__ import annotations

import json
import random
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
import trio

from server.web.livemap import COUNT_SECONDS, FILL_SHARE, INTERVAL
from tests.kit.livemap import STALLED, Chance, Stage, Watching
from tests.kit.worlds import person
from world import holding, motion, speech

if TYPE_CHECKING:
    from trio.testing import MockClock


@pytest.fixture
async def stage(nursery: trio.Nursery, autojump_clock: MockClock) -> Stage:
    """Two realms and nobody there."""
    await trio.lowlevel.checkpoint()
    return Stage(nursery)


@pytest.mark.parametrize("seed", range(6))
async def test_whoever_watches_believes_what_is_so(
    stage: Stage, autojump_clock: MockClock, seed: int
) -> None:
    chance, dice = Chance(stage, seed), random.Random(seed)
    for _ in range(8):
        chance.arrive()
    gone: list[Watching] = []
    watching = [stage.watch("plain", partial(random.Random(seed).uniform, 0.5, 1.5))]
    believed = 0
    for number in range(400):
        for _ in range(dice.randrange(6)):
            chance.happen()
        stage.turn()
        await trio.sleep(dice.choice((0.0, 0.02, 0.05, 0.2)))
        if dice.random() < 0.04:
            slow, own = 3.0 * (dice.random() < 0.4), random.Random(number)
            watching.append(
                stage.watch(dice.choice(("plain", "plain", "cave")), partial(own.uniform, 0.0, slow))
            )
        if watching and dice.random() < 0.02:
            gone.append(watching.pop(dice.randrange(len(watching))))
            gone[-1].leave()
        if number % 20 == 19:
            await trio.sleep(INTERVAL + 0.01)  # all that are not slow have caught up
            for one in watching:
                if not one.is_slow:
                    believed += 1
                    assert one.things == stage.truth(one.realm)
    await trio.sleep(10)
    assert believed
    for one in watching:
        assert one.things == stage.truth(one.realm)
        assert all(later - before > INTERVAL - 1e-6 for before, later in pairwise(one.at))
    assert any(one.snapshots > 1 for one in gone + watching)
    assert not stage.aborted
    # An update is encoded once for all who watch its realm.
    assert {len(objects) for objects in stage.given.values()} == {1}


async def test_while_nobody_watches_nothing_is_worked_out(
    stage: Stage, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = person(stage.world, "Anna")
    one = stage.watch()
    await trio.sleep(1)
    one.leave()
    await trio.sleep(5)
    asked = stage.painter.asked
    updates: list[float] = []
    with monkeypatch.context() as patch:
        patch.setattr(stage.live, "_update", updates.append)
        for _ in range(20):
            motion.step(anna, 2)
            anna.hits -= 1
            stage.turn()
            await trio.sleep(0.1)
        await trio.sleep(COUNT_SECONDS)
    assert (stage.painter.asked, updates) == (asked, [])
    # It sleeps without end, and so does who watches where nothing happens but that the hours go by.
    assert trio.lowlevel.current_statistics().seconds_to_next_deadline == float("inf")
    stage.watch()
    await trio.sleep(STALLED + 1)
    assert trio.lowlevel.current_statistics().seconds_to_next_deadline > 60


async def test_a_large_realm_is_told_anew_only_so_often(stage: Stage, autojump_clock: MockClock) -> None:
    anna = person(stage.world, "Anna")
    events = iter(range(1000))
    stage.live._stopwatch = lambda: next(events) * 0.5  # each time takes half a second
    began = trio.current_time()
    first = stage.watch()
    await trio.sleep(0.5)
    assert first.snapshots == 1
    first.leave()
    second, elsewhere = stage.watch(), stage.watch("cave")
    await trio.sleep(0.5 / FILL_SHARE - 1)
    assert second.snapshots == elsewhere.snapshots == 0
    speech.say(anna, "Hear, hear")
    stage.turn()
    await trio.sleep(2)
    assert second.snapshots == 1
    assert 0.5 / FILL_SHARE <= second.at[0] - began < 0.5 / FILL_SHARE + 1
    assert second.things == stage.truth()
    assert elsewhere.snapshots == 0
    await trio.sleep(0.5 / FILL_SHARE)
    assert elsewhere.snapshots == 1
    assert elsewhere.things == stage.truth("cave")


async def test_ten_steps_of_an_interval_are_one_move(stage: Stage, autojump_clock: MockClock) -> None:
    anna, bert = person(stage.world, "Anna"), person(stage.world, "Bert")
    stage.turn()
    one = stage.watch()
    await trio.sleep(1)
    for _ in range(2):
        motion.step(anna, 2)
        motion.step(bert, 2)
        stage.turn()
    motion.step(bert, 6)
    motion.step(bert, 6)
    motion.turn(bert, bert.heading)
    stage.turn()
    await trio.sleep(0.01)
    assert one.names[-1] == ["moves"]
    assert one.at[-1] == pytest.approx(1.0)  # at once: the last one is long ago
    assert one.things == stage.truth()
    motion.step(anna, 2)
    stage.turn()
    await trio.sleep(0.01)
    assert one.at[-1] == pytest.approx(1.0)
    await trio.sleep(INTERVAL)
    assert one.at[-1] == pytest.approx(1.0 + INTERVAL)
    last = json.loads(one.raw.split("\n")[-2])
    assert last == {"t": "moves", "moves": [[anna.serial, anna.x, anna.y, 2]]}


async def test_who_came_and_went_within_an_interval_is_nothing(
    stage: Stage, autojump_clock: MockClock
) -> None:
    one = stage.watch()
    await trio.sleep(1)
    messages = len(one.names)
    for _ in range(2):
        ghost = person(stage.world, "Anna")
        stage.turn()
        speech.say(ghost, "hello")
        stage.turn()
        stage.world.leave(ghost)
        stage.turn()
    gold = holding.make(stage.world, "gold", stored=False)
    stage.world.enter(gold, stage.world.realms["plain"], 3, 3)
    stage.turn()
    stage.world.delete(gold)
    stage.turn()
    await trio.sleep(2)
    # That she came and left is news.
    assert one.names[messages:] == [["event"] * 4]


async def test_a_warp_is_a_departure_here_and_an_arrival_there(
    stage: Stage, autojump_clock: MockClock
) -> None:
    anna = person(stage.world, "Anna")
    stage.turn()
    here, there = stage.watch("plain"), stage.watch("cave")
    await trio.sleep(1)
    stage.world.warp(anna, stage.world.realms["cave"], 5, 5)
    stage.turn()
    await trio.sleep(0.05)
    assert not here.things
    assert f'{{"t":"hide","id":{anna.serial},"why":"warped"}}' in here.raw
    assert there.things == stage.truth("cave") != {}
    assert [event["text"] for event in here.events] == ["Anna has come", "Anna has gone to The Cave"]
    assert [event["text"] for event in there.events] == ["Anna has come from The Plain"]


async def test_who_went_far_or_is_another_is_placed_anew(stage: Stage, autojump_clock: MockClock) -> None:
    anna, bert = person(stage.world, "Anna"), person(stage.world, "Bert")
    gold = holding.make(stage.world, "gold", stored=False)
    stage.world.enter(gold, stage.world.realms["plain"], 3, 3)
    stage.turn()
    one = stage.watch()
    await trio.sleep(1)
    stage.world.warp(anna, stage.world.realms["plain"], 30, 30)
    stage.world.leave(gold)
    stage.world.enter(gold, stage.world.realms["plain"], 4, 3)
    stage.world.leave(bert)
    other = person(stage.world, "Bertram", bert.x, bert.y)
    stage.world.leave(other)
    other.serial = bert.serial
    stage.world.enter(other, stage.world.realms["plain"], bert.x, bert.y)
    stage.turn()
    await trio.sleep(0.05)
    assert sorted(one.names[-1]) == ["change", "event", "event", "show", "show"]
    assert one.things == stage.truth()


async def test_a_realm_is_opened_while_somebody_is_on_the_way_there(
    stage: Stage, autojump_clock: MockClock
) -> None:
    anna = person(stage.world, "Anna")
    here = stage.watch("plain")
    await trio.sleep(1)
    stage.world.warp(anna, stage.world.realms["cave"], 5, 5)
    stage.turn()
    there = stage.watch("cave")
    await trio.sleep(1)
    assert here.things == {}
    assert there.things == stage.truth("cave") != {}
    here.leave()
    there.leave()
