"""What a failing disk does to write-behind: nothing, but lateness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from server.store.check import check_database
from server.store.pending import Pending
from server.store.writer import LONGEST_PAUSE
from tests.kit import stored
from tests.kit.writing import Town, settle
from world import holding

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from trio.testing import MockClock


@pytest.fixture
async def town(nursery: trio.Nursery) -> AsyncIterator[Town]:
    town = Town()
    await nursery.start(town.storage.run)
    yield town
    town.database.close()


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
