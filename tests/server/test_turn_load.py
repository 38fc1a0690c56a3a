"""How much a turn takes in, by what the last ones took, and what waits while that is not enough: all of it is
done in the end, oldest first.

Times come from a stopwatch that the tests set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.wire.body import Body
from server.turn import budget, observers
from server.turn.budget import (
    FULL,
    GROWTH,
    GROWTH_THEN,
    LEAST,
    MOST,
    SHRINK,
    STRETCHED,
    STRETCHES,
    THIN,
    Budget,
)
from server.turn.loop import REFRESHED
from server.turn.observers import Observers
from tests.kit.stage import Stage, settle
from tests.kit.toys import Put, Show, ToyView
from tests.kit.turns import Turns, by_session, lines
from world.world import Changes

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock


@pytest.fixture(autouse=True)
def _turns_keep_their_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever wants longer ones where everybody waits says so."""
    if "stretch" not in request.node.name:
        monkeypatch.setattr(budget, "ALL_WAIT", 1.0)
        monkeypatch.setattr(budget, "THIN", -1.0)


# How much it is


def test_a_turn_that_took_too_long_makes_the_next_take_in_what_would_have_fitted() -> None:
    budget = Budget()
    budget.note(0.2, 0.1, 50_000, waiting=0.5)
    assert budget.allowance == pytest.approx(50_000 * 0.7 / 2)
    assert budget.overloaded
    assert budget.share == pytest.approx(0.35)
    budget.note(0.09, 0.1, 17_500, waiting=0.5)
    assert budget.allowance == pytest.approx(17_500), "that is how long it may take"


def test_one_turn_in_which_the_machine_stood_still_says_little() -> None:
    budget = Budget()
    budget.note(14.0, 0.1, 3, waiting=0.0)
    assert budget.allowance == FULL / SHRINK


def test_the_allowance_has_a_floor_and_grows_back_with_short_turns() -> None:
    budget = Budget()
    for _ in range(20):
        budget.note(0.5, 0.1, 900, waiting=0.5)
    assert budget.allowance == LEAST
    assert budget.share == LEAST / FULL
    steps = []
    while budget.overloaded:
        budget.note(0.01, 0.1, 10, waiting=0.0)
        steps.append(budget.allowance)
    assert steps[0] == LEAST * GROWTH
    assert steps[-1] == FULL
    assert len(steps) == 10


def test_beyond_full_it_grows_only_while_short_turns_use_it_up() -> None:
    budget = Budget()
    budget.note(0.04, 0.1, 50_000, waiting=0.5)
    budget.note(0.05, 0.1, 75_000, waiting=0.5)
    assert (budget.allowance, budget.share) == (FULL * GROWTH**2, 1.0)
    budget.note(0.075, 0.1, 112_500, waiting=0.5)
    assert budget.allowance == pytest.approx(FULL * GROWTH**2 * GROWTH_THEN)
    held = budget.allowance
    budget.note(0.08, 0.1, 123_750, waiting=0.5)
    budget.note(0.06, 0.1, 20_000, waiting=0.0)
    budget.note(0.08, 0.1, 123_750, waiting=0.5)
    assert budget.allowance == held
    assert budget.overloaded, "what is left waits, and there is no time for more"
    assert budget.share == 0.5
    for _ in range(30):
        budget.note(0.01, 0.1, 10, waiting=0.0)
    assert budget.allowance == FULL
    for _ in range(30):
        budget.note(0.0, 0.1, 10**9, waiting=0.5)
    assert budget.allowance == MOST


def test_a_stopwatch_that_stands_still_never_makes_it_smaller() -> None:
    budget = Budget()
    for work, left in ((0, False), (10**6, True), (10, False), (10**9, True), (0, False)) * 20:
        budget.note(0.0, 0.1, work, waiting=float(left))
        assert budget.allowance >= FULL
        assert not budget.overloaded
        assert budget.share == 1.0


