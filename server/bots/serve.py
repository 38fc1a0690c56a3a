"""A server to measure: everything real but the realm, which is an open plain, and the password hashes, which
cost nothing (logging in is not what is measured, and two thousand argon2 hashes take half a minute). With
`--argon2` those are real, too.

    python -m server.bots.serve --config FILE --plain 300x300 --spots 500

`bench` starts it in a process of its own. It answers one order more than any server:

bench                a line of JSON about the turns since the last such order
bench stages         a line of JSON about the stages measured since `profile on`
bench stall SECONDS  keeps the world busy for so long, as a slow handler would
bench fight COUNT    places so many creatures beside players, and lets them fight
bench fights         how many of them all do
bench cprofile       starts Python's profiler; the next time, stops it and tells what it found
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import io
import json
import pstats
import random
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from server import logs
from server.boot.app import App
from server.boot.start import listen, listen_for_edges, prepare, raise_file_limit
from server.bots import hunt
from server.bots.cells import quantile
from server.bots.plain import plain
from server.commands.machinery import Answer
from server.content.families import DATA, build_families
from server.content.loading import load
from server.net.listening import write_endpoints
from server.operate.admin import AdminChannel
from server.settings import config
from server.store.database import Database
from server.store.lock import make_state_dir
from server.store.migrate import upgrade
from server.store.runner import ThreadRunner
from server.turn.stats import TurnStats

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from server.settings.config import Settings
    from server.store.records import AccountRow
    from world.content import Content
    from world.mobile import Mobile

T = TypeVar("T")

SEED: Final = 20
"""Of the world's dice, so that everybody stands at the same places in every run."""

PROFILED: Final = 30
"""Functions of a profile that are shown."""


class NoPasswords:
    """Implements `server.people.passwords.Passwords` without any work and for nobody's protection."""

    async def hash(self, password: str) -> str:
        """See Passwords."""
        await trio.lowlevel.checkpoint()
        return password

    async def verify(self, stored: str | None, password: str) -> bool:
        """See Passwords."""
        await trio.lowlevel.checkpoint()
        return stored == password

    async def offload(self, call: Callable[[], T]) -> T:
        """See Passwords. That work is done all the same, by no worker."""
        return await trio.to_thread.run_sync(call)

    def outdated(self, stored: str) -> bool:
        """See Passwords."""
        return False


class SlowDatabase(Database):
    """A database that takes its time to find one account."""

    slow_name = ""
    slow_seconds = 0.0

    def account(self, name: str) -> AccountRow | None:
        """See Database."""
        if name == self.slow_name:
            time.sleep(self.slow_seconds)
        return super().account(name)


class Gauge:
    """The order `bench`; see the module."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._profile: cProfile.Profile | None = None
        self._fighters: Sequence[Mobile] = ()

    async def run(self, who: str, command: str, args: Mapping[str, str] | None) -> Answer:
        """As `server.commands.machinery.Commands.run`."""
        match command.split():
            case ["bench"]:
                return Answer(True, [json.dumps(self._turns())])
            case ["bench", "stages"]:
                return Answer(True, [json.dumps(self._stages())])
            case ["bench", "stall", seconds]:
                # Asleep: that blocks the thread as work does, but takes nothing from the bots' processor.
                await self._app.loop.in_world(None, lambda world: time.sleep(float(seconds)))
                return Answer(True, [])
            case ["bench", "fight", count]:
                self._fighters = await self._app.loop.in_world(None, partial(hunt.begin, count=int(count)))
                return Answer(True, [])
            case ["bench", "fights"]:
                return Answer(True, [str(hunt.striking(self._fighters))])
            case ["bench", "cprofile"]:
                return Answer(True, self._toggle())
            case _:
                return await self._app.commands.run(who, command, args)

    def _turns(self) -> dict[str, object]:
        loop = self._app.loop
        stats, loop.stats = loop.stats, TurnStats(last_seconds=loop.stats.last_seconds)
        return {
            "turns": stats.turns,
            "late_p50_ms": quantile(stats.lateness, 0.5) * 1000,
            "late_p99_ms": quantile(stats.lateness, 0.99) * 1000,
            "late_max_ms": quantile(stats.lateness, 1.0) * 1000,
            "worst_ms": stats.worst_seconds * 1000,
            "over_budget": stats.over_budget,
            "sessions": len(loop.sessions),
        }

    def _stages(self) -> dict[str, dict[str, float]]:
        return {
            name: {
                "count": stage.count,
                "mean_us": 1e6 * stage.total / stage.count,
                "p50_us": 1e6 * stage.quantile(0.5),
                "p99_us": 1e6 * stage.quantile(0.99),
                "most_us": 1e6 * stage.longest,
            }
            for name, stage in self._app.loop.stages.stages.items()
        }

    def _toggle(self) -> Sequence[str]:
        if self._profile is None:
            self._profile = cProfile.Profile()
            self._profile.enable()
            return ["the profiler runs"]
        self._profile.disable()
        out = io.StringIO()
        pstats.Stats(self._profile, stream=out).sort_stats("tottime").print_stats(PROFILED)
        self._profile = None
        return out.getvalue().splitlines()


async def serve(
    settings: Settings, path: Path, content: Content, slow: tuple[str, float] | None, argon2: bool
) -> int:
    """Run until it is told to stop; the exit code."""
    raise_file_limit(settings.limits.connections + 200)
    state_dir = settings.server.state_dir
    families = build_families(content, sorted({entry.family for entry in settings.listen.values()}))
    await trio.to_thread.run_sync(upgrade, settings.database.url, state_dir / "backups")
    database = SlowDatabase(settings.database.url, synchronous=settings.storage.synchronous)
    if slow is not None:
        database.slow_name, database.slow_seconds = slow
    runner = ThreadRunner(shared=database.shared)
    app = App(
        settings,
        content,
        families,
        database,
        runner,
        config_path=path,
        passwords=None if argon2 else NoPasswords(),
        chance=random.Random(SEED),
    )
    await prepare(families)
    listening, edges = listen(settings, families), listen_for_edges(settings)
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 5_000)
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(AdminChannel(Gauge(app).run, state_dir).serve)
            write_endpoints(state_dir / "endpoints.json", listening, app.server_name, edges=edges)
            code = await app.run(listening, edges=edges)
            nursery.cancel_scope.cancel()
        return code
    finally:
        for entry in listening:
            entry.socket.close()
        if edges is not None:
            edges.close()
        database.close()


def main(argv: Sequence[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(
        "server.bots.serve", description="A server on an open plain, to measure."
    )
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--plain", required=True, metavar="WIDTHxHEIGHT")
    parser.add_argument("--spots", type=int, default=1, help="places where newcomers begin")
    parser.add_argument("--slow-login", nargs=2, metavar=("ACCOUNT", "SECONDS"))
    parser.add_argument("--argon2", action="store_true", help="check real password hashes")
    args = parser.parse_args(argv)
    settings = config.load(args.config)
    width, height = map(int, args.plain.split("x"))
    make_state_dir(settings.server.state_dir)
    logs.setup(settings.log, settings.server.state_dir)
    content = hunt.stocked(plain(load(DATA), width, height, args.spots))
    slow = None if args.slow_login is None else (args.slow_login[0], float(args.slow_login[1]))
    try:
        return trio.run(partial(serve, settings, args.config, content, slow, args.argon2))
    finally:
        logs.close()


if __name__ == "__main__":
    sys.exit(main())
