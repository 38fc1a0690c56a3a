"""What the live map costs, and how late it is.

    python -m bench.web_page [--walkers 200] [--viewers 20] [--seconds 4]

1. Late: a real server process, UO bots that walk, and somebody who watches over loopback. From the moment
   before a bot's step is sent until the message with it is read by the viewer. An update is due at once if
   the last one was 100 ms ago, and else when it is: so among many who walk, 50 ms of it are waiting.
2. Turns: the whole server in memory as in `bench.turn`, everybody walks, and so many tasks watch. CPU of the
   thread within turns, and what of it is the map's (`observe`); that ratio is what the map costs the world.
   Beside it what the map works out between turns, once for all viewers.
3. Process: a real server again, with and without viewers in turns: CPU of the process, duration of turns (by
   the server's own stage timers, which cost the same in both).

Ratios of one run say most; on a machine that others use, the third part is the noisiest.
"""

import argparse
import json
import logging
import multiprocessing
import selectors
import socket
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import attrs
import trio
import trio.testing

from bench.turn import CONFIG, GROUPS, Field, Phases, plain, populate, timed
from server.bots import process
from server.bots.bench import SCENARIOS, make_bots, step
from server.bots.bot import Bot
from server.bots.cells import quantile
from server.bots.process import BenchServer, cpu_seconds
from server.bots.swarm import Swarm
from server.settings.config import parse
from server.web.livemap import LiveMap
from tests.kit.town import Town, shipped_content
from world.content import Content
from world.world import Changes

if TYPE_CHECKING:
    from multiprocessing.connection import Connection as Pipe

