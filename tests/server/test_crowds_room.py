"""How many others each client of a crowd is shown, by how busy the turns are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from server.turn.crowds import CALM_WINDOWS, FEWER, FEWEST, MORE_AGAIN, Room
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
    assert (room.of(250), room.of(2), room.of(0)) == (62, 1, 0)


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
