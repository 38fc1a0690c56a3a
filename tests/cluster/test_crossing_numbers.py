"""Endless Online's clients keep the number of their greeting, wherever they go: what if it is another's?"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
import trio

from protocol.eo.ids import FIRST_PLAYER, LAST_SHORT, Circle
from tests.kit.actors import make_actor
from tests.kit.border import Borderland
from tests.kit.border_walks import BELOW, SURFACE, enters, settles, walks_over, walks_up
from tests.kit.games import GAMES
from world.heading import NORTH

if TYPE_CHECKING:
    from protocol.eo.session import EoSession


def number_of(land: Borderland, name: str) -> int:
    return cast("EoSession", land.session(name)).player_id


async def test_whoever_has_the_number_of_a_client_that_comes_is_given_another(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with trio.open_nursery() as nursery:
        land = Borderland(nursery, divided=False)
        await land.open()
        first = await enters(land, "eo", "anna", "Anna")
        second = await enters(land, "eo", "bert", "Bert")
        other = await enters(land, "uo", "cora", "Cora")
        await walks_over(land, first)
        await walks_over(land, other)
        await settles(land, first)
        players = land.session("Anna").family.view.figures.ids.players  # type: ignore[attr-defined] # of this game
        assert players.number(land.mobile("Cora")) == number_of(land, "Bert")
        await walks_over(land, second)
        assert players.number(land.mobile("Cora")) not in (number_of(land, "Anna"), number_of(land, "Bert"))
        for actor in (first, second, other):
            await settles(land, actor)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("divided", [False, True])
async def test_a_client_whose_number_another_client_has_stays_where_it_is(
    divided: bool, autojump_clock: trio.testing.MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        land = Borderland(nursery, divided=divided)
        await land.open()
        land.towns[BELOW].database.create_account("over1", "", 0.0)  # that of who comes
        below = make_actor("eo", land.towns[BELOW])
        await below.enters("bert", "Bert")
        actor = await enters(land, "eo", "anna", "Anna")
        await walks_up(land, actor)
        await actor.step(NORTH)
        await trio.sleep(3)
        await settles(land, actor)
        assert (number_of(land, "Anna") == number_of(land, "Bert")) is not divided
        assert land.where("Anna") is land.towns[BELOW if divided else SURFACE]
        assert ("The way is closed now." in GAMES["eo"].heard(actor.player)) is not divided
        nursery.cancel_scope.cancel()


def test_a_share_of_the_numbers_goes_round_in_itself() -> None:
    taken: set[int] = set()
    shares = []
    for number in range(3):
        circle = Circle(FIRST_PLAYER, LAST_SHORT, lambda _: False)
        circle.divide(number, 3)
        share = [circle.take() for _ in range((LAST_SHORT - FIRST_PLAYER) // 3 + 2)]
        assert {one % 3 for one in share} == {number}
        assert FIRST_PLAYER <= min(share) <= max(share) <= LAST_SHORT
        assert share[-1] in (share[0], share[1]), "it begins anew"
        shares.append({*share})
        taken |= {*share}
    assert sum(map(len, shares)) == len(taken) == LAST_SHORT - FIRST_PLAYER + 1
