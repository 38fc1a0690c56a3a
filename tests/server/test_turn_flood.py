"""A flood from one spot, and those who walk elsewhere: what they wait for their answers.

Times come from a stopwatch that goes on with what is sent and done, so that the same happens each time."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import pytest

from server.settings.config import Network
from tests.kit.turns import Turns, lines

if TYPE_CHECKING:
    from protocol.session import Session

LONGEST = 0.1
"""Seconds that 99 of 100 answers may take elsewhere."""
SECONDS = 11.0
KNOWN = 2.0
"""Seconds by which it is known what the flood costs."""
WALKERS = 30
EVERY = 0.4
"""Seconds from a step to the next."""


def answers(
    turns: Turns, flooders: list[Session], walkers: list[Session], dice: random.Random
) -> list[float]:
    """What each input of the walkers waited until its answer was sent, while the others never stop; from when
    it is known what these cost."""
    waited: list[tuple[float, float]] = []
    begin = turns.seconds
    sent: dict[int, list[float]] = {session.id: [] for session in walkers}
    coming = [(begin + dice.uniform(0, EVERY), session) for session in walkers]
    for session in walkers:
        turns.links[session.id].sending = partial(_answered, turns, session, sent[session.id], waited)
    while turns.seconds < begin + SECONDS:
        for session in flooders:
            if len(session.inbox) < 10:
                turns.says(session, *lines(*range(20)))
        now = turns.seconds
        for at, session in [one for one in coming if one[0] <= now]:
            turns.says(session, *lines("step"))
            sent[session.id].append(at)
            coming.remove((at, session))
            coming.append((at + EVERY, session))
        turns.turn()
    return [seconds for at, seconds in waited if at > begin + KNOWN]


def _answered(turns: Turns, session: Session, sent: list[float], waited: list[tuple[float, float]]) -> None:
    """What was taken from its inbox is answered now."""
    done = len(sent) - len(session.inbox)
    waited += [(at, turns.seconds - at) for at in sent[:done]]
    del sent[:done]


@pytest.mark.parametrize("count", [20, 40, 63, 100, 200])
def test_whoever_floods_one_spot_keeps_nobody_elsewhere_waiting(count: int) -> None:
    turns = Turns()
    turns.network = Network()
    turns.per_message = 20e-6
    flooders = turns.crowd(count)
    walkers = [turns.join(500 + n, (4 + 15 * (n % 6), 50 + 8 * (n // 6))) for n in range(WALKERS)]
    turns.turn()
    waited = answers(turns, flooders, walkers, random.Random(count))
    assert len(waited) > 0.9 * WALKERS * (SECONDS - KNOWN) / EVERY
    assert sorted(waited)[int(0.99 * len(waited))] < LONGEST
    done = [who for _, who, _ in turns.deeds if who <= count]
    assert len(done) * count * turns.per_message > 0.5 * SECONDS, "and the flood has what is left of the time"
