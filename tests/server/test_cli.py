"""The `causeway` command: accounts, with a server and without one, and its arguments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio

import server.__main__
import server.boot.start
from server import exits
from server.__main__ import command, main
from server.commands.machinery import Answer
from server.operate import admin
from server.operate.admin import AdminChannel
from server.store.database import Database
from server.store.lock import WorldLock
from tests.kit.shell import Shell
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Mapping


ROOT = Path(__file__).parents[2]


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
            assert (await tell("status", "--verbose"))[1] == "status verbose!\n"
            assert (await tell("console", typed="who\n\nkick bob\n"))[1] == "status!\nwho!\nkick bob!\n"
            nursery.cancel_scope.cancel()
    assert asked[0] == ("account create", {"name": "bobby", "level": "seer", "password": "secret1"})
    assert not (shell.state / "causeway.db").exists()


@pytest.mark.parametrize("command", ["status", "reload", "shutdown", "restart", "console"])
def test_without_a_server_these_cannot_be_done(shell: Shell, command: str) -> None:
    code, out, err = shell.run(command)
    assert (code, out) == (exits.REFUSED, "")
    assert "no server is running" in err


# Serve, check, and the rest


def test_a_process_ends_with_the_code_of_its_command_as_soon_as_all_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ends: list[int] = []
    monkeypatch.setattr(os, "_exit", ends.append)
    monkeypatch.setattr(sys, "argv", ["causeway", "packets", "chess"])
    command()
    assert ends == [exits.REFUSED]
    assert "chess" in capsys.readouterr().err


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
