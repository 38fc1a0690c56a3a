"""A server that can be made to fail: `python -m tests.kit.faulty serve --config config.toml`.

It is the real program with one command more, `fault KIND`, and a watchdog that is less patient; production
code knows nothing of it. While `<folder of config.toml>/hold` exists it stays in the middle of its start, or
of a backup, and says so by making `holding` beside it.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast
from unittest.mock import patch

from server.__main__ import command
from server.boot import start
from server.commands.machinery import CommandError
from server.commands.staff import TABLE
from server.content.loading import load as load_content
from server.operate.watchdog import Watchdog
from server.store import backup
from server.store.backup import publish
from tests.kit.process import ServerProcess
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.endings import Ending
    from protocol.session import Session
    from server.boot.app import App
    from server.commands.machinery import Arguments, Context
    from server.store.records import Batch
    from world.content import Content
    from world.world import World

REPORT_SECONDS = 1.0
END_SECONDS = 3.0
"""As long as `<folder of config.toml>/patient` does not exist."""
UNFINISHED = "never finished"
"""The title everybody gets in a turn that does not end well."""


class FaultyProcess(ServerProcess):
    """That server in a process of its own."""

    program = "tests.kit.faulty"


def endless_timer() -> None:
    """A script that never ends."""
    while True:
        pass


def raise_at_departure(world: World, session: Session, ending: Ending) -> None:
    """Change something, then fail where nothing catches it."""
    for mobile in world.online():
        mobile.title = UNFINISHED
    raise RuntimeError("the fault of this test")


async def fault(context: Context, args: Arguments) -> Sequence[str]:
    host = cast("App", context.host)
    kind = args["kind"]
    if kind == "timer":
        await host.in_world(None, lambda world: world.timers.after(0.1, endless_timer))
    elif kind == "here":
        endless_timer()  # in the task of whoever gave the command: no turn is under way
    elif kind == "pause":
        time.sleep(2 * REPORT_SECONDS)  # noqa: ASYNC251 # to stand still is the point
    elif kind == "turn":
        await host.in_world(None, lambda world: time.sleep(float(args["seconds"])))
    elif kind == "calculation":
        await host.in_world(None, partial(_calculate, float(args["seconds"])))
    elif kind == "departure":
        host.characters.left = raise_at_departure  # type: ignore[method-assign]
    elif kind == "disk":
        _slow_down(host)
    else:
        raise CommandError(f"there is no fault {kind}")
    return [f"{kind} is broken"]


def _calculate(seconds: float, world: World) -> None:
    """Keep the interpreter busy."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(1000))


def _slow_down(host: App) -> None:
    database = host.storage._database
    commit = database.commit_batch

    def slowly(batch: Batch) -> None:
        time.sleep(1.5)
        commit(batch)

    database.commit_batch = slowly  # type: ignore[method-assign]


def _held(data: Path) -> Content:
    _hold()
    return load_content(data)


def _held_publish(unfinished: Path, final: Path) -> None:
    _hold()
    publish(unfinished, final)


def _watchdog(directory: Path, *, where: Callable[[], str]) -> Watchdog:
    if (Path(sys.argv[-1]).parent / "patient").exists():
        return Watchdog(directory, where=where)
    return Watchdog(directory, report_after=REPORT_SECONDS, end_after=END_SECONDS, beat=0.1, where=where)


def _hold() -> None:
    folder = Path(sys.argv[-1]).parent
    while (folder / "hold").exists():
        (folder / "holding").touch()
        time.sleep(0.02)


if __name__ == "__main__":
    TABLE.command("fault KIND [SECONDS]", access=Access.OWNER, about="breaks the server")(fault)
    with (
        patch.object(start, "load_content", _held),
        patch.object(start, "Watchdog", _watchdog),
        patch.object(backup, "publish", _held_publish),
    ):
        command()
