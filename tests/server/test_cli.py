"""The `causeway` command, and what `causeway check` finds."""

from __future__ import annotations

import io
import json
import socket
import sqlite3
import subprocess
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

import server.__main__
import server.boot.start
from protocol.game import Game
from protocol.listener import Listener
from server import exits
from server.__main__ import main
from server.commands.machinery import Answer
from server.content import loading as content
from server.operate import admin
from server.operate.admin import AdminChannel
from server.operate.check import check
from server.store.database import Database
from server.store.errors import DatabaseReplaced
from server.store.lock import WorldLock
from server.store.records import Batch
from tests.kit.toys import brook
from tests.kit.worlds import plain_content
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.family import Family
    from world.content import Content

ROOT = Path(__file__).parents[2]


@attrs.frozen
class Shell:
    """The command with a configuration of its own."""

    config: Path
    state: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def run(self, *words: str, typed: str = "") -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        self.monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main([*words, "--config", str(self.config)])
        out, err = self.capsys.readouterr()
        return code, out, err

    @property
    def url(self) -> str:
        return f"sqlite:///{self.state / 'causeway.db'}"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    path = tmp_path / "config.toml"
    path.write_text("")
    return Shell(path, tmp_path / "var", monkeypatch, capsys)


# Accounts without a server


def test_r57_the_first_account_of_staff_is_made_by_hand(shell: Shell) -> None:
    assert shell.run("account", "create", "Bobby", "--admin", typed="secret1\n") == (
        exits.GOOD,
        "account bobby was made (admin)\n",
        "",
    )
    database = Database(shell.url)
    row = database.account("bobby")
    with database.read() as connection:
        audit = list(connection.exec_driver_sql("SELECT who, what, detail FROM audit"))
    database.close()
    assert row is not None
    assert row.access == Access.ADMIN
    assert row.password.startswith("$argon2id$")
    assert audit == [
        (
            "causeway command",
            "account create",
            "name='Bobby' level='admin' password='***' -> account bobby was made (admin)",
        )
    ]


def test_accounts_without_a_server(shell: Shell) -> None:
    assert shell.run("account", "create", "bobby", typed="secret1")[0] == exits.GOOD
    code, out, _ = shell.run("account", "passwd", "bobby", typed="a-long-password\r\n")
    assert code == exits.GOOD
    assert "Endless Online" in out
    assert shell.run("account", "ban", "bobby", "--for", "3d", "--reason", "very rude")[0] == exits.GOOD
    assert shell.run("account", "list")[1] == "bobby: player, never seen, banned\n"
    assert shell.run("account", "unban", "bobby")[0] == exits.GOOD
    assert shell.run("account", "level", "bobby", "seer")[0] == exits.GOOD
    assert shell.run("account", "level", "bobby")[1] == "account bobby is seer\n"


@pytest.mark.parametrize(
    ("words", "typed", "message"),
    [
        (("create", "b"), "secret1\n", "account names are 3 to 16"),
        (("create", "bobby"), "\n", "passwords are 4"),
        (("create", "bobby"), "", "passwords are 4"),
        (("create", "bobby", "--level", "king"), "secret1\n", "none of the levels"),
        (("passwd", "nobody"), "secret1\n", "no account nobody"),
        (("unban", "nobody"), "", "no account nobody"),
    ],
)
def test_what_cannot_be_done(shell: Shell, words: tuple[str, ...], typed: str, message: str) -> None:
    code, out, err = shell.run("account", *words, typed=typed)
    assert (code, out) == (exits.REFUSED, "")
    assert message in err


def test_a_server_that_starts_or_hangs_is_not_worked_around(shell: Shell) -> None:
    shell.run("account", "create", "bobby", typed="secret1\n")
    lock = WorldLock(shell.url)
    try:
        assert shell.run("account", "list")[0] == exits.HELD
    finally:
        lock.release()
    assert shell.run("account", "list")[0] == exits.GOOD


# With a server


