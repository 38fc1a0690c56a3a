"""Files that are damaged, backups and migrations that were killed, databases of older programs: nothing is
lost or believed twice.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from server.operate.restore import restore
from server.store.backup import back_up, is_whole, whole_backups
from server.store.check import check_database
from server.store.database import Database
from server.store.errors import DatabaseDamaged
from server.store.migrate import MIGRATIONS, revisions, upgrade
from tests.kit import stored
from tests.kit.process import ServerProcess
from tests.kit.storage import a_batch, lying, url_of

if TYPE_CHECKING:
    from collections.abc import Iterator


ROOT = Path(__file__).resolve().parents[2]
GOLDEN = sorted((ROOT / "tests" / "data").glob("schema_v*.sql"))
PAGE = 4096


# Files that are not what they were


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "world.db"


@pytest.fixture
def database(path: Path, tmp_path: Path) -> Iterator[Database]:
    """Two heaps of gold that hold 1000 together, over 30 ticks, and the log still beside the file."""
    upgrade(url_of(path), tmp_path / "backups")
    database = Database(url_of(path))
    for tick in range(1, 31):
        database.commit_batch(a_batch(tick, lying(1, tick), lying(2, 1000 - tick)))
    yield database
    database.close()


def as_a_crash_leaves_it(database: Database, copy: Path, *, without: str = "") -> Path:
    """The files of an open database, copied as they are."""
    assert database.path is not None
    for suffix in ("", "-wal", "-shm"):
        if suffix != without or not suffix:
            shutil.copy(f"{database.path}{suffix}", f"{copy}{suffix}")
    return copy


def test_r32_a_missing_shm_costs_nothing(database: Database, tmp_path: Path) -> None:
    copy = as_a_crash_leaves_it(database, tmp_path / "copy.db", without="-shm")
    assert upgrade(url_of(copy), tmp_path / "backups") is None
    again = Database(url_of(copy))
    assert again.meta().tick == 30
    assert [row.amount for row in again.ground_items()] == [30, 970]
    again.close()


@pytest.mark.parametrize("seed", range(4))
def test_r32_a_log_torn_anywhere_opens_as_the_end_of_some_tick(
    database: Database, tmp_path: Path, seed: int
) -> None:
    dice = random.Random(seed)
    copy = as_a_crash_leaves_it(database, tmp_path / "copy.db", without="-shm")
    whole, log = copy.read_bytes(), Path(f"{copy}-wal").read_bytes()
    seen = set()
    for number in range(10):
        torn = tmp_path / f"torn{number}.db"
        torn.write_bytes(whole)
        Path(f"{torn}-wal").write_bytes(log[: dice.randrange(len(log))])
        upgrade(url_of(torn), tmp_path / "backups")
        again = Database(url_of(torn))
        tick = again.meta().tick
        if tick:
            assert [row.amount for row in again.ground_items()] == [tick, 1000 - tick]
        assert check_database(again) == []
        seen.add(tick)
        again.close()
    assert len(seen) > 1


def test_r32_what_a_dying_backup_left_is_cleared_away(path: Path, tmp_path: Path, database: Database) -> None:
    backups = tmp_path / "backups"
    whole = back_up(path, backups, "hourly")
    left = backups / "world-later.db.tmp"
    left.write_bytes(b"half")
    foreign = backups / "other-later.db.tmp"
    foreign.write_bytes(b"another world's")
    upgrade(url_of(path), backups)
    assert not left.exists()
    assert foreign.exists()
    assert whole_backups(backups, path) == [whole]


DYING_BACKUP = """
import os, signal, sys
from pathlib import Path
from server.store import backup
steps = int(sys.argv[3])
def counted(call):
    def run(*args, **options):
        global steps
        if not steps:
            os.kill(os.getpid(), signal.SIGKILL)
        steps -= 1
        return call(*args, **options)
    return run
