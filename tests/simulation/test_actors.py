"""Actors of every game say the same words and get into the same world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.actor import CannotEnter
from tests.kit.actors import ACTORS, make_actor
from tests.kit.town import Town
from world import hands
from world.heading import EAST, SOUTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    import trio
    from _pytest.mark import ParameterSet
    from trio.testing import MockClock


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    await running.open()
    return running


@pytest.mark.parametrize("game", ACTORS)
async def test_an_actor_enters_moves_leaves_and_comes_back(
    town: Town, autojump_clock: MockClock, game: str
) -> None:
    anna = make_actor(game, town)
    await anna.enters("anna", "Anna")
    assert anna.online
    mobile = town.mobile("Anna")
    began = mobile.x, mobile.y
    for heading in (EAST, EAST, SOUTH):
        await anna.step(heading)
    assert await anna.echo()
    assert await anna.until(lambda: not anna.in_flight(), 10)
    await anna.turn(SOUTH)
    await anna.say("here I am")
    assert await anna.echo()
    assert (mobile.x, mobile.y) != began
    assert anna.place().heading == mobile.heading == SOUTH
    await anna.logs_out()
    assert anna.player.hung_up
    await anna.enters("anna", "Anna")
    assert await anna.echo()


@pytest.mark.parametrize("game", ACTORS)
async def test_an_actor_that_is_refused_says_so(town: Town, autojump_clock: MockClock, game: str) -> None:
    anna = make_actor(game, town)
    await anna.enters("anna", "Anna")
    with pytest.raises(CannotEnter):
        await make_actor(game, town).enters("anna", "Anna", password="wrong1")


def pairs(firsts: Sequence[str], near: tuple[int, ...]) -> list[ParameterSet]:
    """Of each of these games with each of all. `make test` has those whose second is so many places behind
    the first in the list of games, `make soak` all."""
    games = list(ACTORS)
    return [
        pytest.param(
            first,
            second,
            marks=[] if (at - games.index(first)) % len(games) in near else [pytest.mark.soak],
        )
        for first in firsts
        for at, second in enumerate(games)
    ]


@pytest.mark.parametrize(("first", "second"), pairs([*ACTORS], near=(0, 1)))
async def test_actors_see_one_another(town: Town, autojump_clock: MockClock, first: str, second: str) -> None:
    anna, bert = make_actor(first, town), make_actor(second, town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    views = {name: family.view for name, family in town.families.items()}
    his = anna.handle_of(town.mobile("Bert"), views[first])
    assert his is not None
    assert await anna.until(lambda: his in anna.sees(), 5)
    bert.leaves()
    assert await anna.until(lambda: his not in anna.sees(), 30)
    assert await anna.echo()


@pytest.mark.parametrize(
    ("first", "second"),
    pairs([game for game, kind in ACTORS.items() if "give" in kind.can], near=(0, 1, 3, 4)),
)
async def test_actors_hand_things_over(
    town: Town, autojump_clock: MockClock, first: str, second: str
) -> None:
    anna, bert = make_actor(first, town), make_actor(second, town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    her, him = town.mobile("Anna"), town.mobile("Bert")
    assert her.realm is not None
    town.app.world.warp(him, her.realm, her.x + 1, her.y)  # within reach
    assert await bert.until(lambda: him.realm is not None, 30)
    his = anna.handle_of(town.mobile("Bert"), town.families[first].view)
    assert his is not None
    assert await anna.until(lambda: his in anna.others(), 5)
    had = hands.carried(town.mobile("Bert"))
    handle, owned = max(anna.carries().items(), key=lambda entry: entry[1].amount)
    await anna.give(handle, his, owned.amount)
    assert await anna.until(lambda: handle not in anna.carries(), 5)
    assert await bert.echo()
    got = hands.carried(town.mobile("Bert"))
    assert [amount - had.get(kind, 0) for kind, amount in got.items() if amount != had.get(kind, 0)] == [
        owned.amount
    ]


@pytest.mark.parametrize("game", ["l2", "eq2"])
async def test_an_actor_asks_again_where_it_stands_if_it_asked_too_often(
    town: Town, autojump_clock: MockClock, game: str
) -> None:
    anna = make_actor(game, town)
    await anna.enters("anna", "Anna")
    mobile = town.mobile("Anna")
    for _ in range(8):
        assert await anna.stands() == (mobile.x, mobile.y)
