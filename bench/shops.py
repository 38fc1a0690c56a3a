"""What it costs when a hundred players open one shop in the same turn.

    python -m bench.shops [--games uo eo eq2 l2 co web mixed] [--count 100] [--wares 200] [--rounds 5]
                          [--limited] [--profile]

The whole server in memory (`server.boot.app.App`, SQL without a thread, virtual time), and so many bots of
one game, or of all of them in turn (`mixed`), around a merchant that sells so many kinds: the shipped ones,
and others made up of these (`tests.kit.wares`). All of them come up to its counter in one turn. Lineage II
shows a page first, so there they are those who chose its link to the wares. `--limited`: of each ware there
are only some left, and each opening sees the stock anew, because one was bought since.

turn      the longest turn, in ms of CPU: rule, event, the game's own window (or a dialog, where it has none)
          and codecs; the kernel is not there. The first, when nothing has been made yet, and the median of
          `--rounds` behind it
opening   ms of it for each player
bytes     what each player is sent in that turn, as it goes over the wire
"""

from __future__ import annotations

import argparse
import cProfile
import logging
import pstats
from contextlib import ExitStack
from statistics import median
from time import thread_time
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import attrs
import trio
import trio.testing

from bench.crowd import CONFIG, SIDE, TURN, Client, Made, counting_put
from protocol.l2.session import L2Session, Side
from server.bots.games import BOTS
from server.bots.plain import plain
from server.net.datagram_connection import DatagramConnection
from server.net.stream_connection import StreamConnection
from server.settings.config import parse
from server.turn.loop import Loop
from tests.kit.town import Town, shipped_content
from tests.kit.wares import MERCHANT, with_wares
from world import counters, shops, visits
from world.content import Resident
from world.offers import Shop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from server.boot.app import App
    from world.content import Content
    from world.mobile import Mobile
    from world.world import World

GAMES: Final = ("uo", "eo", "eq2", "l2", "co", "web")
MIXED: Final = "mixed"

SIX: Final = f"{CONFIG}[listen.co]\n[listen.web]\n"

STOCK: Final = 40


class PlainLines:
    """In place of a bot's WebSocket: in memory the lines of JSON come and go without one."""

    def opening(self) -> bytes:
        """Nothing has to be asked for."""
        return b""

    def receive(self, data: bytes) -> bytes:
        """What came."""
        return data

    def text(self, line: bytes) -> bytes:
        """A message."""
        return line + b"\n"

    def pongs(self) -> bytes:
        """Nobody pings."""
        return b""

    pong = pongs


class Customer(Client):
    """A client of any game."""

    def __init__(self, town: Town, game: str, number: int) -> None:
        with patch("server.bots.web.WebSocketClient", lambda path: PlainLines()):
            super().__init__(town, game, number)


def with_a_shop(wares: int, *, limited: bool) -> Content:
    """A plain with one merchant in its middle, who sells so many kinds."""
    content = with_wares(plain(shipped_content(), SIDE, SIDE, 1), wares)
    chart = content.charts["plain"]
    x, y = chart.spawns[0]
    charts = {"plain": attrs.evolve(chart, residents=(Resident(MERCHANT, x, y, heading=4, wander=0),))}
    greta = content.mobiles[MERCHANT]
    if limited and greta.offers.shop is not None:
        shop = Shop([attrs.evolve(ware, stock=STOCK, restock=5.0) for ware in greta.offers.shop.sells])
        greta = attrs.evolve(greta, offers=attrs.evolve(greta.offers, shop=shop))
    return attrs.evolve(content, charts=charts, mobiles={**content.mobiles, MERCHANT: greta})


def merchant_of(world: World) -> Mobile:
    """The merchant."""
    return next(one for one in world.mobiles.values() if one.template.key == MERCHANT)


