"""R-26 for things on their way from hand to hand: whoever hangs up right after a deed loses nothing."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
import trio

from server.store.check import check_database
from tests.kit.actors import ACTORS, make_actor
from tests.kit.audits import census, holder_faults, stored_census
from tests.kit.deeds import ACTS

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town


@pytest.mark.parametrize(
    "waits",
    [(0.0, 0.3), *(pytest.param((wait,), marks=pytest.mark.soak) for wait in (0.0, 0.003, 0.3))],
    ids=["in turn", "at once", "3 ms later", "300 ms later"],
)
@pytest.mark.parametrize("game", ACTORS)
async def test_r26_hanging_up_right_after_any_deed_loses_and_makes_nothing(
    easy_town: Town, autojump_clock: MockClock, game: str, waits: tuple[float, ...]
) -> None:
    """At once, and when it was answered: `make test` takes these in turn, each once for each deed."""
    town, dice = easy_town, random.Random(28)
    town.change("limits", idle_seconds=86400)
    bert = make_actor("uo", town)
    await bert.enters("bert", "Bert")
    anna = make_actor(game, town)
    await anna.enters("anna", "Anna")
    whole = census(town.app.world)
    done = set()
    rounds = 2 if len(waits) > 1 else 3
    for number, (name, act) in enumerate([*ACTS.items()] * rounds):
        wait = waits[(number + number // len(ACTS)) % len(waits)]
        if name in anna.can and await act(anna, dice):
            done.add(name)
        await trio.sleep(wait)
        anna.leaves()
        await trio.sleep(13)
        assert not town.here("Anna")
        await town.app.durable()
        assert check_database(town.database) == []
        assert stored_census(town.database) == whole
        await anna.enters("anna", "Anna")
        assert await anna.echo()
        assert town.mobile("Anna").held is None
        assert holder_faults(town.app.world) == []
        assert census(town.app.world) == whole
    # Who is gone at once drops nothing that could be taken up again.
    assert {"drop", "put_on", "take_off"} | ({"take"} if any(waits) else set()) <= done