async def test_a_running_server_is_asked(shell: Shell) -> None:
    asked: list[tuple[str, Mapping[str, str] | None]] = []

    async def run(who: str, command: str, args: Mapping[str, str] | None) -> Answer:
        await trio.lowlevel.checkpoint()
        asked.append((command, args))
        return Answer(command != "restart", [f"{command}!"])

    shell.state.mkdir()
    with trio.fail_after(20):
        async with trio.open_nursery() as nursery:
            await nursery.start(AdminChannel(run, shell.state).serve)

            async def tell(*words: str, typed: str = "") -> tuple[int, str, str]:
                return await trio.to_thread.run_sync(lambda: shell.run(*words, typed=typed))

            assert await tell("account", "create", "bobby", "--level", "seer", typed="secret1\n") == (
                exits.GOOD,
                "account create!\n",
                "",
            )
            assert await tell("shutdown", "5m", "new", "content") == (
                exits.GOOD,
                "shutdown 5m new content!\n",
                "",
            )
            assert await tell("restart") == (exits.REFUSED, "", "restart!\n")
            assert await tell("do", 'info "John Smith"') == (exits.GOOD, 'info "John Smith"!\n', "")
            assert await tell("do", "set", "Bob", "hits", "5") == (exits.GOOD, "set Bob hits 5!\n", "")
            assert await tell("do", "restart") == (exits.FOUND, "", "restart!\n")
            assert (await tell("reload"))[1] == "reload!\n"
            assert (await tell("status"))[1] == "status!\n"
            assert (await tell("console", typed="who\n\nkick bob\n"))[1] == "status!\nwho!\nkick bob!\n"
            nursery.cancel_scope.cancel()
    assert asked[0] == ("account create", {"name": "bobby", "level": "seer", "password": "secret1"})
    assert not (shell.state / "causeway.db").exists()


@pytest.mark.parametrize("command", ["status", "reload", "shutdown", "restart", "console"])
def test_without_a_server_these_cannot_be_done(shell: Shell, command: str) -> None:
    code, out, err = shell.run(command)
    assert (code, out) == (exits.REFUSED, "")
    assert "no server is running" in err


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


# Serve, check, and the rest


def test_serve_hands_over_to_the_application(shell: Shell) -> None:
    served: list[tuple[object, Path]] = []

    def run(settings: object, path: Path) -> int:
        served.append((settings, path))
        return exits.RESTART

    shell.monkeypatch.setattr(server.boot, "start", types.SimpleNamespace(run=run))
    assert shell.run("serve")[0] == exits.RESTART
    assert served[0][1] == shell.config
    shell.config.write_text("[server]\nnmae = 1\n[limits]\nconnections = 0\n")
    code, _, err = shell.run("serve")
    assert code == exits.REFUSED
    assert "did you mean 'name'" in err
    assert "limits.connections" in err
    assert len(served) == 1


def families(*problems: str) -> Mapping[str, Game]:
    def make(_: Content) -> Family:
        return attrs.evolve(brook(), problems=problems)

    return {"brook": Game("brook", "the brook", Listener, make)}


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "load", lambda _: plain_content())


