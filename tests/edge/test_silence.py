"""A world that does not reach its database any more lets go of everybody and ends, whatever hangs there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import trio

from server.boot.silence import ALONE_SECONDS, END_SECONDS, FINISH_SECONDS, LAST_SECONDS
from server.exits import CRASHED, GOOD, HELD
from server.people.keeping import AWAY, KEEP_SECONDS
from server.store.errors import WorldLost
from server.store.fence import SILENT_SECONDS
from tests.kit import postgres
from tests.kit.border_walks import BESIDE, SURFACE, enters, settles
from tests.kit.disk import Disk
from tests.kit.edge_land import EdgeLand
from tests.kit.games import GAMES
from world.heading import SOUTH

if TYPE_CHECKING:
    from pathlib import Path

    from trio.testing import MockClock

    from tests.kit.actor import Actor
    from tests.kit.town import Town

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]

BEATS: Final = 2.0
"""Seconds from one beat to the next, and from one look at them to the next."""


class Forsaken:
    """A world beside another one, with a player behind an edge, and with its database on that disk."""

    def __init__(self, land: EdgeLand, actor: Actor) -> None:
        self.land = land
        self.actor = actor
        self.disk = Disk()
        self.town.app.storage._runner = self.disk
        self.ends: list[tuple[float, int]] = []
        self.town.app.silence.end_within = lambda seconds, code: self.ends.append((seconds, code))

    @property
    def town(self) -> Town:
        """The world, in its first life or a later one."""
        return self.land.towns[SURFACE]

    @property
    def place(self) -> tuple[int, int]:
        """Where the player's character is."""
        mobile = self.land.mobile("Anna")
        return mobile.x, mobile.y

    def falls_silent(self, how: str) -> None:
        """Nothing more is heard from the database."""
        if how == "hangs":
            self.disk.hangs = {"read", "write"}
        else:
            self.disk.trouble = self.disk.reading_trouble = OSError("connection refused")

    def is_held(self) -> bool:
        """Whether the player's client waits at its edge, and was told so."""
        heard = GAMES[self.actor.game].heard(self.actor.player)
        told = sum(AWAY in line for line in heard)
        return len(self.land.edge.orphans) == 1 == told and not self.actor.player.hung_up


async def forsaken(nursery: trio.Nursery, url: str, folder: Path) -> Forsaken:
    """When the player has been there for a while."""
    land = EdgeLand(nursery, url, folder)
    await land.open()
    made = Forsaken(land, await enters(land, "uo", "anna", "Anna", BESIDE))
    await trio.sleep(KEEP_SECONDS + 1)
    assert made.town.database.neighbours == 1
    return made


@pytest.mark.parametrize("how", ["fails", "hangs"])
async def test_a_world_without_its_database_lets_go_of_all_as_a_crash_does(
    url: str, tmp_path: Path, autojump_clock: MockClock, how: str
) -> None:
    """After five seconds nobody comes in, after ten nobody plays; then it ends, and who was there goes on
    where the database has it."""
    async with trio.open_nursery() as nursery:
        world = await forsaken(nursery, url, tmp_path)
        before = world.place
        world.falls_silent(how)
        await trio.sleep(SILENT_SECONDS - BEATS)
        await world.actor.step(SOUTH)
        assert world.town.app.closed == ""
        await trio.sleep(2 * BEATS)
        assert world.place != before
        assert world.town.app.closed == "the database is away"
        assert await world.actor.echo()
        await trio.sleep(ALONE_SECONDS - SILENT_SECONDS)
        assert world.town.app.stopped == [CRASHED]
        assert world.ends == [(LAST_SECONDS + END_SECONDS, CRASHED)]
        assert world.town.app.sessions() == []
        assert world.is_held()
        await trio.sleep(LAST_SECONDS)
        assert world.town.exit_code == CRASHED
        assert world.is_held()
        await world.land.comes_back(SURFACE)
        await trio.sleep(1)
        assert world.place == before
        await settles(world.land, world.actor)
        nursery.cancel_scope.cancel()


async def test_what_was_not_written_is_if_the_database_is_there_again(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Whatever still hangs in a question of before."""
    async with trio.open_nursery() as nursery:
        world = await forsaken(nursery, url, tmp_path)
        world.falls_silent("fails")
        world.disk.hangs = {"read"}
        await world.actor.step(SOUTH)
        await trio.sleep(1)
        place = world.place
        await trio.sleep(ALONE_SECONDS + BEATS)
        assert world.is_held()
        world.disk.trouble = None
        await trio.sleep(LAST_SECONDS)
        assert world.town.exit_code == CRASHED
        await world.land.comes_back(SURFACE)
        await trio.sleep(1)
        assert world.place == place
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("how", ["fails", "hangs"])
@pytest.mark.parametrize("alone", [False, True])
async def test_a_world_without_its_database_ends_when_it_is_told_to(
    url: str, tmp_path: Path, autojump_clock: MockClock, how: str, *, alone: bool
) -> None:
    """One that is alone tries for longer to write: nobody has what it had."""
    async with trio.open_nursery() as nursery:
        world = await forsaken(nursery, url, tmp_path)
        world.falls_silent(how)
        world.town.database.neighbours = 0 if alone else 1
        await world.actor.step(SOUTH)
        await trio.sleep(1)
        world.town.app.stop(GOOD)
        await trio.sleep(ALONE_SECONDS + 1)
        assert world.is_held()
        within = FINISH_SECONDS if alone else LAST_SECONDS
        assert world.ends == [(within + END_SECONDS, CRASHED)]
        assert world.town.exit_code != CRASHED
        await trio.sleep(within)
        assert world.town.exit_code == CRASHED
        nursery.cancel_scope.cancel()


async def test_a_world_that_is_another_process_s_ends_at_once(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Its players wait at their edges for that one."""
    async with trio.open_nursery() as nursery:
        world = await forsaken(nursery, url, tmp_path)
        world.disk.trouble = WorldLost("taken over")
        await world.actor.step(SOUTH)
        await trio.sleep(BEATS + 1)
        assert world.town.exit_code == HELD
        assert world.is_held()
        nursery.cancel_scope.cancel()
