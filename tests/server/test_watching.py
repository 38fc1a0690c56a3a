"""`[content] watch = true`: what is saved in data/ is in the running world. In real
time: the system says when a file is saved."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing
import watchfiles.main

from server.commands.machinery import CommandError
from server.content.families import DATA
from server.content.loading import load
from server.settings.config import parse
from server.turn.beside import WorkThread
from tests.kit.datadir import edit
from tests.kit.town import Town

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PATIENCE = 60
"""Seconds: it takes one or two on a machine with nothing else to do."""


class Saves:
    """What came of each save so far."""

    def __init__(self, town: Town) -> None:
        self._reload = town.app.reload_content
        self._send, self._receive = trio.open_memory_channel[str](10)

    async def reload(self) -> Sequence[str]:
        """In place of the server's own, which it is."""
        try:
            lines = await self._reload()
        except CommandError as error:
            await self._send.send(str(error))
            raise
        await self._send.send("\n".join(lines))
        return lines

    async def until(self, words: str) -> str:
        """Wait for the answer with these words: a slow machine may see a file while it is half written."""
        while words not in (said := await self._receive.receive()):
            pass
        return said


async def test_a_saved_file_changes_the_running_world_and_a_mistake_in_it_does_not(
    nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data, watching, notify = tmp_path / "data", trio.Event(), vars(watchfiles.main)["RustNotify"]

    def begun(*arguments: object, **options: object) -> object:
        watcher = notify(*arguments, **options)
        watching.set()
        return watcher

    monkeypatch.setattr(watchfiles.main, "RustNotify", begun)
    shutil.copytree(DATA, data, ignore=shutil.ignore_patterns("*.py", "*.png", "__pycache__"))
    town = Town(
        nursery,
        parse("[listen.uo]\n[content]\nwatch = true"),
        content=load(data),
        games=["uo"],
        data_dir=data,
    )
    saves = Saves(town)
    monkeypatch.setattr(town.app, "reload_content", saves.reload)
    monkeypatch.setattr(town.app, "beside", WorkThread())  # the real one: the world goes on meanwhile
    greta = next(one for one in town.app.world.mobiles.values() if one.template.key == "greta")
    file = data / "people" / "greta.toml"
    with trio.fail_after(PATIENCE):
        await town.open()
        await watching.wait()
        edit(file, "Good day", "Good morning")
        await saves.until("the content was read again")
        assert "Good morning" in str(greta.template)
        edit(file, "Good morning", 'Good evening"')
        said = await saves.until("Expected newline or end of document")
        assert said.startswith("nothing was changed:\npeople/greta.toml: ")
        assert "Good morning" in str(greta.template)


async def test_a_fault_of_the_servers_own_while_it_reads_costs_the_reload(
    nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    town = Town(nursery, parse("[listen.uo]"), games=["uo"])
    await town.open()

    def broken(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("server.content.renewing.read", broken)
    with pytest.raises(CommandError, match="nothing was changed: MemoryError; the log says where"):
        await town.app.reload_content()
    # The next one is not kept waiting by it.
    monkeypatch.undo()
    assert (await town.app.reload_content())[0] == "the content was read again"
