"""How long `reload content` keeps anybody waiting while 500 players are on.

    python -m bench.reload [--count 500] [--rounds 5] [--games uo eo eq2 l2] [--cold]

The whole server in memory (`server.boot.app.App`, SQL without a thread), in real time, because the files are
read in a thread beside the world, and what that takes of the interpreter is part of the answer. Clients are
bots of each game in turn, scattered over the shipped realm; there is no kernel between. The content that is
read differs in what a villager says and in where the players' spawn places are, so that a realm is laid out
anew as well. With `--cold` every file of data/ was saved since, with another comment, and nothing that is
kept from one reading to the next is there: tables, maps, pictures, landmarks and the games' files are all
made anew, as when everything was written at once.

turn     the longest turn of the world, in ms
CPU      the longest in CPU time of its thread: on a machine with other work this is what to trust
wait     the most that a turn was longer than its CPU time: for the interpreter, which the reading thread has,
         or for a core, which other work has
late     the longest that a task which sleeps for 5 ms slept more than that: what a packet may wait to be read
reload   from the order to its answer

Each pair of lines is a reload, and as long without one behind it, because the longest of many turns is longer
than that of few; the last pair has the medians. No turn is to be delayed by more than 50 ms.
"""

from __future__ import annotations

import argparse
import gc
import logging
import shutil
import tempfile
from contextlib import contextmanager
from functools import _lru_cache_wrapper, partial
from pathlib import Path
from statistics import median
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import attrs
import trio

from bench.crowd import CONFIG, TURN, Client
from protocol import reading
from protocol.kept import Kept
from server.bots.games import BOTS
from server.content import tiled
from server.content.families import DATA
from server.content.loading import load
from server.settings.config import parse
from server.turn.beside import WorkThread
from server.turn.loop import Loop
from tests.kit.town import Town

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from world.content import Content

PROBE: Final = 0.005
COMMENT: Final = "# saved "
ENTERING: Final = 20
"""Clients that are on their way in at a time. Of all at once a slow machine hears nothing for so long that
the server ends them for their silence."""


@attrs.define
class Longest:
    """In ms."""

    turn: float = 0.0
    cpu: float = 0.0
    wait: float = 0.0
    late: float = 0.0
    reload: float = 0.0

    def row(self) -> str:
        return f"{self.turn:>9.1f}{self.cpu:>9.1f}{self.wait:>9.1f}{self.late:>9.1f}{self.reload:>9.0f}"


