"""What the loop tells other threads of its turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.session import Phase
from server.operate.place import Place
from server.turn.pulse import RECENT, RECENT_SECONDS, Pulse, overload
from server.turn.stats import TurnStats
from tests.kit.stage import Stage, settle
from tests.kit.toys import Probe, Step, brook
from world.heading import EAST

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from protocol.session import Session


async def test_each_stage_and_packet_is_told_while_it_lasts(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage, game = Stage(nursery), brook()
    pulse, seen = stage.loop.pulse, list[str]()

    def look(_: object = None) -> None:
        seen.append(pulse.standing().partition(" s: ")[2].partition(" for ")[0])

    @game.doors["game"].table.on(Probe, during=frozenset(Phase))
    def probe(session: Session, packet: Probe) -> None:
        look()

    client = stage.client(game, "Anna")
    await settle()
    assert (pulse.standing(), pulse.seconds()) == ("", 0)
    stage.loop.observers.append(look)
    client.say(Probe(), Step(EAST))
    stage.world.timers.after(0.0, look)
    stage.loop.depart(look)
    await stage.loop.in_world(None, look)
    await settle()
    packet = f"inputs, Probe of {stage.loop.sessions[1]!r}"
    assert sorted(set(seen)) == sorted({"inputs", packet, "timers", "views", "the rest"})
    assert pulse.report[1:3] == (stage.world.tick, stage.loop.stats.turns)
    assert pulse.report[-2:] == (1, ("Anna",))
    assert pulse.client is None, "who leaves is kept in memory by nobody"


def test_a_turn_is_told_in_words() -> None:
    now = [100.0]
    pulse = Pulse(clock=lambda: now[0])
    pulse.enter("inputs")
    now[0] = 103.25
    assert pulse.standing() == "the world has been at one turn for 3.2 s: inputs"
    pulse.longest = (1.5, "Walk of <Session 7>")
    pulse.enter("views")
    now[0] = 109.0
    assert pulse.standing() == (
        "the world has been at one turn for 9.0 s: views for 5.8 s, "
        "the longest handler took 1500 ms (Walk of <Session 7>)"
    )
    assert pulse.seconds() == 9.0
    assert any(call.startswith("tests/server/test_pulse.py:") for call in Place(pulse).stack())
    pulse.rest(1, TurnStats(turns=5), {})
    assert Place(pulse).line().startswith("no turn is under way, at server/operate/place.py:")
    assert pulse.report.turns == 5
    pulse.enter("inputs")
    assert pulse.standing() == "the world has been at one turn for 0.0 s: inputs", "a new one"


@pytest.mark.parametrize(
    ("seconds", "ago", "told"),
    [
        ([], 0, ""),
        ([0.05] * 30, 0, ""),
        ([0.2] * 30, 0, f"overloaded: {RECENT} of the last {RECENT} turns took more than 100 ms"),
        ([0.05] * 11 + [0.2] * 9, 0, ""),
        ([0.05] * 30 + [0.2] * 10, 0, "overloaded: 10 of the last 20 turns took more than 100 ms"),
        ([0.2] * 30, RECENT_SECONDS + 1, ""),
        ([9.0], 1, "overloaded: 1 of the last 1 turns took more than 100 ms"),
    ],
)
def test_a_server_is_overloaded_whose_last_turns_were_long(
    seconds: list[float], ago: float, told: str
) -> None:
    now = 1000.0
    stats = TurnStats(turns=len(seconds))
    stats.seconds.extend(seconds)
    stats.started.extend([now - ago] * len(seconds) + [now])
    assert overload(stats, now) == told
