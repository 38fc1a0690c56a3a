"""PostgreSQL's primary dies and its standby takes over (issue 22, proof 7): with a synchronous standby no
epoch of a world goes back and no row that was acknowledged is lost; with one that may lag behind both happen,
and the same questions say so.

Skipped where PostgreSQL or psycopg is not installed; CI has both.
"""

from __future__ import annotations

import os
import random
from contextlib import closing
from typing import Final

import pytest

from tests.kit import postgres
from tests.kit.failover import Pair

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [
    pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY),
    pytest.mark.timeout(180),
]

ROUNDS: Final = int(os.environ.get("CAUSEWAY_SOAK_FAILOVERS", "20"))


def fails_over(pair: Pair, seed: int, *, behind: bool) -> list[str]:
    """What of it was promised and is not so."""
    with pair.writes() as promised:
        if behind:
            pair.falls_behind()
        pair.primary_dies(promised, random.Random(seed))
    pair.stands_in()
    return pair.broken(promised)


def test_what_a_synchronous_standby_has_acknowledged_is_there_when_it_takes_over() -> None:
    with closing(Pair(synchronous=True)) as pair:
        assert fails_over(pair, 1, behind=False) == []


def test_with_a_standby_that_lags_behind_the_same_questions_find_what_is_lost() -> None:
    """A test that cannot fail shows nothing: epochs go back here, and rows are gone."""
    with closing(Pair(synchronous=False)) as pair:
        wrong = fails_over(pair, 2, behind=True)
        assert any("the epoch of the world went back" in line for line in wrong), wrong
        assert any("as one before" in line for line in wrong), wrong
        assert any("notes" in line for line in wrong), wrong


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(100, 100 + ROUNDS))
def test_one_fail_over_after_another(seed: int) -> None:
    with closing(Pair(synchronous=True)) as pair:
        assert fails_over(pair, seed, behind=False) == []