def scattered(content: Content, count: int, shift: int) -> Content:
    """The content with places to begin all over its first realm."""
    chart = content.charts[content.start_realm]
    free = [
        (x, y)
        for y in range(2, chart.height - 2)
        for x in range(2, chart.width - 2)
        if not chart.blocked[y * chart.width + x]
    ]
    spawns = tuple(free[shift :: max(1, len(free) // count)])
    charts = {**content.charts, chart.name: attrs.evolve(chart, spawns=spawns)}
    return attrs.evolve(content, charts=charts, welcome="")


def caches() -> list[Callable[[], None]]:
    """What forgets all that is kept from one reading of content to the next. To be asked for before
    `gc.freeze`, which hides it."""
    found: list[Callable[[], None]] = [tiled._kept.clear]
    for thing in gc.get_objects():
        if isinstance(thing, Kept):
            found.append(partial(setattr, thing, "_made", []))
        elif isinstance(thing, _lru_cache_wrapper):
            module = thing.__wrapped__.__module__
            if module == reading.__name__ or module.endswith(".seam"):
                found.append(thing.cache_clear)
    return found


def save_all(data: Path, number: int) -> None:
    """Every file differs from what it was, in a comment."""
    for path in data.rglob("*.toml"):
        text = path.read_text(encoding="utf-8").partition(COMMENT)[0]
        path.write_text(f"{text}{COMMENT}{number}\n", encoding="utf-8")
    for path in (*data.rglob("*.tmj"), *data.rglob("*.tmx"), *data.rglob("*.json")):
        path.write_text(path.read_text(encoding="utf-8").rstrip() + "\n" * (1 + number % 2), encoding="utf-8")


@contextmanager
def watched() -> Iterator[Longest]:
    """The longest turn meanwhile."""
    longest, turn = Longest(), Loop.turn

    def timed(loop: Loop, now: float) -> None:
        begun, cpu = perf_counter(), thread_time()
        turn(loop, now)
        worked, took = (thread_time() - cpu) * 1e3, (perf_counter() - begun) * 1e3
        longest.cpu, longest.turn = max(longest.cpu, worked), max(longest.turn, took)
        longest.wait = max(longest.wait, took - worked)

    with patch.object(Loop, "turn", timed):
        yield longest


async def probe(longest: Longest) -> None:
    """Sleep, and see how late it is."""
    while True:
        begun = perf_counter()
        await trio.sleep(PROBE)
        longest.late = max(longest.late, (perf_counter() - begun - PROBE) * 1e3)


async def idle(clients: Sequence[Client]) -> None:
    """Take what came; an eighth of them turns around at a time."""
    at = 0
    while True:
        for client in clients[at % 8 :: 8]:
            client.skim()
            client.act(walk=False)
        at += 1
        await trio.sleep(TURN)


async def enter(town: Town, games: Sequence[str], count: int) -> list[Client]:
    """So many clients, of each game in turn, until all are in the world."""
    clients: list[Client] = []
    while len(clients) < count or not all(client.bot.in_world for client in clients):
        room = ENTERING - sum(not client.bot.in_world for client in clients)
        waiting = range(len(clients), min(len(clients) + room, count))
        clients += [Client(town, games[number % len(games)], number) for number in waiting]
        for client in clients:
            client.decode()
        await trio.sleep(TURN)
    return clients


async def stretch(town: Town, seconds: float | None = None) -> Longest:
    """What is longest while content is read again, or for so long without that."""
    with watched() as longest:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(probe, longest)
            begun = perf_counter()
            if seconds is None:
                await town.app.reload_content()
            else:
                await trio.sleep(seconds)
            longest.reload = (perf_counter() - begun) * 1e3
            await trio.sleep(4 * TURN)
            nursery.cancel_scope.cancel()
    return longest


async def measure(count: int, rounds: int, games: Sequence[str], data: Path, *, cold: bool) -> None:
    """The table."""
    town_of = data / "people" / "greta.toml"
    text = town_of.read_text(encoding="utf-8")
    shift = 0

    def read(folder: Path) -> Content:
        return scattered(load(folder), count, shift)

    async with trio.open_nursery() as nursery:
        town = Town(nursery, parse(CONFIG), content=read(data), games=games, data_dir=data)
        await town.open()
        clients = await enter(town, games, count)
        forget = caches()
        gc.collect()  # from here on as `server.boot.start`: else most of the longest turns are collections
        gc.freeze()
        gc.set_threshold(10_000, 10, 5_000)
        nursery.start_soon(idle, clients)
        # The tests' server does in place what the real one has a thread for.
        with (
            patch.object(town.app, "beside", WorkThread(town.app.loop.at_rest)),
            patch("server.content.renewing.load", read),
        ):
            print(f"{'':16}" + "".join(f"{field.name:>9}" for field in attrs.fields(Longest)))
            quiet: list[Longest] = []
            anew: list[Longest] = []
            for number in range(rounds):
                shift = number + 1
                town_of.write_text(text.replace("Good day", f"Good day {number}"), encoding="utf-8")
                if cold:
                    save_all(data, number)
                    for each in forget:
                        each()
                anew.append(await stretch(town))
                print(f"{f'{number} reload':16}{anew[-1].row()}", flush=True)
                quiet.append(await stretch(town, anew[-1].reload / 1e3))
                print(f"{f'{number} without':16}{quiet[-1].row()}", flush=True)
        for name, found in (("reload", anew), ("without", quiet)):
            middle = Longest(*(median(values) for values in zip(*map(attrs.astuple, found), strict=True)))
            print(f"{f'median {name}':16}{middle.row()}")
        nursery.cancel_scope.cancel()


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a reload of content keeps anybody waiting.")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", nargs="+", default=["uo", "eo", "eq2", "l2"], choices=list(BOTS))
    parser.add_argument("--cold", action="store_true", help="every file was saved, and nothing is kept")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        shutil.copytree(DATA, data, ignore=shutil.ignore_patterns("*.py", "*.png", "__pycache__"))
        trio.run(
            partial(measure, arguments.count, arguments.rounds, arguments.games, data, cold=arguments.cold)
        )


if __name__ == "__main__":
    main()
