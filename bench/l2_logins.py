"""What a hundred logins at once cost those who play: how late turns begin, before and meanwhile.

    python -m bench.l2_logins [--logins 100] [--players 40] [--seconds 4]

A whole server in a process of its own, over the loopback interface, with its shipped cost of passwords.
Players of Lineage II walk about on an open plain, 2.5 clicks a second each. Then so many more come in the
same moment, each through all of the login door (RSA, argon2, the list of servers, PlayOk) and on through the
game's door into the world. RSA and argon2 have one worker beside the event loop; what is shown is what that
leaves of them for the turns.

late      how long after the moment that the pacing asked for turns began, in milliseconds
in        seconds from the first connection until half of them, and all, stand in the world
refused   those that were told to come later
starved   for how long the event loop could have run and others had the core

The bots take part of the machine, too: on two cores the worker, the event loop and they share.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import trio

from server.bots.bot import LoginFailed, bot_name
from server.bots.l2 import L2Bot
from server.bots.plain import side_for
from server.bots.process import BenchServer, starved_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

TILES = 46
STEP_SECONDS = 0.4
CHUNK = 65536
AT_ONCE = 8
"""Who gets an account and a character before anything is measured."""


class Crowd:
    """Bots at one server."""

    def __init__(self, address: tuple[str, int], nursery: trio.Nursery) -> None:
        self._address = address
        self._nursery = nursery
        self._dice = random.Random(5)
        self.entered: list[float] = []
        """When each stood in the world."""
        self.refused = 0

    async def enter(self, number: int) -> tuple[L2Bot, trio.SocketStream]:
        """One bot, up to the world. Raises LoginFailed."""
        bot = L2Bot(bot_name(number, "l2"), self._dice.randbytes)
        stream = await trio.open_tcp_stream(*self._address)
        try:
            await self._say(stream, bot.connect())
            while not bot.in_world:
                data = await stream.receive_some(CHUNK)
                if not data:
                    raise LoginFailed("hung up")
                await self._say(stream, bot.receive(bytes(data)))
                if bot.reconnect:
                    await stream.aclose()
                    stream = await trio.open_tcp_stream(*(bot.address or self._address))
                    await self._say(stream, bot.connect())
        except BaseException:
            await trio.aclose_forcefully(stream)
            raise
        return bot, stream

    async def arrive(self, number: int) -> None:
        """One of the hundred: it comes and stays."""
        try:
            bot, stream = await self.enter(number)
        except LoginFailed:
            self.refused += 1
            return
        self.entered.append(perf_counter())
        self._nursery.start_soon(self._hear, bot, stream)

    async def visit(self, number: int, places: trio.CapacityLimiter) -> None:
        """Come for an account and a character, and leave."""
        async with places:
            _, stream = await self.enter(number)
            await stream.aclose()

    async def play(self, number: int, places: trio.CapacityLimiter) -> None:
        """Come, and walk about from then on."""
        async with places:
            bot, stream = await self.enter(number)
        self._nursery.start_soon(self._hear, bot, stream)
        self._nursery.start_soon(self._walk, bot, stream)

    async def _walk(self, bot: L2Bot, stream: trio.SocketStream) -> None:
        while True:
            await trio.sleep(STEP_SECONDS)
            await self._say(stream, bot.step())

    async def _hear(self, bot: L2Bot, stream: trio.SocketStream) -> None:
        while data := await stream.receive_some(CHUNK):
            # Pings are answered by nobody: all is over before that matters.
            bot.receive(bytes(data))

    async def _say(self, stream: trio.SocketStream, data: bytes) -> None:
        if data:
            await stream.send_all(data)


async def measure(server: BenchServer, logins: int, players: int, seconds: float) -> None:
    """Print the table."""
    places = trio.CapacityLimiter(AT_ONCE)
    newcomers = range(players, players + logins)
    async with trio.open_nursery() as nursery:
        crowd = Crowd(server.address, nursery)
        async with trio.open_nursery() as settling:
            for number in newcomers:
                settling.start_soon(crowd.visit, number, places)
            for number in range(players):
                settling.start_soon(crowd.play, number, places)
        await trio.sleep(1)
        await trio.to_thread.run_sync(server.turns)
        await trio.sleep(seconds)
        before = await trio.to_thread.run_sync(server.turns)
        began, starved = perf_counter(), starved_seconds(server.pid)
        async with trio.open_nursery() as arriving:
            for number in newcomers:
                arriving.start_soon(crowd.arrive, number)
        during = await trio.to_thread.run_sync(server.turns)
        starved = starved_seconds(server.pid) - starved
        nursery.cancel_scope.cancel()
    show(before, during, [event - began for event in crowd.entered], crowd.refused)
    print(f"starved: {starved:.2f} s")


def ship_joins(server: BenchServer) -> None:
    """Have it take as few newcomers in a turn as it is shipped with."""
    config = server.directory / "config.toml"
    config.write_text(config.read_text().replace("joins_per_tick = 50\n", ""))
    server.order("reload")


def show(before: dict[str, float], during: dict[str, float], entered: Sequence[float], refused: int) -> None:
    """The table."""
    print(f"{'':22}{'turns':>7}{'late p50':>10}{'p99':>9}{'max':>9}   worst turn")
    for name, turns in (("players alone", before), (f"{len(entered)} log in meanwhile", during)):
        late = "".join(f"{turns[f'late_{part}_ms']:>9.1f}" for part in ("p50", "p99", "max"))
        print(f"{name:22}{turns['turns']:>7.0f} {late}{turns['worst_ms']:>10.1f} ms")
    ranked = sorted(entered)
    half, last = (ranked[len(ranked) // 2], ranked[-1]) if ranked else (0.0, 0.0)
    print(f"in: half after {half:.2f} s, all after {last:.2f} s; refused: {refused}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Many logins of Lineage II at once.")
    parser.add_argument("--logins", type=int, default=100)
    parser.add_argument("--players", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=4.0)
    args = parser.parse_args()
    everybody = args.logins + args.players
    with tempfile.TemporaryDirectory(prefix="causeway-bench-") as folder:
        side = side_for(everybody, TILES)
        with BenchServer(Path(folder) / "l2", "l2", side, everybody, "--argon2") as server:
            ship_joins(server)
            trio.run(measure, server, args.logins, args.players, args.seconds)


if __name__ == "__main__":
    main()
