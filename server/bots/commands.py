"""The commands `causeway bots` and `causeway bench`: what they print."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from server import exits
from server.boot.start import raise_file_limit
from server.bots import bench, edges
from server.bots.bot import is_bots, person_name
from server.bots.cells import milliseconds
from server.bots.games import BOTS
from server.bots.process import ServerDied, game_address
from server.bots.swarm import Swarm, SwarmError
from server.operate import admin
from server.settings import config

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from server.bots.bot import Bot
    from server.bots.swarm import Tally

AUTOGROUP: Final = Path("/proc/self/autogroup")

FILES: Final = 6000
"""That may be open: a bot needs one, two while it logs in."""


WALKING: Final = 2.5
"""Moves a second of who walks; who is to make more has to run."""

MOVES: Final[Mapping[str, Callable[[Bot], bytes]]] = {
    "crowd": bench.turn,
    "spread": bench.step,
    "wander": bench.wander,
}
"""What bots do, by scenario."""


def run_bots(args: argparse.Namespace) -> int:
    """Bots on the running server of that configuration."""
    try:
        _run_bots(args)
        if args.clean:
            count = len(clean(config.load(args.config).server.state_dir))
            _say(f"{count} accounts of bots are removed")
    except SwarmError as error:
        return _complain(str(error))
    except ConnectionError as error:
        return _complain(f"nobody answers where the bots are sent: {error}")
    return exits.GOOD


def run_bench(args: argparse.Namespace) -> int:
    """Measure servers of its own."""
    every = list(bench.SCENARIOS)
    scenarios = every if args.scenarios in ([], ["all"]) else args.scenarios
    games = args.games or bench.every_game()
    unknown = [name for name in scenarios if name not in {*bench.SCENARIOS, "edge"}]
    unknown += [game for game in games if game not in BOTS and game != bench.MIXED]
    if unknown:
        known = ", ".join([*bench.SCENARIOS, *BOTS, bench.MIXED])
        return _complain(f"{', '.join(unknown)}: none of {known}")
    if args.before is not None and not (args.before / "server" / "bots" / "serve.py").is_file():
        return _complain(f"--before {args.before}: no checkout of this program that has a bench")
    raise_file_limit(FILES)
    try:
        _prefer(args.nice)
    except PermissionError:
        return _complain(f"--nice {args.nice}: only root may")
    try:
        if args.scenarios == ["edge"]:
            edges.run(
                games,
                args.counts,
                args.seconds,
                _say,
                interval=1 / args.rate,
                before=args.before,
                rounds=args.rounds,
                anywhere=args.anywhere,
            )
            return exits.GOOD
        bench.run(
            scenarios,
            games,
            args.counts,
            args.seconds,
            bench.Look(floor=not args.no_floor, profile=args.profile, cprofile=args.cprofile),
            _say,
            interval=1 / args.rate,
        )
    except (SwarmError, ServerDied) as error:
        return _complain(str(error))
    return exits.GOOD


def _run_bots(args: argparse.Namespace) -> None:
    if args.game not in BOTS or args.scenario not in MOVES:
        raise SwarmError(f"games are {', '.join(BOTS)}, scenarios {', '.join(MOVES)}")
    kind = BOTS[args.game]
    endpoints = config.load(args.config).server.state_dir / "endpoints.json"
    try:
        address = game_address(endpoints, kind.game)
    except (OSError, KeyError) as error:
        raise SwarmError(f"no running server offers {args.game}: {endpoints}: {error!r}") from error
    raise_file_limit(FILES)
    bots, move = bench.make_bots(args.game, args.count), MOVES[args.scenario]
    for number, bot in enumerate(bots):
        bot.character, bot.running = person_name(number, args.game), args.rate > WALKING
    swarm = Swarm(address, bots, move, pairs=args.scenario == "crowd", interval=1 / args.rate)
    try:
        swarm.enter(60 + args.count)
        _say(f"{args.count} bots are in the world")
        tally = swarm.run(args.seconds)
    finally:
        swarm.close()
    for line in _report(tally):
        _say(line)


def clean(state_dir: Path) -> list[str]:
    """Remove all accounts of bots from the running server; their names. Raises SwarmError."""
    try:
        accounts = [line.partition(":")[0] for line in admin.ask(state_dir, "account list").lines]
        bots = [name for name in accounts if any(is_bots(name, kind.game) for kind in BOTS.values())]
        for name in bots:
            answer = admin.ask(state_dir, "account remove", {"name": name})
            if not answer.ok:
                raise SwarmError(f"{name}: {' '.join(answer.lines)}")
    except admin.NotRunning as error:
        raise SwarmError(str(error)) from error
    return bots


def _prefer(nice: int) -> None:
    """The priority of this process and of those it starts. Raises PermissionError.

    Where Linux schedules by session first (sched(7), "The autogroup feature"), that of the session as well:
    among sessions the processes' own counts for nothing.
    """
    os.nice(nice)
    if nice and AUTOGROUP.exists():
        AUTOGROUP.write_text(str(nice))


def _report(tally: Tally) -> list[str]:
    return [
        f"{tally.moves / tally.seconds:,.0f} moves/s, {tally.packets / tally.seconds:,.0f} packets/s and "
        f"{tally.received / tally.seconds / 1e6:.2f} MB/s received",
        f"answered after {milliseconds(tally.answers)} ms (p50 / p95 / p99 of {len(tally.answers)}), "
        f"{tally.refused} refused",
        *([f"a turn seen by a neighbour after {milliseconds(tally.sights)} ms"] if tally.sights else []),
        f"these bots took {tally.cpu / tally.seconds * 100:.0f} % of a core and were up to "
        f"{tally.late * 1000:.0f} ms late",
    ]


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _complain(line: str) -> int:
    sys.stderr.write(line + "\n")
    return exits.REFUSED
