"""A writer whose world another server has, and one with real threads and real time."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import attrs
import pytest
import trio
import trio.testing

from server.store.backup import rescued_files
from server.store.database import Database
from server.store.errors import WorldLost
from server.store.migrate import upgrade
from server.store.runner import ThreadRunner
from server.store.writer import Storage
from tests.kit import stored
from tests.kit.writing import Town, settle
from world.item import Layer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from trio.testing import MockClock

    from world.world import World


@pytest.fixture
async def town(nursery: trio.Nursery) -> AsyncIterator[Town]:
    town = Town()
    await nursery.start(town.storage.run)
    yield town
    town.database.close()


# Another server has the world


async def test_a_world_that_was_lost_is_not_written_any_more(autojump_clock: MockClock, town: Town) -> None:
    """Neither what was handed over, nor what changes later, nor at the end; the server hears of it once."""
    arthur = town.character("Arthur")
    stored.purse(arthur).amount = 1
    town.disk.trouble = WorldLost("taken over")
    town.turn()
    await settle()
    assert town.storage.lost
    assert town.storage.health.pending_rows == 1
    # Even a database that would take it again gets nothing.
    town.disk.trouble = None
    stored.purse(arthur).amount = 2
    with trio.move_on_after(100):
        await town.loop()
    assert town.storage.due_at(town.world) is None
    began = trio.current_time()
    assert not await town.storage.finish(town.world)
    assert trio.current_time() == began
    assert town.batches == []
    assert town.stored_gold(arthur) == 100
    assert not town.database.meta().clean
    assert town.losses == 1


async def test_a_question_of_its_own_may_find_the_world_lost(autojump_clock: MockClock, town: Town) -> None:
    town.disk.trouble = WorldLost("taken over")
    with pytest.raises(WorldLost):
        await town.storage.create_character(*stored.rows_of(stored.new_character(town.world, "Arthur", 1)), 7)
    assert town.storage.lost
    assert town.losses == 1
    assert not await town.storage.finish(town.world)


@pytest.mark.parametrize("dirty", [False, True])
async def test_a_world_may_be_lost_at_the_very_end(autojump_clock: MockClock, *, dirty: bool) -> None:
    town = Town()
    if dirty:
        stored.purse(town.character("Arthur")).amount = 1
    town.disk.trouble = WorldLost("taken over")
    began = trio.current_time()
    assert not await town.storage.finish(town.world)
    assert trio.current_time() == began
    assert town.storage.lost


async def test_an_idle_world_looks_every_second_whether_it_is_lost(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    town = Town()
    beats: list[float] = []
    monkeypatch.setattr(Database, "beat", lambda _: beats.append(trio.current_time()))
    began = trio.current_time()
    await town.storage.beat()
    assert trio.current_time() == began, "a lock of a file needs no beats"
    town.database.fence.epoch = 1
    async with trio.open_nursery() as nursery:
        nursery.start_soon(town.storage.beat)
        await trio.sleep_until(began + 3.5)
        town.disk.broken = True
        await trio.sleep_until(began + 5.5)
        town.disk.broken = False
        await trio.sleep_until(began + 7.5)
        town.disk.trouble = WorldLost("taken over")
    assert [round(at - began) for at in beats] == [1, 2, 3, 6, 7]
    assert trio.current_time() == pytest.approx(began + 8)
    assert town.losses == 1


# With real threads and real time


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "world.db"
    upgrade(f"sqlite:///{path}", tmp_path / "backups")
    return path


@attrs.frozen
class Scene:
    """A file, its world and its store; `woken` is set when the first commit has ended."""

    database: Database
    world: World
    storage: Storage
    woken: trio.Event


async def with_threads(file: Path, use: Callable[[Scene], Awaitable[None]]) -> None:
    database = Database(f"sqlite:///{file}", busy_seconds=0.02)
    world = stored.new_world(database.reserve_serials())
    woken = trio.Event()
    storage = Storage(
        database,
        ThreadRunner(),
        wake=woken.set,
        # Every turn's changes are due at once.
        flush_seconds=lambda: 0.0,
        max_pending_rows=lambda: 1_000,
        max_lag_seconds=lambda: 60.0,
    )
    with trio.fail_after(20):
        async with trio.open_nursery() as nursery:
            await nursery.start(storage.run)
            await use(Scene(database, world, storage, woken))
            nursery.cancel_scope.cancel()
    database.close()


async def test_threads_write_and_read(file: Path) -> None:
    async def use(scene: Scene) -> None:
        database, world, storage = scene.database, scene.world, scene.storage
        account = stored.an_account(database)
        arthur = stored.enter(world, database, "Arthur", account.id)
        for amount in range(1, 30):
            stored.purse(arthur).amount = amount
            world.begin(trio.current_time())
            storage.offer(world, trio.current_time())
            await trio.lowlevel.checkpoint()
        assert await storage.finish(world)
        assert storage.durable_tick == 29
        summary = (await storage.read(lambda db: db.characters(account.id)))[0]
        assert [row.layer for row in summary.worn] == [Layer.SHIRT, Layer.BACKPACK]
        loaded = await storage.character(arthur.serial)
        assert loaded is not None
        assert loaded[1][-1].amount == 29

    await with_threads(file, use)


async def test_r29_a_lock_by_another_program_is_waited_out(file: Path) -> None:
    async def use(scene: Scene) -> None:
        database, world, storage = scene.database, scene.world, scene.storage
        arthur = stored.enter(world, database, "Arthur", stored.an_account(database).id)
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        stored.purse(arthur).amount = 5
        world.begin(trio.current_time())
        storage.offer(world, trio.current_time())
        await scene.woken.wait()
        assert storage.health.failures == 1
        assert "locked" in storage.health.error
        other.close()
        assert await storage.finish(world)
        assert storage.health.failures == 0

    await with_threads(file, use)


async def test_r31_a_file_taken_away_is_an_alarm_and_nothing_is_lost(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def use(scene: Scene) -> None:
        database, world, storage = scene.database, scene.world, scene.storage
        arthur = stored.enter(world, database, "Arthur", stored.an_account(database).id)
        await trio.Path(file).unlink()
        stored.purse(arthur).amount = 5
        world.begin(trio.current_time())
        storage.offer(world, trio.current_time())
        await scene.woken.wait()
        assert storage.health.failures == 1
        assert "deleted or replaced" in storage.health.error
        (rescued,) = rescued_files(file)
        copy = Database(f"sqlite:///{rescued}")
        loaded = copy.character(arthur.serial)
        copy.close()
        assert loaded is not None
        assert loaded[1][-1].amount == 5
        assert str(rescued) in caplog.text

    await with_threads(file, use)