WARM_UP: Final = 1.5
"""Seconds."""
FEW: Final = 8
"""Walkers of a quiet server."""
PROBES: Final = 8
"""Bots that know their own serials."""
ROUNDS: Final = 2
HANDSHAKE: Final = (
    "GET /watch?realm=plain HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)

Arrivals = list[tuple[float, str]]
"""When each update came, and its text."""


# Those who watch, in a process of their own


class Viewer:
    """A WebSocket that is only read."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.arrivals: Arrivals = []
        self.socket = socket.create_connection(address)
        self.socket.sendall(HANDSHAKE.format(host="{}:{}".format(*address)).encode())
        self._received = bytearray()
        while b"\r\n\r\n" not in self._received:
            self._received += self.socket.recv(4096)
        head, _, rest = bytes(self._received).partition(b"\r\n\r\n")
        if b" 101 " not in head:
            raise ConnectionError(head.decode())
        self._received = bytearray(rest)

    def read(self) -> None:
        """Take what came, with the time at which it was read (the same clock for all processes)."""
        self._received += self.socket.recv(1 << 20)
        now, received = perf_counter(), self._received
        while len(received) >= 2:
            size, start = received[1] & 0x7F, 2
            if size >= 126:
                start = 4 if size == 126 else 10
                size = int.from_bytes(received[2:start], "big")
            if len(received) < start + size:
                return
            self.arrivals.append((now, received[start : start + size].decode()))
            del received[: start + size]


def watch(address: tuple[str, int], count: int, pipe: "Pipe[Arrivals, Arrivals]") -> None:
    """Watch until something comes through the pipe; what the first viewer read goes back through it."""
    viewers = [Viewer(address) for _ in range(count)]
    with selectors.DefaultSelector() as selector:
        for viewer in viewers:
            selector.register(viewer.socket, selectors.EVENT_READ, viewer)
        pipe.send([])  # ready
        while not pipe.poll(0):
            for key, _ in selector.select(0.05):
                key.data.read()
    for viewer in viewers:
        viewer.socket.close()
    pipe.send(viewers[0].arrivals)


@contextmanager
def watched(address: tuple[str, int], count: int) -> Iterator[Arrivals]:
    """So many watch; what one of them read is there at the end."""
    arrivals: Arrivals = []
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    viewers = multiprocessing.get_context("spawn").Process(target=watch, args=(address, count, theirs))
    viewers.start()
    try:
        theirs.close()
        ours.recv()
        yield arrivals
        ours.send([])  # enough
        arrivals += ours.recv()
    finally:
        viewers.join(10)
        if viewers.is_alive():
            viewers.kill()


# Real servers


class Steps:
    """What bots do, and when each of them did it."""

    def __init__(self) -> None:
        self.sent: dict[int, list[float]] = defaultdict(list)

    def __call__(self, bot: Bot) -> bytes:
        frame = step(bot)
        self.sent[bot.number].append(perf_counter())
        return frame

    def delays(self, arrivals: Arrivals) -> list[float]:
        """Seconds from each step until the update with it was read."""
        seen: dict[int, list[float]] = defaultdict(list)
        for at, text in arrivals:
            for line in text.split("\n"):
                if line.startswith('{"t":"moves"'):
                    for serial, *_ in json.loads(line)["moves"]:
                        seen[serial].append(at)
        found = []
        for serial, times in self.sent.items():
            for sent, following in zip(times, [*times[1:], float("inf")], strict=True):
                # A step that was refused, or was the last before the viewers left, is not seen.
                found += [at - sent for at in seen[serial] if sent <= at < following][:1]
        return found


@contextmanager
def served(place: Path, walkers: int) -> Iterator[tuple[BenchServer, Swarm, Steps]]:
    """A server on whose plain so many bots of Ultima Online walk, and whose map can be watched."""
    config = process.CONFIG + '[listen.web]\nhttp = "127.0.0.1:0"\nsockets_per_address = 1000\n'
    spread, steps = SCENARIOS["spread"], Steps()
    with (
        patch.object(process, "CONFIG", config),
        BenchServer(place, "uo", spread.side("uo", walkers), spread.spots(walkers)) as server,
    ):
        swarm = Swarm(server.address, make_bots("uo", walkers), steps, probes=PROBES)
        try:
            swarm.enter(60)
            swarm.run(WARM_UP)
            yield server, swarm, steps
        finally:
            swarm.close()


def page_of(server: BenchServer) -> tuple[str, int]:
    """Where its web page is."""
    endpoints = json.loads((server.directory / "var" / "endpoints.json").read_text())
    host, _, port = endpoints["web"]["http"].rpartition(":")
    return host, int(port)


def show_delays(title: str, delays: Sequence[float]) -> None:
    cells = "".join(f"{quantile(delays, part) * 1e3:>9.1f}" for part in (0.5, 0.95, 1.0))
    print(f"{title:32}{len(delays):>7}{cells}", flush=True)


def late(place: Path, seconds: float) -> None:
    """Part 1, on a server that has nothing else to do."""
    with served(place, FEW) as (server, swarm, steps):
        with watched(page_of(server), 1) as arrivals:
            swarm.run(WARM_UP)
            steps.sent.clear()
            swarm.run(seconds)
        show_delays(f"{FEW} walk, 1 watches", steps.delays(arrivals))


@attrs.define
class Sum:
    """Seconds, and moves in which they were spent."""

    cpu: float = 0.0
    turns: float = 0.0
    seconds: float = 0.0
    moves: int = 0


def process_cost(place: Path, walkers: int, viewers: int, seconds: float) -> None:
    """Part 3, and part 1 among many."""
    sums: Mapping[bool, Sum] = {False: Sum(), True: Sum()}
    delays: list[float] = []
    with served(place, walkers) as (server, swarm, steps):

        def stretch(total: Sum) -> None:
            swarm.run(WARM_UP)
            steps.sent.clear()
            server.measure_stages(True)
            cpu = cpu_seconds(server.pid)
            tally = swarm.run(seconds)
            total.cpu += cpu_seconds(server.pid) - cpu
            server.measure_stages(False)
            stage = server.stages()["turn"]
            total.turns += stage["count"] * stage["mean_us"] / 1e6
            total.seconds += tally.seconds
            total.moves += tally.moves

        for _ in range(ROUNDS):
            stretch(sums[False])
            with watched(page_of(server), viewers) as arrivals:
                stretch(sums[True])
            delays += steps.delays(arrivals)
    show_delays(f"{walkers} walk, {viewers} watch", delays)
    print(f"\n{walkers} walk, a process{'':9}{'CPU':>9}{'in turns':>10}{'us/step in turns':>18}")
    for has_viewers, total in sums.items():
        print(
            f"{viewers if has_viewers else 0:>3} watch{'':22}{total.cpu / total.seconds:>9.1%}"
            f"{total.turns / total.seconds:>10.1%}{total.turns / total.moves * 1e6:>18.1f}"
        )
    without, with_ = sums[False], sums[True]
    ratio = with_.turns / with_.moves / (without.turns / without.moves)
    print(f"ratio{'':26}{with_.cpu / without.cpu:>9.2f}{'':10}{ratio:>18.2f}", flush=True)


# In memory


class Watchable(Field):
    """A plain whose map can be watched."""

    def __init__(self, nursery: trio.Nursery, content: Content) -> None:
        Town.__init__(self, nursery, parse(CONFIG), content=content, games=["uo", "eo", "web"])


@attrs.define
class Costs:
    """CPU seconds of the map."""

    observe: float = 0.0
    update: float = 0.0
    updates: int = 0


@contextmanager
def measured(live: LiveMap, observers: list[Callable[[Changes], None]]) -> Iterator[Costs]:
    """Put clocks around the parts of the map."""
    costs, observe, update = Costs(), live.observe, live._update

    def timed_observe(changes: Changes) -> None:
        begin = thread_time()
        observe(changes)
        costs.observe += thread_time() - begin

    def timed_update(now: float) -> None:
        begin = thread_time()
        update(now)
        costs.update += thread_time() - begin
        costs.updates += 1

    observers[observers.index(observe)] = timed_observe
    with patch.object(live, "_update", timed_update):
        yield costs
    observers[observers.index(timed_observe)] = observe


async def in_memory(walkers: int, viewers: Sequence[int], seconds: float) -> list[tuple[Phases, Costs]]:
    """One world in which so many walk, and one after another so many watch."""
    found = []
    async with trio.open_nursery() as nursery:
        town = Watchable(nursery, plain(shipped_content(), walkers))
        await town.open()
        people = await populate(town, "uo", walkers, crowded=False)
        live = town.app.live
        if live is None:
            raise RuntimeError("there is no map")

        async def watch_on() -> None:
            viewer = live.watch(town.app.world.realms["plain"], lambda: None)
            while True:
                await viewer.next()

        for count in viewers:
            while live.viewers < count:
                nursery.start_soon(watch_on)
                await trio.sleep(0.1)
            await trio.sleep(1)
            with timed(town.app) as phases, measured(live, town.app.loop.observers) as costs:
                for turn in range(round(seconds / 0.4 * GROUPS)):
                    for walker in people[turn % GROUPS :: GROUPS]:
                        walker.walk()
                    await trio.sleep(0.4 / GROUPS)
            found.append((phases, costs))
        nursery.cancel_scope.cancel()
    return found


def turn_cost(walkers: int, viewers: int, seconds: float) -> None:
    """Part 2."""
    print(f"\n{walkers} walk, in memory{'':9}{'us/step':>9}{'the map':>10}{'ratio':>9}{'us/update':>11}")
    counts = (0, viewers)
    found = trio.run(
        partial(in_memory, walkers, counts, seconds), clock=trio.testing.MockClock(autojump_threshold=0)
    )
    for count, (phases, costs) in zip(counts, found, strict=True):
        print(
            f"{count:>3} watch{'':22}{phases.turns / phases.moves * 1e6:>9.1f}"
            f"{costs.observe / phases.moves * 1e6:>10.2f}"
            f"{costs.observe / (phases.turns - costs.observe):>9.2%}"
            f"{costs.update / max(1, costs.updates) * 1e6:>11.0f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="What the live map costs, and how late it is.")
    parser.add_argument("--walkers", type=int, default=200)
    parser.add_argument("--viewers", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each stretch")
    arguments = parser.parse_args()
    walkers, viewers, seconds = arguments.walkers, arguments.viewers, arguments.seconds
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'ms from step to viewer':32}{'steps':>7}{'p50':>9}{'p95':>9}{'max':>9}")
        late(Path(folder, "few"), seconds)
        process_cost(Path(folder, "many"), walkers, viewers, seconds)
    turn_cost(walkers, viewers, 2 * seconds)


if __name__ == "__main__":
    main()
