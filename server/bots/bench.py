"""`causeway bench`: starts servers of its own, lets bots loose on them, and prints tables.

crowd     everybody on one spot, everybody turns every 400 ms, and all see all
throng    everybody on one spot, everybody walks about there, and all see all: what public figures of other
          servers mostly are of
spread    an open plain at the density of a normal shard, everybody goes about, 2.5 moves a second each
fight     as many creatures as players on 50 x 50 tiles, each player and one of them strike each other; now
          and then a player turns round
announce  spread, and an announcement to everybody again and again; then somebody logs in, alone, beside one
          whose database read takes two seconds, and while handlers take 50 ms
receive   how long packets take from the socket to their client's inbox, by packet and game

`edge` is another kind of table: see `server.bots.edges`.

400 ms are 2.5 moves a second; another rate can be asked for. Every number of a row is from the same run. The
bots take part of the machine, too: "bots CPU" near 100 %, or moves that the bots send late, mean that they
and not the server were the limit; "starved" is the time that the server could have used and others had.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

import attrs

from server.bots.bot import bot_name
from server.bots.cells import Cell, FloorCell, received, table
from server.bots.floor import Floor, FloorBot, NoCompiler
from server.bots.games import BOTS
from server.bots.plain import side_for
from server.bots.process import ROOT, BenchServer, cpu_seconds, resident_bytes, starved_seconds
from server.bots.swarm import Swarm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from server.bots.bot import Bot

TILES: Final = 46
"""For each character in `spread`: 30 in the 37 x 37 tiles that an Ultima Online client sees."""

TILES_OF: Final = {"eq2": 80}
"""The same for games whose clients see farther: 30 in 49 x 49."""

NEIGHBOURS: Final = 30
"""Whom the floor tells of a move in `spread`."""

LARGEST_SIDE: Final[Mapping[str, int]] = {"eo": 252}
"""Tiles of the largest map a client can have; its coordinates are one byte."""

CROWD_SIDE: Final = 40

FIGHT_SIDE: Final = 50
"""So that 200 players and as many creatures see one another in part."""

INTERVAL: Final = 0.4
"""Seconds between two moves of a bot, if nothing else is asked."""
WARM_UP: Final = 2.0
FLOOR_PACE: Final = 50.0
"""Milliseconds: 20 turns a second."""

ANNOUNCEMENTS: Final = 5
SLOW_SECONDS: Final = 2.0
SLOW_NAME: Final = "slowpoke"
STALL_SECONDS: Final = 0.05
STALL_EVERY: Final = 0.2

LONGEST_LOGIN: Final = 30.0
"""Seconds."""


LINES: Final = (
    "Well met.",
    "Which way to the bank?",
    "Has anybody seen the healer?",
    "A fine day for a walk.",
    "I could eat a loaf of bread.",
    "Mind the river.",
    "The inn has beds, they say.",
    "Who rang that bell?",
    "I have walked this square all day.",
    "Good day to you.",
    "Is there news?",
    "My boots want mending.",
)
"""What bots say as they wander."""


def turn(bot: Bot) -> bytes:
    """Make the move of `crowd`: a turn on the spot."""
    return bot.turn()


def step(bot: Bot) -> bytes:
    """Make the move of `spread`: a step."""
    return bot.step()


def wander(bot: Bot) -> bytes:
    """Mostly on its way, now and then it looks around or has something to say."""
    if (bot.moves + bot.number) % 25 == 24:
        return bot.turn() + bot.say(LINES[(bot.moves // 25 + bot.number) % len(LINES)])
    return bot.step()


@attrs.frozen
class Look:
    """Options of a measurement: whether to measure the floor as well, and whether a second stretch runs with
    the server's stage timers or with Python's profiler."""

    floor: bool = True
    profile: bool = False
    cprofile: bool = False


@attrs.frozen
class Scenario:
    """`counts` are the sizes that are measured if none are given."""

    move: Callable[[Bot], bytes]
    counts: tuple[int, ...]
    probes: int
    """Bots that decode everything: the more there are, the better a p99; in a crowd each costs a lot."""
    crowded: bool = False
    plain_side: int = 0
    """Tiles of each side of the plain, if it is the same for all counts."""
    pause: float = 0.0
    """Seconds between two moves of a bot, if nothing else is asked; 0: `INTERVAL`."""
    creatures: bool = False
    """Whether each bot fights a creature of its own."""

    def side(self, game: str, count: int) -> int:
        """Tiles of each side of the plain."""
        if self.plain_side:
            return self.plain_side
        if self.crowded:
            return CROWD_SIDE
        tiles = TILES_OF.get(BOTS[game].game, TILES)
        return min(side_for(count, tiles), LARGEST_SIDE.get(BOTS[game].game, sys.maxsize))

    def spots(self, count: int) -> int:
        """Places where bots begin."""
        return 1 if self.crowded else count

    def neighbours(self, count: int) -> int:
        """Number of clients to which the floor sends each move."""
        return count - 1 if self.crowded else min(NEIGHBOURS, count - 1)


MIXED: Final = "mixed"
"""In the place of a game: as many bots of each on one server. None is watched for its turns: who sees whom
turn differs from game to game."""

SCENARIOS: Final[Mapping[str, Scenario]] = {
    "crowd": Scenario(turn, (25, 100, 200, 400), 8, crowded=True),
    "throng": Scenario(step, (25, 80, 200), 8, crowded=True),
    "spread": Scenario(step, (500, 1000, 2000), 32),
    "fight": Scenario(turn, (200,), 8, plain_side=FIGHT_SIDE, pause=4.0, creatures=True),
    "announce": Scenario(step, (2000,), 32),
    "receive": Scenario(wander, (500,), 8),
}


def run(
    names: Sequence[str],
    games: Sequence[str],
    counts: Sequence[int],
    seconds: float,
    look: Look,
    say: Callable[[str], None],
    *,
    interval: float = INTERVAL,
) -> None:
    """Measure scenarios, each in every game; `counts` empty: each at its own sizes. Progress and tables go to
    `say`. Each bot moves every `interval` seconds."""
    say(machine())
    with tempfile.TemporaryDirectory(prefix="causeway-bench-") as folder:
        directory = Path(folder)
        for name in names:
            scenario = SCENARIOS[name]
            cells: list[Cell] = []
            stages: dict[tuple[str, int], dict[str, dict[str, float]]] = {}
            for game in games:
                first: Cell | None = None
                for count in counts or scenario.counts:
                    place = directory / f"{name}-{game}-{count}"
                    began = time.perf_counter()
                    match name:
                        case "announce":
                            cells += announce(place, game, count, seconds, interval)
                        case "receive":
                            stages[game, count] = receive(place, game, count, seconds, interval)
                        case _:
                            beside: FloorCell | str | None = None
                            if look.floor:
                                beside = _floor(directory, scenario, count, seconds, interval)
                            cell = measure(place, name, game, count, seconds, beside, look, say, interval)
                            first = first or cell
                            cells.append(attrs.evolve(cell, first=first))
                            say(f"{table(cells)[-1]}  ({time.perf_counter() - began:.0f} s)")
            pace = "" if interval == INTERVAL else f", {1 / interval:.2g} moves/s of each"
            say(f"\n{name}, {seconds:.0f} s each{pace}; load {_load()}")
            for line in received(stages) if stages else table(cells):
                say(line)
            for game in games:
                if game == MIXED:
                    continue
                if not scenario.crowded:
                    say(f"{game}: {BOTS[game].gait}; {_density(scenario, game, counts or scenario.counts)}")
                elif scenario.move is step:
                    say(f"{game}: {BOTS[game].gait}")


def machine() -> str:
    """A line about the machine: processor, Python and load."""
    model = platform.machine()
    cpus = Path("/proc/cpuinfo")
    if cpus.exists():
        found = (line.partition(": ")[2] for line in cpus.read_text().splitlines() if "model name" in line)
        model = next(found, model)
    usable = len(os.sched_getaffinity(0))
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"machine: {usable} cores, {model}; {python}; load {_load()}"


def _load() -> str:
    return " / ".join(f"{average:.1f}" for average in os.getloadavg())


def _density(scenario: Scenario, game: str, counts: Sequence[int]) -> str:
    tiles = [f"{scenario.side(game, count) ** 2 / count:.0f}" for count in counts]
    return f"tiles per character with the plain's edge: {', '.join(tiles)}"


def every_game() -> list[str]:
    """All games of which there are bots, each once."""
    return [name for name, kind in BOTS.items() if name == kind.game]


def make_bots(game: str, count: int) -> list[Bot]:
    """So many bots of a game, or of all by turns, the same names each time."""
    kinds = [BOTS[one] for one in (every_game() if game == MIXED else [game])]
    bots = zip(range(count), cycle(kinds))
    return [kind(bot_name(number, kind.game), Random(number).randbytes) for number, kind in bots]


@contextmanager
def settled(
    place: Path,
    name: str,
    game: str,
    count: int,
    *more: str,
    interval: float = INTERVAL,
    kind: type[BenchServer] = BenchServer,
    root: Path = ROOT,
) -> Iterator[tuple[BenchServer, Swarm, float]]:
    """A server with everybody in it, warm; and the resident bytes that came with each client. Raises
    RuntimeError if somebody who should fight does not."""
    scenario = SCENARIOS[name]
    if scenario.pause and interval == INTERVAL:
        interval = scenario.pause
    door, *beside = every_game() if game == MIXED else [BOTS[game].game]
    with ExitStack() as stack:
        server = stack.enter_context(
            kind(
                place,
                door,
                scenario.side(door, count),
                scenario.spots(count),
                *more,
                beside=beside,
                root=root,
            )
        )
        empty = resident_bytes(server.pid)
        bots = make_bots(game, count)
        swarm = Swarm(
            server.address,
            bots,
            scenario.move,
            probes=scenario.probes,
            pairs=scenario.move is turn and game != MIXED,
            interval=interval,
            others={name: server.address_of(name) for name in beside},
        )
        stack.callback(swarm.close)
        swarm.enter(60 + count / 5)
        if scenario.creatures:
            server.order(f"bench fight {count}")
            swarm.run(WARM_UP)
            (striking,) = server.order("bench fights").lines
            if int(striking) < 2 * count:
                raise RuntimeError(f"{striking} of {count} players and as many creatures fight")
        swarm.run(WARM_UP)
        yield server, swarm, (resident_bytes(server.pid) - empty) / count


def measure(
    place: Path,
    name: str,
    game: str,
    count: int,
    seconds: float,
    floor: FloorCell | str | None,
    look: Look,
    say: Callable[[str], None],
    interval: float = INTERVAL,
) -> Cell:
    """One cell. `floor` is what to compare it with, or why there is nothing."""
    with settled(place, name, game, count, interval=interval) as (server, swarm, client_bytes):
        cell = _stretch(server, swarm, game, count, seconds, client_bytes)
        if look.profile:
            server.measure_stages(True)
            swarm.run(seconds)
            server.measure_stages(False)
            say(f"\n{name}, {game}, {count}: where {seconds:.0f} s of the server went")
            for line in server.stages_report():
                say(line)
        if look.cprofile:
            server.cprofile()
            swarm.run(seconds)
            for line in server.cprofile():
                say(line)
    if isinstance(floor, str):
        return attrs.evolve(cell, note=floor)
    return attrs.evolve(cell, floor=floor)


def _stretch(
    server: BenchServer, swarm: Swarm, label: str, count: int, seconds: float, client_bytes: float
) -> Cell:
    """Some seconds with a server."""
    server.turns()
    cpu, starved = cpu_seconds(server.pid), starved_seconds(server.pid)
    tally = swarm.run(seconds)
    cpu, starved = cpu_seconds(server.pid) - cpu, starved_seconds(server.pid) - starved
    return Cell(label, count, tally, cpu, starved, resident_bytes(server.pid), client_bytes, server.turns())


def _floor(
    directory: Path, scenario: Scenario, count: int, seconds: float, interval: float
) -> FloorCell | str:
    """What the C server takes for the same job, or why that cannot be measured."""
    neighbours = scenario.neighbours(count)

    def drive(pace: float) -> tuple[Swarm, float]:
        with Floor(directory, count, neighbours, pace) as floor:
            bots = [FloorBot(number) for number in range(count)]
            swarm = Swarm(floor.address, bots, scenario.move, interval=interval)
            try:
                swarm.enter()
                swarm.run(WARM_UP / 2)
                before = cpu_seconds(floor.pid)
                swarm.run(seconds / 2)
                return swarm, cpu_seconds(floor.pid) - before
            finally:
                swarm.close()

    try:
        steady, spent = drive(FLOOR_PACE)
        eager, _ = drive(0)
    except NoCompiler as error:
        return str(error)
    tally = steady.tally
    return FloorCell(spent / tally.seconds, tally.packets / spent if spent else 0.0, eager.tally.answers)


def receive(
    place: Path, game: str, count: int, seconds: float, interval: float = INTERVAL
) -> dict[str, dict[str, float]]:
    """Times of the server's stages, by stage, with that many bots that walk about and talk."""
    with settled(place, "receive", game, count, interval=interval) as (server, swarm, _):
        server.measure_stages(True)
        swarm.run(seconds)
        return server.stages()


