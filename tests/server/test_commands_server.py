"""Commands about the server: status, saving, reloading, shutdown."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
import trio

from server import exits
from server.commands.machinery import CommandError
from server.commands.staff import TABLE
from tests.kit.commands import refused, run
from tests.kit.office import CONFIG, Office
from world import holding, newcomers
from world.mobile import Access

if TYPE_CHECKING:
    from pathlib import Path

    from trio.testing import MockClock

    from world.world import World


@pytest.fixture
async def office(nursery: trio.Nursery) -> Office:
    return await Office().open(nursery)


# The server


async def test_status_save_reload(office: Office, autojump_clock: MockClock) -> None:
    await office.player("Alric")
    assert "1 connected, 1 online" in await run(office, "status")
    assert " turns" in await run(office, "status")
    assert await run(office, "save") == "everything is on disk"
    assert "was not started from a file" in await refused(office, "reload")


async def test_status_says_that_turns_are_too_long(office: Office, autojump_clock: MockClock) -> None:
    stats = office.loop.stats
    stats.seconds.extend([0.2] * 20)
    stats.started.extend([trio.current_time()] * 20)
    line = (await run(office, "status verbose")).splitlines()[1]
    assert line == "overloaded: 20 of the last 20 turns took more than 100 ms"
    await trio.sleep(60)
    assert "overloaded" not in await run(office, "status")
    assert await refused(office, "status loudly") == "status, or status verbose"


async def test_reload(
    nursery: trio.Nursery, autojump_clock: MockClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.getLogger().level)  # a reload sets it, and other tests are to find it as it was
    path = tmp_path / "config.toml"
    path.write_text(CONFIG)
    office = await Office(config_path=path).open(nursery)
    assert await run(office, "reload") == "the configuration was read again"
    path.write_text(CONFIG + "connections = 7\n[server]\nname = 'Elsewhere'\n")
    told = await run(office, "reload")
    assert told == "the configuration was read again\na restart is needed for: server.name"
    assert office.settings.limits.connections == 7
    path.write_text("[limits]\nconnections = 'many'\n")
    assert "nothing was changed" in await refused(office, "reload")
    assert office.settings.limits.connections == 7


async def test_where_the_time_goes(office: Office, autojump_clock: MockClock) -> None:
    assert "profile on, profile off" in await refused(office, "profile maybe")
    assert await run(office, "profile show")
    await run(office, "profile on")
    await run(office, "status")
    assert "turn" in await run(office, "profile show")
    await run(office, "profile off")


async def test_census(office: Office, autojump_clock: MockClock) -> None:
    _, mobile = await office.player("Alric")

    def dress(world: World) -> None:
        newcomers.outfit(mobile)
        world.register(mobile)

    await office.in_world(None, dress)
    text = await run(office, "census")
    assert text.startswith("gold 100\n")
    assert "gold: 100 in the database, 100 in the world" in text
    assert "dagger: 1 in the database, 1 in the world" in text
    await office.in_world(None, lambda _: holding.make(office.world, "gold", amount=7))


async def test_a_bug_in_a_command_is_answered_and_ends_nothing(
    office: Office, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(code: int) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(office, "stop", fail)
    assert "the log says why" in await refused(office, "shutdown")
    assert await run(office, "status")


@pytest.mark.parametrize(("command", "code"), [("shutdown", exits.GOOD), ("restart", exits.RESTART)])
async def test_shutdown_now_and_restart(
    office: Office, autojump_clock: MockClock, command: str, code: int
) -> None:
    assert "no duration" in await refused(office, f"{command} soon")
    assert office.stopped == []
    await run(office, command)
    assert office.stopped == [code]
    await trio.sleep(1)
    assert office.exit_code == code


async def test_a_countdown_is_announced_and_can_be_called_off(
    office: Office, autojump_clock: MockClock
) -> None:
    client, _ = await office.player("Alric")
    other, _ = await office.player("Berta")
    await run(office, "shutdown 2m new content")
    await trio.sleep(118.5)
    assert client.heard.count(b"The server goes down in ") == 8
    for span in (b"2 minutes. new content", b"60 seconds", b"30 seconds", b"10 seconds", b"2 seconds"):
        assert span in client.heard
    assert b"stays up" not in client.heard
    assert "stays up" in await run(office, "abort")
    await trio.sleep(0.5)
    assert client.heard.count(b"The server stays up after all.") == 1
    assert other.heard.count(b"The server stays up after all.") == 1
    assert "nothing was under way" in await refused(office, "abort")
    await trio.sleep(60)
    assert office.stopped == []
    await run(office, "restart 10s")
    await run(office, "shutdown 30s")
    await trio.sleep(29)
    assert office.stopped == []
    await trio.sleep(2)
    assert office.stopped == [exits.GOOD]
    assert office.exit_code == exits.GOOD


def test_a_mistyped_command_gets_the_nearest_name() -> None:
    with pytest.raises(CommandError, match="did you mean 'residents'"):
        TABLE.find("residens", Access.ADMIN)
    with pytest.raises(CommandError, match="there is no such command; "):
        TABLE.find("xyzzy", Access.ADMIN)
