"""What `causeway check` finds."""

from __future__ import annotations

import socket
import sqlite3
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from protocol.game import Game
from protocol.listener import Listener
from server import exits
from server.commands.machinery import Answer
from server.content import loading as content
from server.operate.admin import AdminChannel
from server.operate.check import check
from server.store.lock import WorldLock
from tests.kit.shell import Shell
from tests.kit.toys import brook
from tests.kit.worlds import plain_content

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from protocol.family import Family
    from world.content import Content


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    path = tmp_path / "config.toml"
    path.write_text("")
    return Shell(path, tmp_path / "var", monkeypatch, capsys)


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
