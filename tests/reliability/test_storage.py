"""Disks that are full, locked, slow or gone, and clocks that jump: play goes on, and nothing is lost.

What one part of the store does about a fault is tested beside that part (`README.md` lists where); here it is
the whole server. Files as an operator finds them are in test_storage_files.py.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
import trio
from sqlalchemy.exc import OperationalError

from server.exits import CRASHED, HELD
from server.people.tickets import LIFETIME
from server.store.check import check_database
from server.store.database import Database
from server.store.migrate import upgrade
from server.store.writer import LONGEST_PAUSE
from tests.kit.disk import Disk
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.storage import a_batch, lying, url_of
from world.mobile import Access
from world.snapshot import sheet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trio.testing import MockClock

    from tests.kit.town import Town
    from world.mobile import Mobile

# The whole server on a disk that misbehaves


def on(town: Town, disk: Disk) -> Disk:
    """Put the running server on that disk."""
    town.app.storage._runner = disk
    return disk


class Walker:
    """A player that keeps walking up and down, and the longest it ever waited for an answer."""

    def __init__(self, town: Town, player: UoPlayer, mobile: Mobile) -> None:
        self.town = town
        self.player = player
        self.mobile = mobile
        self.steps = 0

    async def walks(self, seconds: float) -> None:
        """Walk for so long; every step has to be answered within the second it is given."""
        until = trio.current_time() + seconds
        while trio.current_time() < until:
            place = self.mobile.x, self.mobile.y
            await self.player.walks(2 if self.steps % 2 else 6)
            assert (self.mobile.x, self.mobile.y) != place, "the step was not made"
            self.steps += 1


def has_ended(town: Town) -> bool:
    """Whether the server has stopped."""
    return town.exit_code is not None


async def a_walker(town: Town, name: str = "Anna") -> Walker:
    player = UoPlayer(town)
    await player.enters(name.lower(), name)
    return Walker(town, player, town.mobile(name))


def stored_place(town: Town, mobile: Mobile) -> tuple[int, int]:
    found = town.database.character(mobile.serial)
    assert found is not None
    stored = sheet(found[0], mobile.world)
    return stored.x, stored.y


async def test_r28_a_full_disk_is_told_outlived_and_costs_nothing(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    walker = await a_walker(town)
    staff = UoPlayer(town)
    await staff.enters("greta", "Greta")
    town.mobile("Greta").access = Access.COUNSELOR
    await trio.sleep(2)
    with town.database.write() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    storage = town.app.storage
    for number in range(300):
        storage.audit("test", "fills the disk", f"{number} {'x' * 200}", town.app.world.tick)
    before = town.database.meta().tick
    await walker.walks(20)
    assert storage.health.failures > 5
    assert storage.health.lag_seconds > 15
    assert not storage.health.refuse_logins
    assert town.database.meta().tick == before
    assert "does not take writes" in caplog.text
    assert "full" in caplog.text
    assert any("does not take writes" in line for line in staff.client.said())
    assert not any("does not take writes" in line for line in walker.player.client.said())
    # Not a line for every try: a full disk must not be filled by its own log.
    assert sum("does not take writes" in record.getMessage() for record in caplog.records) == 1

    with town.database.write() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    await trio.sleep(LONGEST_PAUSE + 1)
    assert storage.health.failures == 0
    assert storage.health.lag_seconds == 0
    assert "takes writes again" in caplog.text
    assert any("takes writes again" in line for line in staff.client.said())
    assert stored_place(town, walker.mobile) == (walker.mobile.x, walker.mobile.y)
    with town.database.read() as connection:
        notes = connection.exec_driver_sql("SELECT count(*) FROM audit WHERE what = 'fills the disk'")
        assert notes.scalar() == 300
    assert check_database(town.database) == []


async def test_r28_a_disk_that_stays_full_ends_play_before_too_much_is_at_stake(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    disk = on(town, Disk())
    walker = await a_walker(town)
    disk.broken = True
    await walker.walks(55)
    await trio.sleep(10)
    assert "stopping" in caplog.text
    assert not has_ended(town), "it still tries to write"
    disk.broken = False
    await trio.sleep(LONGEST_PAUSE + 10)
    assert walker.player.gone
    assert town.exit_code == CRASHED
    assert stored_place(town, walker.mobile) == (walker.mobile.x, walker.mobile.y)


async def test_r28_a_world_beside_others_does_not_go_on_for_long_without_its_database(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """These may have its characters by then. After five seconds nobody comes in, after ten it stops."""
    disk = on(town, Disk())
    walker = await a_walker(town)
    await trio.sleep(1)
    town.database.neighbours = 1
    disk.broken = True
    closed = []
    for _ in range(2):
        await walker.walks(4)
        closed.append(town.app.closed)
    assert closed == ["", "the database is away"]
    assert "stopping" not in caplog.text
    await trio.sleep(8)
    assert "the database has said nothing for" in caplog.text
    disk.broken = False
    await trio.sleep(LONGEST_PAUSE + 10)
    assert town.exit_code == CRASHED


@pytest.mark.parametrize("idle", [True, False])
async def test_r39_a_world_that_was_taken_over_ends_for_its_players_at_once(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, *, idle: bool
) -> None:
    """A change finds out, or a beat; nothing of what they did since is written, not even at the end."""
    walker = await a_walker(town)
    await trio.sleep(3)
    if idle:
        town.database.fence.epoch = 0  # as if a lock of a file were not enough
        town.nursery.start_soon(town.app.storage.beat)
    with town.database.write() as connection:
        connection.exec_driver_sql("UPDATE world SET epoch = 1")
    town.database.fence.epoch = 0
    place, tick = stored_place(town, walker.mobile), town.database.meta().tick
    if not idle:
        with suppress(BrokenPipeError):  # its last step is answered with goodbye
            await walker.player.walks(2)
    await trio.sleep(2)
    assert town.app.closed
    await trio.sleep(10)
    assert walker.player.gone
    assert town.exit_code == HELD
    assert stored_place(town, walker.mobile) == place
    assert town.database.meta().tick == tick
    assert not town.database.meta().clean
    assert "nothing more is written, stopping" in caplog.text


async def test_r29_twenty_seconds_of_another_programs_transaction_disturb_nobody(
    town: Town, autojump_clock: MockClock
) -> None:
    disk = on(town, Disk())
    walker = await a_walker(town)
    await trio.sleep(2)
    # What SQLite does: it waits for its busy timeout, then gives up.
    disk.seconds = 5.0
    disk.trouble = OperationalError("BEGIN IMMEDIATE", {}, sqlite3.OperationalError("database is locked"))
    await walker.walks(20)
    assert town.app.loop.stats.last_lateness == 0
    health = town.app.storage.health
    assert health.failures in (3, 4)
    assert "locked" in health.error
    disk.seconds, disk.trouble = 0.0, None
    await trio.sleep(LONGEST_PAUSE + 6)
    assert town.app.storage.health.failures == 0
    assert stored_place(town, walker.mobile) == (walker.mobile.x, walker.mobile.y)


async def test_r34_on_a_disk_that_takes_two_seconds_turns_are_on_time(
    town: Town, autojump_clock: MockClock
) -> None:
    disk = on(town, Disk())
    walker = await a_walker(town)
    await trio.sleep(2)
    disk.seconds = 2.0
    before, turns = town.database.meta().tick, town.app.loop.stats.turns
    lags = []
    for _ in range(10):
        await walker.walks(2)
        assert town.app.loop.stats.last_lateness == 0
        lags.append(town.app.storage.health.lag_seconds)
        assert any(f"{lags[-1]:.1f} s behind" in line for line in town.app.statistics())
    assert town.app.loop.stats.turns - turns >= 20
    assert 0 < max(lags) <= 4.1, "a commit under way, and what changed meanwhile"
    assert town.database.meta().tick > before
    await trio.sleep(6)
    assert town.app.storage.health.lag_seconds == 0
    assert stored_place(town, walker.mobile) == (walker.mobile.x, walker.mobile.y)


async def test_r34_a_slow_login_delays_only_itself(town: Town, autojump_clock: MockClock) -> None:
    disk = on(town, Disk())
    walker = await a_walker(town)
    disk.reading_seconds = 2.0
    late = EoPlayer(town)
    entering = trio.Event()

    async def enter() -> None:
        await late.greets()
        await late.does(late.client.login("bert", "secret1"), wait=10)
        entering.set()

    town.nursery.start_soon(enter)
    await walker.walks(5)
    assert not entering.is_set()
    assert town.app.loop.stats.last_lateness == 0
    await entering.wait()
    assert not late.gone


# A clock that jumps


@pytest.mark.parametrize("days", [1, -1])
async def test_r35_a_jump_of_the_clock_ends_no_wait_and_starts_none(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, days: int
) -> None:
    walker = await a_walker(town)
    ticks: list[float] = []
    town.app.world.timers.every(5.0, lambda: ticks.append(trio.current_time()), times=4)
    session = town.app.sessions()[0]
    key = town.app.tickets.issue(session, "secret1", {})
    limiter = town.app.accounts._terms.limiter
    for _ in range(6):
        limiter.failed("203.0.113.9", "anna", trio.current_time())
    wait = limiter.wait("203.0.113.9", trio.current_time())
    start = trio.current_time()

    town.wall += days * 86_400
    assert limiter.wait("203.0.113.9", trio.current_time()) == wait > 0
    assert town.app.tickets.peek(key, "uo") is not None
    await walker.walks(5)
    await trio.sleep(25)
    gaps = [after - before for before, after in zip([start, *ticks], ticks, strict=False)]
    assert len(ticks) == 4
    assert all(5 <= gap < 5.3 for gap in gaps), gaps
    assert limiter.wait("203.0.113.9", trio.current_time()) == 0
    assert trio.current_time() - start > LIFETIME - 1
    await trio.sleep(5)
    assert town.app.tickets.peek(key, "uo") is None
    assert stored_place(town, walker.mobile) == (walker.mobile.x, walker.mobile.y)
    assert not walker.player.gone
    assert f"jumped by {days * 86_400:+.0f} s" in caplog.text


async def test_r35_bans_end_by_the_calendar_and_owners_stay_known(
    town: Town, autojump_clock: MockClock
) -> None:
    accounts = town.app.accounts
    await a_walker(town)
    row = await accounts.find("anna")
    assert row is not None
    await accounts.staff.ban(row, town.wall + trio.current_time() + 3600, "an hour")
    await trio.sleep(1)

    async def is_banned() -> bool:
        player = UoPlayer(town)
        await player.does(player.client.login_bytes("anna", "secret1"))
        return player.client.rejected == 2

    assert await is_banned()
    town.wall -= 86_400
    assert await is_banned(), "going back does not lift it"
    town.wall += 2 * 86_400
    assert not await is_banned()


# Files that are not what they were


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "world.db"


@pytest.fixture
def database(path: Path, tmp_path: Path) -> Iterator[Database]:
    """Two heaps of gold that hold 1000 together, over 30 ticks, and the log still beside the file."""
    upgrade(url_of(path), tmp_path / "backups")
    database = Database(url_of(path))
    for tick in range(1, 31):
        database.commit_batch(a_batch(tick, lying(1, tick), lying(2, 1000 - tick)))
    yield database
    database.close()
