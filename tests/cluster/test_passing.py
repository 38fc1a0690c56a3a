"""What passes between two worlds while each writes behind its turns: parcels and characters, exactly once,
whatever is doubled, comes late, or was on disk although nobody heard so (issue 22, proof 5).

On PostgreSQL. Skipped where that or psycopg is not installed; CI has both.
"""

from __future__ import annotations

import random
from collections import Counter
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import pytest
import trio
from sqlalchemy.exc import OperationalError

from server.cluster.claims import Claims
from server.cluster.parcels import Parcels
from server.store.check import check_database
from server.store.errors import ParcelSettled, WorldLost
from server.store.records import Batch, ParcelRow, TransferRow
from server.store.runner import ThreadRunner
from server.store.writer import Storage
from tests.kit import postgres, stored
from tests.kit.claiming import claim
from world import holding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from server.store.database import Database
    from tests.kit.realms import Worlds
    from world.item import Item
    from world.world import World

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [
    pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY),
    pytest.mark.timeout(180),
]

T = TypeVar("T")

LONG = (pytest.mark.soak, pytest.mark.timeout(0))


class Side:
    """One world with a heap of gold in it, its storage, and who sends and takes parcels for it."""

    def __init__(self, database: Database, gold: int) -> None:
        self.database = database
        self.world = stored.new_world(database.reserve_serials())
        self.storage = Storage(
            database,
            ThreadRunner(),
            wake=lambda: None,
            flush_seconds=lambda: 0.0,
            max_pending_rows=lambda: 200_000,
            max_lag_seconds=lambda: 60.0,
        )
        self.parcels = Parcels(self.storage, self.in_world)
        self.claims = Claims(self.storage, entropy=random.Random(database.fence.world).randbytes)
        self.heap = self.finds(gold)

    def finds(self, amount: int) -> Item:
        """Gold that lies in the field."""
        item = holding.make(self.world, "gold", amount=amount)
        self.world.enter(item, self.world.realms["field"], 5, 5)
        return item

    async def in_world(self, call: Callable[[World], T], /) -> T:
        await trio.lowlevel.checkpoint()
        return call(self.world)

    async def turns(self) -> None:
        """Turn after turn, until cancelled."""
        while True:
            self.world.begin(trio.current_time())
            self.world.take_changes()
            self.storage.offer(self.world, trio.current_time())
            await trio.sleep(0.002)

    def pays(self, amount: int, _: World) -> None:
        """What goes into a parcel is gone from the heap."""
        self.heap.amount -= amount

    def is_paid(self, _: World, content: str) -> None:
        """What comes in one is a new thing here."""
        self.finds(int(content))


@contextmanager
def _cut_after_commit(database: Database) -> Iterator[None]:
    """The connection dies when a batch is on disk, before its server hears of it."""
    write = database._statements.write

    def dies(connection: object, batch: Batch) -> object:
        database._statements.write = write  # type: ignore[method-assign]
        raw = database._connection.connection.driver_connection
        made = write(connection, batch)  # type: ignore[arg-type]
        commit = raw.commit  # type: ignore[union-attr]

        def committed() -> None:
            commit()
            raw.close()  # type: ignore[union-attr]
            raise OperationalError("COMMIT", {}, Exception("the line is dead"))

        raw.commit = committed  # type: ignore[union-attr]
        return made

    database._statements.write = dies  # type: ignore[assignment, method-assign]
    yield


@pytest.mark.parametrize("count", [40, pytest.param(3000, marks=LONG)])
async def test_parcels_arrive_once_however_often_they_are_sent_and_taken(worlds: Worlds, count: int) -> None:
    """Messages come doubled, in any order, before their parcel, and from tasks that are cancelled."""
    dice = random.Random(count)
    here, there = Side(worlds.databases[0], 100_000), Side(worlds.databases[1], 100_000)
    rows = [ParcelRow(f"p{number}", 2, str(dice.randrange(1, 20))) for number in range(count)]
    sent, taken = Counter[str](), Counter[str]()

    async def sends(row: ParcelRow) -> None:
        with trio.move_on_after(dice.choice((0.0, 0.01, 60.0))):
            sent[row.id] += await here.parcels.send(row, partial(here.pays, int(row.content)))

    async def takes(row: ParcelRow) -> None:
        with trio.move_on_after(dice.choice((0.0, 0.01, 60.0))):
            taken[row.id] += await there.parcels.take(row.id, there.is_paid)

    async with trio.open_nursery() as running:
        for side in (here, there):
            await running.start(side.storage.run)
            running.start_soon(side.turns)
        with trio.fail_after(120):
            messages = [(task, row) for row in rows for task in (sends, sends, takes, takes)]
            dice.shuffle(messages)
            async with trio.open_nursery() as nursery:
                for task, row in messages:
                    nursery.start_soon(task, row)
                    if dice.random() < 0.2:
                        await trio.sleep(0.005)
            for row in rows:
                await here.parcels.send(row, partial(here.pays, int(row.content)))
            while waiting := await there.parcels.waiting():
                for one in waiting:
                    assert await there.parcels.take(one.id, there.is_paid)
        for side in (here, there):
            with trio.fail_after(30):
                await side.storage.wait_durable()
        running.cancel_scope.cancel()
    total = sum(int(row.content) for row in rows)
    assert here.heap.amount == 100_000 - total
    assert max(sent.values(), default=0) <= 1
    assert max(taken.values(), default=0) <= 1
    assert worlds.say("SELECT count(*), count(taken_at) FROM parcel") == f"{count}|{count}"
    received = int(worlds.say(f"SELECT sum(amount) FROM item WHERE serial <> {here.heap.serial}"))
    assert received == 100_000 + total
    assert worlds.stamp(1).gold == 200_000
    assert worlds.say("SELECT gold FROM meta WHERE id = 2") == str(100_000 + total)
    assert check_database(worlds.databases[0]) == []


