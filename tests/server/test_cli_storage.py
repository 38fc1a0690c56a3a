"""The `causeway` command: backups, and storage that cannot be used."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

import server.__main__
import server.boot.start
from server import exits
from server.store.database import Database
from server.store.errors import DatabaseReplaced
from server.store.lock import WorldLock
from server.store.records import Batch
from tests.kit.shell import Shell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    path = tmp_path / "config.toml"
    path.write_text("")
    return Shell(path, tmp_path / "var", monkeypatch, capsys)


# Backups


def test_r38_a_backup_is_restored(shell: Shell) -> None:
    shell.run("account", "create", "bobby", typed="secret1\n")
    code, out, _ = shell.run("backup")
    assert code == exits.GOOD
    backup = Path(out.strip())
    assert sorted(backup.parent.iterdir()) == [backup, backup.with_name(backup.name + ".sha256")]
    shell.run("account", "create", "later", typed="secret1\n")
    code, out, _ = shell.run("restore", str(backup))
    assert code == exits.GOOD
    assert shell.run("account", "list")[1] == "bobby: player, never seen\n"
    (replaced,) = shell.state.glob("causeway.db.replaced-*")
    assert str(replaced) in out
    with sqlite3.connect(replaced) as connection:
        assert connection.execute("SELECT count(*) FROM account").fetchone() == (2,)
    connection.close()


def test_a_log_of_the_replaced_database_is_not_applied_to_the_restored_one(shell: Shell) -> None:
    """A killed server leaves its log. If its database was deleted, nothing is there to take the log into."""
    shell.run("account", "create", "bobby", typed="secret1\n")
    backup = shell.run("backup")[1].strip()
    path, log = shell.state / "causeway.db", shell.state / "causeway.db-wal"
    database = Database(shell.url)
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE account SET name = 'other'")
    left = log.read_bytes()
    database.close()
    path.unlink()
    log.write_bytes(left)
    assert shell.run("account", "list")[0] == exits.DAMAGED
    assert shell.run("restore", backup)[0] == exits.GOOD
    assert shell.run("account", "list")[1] == "bobby: player, never seen\n"


def test_what_was_rescued_is_restored(shell: Shell) -> None:
    shell.run("account", "create", "bobby", typed="secret1\n")
    database = Database(shell.url)
    (shell.state / "causeway.db").unlink()
    with pytest.raises(DatabaseReplaced) as caught:
        database.commit_batch(Batch(1, 0.0, [], [], [], None, []))
    database.close()
    for side in shell.state.glob("causeway.db-*"):
        side.unlink()
    code, _, err = shell.run("account", "list")
    assert code == exits.DAMAGED
    assert f"causeway restore --config {shell.config} {caught.value.rescued}" in err
    assert shell.run("restore", str(caught.value.rescued))[0] == exits.GOOD
    assert shell.run("account", "list")[1] == "bobby: player, never seen\n"


def test_a_backup_that_is_not_there_is_a_bad_argument(shell: Shell) -> None:
    assert shell.run("restore", "nowhere.db")[0] == exits.REFUSED


# Storage that cannot be used


def one_line(text: str) -> bool:
    return text.count("\n") == 1 and "Traceback" not in text


def test_a_damaged_database_is_not_backed_up(shell: Shell) -> None:
    shell.run("account", "create", "bobby", typed="secret1\n")
    backup = shell.run("backup")[1].strip()
    (shell.state / "causeway.db").write_bytes(b"garbage" * 1000)
    code, out, err = shell.run("backup")
    assert (code, out) == (exits.DAMAGED, "")
    assert f"causeway restore --config {shell.config} {backup}" in err


@pytest.mark.parametrize("command", [("account", "list"), ("serve",)])
@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite:////proc/causeway.db", "cannot be used"),
        ("postgresql+nodriver://somewhere/causeway", "nodriver"),
        ("postgresql+pg8000://somewhere/causeway", "pg8000"),
    ],
)
def test_a_database_that_cannot_be_reached_is_one_line(
    shell: Shell, command: tuple[str, ...], url: str, message: str
) -> None:
    shell.config.write_text(f'[database]\nurl = "{url}"\n[listen.uo]\ngame = "127.0.0.1:0"\n')
    code, out, err = shell.run(*command)
    assert code == exits.REFUSED
    assert message in err.splitlines()[-1]
    assert "Traceback" not in out + err


@pytest.mark.parametrize("command", [("account", "list"), ("serve",), ("restore",)])
def test_a_mistyped_path_makes_no_world(shell: Shell, tmp_path: Path, command: tuple[str, ...]) -> None:
    """Folders are made within state_dir only; what is wrong names where the path is still right."""
    (tmp_path / "worlds" / "first").mkdir(parents=True)
    if command == ("restore",):
        shell.run("account", "create", "bobby", typed="secret1\n")
        command = ("restore", shell.run("backup")[1].strip())
    mistyped = tmp_path / "worlds" / "frist" / "deep" / "world.db"
    shell.config.write_text(f'[database]\nurl = "sqlite:///{mistyped}"\n[listen.uo]\ngame = "127.0.0.1:0"\n')
    code, out, err = shell.run(*command)
    assert (code, out) == (exits.REFUSED, "")
    line = err.splitlines()[-1]
    assert f"there is no folder {mistyped.parent}" in line
    assert f"the nearest that exists is {tmp_path / 'worlds'} " in line
    assert [path.name for path in (tmp_path / "worlds").rglob("*")] == ["first"]


@pytest.mark.parametrize("within", ["deep/er/world.db", "world.db"])
def test_folders_within_the_state_directory_are_made(shell: Shell, within: str) -> None:
    for url in (f"sqlite:///{within}", f"sqlite:///{shell.state / 'other' / within}"):
        shell.config.write_text(f'[database]\nurl = "{url}"\n')
        assert shell.run("account", "list")[0] == exits.GOOD
    assert (shell.state / within).exists()
    assert (shell.state / "other" / within).exists()


@pytest.mark.parametrize("command", [("account", "list"), ("serve",)])
def test_a_state_directory_that_is_a_file_is_one_line(shell: Shell, command: tuple[str, ...]) -> None:
    shell.state.write_text("")
    code, _, err = shell.run(*command)
    assert code == exits.REFUSED
    assert one_line(err)
    assert "not a directory" in err


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (sqlite3.OperationalError("database or disk is full"), exits.REFUSED),
        (sqlite3.OperationalError("attempt to write a readonly database"), exits.REFUSED),
        (sqlite3.DatabaseError("database disk image is malformed"), exits.DAMAGED),
        (OSError(28, "No space left on device"), exits.REFUSED),
    ],
)
def test_a_disk_that_fails_is_said_in_a_line(shell: Shell, raised: Exception, code: int) -> None:
    shell.run("account", "create", "bobby", typed="secret1\n")

    def fail(*_: object) -> Path:
        raise raised

    shell.monkeypatch.setattr(server.__main__, "back_up", fail)
    found, out, err = shell.run("backup")
    assert (found, out) == (code, "")
    assert str(raised) in err.splitlines()[0]
    assert "Traceback" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="modes are a POSIX thing")
def test_what_is_made_is_nobody_elses(shell: Shell) -> None:
    shell.run("account", "create", "bobby", typed="secret1\n")
    shell.run("backup")
    made = [file for file in shell.state.rglob("*") if not file.is_dir()]
    assert len(made) >= 3
    for file in made:
        assert file.stat().st_mode & 0o077 == 0, file
    assert (shell.state / "backups").stat().st_mode & 0o077 == 0
    assert shell.state.stat().st_mode & 0o777 == 0o755


def test_a_ban_needs_a_duration_that_is_one(shell: Shell) -> None:
    shell.run("account", "create", "bobby", typed="secret1\n")
    code, _, err = shell.run("account", "ban", "bobby", "--for", "3 days")
    assert code == exits.REFUSED
    assert "no duration" in err
    assert shell.run("account", "list")[1] == "bobby: player, never seen\n"


def test_a_backup_that_was_changed_is_not_restored(shell: Shell) -> None:
    shell.run("account", "create", "bobby", typed="secret1\n")
    backup = Path(shell.run("backup")[1].strip())
    raw = bytearray(backup.read_bytes())
    raw[-1] ^= 1
    backup.write_bytes(raw)
    assert shell.run("restore", str(backup))[0] == exits.DAMAGED
    assert shell.run("restore", str(shell.config))[0] == exits.DAMAGED
    assert shell.run("account", "list")[1] == "bobby: player, never seen\n"


def test_nothing_is_restored_under_a_server(shell: Shell) -> None:
    shell.run("account", "create", "bobby", typed="secret1\n")
    backup = shell.run("backup")[1].strip()
    lock = WorldLock(shell.url)
    try:
        assert shell.run("restore", backup)[0] == exits.HELD
    finally:
        lock.release()


def test_r33_a_damaged_database_names_the_way_back(shell: Shell) -> None:
    shell.run("account", "create", "bobby", typed="secret1\n")
    backup = shell.run("backup")[1].strip()
    path = shell.state / "causeway.db"
    path.write_bytes(b"garbage" * 1000)
    code, _, err = shell.run("account", "list")
    assert code == exits.DAMAGED
    assert f"causeway restore --config {shell.config} {backup}" in err
    assert shell.run("restore", backup)[0] == exits.GOOD
    assert shell.run("account", "list")[0] == exits.GOOD


def test_only_sqlite_files_are_backed_up_here(shell: Shell) -> None:
    assert shell.run("backup")[0] == exits.REFUSED
    shell.config.write_text('[database]\nurl = "postgresql+psycopg://somewhere/causeway"\n')
    code, _, err = shell.run("backup")
    assert code == exits.REFUSED
    assert "pg_dump" in err
