"""Write-behind: what is written when.

pytest-trio only sees a clock that the test itself asks for, so each test names `autojump_clock`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from server.store.records import NoteRow
from tests.kit import stored
from tests.kit.writing import Town, settle
from world.serials import LOW

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from trio.testing import MockClock


@pytest.fixture
async def town(nursery: trio.Nursery) -> AsyncIterator[Town]:
    town = Town()
    await nursery.start(town.storage.run)
    yield town
    town.database.close()


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


async def test_serials_are_reserved_with_a_batch_before_they_run_out(
    autojump_clock: MockClock, town: Town
) -> None:
    serials = town.world.serials
    while serials.wanted() is None:
        serials.item()
    assert serials.item_mark - serials.next_item == LOW - 1
    before = serials.item_mark
    town.turn()
    await settle()
    assert serials.item_mark > before
    assert town.database.meta().item_mark == serials.item_mark
    assert serials.wanted() is None


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
