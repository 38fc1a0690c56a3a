"""Several worlds in one database of PostgreSQL, each as a process of its own would have it."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from server.store.database import Database
from server.store.migrate import upgrade
from server.store.records import Batch
from tests.kit import stored
from world.snapshot import character_row, item_row

if TYPE_CHECKING:
    from pathlib import Path

    from server.store.records import Meta
    from tests.kit.postgres import Cluster
    from world.mobile import Mobile


class Worlds:
    """The databases of worlds 1 to `count`, and an account with the characters that were made."""

    def __init__(self, cluster: Cluster, url: str, folder: Path, count: int = 2) -> None:
        self.url = url
        self._cluster = cluster
        self._name = url.rpartition("/")[2]
        self._open = ExitStack()
        upgrade(url, folder)
        self.databases = [self.start(number) for number in range(1, count + 1)]
        self.account = stored.an_account(self.databases[0])
        self.world = stored.new_world(self.databases[0].reserve_serials())
        self.tick = 0

    def start(self, number: int, *, idle_seconds: float = 5.0) -> Database:
        """Another process for a world: whoever had it before has lost it."""
        database = Database(self.url, world=number, idle_seconds=idle_seconds)
        self._open.enter_context(closing(database))
        return database

    def close(self) -> None:
        """All connections end."""
        self._open.close()

    def say(self, sql: str) -> str:
        """One statement, by psql."""
        return self._cluster.say(self._name, sql)

    def character(self, name: str, gold: int = 100) -> Mobile:
        """A character that is nobody's."""
        mobile = stored.enter(self.world, self.databases[0], name, self.account.id, gold)
        assert self.databases[0].release(mobile.serial)
        return mobile

    def owner(self, mobile: Mobile) -> int | None:
        """The world that has it, as it is stored."""
        found = self.say(f"SELECT world FROM character WHERE serial = {mobile.serial}")
        return int(found) if found else None

    def falls_silent(self, number: int) -> None:
        """A world has not been heard of for an hour. Where the database itself was started just now, that
        counts for nothing until it has been there for as long as a world may be silent."""
        self.say("SELECT pg_sleep(greatest(0, 5.1 - extract(epoch FROM now() - pg_postmaster_start_time())))")
        self.say(f"UPDATE world SET beat = now() - interval '1 hour' WHERE id = {number}")

    def all_live(self) -> None:
        """Let all of them count as alive, however long this machine stood still."""
        self.say("UPDATE world SET beat = now()")

    def batch(self, mobile: Mobile, gold: int, **more: object) -> Batch:
        """A change of a character: that it has so much gold."""
        self.tick += 1
        purse = stored.purse(mobile)
        purse.amount = gold
        made = Batch(self.tick, float(self.tick), [character_row(mobile)], [item_row(purse)], (), None, ())
        return made._replace(**more)  # type: ignore[arg-type] # named as its fields are

    def gold(self, mobile: Mobile) -> int:
        """What is stored of that."""
        return int(self.say(f"SELECT amount FROM item WHERE serial = {stored.purse(mobile).serial}"))

    def stamp(self, number: int) -> Meta:
        """The stamp of a world."""
        return self.databases[number - 1].meta()
