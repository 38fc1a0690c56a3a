"""What the store does about faults of disks and files, and about other servers."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy.exc import OperationalError

from server.store.backup import is_whole, rescued_files, whole_backups
from server.store.check import check_database
from server.store.database import Database
from server.store.errors import DatabaseHeld, DatabaseReplaced
from server.store.lock import StateLock, WorldLock
from server.store.migrate import upgrade
from tests.kit.rows import batch, lying, url_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "world.db"
    upgrade(url_of(path), tmp_path / "backups")
    return path


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    database = Database(url_of(path), busy_seconds=0.05)
    yield database
    database.close()


# Faults


def test_r28_disk_full_leaves_the_last_batch_and_heals(database: Database) -> None:
    database.commit_batch(batch(lying(1), tick=1))
    with database.write() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    big = batch(*(lying(n, name="x" * 200) for n in range(2, 400)), tick=2)
    with pytest.raises(OperationalError, match="full"):
        database.commit_batch(big)
    assert database.meta().tick == 1
    with database.write() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 100000")
    database.commit_batch(big)
    assert database.meta().tick == 2
    assert len(database.ground_items()) == 399


def test_r29_another_writer_makes_the_commit_fail_and_readers_go_on(database: Database, path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError, match="locked"):
        database.commit_batch(batch(lying(1)))
    assert database.ground_items() == []
    other.close()
    database.commit_batch(batch(lying(1)))
    assert database.ground_items() == [lying(1)]


def test_a_transaction_that_will_write_keeps_other_writers_out_from_its_start(
    database: Database, path: Path
) -> None:
    other = sqlite3.connect(path, isolation_level=None, timeout=0)
    with database.write(), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("BEGIN IMMEDIATE")
    other.close()


def test_a_state_directory_has_one_server(tmp_path: Path) -> None:
    lock = StateLock(tmp_path)
    with pytest.raises(DatabaseHeld, match="another server"):
        StateLock(tmp_path)
    lock.release()
    StateLock(tmp_path).release()


def test_a_lock_that_cannot_be_made_is_not_held_by_another(tmp_path: Path) -> None:
    (tmp_path / "server.lock").mkdir()
    with pytest.raises(sqlite3.OperationalError, match="open"):
        StateLock(tmp_path)


@pytest.mark.parametrize("last", ["mark_clean", "create_account"])
def test_r31_whatever_is_written_next_notices_and_rescues(database: Database, path: Path, last: str) -> None:
    database.commit_batch(batch(lying(1), tick=1))
    path.unlink()
    with pytest.raises(DatabaseReplaced, match="rescued") as caught:
        database.mark_clean() if last == "mark_clean" else database.create_account("somebody", "hash", 1.0)
    assert caught.value.rescued is not None
    rescued = Database(url_of(caught.value.rescued))
    assert rescued.ground_items() == [lying(1)]
    assert rescued.accounts() == []
    rescued.close()


def test_r31_a_lost_directory_is_made_again_for_what_was_rescued(database: Database, path: Path) -> None:
    database.commit_batch(batch(lying(1), tick=1))
    shutil.rmtree(path.parent)
    with pytest.raises(DatabaseReplaced) as caught:
        database.commit_batch(batch(lying(2), tick=2))
    assert caught.value.rescued in whole_backups(path.parent / "backups", path)


@pytest.mark.parametrize("replaced", [False, True])
def test_r31_a_file_that_was_taken_away_is_noticed_and_rescued(
    database: Database, path: Path, *, replaced: bool
) -> None:
    database.commit_batch(batch(lying(1), tick=1))
    path.unlink()
    if replaced:
        path.write_bytes(b"")
    with pytest.raises(DatabaseReplaced) as caught:
        database.commit_batch(batch(lying(2), tick=2))
    assert caught.value.rescued is not None
    with pytest.raises(DatabaseReplaced):
        database.create_account("somebody", "hash", 1.0)
    assert is_whole(caught.value.rescued)
    # Tried again, with more: it takes the name of the first.
    with pytest.raises(DatabaseReplaced):
        database.commit_batch(batch(lying(3), tick=3))
    assert rescued_files(path) == [caught.value.rescued]
    assert whole_backups(path.parent / "backups", path) == [caught.value.rescued]
    rescued = Database(url_of(caught.value.rescued))
    assert rescued.meta().tick == 3
    assert rescued.ground_items() == [lying(1), lying(2), lying(3)]
    rescued.close()


def test_r39_only_one_server_holds_a_world(path: Path) -> None:
    lock = WorldLock(url_of(path))
    with pytest.raises(DatabaseHeld):
        WorldLock(url_of(path))
    code = f"from server.store.lock import WorldLock; WorldLock({url_of(path)!r})"
    second = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "DatabaseHeld" in second.stderr
    lock.release()
    dying = code.replace("; WorldLock", "; import os; lock = WorldLock") + "; os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", dying], cwd=ROOT, check=False).returncode == -signal.SIGKILL
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_r32_a_torn_write_ahead_log_opens_as_some_whole_tick(tmp_path: Path, path: Path) -> None:
    database = Database(url_of(path))
    for tick in range(1, 9):
        database.commit_batch(batch(lying(1, "gold", tick), lying(2, "gold", 100 - tick), tick=tick))
    whole, log = path.read_bytes(), path.with_name("world.db-wal").read_bytes()
    database.close()
    seen = set()
    for step in range(12):
        torn = tmp_path / f"torn{step}.db"
        torn.write_bytes(whole)
        torn.with_name(torn.name + "-wal").write_bytes(log[: len(log) * step // 11 - 3 * (step % 2)])
        again = Database(url_of(torn))
        tick = again.meta().tick
        if tick:
            assert sum(row.amount for row in again.ground_items()) == 100
            assert again.ground_items()[0].amount == tick
        assert check_database(again) == []
        seen.add(tick)
        again.close()
    assert len(seen) > 3


WRITER = """
import sys
from server.store.database import Database
from server.store.records import Batch
from world.snapshot import ItemRow
database = Database(sys.argv[1])
left, right, tick = 500, 500, database.meta().tick
while True:
    tick += 1
    left, right = (left - 1, right + 1) if tick % 7 else (left + 5, right - 5)
    owner = 0x40000003 + tick % 2
    rows = [ItemRow(0x40000001, "gold", None, 0, 0, 0, "field", 0, 0, 0, left, 0, ""),
            ItemRow(0x40000002, "gold", None, 0, 0, 0, "field", 0, 0, 0, right, 0, ""),
            ItemRow(0x40000003, "bag", None, 0, 0, 0, "field", 0, 0, 0, 1, 0, ""),
            ItemRow(0x40000004, "bag", None, 0, 0, 0, "field", 0, 0, 0, 1, 0, ""),
            ItemRow(0x40000005, "dagger", owner, 0, 0, 0, None, 0, 0, 0, tick, 0, "")]
    database.commit_batch(Batch(tick, 0.0, (), rows, (), (0, 16), ()))
    print(tick, flush=True)
    left, right = (left, right) if 100 < left < 900 else (500, 500)
"""


@pytest.mark.parametrize("acknowledged", [1, 5, 23, 60])
def test_r27_a_killed_writer_loses_nothing_it_acknowledged(path: Path, acknowledged: int) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, url_of(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    seen = 0
    for line in writer.stdout:
        seen = int(line)
        if seen >= acknowledged:
            os.kill(writer.pid, signal.SIGKILL)
            break
    # What was printed before the signal arrived counts too.
    seen = max([seen, *(int(line) for line in writer.stdout if line.endswith("\n"))])
    writer.wait()
    writer.stdout.close()

    database = Database(url_of(path))
    assert check_database(database) == []
    rows = {row.serial: row for row in database.ground_items()}
    assert database.meta().tick >= seen
    assert not database.meta().clean
    assert rows[0x40000001].amount + rows[0x40000002].amount == 1000
    assert rows[0x40000005].amount == database.meta().tick
    assert rows[0x40000005].parent == 0x40000003 + database.meta().tick % 2
    database.close()
