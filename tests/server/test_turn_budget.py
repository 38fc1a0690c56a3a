"""What a turn takes in: everything while it fits, else in fair order. Nothing that a player did is lost.

Times come from a stopwatch that the tests set. A turn that takes 80 ms of the 100 that it may is neither
short nor too long, so that the allowance stays as it is (`tests/server/test_turn_load.py`)."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.dispatch import Interval
from protocol.endings import Ending, WireError
from protocol.session import Phase, Session
from protocol.wire.body import Body
from server.turn import budget
from server.turn.budget import FULL, cost_of
from server.turn.line import Line
from server.turn.loop import Call
from tests.kit.stage import Stage, settle
from tests.kit.toys import Nudge, Probe, Put, Say, Step, brook
from tests.kit.turns import HELD, OUTSIDE, Turns, by_session, lines
from world.heading import EAST

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock


@pytest.fixture(autouse=True)
def _turns_keep_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer ones, where everybody waits, are another matter (`test_turn_load`)."""
    monkeypatch.setattr(budget, "ALL_WAIT", 1.0)
    monkeypatch.setattr(budget, "THIN", -1.0)  # three stand for a crowd here


# What fits, and what does not


def test_what_fits_is_taken_by_client_each_in_one_go() -> None:
    turns = Turns()
    sessions = turns.crowd(5)
    for session in reversed(sessions):
        turns.says(session, *lines(1, 2, 3))
    turns.loop.budget.allowance = 15 * (1 + 5)
    assert turns.turn(HELD) == [(n, str(word)) for n in range(1, 6) for word in (1, 2, 3)]
    assert turns.loop.stats.waiting == 0
    assert not turns.hurries


def test_one_more_than_fits_is_taken_one_from_each_and_around_again() -> None:
    turns = Turns()
    sessions = turns.crowd(5)
    for session in reversed(sessions):
        turns.says(session, *lines(1, 2, 3))
    turns.loop.budget.allowance = 15 * (1 + 5) - 1
    assert turns.turn(HELD) == [(n, str(word)) for word in (1, 2, 3) for n in range(1, 6)]
    turns.says(sessions[0], *lines(4))
    turns.loop.budget.allowance = 7 * (1 + 5)
    for session in sessions:
        turns.says(session, *lines(5, 6))
    assert turns.turn(HELD) == [(1, "4"), *((n, "5") for n in range(2, 6)), (1, "5"), (2, "6")]
    assert turns.hurries, "the rest is for the next turn, which comes at once"
    assert (turns.loop.stats.waiting, turns.loop.stats.overloaded) == (4, True)
    assert turns.turn(HELD) == [(3, "6"), (4, "6"), (5, "6"), (1, "6")], "those whose turn it was come first"


@pytest.mark.parametrize("k", [1, 7, 20, 51])
def test_everybodys_first_is_taken_before_a_flooders_second(k: int) -> None:
    turns = Turns()
    flooder, *walkers = turns.crowd(51)
    turns.says(flooder, *lines(*range(60)))
    for session in walkers:
        turns.says(session, *lines("mine"))
    turns.loop.budget.allowance = k * (1 + 51)
    taken = turns.all_turns(HELD)
    assert {len(turn) for turn in taken[:-1]} == {k}, "each turn takes what it may, and no more"
    assert len(taken) == math.ceil(110 / k)
    assert [number for turn in taken for number, _ in turn][:52] == [*range(1, 52), 1]
    assert max(n for n, turn in enumerate(taken) if any(number > 1 for number, _ in turn)) < math.ceil(51 / k)
    assert by_session(taken) == {
        1: [str(number) for number in range(60)],
        **{session.id: ["mine"] for session in walkers},
    }


def test_among_those_who_send_all_the_time_nobody_waits_longer_than_a_round() -> None:
    turns = Turns()
    sessions = turns.crowd(23)
    turns.loop.budget.allowance = 4 * (1 + 23)
    last: dict[int, int] = {}
    for number in range(60):
        for session in sessions:
            if len(session.inbox) < 2:
                turns.says(session, *lines(number))
        for who, _ in turns.turn(HELD):
            assert number - last.get(who, -1) <= math.ceil(23 / 4), who
            last[who] = number
    assert len(last) == 23


def test_each_kind_of_packet_keeps_its_place_and_what_nobody_sees_costs_little() -> None:
    turns = Turns()
    sessions = turns.crowd(10)
    sent = [Put(1, 0), Say(b"2"), Put(3, 0), Step(EAST), Put(4, 0), Say(b"5")]
    for session in sessions:
        turns.says(session, *sent)
    turns.loop.budget.allowance = 2 * (1 + 10)
    taken = turns.all_turns(HELD)
    assert by_session(taken) == {n: [1, "2", 3, 4, "5"] for n in range(1, 11)}
    assert len(taken[0]) == 10 + 2, "ten that nobody sees, and two that all do, or nearly"
    assert all(session.mobile is not None and session.mobile.x == 21 for session in sessions)