def test_check_finds_everything_at_once(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load(_: Path) -> Content:
        raise content.ContentError(["data/items.toml: sword: unknown key"])

    monkeypatch.setattr(content, "load", load)
    shell.config.write_text("[server]\nnmae = 1\n[limits]\nconnections = 0\n")
    problems = check(shell.config, families()).problems
    assert len(problems) == 3
    assert "data/items.toml: sword: unknown key" in problems
    shell.monkeypatch.setattr("server.__main__.GAMES", {})
    code, out, _ = shell.run("check")
    assert code == exits.FOUND
    assert out.endswith("3 problems\n")


@pytest.mark.usefixtures("sound")
def test_check_of_a_sound_configuration(shell: Shell) -> None:
    shell.config.write_text('[listen.uo]\ngame = "127.0.0.1:0"\n')
    report = check(shell.config, families())
    assert report.problems == []
    assert "listen.uo.game: 127.0.0.1:0" in report.notes
    assert list(shell.config.parent.iterdir()) == [shell.config]
    shell.monkeypatch.setattr("server.__main__.GAMES", {})
    assert shell.run("check") == (exits.GOOD, "nothing is wrong\n", "")
    assert "listen.uo.game" in shell.run("check", "--verbose")[1]


@pytest.mark.usefixtures("sound")
def test_check_asks_the_games_and_tries_the_ports(shell: Shell) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        shell.config.write_text(f'[listen.uo]\ngame = "127.0.0.1:{port}"\n')
        problems = check(shell.config, families("no look for sword")).problems
    assert len(problems) == 2
    assert "brook: no look for sword" in problems[0]
    assert f"listen.uo.game: 127.0.0.1:{port}: Address already in use" in problems[1]


@pytest.mark.usefixtures("sound")
async def test_check_beside_a_running_server(shell: Shell) -> None:
    async def run(who: str, command: str, args: Mapping[str, str] | None) -> Answer:
        await trio.lowlevel.checkpoint()
        return Answer(True, [])

    shell.state.mkdir()
    listener = socket.create_server(("127.0.0.1", 0))
    shell.config.write_text(f'[listen.uo]\ngame = "127.0.0.1:{listener.getsockname()[1]}"\n')
    with trio.fail_after(20), listener:
        async with trio.open_nursery() as nursery:
            await nursery.start(AdminChannel(run, shell.state).serve)
            report = await trio.to_thread.run_sync(check, shell.config, families())
            nursery.cancel_scope.cancel()
    assert report.problems == []


@pytest.mark.usefixtures("sound")
def test_check_looks_into_the_database(shell: Shell) -> None:
    shell.run("account", "create", "bobby", typed="secret1\n")
    assert check(shell.config, families()).problems == []
    path = shell.state / "causeway.db"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET gold = 5")
    connection.close()
    (problem,) = check(shell.config, families()).problems
    assert "0 gold, 5 were recorded" in problem
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'later'")
    connection.close()
    (problem,) = check(shell.config, families()).problems
    assert "later" in problem
    path.write_bytes(b"garbage" * 1000)
    (problem,) = check(shell.config, families()).problems
    assert "not a database" in problem


def test_what_check_finds_in_the_database_is_repaired(shell: Shell) -> None:
    shell.run("account", "create", "bobby", typed="secret1\n")
    path = shell.state / "causeway.db"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET gold = 5")
    connection.close()
    shell.config.write_text('[listen.uo]\ngame = "127.0.0.1:0"\n')
    assert shell.run("check")[0] == exits.FOUND
    lock = WorldLock(shell.url)
    try:
        assert shell.run("check", "--repair")[0] == exits.HELD
    finally:
        lock.release()
    code, out, _ = shell.run("check", "--repair")
    assert (code, "was wrong: gold" in out, "nothing is wrong" in out) == (exits.GOOD, True, True), out
    (backup,) = (shell.state / "backups").glob("causeway-before-repair-*.db")
    assert shell.run("restore", str(backup))[0] == exits.GOOD
    assert shell.run("check")[0] == exits.FOUND
    path.write_bytes(b"garbage" * 1000)
    assert shell.run("check", "--repair")[0] == exits.DAMAGED


@pytest.mark.usefixtures("sound")
@pytest.mark.parametrize("url", ["sqlite:////dev/null/causeway.db", "postgresql+nodriver://somewhere/db"])
def test_check_of_a_database_that_cannot_be_reached(shell: Shell, url: str) -> None:
    shell.config.write_text(f'[database]\nurl = "{url}"\n')
    assert any("database.url" in problem for problem in check(shell.config, families()).problems)


@pytest.mark.usefixtures("sound")
def test_check_of_a_mistyped_path(shell: Shell, tmp_path: Path) -> None:
    text = f'[database]\nurl = "sqlite:///{tmp_path / "nowhere" / "world.db"}"\n'
    shell.config.write_text(text)
    (problem,) = check(shell.config, families()).problems
    assert f"the nearest that exists is {tmp_path} " in problem
    # A login server waits for another process to make it, and all on the way to it.
    shell.config.write_text(
        f'{text}[server]\nroles = ["login"]\n[listen.l2]\nbridge = "127.0.0.1:0"\n'
        '[listen.l2.servers]\n"1" = "a long secret"\n'
    )
    assert check(shell.config, families()).problems == []
    shell.config.write_text('[database]\nurl = "sqlite:///deep/er/world.db"\n')
    assert check(shell.config, families()).problems == []
    assert not shell.state.exists()


@pytest.mark.usefixtures("sound")
def test_check_of_a_state_directory_that_is_a_file(shell: Shell) -> None:
    shell.state.write_text("")
    assert any("state_dir" in problem for problem in check(shell.config, families()).problems)


@pytest.mark.parametrize(
    "words", [(), ("frobnicate",), ("account",), ("account", "create"), ("check", "--loud"), ("packets",)]
)
def test_bad_arguments_end_with_2(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == exits.REFUSED
    assert "usage: causeway" in capsys.readouterr().err


def test_a_missing_config_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["status", "--config", str(tmp_path / "none.toml")]) == exits.REFUSED
    assert "none.toml: cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(("game", "known"), [("uo", "AccountLogin"), ("eo", "Walk_Player")])
def test_packets_are_described(capsys: pytest.CaptureFixture[str], game: str, known: str) -> None:
    assert main(["packets", game]) == exits.GOOD
    page = capsys.readouterr().out
    assert page.startswith("# Packets of ")
    assert f" {known} (from the client" in page
    assert "(from the server" in page
    assert main(["packets", "chess"]) == exits.REFUSED


def test_the_command_starts_as_a_process() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "server", "version"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("causeway ")


def test_docs_and_command_agree_about_admin_json() -> None:
    page = (ROOT / "docs/admin.md").read_text(encoding="utf-8")
    shown = next(line for line in page.splitlines() if line.startswith('    {"address"'))
    assert json.loads(shown).keys() == {"address", "token"}
    assert admin.FILE in page
