"""What a listener's table says about the way its clients come: where they are sent on to, and the proxy."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import TYPE_CHECKING

import trio

from server.boot.start import listen
from server.content.families import build_families
from server.settings.config import parse
from tests.kit.town import CONFIG, Town, shipped_content

if TYPE_CHECKING:
    import pytest
    from trio.testing import MockClock

    from protocol.session import Session

ADVERTISED = CONFIG.replace("[listen.uo]", '[listen.uo]\nadvertise = "play.example.org:2600"')


def session() -> Session:
    """As much of one as matters here."""
    return SimpleNamespace(listener="uo", local="192.0.2.1:2593")  # type: ignore[return-value]


async def test_a_name_without_an_address_sends_clients_where_they_came_to(
    nursery: trio.Nursery,
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    answers: list[str] = []

    def look_up(name: str) -> str:
        assert name == "play.example.org"
        if not answers:
            raise OSError("no name server")
        return answers[0]

    async def here(call: object, *args: object, abandon_on_cancel: bool) -> object:
        assert abandon_on_cancel, "the end of the server must not wait for a name server"
        await trio.lowlevel.checkpoint()
        return call(*args)  # type: ignore[operator]

    monkeypatch.setattr(socket, "gethostbyname", look_up)
    monkeypatch.setattr(trio.to_thread, "run_sync", here)
    town = Town(nursery, parse(ADVERTISED))
    await town.open()
    await trio.sleep(130)
    for _ in range(3):
        assert town.app.relay_address(session()) == ("192.0.2.1", 2593)
    said = [record for record in caplog.records if "play.example.org" in record.getMessage()]
    assert [record.levelname for record in said] == ["ERROR"]
    assert said[0].exc_info is None
    answers.append("203.0.113.5")
    await trio.sleep(60)
    assert town.app.relay_address(session()) == ("203.0.113.5", 2600)
    answers.clear()
    await trio.sleep(60)
    assert town.app.relay_address(session()) == ("203.0.113.5", 2600)


async def test_an_advertised_address_needs_no_name_server(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town = Town(nursery, parse(ADVERTISED.replace("play.example.org", "198.51.100.7")))
    assert town.app.relay_address(session()) == ("198.51.100.7", 2600)


def test_every_door_knows_whether_it_is_behind_a_proxy() -> None:
    settings = parse(
        '[listen.uo]\ngame = "127.0.0.1:0"\nbehind_proxy = true\n[listen.uo_open]\ngame = "127.0.0.1:0"\n'
    )
    listening = listen(settings, build_families(shipped_content(), ["uo"]))
    for entry in listening:
        entry.socket.close()
    assert {entry.name: entry.behind_proxy for entry in listening} == {"uo": True, "uo_open": False}
