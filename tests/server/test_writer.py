"""Write-behind: what is written when, and what a failing disk does to it (nothing, but lateness).

pytest-trio only sees a clock that the test itself asks for, so each test names `autojump_clock`.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import attrs
import pytest
import trio
import trio.testing

from server.store.backup import rescued_files
from server.store.check import check_database
from server.store.database import Database
from server.store.errors import WorldLost
from server.store.migrate import upgrade
from server.store.pending import Pending
from server.store.records import NoteRow
from server.store.runner import ThreadRunner
from server.store.writer import LONGEST_PAUSE, Storage
from tests.kit import stored
from tests.kit.disk import Disk
from world import holding
from world.item import Item, Layer
from world.serials import LOW
from world.snapshot import restore_character

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from trio.testing import MockClock

    from server.store.records import Batch
    from world.mobile import Mobile
    from world.world import World


class Town:
    """A world, its store on a disk that can misbehave, and a loop that turns when it is woken or due."""

    def __init__(self) -> None:
        self.database = Database("sqlite://")
        self.account = stored.an_account(self.database)
        self.world = stored.new_world(self.database.reserve_serials())
        self.disk = Disk()
        self.woken = trio.Event()
        self.flush_seconds = 1.0
        self.max_pending_rows = 200_000
        self.max_lag_seconds = 60.0
        self.losses = 0
        self.storage = Storage(
            self.database,
            self.disk,
            wake=lambda: self.woken.set(),
            lost=self.is_lost,
            flush_seconds=lambda: self.flush_seconds,
            max_pending_rows=lambda: self.max_pending_rows,
            max_lag_seconds=lambda: self.max_lag_seconds,
            wall=lambda: 7.0,
        )
        self.storage.due_at(self.world)
        self.batches: list[Batch] = []
        commit = self.database.commit_batch

        def noted(batch: Batch) -> None:
            commit(batch)
            self.batches.append(batch)

        self.database.commit_batch = noted  # type: ignore[method-assign]

    def character(self, name: str, gold: int = 100) -> Mobile:
        return stored.enter(self.world, self.database, name, self.account.id, gold)

    def turn(self) -> None:
        """One turn of the world, in which what was changed before it is offered."""
        now = trio.current_time()
        self.world.begin(now)
        self.storage.offer(self.world, now)

    async def loop(self) -> None:
        """What the server's loop does for the store's sake."""
        while True:
            self.woken = trio.Event()
            due = self.storage.due_at(self.world)
            with trio.move_on_at(float("inf") if due is None else due):
                await self.woken.wait()
            self.turn()

    def is_lost(self) -> None:
        self.losses += 1

    def stored_gold(self, mobile: Mobile) -> int:
        loaded = self.database.character(mobile.serial)
        assert loaded is not None
        return sum(row.amount for row in loaded[1] if row.template == "gold")


@pytest.fixture
async def town(nursery: trio.Nursery) -> AsyncIterator[Town]:
    town = Town()
    await nursery.start(town.storage.run)
    yield town
    town.database.close()


async def settle() -> None:
    """Let the storage task do what was handed to it."""
    await trio.testing.wait_all_tasks_blocked()


async def test_changes_coalesce_until_a_flush_is_due(autojump_clock: MockClock, town: Town) -> None:
    gold = stored.purse(town.character("Arthur"))
    gold.amount = 1
    town.turn()
    await settle()
    assert [batch.items[0].amount for batch in town.batches] == [1]
    for amount in range(2, 40):
        gold.amount = amount
        town.turn()
    await settle()
    assert len(town.batches) == 1
    due = town.storage.due_at(town.world)
    assert due is not None
    assert due == pytest.approx(trio.current_time() + 1.0)
    await trio.sleep_until(due)
    town.turn()
    await settle()
    assert [batch.items[0].amount for batch in town.batches] == [1, 39]
    assert town.storage.due_at(town.world) is None
    assert town.storage.durable_tick == town.batches[-1].tick == town.world.tick


async def test_with_nothing_to_write_every_tick_is_durable(autojump_clock: MockClock, town: Town) -> None:
    town.turn()
    town.turn()
    assert town.storage.durable_tick == town.world.tick == 2
    assert town.batches == []


async def test_the_last_change_before_a_quiet_moment_is_written(
    autojump_clock: MockClock, town: Town, nursery: trio.Nursery
) -> None:
    nursery.start_soon(town.loop)
    gold = stored.purse(town.character("Arthur"))
    gold.amount = 5
    town.woken.set()
    await settle()
    gold.amount = 6
    town.woken.set()
    await trio.sleep(1.5)
    assert town.batches[-1].items[0].amount == 6
    nursery.cancel_scope.cancel()


async def test_a_waiter_makes_a_flush_due(
    autojump_clock: MockClock, town: Town, nursery: trio.Nursery
) -> None:
    nursery.start_soon(town.loop)
    gold = stored.purse(town.character("Arthur"))
    gold.amount = 5
    town.woken.set()
    await settle()
    gold.amount = 6
    before = trio.current_time()
    await town.storage.wait_durable()
    assert trio.current_time() == before
    assert town.batches[-1].items[0].amount == 6
    await town.storage.wait_durable()
    assert len(town.batches) == 2
    nursery.cancel_scope.cancel()


async def test_a_shorter_flush_interval_counts_at_once(autojump_clock: MockClock, town: Town) -> None:
    gold = stored.purse(town.character("Arthur"))
    gold.amount = 5
    town.turn()
    await settle()
    gold.amount = 6
    assert town.storage.due_at(town.world) == trio.current_time() + 1.0
    town.flush_seconds = 0.0
    assert town.storage.due_at(town.world) == trio.current_time()
    town.turn()
    await settle()
    assert town.storage.durable_tick == town.world.tick


async def test_r34_a_slow_disk_never_delays_a_turn(
    autojump_clock: MockClock, town: Town, nursery: trio.Nursery
) -> None:
    town.disk.seconds = 2.0
    gold = stored.purse(town.character("Arthur"))
    start = trio.current_time()
    for amount in range(1, 201):
        gold.amount = amount
        town.turn()
        await trio.sleep(0.05)
    assert trio.current_time() - start == pytest.approx(10.0)
    await trio.sleep(2.5)
    town.turn()
    await trio.sleep(2.5)
    assert 5 <= len(town.batches) <= 7
    assert town.batches[-1].items[0].amount == 200
    assert [batch.tick for batch in town.batches] == sorted(batch.tick for batch in town.batches)


async def test_r34_lag_is_the_age_of_the_oldest_change(autojump_clock: MockClock, town: Town) -> None:
    town.disk.seconds = 3.0
    stored.purse(town.character("Arthur")).amount = 1
    town.turn()
    await trio.sleep(2.0)
    assert town.storage.due_at(town.world) is None
    health = town.storage.health
    assert health.lag_seconds == pytest.approx(2.0)
    assert (health.pending_rows, health.failures) == (1, 0)
    await trio.sleep(2.0)
    assert town.storage.health.lag_seconds == 0
    assert town.storage.health.pending_rows == 0


async def test_a_note_on_its_way_to_a_slow_disk_is_what_was_kept_last(
    autojump_clock: MockClock, town: Town
) -> None:
    town.disk.seconds = 2.0
    serial = town.character("Arthur").serial
    for text in ("first", "second"):
        town.storage.keep_note(NoteRow(serial, "l2", "bar", text))
        town.turn()
        await trio.sleep(1)
        assert town.database.note(serial, "l2", "bar") is None
        assert await town.storage.note(serial, "l2", "bar") == text
    await trio.sleep(2)
    town.turn()
    await trio.sleep(3)
    assert [[note.text for note in batch.notes] for batch in town.batches] == [["first"], ["second"]]
    assert await town.storage.note(serial, "l2", "bar") == "second"


async def test_a_failed_batch_goes_back_under_what_changed_since(
    autojump_clock: MockClock, town: Town
) -> None:
    arthur, bertram = town.character("Arthur"), town.character("Bertram")
    town.disk.broken = True
    stored.purse(arthur).amount = 1
    stored.purse(bertram).amount = 2
    doomed = holding.make(town.world, "dagger")
    town.world.enter(doomed, town.world.realms["field"], 1, 1)
    town.storage.audit("Arthur", "made", "a dagger", town.world.tick)
    town.turn()
    await settle()
    assert town.storage.health.failures == 1
    assert "the disk says no" in town.storage.health.error
    assert town.storage.durable_tick == 0

    stored.purse(arthur).amount = 3
    town.world.delete(doomed)
    town.disk.broken = False
    await trio.sleep(0.1)
    town.turn()
    await settle()
    assert (town.stored_gold(arthur), town.stored_gold(bertram)) == (3, 2)
    assert town.database.ground_items() == []
    assert [row.what for row in town.batches[-1].audit] == ["made"]
    assert town.storage.health.failures == 0
    assert check_database(town.database) == []


async def test_a_delete_wins_over_an_older_and_a_newer_row(autojump_clock: MockClock, town: Town) -> None:
    dagger = holding.make(town.world, "dagger")
    town.world.enter(dagger, town.world.realms["field"], 1, 1)
    town.turn()
    await settle()
    assert len(town.database.ground_items()) == 1
    town.disk.broken = True
    town.flush_seconds = 0.0
    town.world.delete(dagger)
    town.turn()
    await settle()
    # A bug elsewhere touches what is already gone.
    dagger.amount = 3
    town.disk.broken = False
    await trio.sleep(1)
    town.turn()
    await settle()
    assert check_database(town.database) == []
    assert town.database.ground_items() == []


def test_a_delete_wins_whichever_side_of_a_failed_batch_it_is_on() -> None:
    world = stored.new_world()
    first, second = holding.make(world, "dagger"), holding.make(world, "dagger")
    failed, since = Pending(), Pending()
    failed.add({first.serial: first}, {second.serial})
    since.add({second.serial: second}, {first.serial})
    since.put_back(failed)
    assert since.items == {}
    assert since.deleted == {first.serial, second.serial}


async def test_r28_pauses_grow_and_logins_are_refused_after_a_while(
    autojump_clock: MockClock, town: Town, nursery: trio.Nursery
) -> None:
    nursery.start_soon(town.loop)
    arthur = town.character("Arthur")
    town.disk.broken = True
    stored.purse(arthur).amount = 1
    town.woken.set()
    await trio.sleep(59)
    health = town.storage.health
    # 0.1 s doubling to 5 s: 6.3 s for the first seven tries, then one every 5 s.
    assert 12 <= health.failures <= 19
    assert not health.refuse_logins
    await trio.sleep(2)
    health = town.storage.health
    assert health.refuse_logins
    town.disk.broken = False
    await trio.sleep(LONGEST_PAUSE)
    health = town.storage.health
    assert not health.refuse_logins
    assert town.stored_gold(arthur) == 1
    nursery.cancel_scope.cancel()


async def test_a_waiter_outlasts_failures(
    autojump_clock: MockClock, town: Town, nursery: trio.Nursery
) -> None:
    nursery.start_soon(town.loop)
    arthur = town.character("Arthur")
    town.disk.broken = True
    stored.purse(arthur).amount = 1

    async def repair() -> None:
        await trio.sleep(3)
        town.disk.broken = False

    nursery.start_soon(repair)
    await town.storage.wait_durable()
    assert trio.current_time() >= 3
    assert town.stored_gold(arthur) == 1
    nursery.cancel_scope.cancel()


async def test_too_many_rows_refuse_logins(autojump_clock: MockClock, town: Town) -> None:
    arthur = town.character("Arthur")
    for item in (*arthur.worn.values(), stored.purse(arthur)):
        item.touch()
    town.storage.due_at(town.world)
    assert not town.storage.health.refuse_logins
    town.max_pending_rows = 2
    assert town.storage.health.refuse_logins


async def test_too_old_a_change_refuses_logins(autojump_clock: MockClock, town: Town) -> None:
    town.disk.seconds = 9.0
    stored.purse(town.character("Arthur")).amount = 1
    town.turn()
    await trio.sleep(5)
    assert not town.storage.health.refuse_logins
    town.max_lag_seconds = 4
    assert town.storage.health.refuse_logins


async def test_a_note_wakes_the_world_that_writes_it(
    autojump_clock: MockClock, town: Town, nursery: trio.Nursery
) -> None:
    nursery.start_soon(town.loop)
    await settle()
    town.storage.audit("Arthur", "made", "a dagger", town.world.tick)
    await trio.sleep(1.5)
    assert [row.what for batch in town.batches for row in batch.audit] == ["made"]
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize("given", [True, False])
async def test_what_was_given_away_or_destroyed_is_not_read_back_with_who_left(
    autojump_clock: MockClock, town: Town, nursery: trio.Nursery, *, given: bool
) -> None:
    """The other dupe: the leaver's own rows are clean, what it had until a moment ago is not."""
    nursery.start_soon(town.loop)
    arthur, bertram = town.character("Arthur", 100), town.character("Bertram", 100)
    town.storage.audit("somebody", "something", "so that a flush has just been", town.world.tick)
    await settle()
    gold, pack = stored.purse(arthur), bertram.backpack
    assert pack is not None
    if given:
        assert isinstance(gold.parent, Item)
        del gold.parent.contents[gold.serial]
        holding.put(pack, gold)
    else:
        town.world.delete(gold)
    # Whoever else is changed, the leaver itself is as it was stored.
    town.world.dirty.pop(arthur.serial, None)
    town.storage.release(town.world, arthur)
    town.world.leave(arthur)
    loaded = await town.storage.character(arthur.serial)
    assert loaded is not None
    assert gold.serial not in {row.serial for row in loaded[1]}
    assert town.stored_gold(bertram) == (200 if given else 100)
    nursery.cancel_scope.cancel()


