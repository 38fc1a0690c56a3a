"""Owners of one world after another, in processes of their own, and what was committed by whom.

Each has a role of its own in the database server and a cable of its own to it. Triggers note every statement
that writes, with the role it was written by; the database server knows when each of these notes was
committed. So what an owner wrote after its successor's first word is found, whatever it was.
"""

from __future__ import annotations

import random
import signal
import time
from typing import TYPE_CHECKING, Final

import attrs
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from server.exits import GOOD, HELD
from server.store.engine import driver_url
from server.store.migrate import upgrade
from tests.kit.cable import Cable
from tests.kit.template import Order, template

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.kit.postgres import Cluster
    from tests.kit.template import Child

WRITTEN: Final = ("world", "meta", "item", "account", "character", "audit")
PATIENCE: Final = 40.0
"""Seconds in which what must happen has happened, even on a busy machine."""


@attrs.frozen
class Committed:
    """One transaction."""

    who: int
    """The number of the owner."""
    what: str
    """The tables it wrote to."""


@attrs.define
class Reign:
    """One owner, from its start on."""

    number: int
    role: str
    url: str
    cable: Cable
    process: Child | None = None

    @property
    def child(self) -> Child:
        """The process, which was started."""
        assert self.process is not None
        return self.process

    def code(self) -> int:
        """The exit code, once it has ended."""
        return self.child.wait(PATIENCE)


