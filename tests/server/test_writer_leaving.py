"""Write-behind of those who left: written as they left, and read back as they were written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from server.store.check import check_database
from tests.kit import stored
from tests.kit.writing import Town, settle
from world import holding
from world.item import Item
from world.snapshot import restore_character

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from trio.testing import MockClock


@pytest.fixture
async def town(nursery: trio.Nursery) -> AsyncIterator[Town]:
    town = Town()
    await nursery.start(town.storage.run)
    yield town
    town.database.close()


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
