"""What the bars of parties cost in a fight: 200 parties of five, all striking and struck.

    python -m bench.parties [--parties 200] [--seconds 2] [--rounds 8] [--pairs 3] [--games ...]
                            [--profile]

The whole server in memory (`server.boot.app.App`, SQL without a thread, virtual time) on an open plain, with
bots of all games: five side by side in each place, each of any game, and a creature beside each, which
strikes it and is struck (`server.bots.hunt`). The five are a party. The same evening is played again and
again, blow by blow, with the members told how the others fare (hits twice a second, mana and stamina every
two) and without, in the order ABBA; of each stretch the least is taken, for all that differs between two runs
of it is the machine. The fight, the players and who is in sight are the same.

cpu     CPU ms of the thread for a second of the fight: rules, events, views, codecs and flush. What bots cost
        is not in it; the kernel is not there
bars    members of whose change others were told, in a second
ratio   of the stretch with bars to that without

The last line has the ratio of the sums, which is to be below 1.05.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import logging
import math
import pstats
import random
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import attrs
import trio
import trio.testing

from bench.shops import SIX, Customer
from bench.trades import GAMES, TURN, enter
from server.bots import hunt
from server.bots.plain import plain
from server.settings.config import parse
from tests.kit.town import Town, shipped_content
from world import invites, motion, party, party_pulse
from world.heading import EAST
from world.party_events import Stirred

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.mobile import Mobile
    from world.world import World

MOST_RATIO: Final = 1.05
"""Of the requirement."""
MEMBERS: Final = party.MOST
APART: Final = 15
"""Tiles from one party to the next: 46 for each player, of which 30 are in sight of most games, then."""
EDGE: Final = 10
SETTLES: Final = party_pulse.STIR_SECONDS * party_pulse.SLOW_BEATS
"""Seconds that are not measured."""


@attrs.define
class Stretch:
    """So many seconds of the fight."""

    cpu: float = 0.0
    """Seconds."""
    bars: int = 0


def scatter(world: World, players: Sequence[Mobile]) -> None:
    """Five side by side, and the next five some tiles further on."""
    columns = math.ceil(math.sqrt(len(players) / MEMBERS))
    for number, player in enumerate(players):
        place, seat = divmod(number, MEMBERS)
        row, column = divmod(place, columns)
        motion.go(player, EDGE + column * APART + seat * 2, EDGE + row * APART, EAST)
    hunt.begin(world, len(players))


def unite(players: Sequence[Mobile]) -> None:
    """Make parties of those side by side."""
    for at in range(0, len(players), MEMBERS):
        leader, *others = players[at : at + MEMBERS]
        leader.spoken = None  # nobody asks too often here
        for other in others:
            party.invite(leader, other)
            invites.accept(other, party.KIND)


async def play(
    clients: Sequence[Customer], seconds: float, profile: cProfile.Profile | None = None, *, bars: bool
) -> Stretch:
    """Let the fight go on for so long, with bars or without."""
    stretch, beat = Stretch(), party_pulse.beat

    def stirred(*values: object) -> Stirred:
        stretch.bars += 1
        return Stirred(*values)  # type: ignore[arg-type] # as the rule has them

    with (
        patch.object(party_pulse, "Stirred", stirred),
        patch.object(party_pulse, "beat", beat if bars else lambda *_, **how: None),
    ):
        for turn in range(round(seconds / TURN)):
            for client in clients[turn % 5 :: 5]:
                client.skim()
            if profile is not None:
                profile.enable()
            begun = thread_time()
            await trio.sleep(TURN)
            stretch.cpu += thread_time() - begun
            if profile is not None:
                profile.disable()
    return stretch


async def evening(
    arguments: argparse.Namespace, profile: cProfile.Profile | None, kept: list[Stretch], *, bars: bool
) -> None:
    """One fight from its beginning; its stretches are added to what is kept."""
    count, seconds = arguments.parties * MEMBERS, arguments.seconds
    side = math.ceil(math.sqrt(arguments.parties)) * APART + 2 * EDGE
    async with trio.open_nursery() as nursery:
        content = hunt.stocked(plain(shipped_content(), side, side, count))
        town = Town(nursery, parse(SIX), content=content, games=arguments.games)
        await town.open()
        dice = random.Random(5)
        clients = await enter(town, [dice.choice(arguments.games) for _ in range(count)])
        by_name = {mobile.name.lower(): mobile for mobile in town.app.online()}
        players = [by_name[client.bot.character.lower()] for client in clients]
        await town.app.in_world(None, lambda world: scatter(world, players))
        await play(clients, hunt.BEGIN, bars=False)
        await town.app.in_world(None, lambda world: unite(players))
        await play(clients, SETTLES, bars=bars)
        gc.collect()
        gc.freeze()
        gc.disable()
        kept += [await play(clients, seconds, profile, bars=bars) for _ in range(arguments.rounds)]
        striking = hunt.striking(players)
        gc.enable()
        gc.unfreeze()
        if len(town.app.loop.sessions) != count or striking < 0.9 * count:
            raise RuntimeError(f"clients were lost, or do not fight: {striking} do")
        nursery.cancel_scope.cancel()


def measure(arguments: argparse.Namespace) -> None:
    """The table."""
    profile = cProfile.Profile() if arguments.profile else None
    runs: dict[bool, list[list[Stretch]]] = {False: [], True: []}
    for number in range(arguments.pairs):
        for bars in (False, True) if number % 2 else (True, False):
            kept: list[Stretch] = []
            clock = trio.testing.MockClock(autojump_threshold=0)
            trio.run(partial(evening, arguments, profile if bars else None, kept, bars=bars), clock=clock)
            runs[bars].append(kept)
    bare, barred = ([min(same, key=_cpu) for same in zip(*runs[bars], strict=True)] for bars in (False, True))
    for pair in zip(bare, barred, strict=True):
        row = "".join(
            f"{one.cpu / arguments.seconds * 1e3:>9.1f}{one.bars / arguments.seconds:>9.0f}" for one in pair
        )
        print(f"{row}{pair[1].cpu / pair[0].cpu:>9.3f}")
    ratio = sum(map(_cpu, barred)) / sum(map(_cpu, bare))
    for bars, played in runs.items():
        print(
            f"{'with' if bars else 'without'}: {[round(sum(map(_cpu, one)), 2) for one in played]} s in all"
        )
    print(f"{ratio:.3f} times as much with bars, to be below {MOST_RATIO}")
    if profile is not None:
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)


def _cpu(stretch: Stretch) -> float:
    return stretch.cpu


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="What the bars of parties cost in a fight.")
    parser.add_argument("--parties", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=2.0, help="of virtual time, of each stretch")
    parser.add_argument("--rounds", type=int, default=8, help="stretches of one evening")
    parser.add_argument("--pairs", type=int, default=3, help="evenings with bars, and as many without")
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=GAMES)
    parser.add_argument("--profile", action="store_true", help="then what the profiler says")
    arguments = parser.parse_args(argv)
    logging.disable(logging.CRITICAL)
    print(f"{'without':>18}{'with':>18}\n{'cpu':>9}{'bars':>9}{'cpu':>9}{'bars':>9}{'ratio':>9}")
    measure(arguments)


if __name__ == "__main__":
    main()