def test_a_second_time_is_refused_by_the_database_too(worlds: Worlds) -> None:
    """Whoever asks without looking, as a process might that began anew."""
    first, second, third = worlds.databases
    arthur = worlds.character("Arthur")
    assert claim(first, arthur.serial)
    row = ParcelRow("p", 2, "40")
    first.commit_batch(worlds.batch(arthur, 60, sent=[row]))
    with pytest.raises(ParcelSettled):
        first.commit_batch(worlds.batch(arthur, 20, sent=[row]))
    assert worlds.gold(arthur) == 60
    took = Batch(1, 1.0, (), (), (), None, (), taken=["p"])
    with pytest.raises(ParcelSettled):
        third.commit_batch(took)
    assert second.waiting_parcels() == [row]
    second.commit_batch(took)
    with pytest.raises(ParcelSettled):
        second.commit_batch(took._replace(tick=2))
    assert second.waiting_parcels() == []
    assert first.forget_parcels() == 0
    assert first.parcel_sent("p")
    worlds.say("UPDATE parcel SET taken_at = now() - interval '8 days'")
    assert first.forget_parcels() == 1
    assert not first.parcel_sent("p")


def test_so_many_parcels_are_read_at_once(worlds: Worlds) -> None:
    worlds.say(
        "INSERT INTO parcel (id, from_world, to_world, content, sent_at)"
        " SELECT i, 1, 2, '', now() + i * interval '1 second' FROM generate_series(1, 150) AS i"
    )
    assert [row.id for row in worlds.databases[1].waiting_parcels()] == [str(i) for i in range(1, 101)]


def test_what_was_sent_to_a_dead_world_is_for_whoever_has_its_realms(worlds: Worlds) -> None:
    first, second, third = worlds.databases
    second.claim_realms(("field",))
    row = ParcelRow("p", 2, "40")
    arthur = worlds.character("Arthur")
    assert claim(second, arthur.serial)
    first.commit_batch(Batch(1, 1.0, (), (), (), None, (), sent=[row]))
    worlds.falls_silent(2)
    assert claim(first, arthur.serial), "who notices first"
    third.claim_realms(("field",))
    assert third.waiting_parcels() == [row._replace(to_world=3)]
    with pytest.raises(WorldLost):
        second.commit_batch(Batch(1, 1.0, (), (), (), None, (), taken=["p"]))


def test_what_left_with_a_batch_that_was_on_disk_after_all_is_not_written_again(worlds: Worlds) -> None:
    """A character that passed on, with all it has, is another world's: its rows of before would undo what has
    happened there, and a parcel would be refused."""
    first, second, _ = worlds.databases
    arthur, bertram = worlds.character("Arthur"), worlds.character("Bertram")
    for mobile in (arthur, bertram):
        assert claim(first, mobile.serial)
    gone = worlds.batch(
        arthur, 50, transfers=[TransferRow("t", arthur.serial, 2)], sent=[ParcelRow("p", 2, "50")]
    )
    with _cut_after_commit(first), pytest.raises(OperationalError):
        first.commit_batch(gone)
    assert worlds.owner(arthur) == 2
    assert second.accept("t") == arthur.serial
    second.commit_batch(worlds.batch(arthur, 77))
    more = worlds.batch(bertram, 88)
    again = gone._replace(
        tick=more.tick,
        wall=more.wall,
        characters=[*gone.characters, *more.characters],
        items=[*gone.items, *more.items],
    )
    for _ in range(5):
        with suppress(OperationalError):
            first.commit_batch(again)
            break
    assert (worlds.gold(arthur), worlds.gold(bertram), worlds.owner(arthur)) == (77, 88, 2)
    assert check_database(first) == []


async def test_a_character_goes_to_another_world_and_is_read_there(worlds: Worlds) -> None:
    here, there = Side(worlds.databases[0], 1), Side(worlds.databases[1], 1)
    arthur = stored.enter(here.world, here.database, "Arthur", worlds.account.id)
    async with trio.open_nursery() as running:
        for side in (here, there):
            await running.start(side.storage.run)
            running.start_soon(side.turns)
        with trio.fail_after(30):
            stored.purse(arthur).amount = 33
            sent = here.claims.begin_transfer(here.world, arthur, 2)
            here.world.leave(arthur)
            await here.storage.wait_durable()
            assert await there.claims.accept(sent) == arthur.serial
            assert not await here.claims.take_back(sent)
            found = await there.storage.character(arthur.serial, account_id=worlds.account.id)
        running.cancel_scope.cancel()
    assert found is not None
    assert [row.amount for row in found[1] if row.template == "gold"] == [33]
