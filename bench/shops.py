"""What it costs when a hundred players open one shop in the same turn.

    python -m bench.shops [--games uo eo eq2 l2] [--count 100] [--wares 200] [--rounds 5]

The whole server in memory (`server.boot.app.App`, SQL without a thread, virtual time), and so many bots of
one game around a merchant that sells so many kinds, or all there are. All of them come up to its counter in
one turn: the longest turn, in ms of CPU, and ms of it for each opening: rule, event, the game's own window
(or a dialog, where it has none) and codecs; the kernel is not there. Medians of `--rounds`.
"""

from __future__ import annotations

import argparse
import logging
from statistics import median
from time import thread_time
from typing import TYPE_CHECKING
from unittest.mock import patch

import attrs
import trio
import trio.testing

from bench.crowd import CONFIG, SIDE, TURN, enter
from server.bots.games import BOTS
from server.bots.plain import plain
from server.settings.config import parse
from server.turn.loop import Loop
from tests.kit.town import Town, shipped_content
from world import counters, shops, visits
from world.content import Resident
from world.offers import Shop, Ware

if TYPE_CHECKING:
    from world.content import Content
    from world.world import World

MERCHANT = "greta"


def with_a_shop(wares: int) -> Content:
    """A plain with one merchant in its middle, who sells so many kinds, or all there are."""
    content = plain(shipped_content(), SIDE, SIDE, 1)
    chart = content.charts["plain"]
    x, y = chart.spawns[0]
    charts = {"plain": attrs.evolve(chart, residents=(Resident(MERCHANT, x, y, heading=4, wander=0),))}
    kinds = [key for key, kind in content.items.items() if kind.movable and key != "gold"]
    shop = Shop(tuple(Ware(key, 10, None, 60.0) for key in kinds[:wares]), {})
    greta = content.mobiles[MERCHANT]
    greta = attrs.evolve(greta, offers=attrs.evolve(greta.offers, shop=shop))
    return attrs.evolve(content, charts=charts, mobiles={**content.mobiles, MERCHANT: greta})


def open_all(world: World) -> int:
    """Everybody comes up to the counter; the number of wares."""
    merchant = next(one for one in world.mobiles.values() if one.template.key == MERCHANT)
    for mobile in list(world.online()):
        visits.leave(mobile)
        counters.at_shop(mobile, merchant)
    return len(shops.catalogue(merchant).sells)


async def measure(game: str, count: int, wares: int, rounds: int) -> None:
    """One row of the table."""
    longest, turn = 0.0, Loop.turn

    def timed(loop: Loop, now: float) -> None:
        nonlocal longest
        begun = thread_time()
        turn(loop, now)
        longest = max(longest, (thread_time() - begun) * 1e3)

    async with trio.open_nursery() as nursery:
        town = Town(nursery, parse(CONFIG), content=with_a_shop(wares), games=[game])
        await town.open()
        clients = await enter(town, game, count)
        found = []
        with patch.object(Loop, "turn", timed):
            for _ in range(rounds):
                longest = 0.0
                sold = await town.app.in_world(None, open_all)
                await trio.sleep(4 * TURN)
                found.append(longest)
                for client in clients:
                    client.skim()
        nursery.cancel_scope.cancel()
    middle = median(found)
    print(f"{game:>4}{sold:>7}{count:>9}{middle:>14.1f}{middle / count:>13.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="What it costs to open a shop, a hundred times in one turn.")
    parser.add_argument("--games", nargs="+", default=["uo", "eo", "eq2", "l2"], choices=list(BOTS))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--wares", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    print(f"{'':4}{'wares':>7}{'players':>9}{'longest turn':>14}{'ms/opening':>13}")
    for game in arguments.games:
        clock = trio.testing.MockClock(autojump_threshold=0)
        trio.run(measure, game, arguments.count, arguments.wares, arguments.rounds, clock=clock)


if __name__ == "__main__":
    main()
