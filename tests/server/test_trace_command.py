"""`causeway trace`: for the console, the admin channel and staff in the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from server import exits
from server.__main__ import main
from server.commands.machinery import Answer
from server.net.tracing import FOLDER
from server.operate import admin, offline
from server.settings.config import parse
from tests.kit.office import Office
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trio.testing import MockClock


@pytest.fixture
async def office(nursery: trio.Nursery, tmp_path: Path) -> Office:
    return await Office(state_dir=tmp_path).open(nursery)


async def run(office: Office, line: str, args: Mapping[str, str] | None = None) -> str:
    """A command from outside that succeeds."""
    answer = await office.commands.run("test", line, args)
    assert answer.ok, answer
    return "\n".join(answer.lines)


async def refused(office: Office, line: str) -> str:
    """A command from outside that fails."""
    answer = await office.commands.run("test", line)
    assert not answer.ok, answer
    return "\n".join(answer.lines)


async def test_it_begins_and_ends(office: Office, autojump_clock: MockClock) -> None:
    client, _ = await office.player("Alric")
    assert await run(office, "trace") == "nobody is traced"
    told = await run(office, "trace Alricacct 5")
    tracer = office.tracing.of("alricacct")
    assert tracer is not None
    assert told == f"account alricacct is traced for 5 minutes into {tracer.path}"
    assert await run(office, "trace") == f"account alricacct is traced into {tracer.path}"
    assert office.tracing.of_session(client) is tracer
    assert await run(office, "trace alricacct off") == (
        f"account alricacct is traced no longer: the trace is {tracer.path}"
    )
    assert "#1 brook/game -- from" in tracer.path.read_text()
    assert await refused(office, "trace alricacct off") == "account alricacct is not traced"


@pytest.mark.parametrize(
    ("line", "minutes"),
    [("trace alricacct", 10), ("trace alricacct --minutes 3", 3), ("trace alricacct --minutes=60", 60)],
)
async def test_how_long(office: Office, autojump_clock: MockClock, line: str, minutes: int) -> None:
    await office.player("Alric")
    await run(office, line)
    await trio.sleep(60 * minutes - 1)
    assert office.tracing.of("alricacct") is not None
    await trio.sleep(2)
    assert office.tracing.of("alricacct") is None


@pytest.mark.parametrize("word", ["0", "61", "-5", "1.5", "long", "5 6", "on"])
async def test_what_is_no_time(office: Office, autojump_clock: MockClock, word: str) -> None:
    await office.player("Alric")
    await refused(office, f"trace alricacct {word}")
    assert list(office.tracing) == []


async def test_an_account_has_to_be_there(office: Office, autojump_clock: MockClock) -> None:
    assert await refused(office, "trace nobody") == "there is no account nobody"


async def test_by_name_as_the_admin_channel_gives_it(office: Office, autojump_clock: MockClock) -> None:
    await office.player("Alric")
    assert "for 7 minutes" in await run(office, "trace", {"account": "alricacct", "minutes": "7"})
    assert "no longer" in await run(office, "trace", {"account": "alricacct", "minutes": "off"})


async def test_a_disk_that_refuses_is_an_answer(
    office: Office, autojump_clock: MockClock, tmp_path: Path
) -> None:
    await office.player("Alric")
    (tmp_path / FOLDER).touch()  # a file where the directory would be
    assert "no trace can be written" in await refused(office, "trace alricacct")


async def test_it_is_audited(office: Office, autojump_clock: MockClock) -> None:
    await office.player("Alric")
    await run(office, "trace alricacct 5")
    who, what, detail = office.audited[-1]
    assert (who, what) == ("test", "trace")
    assert detail.startswith("account='alricacct' minutes='5' -> account alricacct is traced for 5 minutes")


async def test_only_from_admin_on(office: Office, autojump_clock: MockClock) -> None:
    await office.player("Victim")
    seer, _ = await office.player("Seer", Access.SEER, x=12)
    assert "there is no such command" in await office.order(seer, "trace victimacct")
    chief, _ = await office.player("Chief", Access.ADMIN, x=14)
    await office.order(chief, "trace victimacct 1")
    assert office.tracing.of("victimacct") is not None


async def test_staff_traces_itself_but_nobody_of_its_rank(office: Office, autojump_clock: MockClock) -> None:
    chief, _ = await office.player("Chief", Access.ADMIN)
    await office.player("Other", Access.ADMIN, x=12)
    assert "otheracct is not below you" in await office.order(chief, "trace otheracct")
    assert office.tracing.of("otheracct") is None
    await office.order(chief, "trace chiefacct")
    assert office.tracing.of("chiefacct") is not None


def test_without_a_server_there_is_nothing_to_trace(tmp_path: Path) -> None:
    settings = parse(f"[server]\nstate_dir = '{tmp_path}'\n").anchored(tmp_path)
    assert offline.run(settings, "trace", {}) == Answer(False, ["no server is running"])


# The command line


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["bobby", "--minutes", "5"], {"account": "bobby", "minutes": "5"}),
        (["bobby", "off"], {"account": "bobby", "minutes": "off"}),
        (["bobby"], {"account": "bobby"}),
        (["bobby", "--minutes", "0"], {"account": "bobby", "minutes": "0"}),
        ([], {}),
    ],
)
def test_the_words_of_the_command_line(
    words: list[str],
    expected: Mapping[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    asked: list[tuple[Path, str, Mapping[str, str]]] = []

    def ask(state_dir: Path, command: str, args: Mapping[str, str]) -> Answer:
        asked.append((state_dir, command, args))
        return Answer(True, ["traced"])

    monkeypatch.setattr(admin, "ask", ask)
    config = tmp_path / "config.toml"
    config.write_text("")
    assert main(["trace", "--config", str(config), *words]) == exits.GOOD
    assert asked == [(tmp_path / "var", "trace", expected)]
    assert capsys.readouterr().out == "traced\n"


@pytest.mark.parametrize("words", [["bobby", "on"], ["bobby", "--minutes", "long"]])
def test_wrong_words(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["trace", *words])
    assert caught.value.code == exits.REFUSED
    assert "usage" in capsys.readouterr().err
