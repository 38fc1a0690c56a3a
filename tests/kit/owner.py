"""The owner of a world, without games and doors: it takes the world of a database as `causeway serve` does,
and changes the one thing in it all the time.

    python -m tests.kit.owner URL

Ends with the exit code of a server: 0 after SIGTERM, 4 if another one has the world.
"""

from __future__ import annotations

import logging
import signal
import sys
import tempfile
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

import trio

from server.exits import CRASHED, GOOD, HELD
from server.store.database import Database
from server.store.errors import DatabaseHeld
from server.store.lock import WorldLock
from server.store.migrate import upgrade
from server.store.runner import ThreadRunner
from server.store.writer import Storage
from tests.kit import stored
from world import holding
from world.snapshot import restore_items

TURN_SECONDS: Final = 0.004
ACCOUNT_TURNS: Final = 20
"""Every so many turns an account is made, in a transaction of its own."""


class Owner:
    """One world, and who writes it down."""

    def __init__(self, database: Database) -> None:
        self.world = world = stored.new_world(database.reserve_serials())
        self.epoch = database.epoch
        self.stopping = trio.Event()
        self.storage = Storage(
            database,
            ThreadRunner(),
            wake=lambda: None,
            lost=self.stopping.set,
            flush_seconds=lambda: 0.0,
            max_pending_rows=lambda: 200_000,
            max_lag_seconds=lambda: 60.0,
        )
        items, damaged = restore_items(database.ground_items(), world)
        assert not damaged, damaged
        self.thing = items[0] if items else holding.make(world, "gold")
        world.enter(self.thing, world.realms["field"], 5, 5)

    async def run(self) -> int:
        """Until SIGTERM, or until the world is another's; the exit code."""
        async with trio.open_nursery() as nursery:
            await nursery.start(self.storage.run)
            nursery.start_soon(self.storage.beat)
            nursery.start_soon(self._heed)
            nursery.start_soon(self._make_accounts)
            while not self.stopping.is_set():
                self.world.begin(trio.current_time())
                self.world.take_changes()
                self.thing.amount = self.thing.amount % 1000 + 1
                self.storage.offer(self.world, trio.current_time())
                await trio.sleep(TURN_SECONDS)
            nursery.cancel_scope.cancel()
        if await self.storage.finish(self.world):
            return GOOD
        return HELD if self.storage.lost else CRASHED

    async def _heed(self) -> None:
        with trio.open_signal_receiver(signal.SIGTERM) as received:
            async for _ in received:
                self.stopping.set()

    async def _make_accounts(self) -> None:
        for number in count():
            make = partial(self._make_account, f"e{self.epoch}.{number}")
            try:
                await self.storage.write(make)
            except Exception as error:
                logging.warning("no account: %s", error)
            await trio.sleep(ACCOUNT_TURNS * TURN_SECONDS)

    def _make_account(self, name: str, database: Database) -> None:
        database.create_account(name, "hash", 1.0)


def run(url: str) -> int:
    """From the lock to the exit code."""
    try:
        lock = WorldLock(url)
        try:
            upgrade(url, Path(tempfile.gettempdir()))
            with closing(Database(url)) as database:
                return trio.run(_own, database)
        finally:
            lock.release()
    except DatabaseHeld as error:
        logging.critical("%s", error)
        return HELD


async def _own(database: Database) -> int:
    return await Owner(database).run()


if __name__ == "__main__":
    sys.exit(run(sys.argv[1]))
