"""Characters that are wanted at the same time, as after a restart.

On PostgreSQL, each world by a connection of its own. Skipped where that or psycopg is not installed; CI has
both.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from server.store.errors import Elsewhere, Outplayed
from server.store.records import TransferRow, Wish
from tests.kit import postgres
from tests.kit.claiming import at_once, claim

if TYPE_CHECKING:
    from tests.kit.realms import Worlds

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [
    pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY),
    pytest.mark.timeout(180),
]

ROUNDS = [12, pytest.param(2000, marks=(pytest.mark.soak, pytest.mark.timeout(0)))]
REALMS = ("field", "marsh", "tower")


def test_many_that_are_wanted_at_once_are_each_answered_as_alone(worlds: Worlds) -> None:
    first, second, _ = worlds.databases
    free, mine, other, doomed, away, far, sent = (
        worlds.character(name) for name in ("Arthur", "Bertram", "Cedric", "David", "Edgar", "Fred", "George")
    )
    second.claim_realms(REALMS, ["marsh"])
    first.claim_realms(REALMS)
    assert claim(first, mine.serial)
    assert claim(second, other.serial, anywhere=True)
    assert first.schedule_deletion(worlds.account.id, doomed.serial, 9.0)
    worlds.say(f"UPDATE character SET realm = 'marsh' WHERE serial IN ({away.serial}, {far.serial})")
    assert claim(second, sent.serial, anywhere=True)
    second.commit_batch(worlds.batch(sent, 77, transfers=[TransferRow("way", sent.serial, 1)]))
    login = first.raise_session(worlds.account.id)
    wishes = {
        Wish(free.serial, worlds.account.id, login): True,
        Wish(free.serial, worlds.account.id + 1): False,
        Wish(mine.serial): True,
        Wish(mine.serial, None, login - 1): Outplayed,
        Wish(other.serial): 2,
        Wish(doomed.serial): False,
        Wish(away.serial): 2,
        Wish(far.serial, anywhere=True): True,
        Wish(sent.serial): True,
        Wish(4711): False,
    }
    outcomes = first.claim_all([*wishes])
    found = [
        one.world if isinstance(one, Elsewhere) else type(one) if isinstance(one, Outplayed) else one
        for one in outcomes
    ]
    assert found == [*wishes.values()]
    assert [worlds.owner(one) for one in (free, mine, other, doomed, away, far, sent)] == [
        *(1, 1, 2, None, None, 1, 1)
    ]
    assert not second.take_back("way")
    assert worlds.say("SELECT state FROM transfer") == "claimed"


@pytest.mark.parametrize("rounds", ROUNDS)
def test_of_two_worlds_that_want_the_same_ones_one_has_each(worlds: Worlds, rounds: int) -> None:
    wanted = [worlds.character(f"Arthur{letter}") for letter in "abcdef"]
    wishes = [Wish(one.serial) for one in wanted]
    for _ in range(rounds):
        first, second = at_once(
            partial(worlds.databases[0].claim_all, wishes),
            partial(worlds.databases[1].claim_all, wishes[::-1]),
        )
        assert isinstance(first, list)
        assert isinstance(second, list)
        for one, here, there in zip(wanted, first, second[::-1], strict=True):
            assert [here, there].count(True) == 1
            assert worlds.databases[0 if here is True else 1].release(one.serial)