# Announcements, a slow login, slow handlers


def announce(place: Path, game: str, count: int, seconds: float, interval: float = INTERVAL) -> list[Cell]:
    """Five stretches with the same server: quiet, announcements, one login, one beside a slow one, and one
    while handlers are slow."""
    slow = ("--slow-login", SLOW_NAME, str(SLOW_SECONDS))
    with settled(place, "announce", game, count, *slow, interval=interval) as (server, swarm, client_bytes):

        def stretch(what: str) -> Cell:
            return _stretch(server, swarm, f"{game}, {what}", count, seconds, client_bytes)

        def tell() -> None:
            for number in range(ANNOUNCEMENTS):
                time.sleep(seconds / (ANNOUNCEMENTS + 1))
                server.order(f"broadcast Announcement {number + 1} of {ANNOUNCEMENTS}.")

        def stall() -> None:
            for _ in range(int(seconds / (STALL_SECONDS + STALL_EVERY))):
                time.sleep(STALL_EVERY)
                server.order(f"bench stall {STALL_SECONDS}")

        def newcomers(*names: str) -> Cell:
            took: dict[str, float] = {}
            with ExitStack() as stack:
                for name in names:
                    stack.enter_context(_meanwhile(partial(_time_login, took, server, game, name)))
                cell = stretch("logins")
            spans = ", ".join(f"{name} {took[name]:.2f} s" for name in names)
            return attrs.evolve(cell, label=f"{cell.label}: {spans}")

        cells = [stretch("quiet")]
        swarm.heard()
        with _meanwhile(tell):
            told = stretch(f"{ANNOUNCEMENTS} announcements")
        swarm.run(WARM_UP)
        cells.append(attrs.evolve(told, label=f"{told.label} ({swarm.heard()} heard)"))
        cells += [newcomers("alone"), newcomers(SLOW_NAME, "beside")]
        with _meanwhile(stall):
            stalled = newcomers("during")
        what = f"{1000 * STALL_SECONDS:.0f} ms handlers, {stalled.label.removeprefix(f'{game}, ')}"
        return [*cells, attrs.evolve(stalled, label=f"{game}, {what}")]


def _time_login(took: dict[str, float], server: BenchServer, game: str, name: str) -> None:
    took[name] = log_in(server.address, BOTS[game](name, Random(0).randbytes))


@contextmanager
def _meanwhile(what: Callable[[], None]) -> Iterator[None]:
    """In a thread that waits in the kernel nearly always."""
    thread = threading.Thread(target=what)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def log_in(address: tuple[str, int], bot: Bot) -> float:
    """Seconds from connecting until one bot is in the world, over a socket of its own; it leaves then."""
    swarm = Swarm(address, [bot], turn, probes=1)
    began = time.perf_counter()
    try:
        swarm.enter(LONGEST_LOGIN)
        return time.perf_counter() - began
    finally:
        swarm.close()
