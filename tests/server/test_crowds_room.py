"""How many others each client of a crowd is shown, by how busy the turns are."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import attrs
import pytest

from server.turn import crowds, fanout
from server.turn.crowds import CALM_WINDOWS, FEW_MORE, FEWER, FEWEST, MORE_AGAIN, TOGETHER, Room
from tests.kit.turns import Turns, lines

if TYPE_CHECKING:
    from collections.abc import Iterator


def shares(
    busy: float, *, left: bool, crowded: bool = True, turns: int = 100, share: float = 1.0
) -> Iterator[float]:
    """The part of the limit after each tenth of a second that turns took so much of."""
    room = Room()
    room.share = share
    for number in range(1, turns + 1):
        room.note(number / 10, busy / 10, left=left, crowded=crowded)
        yield room.share


def test_while_turns_fill_the_time_and_inputs_wait_clients_are_shown_fewer_and_never_nobody() -> None:
    told = list(dict.fromkeys(shares(0.9, left=True)))
    assert told[:2] == [1.0, FEWER]
    assert told[-1] == FEWEST
    room = Room()
    room.share = FEWEST
    assert (room.of(250), room.of(2), room.of(0)) == (50, 1, 0)


@pytest.mark.parametrize(
    ("busy", "left", "crowded"), [(0.9, False, True), (0.6, True, True), (0.9, True, False)]
)
def test_nobody_is_shown_fewer_for_turns_that_are_long_alone_or_where_nobody_lacks_room(
    busy: float, left: bool, crowded: bool
) -> None:
    assert set(shares(busy, left=left, crowded=crowded)) == {1.0}


def test_once_there_is_time_again_they_are_shown_more_step_by_step() -> None:
    told = [*shares(0.3, left=False, share=FEWEST, turns=1000)]
    assert set(told[: 5 * CALM_WINDOWS - 1]) == {FEWEST}
    steps = list(dict.fromkeys(told))
    assert steps[1] == pytest.approx(FEWEST * MORE_AGAIN)
    assert steps[-1] == 1.0


def test_a_crowd_that_talks_too_much_is_shown_fewer_and_all_of_it_is_done() -> None:
    turns = Turns()
    turns.network = attrs.evolve(turns.network, crowd=20)
    turns.per_message = 20e-6
    crowd = turns.crowd(60)
    limits = []
    for number in range(80):
        for session in crowd:
            if not session.inbox:
                turns.says(session, *lines(number, number))
        turns.turn(0.09)
        limits.append(turns.world.crowd)
    assert limits[0] == 20
    assert 5 <= limits[-1] < 12
    assert all(session.known.company <= 2 * limits[-1] for session in crowd)
    assert turns.loop.stats.load().endswith(f"each client is shown {limits[-1]} others at most")
    turns.all_turns()
    for _ in range(600):
        turns.turn()
    assert turns.world.crowd == 20
    assert {session.known.company for session in crowd} == {20}


def test_the_more_stand_together_the_fewer_each_is_shown_and_one_more_changes_nothing() -> None:
    room = Room()
    for together, most in [
        (0, 1.0),
        (TOGETHER, 1.0),
        (1.1 * TOGETHER, 1.0),
        (2 * TOGETHER, 0.5),
        (2.1 * TOGETHER, 0.5),
        (1.9 * TOGETHER, 0.5),
        (100 * TOGETHER, FEWEST),
        (0.99 * TOGETHER, 1.0),
    ]:
        room.expect(together)
        assert room.most == most
    assert 1.1 < 1 / FEW_MORE < 2


def test_turns_that_fill_the_time_make_it_fewer_than_that() -> None:
    room = Room()
    room.expect(2 * TOGETHER)
    assert room.of(250) == 125
    for number in range(1, 7):
        room.note(number / 10, 0.09, left=True, crowded=True)
    assert room.of(250) == int(125 * FEWER)


def test_who_comes_into_a_great_crowd_is_shown_few_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowds, "TOGETHER", 20)
    turns = Turns()
    turns.network = attrs.evolve(turns.network, crowd=20)
    first = turns.crowd(20)
    for _ in range(30):
        turns.turn()
    assert turns.world.crowd == 20
    assert {session.known.company for session in first} == {19}
    more = turns.crowd(40, 21)
    for _ in range(60):
        turns.turn()
    assert turns.world.crowd == int(20 * 20 / 60)
    assert {session.known.company for session in first + more} == {turns.world.crowd}
    last = turns.join(61)
    turns.loop.ready(last)
    turns.turn()
    assert last.known.company == turns.world.crowd
    for session in [*more, last]:
        assert session.mobile is not None
        turns.world.close_viewport(session.mobile)
        turns.world.leave(session.mobile)
        del turns.loop.sessions[session.id]
    for _ in range(60):
        turns.turn()
    assert turns.world.crowd == 20
    assert {session.known.company for session in first} == {19}


def test_a_smaller_limit_is_told_little_by_little(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 30
    monkeypatch.setattr(fanout, "MOST_CHANGES", most)
    turns = Turns()
    turns.network = attrs.evolve(turns.network, crowd=20)
    sessions = turns.crowd(60)
    turns.network = attrs.evolve(turns.network, crowd=5)
    left = [sum(session.known.company for session in sessions)]
    for _ in range(100):
        turns.turn()
        left.append(sum(session.known.company for session in sessions))
    assert left[0] == 60 * 20
    assert {session.known.company for session in sessions} == {5}
    told = [before - after for before, after in itertools.pairwise(left)]
    assert most < max(told) <= most + 15
