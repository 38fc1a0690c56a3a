"""Nobody who comes and goes leaves anything behind: what a full garbage collection finds is what a big world
cannot afford to look for."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
import trio

from tests.kit import split
from tests.kit.actors import ACTORS, make_actor

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town


@pytest.fixture(params=["one process", "an edge before it"], autouse=True)
def _form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "an edge before it":
        monkeypatch.setenv(split.SWITCH, "1")


@pytest.mark.parametrize("game", ACTORS)
async def test_who_comes_and_goes_leaves_no_ring(
    easy_town: Town, autojump_clock: MockClock, game: str
) -> None:
    anna = make_actor(game, easy_town)

    async def come_and_go() -> None:
        await anna.enters("anna", "Anna")
        assert await anna.echo()
        anna.leaves()
        await trio.sleep(13)
        assert not easy_town.here("Anna")

    await come_and_go()
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        for _ in range(3):
            await come_and_go()
        gc.collect()
        ours = ("protocol.", "server.", "world.")
        found = {type(thing).__qualname__ for thing in gc.garbage if type(thing).__module__.startswith(ours)}
        assert found == set()
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