def open_all(app: App) -> int:
    """Everybody comes up to the counter; the number of wares."""
    world = app.world
    merchant = merchant_of(world)
    for session in app.loop.sessions.values():
        mobile = session.mobile
        if mobile is None:
            continue
        visits.leave(mobile)
        if isinstance(session, L2Session):
            session.opens = Side.BUY, world.now
        counters.at_shop(mobile, merchant)
    return len(shops.catalogue(merchant).sells)


def take_one(world: World) -> None:
    """Somebody buys one of the first ware."""
    merchant = merchant_of(world)
    shops._take_off_shelf(merchant, shops.shop_of(merchant).sells[0], 1)


async def enter(town: Town, games: Sequence[str], count: int) -> list[Customer]:
    """So many clients, of the games in turn, in the world and quiet."""
    clients: list[Customer] = []
    quiet = 0
    while quiet < 2 / TURN:
        waiting = range(len(clients), min(len(clients) + 10, count))
        clients += [Customer(town, games[number % len(games)], number) for number in waiting]
        for client in clients:
            client.decode()
        ready = len(clients) == count and all(client.bot.in_world for client in clients)
        quiet = quiet + 1 if ready else 0
        await trio.sleep(TURN)
    return clients


def counting(made: Made) -> Iterator[tuple[type, object]]:
    """Where bytes leave, counted."""
    yield StreamConnection, counting_put(made, StreamConnection, StreamConnection._put)
    yield DatagramConnection, counting_put(made, DatagramConnection, DatagramConnection._put)


async def measure(game: str, arguments: argparse.Namespace) -> None:
    """One row of the table."""
    longest, turn = 0.0, Loop.turn
    count = arguments.count
    profile = cProfile.Profile() if arguments.profile else None

    def timed(loop: Loop, now: float) -> None:
        nonlocal longest
        begun = thread_time()
        if profile is not None:
            profile.enable()
        turn(loop, now)
        if profile is not None:
            profile.disable()
        longest = max(longest, (thread_time() - begun) * 1e3)

    content = with_a_shop(arguments.wares, limited=arguments.limited)
    games = GAMES if game == MIXED else [game]
    async with trio.open_nursery() as nursery:
        town = Town(nursery, parse(SIX), content=content, games=games)
        await town.open()
        clients = await enter(town, games, count)
        found, made = [], Made()
        with ExitStack() as stack:
            stack.enter_context(patch.object(Loop, "turn", timed))
            for where, counted in counting(made):
                stack.enter_context(patch.object(where, "_put", counted))
            for number in range(arguments.rounds + 1):
                if arguments.limited:
                    await town.app.in_world(None, take_one)
                    await trio.sleep(4 * TURN)
                longest, made.bytes = 0.0, 0
                sold = await town.app.in_world(None, lambda world: open_all(town.app))
                await trio.sleep(4 * TURN)
                if number:
                    found.append(longest)
                else:
                    first = longest
                size = made.bytes
                for client in clients:
                    client.skim()
        nursery.cancel_scope.cancel()
    middle = median(found)
    print(
        f"{game:>6}{sold:>7}{count:>9}{first:>9.1f}{middle:>9.1f}{middle / count:>11.3f}"
        f"{size / count:>9,.0f}",
        flush=True,
    )
    if profile is not None:
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)


def main() -> None:
    parser = argparse.ArgumentParser(description="What it costs to open a shop, a hundred times in one turn.")
    parser.add_argument("--games", nargs="+", default=[*GAMES, MIXED], choices=[*BOTS, MIXED])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--wares", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limited", action="store_true", help="there are only so many of each ware")
    parser.add_argument("--profile", action="store_true", help="then what Python's profiler says")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    print(f"{'':6}{'wares':>7}{'players':>9}{'first':>9}{'turn':>9}{'ms/opening':>11}{'bytes':>9}")
    for game in arguments.games:
        clock = trio.testing.MockClock(autojump_threshold=0)
        trio.run(measure, game, arguments, clock=clock)


if __name__ == "__main__":
    main()