async def test_who_left_is_written_and_read_back_as_it_left(
    autojump_clock: MockClock, town: Town, nursery: trio.Nursery
) -> None:
    nursery.start_soon(town.loop)
    arthur = town.character("Arthur")
    town.turn()
    await settle()
    stored.purse(arthur).amount = 77
    arthur.hits = 3
    town.world.warp(arthur, town.world.realms["field"], 9, 6)
    town.storage.release(town.world, arthur)
    town.world.leave(arthur)
    assert arthur.serial not in town.world.dirty
    loaded = await town.storage.character(arthur.serial)
    assert loaded is not None
    restored = restore_character(*loaded, town.world)
    assert restored.mobile is not None
    assert (restored.mobile.hits, restored.mobile.x) == (3, 9)
    assert restored.mobile.realm is town.world.realms["field"]
    assert stored.purse(restored.mobile).amount == 77
    nursery.cancel_scope.cancel()


async def test_who_left_while_a_doomed_commit_was_under_way_is_written_as_it_left(
    autojump_clock: MockClock, town: Town, nursery: trio.Nursery
) -> None:
    nursery.start_soon(town.loop)
    arthur = town.character("Arthur")
    town.disk.seconds, town.disk.broken = 2.0, True
    stored.purse(arthur).amount = 1
    town.woken.set()
    await trio.sleep(1)
    stored.purse(arthur).amount = 2
    town.storage.release(town.world, arthur)
    town.world.leave(arthur)
    await trio.sleep(2)
    assert town.storage.health.failures == 1
    town.disk.broken = False
    await town.storage.character(arthur.serial)
    assert town.stored_gold(arthur) == 2
    nursery.cancel_scope.cancel()