def test_a_crowd_finds_the_length_of_its_turns_and_all_of_it_is_done() -> None:
    turns = Turns()
    crowd = turns.crowd(100)
    for session in crowd:
        turns.says(session, *lines(1, 2))
    turns.per_message = 80e-6  # 8 ms for each line
    turns.loop.budget.allowance = 50 * (1 + 100)
    taken: list[list[tuple[int, object]]] = []
    seconds: list[float] = []
    while any(session.inbox for session in crowd):
        taken.append(turns.turn())
        seconds.append(turns.loop.stats.last_seconds)
    assert len(taken[0]) == 50
    assert seconds[0] == pytest.approx(0.4)
    assert max(seconds[2:]) <= 0.1
    assert min(seconds[2:-1]) > 0.05, "nor are they shorter than they have to be"
    assert by_session(taken) == {n: ["1", "2"] for n in range(1, 101)}
    inputs, timers, views, sending, rest = turns.loop.stats.parts
    assert (inputs, timers, views, rest) == (0, 0, 0, 0)
    assert sending == pytest.approx(turns.loop.stats.last_seconds)
    for _ in range(20):
        turns.turn()
    assert (turns.loop.stats.allowance, turns.loop.stats.overloaded) == (FULL, False)
    assert turns.loop.stats.load().startswith("the last turn took 0.0 ms (inputs 0.0, ")


def test_what_costs_much_and_is_seen_by_nobody_is_bounded_by_time() -> None:
    turns = Turns()
    sessions = [turns.join(number) for number in range(1, 11)]
    for session in sessions:
        turns.says(session, Put(1, 0), Put(2, 0))
    turns.per_put = 0.015
    taken = turns.all_turns()
    assert taken[0] == [(1, 1), (1, 2), (2, 1), (2, 2)], "half of the turn's time, and the one that passed it"
    assert taken[1] == [(3, 1), (4, 1), (5, 1), (6, 1)], "the next begins with those who had nothing"
    assert by_session(taken) == {n: [1, 2] for n in range(1, 11)}
    assert all(len(turn) <= 4 for turn in taken)


def test_the_time_of_a_turn_is_a_setting() -> None:
    turns = Turns()
    turns.network = attrs.evolve(turns.network, turn_ms=20.0)
    sessions = turns.crowd(3)
    turns.says(sessions[0], *lines(1))
    turns.turn(0.03)
    assert turns.loop.stats.overloaded


def test_where_nearly_everybody_waits_turns_stretch_and_where_some_do_not_they_do_not() -> None:
    budget = Budget()
    lengths = []
    for _ in range(40):
        budget.note(0.2, 0.1, 50_000, waiting=0.9)
        lengths.append(budget.stretch)
    assert lengths[0] == STRETCHES
    assert lengths[-1] == STRETCHED
    allowance = budget.allowance
    budget.note(0.29, 0.1, 50_000, waiting=0.9)
    assert budget.allowance == allowance, "so long it may take now"
    for _ in range(60):
        budget.note(0.2, 0.1, 20_000, waiting=0.7)
    assert budget.stretch == 1.0
    assert budget.allowance < allowance


def test_where_there_is_no_crowd_turns_stretch_before_anybody_has_to_wait() -> None:
    budget = Budget()
    budget.note(0.12, 0.1, 5_000, waiting=0.0, costing=THIN)
    assert (budget.stretch, budget.allowance) == (STRETCHES, FULL), "it takes in no less"
    assert not budget.overloaded
    budget.note(0.12, 0.1, 5_000, waiting=0.1, costing=THIN)
    assert budget.stretch == STRETCHES**2
    for _ in range(9):
        budget.note(0.4, 0.1, 5_000, waiting=0.1, costing=THIN)
    assert budget.stretch == STRETCHED
    assert budget.allowance < FULL, "longer than that no turn is to take"
    budget = Budget()
    budget.note(0.12, 0.1, 5_000, waiting=0.1, costing=THIN + 1)
    assert budget.stretch == 1.0, "a crowd waits, and others would wait for it"
    assert budget.allowance < FULL


