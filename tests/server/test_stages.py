"""Stage timers and the memory of recent turns: counted on when switched on, and free of effect otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.turn.stages import Stage, Stages, totals
from server.turn.stats import RECENT_TURNS, TurnStats
from tests.kit.stage import Stage as Scene
from tests.kit.stage import settle
from tests.kit.toys import Step, brook
from world.heading import EAST

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock


async def test_stages_are_counted_while_they_are_on(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    stage = Scene(nursery)
    game = brook()
    anna, bert = stage.client(game, "Anna"), stage.client(game, "Bert")
    await settle()
    assert stage.loop.stages.stages == {}, "off: nothing is kept"
    ticks = iter(range(1, 10_000))
    stage.loop.stages.clock = lambda: float(next(ticks))
    stage.loop.stages.switch(True)
    anna.say(Step(EAST))
    await settle()
    counts = {name: kept.count for name, kept in stage.loop.stages.stages.items()}
    assert counts["receive Step"] == counts["decode"] == counts["handler Step"] == 1
    assert counts["turn"] == counts["deltas"] == counts["timers"] == counts["storage"] == 1
    assert counts["sending"] == 1
    assert counts["encode"] == counts["send"] == 2, "both clients are told of the step"
    assert stage.loop.stages.stages["decode"].total == 1.0, "one tick of this clock between two readings"
    assert stage.loop.stages.stages["receive Step"].total > 1.0, "it includes the decoding"
    stage.loop.stages.switch(False)
    bert.say(Step(EAST))
    await settle()
    assert counts == {name: kept.count for name, kept in stage.loop.stages.stages.items()}


def test_the_report_puts_what_took_longest_first() -> None:
    stages = Stages()
    stages.switch(True)
    stages.add("decode", 0.001)
    stages.add("turn", 0.25)
    stages.add("turn", 0.75)
    head, turn, decode = stages.report()
    assert head.split()[0] == "stage"
    name, count, total, mean, half, most_of_all, longest = turn.split()
    assert (name, count, total, mean, longest) == ("turn", "2", "1000.0", "500000.0", "750000.0")
    assert float(half) == pytest.approx(250_000, rel=0.07)
    assert float(most_of_all) == pytest.approx(750_000, rel=0.07)
    assert decode.split() == ["decode", "1", "1.0", "1000.0", "1000.0", "1000.0", "1000.0"]
    stages.switch(False)
    stages.switch(True)
    assert stages.report() == [head], "it begins anew"


def test_a_report_can_be_read_again() -> None:
    stages = Stages()
    stages.add("receive Step", 0.5)
    stages.add("receive Step", 0.25)
    stages.add("a name that is longer than the column of names", 2.0)
    assert totals(stages.report()) == {
        "a name that is longer than the column of names": (1, 2.0),
        "receive Step": (2, 0.75),
    }
    assert totals(["nothing was measured yet: profile on"]) == {}
    assert totals(Stages().report()) == {}


@pytest.mark.parametrize("scale", [0.0, 3e-7, 1e-3, 4.0])
def test_quantiles_of_a_stage_are_right_within_six_percent(scale: float) -> None:
    stage = Stage()
    for number in range(1, 1001):
        stage.add(number * scale)
    for part in (0.01, 0.5, 0.95, 0.99, 1.0):
        assert stage.quantile(part) == pytest.approx(1000 * part * scale, rel=0.0625)
    assert Stage().quantile(0.5) == 0.0


def test_recent_turns_have_quantiles() -> None:
    stats = TurnStats()
    assert stats.lateness_quantile(0.99) == 0.0
    stats.lateness.extend(number / 1000 for number in range(200))
    stats.seconds.extend([0.5, 0.25])
    assert stats.lateness_quantile(0.5) == 0.1
    assert stats.lateness_quantile(0.99) == 0.198
    assert stats.lateness_quantile(1.0) == 0.199
    assert stats.seconds_quantile(0.5) == 0.5
    stats.lateness.extend([1.0] * RECENT_TURNS)
    assert stats.lateness_quantile(0.0) == 1.0, "only the last are kept"