async def test_nothing_is_taken_while_a_commit_is_under_way(autojump_clock: MockClock, town: Town) -> None:
    gold = stored.purse(town.character("Arthur"))
    town.disk.seconds = 5.0
    gold.amount = 1
    town.turn()
    gold.amount = 2
    town.flush_seconds = 0.0
    town.turn()
    assert list(town.world.dirty) == [gold.serial]
    assert town.storage.due_at(town.world) is None
    await trio.sleep(6)
    due = town.storage.due_at(town.world)
    assert due is not None
    assert due <= trio.current_time()


async def test_who_left_while_the_disk_was_broken_is_waited_for(
    autojump_clock: MockClock, town: Town, nursery: trio.Nursery
) -> None:
    nursery.start_soon(town.loop)
    arthur = town.character("Arthur")
    town.disk.broken = True
    stored.purse(arthur).amount = 77
    town.woken.set()
    await settle()
    assert town.storage.health.failures == 1
    town.storage.release(town.world, arthur)
    town.world.leave(arthur)

    async def repair() -> None:
        await trio.sleep(10)
        town.disk.broken = False

    nursery.start_soon(repair)
    assert await town.storage.delete_character(town.account.id, arthur.serial)
    assert trio.current_time() >= 10
    assert check_database(town.database) == []
    assert town.database.meta().gold == 0
    nursery.cancel_scope.cancel()


