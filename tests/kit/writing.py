"""A world whose changes are written behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio
import trio.testing

from server.store.database import Database
from server.store.writer import Storage
from tests.kit import stored
from tests.kit.disk import Disk

if TYPE_CHECKING:
    from server.store.records import Batch, Reservation
    from world.mobile import Mobile


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

        def noted(batch: Batch) -> Reservation | None:
            reserved = commit(batch)
            self.batches.append(batch)
            return reserved

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


async def settle() -> None:
    """Let the storage task do what was handed to it."""
    await trio.testing.wait_all_tasks_blocked()
