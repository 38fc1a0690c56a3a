"""The baker's dialog, answered through every game's own client: what is said, taken and given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import trio

from tests.kit.games import GAMES, Person, session_of
from tests.kit.wishes import WISHES
from world import granting, holding, marks

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town

WHO: Final = Person(4200)
ANSWERS: Final = ("Have you work for me?", "Here they are.")


@pytest.mark.parametrize("game", GAMES)
async def test_an_errand_is_done_in_a_dialog(game: str, town: Town, autojump_clock: MockClock) -> None:
    player = GAMES[game].player(town)
    await GAMES[game].enters(player, WHO)
    wishes = WISHES[game](player, session_of(town, WHO))
    mobile, world = town.mobile(WHO.character), town.app.world
    greta = next(one for one in world.mobiles.values() if one.template.key == "greta")
    before = holding.gold(mobile)

    def meet() -> None:
        assert mobile.realm is not None
        world.warp(mobile, mobile.realm, greta.x, greta.y + 1)
        granting.make(mobile, "apple", 3)

    await town.app.in_world(None, lambda _: meet())
    await trio.sleep(3)
    apples = granting.number_of(mobile, "apple")
    await player.sends(wishes.talk_to(greta))
    await trio.sleep(1)
    for answer in ANSWERS:
        assert mobile.dialogs
        await player.sends(wishes.fill_in((), (), answer) or wishes.press(answer))
        await trio.sleep(1)
    assert not player.gone
    assert not GAMES[game].faults(player)
    assert marks.has_mark(mobile, "baked_for_greta")
    assert (holding.gold(mobile), granting.number_of(mobile, "apple")) == (before + 9, apples - 3)