def test_stretched_turns_do_all_of_it_and_become_short_again() -> None:
    turns = Turns()
    crowd = turns.crowd(100)
    turns.per_message = 80e-6
    seconds: list[float] = []
    for number in range(60):
        for session in crowd:
            if len(session.inbox) < 2:
                turns.says(session, *lines(number))
        turns.turn()
        seconds.append(turns.loop.stats.last_seconds)
    assert 0.12 < max(seconds[30:]) < 0.3, "three times the time at most, and that is aimed below"
    turns.all_turns()
    for _ in range(60):
        turns.turn()
    assert turns.loop.budget.stretch == 1.0


# What waits meanwhile


def test_timers_that_may_wait_do_so_oldest_first_and_all_run_in_the_end() -> None:
    turns = Turns()
    ran: list[int] = []
    for number in range(60):
        turns.world.timers.after(10.0, ran.append, number)
    for number in range(60, 80):
        turns.world.timers.after(1.0, ran.append, number)
    turns.world.now += 10.0
    turns.loop.budget = Budget(LEAST, overloaded=True)
    turns.turn()
    assert ran == [*range(60, 80), *range(10)], "what is exact does not wait"
    counts = [len(ran)]
    while len(ran) < 80:
        turns.turn()
        counts.append(len(ran))
    assert ran[20:] == list(range(60))
    assert counts == [30, 45, 67, 80]


def test_those_who_watch_hear_of_everything_in_order_but_seldom_while_there_is_too_much_to_do() -> None:
    turns = Turns()
    (session,) = turns.crowd(1)
    heard: list[list[str]] = []

    def hear(changes: Changes) -> None:
        heard.append([getattr(event, "text", "") for event in changes.events])

    turns.loop.observers.append(hear)
    turns.says(session, *lines("a"))
    turns.turn()
    assert heard.pop() == ["a"]
    for number in range(25):
        turns.says(session, *lines(number))
        turns.turn(0.2)
    assert 2 <= len(heard) <= 4, "once a second, of these two and a half"
    so_far = [text for texts in heard for text in texts]
    assert so_far == [str(number) for number in range(len(so_far))]
    while turns.loop.stats.overloaded:
        turns.turn()
    turns.turn()
    assert [text for texts in heard for text in texts] == [str(number) for number in range(25)]


def test_what_those_who_watch_have_not_heard_of_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observers, "MOST_UNTOLD", 5)
    told: list[Changes] = []
    watched = Observers()
    watched.each += [lambda changes: 1 / 0, told.append]  # type: ignore[list-item]
    for number in range(12):
        watched.note(Changes([], [(None, number)]))  # type: ignore[list-item]
        watched.tell(0.0, overloaded=True)
    assert [[flags for _, flags in changes.dirty] for changes in told] == [
        [0],
        [1, 2, 3, 4, 5],
        [6, 7, 8, 9, 10],
    ]
    watched.tell(0.0, overloaded=False)
    assert [flags for _, flags in told[-1].dirty] == [11]
    watched.tell(5.0, overloaded=False)
    assert len(told) == 4


def test_clients_that_had_lost_messages_are_told_anew_a_few_in_a_turn() -> None:
    turns = Turns()
    crowd = turns.crowd(10)
    assert isinstance(turns.game.view, ToyView)
    for session in reversed(crowd):
        turns.loop.refresh(session)
        turns.links[session.id].sent.clear()

    def refreshed() -> list[int]:
        return [n for n, link in turns.links.items() if any(is_show(message) for message in link.sent)]

    turns.loop.budget = Budget(LEAST, overloaded=True)
    turns.turn()
    assert refreshed() == [7, 8, 9, 10], "those who have waited longest"
    assert len(refreshed()) == REFRESHED
    turns.turn()
    turns.turn()
    assert refreshed() == list(range(1, 11))
    assert not turns.loop._stale


def is_show(message: object) -> bool:
    """Whether it places somebody."""
    return isinstance(message, Body) and message.raw[0] == Show.opcode


async def test_a_loop_that_was_overloaded_finds_out_that_it_is_over_though_nothing_happens(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    await settle()
    stage.loop.budget = Budget(LEAST, overloaded=True)
    stage.loop.wake()
    await settle(2)
    assert not stage.loop.stats.overloaded
    turns = stage.loop.stats.turns
    await settle(10)
    assert stage.loop.stats.turns == turns, "and sleeps again"
