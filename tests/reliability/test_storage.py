"""Disks that are full, locked, slow or gone, files that are damaged, clocks that jump: play goes on, and
nothing is lost or believed twice.

What one part of the store does about a fault is tested beside that part (`README.md` lists where); here it is
the whole server, or a file as an operator finds it.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio
from sqlalchemy.exc import OperationalError

from server.exits import CRASHED, HELD
from server.operate.restore import restore
from server.people.tickets import LIFETIME
from server.store.backup import back_up, is_whole, whole_backups
from server.store.check import check_database
from server.store.database import Database
from server.store.errors import DatabaseDamaged
from server.store.migrate import MIGRATIONS, revisions, upgrade
from server.store.records import Batch
from server.store.writer import LONGEST_PAUSE
from tests.kit import stored
from tests.kit.disk import Disk
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.process import ServerProcess
from world.mobile import Access
from world.serials import BLOCK, FIRST_ITEM
from world.snapshot import ItemRow, sheet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio.testing import MockClock

    from tests.kit.town import Town
    from world.mobile import Mobile

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = sorted((ROOT / "tests" / "data").glob("schema_v*.sql"))
PAGE = 4096


# The whole server on a disk that misbehaves


def on(town: Town, disk: Disk) -> Disk:
    """Put the running server on that disk."""
    town.app.storage._runner = disk
    return disk


class Walker:
    """A player that keeps walking up and down, and the longest it ever waited for an answer."""

    def __init__(self, town: Town, player: UoPlayer, mobile: Mobile) -> None:
        self.town = town
        self.player = player
        self.mobile = mobile
        self.steps = 0

    async def walks(self, seconds: float) -> None:
        """Walk for so long; every step has to be answered within the second it is given."""
        until = trio.current_time() + seconds
        while trio.current_time() < until:
            place = self.mobile.x, self.mobile.y
            await self.player.walks(2 if self.steps % 2 else 6)
            assert (self.mobile.x, self.mobile.y) != place, "the step was not made"
            self.steps += 1


def has_ended(town: Town) -> bool:
    """Whether the server has stopped."""
    return town.exit_code is not None


async def a_walker(town: Town, name: str = "Anna") -> Walker:
    player = UoPlayer(town)
    await player.enters(name.lower(), name)
    return Walker(town, player, town.mobile(name))


def stored_place(town: Town, mobile: Mobile) -> tuple[int, int]:
    found = town.database.character(mobile.serial)
    assert found is not None
    stored = sheet(found[0], mobile.world)
    return stored.x, stored.y


async def test_r28_a_full_disk_is_told_outlived_and_costs_nothing(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    walker = await a_walker(town)
    staff = UoPlayer(town)
    await staff.enters("greta", "Greta")
    town.mobile("Greta").access = Access.COUNSELOR
    await trio.sleep(2)
    with town.database.write() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    storage = town.app.storage
    for number in range(300):
        storage.audit("test", "fills the disk", f"{number} {'x' * 200}", town.app.world.tick)
    before = town.database.meta().tick
    await walker.walks(20)
    assert storage.health.failures > 5
    assert storage.health.lag_seconds > 15
    assert not storage.health.refuse_logins
    assert town.database.meta().tick == before
    assert "does not take writes" in caplog.text
    assert "full" in caplog.text
    assert any("does not take writes" in line for line in staff.client.said())
    assert not any("does not take writes" in line for line in walker.player.client.said())
    # Not a line for every try: a full disk must not be filled by its own log.
    assert sum("does not take writes" in record.getMessage() for record in caplog.records) == 1

    with town.database.write() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    await trio.sleep(LONGEST_PAUSE + 1)
    assert storage.health.failures == 0
    assert storage.health.lag_seconds == 0
    assert "takes writes again" in caplog.text
    assert any("takes writes again" in line for line in staff.client.said())
    assert stored_place(town, walker.mobile) == (walker.mobile.x, walker.mobile.y)
    with town.database.read() as connection:
        notes = connection.exec_driver_sql("SELECT count(*) FROM audit WHERE what = 'fills the disk'")
        assert notes.scalar() == 300
    assert check_database(town.database) == []


async def test_r28_a_disk_that_stays_full_ends_play_before_too_much_is_at_stake(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    disk = on(town, Disk())
    walker = await a_walker(town)
    disk.broken = True
    await walker.walks(55)
    await trio.sleep(10)
    assert "stopping" in caplog.text
    assert not has_ended(town), "it still tries to write"
    disk.broken = False
    await trio.sleep(LONGEST_PAUSE + 10)
    assert walker.player.gone
    assert town.exit_code == CRASHED
    assert stored_place(town, walker.mobile) == (walker.mobile.x, walker.mobile.y)


@pytest.mark.parametrize("idle", [True, False])
async def test_r39_a_world_that_was_taken_over_ends_for_its_players_at_once(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, *, idle: bool
) -> None:
    """A change finds out, or a beat; nothing of what they did since is written, not even at the end."""
    walker = await a_walker(town)
    await trio.sleep(3)
    if idle:
        town.database.fence.epoch = 0  # as if a lock of a file were not enough
        town.nursery.start_soon(town.app.storage.beat)
    with town.database.write() as connection:
        connection.exec_driver_sql("UPDATE world SET epoch = 1")
    town.database.fence.epoch = 0
    place, tick = stored_place(town, walker.mobile), town.database.meta().tick
    if not idle:
        with suppress(BrokenPipeError):  # its last step is answered with goodbye
            await walker.player.walks(2)
    await trio.sleep(2)
    assert town.app.closed
    await trio.sleep(10)
    assert walker.player.gone
    assert town.exit_code == HELD
    assert stored_place(town, walker.mobile) == place
    assert town.database.meta().tick == tick
    assert not town.database.meta().clean
    assert "nothing more is written, stopping" in caplog.text


async def test_r29_twenty_seconds_of_another_programs_transaction_disturb_nobody(
    town: Town, autojump_clock: MockClock
) -> None:
    disk = on(town, Disk())
    walker = await a_walker(town)
    await trio.sleep(2)
    # What SQLite does: it waits for its busy timeout, then gives up.
    disk.seconds = 5.0
    disk.trouble = OperationalError("BEGIN IMMEDIATE", {}, sqlite3.OperationalError("database is locked"))
    await walker.walks(20)
    assert town.app.loop.stats.last_lateness == 0
    health = town.app.storage.health
    assert health.failures in (3, 4)
    assert "locked" in health.error
    disk.seconds, disk.trouble = 0.0, None
    await trio.sleep(LONGEST_PAUSE + 6)
    assert town.app.storage.health.failures == 0
    assert stored_place(town, walker.mobile) == (walker.mobile.x, walker.mobile.y)


async def test_r34_on_a_disk_that_takes_two_seconds_turns_are_on_time(
    town: Town, autojump_clock: MockClock
) -> None:
    disk = on(town, Disk())
    walker = await a_walker(town)
    await trio.sleep(2)
    disk.seconds = 2.0
    before, turns = town.database.meta().tick, town.app.loop.stats.turns
    lags = []
    for _ in range(10):
        await walker.walks(2)
        assert town.app.loop.stats.last_lateness == 0
        lags.append(town.app.storage.health.lag_seconds)
        assert any(f"{lags[-1]:.1f} s behind" in line for line in town.app.statistics())
    assert town.app.loop.stats.turns - turns >= 20
    assert 0 < max(lags) <= 4.1, "a commit under way, and what changed meanwhile"
    assert town.database.meta().tick > before
    await trio.sleep(6)
    assert town.app.storage.health.lag_seconds == 0
    assert stored_place(town, walker.mobile) == (walker.mobile.x, walker.mobile.y)


async def test_r34_a_slow_login_delays_only_itself(town: Town, autojump_clock: MockClock) -> None:
    disk = on(town, Disk())
    walker = await a_walker(town)
    disk.reading_seconds = 2.0
    late = EoPlayer(town)
    entering = trio.Event()

    async def enter() -> None:
        await late.greets()
        await late.does(late.client.login("bert", "secret1"), wait=10)
        entering.set()

    town.nursery.start_soon(enter)
    await walker.walks(5)
    assert not entering.is_set()
    assert town.app.loop.stats.last_lateness == 0
    await entering.wait()
    assert not late.gone


# A clock that jumps


@pytest.mark.parametrize("days", [1, -1])
async def test_r35_a_jump_of_the_clock_ends_no_wait_and_starts_none(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, days: int
) -> None:
    walker = await a_walker(town)
    ticks: list[float] = []
    town.app.world.timers.every(5.0, lambda: ticks.append(trio.current_time()), times=4)
    session = town.app.sessions()[0]
    key = town.app.tickets.issue(session, "secret1", {})
    limiter = town.app.accounts._terms.limiter
    for _ in range(6):
        limiter.failed("203.0.113.9", "anna", trio.current_time())
    wait = limiter.wait("203.0.113.9", trio.current_time())
    start = trio.current_time()

    town.wall += days * 86_400
    assert limiter.wait("203.0.113.9", trio.current_time()) == wait > 0
    assert town.app.tickets.peek(key, "uo") is not None
    await walker.walks(5)
    await trio.sleep(25)
    gaps = [after - before for before, after in zip([start, *ticks], ticks, strict=False)]
    assert len(ticks) == 4
    assert all(5 <= gap < 5.3 for gap in gaps), gaps
    assert limiter.wait("203.0.113.9", trio.current_time()) == 0
    assert trio.current_time() - start > LIFETIME - 1
    await trio.sleep(5)
    assert town.app.tickets.peek(key, "uo") is None
    assert stored_place(town, walker.mobile) == (walker.mobile.x, walker.mobile.y)
    assert not walker.player.gone
    assert f"jumped by {days * 86_400:+.0f} s" in caplog.text


async def test_r35_bans_end_by_the_calendar_and_owners_stay_known(
    town: Town, autojump_clock: MockClock
) -> None:
    accounts = town.app.accounts
    await a_walker(town)
    row = await accounts.find("anna")
    assert row is not None
    await accounts.staff.ban(row, town.wall + trio.current_time() + 3600, "an hour")
    await trio.sleep(1)

    async def is_banned() -> bool:
        player = UoPlayer(town)
        await player.does(player.client.login_bytes("anna", "secret1"))
        return player.client.rejected == 2

    assert await is_banned()
    town.wall -= 86_400
    assert await is_banned(), "going back does not lift it"
    town.wall += 2 * 86_400
    assert not await is_banned()


# Files that are not what they were


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "world.db"


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


def lying(serial: int, amount: int) -> ItemRow:
    return ItemRow(FIRST_ITEM + serial, "gold", None, 0, 0, 0, "field", 1, 2, 0, amount, 0, "")


def a_batch(tick: int, *rows: ItemRow) -> Batch:
    return Batch(tick, 2.0, (), rows, (), (100, FIRST_ITEM + BLOCK), ())


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
