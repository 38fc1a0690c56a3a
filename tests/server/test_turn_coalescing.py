"""What tells a client only where others go waits for more of it, while it takes long to send that to
everybody; nothing else waits, and nothing overtakes it.

Times come from a stopwatch that goes on by a millisecond for each message that is sent."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import attrs
import pytest
import trio

from server.turn.calls import Call
from server.turn.coalescing import FREE, LATER, LEAST, LONG, OWED, TIMES, Coalescer
from tests.kit.datagrams import datagram_pipe
from tests.kit.pipe import End
from tests.kit.stage import Stage, ToyClient, settle
from tests.kit.toys import (
    Heard,
    Hello,
    Hide,
    Probe,
    Put,
    Show,
    Step,
    Stepping,
    Welcome,
    brook,
    pebble,
    toy_decode,
)
from tests.kit.turns import SQUARE, Turns, lines
from world import motion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trio.testing import MockClock

    from protocol.session import Session
    from protocol.wire.body import Body
    from protocol.wire.declare import Packet

COUNT = 20
EAST, WEST = 2, 6
MEASURED = 60
"""Turns after which it is known what it costs to send something to one client."""


class Square:
    """Some on one square, who know one another; nobody was sent anything for a second."""

    def __init__(self, count: int = COUNT, *, motion_ms: float = 100.0, each: float = 0.001) -> None:
        """`each`: seconds that it takes to send a step to one of them."""
        self.turns = Turns()
        self.turns.network = attrs.evolve(self.turns.network, motion_ms=motion_ms)
        self.turns.per_message = each
        self.sessions = self.turns.crowd(count)
        self.now = self.turns.world.now
        for turn in range(MEASURED):
            self.steps(self.sessions[0], (EAST, WEST)[turn % 2])
            self.turn(1.0)
        self.read()
        self.now += 1.0

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


def test_steps_wait_by_what_it_takes_to_send_them_to_everybody_and_answers_do_not() -> None:
    square = Square(count=4)
    wait = TIMES * (4 * 0.001 - FREE)
    square.steps(square.sessions[0])
    square.turn(0.0)
    assert square.read() == [[Stepping]] * 4, "nobody was sent anything for a while"
    square.steps(square.sessions[1])
    square.turn(0.9 * wait)
    assert square.read() == [[], [Stepping], [], []], "who was led there itself is told so"
    due = square.turns.loop.coalescer.due
    assert due is not None
    assert due - square.now == pytest.approx((0.1 + LATER) * wait, rel=0.1)
    square.steps(square.sessions[2])
    square.turn(0.2 * wait)
    assert square.read() == [[Stepping] * 2, [], [Stepping] * 2, [Stepping] * 2], "the second was sent a step"
    square.turn(wait)
    assert square.read() == [[], [Stepping], [], []]
    assert square.turns.loop.coalescer.due is None


def test_they_wait_as_long_as_the_operator_lets_them() -> None:
    square = Square(motion_ms=70)
    square.steps(square.sessions[0])
    square.turn(0.0)
    square.read()
    square.steps(square.sessions[0])
    square.turn(0.069)
    assert square.read() == [[Stepping]] + [[]] * (COUNT - 1)
    square.turn(0.002)
    assert square.read() == [[]] + [[Stepping]] * (COUNT - 1), "with no further step"


@pytest.mark.parametrize(
    ("motion_ms", "each"), [(0, 0.001), (1000 * LEAST, 0.001), (100, 0.99 * (FREE + LEAST / TIMES) / COUNT)]
)
def test_not_at_all_if_they_are_not_to_or_it_is_for_next_to_nothing(motion_ms: float, each: float) -> None:
    square = Square(motion_ms=motion_ms, each=each)
    for _ in range(3):
        square.steps(square.sessions[0])
        square.turn(0.0001)
        assert square.read() == [[Stepping]] * COUNT


def test_words_do_not_wait_and_what_waited_comes_before_them() -> None:
    square = Square()
    square.steps(square.sessions[0])
    square.turn(0.0)
    square.read()
    square.steps(square.sessions[0])
    square.turn(0.01)
    square.read()
    square.turns.says(square.sessions[1], *lines("look"))
    square.turn(0.01)
    assert square.read() == [[Heard]] + [[Stepping, Heard]] * (COUNT - 1)
    square.turn(0.2)
    assert square.read() == [[]] * COUNT, "and not again"


@pytest.mark.parametrize(
    ("said", "called", "of_late", "early"),
    [
        ([Put(1, 1)], False, 1.01 * LONG, True),
        ([Put(1, 1)] * 3, False, 1.01 * LONG, True),
        ([Put(1, 1)], False, 0.99 * LONG, False),
        ([Put(1, 1)], True, 1.01 * LONG, False),
        ([Probe()], False, 1.01 * LONG, False),
        ([Put(1, 1), Probe()], False, 1.01 * LONG, False),
        ([Probe(), Put(1, 1)], False, 1.01 * LONG, False),
    ],
)
def test_in_turns_that_take_long_who_asked_for_steps_alone_is_answered_before_views_are_asked(
    said: list[Packet], called: bool, of_late: float, early: bool
) -> None:
    """Whose answer may be taken for the sign that all is done waits for all that is told."""
    square = Square()
    loop, asker, before = square.turns.loop, square.sessions[1], list[list[list[type[object]]]]()
    tell = loop.tell

    def telling(
        woken: Iterable[Session] = (), stale: Iterable[Session] = (), again: Sequence[Session] = ()
    ) -> None:
        before.append(square.read())
        tell(woken, stale, again)

    loop.tell = telling  # type: ignore[method-assign]
    for packets, is_early in ((said, early), ([Put(1, 1)], of_late > LONG)):
        loop.coalescer._of_late = loop.stats.last_seconds = of_late
        asker.send(Welcome(7))
        if called and packets is said:
            loop._calls.append((asker.id, Call(lambda world: None, join=False)))
        square.turns.says(asker, *packets)
        square.turns.says(square.sessions[2], *lines("look"))
        square.turn(1.0)
        square.turns.links[asker.id].busy = False
        assert before.pop() == [[], [Welcome] * is_early] + [[]] * (COUNT - 2)
        assert square.read() == [[Heard], [Welcome] * (not is_early) + [Heard]] + [[Heard]] * (COUNT - 2)


def test_who_was_answered_early_is_not_sent_steps_by_themselves() -> None:
    square = Square()
    asker = square.sessions[1]
    flushes = square.turns.links[asker.id].flushes
    square.turns.loop.coalescer._of_late = 1.0
    asker.send(Welcome(7))
    square.turns.says(asker, Put(1, 1))
    square.steps(square.sessions[0])
    square.turn(1.0)
    assert square.read() == [[Stepping], [Welcome]] + [[Stepping]] * (COUNT - 2)
    square.turn(0.2)
    assert square.read() == [[], [Stepping]] + [[]] * (COUNT - 2)
    assert square.turns.links[asker.id].flushes == flushes + 2


def test_an_edge_hears_of_early_answers_at_once() -> None:
    """Once, when all of them are said."""
    said: list[str] = []

    class Edge:
        def push(self) -> None:
            said.append("pushed")

    edge = Edge()

    def asker(name: str, *outbox: bytes) -> Session:
        link = SimpleNamespace(flush=lambda: said.append(name))
        of = {
            "link": link,
            "outbox": outbox,
            "sent_at": 0.0,
            "multicast": edge,
            "blind": name == "dora",
        }
        return cast("Session", SimpleNamespace(id=name, **of))

    askers = [asker("anna", b"yes"), asker("bert"), asker("cora", b"no"), asker("dora", b"come in")]
    askers.append(asker("emil", b"done"))
    coalescer = Coalescer(lambda: 100.0, lambda: 0.0)
    for took in (10.0, 0.9 * LONG):  # one that took long is no reason
        coalescer.answer_early(coalescer.hasty(askers, took), 5.0)
    assert said == []
    for _ in range(2):
        coalescer.patient.add(askers[-1].id)
        coalescer.answer_early(coalescer.hasty(askers, 3 * LONG), 5.0)
    assert said == ["anna", "cora", "pushed"]
    assert [one.sent_at for one in askers] == [5.0, 0.0, 5.0, 0.0, 0.0]


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


def test_what_waits_counts_for_the_pace_as_if_a_turn_had_sent_its_part() -> None:
    square = Square()
    loop = square.turns.loop
    square.steps(square.sessions[0])
    square.turn(0.0)
    assert loop.stats.last_seconds == pytest.approx(COUNT * 0.001)
    assert loop.coalescer.owed == 0
    square.steps(square.sessions[0])
    square.turn(0.01)
    assert loop.stats.last_seconds == pytest.approx(0.001)
    assert loop.coalescer.owed == pytest.approx(OWED * (COUNT - 1) * 0.001, rel=0.1)


def slow_stage(nursery: trio.Nursery) -> Stage:
    """By its stopwatch it takes 10 ms to send anything."""
    stage = Stage(nursery)
    stage.loop.coalescer = Coalescer(lambda: 100.0, itertools.count(0.0, 0.01).__next__)
    return stage


async def test_the_loop_sends_by_itself_what_has_waited(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = slow_stage(nursery)
    anna, bert = (stage.client(brook(), name) for name in ("Anna", "Bert"))
    await settle()
    for _ in range(2):
        anna.say(Step(EAST))
        await trio.sleep(0.045)
        assert len(bert.of(Stepping)) == 1, "the second one waits"
    await trio.sleep(0.1 * (1 + LATER))
    assert len(bert.of(Stepping)) == 2, "and nothing else has happened"


async def test_what_a_client_says_does_not_fetch_what_waits_for_more(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    """Half a packet on a stream, and a datagram that only acknowledges: neither is answered."""
    stage = slow_stage(nursery)
    anna, bert = (stage.client(brook(), name) for name in ("Anna", "Bert"))
    ours, theirs = datagram_pipe()
    stage.connect(pebble(), theirs)
    carl = ToyClient(ours, pebble())
    nursery.start_soon(carl.run)
    carl.say(Hello(b"Carl"))
    await settle()
    for _ in range(2):
        anna.say(Step(EAST))
        await trio.sleep(0.02)
    assert isinstance(bert.end, End)
    bert.end.send_nowait(Step(EAST).encode()[:1])
    ours.send(bytes(8))
    await trio.sleep(0.02)
    assert [len(one.of(Stepping)) for one in (bert, carl)] == [1, 1]
    await settle()
    assert [len(one.of(Stepping)) for one in (bert, carl)] == [2, 2]


async def test_what_could_not_leave_leaves_when_there_is_room(
    nursery: trio.Nursery, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its time was over while its client was behind, and the world does nothing more."""
    stage = Stage(nursery)
    anna = stage.client(brook(), "Anna")
    ours, theirs = datagram_pipe()
    codec = stage.connect(pebble(), theirs).session.codec
    carl = ToyClient(ours, pebble())
    nursery.start_soon(carl.run)
    carl.say(Hello(b"Carl"))
    await settle()
    monkeypatch.setattr(codec, "clogged", True)
    anna.say(Step(EAST))
    await settle()
    assert carl.of(Stepping) == []
    monkeypatch.setattr(codec, "clogged", False)
    ours.send(bytes(8))
    await settle()
    assert len(carl.of(Stepping)) == 1
