"""What tells a client only where others go waits for more of it, while it takes long to send that to
everybody; nothing else waits, and nothing overtakes it.

Times come from a stopwatch that goes on by a millisecond for each message that is sent."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, cast

import attrs
import pytest
import trio

from server.turn.coalescing import LEAST, TIMES, Coalescer
from tests.kit.stage import Stage, settle
from tests.kit.toys import Heard, Hide, Show, Step, Stepping, brook, toy_decode
from tests.kit.turns import SQUARE, Turns, lines
from world import motion

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.session import Session
    from protocol.wire.body import Body

COUNT = 20
EAST, WEST = 2, 6


class Square:
    """Some on one square, who know one another, and when the last of them were sent something."""

    def __init__(self, count: int = COUNT, motion_ms: float = 100.0) -> None:
        self.turns = Turns()
        self.turns.network = attrs.evolve(self.turns.network, motion_ms=motion_ms)
        self.turns.per_message = 0.001
        self.sessions = self.turns.crowd(count)
        self.now = self.turns.world.now + 1.0
        self.turn(0.0)
        self.read()

    def turn(self, later: float) -> None:
        """A turn, so many seconds after the last."""
        self.now += later
        self.turns.loop.turn(self.now)

    def steps(self, session: Session, heading: int = EAST) -> None:
        """Its mobile is led a step."""
        assert session.mobile is not None
        assert motion.step(session.mobile, heading)

    def read(self) -> list[list[type[object]]]:
        """What each was sent since."""
        found: list[list[type[object]]] = []
        for session in self.sessions:
            link = self.turns.links[session.id]
            found.append([type(toy_decode(cast("Body", message).raw)) for message in link.sent])
            link.sent.clear()
        return found


def test_steps_wait_ten_times_as_long_as_it_took_to_send_them_and_so_do_answers_not() -> None:
    square = Square(count=6)
    square.steps(square.sessions[0])
    square.turn(1.0)
    assert square.read() == [[Stepping]] * 6, "a server with little to do keeps nothing back"
    square.steps(square.sessions[1])
    square.turn(TIMES * 0.006 - 0.001)
    assert square.read() == [[], [Stepping], [], [], [], []], "who was led there itself is told so"
    assert square.turns.loop.coalescer.due == pytest.approx(square.now + 0.001)
    square.steps(square.sessions[2])
    square.turn(0.001)
    expected = [[Stepping, Stepping]] * 6
    expected[1] = [Stepping]
    assert square.read() == expected


def test_they_wait_as_long_as_the_operator_lets_them() -> None:
    square = Square(motion_ms=70)
    square.steps(square.sessions[0])
    square.turn(1.0)
    square.read()
    square.steps(square.sessions[0])
    square.turn(0.069)
    assert square.read() == [[Stepping]] + [[]] * (COUNT - 1)
    square.turn(0.001)
    assert square.read() == [[]] + [[Stepping]] * (COUNT - 1), "with no further step"


def test_not_at_all_if_they_are_not_to_or_it_is_for_next_to_nothing() -> None:
    for square in (Square(motion_ms=0), Square(motion_ms=1000 * LEAST), Square(count=1)):
        for _ in range(3):
            square.steps(square.sessions[0])
            square.turn(0.0001)
            assert all(told == [Stepping] for told in square.read())


def test_words_do_not_wait_and_what_waited_comes_before_them() -> None:
    square = Square()
    square.steps(square.sessions[0])
    square.turn(1.0)
    square.read()
    square.steps(square.sessions[0])
    square.turn(0.01)
    square.read()
    square.turns.says(square.sessions[1], *lines("look"))
    square.turn(0.01)
    assert square.read() == [[Heard]] + [[Stepping, Heard]] * (COUNT - 1)
    square.turn(0.08)
    assert square.read() == [[]] * COUNT, "and not again"


def test_who_comes_into_sight_and_goes_out_of_it_waits_as_its_steps_do() -> None:
    square = Square()
    stranger = square.turns.join(99, (SQUARE[0] + 9, SQUARE[1]))
    square.turn(1.0)
    square.read()
    square.steps(stranger, WEST)
    square.turn(1.0)
    assert square.read() == [[Show]] * COUNT
    for heading, told in ((EAST, Hide), (WEST, Show)):
        square.steps(stranger, heading)
        square.turn(0.09)
        assert square.read() == [[]] * COUNT
        square.turn(0.02)
        assert square.read() == [[told]] * COUNT


def test_what_waits_counts_for_the_pace_as_if_it_had_been_sent() -> None:
    square = Square()
    square.steps(square.sessions[0])
    square.turn(1.0)
    took = square.turns.loop.stats.last_seconds
    assert took == pytest.approx(COUNT * 0.001)
    square.steps(square.sessions[0])
    square.turn(0.01)
    loop = square.turns.loop
    assert loop.stats.last_seconds == pytest.approx(0.001)
    assert loop.coalescer.owed == pytest.approx(took)
    square.turn(0.1)
    assert loop.coalescer.owed == 0


async def test_the_loop_sends_by_itself_what_has_waited(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    stage.loop.coalescer = Coalescer(lambda: 100.0, itertools.count(0.0, 0.01).__next__)
    anna, bert = (stage.client(brook(), name) for name in ("Anna", "Bert"))
    await settle()
    for _ in range(2):
        anna.say(Step(EAST))
        await trio.sleep(0.05)
        assert len(bert.of(Stepping)) == 1, "the second one waits"
    await trio.sleep(0.06)
    assert len(bert.of(Stepping)) == 2, "and nothing else has happened"
