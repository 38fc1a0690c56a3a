"""A primary of PostgreSQL with a standby, and a program that remembers what the primary has promised.

    pair = Pair(folder)
    with pair.writes() as promised:     # for as long as that, or until the primary is gone
        pair.primary_dies(promised, dice)
    pair.stands_in()
    pair.broken(promised)               # what was promised and is not so

What is written are lives of a world, as a server has them: it takes the world over, which raises its epoch,
and commits batches of rows. Both are promised when the database says so.
"""

from __future__ import annotations

import tempfile
import threading
import time
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
from sqlalchemy.exc import DBAPIError

from server.store.database import Database
from server.store.migrate import upgrade
from server.store.records import AuditRow, Batch
from tests.kit import postgres, stored
from tests.kit.cable import Cable, Way
from tests.kit.claiming import claim
from world.snapshot import character_row, item_row

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

PATIENCE: Final = 30.0


@attrs.define
class Promised:
    """What the primary has said that it has."""

    epoch: int = 0
    gold: int = 1
    notes: int = 0
    tried: int = 0
    """The amount of gold of the batch that may or may not be there."""


class Pair:
    """Both servers. Programs find the one that is the primary at the same port."""

    def __init__(self, *, synchronous: bool) -> None:
        self._open = ExitStack()
        self._synchronous = synchronous
        folder = self._open.enter_context(tempfile.TemporaryDirectory(prefix="causeway-standby-"))
        self._folder = Path(folder)
        self.primary = self._open.enter_context(postgres.alone())
        self._front = Cable(("127.0.0.1", self.primary.port))
        self.wal = Cable(("127.0.0.1", self.primary.port))
        """By which the standby hears of what is written."""
        for cable in (self._front, self.wal):
            self._open.callback(cable.close)
        name = self.primary.make().rpartition("/")[2]
        self.url = f"postgresql://causeway@127.0.0.1:{self._front.port}/{name}"
        self._name = name
        upgrade(self.url, self._folder)
        with closing(Database(self.url)) as database:
            account = stored.an_account(database)
            self._mobile = stored.enter(
                stored.new_world(database.reserve_serials()), database, "Arthur", account.id, 1
            )
        self._standby = self._follows()

    def _follows(self) -> postgres.Cluster:
        where = self._folder / "standby"
        where.mkdir()
        self._folder.chmod(0o711)
        standby = self.primary.standby(where, self.wal.port)
        standby.start()
        self._open.callback(lambda: standby.stop() if standby.running else None)
        self._eventually(lambda: self.primary.say(self._name, "SELECT state FROM pg_stat_replication") != "")
        if self._synchronous:
            self._has("ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (walreceiver)'")
            self._has("SELECT pg_reload_conf()")
            asked = "SELECT sync_state FROM pg_stat_replication"
            self._eventually(lambda: self.primary.say(self._name, asked) == "sync")
        return standby

    def _has(self, sql: str) -> None:
        self.primary.say(self._name, sql)

    def _eventually(self, seen: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not seen():
            assert time.monotonic() < deadline, "it does not come"
            time.sleep(0.05)

    def close(self) -> None:
        """End both."""
        self._open.close()

    @contextmanager
    def writes(self) -> Iterator[Promised]:
        """Have a world live again and again meanwhile."""
        promised, over = Promised(), threading.Event()
        thread = threading.Thread(target=self._write, args=(promised, over), daemon=True)
        thread.start()
        try:
            yield promised
        finally:
            over.set()
            thread.join(PATIENCE)
        assert not thread.is_alive()

    def _write(self, promised: Promised, over: threading.Event) -> None:
        try:
            while not over.is_set():
                with closing(Database(self.url)) as database:
                    promised.epoch = database.epoch or 0
                    assert claim(database, self._mobile.serial)
                    for _ in range(3):
                        self._commit(database, promised)
        except DBAPIError:
            return  # it is gone

    def _commit(self, database: Database, promised: Promised) -> None:
        promised.tried = tick = promised.gold + 1
        purse = item_row(stored.purse(self._mobile))._replace(amount=tick)
        noted = [AuditRow(1.0, tick, "test", "note", str(tick))]
        database.commit_batch(Batch(tick, 1.0, [character_row(self._mobile)], [purse], (), None, noted))
        promised.gold, promised.notes = tick, promised.notes + 1

    def falls_behind(self) -> None:
        """The standby hears of nothing more, and is told so by nobody."""
        self.wal.swallow(*Way)

    def primary_dies(self, promised: Promised, dice: random.Random) -> None:
        """kill -9, after some lives of the world were written."""
        before = promised.epoch
        self._eventually(lambda: promised.epoch >= before + 3)
        time.sleep(dice.uniform(0, 0.1))
        self.primary.kill()

    def stands_in(self) -> None:
        """The standby takes over, at the address that programs know."""
        self._front.cut()
        self.wal.cut()
        self._standby.promote()
        self._has_no_standby(self._standby)
        self._front.aim(("127.0.0.1", self._standby.port))
        self._front.mend()
        self.wal.mend()

    def _has_no_standby(self, one: postgres.Cluster) -> None:
        """Else it would wait for one with each commit."""
        one.say(self._name, "ALTER SYSTEM RESET synchronous_standby_names")
        one.say(self._name, "SELECT pg_reload_conf()")

    def broken(self, promised: Promised) -> list[str]:
        """What was promised and is not so."""
        asked = "SELECT (SELECT epoch FROM world), (SELECT count(*) FROM audit WHERE what = 'note'), amount"
        purse = stored.purse(self._mobile).serial
        found = self._standby.say(self._name, f"{asked} FROM item WHERE serial = {purse}")
        epoch, notes, gold = map(int, found.split("|"))
        wrong = []
        if epoch < promised.epoch:
            wrong.append(f"the epoch of the world went back from {promised.epoch} to {epoch}")
        if notes < promised.notes:
            wrong.append(f"of {promised.notes} notes {notes} are there")
        if gold not in (promised.gold, promised.tried):
            wrong.append(f"there were {promised.gold} gold, now there are {gold}")
        with closing(Database(self.url)) as database:
            if (database.epoch or 0) <= promised.epoch:
                wrong.append(f"a life of the world has the epoch {database.epoch}, as one before")
        return wrong