backup._sync = counted(backup._sync)
backup._digest = counted(backup._digest)
Path.replace = counted(Path.replace)
Path.write_text = counted(Path.write_text)
backup.back_up(Path(sys.argv[1]), Path(sys.argv[2]), "hourly")
"""


@pytest.mark.parametrize("steps", range(8))
def test_r38_a_backup_killed_at_any_step_is_whole_or_none(
    path: Path, tmp_path: Path, database: Database, steps: int
) -> None:
    backups = tmp_path / "backups"
    dying = [sys.executable, "-c", DYING_BACKUP, str(path), str(backups), str(steps)]
    code = subprocess.run(dying, cwd=ROOT, check=False).returncode
    assert code == (0 if steps >= 7 else -signal.SIGKILL)
    named = list(backups.glob("*.db"))
    assert named == whole_backups(backups, path)
    assert len(named) == (steps >= 6)
    # The next one is not disturbed by what is left, and a restored copy is the world of tick 30.
    again = back_up(path, backups, "hourly")
    assert is_whole(again)
    restore(again, tmp_path / "restored.db")
    restored = Database(url_of(tmp_path / "restored.db"))
    assert restored.meta().tick == 30
    assert check_database(restored) == []
    restored.close()


def filled(path: Path, backups: Path) -> Path:
    """A world of 300 things that was not closed in good order, and its backup."""
    upgrade(url_of(path), backups)
    database = Database(url_of(path))
    world = stored.new_world(database.reserve_serials())
    stored.enter(world, database, "Arthur", stored.an_account(database).id)
    database.commit_batch(a_batch(1, *(lying(1000 + number, 7) for number in range(300))))
    database.close()
    return back_up(path, backups, "hourly")


def table_pages(path: Path) -> list[int]:
    """Numbers, from 0, of the pages that hold rows of the item table."""
    content = path.read_bytes()
    # 0x0D is a leaf of a table, 0x05 an inner page: https://www.sqlite.org/fileformat.html, section 1.6
    return [number for number in range(1, len(content) // PAGE) if content[number * PAGE] in (0x05, 0x0D)]


@pytest.mark.parametrize("seed", range(5))
def test_r33_two_hundred_broken_bytes_of_a_page_stop_the_start(path: Path, tmp_path: Path, seed: int) -> None:
    whole = filled(path, tmp_path / "backups")
    content = bytearray(path.read_bytes())
    dice = random.Random(seed)
    page = dice.choice(table_pages(path))
    content[page * PAGE : page * PAGE + 200] = dice.randbytes(200)
    path.write_bytes(content)
    with pytest.raises(DatabaseDamaged) as caught:
        upgrade(url_of(path), tmp_path / "backups")
    assert caught.value.backups == (whole,)
    assert path.read_bytes() == content, "left as it was found"


def test_r33_a_flipped_bit_in_a_value_is_seen_by_the_hash_alone(path: Path, tmp_path: Path) -> None:
    whole = filled(path, tmp_path / "backups")
    content = bytearray(whole.read_bytes())
    at = content.index(b"Arthur")
    content[at] ^= 1
    whole.write_bytes(content)
    with closing(sqlite3.connect(whole)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT name FROM character").fetchall() == [("@rthur",)]
    assert not is_whole(whole)
    assert whole_backups(tmp_path / "backups", path) == []


def test_r33_the_start_on_a_broken_file_says_how_to_restore_it(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    path = server.state / "causeway.db"
    server.state.mkdir()
    filled(path, server.state / "backups")
    content = bytearray(path.read_bytes())
    for page in table_pages(path):
        content[page * PAGE : page * PAGE + 200] = b"\xff" * 200
    path.write_bytes(content)
    assert server.spawn().wait(20) == 3
    order = next(line for line in server.output().splitlines() if "causeway restore" in line)
    backup = order.split()[-1]
    assert server.causeway("restore", backup).returncode == 0
    again = Database(url_of(path))
    assert check_database(again) == []
    assert again.name_taken("Arthur")
    again.close()


# Databases of older programs


@pytest.mark.parametrize("dump", GOLDEN, ids=[dump.stem for dump in GOLDEN])
def test_r36_the_database_of_every_version_is_brought_up_to_date_and_played(
    dump: Path, path: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(dump.read_text(encoding="utf-8"))
    upgrade(url_of(path), tmp_path / "backups")
    database = Database(url_of(path))
    assert check_database(database) == []
    row = database.account("anna")
    assert row is not None
    (summary,) = database.characters(row.id)
    assert summary.row.name == "Anna"
    loaded = database.character(summary.row.serial)
    assert loaded is not None
    assert sum(item.amount for item in loaded[1] if item.template == "gold") == 100
    assert [item.template for item in database.ground_items()] == ["bag", "bread"]
    kept = None if dump.stem == "schema_v0001" else "human_fighter"
    assert database.note(summary.row.serial, "l2", "class") == kept
    reserved = database.reserve_serials()
    assert reserved.item_first > max(item.serial for item in (*loaded[1], *database.ground_items()))
    assert database.create_account("newcomer", "hash", 1.0)
    database.close()


def test_r36_there_is_a_database_of_every_version() -> None:
    assert [dump.stem.removeprefix("schema_v") for dump in GOLDEN] == revisions(MIGRATIONS)


def test_r37_a_migration_that_is_killed_at_the_first_start_begins_anew(path: Path, tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; import alembic.op as op\n"
        "from server.store import migrate\n"
        "left = int(sys.argv[3]); make = op.create_table\n"
        "def create_table(*a, **o):\n"
        "    global left\n"
        "    if not left: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    left -= 1\n"
        "    return make(*a, **o)\n"
        "op.create_table = create_table\n"
        "migrate.upgrade(sys.argv[1], Path(sys.argv[2]))\n"
    )
    for tables in (0, 3):
        killed = [sys.executable, "-c", code, url_of(path), str(tmp_path / "backups"), str(tables)]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        assert subprocess.run(killed, cwd=ROOT, env=environment, check=False).returncode == -signal.SIGKILL
    upgrade(url_of(path), tmp_path / "backups")
    database = Database(url_of(path))
    assert database.meta().tick == 0
    assert check_database(database) == []
    database.close()
