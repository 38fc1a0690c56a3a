"""What an EverQuest II client costs the whole server, and how long others wait to see what it does.

    python -m bench.eq2_server [--sizes 100 300] [--seconds 2] [--profile]
    python -m bench.eq2_server --sizes --losses 0 0.01 0.1

The whole server in memory (`server.boot.app.App`, SQL without a thread, virtual time) on an open plain, and
so many bots of build 546 on it that run about, 2.5 positions a second each. Their datagrams go through a
network of memory: codecs, sockets' drain loop, readers, world, views and deadlines are the real ones, the
kernel is not there (`bench.eq2_wire` measures it). A turn every 50 ms, an eighth of the bots moves in each,
and everybody acknowledges each datagram.

in         what comes: the drain loop, acknowledgements, readers, decoding, and whatever is not named below
deadlines  the one task that sends again and keeps alive
handlers   draining the inboxes: handlers and the rules of going
fan-out    who sees what, and what it looks like in this game
flush      binding, codecs, sending into a network of memory
rest       the rest of a turn

CPU microseconds of the thread for each position that a client reports; "core" is what all of them take of one
core at this pace; the least disturbed of `--rounds` stretches. Then, with two clients and a way of 50 ms
there and back, how long it takes until the one has seen a step of the other, and a line of chat, while part
of the datagrams gets lost each way; that is virtual time, and the same in every run.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import logging
import pstats
import random
from contextlib import contextmanager
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import attrs
import trio
import trio.testing

from server.bots.bot import bot_name
from server.bots.bundle import bundle, unbundle
from server.bots.eq2 import Eq2Bot
from server.bots.plain import plain, side_for
from server.net.connection import Connection
from server.net.deadlines import Deadlines
from server.settings.config import parse
from server.turn.fanout import Fanout
from tests.kit.datagrams import Faults
from tests.kit.town import Town, shipped_content

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from protocol.session import Session
    from server.boot.app import App
    from world.content import Content

TURN: Final = 0.05
GROUPS: Final = 8
"""Turns in the time of a step; so many parts of the bots take turns."""

TILES: Final = 80
"""Per character: some 30 others in the 49 x 49 tiles that a client sees."""

DELAY: Final = 0.025
"""Seconds, each way."""
EVENTS: Final = 200
EVERY: Final = 0.4
GIVE_UP: Final = 30.0

CONFIG: Final = """
[listen.eq2]
[limits]
unauthenticated = 4096
joins_per_tick = 50
idle_seconds = 3600
connections_per_address = 4096
exempt = ["127.0.0.1"]
"""


class Plain(Town):
    """A town whose realm is an open plain."""

    def __init__(self, nursery: trio.Nursery, content: Content) -> None:
        super().__init__(nursery, parse(CONFIG), content=content, games=["eq2"])


class Client:
    """A bot and its line. Nothing here runs by itself."""

    def __init__(self, town: Plain, number: int, faults: Faults | None = None) -> None:
        self.bot = Eq2Bot(bot_name(number, "eq2"), random.Random(number).randbytes)
        self.datagrams = self.bytes = 0
        self._town = town
        self._faults = faults
        self._connect("login")

    def _connect(self, door: str) -> None:
        self.end = self._town.datagrams("eq2", door, faults=self._faults)
        self.bot.now = trio.current_time()
        self.send(self.bot.connect())

    def send(self, said: bytes) -> None:
        """A bundle of datagrams."""
        for datagram in unbundle(said):
            self.end.send(datagram)

    def _arrived(self) -> list[bytes]:
        arrived = []
        while (datagram := self.end.receive_nowait()) is not None:
            arrived.append(datagram)
        self.datagrams += len(arrived)
        self.bytes += sum(map(len, arrived))
        self.bot.now = trio.current_time()
        return arrived

    def decode(self) -> None:
        """Take what came, and answer."""
        arrived = self._arrived()
        self.send(self.bot.receive(bundle(arrived)) if arrived else self.bot.due())
        if self.bot.reconnect:
            self.end.close()
            self._connect("world")

    def skim(self) -> None:
        """Acknowledge what came."""
        data = bundle(self._arrived())
        self.send(self.bot.skim(bytearray(data), len(data)))

    def step(self) -> None:
        """Say where it is now."""
        self.bot.now = trio.current_time()
        self.send(self.bot.step())


@attrs.define
class Phases:
    """CPU seconds by phase, and what was counted meanwhile."""

    all: float = 0.0
    turns: float = 0.0
    deadlines: float = 0.0
    handlers: float = 0.0
    fanout: float = 0.0
    flush: float = 0.0
    moves: int = 0
    updates: int = 0
    flushes: int = 0
    datagrams: int = 0
    bytes: int = 0

    def row(self, seconds: float) -> str:
        """Of the table."""
        rest = self.turns - self.handlers - self.fanout - self.flush
        outside = self.all - self.turns - self.deadlines
        parts = (outside, self.deadlines, self.handlers, self.fanout, self.flush, rest, self.all)
        return (
            f"{self.updates / self.moves:>9.1f}{self.datagrams / self.moves:>11.1f}"
            f"{self.bytes / self.datagrams:>7.0f}"
            + "".join(f"{part / self.moves * 1e6:>10.0f}" for part in parts)
            + f"{self.all / self.updates * 1e6:>11.1f}{self.flush / self.flushes * 1e6:>10.1f}"
            f"{100 * self.all / seconds:>8.1f}"
        )


TITLES: Final = (
    f"{'N':>5}{'updates':>9}{'datagrams':>11}{'bytes':>7}"
    + "".join(f"{name:>10}" for name in ("in", "deadlines", "handlers", "fan-out", "flush", "rest", "all"))
    + f"{'us/update':>11}{'us/flush':>10}{'core %':>8}"
)


@contextmanager
def timed(app: App) -> Iterator[Phases]:
    """Put clocks around the parts of a running server."""
    phases = Phases()
    inputs, turn = app.loop._inputs, app.loop.turn
    flush, run, wake = Connection.flush, Fanout.run, Deadlines._wake

    def timed_inputs() -> list[Session]:
        begin = thread_time()
        touched = inputs()
        phases.handlers += thread_time() - begin
        return touched

    def timed_turn(now: float) -> None:
        begin = thread_time()
        turn(now)
        phases.turns += thread_time() - begin

    def timed_run(fanout: Fanout, *who: Sequence[Session]) -> None:
        begin = thread_time()
        run(fanout, *who)
        phases.fanout += thread_time() - begin

    def timed_flush(connection: Connection, *, force: bool = False) -> None:
        count = len(connection.session.outbox)
        if not count:  # a reader that acknowledges
            flush(connection, force=force)
            return
        phases.updates += count
        phases.flushes += 1
        begin = thread_time()
        flush(connection, force=force)
        phases.flush += thread_time() - begin

    def timed_wake(deadlines: Deadlines, now: float) -> None:
        begin = thread_time()
        wake(deadlines, now)
        phases.deadlines += thread_time() - begin

    with (
        patch.object(app.loop, "_inputs", timed_inputs),
        patch.object(app.loop, "turn", timed_turn),
        patch.object(Fanout, "run", timed_run),
        patch.object(Connection, "flush", timed_flush),
        patch.object(Deadlines, "_wake", timed_wake),
    ):
        yield phases


async def enter(town: Plain, count: int) -> list[Client]:
    """So many clients, in the world and quiet."""
    clients: list[Client] = []
    quiet = 0
    while quiet < 2 / TURN:
        waiting = range(len(clients), min(len(clients) + 10, count))
        clients += [Client(town, number) for number in waiting]
        for client in clients:
            client.decode()
        ready = len(clients) == count and all(client.bot.in_world for client in clients)
        quiet = quiet + 1 if ready else 0
        await trio.sleep(TURN)
    return clients


async def measure(count: int, arguments: argparse.Namespace) -> None:
    """One row of the table."""
    side = side_for(count, TILES)
    async with trio.open_nursery() as nursery:
        town = Plain(nursery, plain(shipped_content(), side, side, count))
        await town.open()
        clients = await enter(town, count)
        gc.collect()
        gc.freeze()
        gc.disable()
        profile = cProfile.Profile() if arguments.profile else None
        stretches = []
        for _ in range(arguments.rounds):
            with timed(town.app) as phases:
                await _stretch(clients, phases, arguments.seconds, profile)
            stretches.append(phases)
        gc.enable()
        gc.unfreeze()
        if len(town.app.loop.sessions) != count or any(client.bot.refused for client in clients):
            raise RuntimeError("clients were lost or put back")
        nursery.cancel_scope.cancel()
    best = min(stretches, key=lambda phases: phases.all / phases.moves)
    print(f"{count:>5}{best.row(arguments.seconds)}", flush=True)
    if profile is not None:
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)


async def _stretch(
    clients: Sequence[Client], phases: Phases, seconds: float, profile: cProfile.Profile | None
) -> None:
    for client in clients:
        client.datagrams = client.bytes = 0
    for turn in range(round(seconds / TURN)):
        for client in clients:
            client.skim()
        for client in clients[turn % GROUPS :: GROUPS]:
            client.step()
            phases.moves += 1
        if profile is not None:
            profile.enable()
        begin = thread_time()
        await trio.sleep(TURN)
        phases.all += thread_time() - begin
        if profile is not None:
            profile.disable()
    phases.datagrams = sum(client.datagrams for client in clients)
    phases.bytes = sum(client.bytes for client in clients)


async def latency(loss: float) -> None:
    """One row: how long the one of two clients waits to see and hear the other."""
    async with trio.open_nursery() as nursery:
        town = Plain(nursery, plain(shipped_content(), 60, 60, 1))
        await town.open()
        actor, witness = clients = await enter(town, 2)
        faults = Faults(loss=loss, delay=DELAY)
        for client in clients:
            town.network("eq2", "world")
            address = client.end.address
            client.end = town.network("eq2", "world").client(address, faults=faults)
        steps = await _watch(actor, witness, say=False)
        lines = await _watch(actor, witness, say=True)
        print(f"{100 * loss:>6.0f}" + _quantiles(steps) + _quantiles(lines), flush=True)
        nursery.cancel_scope.cancel()


async def _watch(actor: Client, witness: Client, *, say: bool) -> list[float]:
    """Seconds from each deed of the actor until the witness knew of it."""
    news = witness.bot.heard if say else witness.bot.seen
    took = []
    for number in range(EVENTS):
        news.clear()
        began = trio.current_time()
        if say:
            actor.bot.now = began
            actor.send(actor.bot.say(f"Line {number}"))
        else:
            actor.step()
        arrived = None
        while arrived is None or trio.current_time() < began + EVERY:
            for client in (actor, witness):
                client.decode()
            if news and arrived is None:
                arrived = trio.current_time() - began
                took.append(arrived)
            if trio.current_time() > began + GIVE_UP:
                raise RuntimeError(f"deed {number} was not seen, refused {actor.bot.refused}")
            await trio.sleep(0.002)
    return took


def _quantiles(took: Sequence[float]) -> str:
    ranked = sorted(took)
    return "".join(f"{1000 * ranked[len(ranked) * part // 100]:>9.0f}" for part in (50, 95, 99))


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU of a position, by phase; latencies.")
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 300])
    parser.add_argument("--losses", type=float, nargs="*", default=[0.0, 0.01, 0.1])
    parser.add_argument("--seconds", type=float, default=2.0, help="of virtual time, in each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    clock = partial(trio.testing.MockClock, autojump_threshold=0)
    if arguments.sizes:
        print("us of CPU for each reported position")
        print(TITLES)
    for count in arguments.sizes:
        trio.run(measure, count, arguments, clock=clock())
    if arguments.losses:
        print(f"\nms until another client knows of it, {2000 * DELAY:.0f} ms there and back")
        print(f"{'':6}{'step':>27}{'chat':>27}")
        print(f"{'loss %':>6}" + f"{'p50':>9}{'p95':>9}{'p99':>9}" * 2)
    for loss in arguments.losses:
        trio.run(latency, loss, clock=clock())


if __name__ == "__main__":
    main()