class Succession:
    """The owners of one world so far."""

    def __init__(self, cluster: Cluster, url: str, folder: Path, seed: int) -> None:
        self.dice = random.Random(seed)
        self.reigns: list[Reign] = []
        self._port = cluster.port
        self._name = url.rpartition("/")[2]
        self._output = folder / "output.txt"
        upgrade(url, folder)
        engine = create_engine(driver_url(url), poolclass=NullPool, isolation_level="AUTOCOMMIT")
        self._connection = engine.connect()
        self._do(
            "CREATE TABLE written (id bigserial, who text, what text);"
            "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN"
            " INSERT INTO written (who, what) VALUES (session_user, TG_TABLE_NAME);"
            " RETURN NULL; END$$;"
            + "".join(
                f"CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON {table}"
                " FOR EACH STATEMENT EXECUTE FUNCTION note();"
                for table in WRITTEN
            ),
        )

    def close(self) -> None:
        """Nobody is left."""
        for reign in self.reigns:
            if reign.process is not None and reign.process.poll() is None:
                reign.process.kill()
                reign.process.wait(10)
            reign.cable.close()
        self._connection.close()

    def _do(self, sql: str) -> None:
        self._connection.exec_driver_sql(sql)

    def _count(self, sql: str) -> int:
        return int(self._connection.exec_driver_sql(f"SELECT count(*) FROM {sql}").scalar_one())

    def heir(self) -> Reign:
        """The next one, not started yet."""
        number = len(self.reigns)
        role = f"{self._name}_{number}"
        self._do(f"CREATE ROLE {role} LOGIN SUPERUSER")
        cable = Cable(("127.0.0.1", self._port))
        url = f"postgresql://{role}@127.0.0.1:{cable.port}/{self._name}"
        reign = Reign(number, role, url, cable)
        self.reigns.append(reign)
        return reign

    def starts(self, reign: Reign) -> Reign:
        """Have an owner start."""
        files = ["/dev/null", str(self._output), str(self._output)]
        reign.process = template().spawn(Order(program="tests.kit.owner", args=[reign.url], files=files))
        return reign

    def reigns_now(self, reign: Reign, more: int = 20) -> None:
        """Wait until an owner has written so often again."""
        before = self.written_by(reign)
        self.eventually(lambda: self.written_by(reign) >= before + more, f"owner {reign.number} writes")

    def written_by(self, reign: Reign) -> int:
        """How many statements of its were committed."""
        return self._count(f"written WHERE who = '{reign.role}'")

    def cut_off(self, reign: Reign) -> None:
        """The database server ends its connections, and it finds no way back until its cable is mended."""
        reign.cable.cut()
        there = f"pg_stat_activity WHERE usename = '{reign.role}'"
        self._do(f"SELECT pg_terminate_backend(pid) FROM {there}")
        self.eventually(lambda: not self._count(there), "the end of its connections")

    def eventually(self, seen: Callable[[], bool], what: str) -> None:
        """Look until it is so."""
        end = time.monotonic() + PATIENCE
        while not seen():
            assert time.monotonic() < end, f"{what}: not in {PATIENCE:.0f} s\n{self.output()}"
            time.sleep(0.05)

    def output(self) -> str:
        """What all of them printed."""
        return self._output.read_text(errors="replace") if self._output.exists() else ""

    # What may happen to an owner. Each returns who has the world then.

    def is_stopped(self, reign: Reign, seconds: float) -> Reign:
        """Stopped in the midst of things, but not cut off: nobody else gets the world, and it goes on."""
        reign.child.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        rival = self.starts(self.heir())
        assert rival.code() == HELD
        time.sleep(max(0.0, began + seconds - time.monotonic()))
        reign.child.send_signal(signal.SIGCONT)
        self.reigns_now(reign)
        return reign

    def loses_its_line(self, reign: Reign, seconds: float) -> Reign:
        """Cut off for a while in which nobody comes: it is back, and nothing is lost."""
        self.cut_off(reign)
        time.sleep(seconds)
        assert reign.child.poll() is None, self.output()
        reign.cable.mend()
        self.reigns_now(reign)
        return reign

    def is_succeeded(self, reign: Reign, _: float) -> Reign:
        """Cut off, and another one has the world when it comes back."""
        self.cut_off(reign)
        heir = self.starts(self.heir())
        self.reigns_now(heir)
        reign.cable.mend()
        assert reign.code() == HELD
        self.reigns_now(heir)
        return heir

    def is_succeeded_while_stopped(self, reign: Reign, seconds: float) -> Reign:
        """Stopped in the midst of things and cut off; it wakes up beside its successor."""
        reign.child.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        self.cut_off(reign)
        heir = self.starts(self.heir())
        self.reigns_now(heir)
        time.sleep(max(0.0, began + seconds - time.monotonic()))
        reign.cable.mend()
        reign.child.send_signal(signal.SIGCONT)
        assert reign.code() == HELD
        return heir

    def is_outlived(self, reign: Reign, seconds: float) -> Reign:
        """The same, and when it wakes up its successor has gone already: every lock is free."""
        reign.child.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        self.cut_off(reign)
        between = self.starts(self.heir())
        self.reigns_now(between)
        between.child.terminate()
        assert between.code() == GOOD, self.output()
        time.sleep(max(0.0, began + seconds - time.monotonic()))
        reign.cable.mend()
        reign.child.send_signal(signal.SIGCONT)
        assert reign.code() == HELD
        heir = self.starts(self.heir())
        self.reigns_now(heir)
        return heir

    # What is true in the end

    def committed(self) -> list[Committed]:
        """All transactions in the order in which they were committed."""
        lines = self._connection.exec_driver_sql(
            "SELECT min(who) || ' ' || string_agg(DISTINCT what, ',') FROM written"
            " GROUP BY xmin::text ORDER BY min(pg_xact_commit_timestamp(xmin)), min(id)",
        )
        found = []
        for line in lines.scalars():
            role, _, what = str(line).partition(" ")
            found.append(Committed(int(role.rpartition("_")[2]), what))
        return found


HABITS: Final[Sequence[Callable[[Succession, Reign, float], Reign]]] = (
    Succession.is_stopped,
    Succession.loses_its_line,
    Succession.is_succeeded,
    Succession.is_succeeded_while_stopped,
    Succession.is_outlived,
)


def stale(committed: Sequence[Committed]) -> list[Committed]:
    """Those that came after the first one of a later owner."""
    newest, found = -1, []
    for entry in committed:
        if entry.who < newest:
            found.append(entry)
        newest = max(newest, entry.who)
    return found