async def test_a_trade_and_a_departure_in_one_tick_are_one_batch(
    autojump_clock: MockClock, town: Town
) -> None:
    """The classic dupe: goods change hands, one side leaves, the server dies."""
    arthur, bertram = town.character("Arthur", 100), town.character("Bertram", 100)
    town.disk.seconds = 1.0
    arthur.hits = 1
    town.turn()
    stored.purse(arthur).amount -= 60
    stored.purse(bertram).amount += 60
    town.storage.release(town.world, arthur)
    town.world.leave(arthur)
    await trio.sleep(1.5)
    assert (town.stored_gold(arthur), town.stored_gold(bertram)) == (100, 100)
    town.flush_seconds = 0.0
    town.turn()
    await trio.sleep(1.5)
    assert (town.stored_gold(arthur), town.stored_gold(bertram)) == (40, 160)


async def test_serials_are_reserved_with_a_batch_before_they_run_out(
    autojump_clock: MockClock, town: Town
) -> None:
    serials = town.world.serials
    while serials.wanted_marks() is None:
        serials.item()
    assert serials.item_mark - serials.next_item == LOW - 1
    before = serials.item_mark
    town.turn()
    await settle()
    assert serials.item_mark > before
    assert town.database.meta().item_mark == serials.item_mark
    assert serials.wanted_marks() is None