def test_who_walks_outside_is_served_in_each_turn_whatever_the_crowd_does() -> None:
    turns = Turns()
    crowd = turns.crowd(40)
    walkers = [turns.join(number, OUTSIDE) for number in (97, 98, 99)]
    turns.turn()
    for session in crowd:
        turns.says(session, *lines(*range(20)))
    turns.loop.budget.allowance = 4 * (1 + 40)
    for number in range(30):
        for session in walkers:
            turns.says(session, *lines(number))
        taken = turns.turn(HELD)
        assert {97, 98, 99} <= {who for who, _ in taken}, number
        assert 4 <= len(taken) <= 3 + 4
    theirs = [len([1 for _, who, _ in turns.deeds if who == session.id]) for session in crowd]
    assert max(theirs) - min(theirs) <= 1, "and the crowd shares what is left"
    assert sum(theirs) >= 30 * 3


def test_who_is_cheap_never_keeps_a_crowd_from_its_turn() -> None:
    turns = Turns()
    crowd = turns.crowd(20)
    loners = [turns.join(100 + n, (4 + 30 * (n % 3), 60 + 4 * (n // 3))) for n in range(3)]
    turns.turn()
    turns.loop.budget.allowance = 12.0
    for session in (*crowd, *loners):
        turns.says(session, *lines(*range(5)))
    taken = turns.all_turns(HELD)
    for turn in taken[:15]:
        assert any(who <= 20 for who, _ in turn), "one of the crowd in each turn, at least"
    for turn in taken[:5]:
        assert {100, 101, 102} <= {who for who, _ in turn}, "nor the other way round"
    assert by_session(taken) == {s.id: [str(n) for n in range(5)] for s in (*crowd, *loners)}


def test_the_order_is_by_who_waited_longest_and_cheap_are_whole_classes_of_cost() -> None:
    turns = Turns()
    crowd = turns.crowd(9)
    alone = turns.join(50, OUTSIDE)
    assert (cost_of(crowd[0]), cost_of(alone)) == (10, 2)
    line = Line()
    for session in (*crowd, alone, *crowd):
        line.join(session)
    assert len(line) == 10, "each once"

    def order(allowance: float, most: int = 99) -> tuple[list[int], int]:
        asked: list[bool] = []

        def goes_on(sure: bool) -> bool:
            asked.append(sure)
            return len(asked) <= most

        taken = [*line.served(allowance, goes_on)]
        for session in taken[:3]:
            line.join(session)
        return [session.id for session in taken], sum(asked)

    assert order(60.0, most=5) == ([1, 50, 2, 3, 4], 2)
    ids, _ = order(60.0)
    assert ids == [5, 50, 6, 7, 8, 9, 1, 2]
    for session in (crowd[7], alone, *crowd):
        line.join(session)
    assert order(220.0) == ([5, 50, 6, 8, 1, 2, 3, 4, 7, 9], 10 + 1), "for all of them half is enough"
    assert [*Line().served(10.0, lambda sure: True)] == []


# What else an input may be


def test_who_is_in_no_world_costs_its_input() -> None:
    turns = Turns()
    session = turns.join(1)
    session.mobile = None
    assert cost_of(session) == 1


def test_calls_run_whatever_is_used_up_each_before_its_own_clients_packets() -> None:
    turns = Turns()
    sessions = turns.crowd(6)
    turns.loop.budget.allowance = 1.0
    for session in sessions:
        turns.says(session, *lines("packet"))
    for number in (0, 3, 6):
        call: Call[object] = Call(lambda _, n=number: turns.deeds.append((0, n, "call")))  # type: ignore[misc]
        turns.loop._calls.append((number, call))
    assert turns.turn(HELD) == [(0, "call"), (3, "call"), (6, "call"), (1, "packet")]
    assert by_session(turns.all_turns(HELD)) == {n: ["packet"] for n in range(2, 7)}


def test_a_job_holds_what_follows_and_costs_nobody_a_turn() -> None:
    turns = Turns()
    sessions = turns.crowd(3)
    turns.says(sessions[0], Probe(), *lines("after"))
    for session in sessions[1:]:
        turns.says(session, *lines(1, 2))
    turns.loop.budget.allowance = 1 + 4 + 1
    assert turns.turn(HELD) == [(1, "probe"), (2, "1"), (3, "1")]
    assert turns.turn(HELD) == [(2, "2"), (3, "2")]
    assert turns.turn(HELD) == []
    assert not turns.loop._ready, "a client whose job runs is no reason for a turn"
    turns.links[1].busy = False
    turns.loop.ready(sessions[0])
    assert turns.turn(HELD) == [(1, "after")]


def test_who_ends_within_a_round_is_done_and_the_others_go_on() -> None:
    turns = Turns()

    @turns.table.on(Nudge, during=Phase.IN_WORLD)
    def wrong(session: Session, packet: Nudge) -> None:
        raise WireError("nonsense")

    sessions = turns.crowd(4)
    turns.says(sessions[1], Nudge(), *lines("never"))
    turns.says(sessions[2], *lines("!bug", "never"))
    for session in (sessions[0], sessions[3]):
        turns.says(session, *lines(1, 2))
    turns.loop.budget.allowance = 2.0
    taken = turns.all_turns(HELD)
    assert by_session(taken) == {1: ["1", "2"], 3: ["!bug"], 4: ["1", "2"]}
    assert (turns.links[2].ending, turns.links[3].ending) == (Ending.BAD_PACKET, Ending.OUR_BUG)


def test_who_departed_while_its_packets_waited_is_forgotten() -> None:
    turns = Turns()
    sessions = turns.crowd(3)
    for session in sessions:
        turns.says(session, *lines(1, 2))
    turns.loop.budget.allowance = 1.0
    turns.turn(HELD)
    del turns.loop.sessions[2]
    sessions[1].inbox.clear()
    assert by_session(turns.all_turns(HELD)) == {1: ["2"], 3: ["1", "2"]}
    assert (len(turns.loop._line), turns.loop._ready) == (0, {})


def test_what_means_nothing_in_its_phase_counts_and_is_passed_over() -> None:
    turns = Turns()
    sessions = turns.crowd(2)
    sessions[0].phase = Phase.MENU
    turns.says(sessions[0], *lines(1, 2, 3))
    turns.says(sessions[1], *lines(1, 2, 3))
    turns.loop.budget.allowance = 1.0
    assert by_session(turns.all_turns(HELD)) == {2: ["1", "2", "3"]}
    assert sessions[0].ignored == 3


@pytest.mark.parametrize("coalesced", [False, True])
def test_what_comes_before_its_time_waits_in_its_place_also_in_rounds(coalesced: bool) -> None:
    turns = Turns()
    del turns.table._entries[Put.opcode]
    turns.table.on(Put, during=Phase.IN_WORLD, every=Interval(1.0, coalesced=coalesced))(turns.put)
    sessions = turns.crowd(4)
    for session in sessions:
        turns.says(session, Put(1, 0), Put(2, 0), Put(3, 0), *lines("after"))
    taken: dict[int, list[tuple[float, object]]] = {n: [] for n in range(1, 5)}
    for _ in range(60):
        turns.loop.budget.allowance = 3.0
        for who, what in turns.turn(HELD):
            taken[who].append((turns.world.now, what))
    order: list[object] = [1, 3, "after"] if coalesced else [1, 2, 3, "after"]
    for deeds in taken.values():
        assert [what for _, what in deeds] == order
        times = [at for at, what in deeds if what != "after"]
        assert all(after - before >= 0.999 for before, after in pairwise(times))
    assert (turns.loop._waiting, turns.loop._alarms, turns.loop._ready) == ({}, [], {})


def test_readers_hear_of_room_if_something_was_taken_and_acknowledgements_leave_in_any_case() -> None:
    turns = Turns()
    sessions = turns.crowd(3)
    for session in sessions:
        turns.says(session, Put(1, 0), Put(2, 0), Put(3, 0))
        session.codec.send(Body(b"a word of the wire"))
        turns.links[session.id].drains = turns.links[session.id].flushes = 0
    turns.loop.budget.allowance = 2.0
    turns.turn(HELD)
    assert [turns.links[n].drains for n in (1, 2, 3)] == [1, 1, 0]
    assert all(turns.links[n].flushes for n in (1, 2, 3))
    turns.turn(HELD)
    assert [turns.links[n].drains for n in (1, 2, 3)] == [2, 1, 1]


async def test_a_flood_over_real_connections_keeps_its_order_and_loses_nothing(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    stage.settings.limits = attrs.evolve(stage.settings.limits, inbox_frames=8, packet_burst=1000)
    game, heard = brook(), dict[int, list[int]]()

    @game.doors["game"].table.on(Put, during=Phase.IN_WORLD)
    def put(session: Session, packet: Put) -> None:
        heard.setdefault(session.id, []).append(packet.x)

    clients = [stage.client(game, f"P{n}") for n in range(3)]
    await settle()
    before = stage.loop.stats.turns
    stage.loop.budget.allowance = 1.0
    for client in clients:
        client.say(*(Put(number, 0) for number in range(100)))
    await settle(4)
    assert heard == {n: list(range(100)) for n in (1, 2, 3)}
    assert stage.loop.stats.turns > before + 4
    assert (stage.loop.budget.allowance, stage.loop.stats.overloaded) == (FULL, False)