async def test_a_batch_that_was_handed_over_is_finished_when_the_server_falls(
    autojump_clock: MockClock,
) -> None:
    town = Town()
    town.disk.seconds = 2.0
    arthur = town.character("Arthur")
    async with trio.open_nursery() as nursery:
        await nursery.start(town.storage.run)
        stored.purse(arthur).amount = 1
        town.turn()
        await settle()
        stored.purse(arthur).amount = 2
        nursery.cancel_scope.cancel()
    assert town.stored_gold(arthur) == 1
    assert not town.database.meta().clean


@pytest.mark.parametrize("running", [False, True])
async def test_finish_writes_everything_and_says_so(autojump_clock: MockClock, *, running: bool) -> None:
    town = Town()
    arthur = town.character("Arthur")
    async with trio.open_nursery() as nursery:
        if running:
            await nursery.start(town.storage.run)
        town.disk.seconds = 1.0
        stored.purse(arthur).amount = 1
        town.turn()
        stored.purse(arthur).amount = 2
        with trio.CancelScope() as scope:
            scope.cancel()
            assert await town.storage.finish(town.world)
        nursery.cancel_scope.cancel()
    assert town.stored_gold(arthur) == 2
    assert town.database.meta().clean
    assert town.storage.health.pending_rows == 0


async def test_finish_gives_up_on_a_dead_disk(autojump_clock: MockClock) -> None:
    town = Town()
    town.disk.broken = True
    stored.purse(town.character("Arthur")).amount = 1
    start = trio.current_time()
    assert not await town.storage.finish(town.world, within=30)
    assert trio.current_time() - start == pytest.approx(30)
    assert not town.database.meta().clean


async def test_the_mark_of_an_orderly_end_is_tried_again(autojump_clock: MockClock) -> None:
    """It may be the first that the database hears of a world at rest, on a connection that has died."""
    town = Town()
    town.turn()
    town.disk.broken = True

    async def mends() -> None:
        await trio.sleep(1.0)
        town.disk.broken = False

    async with trio.open_nursery() as nursery:
        nursery.start_soon(mends)
        assert await town.storage.finish(town.world)
    assert town.database.meta().clean


async def test_without_its_mark_a_world_is_saved_all_the_same(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    town = Town()
    town.turn()
    town.disk.broken = True
    assert await town.storage.finish(town.world)
    assert trio.current_time() < 5
    assert "not the mark that says so" in caplog.text


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
